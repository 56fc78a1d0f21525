// SPDX-License-Identifier: MIT
// Rate-limit decisions on states that the caller stores.

import { checkWhole, memberOf } from "./checks.js";
import { revive } from "./expressions.js";
import { call, type Field } from "./module.js";
import { toMilliseconds } from "./query_text.js";

/** The members of the state of each algorithm. */
const MEMBERS = {
  sliding_window: ["latest", "previous", "current"],
  fixed_window: ["latest", "used"],
  sliding_log: ["latest", "dropped", "entries"],
  gcra: ["latest", "backlog", "fraction"],
} as const;

export type Algorithm = keyof typeof MEMBERS;

/** The names of all algorithms. */
export const ALGORITHMS = Object.keys(MEMBERS) as readonly Algorithm[];

type Count = number | bigint;

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
  const { limit, windowSeconds, now, algorithm = "sliding_window", cost = 1 } = options;
  const window = Math.round(Math.min(Math.max(windowSeconds, 0), 1e9) * 1000);
  const answer = call(
    "limit_decide",
    algorithm,
    checkWhole("limit", limit),
    checkWhole("windowSeconds", window),
    toMilliseconds(now),
    checkWhole("cost", cost),
    state !== null,
    ...(state === null ? [] : fieldsOf(state, memberOf(MEMBERS, algorithm) ?? [])),
  );
  return revive(answer) as { decision: Decision; state: LimitState };
}

/** The fields of a state, in the order of its algorithm's members. */
function fieldsOf(state: LimitState, members: readonly string[]): readonly Field[] {
  if (Object.keys(state).sort().join() !== [...members].sort().join()) {
    throw new TypeError(`state: expected the members ${members.join(", ")}`);
  }
  return members.flatMap((name) => {
    const member = state[name]!;
    if (!Array.isArray(member)) return [checkWhole(`state: ${name}`, member)];
    return member.flat().map((count) => checkWhole(`state: ${name}`, count));
  });
}
