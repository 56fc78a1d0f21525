// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_RUNTIME_TABLE_HPP
#define SLUICE_PARAMS_RUNTIME_TABLE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include <sluice/base/name_index.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/params/runtime/declaration.hpp>
#include <sluice/params/runtime/rows.hpp>
#include <sluice/query/column_copies.hpp>

/// Parameter tables that are declared at run time.
namespace sluice {

namespace detail {

/// Checks the columns of a search.
[[nodiscard]] inline std::string mistake_in_search(const declaration& spec, columns_view columns) {
    for (const std::string& name : spec.searched) {
        const column* const searched = find_column(columns, name);
        if (searched == nullptr) return no_column(name, columns);
        if (!allows_test(*searched, test_kind::contains)) {
            return "it searches '" + name +
                   "': give it columns of texts whose collation is exact or ignore_case";
        }
    }
    return {};
}

/// The functions that make a row of a declared table and set its default; see declared_row.
struct row_maker {
    param<declared_query> (*row_of)(declared_param&);
    result<void> (*set_default)(param<declared_query>&, declared_param&,
                                const std::optional<std::string>&);
};
template <auto Make, std::size_t... Rows>
inline constexpr std::array<row_maker, sizeof...(Rows)> makers{
    row_maker{declared_row<Make, Rows>::row_of, declared_row<Make, Rows>::set_default}...};

/// Returns the functions for the rows of a kind.
[[nodiscard]] inline std::span<const row_maker> makers_of(declared_kind kind) noexcept {
    switch (kind) {
        case declared_kind::filter: return makers<as_filter, 0>;
        case declared_kind::list: return makers<as_list, 0>;
        case declared_kind::text: return makers<as_text, 0>;
        case declared_kind::search: return makers<as_search, 0>;
        case declared_kind::choice: return makers<as_choice, 0>;
        case declared_kind::boolean: return makers<as_boolean, 0>;
        case declared_kind::integer: return makers<as_integer, 0>;
        case declared_kind::decimal: return makers<as_decimal, 0>;
        case declared_kind::uuid: return makers<as_uuid, 0>;
        case declared_kind::time: return makers<as_time, 0>;
        case declared_kind::expression: return makers<as_expression, 0>;
        case declared_kind::custom: return makers<as_custom, 0>;
        case declared_kind::sort: return makers<as_sort, 0>;
        case declared_kind::window: return makers<as_window, 0, 1, 2, 3>;
        case declared_kind::page: return makers<as_page, 0, 1, 2, 3, 4>;
        case declared_kind::real: return makers<as_real, 0>;
        case declared_kind::date: return makers<as_date, 0>;
        case declared_kind::contains: return makers<as_contains, 0>;
        case declared_kind::starts_with: return makers<as_starts_with, 0>;
        case declared_kind::ends_with: return makers<as_ends_with, 0>;
        case declared_kind::is_null: return makers<as_is_null, 0>;
        case declared_kind::condition: return makers<as_condition, 0>;
        case declared_kind::order: return makers<as_order, 0>;
        case declared_kind::direction: return makers<as_direction, 0>;
        case declared_kind::names: return makers<as_names, 0>;
    }
    return {};
}

/// Returns true for the row to which its declaration's default belongs: of a window the interval,
/// of a page the limit.
[[nodiscard]] constexpr bool has_default(const param_info& info) noexcept {
    return info.part.empty() || info.part == "interval" || info.part == "limit";
}

/// Returns the name of row `index` of a declaration; empty if it is left out.
[[nodiscard]] inline std::string name_of_row(const declaration& spec, const param_info& info,
                                             std::size_t index) {
    if (!is_group(spec.kind)) {
        return spec.name + std::string(spec.naming ? suffix_of(*spec.naming, spec.op) : "");
    }
    const std::string_view name = spec.names.empty() ? info.name : spec.names[index];
    return name.empty() ? std::string() : spec.name + std::string(name);
}

/// Sets the texts and bounds of a row from its declaration. A row of a group (window, page) has
/// those of window_params() or page_params() already: its declaration has its name, and the largest
/// number of rows on a page.
inline void describe(param<declared_query>& row, declared_param& declared, std::size_t index) {
    const declaration& spec = declared.spec;
    param_info& info = row.info;
    info.name = declared.keep(name_of_row(spec, info, index));
    if (info.role == param_role::page_size || spec.kind == declared_kind::integer) {
        info.minimum = is_group(spec.kind) ? 1 : spec.minimum;
        info.maximum = spec.maximum;
        info.accepts = declared.keep(range_sentence(info.minimum, info.maximum));
    }
    if (spec.kind == declared_kind::page) set_style(info, spec.style);
    if (is_group(spec.kind)) return;
    info.help = spec.help;
    info.required = spec.required;
    info.deprecated = spec.deprecated;
    info.prefix = spec.prefix;
    info.lists = spec.lists;
    info.excludes = spec.excludes;
    info.sorts = spec.sorts;
    info.words = spec.words;
    if (!spec.form.empty()) info.format = spec.form;
    info.choices = declared.choices;
    info.searched = declared.searched;
    info.named = declared.named;
    if (info.grammar != nullptr) info.grammar = &record_of(spec.grammar);
    if (!declared.choices.empty()) info.accepts = declared.keep(choices_sentence(declared.choices));
    if (!spec.accepts.empty()) info.accepts = spec.accepts;
}

/// Makes a filter accept the values of its column: of integers whole numbers in canonical form, of
/// days and UUIDs these.
inline void fit_column(param<declared_query>& row, columns_view columns) {
    if (row.info.type != param_type::filter) return;
    const column* const subject = find_column(columns, row.info.column);
    if (subject == nullptr) return;
    fit_filter(row.info, *subject);
    if (subject->type != column_type::integer) return;
    row.comparable = set_of(column_type::integer);
    row.info.accepts_value = is_plain_integer;
    row.info.pattern = plain_integer_pattern;
    if (row.info.accepts.empty()) row.info.accepts = "expected whole numbers such as 7";
}

}  // namespace detail

/// The parameters of an endpoint, declared at run time. All functions that take a param_table
/// accept it, such as bind(), to_list_query(), to_query_string() and openapi_parameters(). It must
/// outlive the errors and queries that they return, which view its texts.
///
/// ```
/// const sluice::column columns[] = {{.name = "id"}, {.name = "status"}};
/// const auto table = sluice::declared_table::make(
///     {{.kind = sluice::declared_kind::filter, .name = "status", .column = "status"},
///      {.kind = sluice::declared_kind::page, .absent = "100", .maximum = 1'000}}, columns);
/// const auto request = sluice::parse_query_string("status=open&limit=20");
/// const auto query = sluice::bind(*table, request.pairs());
/// ```
class declared_table {
public:
    using value_type = param<declared_query>;
    using options_type = bind_options;  ///< none is required: the rows are known at run time only
    static constexpr std::size_t most_rows = 256;  ///< number of rows a binding has room for

