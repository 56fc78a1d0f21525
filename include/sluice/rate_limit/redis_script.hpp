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
--   KEYS    of each policy its state, a string; of a sliding log also its entries, a sorted set
--   ARGV    the algorithm; then as numbers now in ms, or infinity for this server's clock, and
--           cost; then of each policy: limit, window in ms
--   answer  of each policy, as numbers: now, whether it admits (0 or 1), remaining, reset, ready,
--           until when a refusal stays as it is
--
-- Numbers are doubles in 8 bytes, the least one first: exact as long as limit * window <= 2^53, and
-- sooner read and written than texts are. A state is three of them: when a request was admitted
-- last, and two of the algorithm's own.

local call, pack, unpack = redis.call, struct.pack, struct.unpack
local ceil, huge, min = math.ceil, math.huge, math.min

local algorithm, numbers = ARGV[1], ARGV[2]
local now, cost = unpack('<dd', numbers)
if now == huge then
  local time = call('TIME')
  now = time[1] * 1000 + (time[2] - time[2] % 1000) / 1000
end

-- What makes an algorithm, of a policy p at the time p.at: see(p, latest, first, second, entries)
-- takes what is stored, -huge and zeros where nothing is, sets p.reset, and tells what is left;
-- ready(p, awaited) is when so much would be that isn't; spend(p, kept) counts the cost, and sets
-- p.first and p.second to what is to be stored, for `kept` ms.
local see, ready, spend

if algorithm == 'fixed_window' then
  function see(p, latest, used)
    local start = p.at - p.at % p.window
    p.reset = start + p.window
    p.first = latest >= start and used or 0
    return p.limit - p.first
  end
  function ready(p) return p.reset end
  function spend(p) p.first = p.first + cost end

elseif algorithm == 'sliding_window' then
  -- Its own numbers are the counts of the window before and of this one. Where previous * rest is
  -- beyond 2^53, it is beyond limit * window too: none is left, however the product is rounded.
  function see(p, latest, previous, current)
    local window = p.window
    local start = p.at - p.at % window
    if latest < start then
      previous, current = latest < start - window and 0 or current, 0
    end
    p.reset, p.first, p.second = start + window, previous, current
    local fading = previous * (p.reset - p.at) / window
    return p.limit - current - (fading - fading % 1)
  end
  function ready(p, awaited)
    local room, count, faded_in = p.limit - awaited, p.second, p.reset
    if count <= room then room, count, faded_in = room - count, p.first, p.reset - p.window end
    return faded_in + p.window - (ceil((room + 1) * p.window / count) - 1)
  end
  function spend(p) p.second = p.second + cost end

elseif algorithm == 'gcra' then
  -- The backlog is in units of 1/limit ms, and stored as whole ms and the rest.
  local function set_backlog(p, backlog)
    p.backlog, p.reset = backlog, p.at + ceil(backlog / p.limit)
  end
  function see(p, latest, whole, rest)
    local held = min(min(whole, p.window) * p.limit + min(rest, p.limit - 1), p.limit * p.window)
    local elapsed = min(p.at - latest, p.window)
    set_backlog(p, math.max(0, held - elapsed * p.limit))
    local left = (p.limit * p.window - p.backlog) / p.window
    return left - left % 1
  end
  function ready(p, awaited)
    return p.at + ceil((p.backlog - (p.limit - awaited) * p.window) / p.limit)
  end
  function spend(p)
    set_backlog(p, p.backlog + cost * p.window)
    p.second = p.backlog % p.limit
    p.first = (p.backlog - p.second) / p.limit
  end

else
  -- An entry's score is when it was admitted, its member the total admitted up to it, modulo 2^53.
  -- Its own numbers are the total up to the entries that were dropped, and up to the last one.
  local function entry(p, rank)
    local found = call('ZRANGE', p.entries, rank, rank, 'WITHSCORES')
    return tonumber(found[1]), tonumber(found[2])
  end
  function see(p, latest, dropped, total, entries)
    local expired = p.at - p.window
    p.entries, p.latest, p.expired = entries, latest, 0
    p.first, p.second, p.gone = dropped, total, dropped
    p.reset = latest > expired and latest + p.window or p.at
    if latest > -huge then p.expired = call('ZCOUNT', entries, '-inf', expired) end
    if p.expired > 0 then p.gone = entry(p, p.expired - 1) end
    p.used = min(100000000, (total - p.gone) % 2^53)  -- at most the largest limit
    return p.limit - p.used
  end
  function ready(p, awaited)
    local needed = p.used + awaited - p.limit
    local first, last = p.expired, call('ZCARD', p.entries) - 1
    while first < last do
      local middle = (first + last - (first + last) % 2) / 2
      if (entry(p, middle) - p.gone) % 2^53 < needed then first = middle + 1 else last = middle end
    end
    local _, admitted = entry(p, last)
    return (admitted or p.latest) + p.window  -- none where Redis has evicted them
  end
  function spend(p, kept)
    if p.latest == -huge then call('DEL', p.entries) end
    -- The expired entries are dropped when they are the larger half.
    if p.expired > 0 and p.expired * 2 > call('ZCARD', p.entries) then
      p.first = p.gone
      call('ZREMRANGEBYRANK', p.entries, 0, p.expired - 1)
    end
    if p.latest == p.at then call('ZREM', p.entries, p.second) end
    p.second, p.reset = (p.second + cost) % 2^53, p.at + p.window
    call('ZADD', p.entries, p.at, p.second)
    call('PEXPIRE', p.entries, kept)
  end
end

local count = #numbers / 16 - 1
local policies, is_admitted = {}, true
for i = 1, count do
  local limit, window = unpack('<dd', numbers, 16 * i + 1)
  local p = {limit = limit, window = window, at = now, available = 0, reset = 0, first = 0,
             second = 0}
  local latest, first, second = -huge, 0, 0
  local held = call('GET', KEYS[i])
  if held then latest, first, second = unpack('<ddd', held) end
  if latest - now > window then
    latest, first, second = -huge, 0, 0  -- from further ahead than a window: a clock was wrong
  elseif latest > now then
    p.at = latest  -- a clock that went back by up to a window stands still
  end
  local left = see(p, latest, first, second, KEYS[count + i])
  if left > 0 then p.available = left end
  if cost > p.available then is_admitted = false end
  policies[i] = p
end

local answer = ''
for i = 1, count do
  local p = policies[i]
  local admits, ready_at, same_until = 1, now, now
  if cost > p.available then
    local awaited = min(cost, p.limit)
    admits, ready_at = 0, awaited <= p.available and p.at or ready(p, awaited)
    -- Nothing passes before, and nothing is told anew.
    if p.available == 0 then same_until = min(ready(p, 1), p.reset) end
  elseif is_admitted and cost > 0 then
    -- Kept for two windows from the last admission, after which it is as good as new.
    local kept = p.at - now + 2 * p.window + 1000
    spend(p, kept)
    p.available = p.available - cost
    call('PSETEX', KEYS[i], kept, pack('<ddd', p.at, p.first, p.second))
  end
  answer = answer .. pack('<dddddd', now, admits, p.available, p.reset, ready_at, same_until)
end
return answer
)lua";

/// The SHA-1 of the script, by which EVALSHA names it.
inline constexpr std::string_view redis_script_sha1 = "3ac1f7a01ccb8f724d46d42f039d267998c69ee8";

}  // namespace sluice

#endif
