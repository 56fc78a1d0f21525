// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_BIND_HPP
#define SLUICE_PARAMS_BIND_HPP

#include <algorithm>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/params/binding.hpp>

namespace sluice {

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

/// Refuses to compile a first argument that is no parameter table.
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

/// Joins the rows for which `text_of` returns a text into a query string. Skips rows that another
/// one replaces.
template <class Table, class TextOf>
[[nodiscard]] std::string join_parameters(const Table& table, TextOf text_of) {
    std::string text;
    for (const auto& row : table) {
        if (!row.info.replaced_by.empty()) continue;
        const std::optional<std::string> value = text_of(row);
        if (!value) continue;
        append_pair(text, {row.info.name, *value});
    }
    return text;
}

}  // namespace detail

/// Writes a query as a query string: its parameters in table order, without those at their default.
/// Binding it again yields an equal query.
///
/// ```
/// const auto request = parse_query_string("page=1&status=-void,,new");
/// to_query_string(table, *bind(table, request.pairs()));  // status=-void%2Cnew
/// ```
template <parameter_table Table>
[[nodiscard]] std::string to_query_string(const Table& table,
                                          const typename binding<Table>::query_type& query) {
    return detail::join_parameters(table,
                                   [&](const auto& row) { return row.as_text(query, row.info); });
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
