// SPDX-License-Identifier: MIT
// The algorithms of rate limits. include/sluice/rate_limit/algorithms.hpp and sliding_log.hpp
// explain their formulas; the tests compare the answers.

/** A whole number, a bigint beyond 2^53. */
export type Count = number | bigint;

/** A total cost of `limit` in each window, in milliseconds. */
export interface Policy {
  readonly limit: number;
  readonly window: number;
}

/** The entries of a sliding log: times, and the cost admitted up to and with each. */
export type Entries = readonly (readonly [at: Count, total: Count])[];
type WithLatest = { readonly latest: Count };
type SlidingWindow = WithLatest & { readonly previous: Count; readonly current: Count };
type FixedWindow = WithLatest & { readonly used: Count };
type SlidingLog = WithLatest & { readonly dropped: Count; readonly entries: Entries };
type Gcra = WithLatest & { readonly backlog: Count; readonly fraction: Count };

/** The functions of an algorithm on a client's state, for a time `at` that isn't before its latest. */
interface Functions<State> {
  /** The state of a new client. */
  readonly fresh: State;
  /** The cost that would be admitted, 0 to the limit. */
  available(state: State, policy: Policy, at: number): number;
  /** The time when a cost refused at `at` is admitted, if nothing else is before. */
  ready(state: State, policy: Policy, at: number, cost: number): number;
  /** The time when the full limit is available again. */
  reset(state: State, policy: Policy, at: number): number;
  /** The state after an admitted cost. */
  spend(state: State, policy: Policy, at: number, cost: number): State;
}

const [EARLIEST, LATEST] = [Date.UTC(-1, 12), Date.UTC(9999, 12) - 1];
/** The limits of a policy's numbers; native/limits.cpp writes the errors of others. */
export const [MOST_LIMIT, MOST_WINDOW] = [100_000_000, 366 * 86_400_000];

function clamp(count: Count, least: number, most: number): number {
  const number = Number(count);
  return number < least ? least : number > most ? most : number;
}

/** A time, clamped to the years 0000 to 9999. */
export function timeOf(at: Count): number {
  return clamp(at, EARLIEST, LATEST);
}

/** ⌊(a · b + c) / d⌋, also where doubles aren't exact. */
function quotient(a: number, b: number, c: number, d: number): number {
  const total = a * b + c;
  if (Number.isSafeInteger(total)) return Math.floor(total / d);
  return Number((BigInt(a) * BigInt(b) + BigInt(c)) / BigInt(d));
}

/** (a · b + c) modulo d, also where doubles aren't exact. */
function remainder(a: number, b: number, c: number, d: number): number {
  const total = a * b + c;
  if (Number.isSafeInteger(total)) return total % d;
  return Number((BigInt(a) * BigInt(b) + BigInt(c)) % BigInt(d));
}

/** The start of the window that a time lies in; one starts in 1970. */
function windowStart({ window }: Policy, at: number): number {
  return Math.floor(at / window) * window;
}

function windowEnd(policy: Policy, at: number): number {
  return windowStart(policy, at) + policy.window;
}

/** A count of a stored state, which may come from anywhere. */
function counted(count: Count): number {
  return clamp(count, 0, MOST_LIMIT);
}

const fixedWindow: Functions<FixedWindow> = {
  fresh: { latest: EARLIEST, used: 0 },
  available: (state, policy, at) => Math.max(policy.limit - usedAt(state, policy, at), 0),
  ready: (_, policy, at) => windowEnd(policy, at),
  reset: (_, policy, at) => windowEnd(policy, at),
  spend: (state, policy, at, cost) => ({ latest: at, used: usedAt(state, policy, at) + cost }),
};

/** The cost admitted in the window of `at`. */
function usedAt({ latest, used }: FixedWindow, policy: Policy, at: number): number {
  return latest >= windowStart(policy, at) ? counted(used) : 0;
}

const slidingWindow: Functions<SlidingWindow> = {
  fresh: { latest: EARLIEST, previous: 0, current: 0 },
  available(state, policy, at) {
    const [previous, current] = rolled(state, policy, at);
    const rest = windowEnd(policy, at) - at;
    return Math.max(policy.limit - current - quotient(previous, rest, 0, policy.window), 0);
  },
  ready(state, policy, at, cost) {
    const [previous, current] = rolled(state, policy, at);
    const end = windowEnd(policy, at);
    const room = policy.limit - cost;
    // A current count beyond the room fades only in the next window.
    if (current > room) return end + fadingTime(policy, current, room);
    return end - policy.window + fadingTime(policy, previous, room - current);
  },
  reset: (_, policy, at) => windowEnd(policy, at),
  spend(state, policy, at, cost) {
    const [previous, current] = rolled(state, policy, at);
    return { latest: at, previous, current: current + cost };
  },
};

/** The counts, moved on to the window of `at`. */
function rolled(state: SlidingWindow, policy: Policy, at: number): [previous: number, current: number] {
  const start = windowStart(policy, at);
  if (state.latest >= start) return [counted(state.previous), counted(state.current)];
  return state.latest >= start - policy.window ? [counted(state.current), 0] : [0, 0];
}

