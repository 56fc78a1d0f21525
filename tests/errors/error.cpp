// SPDX-License-Identifier: MIT
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <doctest/doctest.h>

#include <sluice/errors/error.hpp>

using namespace sluice;

static_assert(std::is_trivially_copyable_v<error>);
static_assert(http_status(error_code::invite_expired) == 410);

// What becomes a value becomes a result of one, and nothing else does.
using text_result = result<std::string>;
using owner_result = result<std::unique_ptr<int>>;
static_assert(std::is_convertible_v<const char*, text_result>);
static_assert(std::is_convertible_v<int, result<std::optional<std::int64_t>>>);
static_assert(std::is_convertible_v<result<int>, result<std::optional<int>>>);
static_assert(std::is_convertible_v<tl::expected<int, error>, result<int>>);
static_assert(!std::is_constructible_v<text_result, std::string_view>);  // explicit in a text too
static_assert(!std::is_constructible_v<text_result, std::optional<std::string>>);
static_assert(!std::is_constructible_v<text_result, result<int>>);
static_assert(!std::is_constructible_v<text_result, error>);
static_assert(std::is_constructible_v<text_result, tl::in_place_t, std::size_t, char>);
static_assert(std::is_nothrow_move_constructible_v<text_result>);
static_assert(std::is_nothrow_move_assignable_v<text_result>);
static_assert(std::is_copy_constructible_v<text_result>);
static_assert(std::is_copy_assignable_v<text_result>);
static_assert(std::is_nothrow_move_constructible_v<owner_result>);
static_assert(!std::is_copy_constructible_v<owner_result>);
static_assert(!std::is_copy_assignable_v<owner_result>);
static_assert(!std::is_constructible_v<owner_result, const std::unique_ptr<int>&>);

TEST_CASE("each code has its status and name") {
    const std::pair<error_code, std::pair<int, const char*>> table[] = {
        {error_code::bad_request, {400, "bad_request"}},
        {error_code::unauthorized, {401, "unauthorized"}},
        {error_code::forbidden, {403, "forbidden"}},
        {error_code::not_found, {404, "not_found"}},
        {error_code::conflict, {409, "conflict"}},
        {error_code::invite_expired, {410, "invite_expired"}},
        {error_code::unprocessable_entity, {422, "unprocessable_entity"}},
        {error_code::rate_limit_exceeded, {429, "rate_limit_exceeded"}},
        {error_code::internal_server_error, {500, "internal_server_error"}},
    };
    for (const auto& [code, expected] : table) {
        CHECK(http_status(code) == expected.first);
        CHECK(to_string(code) == expected.second);
    }
}

TEST_CASE("every rule has a code, and only our own faults are a 500") {
    for (int i = 0; i <= static_cast<int>(rule::unexpected_failure); ++i) {
        const auto broken = static_cast<rule>(i);
        CHECK(make_error(broken).code == code_of(broken));
        const bool is_our_fault =
            broken == rule::unexpected_failure || broken == rule::file_unreadable ||
            broken == rule::file_unwritable || broken == rule::time_zone_data ||
            broken == rule::request_cancelled || broken == rule::clock_missing ||
            broken == rule::store_unavailable || broken == rule::sql_inexact ||
            broken == rule::test_unanswered || broken == rule::cursor_key_too_long;
        CHECK((http_status(code_of(broken)) == 500) == is_our_fault);
    }
}

TEST_CASE("a failed result carries its error") {
    const result<int> failed = fail(rule::number_malformed, 1, 2);
    REQUIRE(!failed);
    CHECK(failed.error().broken == rule::number_malformed);
    CHECK(failed.error().code == error_code::bad_request);
    CHECK(failed.error().offset == 1);
    CHECK(failed.error().length == 2);
}

TEST_CASE("a failure beyond a bound tells the bound") {
    const result<int> failed = fail_beyond(rule::number_too_large, 100, 1, 2);
    REQUIRE(!failed);
    CHECK(failed.error().bound == 100);
    CHECK(failed.error().offset == 1);
    CHECK(failed.error().length == 2);
    CHECK(make_error(rule::number_too_large).bound == std::nullopt);
    const error of_all = fail_beyond(rule::number_too_large, 100).value();
    CHECK(of_all.offset == 0);
    CHECK(of_all.length == 0);
}

TEST_CASE("what is left out of an error is nothing") {
    for (const error& failure : {make_error(rule::filter_dash), fail(rule::filter_dash).value(),
                                 fail_in(rule::filter_dash, "").value()}) {
        CHECK(failure.broken == rule::filter_dash);
        CHECK(failure.offset == 0);
        CHECK(failure.length == 0);
        CHECK(failure.pair == error::no_pair);
        CHECK(failure.param.empty());
    }
}

TEST_CASE("a result keeps its value or error however it is passed on") {
    const std::string text(40, 'x');
    const text_result succeeded = text;
    const text_result failed = fail(rule::filter_dash, 3);
    for (const text_result& from : {succeeded, failed}) {
        text_result copy(from), assigned, taken;
        assigned = from;
        taken = std::move(copy);
        const text_result moved(std::move(taken));
        const result<std::optional<std::string>> other = from;
        for (const text_result& copied : {assigned, moved}) CHECK(copied == from);
        REQUIRE(other.has_value() == from.has_value());
        if (other) CHECK(**other == text);
        if (!other) CHECK(other.error() == failed.error());
    }
    CHECK(*text_result(tl::in_place, 3, 'a') == "aaa");
    text_result turned = succeeded;
    turned = failed;
    CHECK(turned == failed);
    turned = "again";
    CHECK(*turned == "again");
    CHECK(**owner_result(std::make_unique<int>(7)) == 7);
}

TEST_CASE("a result goes on with its value, or stays its error") {
    const auto half = [](int value) -> result<int> {
        if (value % 2 != 0) return fail(rule::number_malformed, 5);
        return value / 2;
    };
    CHECK(half(8).and_then(half) == result<int>(2));
    CHECK(half(6).and_then(half).error().offset == 5);
    CHECK(half(3).and_then(half).error().offset == 5);
    const result<int> eight = 8, odd = fail(rule::number_malformed, 6);
    CHECK(eight.and_then(half) == result<int>(4));
    CHECK(odd.and_then(half).error().offset == 6);
    const auto text = [](int value) { return std::to_string(value); };
    static_assert(std::is_same_v<decltype(eight.map(text)), text_result>);
    CHECK(eight.map(text) == text_result("8"));
    CHECK(half(8).map(text).and_then([](const std::string& value) -> result<std::size_t> {
        return value.size();
    }) == result<std::size_t>(1));
    CHECK(odd.map(text).error().offset == 6);
    CHECK(owner_result(std::make_unique<int>(7)).map([](std::unique_ptr<int> value) {
        return *value;
    }) == result<int>(7));
    int seen = 0;
    const result<void> done = eight.map([&](int value) { seen = value; });
    CHECK(done.has_value());
    CHECK(seen == 8);
    CHECK(done.map([] { return 5; }) == result<int>(5));
    const auto seven = [] { return result<int>(7); };
    CHECK(done.and_then(seven) == result<int>(7));
    CHECK(result<void>().and_then(seven) == result<int>(7));
    CHECK(result<void>(fail(rule::number_malformed, 6)).and_then(seven).error().offset == 6);
}
