// SPDX-License-Identifier: MIT
#include <chrono>
#include <string>
#include <type_traits>

#include <doctest/doctest.h>

#include <sluice/rate_limit.hpp>
#include <sluice/rate_limit/state_members.hpp>

namespace {

using namespace std::chrono_literals;

/// A state whose members are those of another, visited one by one.
template <class State>
State copy_by_members(const State& from) {
    State made;
    std::string names;
    sluice::visit_members(from, [&](const std::string& name, const auto& member) {
        sluice::visit_members(made, [&](const std::string& own, auto& target) {
            if constexpr (std::is_assignable_v<decltype(target), decltype(member)>) {
                if (own == name) target = member;
            }
        });
        names += name + ' ';
    });
    CHECK(names.starts_with("latest "));
    return made;
}

}  // namespace

TEST_CASE_TEMPLATE("a state is its members", state, sluice::fixed_window, sluice::sliding_window,
                   sluice::gcra, sluice::sliding_log) {
    const sluice::policy limits{5, 1min};
    const sluice::instant start{1'787'279'415'123ms};
    state own;
    for (int request = 0; request < 40; ++request) {
        const sluice::instant now = start + request * 7s;
        const auto [expected, next] = sluice::decide(own, limits, now, 1 + request % 2);
        const auto [made, unused] =
            sluice::decide(copy_by_members(own), limits, now, 1 + request % 2);
        CHECK(made.allowed == expected.allowed);
        CHECK(made.remaining == expected.remaining);
        CHECK(made.reset == expected.reset);
        own = next;
    }
}
