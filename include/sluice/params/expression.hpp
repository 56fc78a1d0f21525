// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_EXPRESSION_HPP
#define SLUICE_PARAMS_EXPRESSION_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/grammars/grammar.hpp>
#include <sluice/grammars/words.hpp>
#include <sluice/params/table.hpp>

/// Parameters that take a whole condition or an order as text, in the grammar of a guideline.
namespace sluice {

/// The value of a condition: the text of a request and the rows that it selects.
struct expression {
    std::string text{};  ///< empty if every row is selected
    where rows{};

    friend bool operator==(const expression&, const expression&) = default;
};

/// The value of an order: the text of a request and its sort keys.
struct ordering {
    std::string text{};  ///< empty without keys
    std::vector<sort_key> keys{};

    friend bool operator==(const ordering&, const ordering&) = default;
};

namespace detail {

/// Returns the columns of a condition: those that its description names, or else the table's.
[[nodiscard]] inline expression_columns columns_of(const param_info& info) {
    expression_columns columns = info.named.empty()
                                     ? expression_columns(info.columns)
                                     : expression_columns(std::vector<expression_column>(
                                           info.named.begin(), info.named.end()));
    if (info.searched.empty()) return columns;
    std::vector<column> searched;
    for (const std::string_view name : info.searched) {
        searched.push_back(*find_column(info.columns, name));
    }
    return std::move(columns).searching(searched);
}

/// Reads a text in the grammar of a row. Errors: those of the grammar, with the byte.
[[nodiscard]] inline result<expression> read_expression(std::string_view text,
                                                        const param_info& info,
                                                        const bind_options&) {
    auto rows = info.grammar->parse(text, columns_of(info));
    if (!rows) return tl::unexpected<error>(rows.error());
    if (rows->empty()) return expression{};
    rows->set_param(info.name);
    return expression{std::string(text), *std::move(rows)};
}

/// Like read_expression(), for an order.
[[nodiscard]] inline result<ordering> read_ordering(std::string_view text, const param_info& info,
                                                    const bind_options&) {
    auto keys = info.grammar->parse_order(text, columns_of(info));
    if (!keys) return tl::unexpected<error>(keys.error());
    if (keys->empty()) return ordering{};
    return ordering{std::string(text), *std::move(keys)};
}

/// Returns the text of an expression as its grammar writes it; nullopt for every row.
[[nodiscard]] inline std::optional<std::string> canonical_expression(const expression& value,
                                                                     const param_info& info) {
    if (value.text.empty()) return std::nullopt;
    auto text = info.grammar->write(value.rows, columns_of(info));
    return text ? *std::move(text) : value.text;
}

// --- Documentation -------------------------------------------------------------------------------

/// Returns a condition on a column for an example; nullopt if there is none for its type.
[[nodiscard]] inline std::optional<leaf> sample_leaf(const expression_column& named) {
    const column& subject = named.subject;
    const auto is_allowed = [&](test_kind kind) {
        return (named.allowed & set_of(kind)) != 0 && allows_test(subject, kind);
    };
    const auto one_of = [&](std::string_view value) -> std::optional<leaf> {
        if (!is_allowed(test_kind::any_of)) return std::nullopt;
        return leaf{subject, text_test{filter({value})}};
    };
    const auto at_least = [&]<class T>(const T& value) -> std::optional<leaf> {
        if (!is_allowed(test_kind::bounds)) return std::nullopt;
        bounds<T> range;
        range.narrow(comparison::at_least, value);
        return leaf{subject, std::move(range)};
    };
    switch (subject.type) {
        case column_type::text: return one_of("a");
        case column_type::choice: return one_of(subject.choices[0]);
        case column_type::uuid: return one_of("0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e");
        case column_type::integer: return at_least(std::int64_t{5});
        case column_type::decimal: return at_least(*parse_decimal_number("10.5"));
        case column_type::real: return at_least(1.5);
        case column_type::time: return at_least(*parse_timestamp("2026-08-21T02:30:15Z"));
        case column_type::date: return at_least(*parse_day("2026-08-21"));
        case column_type::boolean:
            if (!is_allowed(test_kind::is)) return std::nullopt;
            return leaf{subject, boolean_test{true}};
        case column_type::json:
        case column_type::records: break;
    }
    return std::nullopt;
}

/// Returns the operators of a grammar that a column has.
[[nodiscard]] inline std::string operators_of(const grammar_words& grammar,
                                              const expression_column& named) {
    std::string words;
    const auto add = [&](std::string_view more) {
        if (!words.empty()) words.push_back(' ');
        words.append(more);
    };
    const column& subject = named.subject;
    if (subject.is_list) add(grammar.list_operators);
    // Numbers and times are equal by bounds, lists by operators of their own.
    const bool has_bounds =
        (named.allowed & set_of(test_kind::bounds)) != 0 && allows_test(subject, test_kind::bounds);
    for (const test_record& test : test_records) {
        const bool is_of_values = test.kind == test_kind::any_of ||
                                  test.kind == test_kind::none_of || test.kind == test_kind::all_of;
        const bool is_in_form = allows_test(subject, test.kind);
        const bool is_there =
            is_in_form ? (named.allowed & set_of(test.kind)) != 0 : is_of_values && has_bounds;
        if (!is_there || (is_of_values && subject.is_list)) continue;
        if (!is_in_form && test.kind == test_kind::all_of) continue;
        add(grammar.operators[static_cast<std::size_t>(test.kind)]);
    }
    return words;
}

/// Returns the syntax of a condition: its grammar, its columns and their operators, and an example
/// on the first columns that have one.
[[nodiscard]] inline syntax_words syntax_of(const param_info& info) {
    const expression_columns columns = columns_of(info);
    syntax_words words;
    const grammar_words& grammar = words_of(info.grammar->kind);
    words.note.append(grammar.guideline).append(" on ");
    std::vector<where> parts;
    for (const expression_column& named : columns.columns()) {
        if (&named != &columns.columns().front()) words.note.append(", ");
        words.note.append("`").append(named.name).append("` (");
        words.note.append(operators_of(grammar, named)).append(")");
        if (parts.size() == 2 || named.subject.is_list) continue;
        if (auto sample = sample_leaf(named)) parts.emplace_back(*std::move(sample));
    }
    if (parts.empty()) return words;
    const auto example = info.grammar->write(where::all(std::move(parts)), columns);
    if (example) words.example = *example;
    return words;
}

/// Returns the syntax of an order: its grammar, its columns, and an example on the first.
[[nodiscard]] inline syntax_words order_syntax_of(const param_info& info) {
    const expression_columns columns = columns_of(info);
    const grammar_words& grammar = words_of(info.grammar->kind);
    syntax_words words{std::string(grammar.order)};
    std::string_view before = " of ";
    for (const expression_column& named : columns.columns()) {
        if (!has_order(named.subject)) continue;
        words.note.append(before).append("`").append(named.name).append("`");
        before = ", ";
        if (!words.example.empty()) continue;
        words.example = std::string(grammar.descending_before).append(named.name);
        words.example.append(grammar.descending_after);
    }
    return words;
}

}  // namespace detail

/// Declares a whole condition in a grammar, bound to an `expression`. It joins the conditions of
/// other parameters by AND. Clients name the columns of `info.named`, by the names and with the
/// tests of these; by default all columns of the table. Words of AIP-160 without a column are
/// searched in `info.searched`.
///
/// ```
/// inline constexpr std::array<sluice::expression_column, 2> orders_names{{
///     {.name = "createTime", .subject = *orders_schema.find("created")},
///     {.name = "total", .subject = *orders_schema.find("total"),
///      .allowed = sluice::set_of(sluice::test_kind::bounds)}}};
/// sluice::expression_param<&orders::filter, sluice::grammar::aip160>(
///     {.name = "filter", .named = orders_names})  // filter=createTime > "2026-08-21T00:00:00Z"
/// ```
template <auto Member, grammar Kind, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto expression_param(const param_info& info) noexcept {
    static_assert(detail::holds<Member, expression>,
                  "an expression_param with a grammar is bound to a sluice::expression: give the "
                  "member this type");
    auto row = detail::make_row<Member, Query>(info, param_type::condition);
    row.info.grammar = &grammar_records[static_cast<std::size_t>(Kind)];
    row.info.syntax = detail::syntax_of;
    row.assign = detail::assign<Member, detail::read_expression, Query>;
    row.as_canonical_text = [](const Query& query, const param_info& row_info) {
        return detail::canonical_expression(query.*Member, row_info);
    };
    row.contribute = [](const Query& query, const param_info&, const column*,
                        list_query_draft& draft) {
        const expression& value = query.*Member;
        if (!value.rows.empty()) draft.trees.push_back(value.rows);
    };
    return row;
}

/// Declares an order in the grammar of a guideline, bound to an `ordering`: `$orderby` of OData,
/// `order_by` of AIP-132, `sort` of RSQL, `sortBy` of SCIM. Its columns are those of
/// expression_param().
///
/// ```
/// sluice::ordering_param<&orders::order, sluice::grammar::odata>(
///     {.name = "$orderby", .named = orders_names})  // $orderby=createTime desc,total
/// ```
template <auto Member, grammar Kind, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto ordering_param(const param_info& info) noexcept {
    static_assert(detail::holds<Member, ordering>,
                  "an ordering_param is bound to a sluice::ordering: give the member this type");
    auto row = detail::make_row<Member, Query>(info, param_type::order);
    row.info.role = param_role::sort_column;
    row.info.grammar = &grammar_records[static_cast<std::size_t>(Kind)];
    row.info.syntax = detail::order_syntax_of;
    row.assign = detail::assign<Member, detail::read_ordering, Query>;
    row.contribute = [](const Query& query, const param_info&, const column*,
                        list_query_draft& draft) {
        for (const sort_key& key : (query.*Member).keys) draft.query.order.push_back(key);
    };
    return row;
}

/// Returns the text of a row's value.
[[nodiscard]] inline std::string param_text(const param_info&, const expression& value) {
    return value.text;
}
[[nodiscard]] inline std::string param_text(const param_info&, const ordering& value) {
    return value.text;
}

}  // namespace sluice

#endif
