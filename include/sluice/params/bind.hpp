// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_BIND_HPP
#define SLUICE_PARAMS_BIND_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <sluice/base/heap_sort.hpp>
#include <sluice/base/near_miss.hpp>
#include <sluice/base/query_string.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/params/name_style.hpp>
#include <sluice/params/table.hpp>
#include <sluice/params/text.hpp>
#include <sluice/params/value.hpp>

/// Binding of requests: from the pairs of a query string to the struct of an endpoint, and
/// back.
namespace sluice {

/// Converts a bound query to a list_query, which stores, masks and SQL writers read. If the table
/// has a unique column, the order ends with it.
///
/// ```
/// const auto request = sluice::parse_query_string("status=paid&page=2");
/// const auto query = sluice::bind(orders_params, request.pairs());
/// const sluice::list_query wanted = sluice::to_list_query(orders_params, *query);
/// ```
template <parameter_table Table>
[[nodiscard]] list_query to_list_query(const Table& table,
                                       const typename Table::value_type::query_type& query,
                                       aggregate_draft* aggregate = nullptr) {
    list_query_draft draft;
    draft.columns = table.columns();
    draft.leaves.reserve(std::min<std::size_t>(table.size(), 8));  // more than most requests have
    draft.query.order.reserve(2);
    draft.aggregate = aggregate;
    for (std::size_t row = 0; row < table.size(); ++row) {
        const auto& [info, contribute] = std::tie(table[row].info, table[row].contribute);
        if (contribute != nullptr) contribute(query, info, table.column_of(row), draft);
    }
    list_query& list = draft.query;
    if (draft.direction) {
        for (sort_key& key : list.order) key.direction = *draft.direction;
    }
    const column* const unique = table.unique_column();
    const bool is_total =
        !list.order.empty() && unique != nullptr && list.order.back().by.name == unique->name;
    if (unique != nullptr && !is_total) {
        const auto last = list.order.empty() ? sort_order::ascending : list.order.back().direction;
        list.order.push_back({*unique, last});
    }
    if (unique != nullptr) list.order.back().is_unique = true;
    list.rows = where::all_of(std::move(draft.leaves));
    if (!draft.trees.empty()) {
        if (!list.rows.empty()) draft.trees.insert(draft.trees.begin(), std::move(list.rows));
        list.rows = where::all(std::move(draft.trees));
    }
    return std::move(draft.query);
}

/// The errors of a request, in table order: at most one for each parameter or unknown name.
using errors = std::vector<error>;

/// Binds the pairs of one request to a query by a parameter table. bind() is enough, except for an
/// endpoint with rules across parameters, which checks them between take() and finish():
///
/// ```
/// orders query;
/// sluice::binding bound(table, query);
/// bound.take(request.pairs());
/// if (bound.has("min") && bound.has("max") && query.min > query.max) bound.refuse("min", why);
/// bound.finish();
/// if (const auto why = bound.first_error()) …
/// ```
template <parameter_table Table>
class binding {
public:
    using row = typename Table::value_type;
    using query_type = typename row::query_type;

    /// `table` and `query` must outlive the binding. A value that is absent or refused leaves its
    /// member of the query unchanged.
    binding(const Table& table, query_type& query,
            const bind_options_for<Table>& options = {}) noexcept
        : table_(table),
          query_(query),
          options_{options.zones, options.strict, options.now, options.wants_empty} {}

    /// Returns the query as bound so far.
    [[nodiscard]] query_type& query() noexcept { return query_; }

    /// Reads pairs, which must outlive the binding. A parameter that is repeated is merged, or
    /// refused (parameter_repeated).
    void take(std::span<const name_value> pairs) {
        for (const name_value& pair : pairs) take(pair);
    }

