// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_STATE_MEMBERS_HPP
#define SLUICE_RATE_LIMIT_STATE_MEMBERS_HPP

#include <type_traits>

#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/sliding_log.hpp>

namespace sluice {

/// Calls `visit(name, member)` with each member of a limiter's state, to write or read states in
/// other formats. The names are published: they don't change.
///
/// ```
/// sluice::fixed_window state;
/// sluice::visit_members(state, [&](const char* name, auto& member) { … });  // "latest", "used"
/// ```
template <class State, class Visit>
void visit_members(State& state, const Visit& visit) {
    using algorithm = std::remove_const_t<State>;
    visit("latest", state.latest);
    if constexpr (std::is_same_v<algorithm, fixed_window>) {
        visit("used", state.used);
    } else if constexpr (std::is_same_v<algorithm, sliding_window>) {
        visit("previous", state.previous);
        visit("current", state.current);
    } else if constexpr (std::is_same_v<algorithm, gcra>) {
        visit("backlog", state.backlog);
        visit("fraction", state.fraction);
    } else {
        static_assert(std::is_same_v<algorithm, sliding_log>, "this is no state of a limiter");
        visit("dropped", state.dropped);
        visit("entries", state.entries);
    }
}

}  // namespace sluice

#endif
