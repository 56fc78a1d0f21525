// SPDX-License-Identifier: MIT
// Rate-limit decisions on states that the caller stores.

import {
  type Algorithm,
  ALGORITHM_FUNCTIONS,
  type Count,
  type Entries,
  MOST_LIMIT,
  MOST_WINDOW,
  narrowest,
  type Policy,
  type State,
  timeOf,
} from "./algorithms.js";
import { checkOptions, checkWhole, describe, memberOf } from "./checks.js";
import { call } from "./module.js";
import { toMilliseconds } from "./query_text.js";

export type { Algorithm } from "./algorithms.js";

/** The names of all algorithms. */
export const ALGORITHMS = Object.keys(ALGORITHM_FUNCTIONS) as readonly Algorithm[];

/** The state of a client, by the algorithm's names; serializable as JSON. */
export interface LimitState {
  readonly latest: Count;
  readonly [member: string]: Count | readonly (readonly [at: Count, total: Count])[];
}

/** The decision on a request, and the information for its client. */
export interface Decision {
  readonly allowed: boolean;
  /** The number of requests per window. */
  readonly limit: number;
  /** The number of requests that would still be admitted now. */
  readonly remaining: number;
  /** The time when the full limit is available again, in seconds since 1970, rounded up. */
  readonly reset: number;
  /** Seconds until a refused client is admitted; missing for a cost above the limit. */
  readonly retryAfter?: number;
  /** The response headers, by name. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface LimitOptions {
  /** The number of requests per window. */
  readonly limit: number;
  /** The length of a window, with millisecond precision. */
  readonly windowSeconds: number;
  readonly now?: Date | number;
  readonly algorithm?: Algorithm;
  /** The number of requests that it counts as. */
  readonly cost?: number;
}

const OPTIONS = ["limit", "windowSeconds", "now", "algorithm", "cost"];

/**
 * Decides on a request of a client whose state you store. Has no side effects: the same arguments
 * always give the same answer.
 *
 * @param state The state returned by the last call for the client; null for a new client.
 * @throws ApiError if the limit, window or algorithm is invalid.
 * @throws TypeError if the state is that of another algorithm.
 */
export function decide(
  state: LimitState | null,
  options: LimitOptions,
): { readonly decision: Decision; readonly state: LimitState } {
  checkOptions("decide", options, OPTIONS);
  const { algorithm = "sliding_window", cost = 1 } = options;
  const policy = policyOf(algorithm, options);
  const now = timeOf(toMilliseconds(options.now));
  const wanted = Math.max(Number(checkWhole("cost", cost)), 0);
  const { fresh, available, ready, reset, spend } = ALGORITHM_FUNCTIONS[algorithm];
  const stored = state === null ? fresh : checkState(state, fresh);
  // A state more than one window ahead counts as new: one of the clocks was wrong.
  const held = timeOf(stored.latest) - now > policy.window ? fresh : stored;
  const at = Math.max(timeOf(held.latest), now);
  const left = available(held, policy, at);
  if (wanted > left) {
    const decision = decisionOf(false, policy, left, reset(held, policy, at));
    if (wanted > policy.limit) return { decision, state: stored };
    const retryAfter = Math.max(seconds(ready(held, policy, at, wanted) - now), 1);
    const headers = { ...decision.headers, "retry-after": `${retryAfter}` };
    return { decision: { ...decision, retryAfter, headers }, state: stored };
  }
  if (wanted === 0) return { decision: decisionOf(true, policy, left, reset(held, policy, at)), state: stored };
  const next = spend(held, policy, at, wanted);
  return { decision: decisionOf(true, policy, left - wanted, reset(next, policy, at)), state: next };
}

/** Seconds, rounded up. */
function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

function decisionOf(allowed: boolean, { limit }: Policy, remaining: number, until: number): Decision {
  const reset = seconds(until);
  const headers = {
    "x-ratelimit-limit": `${limit}`,
    "x-ratelimit-remaining": `${remaining}`,
    "x-ratelimit-reset": `${reset}`,
  };
  return { allowed, limit, remaining, reset, headers };
}

function policyOf(algorithm: string, { limit, windowSeconds }: LimitOptions): Policy {
  const window = typeof windowSeconds === "number" ? Math.round(Math.min(Math.max(windowSeconds, 0), 1e9) * 1000) : NaN;
  const policy = { limit: Number(checkWhole("limit", limit)), window: Number(checkWhole("windowSeconds", window)) };
  const isInRange = policy.limit >= 1 && policy.limit <= MOST_LIMIT && window >= 1 && window <= MOST_WINDOW;
  if (!isInRange || !memberOf(ALGORITHM_FUNCTIONS, algorithm)) call("limit_policy", algorithm, limit, window);
  return policy;
}

/** A state with the members of a new one; throws a TypeError for other states. */
function checkState(state: LimitState, fresh: State): State {
  if (typeof state !== "object") throw new TypeError(`state: expected an object or null, not ${describe(state)}`);
  const names = Object.keys(fresh);
  if (Object.keys(state).length !== names.length || !names.every((name) => Object.hasOwn(state, name))) {
    throw new TypeError(`state: expected the members ${names.join(", ")}`);
  }
  const members: Record<string, Count | Entries> = {};
  for (const name of names) {
    const member = state[name]!;
    const isList = Array.isArray(fresh[name]);
    members[name] = isList ? checkEntries(name, member) : checkCount(name, member);
  }
  return members as State;
}

function checkEntries(name: string, entries: unknown): Entries {
  const isPair = (entry: unknown) => Array.isArray(entry) && entry.length === 2;
  if (!Array.isArray(entries) || !entries.every(isPair)) {
    throw new TypeError(`state: ${name}: expected pairs of a time and a total`);
  }
  return entries.map(([at, total]) => [checkCount(name, at), checkCount(name, total)]);
}

function checkCount(name: string, count: unknown): Count {
  return narrowest(checkWhole(`state: ${name}`, count));
}
