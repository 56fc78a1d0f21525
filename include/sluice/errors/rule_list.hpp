// SPDX-License-Identifier: MIT
#ifndef SLUICE_ERRORS_RULE_LIST_HPP
#define SLUICE_ERRORS_RULE_LIST_HPP

#include <cstdint>
#include <string_view>

#include <sluice/base/parse_limits.hpp>
#include <sluice/base/static_text.hpp>

// The error codes and the rules, each stated once: enumerations, names, statuses, messages and the
// page of errors read these two lists, by <sluice/errors/rules.hpp>.

/// The codes of rules: the name and HTTP status of each, and a sentence that says when it is sent.
#define SLUICE_ERROR_CODES(CODE)                                                                  \
    CODE(bad_request, 400,                                                                        \
         "The request is malformed: a required parameter is missing, a value has the wrong type " \
         "or its syntax is wrong.")                                                               \
    CODE(unauthorized, 401,                                                                       \
         "The request has no valid credentials. Send a key of your workspace as 'Authorization: " \
         "Bearer <key>'.")                                                                        \
    CODE(forbidden, 403,                                                                          \
         "The request was understood and is refused: the key lacks the permission, or the "       \
         "workspace's plan does not include the operation.")                                      \
    CODE(not_found, 404, "Nothing answers to this method and path.")                              \
    CODE(conflict, 409, "Another resource has the same identifier, which must be unique.")        \
    CODE(invite_expired, 410, "The invite has expired.")                                          \
    CODE(unprocessable_entity, 422, "The request is well-formed, but its data are not valid.")    \
    CODE(rate_limit_exceeded, 429,                                                                \
         "The key has used up its requests. Wait as many seconds as Retry-After says.")           \
    CODE(internal_server_error, 500,                                                              \
         "Something unexpected happened in the server. Try again later.")