    /// Returns true if the request has the parameter and it is valid so far.
    [[nodiscard]] bool has(std::string_view name) const noexcept {
        const std::size_t index = find(name);
        return index < table_.size() && is_present_[index] && find_refusal(index) == nullptr;
    }
    /// Returns true if the parameter was refused.
    [[nodiscard]] bool is_refused(std::string_view name) const noexcept {
        return !refusals_.empty() && find_refusal(find(name)) != nullptr;
    }
    /// Refuses a parameter of the table, unless it is refused already. Ignores other names.
    void refuse(std::string_view name, const error& why) {
        const std::size_t index = find(name);
        if (index < table_.size() && find_refusal(index) == nullptr) refuse(index, why);
    }

    /// Combines parameters that belong together, such as those of a window, and checks the cursor.
    /// Call it once, after all pairs are taken.
    void finish() {
        for (const std::size_t index : table_.finishers()) finish(index);
        check_cursor();
    }

    /// Returns all errors: those of parameters in table order, then unknown names in the order of
    /// the request, each once. Empty if the request is valid.
    [[nodiscard]] errors all_errors() {
        refuse_missing();
        const auto is_before = [](const refusal& a, const refusal& b) { return a.index < b.index; };
        detail::heap_sort(refusals_, is_before);
        errors all;
        for (const refusal& refused : refusals_) all.push_back(refused.why);
        for (const unknown_name& unknown : without_repeats(unknown_))
            all.push_back(to_error(unknown));
        return all;
    }
    /// Returns the first of all_errors(); nullopt if the request is valid.
    [[nodiscard]] std::optional<error> first_error() {
        refuse_missing();
        if (!refusals_.empty())
            return std::ranges::min_element(refusals_, {}, &refusal::index)->why;
        return unknown_.empty() ? std::nullopt : std::optional(to_error(unknown_.front()));
    }

private:
    struct refusal {
        std::size_t index;  // of the row
        error why;
    };
    struct unknown_name {
        std::string_view name;
        std::uint32_t pair;  // index among all pairs
    };

    /// Drops repeats of a name, keeping the first of each.
    [[nodiscard]] static std::vector<unknown_name> without_repeats(
        std::vector<unknown_name> names) {
        detail::heap_sort(names, [](const unknown_name& a, const unknown_name& b) {
            return std::pair(a.name, a.pair) < std::pair(b.name, b.pair);
        });
        const auto repeats = std::ranges::unique(names, {}, &unknown_name::name);
        names.erase(repeats.begin(), repeats.end());
        detail::heap_sort(
            names, [](const unknown_name& a, const unknown_name& b) { return a.pair < b.pair; });
        return names;
    }

    /// Returns the index of the row of a name, or the number of rows.
    [[nodiscard]] std::size_t find(std::string_view name) const noexcept {
        return table_.find(name);
    }
    /// Returns the refusal of a row, or null.
    [[nodiscard]] const refusal* find_refusal(std::size_t index) const noexcept {
        const auto entry = std::ranges::find(refusals_, index, &refusal::index);
        return entry == refusals_.end() ? nullptr : &*entry;
    }

