// SPDX-License-Identifier: MIT
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <tl/expected.hpp>

#include <sluice/errors/message.hpp>
#include <sluice/rate_limit/redis/limiter.hpp>

namespace {

using sluice::algorithm_kind;
using sluice::decision;
using sluice::instant;
using sluice::policy;
using sluice::redis_limiter;
using sluice::redis_request;
using sluice::rule;
using sluice::shared_policy;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using words = std::vector<std::string>;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr policy five_a_minute{5, minutes{1}};
const std::array<shared_policy, 1> one{{{five_a_minute}}};
const std::array<shared_policy, 2> two{{{{2, seconds{1}}}, {five_a_minute}}};

constexpr instant at_ms(std::int64_t count) { return instant{milliseconds{count}}; }

constexpr double servers_clock = std::numeric_limits<double>::infinity();

/// Writes numbers as the script reads and writes them.
std::string numbers(const std::vector<double>& all) {
    std::string text;
    for (const double value : all) sluice::detail::append_redis_number(text, value);
    return text;
}

}  // namespace

TEST_CASE("a check has keys with one hash tag, and arguments") {
    struct row {
        sluice::shared_check check;
        algorithm_kind algorithm;
        words keys;
        std::vector<double> numbers;
    };
    const std::array<shared_policy, 1> named{{{five_a_minute, "tags"}}};
    const std::array<shared_policy, 1> out_of_range{{{{0, milliseconds{-1}}}}};
    using enum algorithm_kind;
    const std::vector<row> rows{
        {{"a", one}, gcra, {"sluice:{a}:gcra:60000"}, {servers_clock, 1, 5, 60'000}},
        {{"a", one, 7, at_ms(-3)},
         fixed_window,
         {"sluice:{a}:fixed_window:60000"},
         {-3, 7, 5, 60'000}},
        {{"a b", named},
         sliding_log,
         {"sluice:{a b}:sliding_log:tags"},
         {servers_clock, 1, 5, 60'000}},
        {{"{}}%", two},
         sliding_window,
         {"sluice:{{%7D%7D%25}:sliding_window:1000", "sluice:{{%7D%7D%25}:sliding_window:60000"},
         {servers_clock, 1, 2, 1'000, 5, 60'000}},
        {{"a", two},
         sliding_log,
         {"sluice:{a}:sliding_log:1000", "sluice:{a}:sliding_log:60000"},
         {servers_clock, 1, 2, 1'000, 5, 60'000}},
        {{"", one}, gcra, {"sluice:{%}:gcra:60000"}, {servers_clock, 1, 5, 60'000}},
        {{"", out_of_range}, gcra, {"sluice:{%}:gcra:-1"}, {servers_clock, 1, 1, 1}},
        {{"a", one, least, at_ms(least)},
         gcra,
         {"sluice:{a}:gcra:60000"},
         {-62'167'219'200'000, 0, 5, 60'000}},
        {{"a", one, most, at_ms(most)},
         gcra,
         {"sluice:{a}:gcra:60000"},
         {253'402'300'799'999, 100'000'001, 5, 60'000}},
    };
    for (const row& r : rows) {
        const auto request = make_redis_request(r.check, r.algorithm);
        REQUIRE(request.has_value());
        CHECK(request->keys == r.keys);
        CHECK(request->arguments == words{std::string(to_string(r.algorithm)), numbers(r.numbers)});
        CHECK(request->policies.size() == r.check.policies.size());
    }
}

TEST_CASE("a number is a double of 8 bytes, the least one first") {
    using namespace std::string_view_literals;
    CHECK(numbers({1}) == "\0\0\0\0\0\0\xf0\x3f"sv);
    CHECK(numbers({-2, 9'007'199'254'740'991}) ==
          "\0\0\0\0\0\0\0\xc0\xff\xff\xff\xff\xff\xff\x3f\x43"sv);
}

TEST_CASE("a request is a command, with the script where the server doesn't know it") {
    const auto request = make_redis_request({"a", one}, algorithm_kind::gcra, "test");
    const std::string sha1(sluice::redis_script_sha1);
    const std::string sent = numbers({servers_clock, 1, 5, 60'000});
    words expected{"EVALSHA", sha1, "1", "test:{a}:gcra:60000", "gcra", sent};
    CHECK(request->command() == expected);
    const std::string rest =
        "\r\n$1\r\n1\r\n$19\r\ntest:{a}:gcra:60000\r\n$4\r\ngcra\r\n$32\r\n" + sent + "\r\n";
    CHECK(request->packed() == "*6\r\n$7\r\nEVALSHA\r\n$40\r\n" + sha1 + rest);
    expected[0] = "EVAL";
    expected[1] = sluice::redis_script;
    CHECK(request->command(true) == expected);
    CHECK(request->packed(true) == "*6\r\n$4\r\nEVAL\r\n$" + std::to_string(expected[1].size()) +
                                       "\r\n" + expected[1] + rest);
}

TEST_CASE("a check that the script can't answer exactly is refused") {
    struct row {
        std::vector<shared_policy> policies;
        std::string_view prefix;
        std::optional<rule> broken;
        std::string_view param;
        std::uint32_t offset;
    };
    constexpr std::int64_t product = std::int64_t{1} << 53;
    constexpr milliseconds window{std::int64_t{1} << 33};
    const std::vector<row> rows{
        {{}, "p", rule::list_too_short, "policies", 0},
        {{{five_a_minute}}, "a{b", rule::field_value, "prefix", 1},
        {{{five_a_minute}}, "}", rule::field_value, "prefix", 0},
        {{{{product / window.count(), window}}}, "p", std::nullopt, "", 0},
        {{{{product / window.count() + 1, window}}}, "p", rule::number_too_large, "limit", 0},
        {{{{sluice::policy_max_limit, sluice::policy_max_window}}},
         "p",
         rule::number_too_large,
         "limit",
         0},
        {{{five_a_minute}, {{6, minutes{1}}}}, "p", rule::parameter_repeated, "name", 0},
        {{{five_a_minute, "x"}, {{6, seconds{1}}, "x"}}, "p", rule::parameter_repeated, "name", 0},
        {{{five_a_minute, "x"}, {{6, minutes{1}}, "y"}}, "p", std::nullopt, "", 0},
    };
    for (const row& r : rows) {
        const auto request =
            make_redis_request({"a", r.policies}, algorithm_kind::sliding_log, r.prefix);
        CHECK(request.has_value() == !r.broken.has_value());
        if (request || !r.broken) continue;
        CHECK(request.error().broken == *r.broken);
        CHECK(request.error().param == r.param);
        CHECK(request.error().offset == r.offset);
    }
}

TEST_CASE("a reply tells the decision of each policy") {
    const std::vector<policy> both{{2, seconds{1}}, five_a_minute};
    const auto read = sluice::parse_redis_reply(
        numbers({1'000, 0, 0, 2'500, 2'501, 2'500, 1'000, 1, 5, 60'000, 1'000, 1'000}), both, 1);
    REQUIRE(read.has_value());
    CHECK(read->now == at_ms(1'000));
    CHECK(read->until == at_ms(2'500));
    REQUIRE(read->parts.size() == 2);
    CHECK(read->parts[0].decided == decision{false, 2, 0, at_ms(2'500), seconds{2}});
    CHECK(read->parts[0].ready == at_ms(2'501));
    CHECK(read->parts[1].decided == decision{true, 5, 5, at_ms(60'000), std::nullopt});
}

TEST_CASE("a refusal stays until the first of its policies may change; an admission doesn't") {
    struct row {
        std::vector<double> first;
        std::vector<double> second;
        std::int64_t until;
    };
    const std::vector<double> admits{1'000, 1, 1, 2'000, 1'000, 1'000};
    const std::vector<double> refuses{1'000, 0, 0, 9'000, 9'000, 9'000};
    const std::vector<double> refuses_less{1'000, 0, 0, 5'000, 5'000, 4'999};
    for (const row& r : std::vector<row>{{admits, admits, 1'000},
                                         {admits, refuses, 9'000},
                                         {refuses, admits, 9'000},
                                         {refuses, refuses_less, 4'999},
                                         {refuses_less, refuses, 4'999}}) {
        const std::vector<policy> both{five_a_minute, five_a_minute};
        const auto read = sluice::parse_redis_reply(numbers(r.first) + numbers(r.second), both, 1);
        REQUIRE(read.has_value());
        CHECK(read->until == at_ms(r.until));
    }
}

TEST_CASE("what is no reply is refused where it goes wrong") {
    struct row {
        std::string text;
        std::uint32_t offset;
        std::uint32_t length;
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::string right = numbers({1'000, 1, 4, 2'000, 1'000, 1'000});
    const std::vector<row> rows{
        {"", 0, 0},
        {"OK", 2, 0},
        {right.substr(1), 47, 0},
        {right + right, 48, 48},
        {right + "\n", 48, 1},
        {numbers({nan, 1, 4, 2'000, 1'000, 1'000}), 0, 8},
        {numbers({-62'167'219'200'001, 1, 4, 2'000, 1'000, 1'000}), 0, 8},
        {numbers({9.3e18, 1, 4, 9.3e18, 9.3e18, 9.3e18}), 0, 8},
        {numbers({1'000.5, 1, 4, 2'000, 1'001, 1'001}), 0, 8},
        {numbers({1'000, 2, 4, 2'000, 1'000, 1'000}), 8, 8},
        {numbers({1'000, -1, 4, 2'000, 1'000, 1'000}), 8, 8},
        {numbers({1'000, 0.5, 4, 2'000, 1'000, 1'000}), 8, 8},
        {numbers({1'000, 1, 6, 2'000, 1'000, 1'000}), 16, 8},
        {numbers({1'000, 1, -1, 2'000, 1'000, 1'000}), 16, 8},
        {numbers({1'000, 1, 4, 999, 1'000, 1'000}), 24, 8},
        {numbers({1'000, 1, 4, infinity, 1'000, 1'000}), 24, 8},
        {numbers({1'000, 0, 4, 2'000, 999, 1'000}), 32, 8},
        {numbers({1'000, 0, 4, 2'000, 1'000, 999}), 40, 8},
    };
    for (const row& r : rows) {
        CAPTURE(r.offset);
        const auto read = sluice::parse_redis_reply(r.text, {&five_a_minute, 1}, 1);
        REQUIRE_FALSE(read.has_value());
        CHECK(read.error().broken == rule::value_malformed);
        CHECK(read.error().param == "reply");
        CHECK(read.error().offset == r.offset);
        CHECK(read.error().length == r.length);
    }
    CHECK(sluice::parse_redis_reply(right, {&five_a_minute, 1}, 1).has_value());
}

TEST_CASE("names read as what they name") {
    for (const std::string_view name : sluice::algorithm_names) {
        CHECK(to_string(*sluice::parse_algorithm(name)) == name);
        CHECK(sluice::any_limiter(*sluice::parse_algorithm(name)).algorithm() ==
              *sluice::parse_algorithm(name));
    }
    for (const std::string_view name : sluice::on_error_names) {
        CHECK(to_string(*sluice::parse_on_error(name)) == name);
    }
    CHECK(sluice::parse_algorithm("GCRA").error().param == "algorithm");
    CHECK(sluice::parse_on_error("").error().param == "on_error");
    CHECK(message(sluice::parse_on_error("close").error()) ==
          "on_error: not one of the accepted values, expected local, refuse or allow");
}

TEST_CASE("the script decides, waits and counts by each algorithm, and by no other") {
    for (const std::string_view name : sluice::algorithm_names) {
        CAPTURE(name);
        const std::string quoted = std::string("'").append(name).append("'");
        int uses = 0;
        for (std::size_t at = 0; (at = sluice::redis_script.find(quoted, at)) != std::string::npos;
             ++at) {
            ++uses;
        }
        CHECK(uses >= 3);
    }
    CHECK(to_string(static_cast<algorithm_kind>(sluice::algorithm_names.size())).empty());
}

namespace {

/// Answers what it is told to; then, or told nothing, it fails.
struct fake_redis {
    std::deque<std::string> answers{};
    int runs = 0;
    std::vector<std::string> failures{};

    tl::expected<std::string, std::string> run(const redis_request&) {
        ++runs;
        if (answers.empty()) return tl::unexpected(std::string("no connection"));
        std::string first = std::move(answers.front());
        answers.pop_front();
        return first;
    }
    void failed(std::string_view why) { failures.emplace_back(why); }
};

const std::string admitted = numbers({1'000, 1, 4, 60'000, 1'000, 1'000});
const std::string refused = numbers({1'000, 0, 0, 60'000, 3'500, 3'500});

/// A limiter and what it talks to.
struct fixture {
    redis_limiter limiter;
    fake_redis redis{};

    explicit fixture(sluice::on_error chosen = sluice::on_error::allow, std::int64_t nodes = 1)
        : limiter({.on_error = chosen, .nodes = nodes}) {}

    decision check(std::int64_t clock, std::optional<std::int64_t> now = {},
                   std::int64_t cost = 1) {
        sluice::shared_check request{"a", one, cost};
        if (now) request.now = at_ms(*now);
        const auto decided = limiter.check(request, at_ms(clock), redis);
        REQUIRE(decided.has_value());
        REQUIRE(decided->size() == 1);
        return decided->front();
    }
};

constexpr std::int64_t breaker_pause = sluice::detail::circuit_breaker::pause.count();

}  // namespace

TEST_CASE("a cost above the limit is promised nothing, whoever refuses it") {
    const std::string reply = numbers({1'000, 0, 5, 60'000, 1'000, 1'000});
    for (const auto& [cost, retry_after] :
         std::vector<std::pair<std::int64_t, std::optional<seconds>>>{
             {5, seconds{1}}, {6, std::nullopt}, {most, std::nullopt}}) {
        CAPTURE(cost);
        const auto read = sluice::parse_redis_reply(reply, {&five_a_minute, 1}, cost);
        REQUIRE(read.has_value());
        CHECK(read->parts[0].decided == decision{false, 5, 5, at_ms(60'000), retry_after});
        for (const sluice::on_error chosen : {sluice::on_error::local, sluice::on_error::refuse}) {
            fixture f(chosen);
            f.redis.answers = {reply};
            CHECK(f.check(1'000, {}, cost).retry_after == retry_after);
            if (chosen == sluice::on_error::local && cost == 5) continue;  // its share admits it
            const decision alone = f.check(1'000, {}, cost);
            CHECK_FALSE(alone.allowed);
            CHECK(alone.retry_after == retry_after);
        }
    }
}

TEST_CASE("a check that couldn't ask Redis is decided by on_error, and is no failure of Redis") {
    using enum sluice::on_error;
    for (const auto& [chosen, allowed] : {std::pair{local, true}, {refuse, false}, {allow, true}}) {
        fixture f(chosen);
        for (int i = 0; i < 5; ++i) {
            const auto begun = f.limiter.begin({"a", one}, at_ms(1'000));
            REQUIRE((begun.has_value() && begun->decided.empty()));  // Redis is still to be asked
            CHECK(f.limiter.fall_back(*begun).front().allowed == allowed);
        }
        f.redis.answers = {admitted};
        CHECK(f.check(1'000).remaining == 4);
    }
}

TEST_CASE("a refusal is remembered to the millisecond") {
    for (const bool has_clock : {false, true}) {
        // The caller's clock shows another time than the server's: only how long it takes counts.
        const std::int64_t sent_at = has_clock ? 1'000 : 777'000;
        fixture f;
        f.redis.answers = {refused, admitted};
        const auto check = [&](std::int64_t after, std::int64_t cost = 1) {
            return has_clock ? f.check(5, sent_at + after, cost)
                             : f.check(sent_at + after, {}, cost);
        };
        CHECK(check(0) == decision{false, 5, 0, at_ms(60'000), seconds{3}});
        CHECK(check(0) == decision{false, 5, 0, at_ms(60'000), seconds{3}});
        CHECK(check(500).retry_after == seconds{2});
        CHECK(check(501).retry_after == seconds{2});
        CHECK(check(1'500).retry_after == seconds{1});
        CHECK(check(2'499) == decision{false, 5, 0, at_ms(60'000), seconds{1}});
        CHECK(f.redis.runs == 1);
        CHECK(check(2'500).allowed);
        CHECK(f.redis.runs == 2);
    }
}

TEST_CASE("only the same question has the remembered answer") {
    fixture f;
    f.redis.answers = {refused, refused, refused, admitted};
    CHECK_FALSE(f.check(5'000).allowed);
    CHECK_FALSE(f.check(5'001, 5'001).allowed);  // by another clock
    CHECK_FALSE(f.check(5'002, {}, 2).allowed);
    CHECK(f.redis.runs == 3);
    CHECK_FALSE(f.check(5'003, {}, 2).allowed);
    CHECK(f.redis.runs == 3);
    CHECK(f.check(5'001, {}, 2).allowed);  // the clock went back
}

TEST_CASE("what may start a counter anew ends a refusal of any question") {
    for (const auto& [clock, cost] : {std::pair{4'999, 1}, {5'000, 0}}) {
        fixture f;  // the clock goes back, or another cost is admitted
        f.redis.answers = {refused, admitted, admitted};
        CHECK_FALSE(f.check(5'000, {}, 2).allowed);
        CHECK(f.check(clock, {}, cost).allowed);
        CHECK(f.check(5'000, {}, 2).allowed);
    }
}

TEST_CASE("a refusal that may change at once isn't remembered, and nothing beyond the bound") {
    fixture f;
    f.redis.answers = {numbers({1'000, 0, 3, 60'000, 3'500, 1'000}), admitted};
    CHECK_FALSE(f.check(1'000, {}, 4).allowed);
    CHECK(f.check(1'000, {}, 4).allowed);

    redis_limiter none({.max_refusals = 0});
    f.redis.answers = {refused, refused};
    for (int i = 0; i < 2; ++i) CHECK(none.check({"a", one}, at_ms(1'000), f.redis).has_value());
    CHECK(f.redis.answers.empty());

    sluice::detail::refusal_cache cache(2);
    for (const std::string_view key : {"a", "b", "c", "c"}) {
        const auto request = make_redis_request({key, one}, algorithm_kind::gcra);
        cache.add(*request, {}, *sluice::parse_redis_reply(refused, request->policies, 1));
        CHECK(cache.find(*request, {}).size() == 1);
    }
    CHECK(cache.size() == 2);
}

TEST_CASE("a policy that refused nothing has its reset no earlier than now") {
    fixture f;
    f.redis.answers = {
        numbers({1'000, 1, 2, 2'000, 1'000, 1'000, 1'000, 0, 0, 60'000, 9'000, 9'000})};
    const sluice::shared_check request{"a", two};
    REQUIRE(f.limiter.check(request, at_ms(0), f.redis).has_value());
    const auto later = f.limiter.check(request, at_ms(7'000), f.redis);
    REQUIRE(later.has_value());
    CHECK((*later)[0] == decision{true, 2, 2, at_ms(8'000), std::nullopt});
    CHECK((*later)[1] == decision{false, 5, 0, at_ms(60'000), seconds{1}});
}

TEST_CASE("while Redis fails, requests are allowed or refused as chosen") {
    fixture allowing(sluice::on_error::allow);
    CHECK(allowing.check(1'000) == decision{true, 5, 5, at_ms(1'000), std::nullopt});
    fixture refusing(sluice::on_error::refuse);
    CHECK(refusing.check(1'000) == decision{false, 5, 0, at_ms(1'000 + breaker_pause), seconds{1}});
    CHECK(refusing.redis.failures == words{"no connection"});
}

TEST_CASE("while Redis fails, each process admits its share of the limit") {
    for (const auto& [nodes, share] : {std::pair{1, 5}, {2, 2}, {5, 1}, {9, 1}, {0, 5}}) {
        fixture f(sluice::on_error::local, nodes);
        for (int i = 0; i < share; ++i) CHECK(f.check(1'000).remaining == share - i - 1);
        CHECK_FALSE(f.check(1'000).allowed);
        CHECK(f.check(1'000, 500'000).limit == share);  // a time that is given counts
    }
}

TEST_CASE("shares of several policies are counted by all of them or by none") {
    for (const std::string_view name : sluice::algorithm_names) {
        redis_limiter limiter({.algorithm = *sluice::parse_algorithm(name)});
        fake_redis redis;
        const std::array<shared_policy, 2> policies{{{{3, seconds{60}}}, {{1, seconds{10}}}}};
        const auto check = [&](std::int64_t at) {
            const auto decided = limiter.check({"a", policies}, at_ms(at), redis);
            return std::pair(decided->front(), decided->back());
        };
        CHECK(check(0).first.remaining == 2);
        const auto second = check(1);
        CHECK((second.first.allowed && second.first.remaining == 2));
        CHECK_FALSE(second.second.allowed);
        CHECK(check(19'999).first.remaining == 1);
    }
}

TEST_CASE("after three failures in a row Redis is left alone, until one call has tried it") {
    fixture f;
    for (int i = 0; i < 3; ++i) CHECK(f.check(1'000).allowed);
    CHECK(f.redis.runs == 3);
    CHECK(f.check(1'000).allowed);
    CHECK(f.check(1'000 + breaker_pause - 1).allowed);
    CHECK(f.redis.runs == 3);
    CHECK(f.check(1'000 + breaker_pause).allowed);  // tries, and fails
    CHECK(f.check(1'000 + breaker_pause).allowed);
    CHECK(f.redis.runs == 4);
    f.redis.answers = {admitted, admitted};
    CHECK(f.check(1'000 + 2 * breaker_pause).remaining == 4);
    CHECK(f.check(1'000 + 2 * breaker_pause).remaining == 4);
    CHECK(f.redis.runs == 6);
    f.redis.answers = {};
    for (int i = 0; i < 2; ++i) CHECK(f.check(90'000).allowed);
    f.redis.answers = {admitted};
    CHECK(f.check(90'000).remaining == 4);
    for (int i = 0; i < 2; ++i) CHECK(f.check(90'000).allowed);
    CHECK(f.redis.runs == 11);  // two failures in a row, twice: it goes on being asked
}

TEST_CASE("while one call tries, the others are kept away") {
    sluice::detail::circuit_breaker breaker;
    for (int i = 0; i < 3; ++i) breaker.fail(at_ms(0));
    CHECK_FALSE(breaker.admits(at_ms(breaker_pause - 1)));
    CHECK(breaker.admits(at_ms(breaker_pause)));
    CHECK_FALSE(breaker.admits(at_ms(breaker_pause)));
    CHECK(breaker.admits(at_ms(2 * breaker_pause)));  // the first has not told anything
}

TEST_CASE("a breaker is closed by a clock that goes back") {
    sluice::detail::circuit_breaker breaker;
    for (int i = 0; i < 3; ++i) breaker.fail(at_ms(50'000));
    CHECK_FALSE(breaker.admits(at_ms(50'000)));
    CHECK(breaker.admits(at_ms(49'999)));
}

TEST_CASE("an answer that is no reply is a failure") {
    fixture f;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const std::string not_utf8(48, '\xff');
    f.redis.answers = {"OK", "", admitted, numbers({nan, nan, nan, nan, nan, nan}), not_utf8};
    CHECK(f.check(1'000).remaining == 5);
    CHECK(f.check(1'000).remaining == 5);
    CHECK(f.check(1'000) == decision{true, 5, 4, at_ms(60'000), std::nullopt});
    CHECK(f.check(1'000).remaining == 5);
    CHECK(f.check(1'000).remaining == 5);
    CHECK(f.redis.failures == words{"not what the script answers, but 2 bytes",
                                    "not what the script answers, but 0 bytes",
                                    "not what the script answers, but 48 bytes",
                                    "not what the script answers, but 48 bytes"});
}

TEST_CASE("a check that can't be asked is an error, and nothing is sent") {
    fixture f;
    const auto checked = f.limiter.check({"a", {}}, at_ms(0), f.redis);
    REQUIRE_FALSE(checked.has_value());
    CHECK(checked.error().broken == rule::list_too_short);
    CHECK(f.redis.runs == 0);
}

TEST_CASE("the strictest decision is the one that a client has to heed") {
    const decision few{true, 9, 1, {}, {}};
    const decision many{true, 9, 8, {}, {}};
    const decision soon{false, 9, 0, {}, seconds{1}};
    const decision late{false, 9, 0, {}, seconds{9}};
    CHECK(sluice::strictest(std::vector{many, few}) == few);
    CHECK(sluice::strictest(std::vector{few, soon, many}) == soon);
    CHECK(sluice::strictest(std::vector{soon, late, few}) == late);
    CHECK(sluice::strictest(std::vector{many}) == many);
    const decision never{false, 2, 2, {}, {}};
    CHECK(sluice::strictest(std::vector{late, never, few}) == never);
    CHECK(sluice::strictest(std::vector{never, late}) == never);
    CHECK(sluice::strictest({}).allowed);
}