/// Each rule: its name, the code of its errors, the problem, and the advice. If its errors have a
/// bound (error::bound), the advice ends before it: `expected at most`.
#define SLUICE_RULES(RULE)                                                                         \
    /* query strings and parameter tables */                                                       \
    RULE(parameter_unknown, bad_request, "unknown parameter",                                      \
         "expected one of the documented names")                                                   \
    RULE(parameter_repeated, bad_request, "given more than once", "give it once")                  \
    RULE(parameter_missing, bad_request, "missing", "it is required")                              \
    RULE(companion_missing, bad_request, "given without the parameter it refines", "give both")    \
    RULE(not_applicable, unprocessable_entity, "has no meaning in this request", "leave it out")   \
    RULE(choice_unknown, unprocessable_entity, "not one of the accepted values",                   \
         "expected one of the documented values")                                                  \
    RULE(boolean_malformed, bad_request, "not a boolean", "expected true or false")                \
    RULE(number_malformed, bad_request, "not a number", "expected a number such as 2 or 1e2")      \
    RULE(number_not_whole, unprocessable_entity, "not a whole number",                             \
         "expected a whole number such as 2 or 1e2")                                               \
    RULE(number_too_small, unprocessable_entity, "too small", "expected at least")                 \
    RULE(number_too_large, unprocessable_entity, "too large", "expected at most")                  \
    RULE(text_too_long, unprocessable_entity, "too long", "expected at most")                      \
    RULE(prefix_missing, unprocessable_entity, "missing its prefix",                               \
         "it must start with the documented prefix")                                               \
    RULE(list_too_long, unprocessable_entity, "too many items", "expected at most")                \
    RULE(list_too_short, unprocessable_entity, "too few items", "expected at least")               \
    RULE(value_malformed, bad_request, "not a value of this type", "expected the documented form") \
    RULE(sort_repeated, bad_request, "a column named twice", "give each column once")              \
    RULE(sort_ascending, unprocessable_entity, "'asc' after a column", "write the column alone")   \
    RULE(sort_descending, unprocessable_entity, "'desc' after a column",                           \
         "write '-' before the column instead")                                                    \
    RULE(cursor_malformed, bad_request, "not a cursor", "take it from a Link header as it is")     \
    RULE(cursor_with_page, bad_request, "given together with a page number", "give one of them")   \
    RULE(cursor_mismatch, unprocessable_entity, "made for another order or other filters",         \
         "leave it out to begin again")                                                            \
    RULE(cursor_key_too_long, internal_server_error, "a key that no cursor has room for",          \
         "expected a size in bytes of at most")                                                    \
    /* advanced filters */                                                                         \
    RULE(filter_dash, bad_request, "'-' before a single item",                                     \
         "exclude the whole list with one leading '-', or escape it as '\\-'")                     \
    RULE(filter_escape, bad_request, "a backslash that escapes nothing",                           \
         "use it only before ',', '-' or another backslash")                                       \
    RULE(filter_exclusion, bad_request, "both included and excluded",                              \
         "give '-' with all repeats or with none")                                                 \
    RULE(filter_value, unprocessable_entity, "not an accepted value",                              \
         "expected a value of the documented form")                                                \
    RULE(filter_too_many, unprocessable_entity, "too many values",                                 \
         (detail::at_most<filter_max_values>()))                                                   \
    RULE(filter_too_long, unprocessable_entity, "too long",                                        \
         (detail::at_most<filter_max_bytes, " bytes">()))                                          \
    /* metadata expressions */                                                                     \
    RULE(query_condition, bad_request, "missing condition",                                        \
         "expected metadata['key'], NOT or '('")                                                   \
    RULE(query_key, bad_request, "missing key", "expected a quoted key in brackets: ['key']")      \
    RULE(query_bracket, bad_request, "missing closing bracket", "expected ']' after the key")      \
    RULE(query_operator, bad_request, "missing operator", "expected one of : = != > >= < <=")      \
    RULE(query_operator_unknown, bad_request, "not an operator",                                   \
         "expected one of : = != > >= < <=")                                                       \
    RULE(query_value, bad_request, "missing value",                                                \
         "expected a value, in quotes if it has white space")                                      \
    RULE(query_bare, bad_request, "a value that needs quotes",                                     \
         "put quotes around a value that begins with : = ! < > or holds a quote, bracket or "      \
         "parenthesis")                                                                            \
    RULE(query_quote, bad_request, "missing closing quote",                                        \
         "end the text with the quote that it began with")                                         \
    RULE(query_escape, bad_request, "a backslash that escapes nothing",                            \
         "use it only before the quote or another backslash")                                      \
    RULE(query_parenthesis, bad_request, "missing closing parenthesis", "expected ')'")            \
    RULE(query_connective, bad_request, "conditions joined by neither AND nor OR",                 \
         "write AND or OR between conditions")                                                     \
    RULE(query_end, bad_request, "text after the condition", "expected AND, OR or the end")        \
    RULE(query_number, unprocessable_entity, "not a number",                                       \
         "expected a number after >, >=, < or <=")                                                 \
    RULE(query_too_long, unprocessable_entity, "too long",                                         \
         (detail::at_most<metadata_query_max_length, " characters">()))                            \
    RULE(query_too_deep, unprocessable_entity, "nested too deeply",                                \
         (detail::at_most<metadata_query_max_depth, " levels of parentheses and NOTs">()))         \
    RULE(query_too_many, unprocessable_entity, "too many conditions",                              \
         (detail::at_most<metadata_query_max_conditions>()))                                       \
    /* expressions in the grammars of guidelines */                                                \
    RULE(expression_malformed, bad_request, "not what the grammar has here",                       \
         "expected a condition such as price gt 5")                                                \
    RULE(expression_unsupported, bad_request, "not supported here",                                \
         "leave it out, or write it as comparisons of columns with values")                        \
    RULE(column_unknown, bad_request, "unknown column", "expected one of the documented names")    \
    RULE(operator_refused, bad_request, "an operator that the column doesn't have",                \
         "expected one of those documented for it")                                                \
    RULE(expression_inexpressible, unprocessable_entity, "nothing that the grammar can say",       \
         "leave it out, or write it in another grammar")                                           \
    /* time */                                                                                     \
    RULE(time_malformed, bad_request, "not a time",                                                \
         "expected RFC 3339 (2026-08-21T02:30:15Z), YYYY-MM-DD, YYYY-MM-DDTHH:MM[:SS[.fff]], "     \
         "epoch seconds (10 digits) or milliseconds (13 digits), now, today, yesterday, "          \
         "tomorrow, 'N minutes ago' (or hours, days, weeks, months, years), 'last week' or 'this " \
         "week' (or month, quarter, year)")                                                        \
    RULE(time_out_of_range, bad_request, "a time out of range",                                    \
         "expected a time in the years 0000 to 9999")                                              \
    RULE(time_plus, bad_request, "a '+' that reads as a space", "write '+' as %2B")                \
    RULE(day_impossible, bad_request, "no such day",                                               \
         "expected a day that exists, such as 2024-02-29")                                         \
    RULE(time_zone_unknown, unprocessable_entity, "unknown time zone",                             \
         "expected an IANA name such as Europe/Paris")                                             \
    RULE(time_zone_data, internal_server_error, "missing time-zone database", "install tzdata")    \
    RULE(clock_missing, internal_server_error, "missing clock", "give the present time to bind")   \
    RULE(window_reversed, unprocessable_entity, "the window starts after it ends",                 \
         "expected a start that is not after the end")                                             \
    /* records and files */                                                                        \
    RULE(json_malformed, bad_request, "malformed JSON", "expected one JSON object a line")         \
    RULE(json_too_deep, unprocessable_entity, "nested too deeply",                                 \
         (detail::at_most<json_max_depth, " levels">()))                                           \
    RULE(text_encoding, bad_request, "not valid UTF-8", "save the file as UTF-8")                  \
    RULE(byte_order_mark, bad_request, "starts with a byte-order mark",                            \
         "save the file as UTF-8 without one")                                                     \
    RULE(field_unknown, bad_request, "unknown field", "expected a documented field")               \
    RULE(field_missing, bad_request, "missing", "it is required")                                  \
    RULE(field_type, bad_request, "has the wrong type", "expected the documented type")            \
    RULE(field_value, unprocessable_entity, "a value that is not accepted",                        \
         "expected an accepted value")                                                             \
    RULE(reference_unknown, unprocessable_entity, "names no record", "load that record first")     \
    RULE(identifier_taken, conflict, "names a record that exists",                                 \
         "expected an identifier of its own")                                                      \
    RULE(file_unreadable, internal_server_error, "cannot be read", "expected a readable file")     \
    RULE(file_unwritable, internal_server_error, "cannot be written",                              \
         "expected a writable folder with room in it")                                             \
    /* requests */                                                                                 \
    RULE(transport_insecure, forbidden, "plain HTTP", "use https")                                 \
    RULE(route_unknown, not_found, "unknown operation", "expected a documented method and path")   \
    RULE(record_unknown, not_found, "no such record", "expected one of the workspace")             \
    RULE(credentials_missing, unauthorized, "missing credentials",                                 \
         "send 'Authorization: Bearer <key>'")                                                     \
    RULE(credentials_invalid, unauthorized, "the key is unknown or has expired",                   \
         "send 'Authorization: Bearer <key>'")                                                     \
    RULE(rate_exceeded, rate_limit_exceeded, "too many requests",                                  \
         "retry after the time in Retry-After")                                                    \
    RULE(query_too_costly, unprocessable_entity,                                                   \
         "the costliest condition of a search that takes too long",                                \
         "leave it out or search a shorter time range")                                            \
    RULE(store_unavailable, internal_server_error, "the store of events does not answer",          \
         "retry after the time in Retry-After")                                                    \
    RULE(request_cancelled, internal_server_error, "the request was cancelled", "send it again")   \
    RULE(test_unanswered, internal_server_error, "a test that the rows' engine doesn't answer",    \
         "leave it out of the endpoint's parameters")                                              \
    RULE(sql_inexact, internal_server_error, "nothing that the database can answer exactly",       \
         "leave it out of the endpoint's parameters")                                              \
    RULE(sql_too_large, unprocessable_entity, "more than the database takes",                      \
         "expected fewer conditions and values")                                                   \
    RULE(sql_name, unprocessable_entity, "not a name that a table can have",                       \
         "expected at least one character, and no NUL")                                            \
    RULE(plan_insufficient, forbidden, "not in the workspace's plan", "upgrade the plan")          \
    RULE(permission_missing, forbidden, "the key does not have the permission",                    \
         "use a key that has it")                                                                  \
    RULE(unexpected_failure, internal_server_error, "an unexpected failure", "try again later")

namespace sluice::detail {

/// Returns `expected at most 1000 bytes`.
template <std::int64_t Bound, text_literal Unit = "">
constexpr std::string_view at_most() noexcept {
    return number_text<"expected at most ", Bound, Unit>.view();
}

}  // namespace sluice::detail

#endif
