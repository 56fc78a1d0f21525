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

local function text(number) return string.format('%.0f', number) end

-- Division rounded down, and up; a >= 0.
local function divide(a, b) return (a - math.fmod(a, b)) / b end
local function divide_up(a, b) return divide(a, b) + (math.fmod(a, b) > 0 and 1 or 0) end

local function window_start(p, at) return at - at % p.window end
local function window_end(p, at) return window_start(p, at) + p.window end

-- Each algorithm: available(state, policy, at), ready(state, policy, at, cost),
-- reset(state, policy, at), spend(state, policy, at, cost).

local fixed_window = {fields = {'used'}}
do
  local function used_at(s, p, at) return s.latest >= window_start(p, at) and s.used or 0 end
  function fixed_window.available(s, p, at) return math.max(0, p.limit - used_at(s, p, at)) end
  function fixed_window.ready(s, p, at) return window_end(p, at) end
  function fixed_window.reset(s, p, at) return window_end(p, at) end
  function fixed_window.spend(s, p, at, cost) s.used = used_at(s, p, at) + cost end
end

local sliding_window = {fields = {'previous', 'current'}}
do
  -- The counts as seen from the window of `at`.
  local function rolled(s, p, at)
    local start = window_start(p, at)
    if s.latest >= start then return s.previous, s.current end
    if s.latest >= start - p.window then return s.current, 0 end
    return 0, 0
  end
  -- The least time into a window at which `count` of the window before has faded to `room`.
  local function fading_time(p, count, room)
    return p.window - (divide_up((room + 1) * p.window, count) - 1)
  end
  -- Where previous * rest is beyond 2^53, it is beyond limit * window too: none is available,
  -- however the product is rounded.
  function sliding_window.available(s, p, at)
    local previous, current = rolled(s, p, at)
    local fading = divide(previous * (window_end(p, at) - at), p.window)
    return math.max(0, p.limit - current - fading)
  end
  function sliding_window.ready(s, p, at, cost)
    local previous, current = rolled(s, p, at)
    local room = p.limit - cost
    if current > room then return window_end(p, at) + fading_time(p, current, room) end
    return window_start(p, at) + fading_time(p, previous, room - current)
  end
  function sliding_window.reset(s, p, at) return window_end(p, at) end
  function sliding_window.spend(s, p, at, cost)
    local previous, current = rolled(s, p, at)
    s.previous, s.current = previous, current + cost
  end
end

local gcra = {fields = {'backlog', 'fraction'}}
do
  -- In units of 1/limit ms.
  local function backlog_at(s, p, at)
    local held = math.min(s.backlog, p.window) * p.limit + math.min(s.fraction, p.limit - 1)
    local elapsed = at - math.max(s.latest, at - p.window)
    return math.max(0, math.min(held, p.limit * p.window) - elapsed * p.limit)
  end
  function gcra.available(s, p, at)
    return divide(p.limit * p.window - backlog_at(s, p, at), p.window)
  end
  function gcra.ready(s, p, at, cost)
    return at + divide_up(backlog_at(s, p, at) - (p.limit - cost) * p.window, p.limit)
  end
  function gcra.reset(s, p, at) return at + divide_up(backlog_at(s, p, at), p.limit) end
  function gcra.spend(s, p, at, cost)
    local after = backlog_at(s, p, at) + cost * p.window
    s.backlog, s.fraction = divide(after, p.limit), math.fmod(after, p.limit)
  end
end

-- An entry's score is when it was admitted, its member the total admitted up to it, modulo 2^53.
local sliding_log = {fields = {'dropped'}, has_entries = true}
do
  local function entry(s, rank)
    local found = redis.call('ZRANGE', s.entries, rank, rank, 'WITHSCORES')
    return tonumber(found[1]), tonumber(found[2])
  end
  local function size(s) return s.is_new and 0 or redis.call('ZCARD', s.entries) end
  local function first_live(s, p, at)
    return s.is_new and 0 or redis.call('ZCOUNT', s.entries, '-inf', text(at - p.window))
  end
  local function total_before(s, rank) return rank == 0 and s.dropped or (entry(s, rank - 1)) end
  local function used_from(s, rank)
    return math.min(most, (total_before(s, size(s)) - total_before(s, rank)) % 2^53)
  end
  local function expiry(s, p, at, rank)
    local _, admitted = entry(s, rank)
    return math.min(admitted, at) + p.window
  end
  function sliding_log.available(s, p, at)
    return math.max(0, p.limit - used_from(s, first_live(s, p, at)))
  end
  function sliding_log.ready(s, p, at, cost)
    local first, last = first_live(s, p, at), size(s) - 1
    local needed, expired = used_from(s, first) + cost - p.limit, total_before(s, first)
    while first < last do
      local middle = math.floor((first + last) / 2)
      local total = entry(s, middle)
      if (total - expired) % 2^53 < needed then first = middle + 1 else last = middle end
    end
    return expiry(s, p, at, last)
  end
  function sliding_log.reset(s, p, at)
    if first_live(s, p, at) == size(s) then return at end
    return expiry(s, p, at, size(s) - 1)
  end
  -- Drops the expired entries when they are the larger half.
  local function drop(s, expired)
    if expired * 2 <= size(s) then return end
    s.dropped = total_before(s, expired)
    redis.call('ZREMRANGEBYRANK', s.entries, 0, expired - 1)
  end
  function sliding_log.spend(s, p, at, cost)
    if s.is_new then redis.call('DEL', s.entries) end
    s.is_new = false
    drop(s, first_live(s, p, at))
    local total, admitted = s.dropped, nil
    if size(s) > 0 then total, admitted = entry(s, -1) end
    if admitted == at then redis.call('ZREM', s.entries, text(total)) end
    redis.call('ZADD', s.entries, text(at), text((total + cost) % 2^53))
  end
