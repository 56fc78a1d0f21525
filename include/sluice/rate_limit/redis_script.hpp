// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_REDIS_SCRIPT_HPP
#define SLUICE_RATE_LIMIT_REDIS_SCRIPT_HPP

#include <string_view>

namespace sluice {

/// The algorithms as one script for Redis 5 or newer. It mirrors <sluice/rate_limit/decision.hpp>,
/// algorithms.hpp and sliding_log.hpp function by function, and decides as they do.
inline constexpr std::string_view redis_script = R"lua(
-- Decides on a request under one or more policies: it is counted by all of them, or by none and
-- nothing is written.
--
--   KEYS    of each policy its state, a hash; of a sliding log also its entries, a sorted set
--   ARGV    now in ms, or '' for this server's clock; cost; then of each policy: its algorithm,
--           limit, window in ms
--   answer  now, until; then of each policy: whether it admits (0 or 1), remaining, reset, ready
--
-- Numbers are doubles, exact as long as limit * window <= 2^53.

local earliest = -62167219200000  -- 0000-01-01T00:00:00Z
local most = 100000000            -- the largest limit

local call, format, fmod, max, min = redis.call, string.format, math.fmod, math.max, math.min

local function text(number) return format('%.0f', number) end

-- Division rounded down, and up; a >= 0.
local function divide(a, b) return (a - fmod(a, b)) / b end
local function divide_up(a, b) return divide(a, b) + (fmod(a, b) > 0 and 1 or 0) end

local function window_start(p, at) return at - at % p.window end
local function window_end(p, at) return at - at % p.window + p.window end

-- What makes an algorithm, of the functions available(p, at), ready(p, at, cost), reset(p, at) and
-- spend(p, at, cost) on a policy p with its state, whose fields are named, and saved(p), their
-- names and values as they are stored.
local algorithms = {}

function algorithms.fixed_window()
  local function used_at(p, at) return p.latest >= window_start(p, at) and p.used or 0 end
  return {
    fields = {'used'},
    saved = function(p) return 'used', text(p.used) end,
    available = function(p, at) return max(0, p.limit - used_at(p, at)) end,
    ready = window_end,
    reset = window_end,
    spend = function(p, at, cost) p.used = used_at(p, at) + cost end,
  }
end

function algorithms.sliding_window()
  -- The counts as seen from the window of `at`.
  local function rolled(p, at)
    local start = window_start(p, at)
    if p.latest >= start then return p.previous, p.current end
    if p.latest >= start - p.window then return p.current, 0 end
    return 0, 0
  end
  -- The least time into a window at which `count` of the window before has faded to `room`.
  local function fading_time(p, count, room)
    return p.window - (divide_up((room + 1) * p.window, count) - 1)
  end
  return {
    fields = {'previous', 'current'},
    saved = function(p) return 'previous', text(p.previous), 'current', text(p.current) end,
    -- Where previous * rest is beyond 2^53, it is beyond limit * window too: none is available,
    -- however the product is rounded.
    available = function(p, at)
      local previous, current = rolled(p, at)
      local fading = divide(previous * (window_end(p, at) - at), p.window)
      return max(0, p.limit - current - fading)
    end,
    ready = function(p, at, cost)
      local previous, current = rolled(p, at)
      local room = p.limit - cost
      if current > room then return window_end(p, at) + fading_time(p, current, room) end
      return window_start(p, at) + fading_time(p, previous, room - current)
    end,
    reset = window_end,
    spend = function(p, at, cost)
      local previous, current = rolled(p, at)
      p.previous, p.current = previous, current + cost
    end,
  }
end

function algorithms.gcra()
  -- In units of 1/limit ms.
  local function backlog_at(p, at)
    local held = min(p.backlog, p.window) * p.limit + min(p.fraction, p.limit - 1)
    local elapsed = at - max(p.latest, at - p.window)
    return max(0, min(held, p.limit * p.window) - elapsed * p.limit)
  end
  return {
    fields = {'backlog', 'fraction'},
    saved = function(p) return 'backlog', text(p.backlog), 'fraction', text(p.fraction) end,
    available = function(p, at) return divide(p.limit * p.window - backlog_at(p, at), p.window) end,
    ready = function(p, at, cost)
      return at + divide_up(backlog_at(p, at) - (p.limit - cost) * p.window, p.limit)
    end,
    reset = function(p, at) return at + divide_up(backlog_at(p, at), p.limit) end,
    spend = function(p, at, cost)
      local after = backlog_at(p, at) + cost * p.window
      p.backlog, p.fraction = divide(after, p.limit), fmod(after, p.limit)
    end,
  }
end

-- An entry's score is when it was admitted, its member the total admitted up to it, modulo 2^53.
function algorithms.sliding_log()
  local function entry(p, rank)
    local found = call('ZRANGE', p.entries, rank, rank, 'WITHSCORES')
    return tonumber(found[1]), tonumber(found[2])
  end
  local function size(p) return p.is_new and 0 or call('ZCARD', p.entries) end
  local function first_live(p, at)
    return p.is_new and 0 or call('ZCOUNT', p.entries, '-inf', text(at - p.window))
  end
  local function total_before(p, rank) return rank == 0 and p.dropped or (entry(p, rank - 1)) end
  local function used_from(p, rank)
    return min(most, (total_before(p, size(p)) - total_before(p, rank)) % 2^53)
  end
  local function expiry(p, at, rank)
    local _, admitted = entry(p, rank)
    return min(admitted, at) + p.window
  end
  -- Drops the expired entries when they are the larger half.
  local function drop(p, expired)
    if expired * 2 <= size(p) then return end
    p.dropped = total_before(p, expired)
    call('ZREMRANGEBYRANK', p.entries, 0, expired - 1)
  end
  return {
    fields = {'dropped'},
    has_entries = true,
    saved = function(p) return 'dropped', text(p.dropped) end,
    available = function(p, at) return max(0, p.limit - used_from(p, first_live(p, at))) end,
    ready = function(p, at, cost)
      local first, last = first_live(p, at), size(p) - 1
      local needed, expired = used_from(p, first) + cost - p.limit, total_before(p, first)
      while first < last do
        local middle = math.floor((first + last) / 2)
        local total = entry(p, middle)
        if (total - expired) % 2^53 < needed then first = middle + 1 else last = middle end
      end
      return expiry(p, at, last)
    end,
    reset = function(p, at)
      if first_live(p, at) == size(p) then return at end
      return expiry(p, at, size(p) - 1)
    end,
    spend = function(p, at, cost)
      if p.is_new then call('DEL', p.entries) end
      p.is_new = false
      drop(p, first_live(p, at))
      local total, admitted = p.dropped, nil
      if size(p) > 0 then total, admitted = entry(p, -1) end
      if admitted == at then call('ZREM', p.entries, text(total)) end
      call('ZADD', p.entries, text(at), text((total + cost) % 2^53))
    end,
  }
end

local function server_time()
  local time = call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local now = tonumber(ARGV[1]) or server_time()
local cost = tonumber(ARGV[2])
local used_keys = 0

local function next_key()
  used_keys = used_keys + 1
  return KEYS[used_keys]
end

-- Gives a policy its state. One from further ahead than a window counts as new: a clock was wrong.
local function load(p)
  local fields = p.algorithm.fields
  local values = call('HMGET', p.key, 'latest', unpack(fields))
  p.latest = tonumber(values[1] or earliest)
  p.is_new = not values[1] or p.latest - now > p.window
  if p.is_new then p.latest = earliest end
  for i = 1, #fields do p[fields[i]] = p.is_new and 0 or tonumber(values[i + 1]) end
end

-- Kept for two windows from the last admission, after which it is as good as new.
local function store(p)
  call('HSET', p.key, 'latest', text(p.latest), p.algorithm.saved(p))
  local kept = text(p.latest - now + 2 * p.window + 1000)
  call('PEXPIRE', p.key, kept)
  if p.entries then call('PEXPIRE', p.entries, kept) end
end

local policies = {}
local is_admitted = true

for i = 3, #ARGV, 3 do
  local p = {key = next_key(), limit = tonumber(ARGV[i + 1]), window = tonumber(ARGV[i + 2])}
  p.algorithm = algorithms[ARGV[i]]()
  if p.algorithm.has_entries then p.entries = next_key() end
  load(p)
  p.at = max(now, p.latest)  -- a clock that went back by up to a window stands still
  p.available = p.algorithm.available(p, p.at)
  p.admits = cost <= p.available
  is_admitted = is_admitted and p.admits
  policies[#policies + 1] = p
end

local function spend(p)
  p.algorithm.spend(p, p.at, cost)
  p.latest = p.at
  p.available = p.available - cost
  store(p)
end

-- When a cost would be admitted, all else idle.
local function ready(p, awaited)
  if awaited <= p.available then return p.at end
  return p.algorithm.ready(p, p.at, awaited)
end

-- Until when a refusal stays as it is: nothing passes before, and nothing is told anew.
local function unchanged_until(p, reset)
  return p.available > 0 and now or min(ready(p, 1), reset)
end

local same_until = is_admitted and now or math.huge
local answer = ''
for _, p in ipairs(policies) do
  if is_admitted and cost > 0 then spend(p) end
  local reset = p.algorithm.reset(p, p.at)
  local ready_at = p.admits and now or ready(p, min(cost, p.limit))
  if not p.admits then same_until = min(same_until, unchanged_until(p, reset)) end
  answer = answer .. format(' %d %.0f %.0f %.0f', p.admits and 1 or 0, p.available, reset, ready_at)
end
return format('%.0f %.0f', now, same_until) .. answer
)lua";

/// The SHA-1 of the script, by which EVALSHA names it.
inline constexpr std::string_view redis_script_sha1 = "c91a356e7922e852931e30106064207d5f7bffae";

}  // namespace sluice

#endif
