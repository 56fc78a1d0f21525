// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_REDIS_SCRIPT_HPP
#define SLUICE_RATE_LIMIT_REDIS_SCRIPT_HPP

#include <cstddef>
#include <string_view>

#include <sluice/rate_limit/algorithms.hpp>

namespace sluice {

/// The algorithms as one script for Redis 5 or newer. It decides like
/// <sluice/rate_limit/decision.hpp>, algorithms.hpp and sliding_log.hpp, which explain its
/// formulas: `left`, `reset` and `ready` are their available(), reset() and ready(). Its `first`
/// and `second` are members there:
///
/// | | first | second |
/// |---|---|---|
/// | fixed_window | used | |
/// | sliding_window | previous | current |
/// | gcra | backlog; once read, all of it in units of 1/limit ms | fraction |
/// | sliding_log | total of the expired requests | total of all requests |
///
/// Several policies take two passes: the first decides, the second spends if all of them admit.
/// ARGV[2] has 16 bytes for the time and the cost, and 16 for each policy.
inline constexpr std::string_view redis_script = R"lua(
-- Decides on a request under one or more policies: it is counted by all of them, or by none and
-- nothing is written.
--
--   KEYS    the states, one string per policy
--   ARGV    the algorithm; then numbers: now in ms, or infinity for this server's clock; cost; per
--           policy limit and window in ms
--   answer  numbers, per policy: now, whether it admits (0 or 1), remaining, reset, ready, until
--           when a refusal stays as it is
--
-- Numbers are little-endian doubles of 8 bytes: exact as long as limit * window <= 2^53, and faster
-- to read and write than texts. A request that is admitted makes no table and calls no function
-- but those of Redis, since these take longer than the decision.

local call, pack, unpack = redis.call, struct.pack, struct.unpack

local algorithm, numbers = ARGV[1], ARGV[2]
local now, cost, limit, window = unpack('<dddd', numbers)
local is_own_clock = now > 1e300
if is_own_clock then
  local time = call('TIME')
  now = time[1] * 1000 + (time[2] - time[2] % 1000) / 1000
end

-- A state is four numbers: when a request was admitted last; first and second, whose meaning
-- depends on the algorithm; and when this server forgets the state by its clock, or 0.
--
-- The state of a sliding log is longer: first is the expired total, second the total ever admitted,
-- modulo 2^53. Its entries precede them: the time of a request and the total up to it. Entry 0
-- stands for all that were dropped:
--
--   -1e300, total | ... | latest, second | count, expired, time of the last expired entry, first,
--   entry 0               entry `count`    time of the oldest that has not expired, forgotten
--
-- So the search for expired entries begins where it ended last.
local is_log = algorithm == 'sliding_log'
local function refuse() error('sluice: no algorithm ' .. algorithm) end

local policies = #numbers / 16 - 1
local may_spend = policies == 1  -- several policies are all read before any counts
local answer, is_admitted, is_done
repeat
  answer, is_admitted, is_done = '', true, may_spend
  for i = 1, policies do
    local key = KEYS[i]
    if policies > 1 then limit, window = unpack('<dd', numbers, 16 * i + 1) end

    -- Reads the state. A shorter string is an error.
    local at, latest, first, second, forgotten = now, -1e300, 0, 0, 0
    local count, expired, last_expired, oldest = 0, 0, -1e300, 1e300
    if is_log then
      local held = call('GETRANGE', key, '-64', '-1')
      if held ~= '' then
        latest, second, count, expired, last_expired, first, oldest, forgotten =
          unpack('<dddddddd', held)
      end
    else
      local held = call('GET', key)
      if held then latest, first, second, forgotten = unpack('<dddd', held) end
    end
    if latest - now > window then  -- more than a window ahead: a clock was wrong
      latest = -1e300
    elseif latest > now then
      at = latest  -- a clock that went back by up to a window stands still
    end

    -- Computes the remaining requests, and when the whole limit is available again.
    local left, reset
    if algorithm == 'fixed_window' then  -- first: the cost used in the window
      local start = at - at % window
      if latest < start then first = 0 end
      left, reset = limit - first, start + window
    elseif algorithm == 'sliding_window' then
      -- First and second: the counts of the previous window and of this one. If first * rest
      -- exceeds 2^53, it exceeds limit * window too: nothing is left, whatever the rounding.
      local start = at - at % window
      if latest < start then first, second = latest < start - window and 0 or second, 0 end
      reset = start + window
      local fading = first * (reset - at) / window
      left = limit - second - (fading - fading % 1)
    elseif algorithm == 'gcra' then
      -- First and second: the backlog in whole ms and in 1/limit ms, which first is now.
      local min = math.min
      local backlog = min(min(first, window) * limit + min(second, limit - 1), limit * window)
      first = backlog - min(at - latest, window) * limit
      if first < 0 then first = 0 end
      left, reset = (limit * window - first) / window, at + math.ceil(first / limit)
      left = left - left % 1
    elseif algorithm == 'sliding_log' then
      local edge = at - window
      if latest <= edge then
        expired, last_expired, first, oldest, reset = count, latest, second, 1e300, at
      else
        reset = latest + window
        -- Entry `low` is up to the edge, `high` is not, unless another program wrote them.
        local low, high, step = expired + 1, count, 1
        if edge < last_expired then low, high = 0, expired end  -- the window was shorter
        while low < high and (edge >= oldest or edge < last_expired) do
          -- The entry is near the last one if requests come one by one.
          expired = math.min(low + step - 1, (low + high - (low + high) % 2) / 2)
          last_expired, first, oldest =
            unpack('<ddd', call('GETRANGE', key, 16 * expired, 16 * expired + 23))
          if edge < last_expired then high = expired else low = expired + 1 end
          step = step * 2
        end
      end
      left = limit - math.min(100000000, (second - first) % 2^53)  -- at most the largest limit
    else
      refuse()
    end
    if left < 0 then left = 0 end