    /// Makes a table of declarations, in their order, on the columns of a resource, which it
    /// copies. The column called `unique` has another value in every row: it is the last sort key.
    /// On failure returns the first mistake.
    [[nodiscard]] static tl::expected<declared_table, declaration_mistake> make(
        std::vector<declaration> specs, columns_view columns, std::string_view unique = "id") {
        declared_table table(columns);
        table.unique_ = find_column(table.columns_, unique);
        if (table.unique_ == nullptr) {
            return mistake(unique, "the last sort key is unique: give the schema such a column");
        }
        for (declaration& spec : specs) {
            if (auto added = table.add(std::move(spec)); !added) {
                return tl::unexpected(std::move(added).error());
            }
        }
        if (auto checked = table.check(); !checked) {
            return tl::unexpected(std::move(checked).error());
        }
        table.index();
        return table;
    }

    [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
    [[nodiscard]] const value_type* begin() const noexcept { return rows_.data(); }
    [[nodiscard]] const value_type* end() const noexcept { return begin() + size(); }
    [[nodiscard]] const value_type& operator[](std::size_t row) const noexcept {
        return rows_[row];
    }
    /// Returns the declarations, in the order of their values in a query.
    [[nodiscard]] std::span<const std::unique_ptr<declared_param>> params() const noexcept {
        return params_;
    }

    // Like the functions of param_table, which bind() and others call.
    [[nodiscard]] bool has_required() const noexcept { return has_required_; }
    [[nodiscard]] columns_view columns() const noexcept { return columns_; }
    [[nodiscard]] const column* unique_column() const noexcept { return unique_; }
    [[nodiscard]] const column* column_of(std::size_t row) const noexcept {
        return rows_[row].info.declared->subject;
    }
    [[nodiscard]] std::size_t find(param_role role) const noexcept {
        return roles_[static_cast<std::size_t>(role)];
    }
    [[nodiscard]] std::span<const std::size_t> finishers() const noexcept { return finishers_; }
    [[nodiscard]] std::size_t find(std::string_view name) const noexcept {
        return std::min<std::size_t>(names_.find_parameter(rows_, name), size());
    }

private:
    using checked = tl::expected<void, declaration_mistake>;

    /// Copies columns and their names.
    explicit declared_table(columns_view columns) : columns_(columns.begin(), columns.end()) {
        for (column& copied : columns_) copied = copies_->add(copied);
    }

    [[nodiscard]] static tl::unexpected<declaration_mistake> mistake(std::string_view name,
                                                                     std::string what) {
        return tl::unexpected(declaration_mistake{std::string(name), std::move(what)});
    }

    /// Adds a declaration and its rows.
    [[nodiscard]] checked add(declaration spec) {
        if (std::string what = detail::mistake_in(spec); !what.empty()) {
            return mistake(spec.name, std::move(what));
        }
        declared_param& declared = *params_.emplace_back(std::make_unique<declared_param>());
        declared.spec = std::move(spec);
        declared.place = params_.size() - 1;
        declared.subject = find_column(columns_, declared.spec.column);
        declared.choices.assign(declared.spec.choices.begin(), declared.spec.choices.end());
        declared.searched.assign(declared.spec.searched.begin(), declared.spec.searched.end());
        if (std::string what = detail::mistake_in_search(declared.spec, columns_); !what.empty()) {
            return mistake(declared.spec.name, std::move(what));
        }
        if (auto named = add_named_columns(declared); !named) return named;
        const bool lacks_choices =
            declared.choices.empty() && declared.spec.kind == declared_kind::filter;
        if (lacks_choices && declared.subject != nullptr) {
            const auto known = declared.subject->choices;
            declared.choices.assign(known.begin(), known.end());
        }
        if (auto sorted = add_sort_columns(declared); !sorted) return sorted;
        const std::size_t first = size();
        for (const detail::row_maker& maker : detail::makers_of(declared.spec.kind)) {
            if (auto added = add_row(maker, declared, size() - first); !added) return added;
        }
        leave_out_unnamed(first);
        return {};
    }
    /// Leaves out rows without names of the group that begins at row `first`; the first one left
    /// becomes its leader.
    void leave_out_unnamed(std::size_t first) {
        const value_type leader = rows_[first];
        const auto group = rows_.begin() + static_cast<std::ptrdiff_t>(first);
        const auto is_unnamed = [](const value_type& row) { return row.info.name.empty(); };
        rows_.erase(std::remove_if(group, rows_.end(), is_unnamed), rows_.end());
        detail::lead(rows_[first], leader, size() - first);
    }
    /// Adds the column of every choice of a sort to declared.sorted_by: the columns that the
    /// declaration lists, or those with the choices' names. Does nothing for other kinds. Mistakes:
    /// the schema lacks a column, or the numbers of choices and columns differ.
    [[nodiscard]] checked add_sort_columns(declared_param& declared) const {
        const auto& spec = declared.spec;
        if (spec.kind != declared_kind::sort) return {};
        for (const std::string& name : spec.sorted_by.empty() ? spec.choices : spec.sorted_by) {
            const column* const by = find_column(columns_, name);
            if (by == nullptr) return mistake(spec.name, detail::no_column(name, columns_));
            if (!has_order(*by)) {
                return mistake(spec.name, "column '" + name +
                                              "' has no order, as lists, JSON and records have "
                                              "none: leave it out");
            }
            declared.sorted_by.push_back(*by);
        }
        if (declared.sorted_by.size() == declared.choices.size()) return {};
        return mistake(spec.name, "each choice is ordered by a column: give as many of both");
    }
    /// Adds the columns that a condition names to declared.named. Mistakes: the schema lacks a
    /// column, or two names are the same.
    [[nodiscard]] checked add_named_columns(declared_param& declared) const {
        for (const declared_name& named : declared.spec.named) {
            const column* const of = find_column(columns_, named.column);
            if (of == nullptr) {
                return mistake(declared.spec.name, detail::no_column(named.column, columns_));
            }
            const auto same = [&](const expression_column& other) {
                return other.name == named.name;
            };
            if (named.name.empty() || std::ranges::any_of(declared.named, same)) {
                return mistake(
                    declared.spec.name,
                    "each column of a condition has a name: rename '" + named.name + "'");
            }
            declared.named.push_back({named.name, *of, named.allowed});
        }
        return {};
    }
    /// Adds row `index` of a declaration. Its default has to be a text that it accepts.
    [[nodiscard]] checked add_row(const detail::row_maker& maker, declared_param& declared,
                                  std::size_t index) {
        value_type& row = rows_.emplace_back(maker.row_of(declared));
        detail::describe(row, declared, index);
        detail::fit_column(row, columns_);
        if (row.info.grammar != nullptr) row.info.columns = columns_;
        if (declared.subject != nullptr) row.info.how = collation_of(*declared.subject);
        const bool in_condition = !row.info.column.empty() || row.comparable == 0;
        if (!in_condition) row.contribute = nullptr;
        const bool has_default = detail::has_default(row.info);
        const auto done =
            maker.set_default(row, declared, has_default ? declared.spec.absent : std::nullopt);
        if (done) return {};
        error why = done.error();
        if (why.accepts.empty() && detail::is_about_value(why.broken))
            why.accepts = row.info.accepts;
        const std::string_view name = row.info.name.empty() ? row.info.part : row.info.name;
        return mistake(
            name, "its default can't be read: '" + *declared.spec.absent + "' is " + message(why));
    }

    /// Checks the number of rows, their names and their columns.
    [[nodiscard]] checked check() const {
        if (size() > most_rows) {
            return mistake(rows_[most_rows].info.name, "a table has at most 256 parameters");
        }
        for (const value_type& row : rows_) {
            const auto same = [&](const value_type& other) {
                return other.info.name == row.info.name;
            };
            if (std::ranges::count_if(rows_, same) > 1) {
                return mistake(row.info.name, "two parameters have this name: rename one");
            }
            std::string what = detail::mistake_in_column(row, columns_);
            if (!what.empty()) return mistake(row.info.name, std::move(what));
        }
        return {};
    }

    /// Sets what look-ups need, once all rows are added.
    void index() {
        for (const auto& param : params_) param->places = params_.size();
        roles_.fill(size());
        for (std::size_t row = size(); row-- > 0;) {
            has_required_ = has_required_ || rows_[row].info.required;
            roles_[static_cast<std::size_t>(rows_[row].info.role)] = row;
        }
        for (std::size_t row = 0; row < size(); ++row) {
            if (rows_[row].finish != nullptr) finishers_.push_back(row);
        }
        names_ = decltype(names_)(std::vector<std::uint16_t>(detail::name_slots(size())));
        names_.build(rows_);
    }

    // Rows view the texts of params_ and copies_, which keep their addresses when a table moves.
    std::unique_ptr<column_copies> copies_ = std::make_unique<column_copies>();
    std::vector<column> columns_;
    const column* unique_ = nullptr;
    std::vector<std::unique_ptr<declared_param>> params_;  // by place
    std::vector<value_type> rows_;
    bool has_required_ = false;
    std::array<std::size_t, param_role_count> roles_{};  // by role: its first row, or size()
    std::vector<std::size_t> finishers_;                 // rows with a `finish`
    detail::name_index<std::vector<std::uint16_t>> names_;
};

namespace detail {

template <>
inline constexpr bool is_param_table<declared_table> = true;

}  // namespace detail

}  // namespace sluice

#endif
