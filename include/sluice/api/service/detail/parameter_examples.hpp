// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_DETAIL_PARAMETER_EXAMPLES_HPP
#define SLUICE_API_SERVICE_DETAIL_PARAMETER_EXAMPLES_HPP

#include <array>

#include <sluice/api/service/detail/example_sources.hpp>

namespace sluice::api::example_sources {

/// Examples for the rules of parameters, in the order of the rules.
inline constexpr std::array parameter_examples{
    error_example{
        rule::parameter_unknown, &events, "contry=US", "country=US",
        "Write the name as the reference does. The servers ignore unknown names; a handler "
        "with strict_parameters refuses them."},
    error_example{rule::parameter_repeated, &events, "page=1&page=2", "page=2",
                  "Give the parameter once. Only filters and lists may be repeated: their values "
                  "are united."},
    error_example{rule::parameter_missing, &orders, "sortBy=total", "shop=7&sortBy=total",
                  "Add the parameter."},
    error_example{rule::companion_missing, &events, "key=launch",
                  "domain=go.example.com&key=launch",
                  "Give the other parameter too, which the message names."},
    error_example{rule::not_applicable, &events, "saleType=new", "event=sales&saleType=new",
                  "Leave the parameter out, or ask for what it applies to."},
    error_example{rule::choice_unknown, &events, "interval=1w", "interval=7d",
                  "Use one of the values that the message lists. They are compared exactly: 7D is "
                  "not 7d."},
    error_example{rule::boolean_malformed, &events, "root=yes", "root=true",
                  "Write true or false, in any case."},
    error_example{rule::number_malformed, &events, "limit=ten", "limit=10",
                  "Write the number in digits. 10, 10.0 and 1e1 are the same."},
    error_example{rule::number_not_whole, &events, "page=1.5", "page=2", "Round the number."},
    error_example{rule::number_too_small, &events, "page=0", "page=1",
                  "Give at least the number that the message names. Pages are counted from 1."},
    error_example{rule::number_too_large, &events, "limit=5000", "limit=1000",
                  "Give at most the number that the message names, and follow the Link header for "
                  "the rest."},
    error_example{rule::text_too_long, &orders, "shop=7&note=leave it at the neighbour's",
                  "shop=7&note=at the neighbour's", "Shorten the text."},
    error_example{rule::prefix_missing, &events, "externalId=42", "externalId=ext_42",
                  "Put the prefix that the message names before the value."},
    error_example{rule::list_too_long, &tags, "ids=", "ids=tag_1,tag_2",
                  "Ask in several requests, each with a part of the list.", "tag_1,", 1'001},
    error_example{rule::list_too_short, &bulk_size, "0", "1", "Add items, or leave the call out."},
    error_example{rule::value_malformed, &orders, "shop=7&customer=42",
                  "shop=7&customer=0189f6d2-7c1e-7b7a-9c1f-3f2a5d8e4b10",
                  "Write the value in the form of its type, which the message names."},
    error_example{rule::sort_repeated, &orders, "shop=7&sortBy=total,-total",
                  "shop=7&sortBy=-total,created", "Name each column once."},
    error_example{rule::sort_ascending, &orders, "shop=7&sortBy=total asc", "shop=7&sortBy=total",
                  "Write the column alone: that ascends."},
    error_example{rule::sort_descending, &orders, "shop=7&sortBy=total desc",
                  "shop=7&sortBy=-total",
                  "Write '-' before the column instead of a word after it."},
    error_example{rule::cursor_malformed, &tags, "cursor=2", "page=2",
                  "Take the whole cursor from the Link header of an answer, unchanged. To begin "
                  "in the middle, ask for a page."},
    error_example{rule::cursor_with_page, &tags,
                  "cursor=AQDaK0WHAAAAAAZwcm9tbwZ0YWdfMSzNfF8&page=2", "page=2",
                  "Give the cursor or the page number. Links of answers hold one of them."},
    error_example{rule::cursor_mismatch, &tags,
                  "cursor=AQDaK0WHAAAAAAZwcm9tbwZ0YWdfMSzNfF8&search=promo", "search=promo",
                  "A cursor continues the list that it came from. Leave it out when filters or "
                  "the order change, and follow the links of the new first page."},
    error_example{rule::cursor_key_too_long, &key_size, "800", "36",
                  "Give rows unique keys that a cursor has room for: it holds them whole, and the "
                  "beginning alone of other texts that are too long."}};

}  // namespace sluice::api::example_sources

#endif
