// SPDX-License-Identifier: MIT
#include <chrono>
#include <string>
#include <vector>

#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/headers.hpp>
#include <sluice/rate_limit/sliding_log.hpp>

#include "abi.hpp"

// Rate-limit decisions on states that the caller stores. A state's members pass as numbers; times
// and durations count milliseconds.

namespace sluice::wasm {

namespace {

void write_member(json_writer& json, std::int64_t count) { write_integer(json, count); }
void write_member(json_writer& json, std::uint64_t total) {
    write_integer(json, static_cast<std::int64_t>(total));
}
void write_member(json_writer& json, std::chrono::milliseconds time) {
    write_integer(json, time.count());
}
void write_member(json_writer& json, instant at) { write_member(json, at.time_since_epoch()); }
void write_member(json_writer& json, const std::vector<sliding_log::entry>& entries) {
    json.begin_array();
    for (const auto& [at, total] : entries) {
        json.begin_array();
        write_member(json, at);
        write_member(json, total);
        json.end_array();
    }
    json.end_array();
}

void read_member(arguments& args, std::int64_t& count) { count = args.integer(); }
void read_member(arguments& args, std::uint64_t& total) {
    total = static_cast<std::uint64_t>(args.integer());
}
void read_member(arguments& args, std::chrono::milliseconds& time) {
    time = std::chrono::milliseconds{args.integer()};
}
void read_member(arguments& args, instant& at) { at = args.time(); }
/// Reads entries up to the end of the arguments.
void read_member(arguments& args, std::vector<sliding_log::entry>& entries) {
    while (!args.empty()) {
        auto& [at, total] = entries.emplace_back();
        read_member(args, at);
        read_member(args, total);
    }
}

void write_decision(json_writer& json, const decision& outcome) {
    const auto [limit, remaining, reset] = sluice::detail::rate_limit_values(outcome);
    json.begin_object().member("allowed", outcome.allowed).member("limit", limit);
    json.member("remaining", remaining).member("reset", reset);
    if (outcome.retry_after) json.member("retryAfter", std::int64_t{outcome.retry_after->count()});
    json.key("headers").begin_object();
    for (const header& field : rate_limit_headers(outcome)) {
        json.member(field.name, std::string_view(field.value));
    }
    json.end_object().end_object();
}

/// Decides by the algorithm of `State`. The arguments are a flag, true if the client has a state,
/// and its members.
template <class State>
void decide_as(arguments& args, json_writer& json, const policy& limits, instant now,
               std::int64_t cost) {
    State state;
    if (args.flag()) {
        visit_members(state, [&](const char*, auto& member) { read_member(args, member); });
    }
    auto [outcome, next] = decide(std::move(state), limits, now, cost);
    json.key("value").begin_object().key("decision");
    write_decision(json, outcome);
    json.key("state").begin_object();
    visit_members(next, [&](const char* name, const auto& member) {
        json.key(name);
        write_member(json, member);
    });
    json.end_object().end_object();
}

/// decide_as() of each algorithm, in the order of algorithm_kind.
constexpr auto decide_by_kind =
    sluice::detail::for_algorithms([]<class State>() { return &decide_as<State>; });

}  // namespace

/// Arguments: an algorithm, a limit, a window in milliseconds, the current time, a cost, true if
/// there is a state, and its members. Answer: the decision and the new state.
SLUICE_WASM_FUNCTION(limit_decide) {
    const std::string_view name = args.text();
    const auto algorithm = parse_algorithm(name);
    if (!algorithm) return write_error(json, algorithm.error(), name);
    const std::int64_t limit = args.integer();
    const auto limits = make_policy(limit, std::chrono::milliseconds{args.integer()});
    if (!limits) return write_errors(json, {&limits.error(), 1});
    const instant now = args.time();
    const std::int64_t cost = args.integer();
    decide_by_kind[static_cast<std::size_t>(*algorithm)](args, json, *limits, now, cost);
}

}  // namespace sluice::wasm
