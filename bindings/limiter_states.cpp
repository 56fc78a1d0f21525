// SPDX-License-Identifier: MIT
#include <chrono>
#include <string_view>
#include <vector>

#include <sluice/rate_limit.hpp>
#include <sluice/rate_limit/algorithms.hpp>

#include "convert.hpp"
#include "decision_type.hpp"
#include "fast_method.hpp"
#include "policy_arguments.hpp"
#include "register.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

constexpr const char* decide_doc =
    R"(decide(state: _State | None, limit: SupportsIndex, window_seconds: SupportsFloat, now: datetime, algorithm: _Algorithm = 'sliding_window', cost: SupportsIndex = 1) -> tuple[Decision, _State]
--

Decides on a request of one client, whose state you keep.

It counts nothing itself: the same arguments always give the same answer. Pass the state that
it returned last for the client. After two windows without a request, None means the same.

Args:
    state: The client's last state, of the same algorithm; None for a new client.
        A dict of int, and of lists of them for 'sliding_log': as JSON has it.
    limit: The number of requests that a window admits, an int of at least 1.
    window_seconds: The length of a window, a number of seconds, read to the millisecond.
    now: An aware datetime.
    algorithm: As for RateLimiter.
    cost: The number of requests it counts as, an int.

Returns:
    A Decision and the next state. A refused request leaves the state as it was.

Raises:
    ApiError: The limit or the window is out of range, or the algorithm is unknown.
    TypeError: The state isn't a dict, or holds something else than int.
    ValueError: The state is that of another algorithm, or has numbers beyond 64 bits.

Example:
    >>> from datetime import datetime, timezone
    >>> now = datetime(2026, 8, 21, 2, 30, tzinfo=timezone.utc)
    >>> decision, state = sluice.decide(None, 5, 60, now, "fixed_window")
    >>> decision.remaining, state
    (4, {'latest': 1787279400000, 'used': 1}))";

// --- Members in Python: times are milliseconds, log entries are pairs ------------------------

py::object to_python_member(std::int64_t count) { return py::int_(count); }
py::object to_python_member(std::uint64_t total) { return py::int_(total); }
py::object to_python_member(std::chrono::milliseconds time) { return py::int_(time.count()); }
py::object to_python_member(instant at) { return to_python_member(at.time_since_epoch()); }
py::object to_python_member(const std::vector<sliding_log::entry>& entries) {
    py::list pairs;
    for (const auto& [at, total] : entries) {
        py::list pair;
        pair.append(to_python_member(at));
        pair.append(to_python_member(total));
        pairs.append(pair);
    }
    return pairs;
}

// TypeError or ValueError for other values.
void read_member(py::handle member, std::int64_t& count) { count = to_integer(member, "state"); }
void read_member(py::handle member, std::uint64_t& total) { total = to_unsigned(member, "state"); }
void read_member(py::handle member, std::chrono::milliseconds& time) {
    time = std::chrono::milliseconds{to_integer(member, "state")};
}
void read_member(py::handle member, instant& at) {
    at = instant{std::chrono::milliseconds{to_integer(member, "state")}};
}
void read_member(py::handle member, std::vector<sliding_log::entry>& entries) {
    constexpr std::string_view expected = "pairs of int";
    if (!is_array(member)) refuse_type("state: entries", expected, member);
    for (const py::handle entry : member) {
        const py::sequence pair = to_pair(entry, "state: entries", expected);
        auto& [at, total] = entries.emplace_back();
        read_member(pair[0], at);
        read_member(pair[1], total);
    }
}

/// The members of a state as a dict; see sluice::visit_members().
template <class State>
py::dict to_dict(State state) {
    py::dict members;
    visit_members(state, [&](const char* name, const auto& member) {
        members[name] = to_python_member(member);
    });
    return members;
}

/// The state of a dict that to_dict() returned; a new state for None.
template <class State>
State to_state(py::handle source) {
    State state;
    if (source.is_none()) return state;
    if (!PyDict_Check(source.ptr())) refuse_type("state", "dict or None", source);
    const py::object names = to_dict(state).attr("keys")();
    if (!names.equal(source.attr("keys")())) {
        throw py::value_error("state: expected the members " +
                              to_utf8(py::str(", ").attr("join")(names)));
    }
    visit_members(state,
                  [&](const char* name, auto& member) { read_member(source[name], member); });
    return state;
}

/// The converted arguments of decide(), except the algorithm and the state, whose type depends on
/// it.
struct decide_arguments {
    py::handle state;
    policy limits;
    instant now;
    std::int64_t cost;
};

/// Implements decide() for one algorithm.
template <class State>
py::tuple decide_as(const decide_arguments& arguments) {
    const auto [outcome, next] =
        decide(to_state<State>(arguments.state), arguments.limits, arguments.now, arguments.cost);
    return py::make_tuple(make_decision(outcome), to_dict(next));
}

/// decide_as() of all algorithms, in the order of algorithm_kind.
constexpr auto decide_by_kind =
    sluice::detail::for_algorithms([]<class State>() { return &decide_as<State>; });

/// Implements decide(); see fast_method.hpp.
PyObject* decide_fast(PyObject*, const raw_call& call) {
    const auto [state, limit, window, now, algorithm, cost] = bind_arguments<6>(
        "decide", {"state", "limit", "window_seconds", "now", "algorithm", "cost"}, 4, call);
    const auto decide_one = decide_by_kind.at(static_cast<std::size_t>(to_algorithm(algorithm)));
    const decide_arguments arguments{state, to_policy(limit, window), to_instant(now, "now"),
                                     cost == nullptr ? 1 : to_integer(cost, "cost")};
    return decide_one(arguments).release().ptr();
}

}  // namespace

void register_limiter_states(py::module_& m) { def_fast<decide_fast>(m, "decide", decide_doc); }

}  // namespace sluice::bindings
