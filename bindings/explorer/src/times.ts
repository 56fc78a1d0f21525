// SPDX-License-Identifier: MIT
// Formatted times, and the axis shared by the window and the histogram.

import type { Window } from "@sluice/sluice";

/** Margins of the axis in pixels; on the left for the numbers of the histogram. */
export const MARGINS = { left: 60, right: 12 } as const;
const TICK_WIDTH = 140; // pixels for the text of a tick
const MINUTE = 60_000;
const DAY = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  const cached = formats.get(timezone);
  if (cached) return cached;
  const twoDigits = "2-digit";
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone, calendar: "gregory", numberingSystem: "latn", hourCycle: "h23", year: "numeric",
    month: twoDigits, day: twoDigits, hour: twoDigits, minute: twoDigits, second: twoDigits,
    fractionalSecondDigits: 3, timeZoneName: "longOffset",
  });
  formats.set(timezone, format);
  return format;
}

/**
 * A moment as RFC 3339 text in a zone, such as `2026-08-01T09:00:00.000+09:00`, which parameters
 * accept.
 */
export function momentIn(timezone: string, moment: Date | number): string {
  const parts = new Map(formatOf(timezone).formatToParts(moment).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const day = `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
  const clock = `${part("hour")}:${part("minute")}:${part("second")}.${part("fractionalSecond")}`;
  const offset = part("timeZoneName").replace("GMT", "");
  return `${day}T${clock}${offset === "" || offset === "+00:00" ? "Z" : offset}`;
}

/** The span of time that is drawn, in milliseconds since 1970. */
export interface TimeSpan {
  readonly low: number;
  readonly high: number;
  readonly timezone: string;
}

/** The axis of the last valid query, with its listeners. */
export class TimeAxis {
  #span: TimeSpan | null = null;
  #window: Window | null = null;
  #now = 0;
  /** The extent of the data, from histograms of open windows. */
  #extent: { readonly start: number; readonly end: number } | null = null;
  #listeners: (() => void)[] = [];

  get span(): TimeSpan | null {
    return this.#span;
  }
  /** Calls a function whenever the span changes. */
  listen(listener: () => void): void {
    this.#listeners.push(listener);
  }
  /** Shows a window and the current time. Its open ends are those of the data, or a year ago. */
  show(window: Window, now: number): void {
    [this.#window, this.#now] = [window, now];
    this.#update();
  }
  /** Sets the extent of the data, from a histogram; it counts for open ends of windows. */
  extend(start: number, end: number): void {
    this.#extent = { start, end };
    this.#update();
  }

  /** Computes the span, with 5 % of it on either side. */
  #update(): void {
    if (!this.#window) return;
    const { start, timezone } = this.#window;
    const end: Date | null = this.#window.end;
    const last = Math.max(end?.getTime() ?? this.#extent?.end ?? this.#now, this.#now);
    const first = start?.getTime() ?? this.#extent?.start ?? last - 365 * DAY;
    const length = Math.max(MINUTE, last - first);
    const span = { low: last - length * 1.05, high: last + length * 0.05, timezone };
    if (JSON.stringify(span) === JSON.stringify(this.#span)) return;
    this.#span = span;
    for (const listener of this.#listeners) listener();
  }
}

/** Evenly spaced moments of a span, with texts as short as their distance allows. */
export function ticksOf({ low, high, timezone }: TimeSpan, width: number): readonly [moment: number, text: string][] {
  const count = Math.max(2, Math.floor((width - MARGINS.left - MARGINS.right) / TICK_WIDTH));
  const step = (high - low) / count;
  const shape = step >= DAY ? "YYYY-MM-DD" : step >= MINUTE ? "YYYY-MM-DDThh:mm" : "YYYY-MM-DDThh:mm:ss";
  return Array.from({ length: count }, (_, index) => {
    const moment = low + step * (index + 0.5);
    return [moment, momentIn(timezone, moment).slice(0, shape.length)];
  });
}
