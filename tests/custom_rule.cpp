// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <type_traits>

#include <doctest/doctest.h>

#include <sluice/errors/envelope.hpp>
#include <sluice/errors/rules.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/params/list.hpp>
#include <sluice/params/openapi.hpp>

using namespace sluice;

namespace {

/// The letters of a currency, of which the parser knows two.
struct currency {
    std::string letters;
};
constexpr custom_rule currency_unknown({.name = "currency_unknown",
                                        .code = error_code::conflict,
                                        .problem = "unknown currency",
                                        .advice = "expected one of ISO 4217 such as EUR"});
constexpr custom_rule currency_retired({.name = "currency_retired",
                                        .problem = "a currency of the past",
                                        .advice = "use the one that took its place"});

}  // namespace

template <>
struct sluice::param_traits<currency> {
    static result<currency> parse(std::string_view text) {
        if (text.size() != 3) return fail(rule::value_malformed, 0, text.size());
        if (text == "DEM") return fail(currency_retired, 0, 3);
        if (!text.starts_with("EU")) return fail(currency_unknown, 1, 2);
        return currency{std::string(text)};
    }
    static std::string format(const currency& value) { return value.letters; }
    static constexpr std::string_view form = "iso-4217";
    static constexpr std::string_view accepts = "expected three letters";
};

namespace {

constexpr schema columns{column{.name = "id"}, column{.name = "currency"}};
struct prices {
    std::optional<currency> paid, listed;
};
constexpr param_table params{
    columns, value_param<&prices::paid>({.name = "paid", .column = "currency"}),
    value_param<&prices::listed>({.name = "listed", .column = "currency"})};

error refusal(std::string_view text) {
    const query_string pairs = parse_query_string(text);
    const auto query = bind(params, pairs.pairs());
    REQUIRE(!query);
    return query.error();
}

}  // namespace

static_assert(std::is_trivially_copyable_v<any_rule>);
static_assert(sizeof(error) <= 104);
static_assert(std::ranges::all_of(detail::rules, [](const rule_info& info) {
    return detail::is_rule_name(info.name) && detail::is_advice(info.advice);
}));

TEST_CASE("a custom rule's name, code and texts are those of its declaration") {
    CHECK(to_string(currency_unknown) == "currency_unknown");
    CHECK(code_of(currency_unknown) == error_code::conflict);
    CHECK(problem_of(currency_unknown) == "unknown currency");
    CHECK(advice_of(currency_unknown) == "expected one of ISO 4217 such as EUR");
    CHECK(code_of(currency_retired) == error_code::unprocessable_entity);
}

TEST_CASE("bind reports the broken custom rule, its place and its texts") {
    struct row {
        std::string_view text;
        any_rule broken;
        int status;
        std::size_t offset, length, pair;
        std::string_view message;
    };
    const row table[] = {
        {"paid=USD", currency_unknown, 409, 1, 2, 0,
         "paid: unknown currency (at byte 1), expected one of ISO 4217 such as EUR"},
        {"paid=EUR&listed=DEM", currency_retired, 422, 0, 3, 1,
         "listed: a currency of the past, use the one that took its place"},
        {"paid=EURO", rule::value_malformed, 400, 0, 4, 0,
         "paid: not a value of this type, expected three letters"},
    };
    for (const row& entry : table) {
        CAPTURE(entry.text);
        const error e = refusal(entry.text);
        CHECK(e.broken == entry.broken);
        CHECK(to_string(e.broken) == to_string(entry.broken));
        CHECK(http_status(e.code) == entry.status);
        CHECK(e.offset == entry.offset);
        CHECK(e.length == entry.length);
        CHECK(e.pair == entry.pair);
        CHECK(message(e) == entry.message);
    }
}

TEST_CASE("the body of an error is that of a custom rule's code and message") {
    CHECK(error_body(refusal("paid=USD"), "https://example.com") ==
          R"({"error":{"code":"conflict","message":"paid: unknown currency (at byte 1), )"
          R"(expected one of ISO 4217 such as EUR",)"
          R"("doc_url":"https://example.com/api-reference/errors#conflict"}})");
}

TEST_CASE("all errors of a request have the rules that they broke") {
    const query_string pairs = parse_query_string("paid=USD&listed=DEM");
    const auto query = bind_all(params, pairs.pairs());
    REQUIRE(!query);
    REQUIRE(query.error().size() == 2);
    CHECK(query.error()[0].broken == currency_unknown);
    CHECK(query.error()[1].broken == currency_retired);
}

TEST_CASE("a caller's bound ends a custom rule's words too") {
    static constexpr custom_rule too_dear(
        {.name = "too_dear", .problem = "too dear", .advice = "expected at most"});
    CHECK(message(fail_beyond(too_dear, 7).value()) == "too dear, expected at most 7");
    CHECK(message(fail_in(too_dear, "price").value()) == "price: too dear, expected at most");
}

TEST_CASE("rules are equal where all that they say is") {
    static constexpr custom_rule again({.name = "currency_unknown",
                                        .code = error_code::conflict,
                                        .problem = "unknown currency",
                                        .advice = "expected one of ISO 4217 such as EUR"});
    CHECK(make_error(currency_unknown, 1) == make_error(again, 1));
    CHECK(make_error(currency_unknown) != make_error(currency_retired));
    CHECK(any_rule(currency_unknown) != any_rule(rule::value_malformed));
    CHECK(any_rule(rule::value_malformed) == any_rule(rule::value_malformed));
}
