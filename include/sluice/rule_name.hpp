// SPDX-License-Identifier: MIT
#ifndef SLUICE_RULE_NAME_HPP
#define SLUICE_RULE_NAME_HPP

#include <sluice/error.hpp>

namespace sluice {

/// The name of a rule as programs compare it and logs show it: its enumerator, such as
/// `filter_dash`.
[[nodiscard]] constexpr std::string_view to_string(rule broken) noexcept {
    switch (broken) {
        case rule::parameter_unknown: return "parameter_unknown";
        case rule::parameter_repeated: return "parameter_repeated";
        case rule::parameter_missing: return "parameter_missing";
        case rule::companion_missing: return "companion_missing";
        case rule::not_applicable: return "not_applicable";
        case rule::choice_unknown: return "choice_unknown";
        case rule::boolean_malformed: return "boolean_malformed";
        case rule::number_malformed: return "number_malformed";
        case rule::number_not_whole: return "number_not_whole";
        case rule::number_too_small: return "number_too_small";
        case rule::number_too_large: return "number_too_large";
        case rule::text_too_long: return "text_too_long";
        case rule::prefix_missing: return "prefix_missing";
        case rule::list_too_long: return "list_too_long";
        case rule::list_too_short: return "list_too_short";
        case rule::filter_dash: return "filter_dash";
        case rule::filter_escape: return "filter_escape";
        case rule::filter_exclusion: return "filter_exclusion";
        case rule::filter_value: return "filter_value";
        case rule::filter_too_many: return "filter_too_many";
        case rule::filter_too_long: return "filter_too_long";
        case rule::query_condition: return "query_condition";
        case rule::query_key: return "query_key";
        case rule::query_bracket: return "query_bracket";
        case rule::query_operator: return "query_operator";
        case rule::query_operator_unknown: return "query_operator_unknown";
        case rule::query_value: return "query_value";
        case rule::query_bare: return "query_bare";
        case rule::query_quote: return "query_quote";
        case rule::query_escape: return "query_escape";
        case rule::query_parenthesis: return "query_parenthesis";
        case rule::query_connective: return "query_connective";
        case rule::query_end: return "query_end";
        case rule::query_number: return "query_number";
        case rule::query_too_long: return "query_too_long";
        case rule::query_too_deep: return "query_too_deep";
        case rule::query_too_many: return "query_too_many";
        case rule::time_malformed: return "time_malformed";
        case rule::time_out_of_range: return "time_out_of_range";
        case rule::day_impossible: return "day_impossible";
        case rule::time_zone_unknown: return "time_zone_unknown";
        case rule::time_zone_data: return "time_zone_data";
        case rule::window_reversed: return "window_reversed";
        case rule::json_malformed: return "json_malformed";
        case rule::json_too_deep: return "json_too_deep";
        case rule::text_encoding: return "text_encoding";
        case rule::byte_order_mark: return "byte_order_mark";
        case rule::field_unknown: return "field_unknown";
        case rule::field_missing: return "field_missing";
        case rule::field_type: return "field_type";
        case rule::field_value: return "field_value";
        case rule::reference_unknown: return "reference_unknown";
        case rule::identifier_taken: return "identifier_taken";
        case rule::file_unreadable: return "file_unreadable";
        case rule::file_unwritable: return "file_unwritable";
        case rule::transport_insecure: return "transport_insecure";
        case rule::route_unknown: return "route_unknown";
        case rule::credentials_missing: return "credentials_missing";
        case rule::credentials_invalid: return "credentials_invalid";
        case rule::rate_exceeded: return "rate_exceeded";
        case rule::query_too_costly: return "query_too_costly";
        case rule::request_cancelled: return "request_cancelled";
        case rule::plan_insufficient: return "plan_insufficient";
        case rule::permission_missing: return "permission_missing";
        case rule::unexpected_failure: return "unexpected_failure";
    }
    return "unexpected_failure";
}

}  // namespace sluice

#endif
