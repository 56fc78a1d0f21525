// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <string>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>

using namespace sluice;

TEST_CASE("a message names the parameter, the place and what is accepted") {
    error e = make_error(rule::filter_dash, 3, 3);
    CHECK(message(e) ==
          "'-' before a single item (at byte 3), exclude the whole list with one leading '-', or "
          "escape it as '\\-'");
    e.param = "country";
    e.accepts = "expected x";
    CHECK(message(e) == "country: '-' before a single item (at byte 3), expected x");
    e.suggestion = "y";
    CHECK(message(e) ==
          "country: '-' before a single item (at byte 3, did you mean 'y'?), expected x");
    e.offset = 0;
    CHECK(message(e) == "country: '-' before a single item (did you mean 'y'?), expected x");
}

TEST_CASE("a bound ends the rule's own words") {
    const auto text_of = [](rule broken) { return message(fail_beyond(broken, 7).value()); };
    CHECK(text_of(rule::number_too_small) == "too small, expected at least 7");
    CHECK(text_of(rule::number_too_large) == "too large, expected at most 7");
    CHECK(text_of(rule::list_too_short) == "too few items, expected at least 7");
    CHECK(text_of(rule::list_too_long) == "too many items, expected at most 7");
    CHECK(text_of(rule::text_too_long) == "too long, expected at most 7 bytes");
}

TEST_CASE("a missing prefix is named, if the parameter has one") {
    error missing = make_error(rule::prefix_missing);
    const std::string general = message(missing);
    CHECK(general == std::string(problem_of(rule::prefix_missing)) + ", " +
                         std::string(advice_of(rule::prefix_missing)));
    missing.suggestion = "ext_";
    CHECK(message(missing).ends_with(", it must start with ext_"));
}

TEST_CASE("only an unknown name is repeated: at most 64 bytes, and none that a terminal obeys") {
    const auto text_of = [](std::string_view name) {
        return message(make_error(rule::parameter_unknown, 0, name.size()), name);
    };
    const std::string rest = ": unknown parameter, expected one of the documented names";
    CHECK(text_of("contry") == "contry" + rest);
    CHECK(text_of("a b[0]\"'") == "a b[0]\"'" + rest);
    CHECK(text_of("\x1B[2J\n\x7F\\") == "\\x1B[2J\\x0A\\x7F\\x5C" + rest);
    CHECK(text_of("S\xC3\xA3o") == "S\\xC3\\xA3o" + rest);
    CHECK(text_of("") == "unknown parameter, expected one of the documented names");
    CHECK(text_of(std::string(64, 'x')) == std::string(64, 'x') + rest);
    CHECK(text_of(std::string(65, 'x')) == std::string(64, 'x') + "..." + rest);
    CHECK(text_of(std::string(100'000, '\0')).size() == 4 * 64 + 3 + rest.size());
}

TEST_CASE("a message is given room for what it may quote, however long the input is") {
    for (const std::size_t size : {0U, 1U, 64U, 65U, 100'000U}) {
        const std::string name(size, '\n');
        const error e = make_error(rule::parameter_unknown, 0, size);
        const std::size_t room = detail::message_bound(e, name);
        CHECK(message(e, name).size() <= room);
        CHECK(room <= detail::message_bound(e, {}) + 4 * std::min<std::size_t>(size, 64));
    }
}

TEST_CASE("no other message repeats any input") {
    constexpr std::string_view secret = "SECRET";
    for (int i = 0; i <= static_cast<int>(rule::unexpected_failure); ++i) {
        const auto broken = static_cast<rule>(i);
        if (broken == rule::parameter_unknown || broken == rule::field_unknown) continue;
        CHECK(message(make_error(broken, 0, secret.size()), secret).find(secret) ==
              std::string::npos);
    }
    CHECK(message(make_error(rule::parameter_unknown, 7, 1), secret).find('S') ==
          std::string::npos);
}
