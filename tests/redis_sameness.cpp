// SPDX-License-Identifier: MIT
// Compares decisions through a Redis server on this machine with those of decide(), on random
// traces: redis_sameness PORT SEED TRACES. Prints how many there were; the first that differ, and
// exit code 1.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <sluice/rate_limit.hpp>
#include <sluice/rate_limit/redis/hiredis_pool.hpp>
#include <sluice/rate_limit/redis/limiter.hpp>

namespace {

using sluice::decision;
using sluice::instant;
using sluice::policy;
using sluice::shared_policy;
using std::chrono::milliseconds;

constexpr int checks_of_a_trace = 250;
/// Within it the server forgets no state, whatever time the trace is told to be.
constexpr milliseconds longest_trace{800};

/// One request of a trace.
struct check {
    std::vector<policy> policies;
    instant now;
    std::int64_t cost;
};
using trace = std::vector<check>;
using all_decisions = std::vector<std::vector<decision>>;

/// A generator of random traces.
class generator {
public:
    explicit generator(std::uint64_t seed) : random_(seed) {}

    std::int64_t number(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
    }
    /// With as many small numbers as large ones.
    std::int64_t any_scale(std::int64_t most) {
        const double scale = std::uniform_real_distribution<double>(0, 1)(random_);
        return std::clamp<std::int64_t>(
            static_cast<std::int64_t>(std::pow(static_cast<double>(most), scale)), 1, most);
    }

