// SPDX-License-Identifier: MIT
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/service/request_id.hpp>

using namespace sluice::reference;
using namespace std::string_view_literals;
using sluice::name_value;

TEST_CASE("a request's id is short and holds nothing that a log would have to escape") {
    const std::string longest(64, 'a');
    for (const std::string_view good : {"a"sv, "6ba7b810-9dad-11d1-80b4-00c04fd430c8"sv,
                                        "A.b_c-9"sv, std::string_view(longest)}) {
        CAPTURE(good);
        CHECK(is_request_id(good));
    }
    const std::string too_long(65, 'a');
    for (const std::string_view bad :
         {""sv, std::string_view(too_long), "a b"sv, "a\nb"sv, "a\"b"sv, "a\0b"sv, "a/b"sv,
          "\xC3\xA9"sv, "a,b"sv, "a=b"sv, "{}"sv}) {
        CAPTURE(bad);
        CHECK_FALSE(is_request_id(bad));
    }
}

TEST_CASE("a client's id is taken once, and never where it is its key") {
    struct row {
        std::vector<name_value> headers;
        std::optional<std::string_view> id;
    };
    const std::vector<row> table{
        {{}, {}},
        {{{"X-Request-ID", "abc-1"}}, "abc-1"},
        {{{"x-request-id", "abc-1"}, {"authorization", "Bearer tok_1"}}, "abc-1"},
        {{{"x-request-id", "abc"}, {"x-request-id", "def"}}, {}},
        {{{"x-request-id", "a b"}}, {}},
        {{{"x-request-id", "tok_1"}, {"authorization", "Bearer tok_1"}}, {}},
        {{{"x-request-id", "tok_1"}, {"authorization", "Basic tok_1"}}, "tok_1"},
    };
    for (const row& entry : table)
        CHECK(request_id_of({.target = {}, .headers = entry.headers}) == entry.id);
}