    void take(const name_value& pair) {
        const std::uint32_t at = taken_++;
        if (pair.value.empty() && !options_.wants_empty) return;
        const std::size_t index = find(pair.name);
        if (index == table_.size()) return add_unknown(pair.name, at);
        pair_of_[index] = at;
        if (is_present_[index]) return take_again(index, pair.value);
        is_present_[index] = true;
        assign(index, pair.value);
    }
    /// Outlined, since few parameters are repeated.
    [[gnu::noinline]] void take_again(std::size_t index, std::string_view value) {
        if (!table_[index].repeatable()) {
            return refuse(index, make_error(rule::parameter_repeated, 0, value.size()));
        }
        if (find_refusal(index) == nullptr) assign(index, value);
    }
    /// Reads a value into the query, or refuses the row.
    void assign(std::size_t index, std::string_view value) {
        const row& bound_row = table_[index];
        if (auto done = bound_row.assign(query_, bound_row.info, value, options_); !done) {
            refuse(index, done.error());
        }
    }
    void add_unknown(std::string_view name, std::uint32_t pair) {
        if (options_.strict) unknown_.push_back({name, pair});
    }
    /// Returns the error of an unknown name, with the names that were probably meant.
    [[nodiscard]] error to_error(const unknown_name& unknown) const noexcept {
        error failure = make_error(rule::parameter_unknown, 0, unknown.name.size());
        failure.pair = unknown.pair;
        const auto name_of = [](const row& known) { return known.info.name; };
        failure.suggestion = detail::near_miss(unknown.name, table_, name_of);
        if (!failure.suggestion.empty()) return failure;
        const auto [first, second] = detail::with_same_stem(unknown.name, table_, name_of);
        failure.suggestion = first;
        failure.alternative = second;
        return failure;
    }
    /// Finishes a row, unless it or a row that it needs was refused. Its error is that of the part
    /// that it names, or else of the row.
    void finish(std::size_t index) {
        const std::size_t end = index + table_[index].finishes;
        for (std::size_t needed = index; needed < end; ++needed) {
            if (find_refusal(needed) != nullptr) return;
        }
        const auto done = table_[index].finish(query_, table_[index].info, options_);
        if (done) return;
        std::size_t at_fault = index;
        while (at_fault < end && table_[at_fault].info.part != done.error().param) ++at_fault;
        refuse(at_fault < end ? at_fault : index, done.error());
    }
    /// Refuses a cursor next to a page number. If nothing else was refused, also one of another
    /// query (see query_mark()) and one without a valid key for each sort key.
    void check_cursor() {
        const std::size_t at = table_.find(param_role::cursor);
        if (at == table_.size() || !is_present_[at] || find_refusal(at) != nullptr) return;
        const std::size_t page = table_.find(param_role::page);
        const auto length = [&] { return table_[at].as_text(query_, table_[at].info)->size(); };
        if (page < table_.size() && is_present_[page]) {
            return refuse(at, make_error(rule::cursor_with_page, 0, length()));
        }
        if (!refusals_.empty()) return;
        const list_query bound = to_list_query(table_, query_);
        if (bound.from->query_mark != query_mark(bound)) {
            error why = make_error(rule::cursor_mismatch, 0, length());
            if (table_[at].info.style != page_style::plain) why.code = error_code::bad_request;
            return refuse(at, why);
        }
        if (has_keys_of(bound.order, *bound.from)) return;
        refuse(at, make_error(rule::cursor_malformed, 0, length()));
    }
    /// Refuses the required parameters that the request lacks.
    void refuse_missing() {
        if (!table_.has_required()) return;
        for (std::size_t index = 0; index < table_.size(); ++index) {
            if (table_[index].info.required && !is_present_[index]) {
                refuse(index, make_error(rule::parameter_missing));
            }
        }
    }
    /// Refuses a row. The reason replaces an earlier one.
    [[gnu::cold]] void refuse(std::size_t index, error why) {
        const param_info& info = table_[index].info;
        why.param = info.name;
        if (is_present_[index]) why.pair = pair_of_[index];
        if (why.accepts.empty() && detail::is_about_value(why.broken)) why.accepts = info.accepts;
        std::erase_if(refusals_, [&](const refusal& earlier) { return earlier.index == index; });
        refusals_.push_back({index, why});
    }
    const Table& table_;
    query_type& query_;
    bind_options options_;
    std::array<bool, Table::most_rows> is_present_{};
    std::uint32_t pair_of_[Table::most_rows];  // by row, if present: its last pair
    std::uint32_t taken_ = 0;                  // number of pairs so far
    std::vector<refusal> refusals_{};
    std::vector<unknown_name> unknown_{};
};

template <parameter_table Table, class Query>
binding(const Table&, Query&) -> binding<Table>;

/// Returns the text that an error of bind() counts its offset and length in: the value of the pair
/// at fault, or its name if the parameter is unknown. Empty if no pair is at fault.
[[nodiscard]] inline std::string_view text_at_fault(std::span<const name_value> pairs,
                                                    const error& failure) noexcept {
    if (failure.pair >= pairs.size()) return {};
    return failure.broken == rule::parameter_unknown ? pairs[failure.pair].name
                                                     : pairs[failure.pair].value;
}

/// Binds a request: returns the query, or all errors; see binding::all_errors() for their order.
template <parameter_table Table>
[[nodiscard]] auto bind_all(const Table& table, std::span<const name_value> pairs,
                            const bind_options_for<Table>& options = {}) {
    tl::expected<typename binding<Table>::query_type, errors> query(tl::in_place);
    binding bound(table, *query, options);
    bound.take(pairs);
    bound.finish();
    if (errors all = bound.all_errors(); !all.empty())
        query = tl::unexpected<errors>(std::move(all));
    return query;
}

/// Binds a request: returns the query, or the first error in table order.
///
/// ```
/// struct orders { std::optional<std::string> status; std::int64_t page = 1; };
/// constexpr sluice::param_table table{
///     sluice::text_param<&orders::status>({.name = "status"}),
///     sluice::integer_param<&orders::page, 1>({.name = "page"})};
/// const auto request = sluice::parse_query_string("status=void");
/// const auto query = sluice::bind(table, request.pairs());
/// ```
template <parameter_table Table>
[[nodiscard]] auto bind(const Table& table, std::span<const name_value> pairs,
                        const bind_options_for<Table>& options = {}) {
    result<typename binding<Table>::query_type> query(tl::in_place);
    binding bound(table, *query, options);
    bound.take(pairs);
    bound.finish();
    if (const auto why = bound.first_error()) query = tl::unexpected<error>(*why);
    return query;
}

/// Refuses to compile a first argument that isn't a parameter table.
template <class Other>
    requires(!parameter_table<Other>)
auto bind(const Other&, std::span<const name_value>, const bind_options& = {}) {
    static_assert(parameter_table<Other>,
                  "bind reads a request by a table: give it a param_table first");
}
/// Refuses to compile a text in place of the pairs that parse_query_string() makes of it.
template <parameter_table Table, std::convertible_to<std::string_view> Text>
auto bind(const Table&, const Text&, const bind_options_for<Table>& = {}) {
    static_assert(!parameter_table<Table>,
                  "bind reads pairs: give it those of parse_query_string(text), its pairs()");
}

namespace detail {

/// Returns a query string of the rows for which `text_of(row)` returns a text. Skips rows that
/// another one replaces (param_info::replaced_by).
template <class Table, class TextOf>
[[nodiscard]] std::string join_parameters(const Table& table, TextOf text_of,
                                          const bind_options& options = {}) {
    std::string text;
    for (const auto& row : table) {
        if (!row.info.replaced_by.empty()) continue;
        const std::optional<std::string> value = text_of(row);
        if (!value) continue;
        append_values(text, row.info, *value, options);
    }
    return text;
}

}  // namespace detail

/// Writes a query as a query string: its parameters in table order, without those at their default.
/// Binding it again with the same `options` yields an equal query.
///
/// ```
/// const auto request = parse_query_string("page=1&status=-void,,new");
/// to_query_string(table, *bind(table, request.pairs()));  // status=-void%2Cnew
/// ```
template <parameter_table Table>
[[nodiscard]] std::string to_query_string(const Table& table,
                                          const typename binding<Table>::query_type& query,
                                          const bind_options& options = {}) {
    return detail::join_parameters(
        table, [&](const auto& row) { return row.as_text(query, row.info); }, options);
}

/// Writes a query as a query string that is the same for all equivalent queries: values of filters
/// are sorted, without repeats, and in lower case if case is ignored. Parameters named in
/// `left_out` are skipped.
///
/// ```
/// const auto request = parse_query_string("status=void,new,void");
/// canonical_query_string(table, *bind(table, request.pairs()));  // status=new%2Cvoid
/// ```
template <parameter_table Table>
[[nodiscard]] std::string canonical_query_string(const Table& table,
                                                 const typename binding<Table>::query_type& query,
                                                 std::span<const std::string_view> left_out = {}) {
    return detail::join_parameters(table, [&](const auto& row) -> std::optional<std::string> {
        auto text = row.as_canonical_text(query, row.info);
        if (!text || std::ranges::find(left_out, row.info.name) == left_out.end()) return text;
        return std::nullopt;
    });
}

}  // namespace sluice

#endif
