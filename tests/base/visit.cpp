// SPDX-License-Identifier: MIT
#include <string>
#include <type_traits>
#include <variant>

#include <doctest/doctest.h>

#include <sluice/base/visit.hpp>

namespace {

using sluice::detail::hold_equal;
using sluice::detail::visit_as;

struct name_of {
    constexpr char operator()(int) const { return 'i'; }
    constexpr char operator()(bool) const { return 'b'; }
    constexpr char operator()(char) const { return 'c'; }
};
using value = std::variant<int, bool, char>;

/// Throws when it is copied, so that a variant is left without a value.
struct refusing {
    refusing() = default;
    refusing(const refusing&) { throw 1; }
    refusing& operator=(const refusing&) = default;
};

TEST_CASE("a variant is visited by its own alternative, whichever it is") {
    static_assert(visit_as<char>(name_of{}, value(7)) == 'i');
    static_assert(visit_as<char>(name_of{}, value(true)) == 'b');
    static_assert(visit_as<char>(name_of{}, value('x')) == 'c');
    for (const value& item : {value(0), value(false), value('\0')}) {
        CHECK(visit_as<char>(name_of{}, item) == std::visit(name_of{}, item));
    }
}

TEST_CASE("alternatives of one type are told apart by their place") {
    const std::variant<int, int> second(std::in_place_index<1>, 5);
    CHECK(visit_as<int>([&](const int& held) { return held + (&held == &std::get<1>(second)); },
                        second) == 6);
}

TEST_CASE("what is made is an R, and a visitor may keep what it sees") {
    CHECK(visit_as<std::string>([](const auto&) { return "text"; }, value(1)) == "text");
    int seen = 0;
    auto count = [&](const auto&) { ++seen; };
    static_assert(std::is_void_v<decltype(visit_as<void>(count, value()))>);
    visit_as<void>(count, value('x'));
    CHECK(seen == 1);
}

TEST_CASE("a variant without a value throws, as std::visit does") {
    std::variant<int, refusing> none(1);
    const refusing alternative;
    CHECK_THROWS_AS(none.emplace<refusing>(alternative), int);
    REQUIRE(none.valueless_by_exception());
    CHECK_THROWS_AS(visit_as<bool>([](const auto&) { return true; }, none),
                    std::bad_variant_access);
}

TEST_CASE("variants are equal as by their operator") {
    const value values[] = {value(0), value(1), value(false), value(true), value('\0'), value('1')};
    for (const value& a : values) {
        for (const value& b : values) CHECK(hold_equal(a, b) == (a == b));
    }
    static_assert(hold_equal(value(7), value(7)) && !hold_equal(value(1), value(true)));

    struct equal_to_all : refusing {
        bool operator==(const equal_to_all&) const { return true; }
    };
    std::variant<int, equal_to_all> none(1);
    CHECK_THROWS_AS(none.emplace<equal_to_all>(equal_to_all(equal_to_all())), int);
    CHECK((none.valueless_by_exception() && hold_equal(none, none)));
    CHECK_FALSE(hold_equal(none, std::variant<int, equal_to_all>(1)));
}

}  // namespace
