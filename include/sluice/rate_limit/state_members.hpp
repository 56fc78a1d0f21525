// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_STATE_MEMBERS_HPP
#define SLUICE_RATE_LIMIT_STATE_MEMBERS_HPP

#include <type_traits>

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
    std::remove_const_t<State>::visit_members(state, visit);
}

}  // namespace sluice

#endif