end

local algorithms = {
  fixed_window = fixed_window, sliding_window = sliding_window, gcra = gcra,
  sliding_log = sliding_log,
}

local function server_time()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function load(algorithm, key, entries)
  local values = redis.call('HMGET', key, 'latest', unpack(algorithm.fields))
  local s = {key = key, entries = entries, is_new = not values[1]}
  s.latest = tonumber(values[1] or earliest)
  for i, field in ipairs(algorithm.fields) do s[field] = tonumber(values[i + 1] or 0) end
  return s
end

-- A state from further ahead than one window counts as new: a clock was wrong.
local function forget_if_ahead(s, p, now)
  if s.latest - now <= p.window then return end
  s.latest, s.is_new = earliest, true
  for _, field in ipairs(p.algorithm.fields) do s[field] = 0 end
end

-- Kept for two windows from the last admission, after which it is as good as new.
local function store(s, p, now)
  local words = {'HSET', s.key, 'latest', text(s.latest)}
  for _, field in ipairs(p.algorithm.fields) do
    words[#words + 1] = field
    words[#words + 1] = text(s[field])
  end
  redis.call(unpack(words))
  local kept = text(s.latest - now + 2 * p.window + 1000)
  redis.call('PEXPIRE', s.key, kept)
  if s.entries then redis.call('PEXPIRE', s.entries, kept) end
end

local now = tonumber(ARGV[1]) or server_time()
local cost = tonumber(ARGV[2])
local policies = {}
local is_admitted = true
local key = 0

local function next_key()
  key = key + 1
  return KEYS[key]
end

for i = 3, #ARGV, 3 do
  local p = {algorithm = algorithms[ARGV[i]], limit = tonumber(ARGV[i + 1])}
  p.window = tonumber(ARGV[i + 2])
  p.state = load(p.algorithm, next_key(), p.algorithm.has_entries and next_key())
  forget_if_ahead(p.state, p, now)
  p.at = math.max(now, p.state.latest)  -- a clock that went back by up to a window stands still
  p.available = p.algorithm.available(p.state, p, p.at)
  p.admits = cost <= p.available
  is_admitted = is_admitted and p.admits
  policies[#policies + 1] = p
end

local function spend(p)
  p.algorithm.spend(p.state, p, p.at, cost)
  p.state.latest = p.at
  p.available = p.available - cost
  store(p.state, p, now)
end

-- When a cost would be admitted, all else idle.
local function ready(p, awaited)
  if awaited <= p.available then return p.at end
  return p.algorithm.ready(p.state, p, p.at, awaited)
end

-- Until when a refusal stays as it is: nothing passes before, and nothing is told anew.
local function unchanged_until(p)
  if p.available > 0 then return now end
  return math.min(ready(p, 1), p.algorithm.reset(p.state, p, p.at))
end

local same_until = is_admitted and now or math.huge
local answer = {}
for _, p in ipairs(policies) do
  if is_admitted and cost > 0 then spend(p) end
  answer[#answer + 1] = p.admits and '1' or '0'
  answer[#answer + 1] = text(p.available)
  answer[#answer + 1] = text(p.algorithm.reset(p.state, p, p.at))
  answer[#answer + 1] = text(p.admits and now or ready(p, math.min(cost, p.limit)))
  if not p.admits then same_until = math.min(same_until, unchanged_until(p)) end
end
return text(now) .. ' ' .. text(same_until) .. ' ' .. table.concat(answer, ' ')
)lua";

/// The SHA-1 of the script, by which EVALSHA names it.
inline constexpr std::string_view redis_script_sha1 = "e377cf2e8d9d8b7410d18b713bb88642117c620c";

}  // namespace sluice

#endif
