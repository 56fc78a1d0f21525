// SPDX-License-Identifier: MIT
// The window of a query on a line of time, in its zone; and what changes it.

import type { Window } from "@sluice/sluice";

import type { Asked } from "./asked.js";
import { byId, drawn, element } from "./dom.js";
import type { Names, WindowNames } from "./names.js";
import { withValue } from "./query_pairs.js";
import type { PageState } from "./state.js";

const INTERVALS = ["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"];
const AXIS = 34;
const TICK_WIDTH = 110;

/** The section of the window. */
export class WindowSection {
  readonly #interval = byId<HTMLSelectElement>("interval");
  readonly #zone = byId<HTMLInputElement>("timezone");
  #drawn: { readonly window: Window; readonly now: number } | null = null;

  constructor(private readonly names: Names, state: PageState) {
    byId("window").hidden = names.window === null;
    if (names.window) this.#start(names.window, state);
    new ResizeObserver(() => this.#draw()).observe(byId("timeline"));
  }

  /** Draws the window of a query; that of one with errors stays as it was. */
  show({ query, now }: Asked): void {
    const window = query && this.names.windowOf(query);
    if (!window) return;
    this.#interval.value = window.interval ?? "";
    this.#zone.value = window.timezone;
    this.#drawn = { window, now };
    this.#draw();
  }

  #start(names: WindowNames, state: PageState): void {
    const options = ["", ...INTERVALS].map((each) => element("option", { value: each }, each || "by default"));
    this.#interval.replaceChildren(...options);
    this.#interval.addEventListener("change", () => {
      const times = withValue(withValue(state.current.query, names.start, null), names.end, null);
      state.change({ query: withValue(times, names.interval, this.#interval.value || null) });
    });
    const zones = Intl.supportedValuesOf("timeZone").map((each) => element("option", { value: each }));
    byId("timezones").replaceChildren(...zones);
    this.#zone.addEventListener("change", () => {
      state.change({ query: withValue(state.current.query, names.timezone, this.#zone.value || null) });
    });
    byId("window-form").addEventListener("submit", (event) => event.preventDefault());
  }

  #draw(): void {
    const place = byId("timeline");
    if (!this.#drawn || place.clientWidth === 0) return;
    const { window, now } = this.#drawn;
    place.replaceChildren(draw(window, now, place.clientWidth), wordsOf(window));
  }
}

/** A moment as people of a zone write it. */
export function momentIn(timezone: string, moment: Date | number): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone, weekday: "short", year: "numeric", month: "short", day: "numeric",
    hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "shortOffset",
  });
  return format.format(moment);
}

function wordsOf({ start, end, timezone }: Window): HTMLElement {
  const from = start ? momentIn(timezone, start) : "the beginning";
  return element("p", { class: "quiet" }, `From ${from} to ${momentIn(timezone, end)}, in ${timezone}`);
}

/** The window as a bar on an axis that shows some time before and after it. */
function draw({ start, end, timezone }: Window, now: number, width: number): SVGElement {
  const last = Math.max(end.getTime(), now);
  const length = Math.max(60_000, last - (start?.getTime() ?? last - 365 * 86_400_000));
  const [low, high] = [last - length * 1.12, last + length * 0.05];
  const at = (moment: number) => ((moment - low) / (high - low)) * width;
  const from = start ? at(start.getTime()) : 0;
  const long = Math.max(2, at(end.getTime()) - from);
  const bar = { class: "span", x: from, y: AXIS - 14, height: 12, width: long };
  const moments = ticks(low, high, Math.max(2, Math.floor(width / TICK_WIDTH) - 1), timezone);
  return drawn(
    "svg",
    { viewBox: `0 0 ${width} 60`, role: "img", "aria-label": `The window, until ${momentIn(timezone, end)}` },
    drawn("rect", bar),
    drawn("line", { class: "axis", x1: 0, x2: width, y1: AXIS, y2: AXIS }),
    drawn("line", { class: "now", x1: at(now), x2: at(now), y1: AXIS - 22, y2: AXIS + 6 }),
    ...moments.flatMap(({ moment, text }) => tick(at(moment), text)),
  );
}

function tick(x: number, text: string): readonly SVGElement[] {
  return [
    drawn("line", { class: "axis", x1: x, x2: x, y1: AXIS, y2: AXIS + 6 }),
    drawn("text", { x, y: AXIS + 20, "text-anchor": "middle" }, text),
  ];
}

/** Some moments in equal distances, written as short as their distance allows. */
function ticks(
  low: number,
  high: number,
  count: number,
  timezone: string,
): readonly { readonly moment: number; readonly text: string }[] {
  const step = (high - low) / (count + 1);
  const time = step < 86_400_000 ? { hour: "2-digit", minute: "2-digit" } as const : {};
  const day = { month: "short", day: "numeric" } as const;
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: timezone, ...day, ...time });
  return Array.from({ length: count }, (_, index) => {
    const moment = low + step * (index + 1);
    return { moment, text: format.format(moment) };
  });
}
