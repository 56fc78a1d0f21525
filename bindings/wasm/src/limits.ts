// SPDX-License-Identifier: MIT
// Limiters' decisions on states that the caller keeps.

import { checkWhole, memberOf } from "./checks.js";
import { revive } from "./expressions.js";
import { call, type Field } from "./module.js";
import { toMilliseconds } from "./query_text.js";

export type Algorithm = "sliding_window" | "fixed_window" | "sliding_log" | "gcra";

type Count = number | bigint;

/** What an algorithm keeps of a client, by its names: as JSON has it. */
export interface LimitState {
  readonly latest: Count;
  readonly [member: string]: Count | readonly (readonly [at: Count, total: Count])[];
}

/** Whether a request passes, and what to tell its client. */
export interface Decision {
  readonly allowed: boolean;
  /** How many requests a window admits. */
  readonly limit: number;
  /** How many would still be admitted now. */
  readonly remaining: number;
  /** When all is free again, in seconds since 1970, rounded up. */
  readonly reset: number;
  /** After how many seconds a refused client is admitted; none for a cost above the limit. */
  readonly retryAfter?: number;
  /** The headers of an answer, by their names. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface LimitOptions {
  /** How many requests a window admits. */
  readonly limit: number;
  /** The length of a window, read to the millisecond. */
  readonly windowSeconds: number;
  readonly now?: Date | number;
  readonly algorithm?: Algorithm;
  /** How many requests it counts as. */
  readonly cost?: number;
}

/** The members of each algorithm's state. */
const MEMBERS: Readonly<Record<Algorithm, readonly string[]>> = {
  sliding_window: ["latest", "previous", "current"],
  fixed_window: ["latest", "used"],
  sliding_log: ["latest", "dropped", "entries"],
  gcra: ["latest", "backlog", "fraction"],
};

/**
 * Decides on a request of one client, whose state you keep. It counts nothing itself: the same
 * arguments always give the same answer.
 *
 * @param state What the last call gave for the client; null for a new one.
 * @throws ApiError where the limit, window or algorithm is none.
 * @throws TypeError where the state is that of another algorithm.
 */
export function decide(
  state: LimitState | null,
  options: LimitOptions,
): { readonly decision: Decision; readonly state: LimitState } {
  const { limit, windowSeconds, now, algorithm = "sliding_window", cost = 1 } = options;
  const window = Math.round(Math.min(Math.max(windowSeconds, 0), 1e9) * 1000);
  const answered = call(
    "limit_decide",
    algorithm,
    checkWhole("limit", limit),
    checkWhole("windowSeconds", window),
    toMilliseconds(now),
    checkWhole("cost", cost),
    state !== null,
    ...(state === null ? [] : fieldsOf(state, memberOf(MEMBERS, algorithm) ?? [])),
  );
  return revive(answered) as { decision: Decision; state: LimitState };
}

function fieldsOf(state: LimitState, members: readonly string[]): readonly Field[] {
  if (Object.keys(state).sort().join() !== [...members].sort().join()) {
    throw new TypeError(`state: expected the members ${members.join(", ")}`);
  }
  return members.flatMap((name) => {
    const member = state[name]!;
    if (!Array.isArray(member)) return [checkWhole(`state: ${name}`, member)];
    return member.flat().map((each) => checkWhole(`state: ${name}`, each));
  });
}