/** The least time into a window at which `count` of the one before has faded to `room`. */
function fadingTime({ window }: Policy, count: number, room: number): number {
  return window - quotient(room + 1, window, -1, count);
}

// A cost of 1 adds window / limit milliseconds to the backlog, which may not exceed the window.
const gcra: Functions<Gcra> = {
  fresh: { latest: EARLIEST, backlog: 0, fraction: 0 },
  available(state, policy, at) {
    const [whole, part] = backlogAt(state, policy, at);
    return policy.limit - quotient(whole, policy.limit, part + policy.window - 1, policy.window);
  },
  ready(state, policy, at, cost) {
    const [whole, part] = backlogAt(state, policy, at);
    return at + whole - quotient(policy.limit - cost, policy.window, -part, policy.limit);
  },
  reset(state, policy, at) {
    const [whole, part] = backlogAt(state, policy, at);
    return at + whole + (part > 0 ? 1 : 0);
  },
  spend(state, policy, at, cost) {
    const [whole, part] = backlogAt(state, policy, at);
    const { limit, window } = policy;
    const backlog = whole + quotient(cost, window, part, limit);
    return { latest: at, backlog, fraction: remainder(cost, window, part, limit) };
  },
};

/** The backlog at a time: whole milliseconds, and the rest in units of 1/limit ms. */
function backlogAt(state: Gcra, { limit, window }: Policy, at: number): [whole: number, part: number] {
  const elapsed = at - clamp(state.latest, at - window, at);
  const whole = clamp(state.backlog, 0, window);
  if (whole < elapsed) return [0, 0];
  // The largest backlog is one window.
  return [whole - elapsed, whole === window ? 0 : clamp(state.fraction, 0, limit - 1)];
}

const slidingLog: Functions<SlidingLog> = {
  fresh: { latest: EARLIEST, dropped: 0, entries: [] },
  available(state, policy, at) {
    const used = difference(totalBefore(state, state.entries.length), totalBefore(state, firstLive(state, policy, at)));
    return policy.limit - clamp(used, 0, policy.limit);
  },
  ready(state, policy, at, cost) {
    const { entries } = state;
    const live = firstLive(state, policy, at);
    const expired = totalBefore(state, live);
    // The cost that has to expire; it has once the first entry whose total reaches it expires.
    const used = difference(totalBefore(state, entries.length), expired);
    const needed = difference(used, policy.limit - cost);
    const frees = partition(entries, live, ([, total]) => difference(total, expired) < needed);
    return expiry(policy, at, entries[Math.min(frees, entries.length - 1)]!);
  },
  reset(state, policy, at) {
    const { entries } = state;
    return firstLive(state, policy, at) === entries.length ? at : expiry(policy, at, entries.at(-1)!);
  },
  spend(state, policy, at, cost) {
    const expired = firstLive(state, policy, at);
    // Expired entries are dropped once they are more than half.
    const isDropping = expired * 2 > state.entries.length;
    const dropped = isDropping ? state.entries[expired - 1]![1] : state.dropped;
    const entries = state.entries.slice(isDropping ? expired : 0);
    const total = difference(entries.at(-1)?.[1] ?? dropped, -cost);
    if (entries.at(-1)?.[0] === at) entries.pop();
    entries.push([at, narrowest(BigInt.asIntN(64, BigInt(total)))]);
    return { latest: at, dropped, entries };
  },
};

/** a − b, modulo 2^64. */
function difference(a: Count, b: Count): Count {
  const total = Number(a) - Number(b);
  if (total >= 0 && Number.isSafeInteger(total) && isSafe(a) && isSafe(b)) return total;
  return BigInt.asUintN(64, BigInt(a) - BigInt(b));
}

function isSafe(count: Count): boolean {
  return Number.isSafeInteger(Number(count));
}

/** A count as a number if that is exact. */
export function narrowest(count: Count): Count {
  return isSafe(count) ? Number(count) : count;
}

/** The first index from `from` on whose entry fails a test; all entries after it must fail it, too. */
function partition(entries: Entries, from: number, isBefore: (entry: readonly [Count, Count]) => boolean): number {
  let [low, high] = [from, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(entries[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the first entry that hasn't expired. */
function firstLive({ entries }: SlidingLog, policy: Policy, at: number): number {
  return partition(entries, 0, ([logged]) => logged <= at - policy.window);
}

/** The cost admitted before an entry, ever. */
function totalBefore({ dropped, entries }: SlidingLog, index: number): Count {
  return index === 0 ? dropped : entries[index - 1]![1];
}

/** The time at which an entry expires: from `at` to a window later, whatever the state says. */
function expiry({ window }: Policy, at: number, [logged]: readonly [Count, Count]): number {
  return clamp(logged, at - window, at) + window;
}

const FUNCTIONS = {
  sliding_window: slidingWindow,
  fixed_window: fixedWindow,
  sliding_log: slidingLog,
  gcra,
};

export type Algorithm = keyof typeof FUNCTIONS;

/** A state of any algorithm; each algorithm is called with its own states only. */
export type State = WithLatest & Readonly<Record<string, Count | Entries>>;

/** The functions of each algorithm, by name. */
export const ALGORITHM_FUNCTIONS = FUNCTIONS as unknown as Readonly<Record<Algorithm, Functions<State>>>;
