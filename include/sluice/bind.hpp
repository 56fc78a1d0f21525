// SPDX-License-Identifier: MIT
#ifndef SLUICE_BIND_HPP
#define SLUICE_BIND_HPP

#include <sluice/params.hpp>
#include <sluice/query_string.hpp>

namespace sluice {

/// The errors of a request, in table order, at most one a parameter.
using errors = std::vector<error>;

/// Reads the pairs of one request into a query by a parameter table. An endpoint with rules across
/// parameters applies them between `take` and `finish`, with `given` and `refuse`:
///
/// ```
/// absent --take--> given --take again--> united, or refused (parameter_repeated)
///                    |
///                    +-- the value or a rule of the endpoint --> refused
/// ```
template <class Query>
class binding {
public:
    using row = param<Query>;

    /// `table` outlives the binding.
    explicit binding(std::span<const row> table, const bind_options& options = {})
        : table_(table), options_(options), slots_(table.size()) {}

    /// The query as bound so far: parameters that were refused keep their defaults.
    [[nodiscard]] Query& query() noexcept { return query_; }

    void take(std::span<const name_value> pairs) {
        for (const name_value& pair : pairs) take(pair);
    }

    /// Whether the parameter was given and is valid so far.
    [[nodiscard]] bool given(std::string_view name) const noexcept {
        const std::size_t index = find(name);
        return index < table_.size() && slots_[index].given && !slots_[index].why;
    }
    /// Whether the parameter was given and refused.
    [[nodiscard]] bool refused(std::string_view name) const noexcept {
        const std::size_t index = find(name);
        return index < table_.size() && slots_[index].why.has_value();
    }
    /// Refuses a parameter of the table, unless it was refused before.
    void refuse(std::string_view name, const error& why) {
        const std::size_t index = find(name);
        if (index < table_.size() && !slots_[index].why) refuse(index, why);
    }

    /// The query, or all that is wrong with the request.
    [[nodiscard]] tl::expected<Query, errors> finish() && {
        errors all;
        for (std::size_t i = 0; i < table_.size(); ++i) {
            if (table_[i].info.required && !slots_[i].given) {
                refuse(i, make_error(rule::parameter_missing));
            }
            if (slots_[i].why) all.push_back(*slots_[i].why);
        }
        if (unknown_) all.push_back(*unknown_);
        if (!all.empty()) return tl::unexpected(std::move(all));
        return std::move(query_);
    }

private:
    struct slot {
        bool given = false;
        std::optional<error> why{};  ///< why it was refused
    };

    /// The row of a name, or the table's size.
    [[nodiscard]] std::size_t find(std::string_view name) const noexcept {
        const auto found =
            std::ranges::find_if(table_, [&](const row& r) { return r.is_named(name); });
        return static_cast<std::size_t>(found - table_.begin());
    }

    void take(const name_value& pair) {
        const std::size_t index = find(pair.name);
        if (index == table_.size()) return note_unknown(pair);
        const row& r = table_[index];
        if (std::exchange(slots_[index].given, true) && !r.repeatable()) {
            return refuse(index, make_error(rule::parameter_repeated, 0, pair.value.size()));
        }
        if (slots_[index].why) return;
        if (auto done = r.assign(query_, r.info, pair.value, options_); !done) {
            refuse(index, done.error());
        }
    }
    void note_unknown(const name_value& pair) {
        if (!options_.strict || unknown_) return;
        unknown_ = make_error(rule::parameter_unknown, 0, pair.name.size());
    }
    void refuse(std::size_t index, error why) {
        const param_info& info = table_[index].info;
        why.param = info.name;
        if (why.accepts.empty() && is_about_value(why.broken)) why.accepts = info.accepts;
        slots_[index].why = why;
    }
    /// Whether a table's own words on what it accepts fit the broken rule.
    static constexpr bool is_about_value(rule broken) noexcept {
        switch (broken) {
            case rule::choice_unknown:
            case rule::filter_value:
            case rule::prefix_missing:
            case rule::number_malformed:
            case rule::number_not_whole:
            case rule::number_too_small:
            case rule::number_too_large: return true;
            default: return false;
        }
    }

    std::span<const row> table_;
    bind_options options_;
    Query query_{};
    std::vector<slot> slots_;
    std::optional<error> unknown_;
};

/// Binds a request and gives all that is wrong with it, in table order.
template <class Table>
[[nodiscard]] auto bind_all(const Table& table, std::span<const name_value> pairs,
                            const bind_options& options = {}) {
    binding<typename Table::value_type::query_type> bound(table, options);
    bound.take(pairs);
    return std::move(bound).finish();
}

/// The first error of a failed binding.
template <class Query>
[[nodiscard]] result<Query> first_error(tl::expected<Query, errors>&& bound) {
    if (!bound) return tl::unexpected(bound.error().front());
    return std::move(*bound);
}

/// Binds a request: the query, or the first error in table order.
///
/// ```
/// struct orders { sluice::filter status; std::int64_t page = 1; };
/// constexpr std::array table{
///     sluice::filter_param<&orders::status>({.name = "status", .column = "status"}),
///     sluice::integer_param<&orders::page, 1>({.name = "page", .default_text = "1"})};
/// auto query = sluice::bind(table, sluice::parse_query_string("status=-void").pairs());
/// ```
template <class Table>
[[nodiscard]] auto bind(const Table& table, std::span<const name_value> pairs,
                        const bind_options& options = {}) {
    return first_error(bind_all(table, pairs, options));
}

/// The query string of a query: its parameters in table order, without those that are as if absent.
/// Bound again it gives an equal query.
///
/// ```
/// to_query_string(table, *bind(table, parse_query_string("page=1&status=-void,,new").pairs()));
/// // status=-void%2Cnew
/// ```
template <class Table, class Query>
[[nodiscard]] std::string to_query_string(const Table& table, const Query& query) {
    std::string text;
    for (const auto& row : table) {
        const auto value = row.as_text(query, row.info);
        if (!value) continue;
        const name_value pair{row.info.name, *value};
        if (!text.empty()) text.push_back('&');
        text.append(to_query_string({&pair, 1}));
    }
    return text;
}

/// The conditions that a query puts on rows, in table order. They view the query.
template <class Table, class Query>
[[nodiscard]] std::vector<clause> clauses(const Table& table, const Query& query) {
    std::vector<clause> all;
    for (const auto& row : table) {
        if (row.as_clause == nullptr || row.info.column.empty()) continue;
        if (auto one = row.as_clause(query, row.info)) all.push_back(*one);
    }
    return all;
}

}  // namespace sluice

#endif
