# SPDX-License-Identifier: MIT
# Copies the headers to COPY and adds an algorithm `cooldown` to them. That takes its state, its
# place in the list and its enumerator in one header, and its three branches in the Redis script.
# Fails where one of them finds no place, where a step before the last compiles, or where it would
# take more headers.
#
#   cmake -DHEADERS=include -DCOPY=build/copy -DCXX=g++ -P add_algorithm.cmake
include(${CMAKE_CURRENT_LIST_DIR}/insert.cmake)

set(algorithms rate_limit/algorithms.hpp)
set(script rate_limit/redis/script.hpp)
insert(${algorithms} "gcra = detail::algorithm_number"
       "cooldown = detail::algorithm_number(\"cooldown\"),")
expect_error(${algorithms} "detail::algorithm_number(\"cooldown\")")
insert(${algorithms} "/// The generic cell rate algorithm"
       [=[
/// Admits up to a limit at once, then nothing for a window.
struct cooldown {
    static constexpr std::string_view name = "cooldown";

    instant latest = earliest_instant;

    [[nodiscard]] constexpr std::int64_t available(const policy& p, instant at) const noexcept {
        return latest + p.window <= at ? p.limit : 0;
    }
    [[nodiscard]] constexpr instant ready(const policy& p, instant, std::int64_t) const noexcept {
        return latest + p.window;
    }
    [[nodiscard]] constexpr instant reset(const policy& p, instant at) const noexcept {
        return latest + p.window <= at ? at : latest + p.window;
    }
    constexpr void spend(const policy&, instant at, std::int64_t) noexcept { latest = at; }

    template <class State, class Visit>
    static constexpr void visit_members(State& state, const Visit& visit) {
        visit("latest", state.latest);
    }
    friend constexpr bool operator==(const cooldown&, const cooldown&) = default;
};
]=])
replace(${algorithms} "sliding_log, gcra>" "sliding_log, cooldown, gcra>")
expect_error(${script} "redis_script has a branch of each algorithm")
insert(${script} "elseif algorithm == 'gcra' then"
       "elseif algorithm == 'cooldown' then
      reset = math.max(latest + window, at)
      left = reset > at and 0 or limit")
insert(${script} "if algorithm ~= 'sliding_log' then refuse() end"
       "if algorithm == 'cooldown' then return reset end")
expect_error(${script} "redis_script has a branch of each algorithm")
insert(${script} "elseif algorithm == 'gcra' then\n          first = first"
       "elseif algorithm == 'cooldown' then\n          reset = at + window")

list(LENGTH touched files)
if(files GREATER 2)
    message(FATAL_ERROR "an algorithm takes ${files} headers")
endif()
file(TOUCH ${COPY}/added)
