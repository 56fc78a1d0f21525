// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_PARSERS_HPP
#define SLUICE_TESTS_FUZZ_PARSERS_HPP

#include <algorithm>
#include <string_view>

#include <sluice/grammars/grammar.hpp>
#include <sluice/query/json_reader.hpp>
#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/records/record_reader.hpp>
#include <sluice/sluice.hpp>

#include "../query/make_tests.hpp"
#include "byte_source.hpp"

// Texts: what parses survives its canonical form, what does not is refused inside its bounds.

namespace sluice_fuzz {

inline void require_inside(const sluice::error& e, std::string_view input) {
    require(std::size_t{e.offset} + e.length <= input.size());
    require(!sluice::message(e).empty());
}

/// A filter survives its canonical text.
inline void fuzz_filter(std::string_view input) {
    const auto parsed = sluice::parse_filter(input);
    if (!parsed) return require_inside(parsed.error(), input);
    require(sluice::parse_filter(sluice::to_string(*parsed)) == parsed);
}

/// An expression survives its canonical text.
inline void fuzz_metadata_query(std::string_view input) {
    const auto parsed = sluice::parse_metadata_query(input);
    if (!parsed) return require_inside(parsed.error(), input);
    const auto again = sluice::parse_metadata_query(sluice::to_string(*parsed));
    require(again.has_value() && *again == *parsed);
}

/// An expression of a guideline's grammar survives its canonical text, if the grammar can say it.
/// Its order is read or refused.
template <sluice::grammar Kind>
void fuzz_expression(std::string_view input) {
    static const sluice::expression_columns columns{
        sluice::columns_view(test_samples::columns.begin(), test_samples::columns.size())};
    constexpr const sluice::grammar_record& record = sluice::record_of(Kind);
    if (const auto order = record.parse_order(input, columns); !order) {
        require_inside(order.error(), input);
    }
    const auto parsed = record.parse(input, columns);
    if (!parsed) return require_inside(parsed.error(), input);
    const auto text = record.write(*parsed, columns);
    if (!text) {
        const sluice::any_rule broken = text.error().broken;
        return require(broken == sluice::rule::expression_inexpressible ||
                       broken == sluice::rule::query_too_many ||
                       broken == sluice::rule::query_too_long);
    }
    const auto again = record.parse(*text, columns);
    require(again && *again == *parsed);
}

/// A time survives its canonical text.
inline void fuzz_time_expression(std::string_view input) {
    const auto parsed = sluice::parse_time_expression(input);
    if (!parsed) return require_inside(parsed.error(), input);
    const auto again = sluice::parse_time_expression(sluice::to_string(*parsed));
    require(again.has_value() && *again == *parsed);
    const auto at = sluice::resolve(*parsed, sluice::edge::start, sluice::time_zone::utc(), {});
    if (at) require(sluice::is_writable(*at));
}

/// A list query survives its JSON.
inline void fuzz_list_query(std::string_view input) {
    const sluice::columns_view columns(sluice::reference::events_schema.begin(),
                                       sluice::reference::events_schema.size());
    const auto parsed = sluice::parse_list_query(input, columns);
    if (!parsed) return require_inside(parsed.error().why, input);
    require(sluice::parse_list_query(sluice::to_json(*parsed), columns) == parsed);
}

/// Pairs are valid UTF-8 and survive their text.
inline void fuzz_query_string(std::string_view input) {
    const auto parsed = sluice::parse_query_string(input);
    const std::string text = sluice::to_query_string(parsed.pairs());
    const auto again = sluice::parse_query_string(text);
    require(std::ranges::equal(parsed.pairs(), again.pairs()));
    for (const auto& [name, value] : parsed.pairs()) {
        require(sluice::detail::is_valid_utf8(name) && sluice::detail::is_valid_utf8(value));
    }
}

/// A request binds or is refused with errors in table order.
inline void fuzz_events_query(std::string_view input) {
    static const sluice::time_zone_database zones({sluice::time_zone::utc()});
    const auto pairs = sluice::parse_query_string(input);
    const auto now = sluice::instant(std::chrono::milliseconds(1'787'279'415'123));
    const auto bound =
        sluice::reference::parse_events_query_all(pairs.pairs(), {.zones = &zones}, now);
    if (bound) {
        const auto& [start, end] = bound->window;
        require(!start || !end || *start <= *end);
        return;
    }
    require(!bound.error().empty());
    for (const sluice::error& e : bound.error()) require(!e.param.empty());
}

/// A line of any file reads as a record or is refused.
inline void fuzz_records(std::string_view input) {
    sluice::reference::record_reader reader;
    const auto check = [&](const auto& read) {
        if (!read) require_inside(read.error(), input);
    };
    check(reader.read_tag(input));
    check(reader.read_customer(input));
    check(reader.read_link(input));
    check(reader.read_click(input));
    check(reader.read_lead(input));
    check(reader.read_sale(input));
}

}  // namespace sluice_fuzz

#endif
