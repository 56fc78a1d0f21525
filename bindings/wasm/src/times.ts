// SPDX-License-Identifier: MIT
// Single times and windows.

import { checkChoice, checkOptions, checkText } from "./checks.js";
import { call } from "./module.js";
import { pairFields, type QueryParameters, toMilliseconds } from "./query_text.js";

/** The length of a window: a count of units, such as `6h` or `14d`, or a word. */
export type Interval = `${number}${"min" | "h" | "d" | "w" | "mo" | "y"}` | "mtd" | "qtd" | "ytd" | "all";

/** A window of time, both ends inclusive. An empty window starts a millisecond after its end. */
export interface Window {
  /** The first moment; null without a bound. */
  readonly start: Date | null;
  /** The last moment, to the millisecond; null without a bound. */
  readonly end: Date | null;
  /** The interval that determines the start; null if the request has a start. */
  readonly interval: Interval | null;
  /** The IANA zone of days and local times. */
  readonly timezone: string;
}

export interface TimeOptions {
  /** The time that `yesterday` and the like refer to; the current time by default. */
  readonly now?: Date | number;
  /** The end of a day or another period that is meant: its first or its last millisecond. */
  readonly edge?: "start" | "end";
  /** An IANA zone in any case; UTC by default. */
  readonly timezone?: string;
}

/**
 * Resolves a time of a request: `2026-08-21`, `3 days ago`, `last month` ...
 *
 * @throws ApiError
 */
export function resolveTime(text: string, options: TimeOptions = {}): Date {
  checkOptions("resolveTime", options, ["now", "edge", "timezone"]);
  const { now, edge = "start", timezone = "UTC" } = options;
  checkChoice("edge", edge, ["start", "end"]);
  return call("time_resolve", checkText("time", text), toMilliseconds(now), edge, checkText("timezone", timezone));
}

export interface WindowOptions {
  readonly interval?: Interval;
  readonly start?: string | Date;
  readonly end?: string | Date;
  readonly timezone?: string;
  readonly now?: Date | number;
}

/**
 * Resolves the four parameters of a window.
 *
 * @throws ApiError
 */
export function resolveWindow(options: WindowOptions = {}): Window {
  checkOptions("resolveWindow", options, ["interval", "start", "end", "timezone", "now"]);
  const { now, ...parameters } = options;
  return call("window_resolve", toMilliseconds(now), ...pairFields(parameters as QueryParameters));
}