    local admits, ready_at, same_until = 1, now, now
    if cost > left then
      is_admitted, admits = false, 0
      local function ready(awaited)  -- when `awaited` is left
        if algorithm == 'fixed_window' then return reset end
        if algorithm == 'sliding_window' then
          local room, used, faded_in = limit - awaited, second, reset
          if used <= room then room, used, faded_in = room - used, first, reset - window end
          return faded_in + window - (math.ceil((room + 1) * window / used) - 1)
        end
        if algorithm == 'gcra' then
          return at + math.ceil((first - (limit - awaited) * window) / limit)
        end
        if algorithm ~= 'sliding_log' then refuse() end
        local needed = (second - first) % 2^53 + awaited - limit
        local low, high = expired + 1, count
        while low < high do
          local middle = (low + high - (low + high) % 2) / 2
          local _, total = unpack('<dd', call('GETRANGE', key, 16 * middle, 16 * middle + 15))
          if (total - first) % 2^53 < needed then low = middle + 1 else high = middle end
        end
        return unpack('<d', call('GETRANGE', key, 16 * low, 16 * low + 7)) + window
      end
      if cost <= limit then ready_at = ready(cost) end  -- more never passes
      -- Until then the refusal is the same.
      if left == 0 then same_until = math.min(ready(1), reset) end

    elseif may_spend and cost > 0 then
      left = left - cost
      -- The state lasts two windows from now on, after which it equals a new one; by this server's
      -- clock a third window, so that frequent requests rarely extend it.
      local kept = at - now + 2 * window + 1000
      local is_kept = is_own_clock and forgotten - now >= kept
      if is_kept then
        kept = forgotten - now
      elseif is_own_clock then
        kept = kept + window
        forgotten = now + kept
      else
        forgotten = 0
      end
      if is_log then
        second, reset = (second + cost) % 2^53, at + window
        -- The expired entries are dropped when they are the larger half.
        local is_new = count == 0 or expired * 2 > count
        if latest == at then count = count - 1 end  -- its entry is written anew
        if expired == count then oldest = at end
        if is_new then
          local rest = ''
          if expired < count then
            rest = call('GETRANGE', key, 16 * expired + 16, 16 * count + 15)
          end
          call('PSETEX', key, string.format('%d', kept), pack('<dd', -1e300, first) .. rest .. pack(
               '<dddddddd', at, second, count - expired + 1, 0, -1e300, first, oldest, forgotten))
        else
          call('SETRANGE', key, string.format('%d', 16 * count + 16), pack('<dddddddd', at, second,
               count + 1, expired, last_expired, first, oldest, forgotten))
          if not is_kept then call('PEXPIRE', key, string.format('%d', kept)) end
        end
      else
        if algorithm == 'fixed_window' then
          first = first + cost
        elseif algorithm == 'sliding_window' then
          second = second + cost
        elseif algorithm == 'gcra' then
          first = first + cost * window
          reset = at + math.ceil(first / limit)
          second = first % limit
          first = (first - second) / limit
        else
          refuse()
        end
        if is_kept then
          call('SETRANGE', key, '0', pack('<ddd', at, first, second))
        else
          call('PSETEX', key, string.format('%d', kept),
               pack('<dddd', at, first, second, forgotten))
        end
      end
    end
    answer = answer .. pack('<dddddd', now, admits, left, reset, ready_at, same_until)
  end
  may_spend = true
until is_done or not is_admitted
return answer
)lua";

namespace detail {

/// Returns the number of times that the script has an algorithm's name in quotes.
constexpr int count_redis_branches(std::string_view algorithm) {
    int branches = 0;
    for (std::size_t place = 0; place < redis_script.size(); place += algorithm.size()) {
        place = redis_script.find(algorithm, place);
        if (place == std::string_view::npos) break;
        const std::string_view after = redis_script.substr(place + algorithm.size());
        if (redis_script[place - 1] == '\'' && after.starts_with('\'')) ++branches;
    }
    return branches;
}

}  // namespace detail

static_assert(
    [] {
        for (const std::string_view algorithm : algorithm_names) {
            if (detail::count_redis_branches(algorithm) < 3) return false;
        }
        return true;
    }(),
    "redis_script has a branch of each algorithm where it sees what is left, where it finds when "
    "that is enough, and where it counts a request");

/// The SHA-1 of the script, by which EVALSHA names it.
inline constexpr std::string_view redis_script_sha1 = "d576ac31867020ca2e23b3eebb75663b75e78678";

}  // namespace sluice

#endif
