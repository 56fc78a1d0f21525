// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_DETAIL_EXPRESSION_EXAMPLES_HPP
#define SLUICE_API_SERVICE_DETAIL_EXPRESSION_EXAMPLES_HPP

#include <array>

#include <sluice/api/service/detail/example_sources.hpp>

namespace sluice::api::example_sources {

/// Examples for the rules of advanced filters, in the order of the rules.
inline constexpr std::array filter_examples{
    error_example{rule::filter_dash, &events, "country=US,-CA", "country=-US,CA",
                  "A list is included or excluded as a whole, by one - at its beginning. A value "
                  "that begins with - is written \\-."},
    error_example{rule::filter_escape, &events, "city=Frankfurt\\Main", "city=Frankfurt\\\\Main",
                  "Double the backslash, or drop it."},
    error_example{rule::filter_exclusion, &events, "country=US&country=-CA",
                  "country=-US&country=-CA",
                  "All repeats of a filter are one list: begin each of them with - or none."},
    error_example{rule::filter_value, &events, "country=USA", "country=US",
                  "Use values of the form that the message names."},
    error_example{rule::filter_too_many, &events, "city=", "city=Berlin,Paris",
                  "Ask in several requests, each with a part of the values.", "Rome,", 1'001},
    error_example{rule::filter_too_long, &events, "city=", "city=Llanfairpwllgwyngyll",
                  "Ask in several requests, each with a part of the values.",
                  "Llanfairpwllgwyngyll,", 500}};

/// Examples for the rules of metadata expressions.
inline constexpr std::array metadata_examples{
    error_example{rule::query_condition, &events, "event=leads&query=metadata['plan']:pro AND",
                  "event=leads&query=metadata['plan']:pro",
                  "Put a condition where the message points, or remove what asks for one."},
    error_example{rule::query_key, &events, "event=leads&query=metadata.plan:pro",
                  "event=leads&query=metadata['plan']:pro",
                  "Write each key in brackets and quotes: metadata['a']['b']."},
    error_example{rule::query_bracket, &events, "event=leads&query=metadata['plan':pro",
                  "event=leads&query=metadata['plan']:pro", "Close the bracket after the key."},
    error_example{
        rule::query_operator, &events, "event=leads&query=metadata['plan'] is pro",
        "event=leads&query=metadata['plan']:pro",
        "Compare with one of the operators that the message lists. : and = are the same."},
    error_example{rule::query_operator_unknown, &events, "event=leads&query=metadata['plan']==pro",
                  "event=leads&query=metadata['plan']=pro",
                  "Use one of the operators that the message lists."},
    error_example{rule::query_value, &events,
                  "event=leads&query=metadata['plan']:", "event=leads&query=metadata['plan']:''",
                  "Give a value after the operator. The empty text is ''."},
    error_example{rule::query_bare, &events, "event=leads&query=metadata['name']:O'Brien",
                  "event=leads&query=metadata['name']:\"O'Brien\"", "Put quotes around the value."},
    error_example{rule::query_quote, &events, "event=leads&query=metadata['plan']:'pro",
                  "event=leads&query=metadata['plan']:'pro'",
                  "Close the quotes with the mark that opened them."},
    error_example{rule::query_escape, &events, "event=leads&query=metadata['path']:'C:\\temp'",
                  "event=leads&query=metadata['path']:'C:\\\\temp'",
                  "Double the backslash. In quotes it escapes the quote and itself, nothing else."},
    error_example{rule::query_parenthesis, &events, "event=leads&query=(metadata['plan']:pro",
                  "event=leads&query=(metadata['plan']:pro)", "Close the parenthesis."},
    error_example{rule::query_connective, &events,
                  "event=leads&query=metadata['plan']:pro,metadata['seats']:5",
                  "event=leads&query=metadata['plan']:pro AND metadata['seats']:5",
                  "Join conditions by the words AND and OR."},
    error_example{rule::query_end, &events,
                  "event=leads&query=metadata['plan']:pro metadata['seats']:5",
                  "event=leads&query=metadata['plan']:pro AND metadata['seats']:5",
                  "Join what follows by AND or OR. A value with white space needs quotes."},
    error_example{rule::query_number, &events, "event=leads&query=metadata['seats']>five",
                  "event=leads&query=metadata['seats']>5",
                  "Compare with a number. Texts have no order: only : = and != take them."},
    error_example{rule::query_too_long, &events,
                  "event=leads&query=metadata['plan']:", "event=leads&query=metadata['plan']:pro",
                  "Shorten the expression, or ask in several requests.", "p", 10'000},
    error_example{rule::query_too_deep, &events,
                  "event=leads&query=", "event=leads&query=metadata['plan']:pro",
                  "Remove parentheses and NOTs that change nothing.", "NOT ", 65},
    error_example{rule::query_too_many, &events, "event=leads&query=metadata['seats']:0",
                  "event=leads&query=metadata['seats']<=256",
                  "Say the same in fewer conditions, or ask in several requests.",
                  " OR metadata['seats']:1", 256}};

/// Examples for the rules of times.
inline constexpr std::array time_examples{
    error_example{rule::time_malformed, &events, "start=21.08.2026", "start=2026-08-21",
                  "Use one of the forms that the message lists."},
    error_example{rule::time_out_of_range, &events, "start=3000 years ago", "interval=all",
                  "Give a year from 0000 to 9999, or leave the bound out."},
    error_example{rule::time_plus, &events, "start=2026-08-21T02:30:15+02:00",
                  "start=2026-08-21T02:30:15%2B02:00",
                  "Write %2B for '+': in a query string '+' stands for a space."},
    error_example{rule::day_impossible, &events, "start=2026-02-30", "start=2026-02-28",
                  "Correct the day: the month has fewer."},
    error_example{rule::time_zone_unknown, &orders, "shop=7&timezone=Mars", "shop=7&timezone=UTC",
                  "Use a name of the IANA database, in any case."},
    error_example{rule::time_zone_data, &orders_without_zones, "shop=7&timezone=UTC", "shop=7",
                  "Install the system's time zones (Debian's package tzdata), load them by "
                  "load_time_zones() and give them to bind as .zones."},
    error_example{rule::clock_missing, &orders_without_clock, "shop=7&interval=7d", "",
                  "Give the present time to bind as .now: the library reads no clock by itself."},
    error_example{rule::window_reversed, &events, "start=2026-08-21&end=2026-08-20",
                  "start=2026-08-20&end=2026-08-21", "Exchange the two."}};

}  // namespace sluice::api::example_sources

#endif