    policy any_policy() {
        const std::int64_t window = any_scale(sluice::policy_max_window.count());
        const std::int64_t most =
            std::min((std::int64_t{1} << 53) / window, sluice::policy_max_limit);
        const std::int64_t limit = number(0, 9) == 0 ? most : std::min(any_scale(1'000), most);
        return {limit, milliseconds{window}};
    }

    /// Requests under policies that change now and then, by a clock that jumps.
    trace any_trace(std::size_t policies, bool change) {
        trace checks;
        check last{{}, sluice::earliest_instant + milliseconds{any_scale(300'000'000'000'000)}, 1};
        for (std::size_t i = 0; i < policies; ++i) last.policies.push_back(any_policy());
        for (int i = 0; i < checks_of_a_trace; ++i) {
            if (change && number(0, 19) == 0) last.policies[0] = any_policy();
            const policy& one = last.policies[static_cast<std::size_t>(
                number(0, static_cast<std::int64_t>(policies) - 1))];
            last.now = std::clamp(last.now + any_step(one), sluice::earliest_instant,
                                  sluice::latest_instant);
            last.cost = any_cost(one);
            checks.push_back(last);
        }
        return checks;
    }

    /// Many requests in a window, some of a millisecond, of which one by one expires, or dozens.
    trace dense_trace() {
        trace checks;
        check last{{{number(50, 500), milliseconds{number(20, 200)}}}, sluice::instant{}, 1};
        for (int i = 0; i < checks_of_a_trace; ++i) {
            policy& p = last.policies[0];
            if (number(0, 29) == 0) p.window = milliseconds{number(20, 200)};
            last.now +=
                milliseconds{number(0, 9) == 0 ? number(0, p.window.count()) : number(0, 2)};
            checks.push_back(last);
        }
        return checks;
    }

    std::int64_t any_cost(const policy& p) {
        switch (number(0, 9)) {
            case 0: return number(-1, 0);
            case 1: return p.limit + number(-1, 1);
            case 2: return any_scale(p.limit);
            default: return 1;
        }
    }

private:
    milliseconds any_step(const policy& p) {
        const std::int64_t window = p.window.count();
        switch (number(0, 9)) {
            case 0: return milliseconds{0};
            case 1: return milliseconds{-any_scale(window)};
            case 2: return milliseconds{-window - number(0, 1)};
            case 3: return milliseconds{window};
            case 4: return milliseconds{number(-3, 3) * window + number(-1, 1)};
            default: return milliseconds{any_scale(1 + 2 * window / p.limit)};
        }
    }

    std::mt19937_64 random_;
};

/// Decides a trace by decide(): the states of the policies are spent all together or not at all.
template <class State>
all_decisions decide_locally(const State& state, const trace& checks) {
    all_decisions decided;
    std::vector<State> states(checks.front().policies.size(), state);
    for (const check& step : checks) {
        std::vector<decision> peeked;
        std::vector<decision> spent;
        std::vector<State> next;
        for (std::size_t i = 0; i < states.size(); ++i) {
            peeked.push_back(peek(states[i], step.policies[i], step.now, step.cost));
            auto outcome = decide(states[i], step.policies[i], step.now, step.cost);
            spent.push_back(outcome.decision);
            next.push_back(std::move(outcome.state));
        }
        const bool admitted = std::ranges::all_of(spent, &decision::allowed);
        decided.push_back(admitted ? spent : peeked);
        if (admitted) states = std::move(next);
    }
    return decided;
}

/// Calls a body with a new state of an algorithm.
template <class Body>
auto with_state(sluice::algorithm_kind algorithm, Body body) {
    using call = decltype(body(sluice::gcra())) (*)(Body&);
    constexpr auto calls = sluice::detail::for_algorithms(
        []<class State>() -> call { return [](Body& called) { return called(State()); }; });
    return calls[static_cast<std::size_t>(algorithm)](body);
}

/// Counts what is sent to Redis; whatever fails there ends the program.
struct counted_pool {
    sluice::hiredis_pool& pool;
    std::int64_t runs = 0;

    auto run(const sluice::redis_request& request) {
        ++runs;
        return pool.run(request);
    }
    void failed(std::string_view why) {
        std::printf("failed: %.*s\n", static_cast<int>(why.size()), why.data());
        std::exit(1);
    }
};

/// A key that no other trace has, nor an earlier run.
std::string key_of(int number) { return std::to_string(::getpid()) + ' ' + std::to_string(number); }

/// Decides a trace by Redis under a key of its own; nullopt if that took too long.
std::optional<all_decisions> decide_by_redis(sluice::redis_limiter& limiter, counted_pool& redis,
                                             const trace& checks, const std::string& key) {
    const auto begun = std::chrono::steady_clock::now();
    all_decisions decided;
    for (const check& step : checks) {
        std::vector<shared_policy> named;
        for (std::size_t i = 0; i < step.policies.size(); ++i) {
            named.push_back({step.policies[i], i == 0 ? "first" : "second"});
        }
        decided.push_back(*limiter.check({key, named, step.cost, step.now}, step.now, redis));
    }
    const bool is_slow = std::chrono::steady_clock::now() - begun > longest_trace;
    return is_slow ? std::nullopt : std::optional(std::move(decided));
}

std::string to_text(const decision& d) {
    return std::string(d.allowed ? "allowed" : "refused") + " limit " + std::to_string(d.limit) +
           " remaining " + std::to_string(d.remaining) + " reset " +
           std::to_string(d.reset.time_since_epoch().count()) + " retry " +
           (d.retry_after ? std::to_string(d.retry_after->count()) : "-");
}

/// Prints where two lists of decisions differ first, with what came before; whether they do.
bool differ(std::string_view algorithm, const trace& checks, const all_decisions& local,
            const all_decisions& shared) {
    const auto at =
        static_cast<std::size_t>(std::ranges::mismatch(local, shared).in1 - local.begin());
    if (at == local.size()) return false;
    for (std::size_t i = at < 5 ? 0 : at - 5; i <= at; ++i) {
        std::printf("%.*s now %lld cost %lld\n", static_cast<int>(algorithm.size()),
                    algorithm.data(),
                    static_cast<long long>(checks[i].now.time_since_epoch().count()),
                    static_cast<long long>(checks[i].cost));
        for (std::size_t p = 0; p < local[i].size(); ++p) {
            std::printf("  %lld in %lld ms\n  local %s\n  redis %s\n",
                        static_cast<long long>(checks[i].policies[p].limit),
                        static_cast<long long>(checks[i].policies[p].window.count()),
                        to_text(local[i][p]).c_str(), to_text(shared[i][p]).c_str());
        }
    }
    return true;
}

/// A kind of traces.
struct kind {
    std::string_view name;
    std::size_t policies;
    bool change;               ///< of policies within a trace
    std::size_t max_refusals;  ///< remembered
    bool is_dense = false;
};

bool compare(const kind& compared, sluice::algorithm_kind algorithm, generator& random,
             sluice::hiredis_pool& pool, int traces) {
    counted_pool redis{pool};
    int done = 0;
    for (int tried = 0; done < traces && tried < 10 * traces; ++tried) {
        sluice::redis_limiter limiter({.algorithm = algorithm,
                                       .prefix = std::string(compared.name),
                                       .max_refusals = compared.max_refusals});
        const trace checks = compared.is_dense
                                 ? random.dense_trace()
                                 : random.any_trace(compared.policies, compared.change);
        const auto shared = decide_by_redis(limiter, redis, checks, key_of(tried));
        if (!shared) continue;
        const auto local =
            with_state(algorithm, [&](const auto& state) { return decide_locally(state, checks); });
        if (differ(to_string(algorithm), checks, local, *shared)) return false;
        ++done;
    }
    std::printf("%-14s %-14s %6d decisions, %6lld sent\n", compared.name.data(),
                to_string(algorithm).data(), done * checks_of_a_trace,
                static_cast<long long>(redis.runs));
    return true;
}

/// Returns true if a refusal lasts, in the states of decide(), exactly until the millisecond in
/// Redis's answer: only then a request would be admitted, or the reset would change.
template <class State>
bool lasts_until(const State& state, const check& step, instant until) {
    const policy& p = step.policies[0];
    const decision first = decide(state, p, step.now, 1).decision;
    const decision last = decide(state, p, until - milliseconds{1}, 1).decision;
    const decision next = decide(state, p, until, 1).decision;
    const bool is_same = !last.allowed && last.reset == first.reset && last.remaining == 0;
    return is_same && (next.allowed || next.reset != first.reset);
}

/// Asks Redis the requests of a trace, each for one unit; how many refusals there were, or nothing
/// where one lasts otherwise than it tells.
template <class State>
std::optional<int> check_refusals(State state, const trace& checks,
                                  sluice::algorithm_kind algorithm, sluice::hiredis_pool& pool,
                                  const std::string& key) {
    int refusals = 0;
    const shared_policy one{checks.front().policies[0]};
    for (check step : checks) {
        step.policies = {one.limits};
        const auto request = make_redis_request({key, {&one, 1}, 1, step.now}, algorithm, "until");
        const auto reply = sluice::parse_redis_reply(*pool.run(*request), request->policies, 1);
        if (!reply->parts[0].decided.allowed) {
            if (!lasts_until(state, step, reply->until)) return std::nullopt;
            ++refusals;
        }
        state = decide(std::move(state), one.limits, step.now).state;
    }
    return refusals;
}

bool compare_refusals(sluice::algorithm_kind algorithm, generator& random,
                      sluice::hiredis_pool& pool, int traces) {
    int refusals = 0;
    for (int i = 0; i < traces; ++i) {
        const trace checks = random.any_trace(1, false);
        const auto lasting = with_state(algorithm, [&](auto state) {
            return check_refusals(std::move(state), checks, algorithm, pool, key_of(i));
        });
        if (!lasting) return false;
        refusals += *lasting;
    }
    std::printf("%-14s %-14s %6d refusals\n", "until", to_string(algorithm).data(), refusals);
    return true;
}

/// Asks Redis by its own clock, in windows that are over soon, whether it decides as decide() does
/// at the time that it tells.
template <class State>
bool decides_by_redis_clock(State state, generator& random, sluice::algorithm_kind algorithm,
                            sluice::hiredis_pool& pool, const std::string& key) {
    const shared_policy one{{random.number(1, 60), milliseconds{random.number(1, 8)}}};
    for (int i = 0; i < checks_of_a_trace; ++i) {
        const std::int64_t cost = random.any_cost(one.limits);
        const auto request = make_redis_request({key, {&one, 1}, cost}, algorithm, "own clock");
        const auto reply = sluice::parse_redis_reply(*pool.run(*request), request->policies, cost);
        auto expected = decide(std::move(state), one.limits, reply->now, cost);
        if (reply->parts[0].decided != expected.decision) {
            std::printf("%s by Redis\n%s by decide\n", to_text(reply->parts[0].decided).c_str(),
                        to_text(expected.decision).c_str());
            return false;
        }
        state = std::move(expected.state);
    }
    return true;
}

bool compare_redis_clock(sluice::algorithm_kind algorithm, generator& random,
                         sluice::hiredis_pool& pool, int traces) {
    for (int i = 0; i < traces; ++i) {
        const bool is_same = with_state(algorithm, [&](auto state) {
            return decides_by_redis_clock(std::move(state), random, algorithm, pool, key_of(i));
        });
        if (!is_same) return false;
    }
    std::printf("%-14s %-14s %6d decisions\n", "own_clock", to_string(algorithm).data(),
                traces * checks_of_a_trace);
    return true;
}

}  // namespace

int main(int count, char** words) {
    if (count != 4) return 2;
    std::signal(SIGPIPE, SIG_IGN);
    sluice::hiredis_pool pool(
        {.host = "127.0.0.1", .port = static_cast<std::uint16_t>(std::atoi(words[1]))},
        std::chrono::seconds(30), [](std::string_view) {});
    generator random(std::strtoull(words[2], nullptr, 10));
    const int traces = std::atoi(words[3]);
    for (const std::string_view name : sluice::algorithm_names) {
        const auto algorithm = *sluice::parse_algorithm(name);
        const bool is_same =
            compare({"one", 1, true, 0}, algorithm, random, pool, traces) &&
            compare({"two", 2, true, 0}, algorithm, random, pool, traces / 4) &&
            compare({"remembered", 1, false, 1'000}, algorithm, random, pool, traces / 4) &&
            compare({"dense", 1, true, 0, true}, algorithm, random, pool, traces / 4) &&
            compare_refusals(algorithm, random, pool, traces / 4) &&
            compare_redis_clock(algorithm, random, pool, traces / 4);
        if (!is_same) return 1;
    }
    return 0;
}
