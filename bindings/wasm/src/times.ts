// SPDX-License-Identifier: MIT
// Times and windows on their own.

import { checkChoice, checkOptions, checkText } from "./checks.js";
import { revive } from "./expressions.js";
import { call } from "./module.js";
import { toMilliseconds, toQueryString } from "./query_text.js";

export type Interval = "24h" | "7d" | "30d" | "90d" | "1y" | "mtd" | "qtd" | "ytd" | "all";

/** A window of time, both ends inclusive. Empty, it starts a millisecond after its end. */
export interface Window {
  /** The first moment; null where there is no bound. */
  readonly start: Date | null;
  /** The last moment, to the millisecond; null where there is no bound. */
  readonly end: Date | null;
  /** What the start was counted back by; null where a start was given. */
  readonly interval: Interval | null;
  /** The IANA zone in which days and local times were read. */
  readonly timezone: string;
}

export interface TimeOptions {
  /** What `yesterday` and the like count from; the present by default. */
  readonly now?: Date | number;
  /** Which end of a day or another period is meant: its first or its last millisecond. */
  readonly edge?: "start" | "end";
  /** An IANA zone in any case; UTC by default. */
  readonly timezone?: string;
}

/**
 * The moment of a time as requests have it: `2026-08-21`, `3 days ago`, `last month` ...
 *
 * @throws ApiError
 */
export function resolveTime(text: string, options: TimeOptions = {}): Date {
  checkOptions("resolveTime", options, ["now", "edge", "timezone"]);
  const { now, edge = "start", timezone = "UTC" } = options;
  checkChoice("edge", edge, ["start", "end"]);
  return revive(call("time_resolve", checkText("time", text), toMilliseconds(now), edge, timezone)) as Date;
}

export interface WindowOptions {
  readonly interval?: Interval;
  readonly start?: string | Date;
  readonly end?: string | Date;
  readonly timezone?: string;
  readonly now?: Date | number;
}

/**
 * What the four parameters of a window come to.
 *
 * @throws ApiError
 */
export function resolveWindow(options: WindowOptions = {}): Window {
  checkOptions("resolveWindow", options, ["interval", "start", "end", "timezone", "now"]);
  const { now, ...given } = options;
  return revive(call("window_resolve", toQueryString(given), toMilliseconds(now))) as Window;
}
