// SPDX-License-Identifier: MIT
// The window of a query on a time line, in its zone, and the inputs that change it.

import type { Window } from "@sluice/sluice";

import { byId, element, svgElement } from "./dom.js";
import type { Names, WindowNames } from "./names.js";
import type { Panel } from "./panel.js";
import type { ParseResult } from "./parse_result.js";
import { withValue } from "./query_pairs.js";
import type { PageState } from "./state.js";
import { MARGINS, momentIn, ticksOf, type TimeAxis, type TimeSpan } from "./times.js";

const INTERVALS = ["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"];
const AXIS = 34; // the axis's distance from the top, in the units of the drawing

/** The section with the window's inputs and its time line; hidden for endpoints without a window. */
export class WindowSection implements Panel {
  readonly container = byId("timeline");
  readonly #interval = byId<HTMLSelectElement>("interval");
  readonly #zone = byId<HTMLInputElement>("timezone");
  #drawn: { readonly window: Window; readonly now: number } | null = null;

  constructor(
    private readonly names: Names,
    private readonly axis: TimeAxis,
    state: PageState,
  ) {
    byId("window").hidden = names.window === null;
    if (names.window) this.#start(names.window, state);
    axis.listen(() => this.#draw());
    new ResizeObserver(() => this.#draw()).observe(this.container);
  }

  /** Draws the window of a query; keeps the previous one if the query has errors. */
  show({ query, now }: ParseResult): void {
    const window = query && this.names.windowOf(query);
    if (!window) return;
    this.#showInterval(window.interval ?? "");
    this.#zone.value = window.timezone;
    this.#drawn = { window, now };
    this.axis.show(window, now);
    this.#draw();
  }

  /** Sets up the inputs. */
  #start(names: WindowNames, state: PageState): void {
    for (const interval of ["", ...INTERVALS]) this.#showInterval(interval);
    this.#interval.addEventListener("change", () => {
      const times = withValue(withValue(state.current.query, names.start, null), names.end, null);
      state.change({ query: withValue(times, names.interval, this.#interval.value || null) });
    });
    const zones = Intl.supportedValuesOf("timeZone").map((zone) => element("option", { value: zone }));
    byId("timezones").replaceChildren(...zones);
    this.#zone.addEventListener("change", () => {
      state.change({ query: withValue(state.current.query, names.timezone, this.#zone.value || null) });
    });
    byId("window-form").addEventListener("submit", (event) => event.preventDefault());
  }

  /** Selects an interval; adds it if it isn't offered yet, such as a query's `6h`. */
  #showInterval(interval: string): void {
    this.#interval.value = interval;
    if (this.#interval.selectedIndex >= 0) return;
    this.#interval.append(element("option", { value: interval }, interval || "by default"));
    this.#interval.value = interval;
  }

  #draw(): void {
    const { span } = this.axis;
    const width = this.container.clientWidth;
    if (!this.#drawn || !span || width === 0) return;
    const { window, now } = this.#drawn;
    this.container.replaceChildren(draw(window, now, span, width), wordsOf(window));
  }
}

function wordsOf({ start, end, timezone }: Window): HTMLElement {
  const [from, to] = [textOf(start, timezone, "beginning"), textOf(end, timezone, "end")];
  return element("p", { class: "quiet" }, `From ${from} to ${to}, in ${timezone}`);
}

/** The text of an end of the window; `open` names an end without a bound. */
function textOf(moment: Date | null, timezone: string, open: string): string {
  return moment ? momentIn(timezone, moment) : `the ${open}`;
}

/** The window as a bar on an axis with some time before and after it. */
function draw({ start, end, timezone }: Window, now: number, span: TimeSpan, width: number): SVGElement {
  const right = width - MARGINS.right;
  const at = (moment: number) =>
    MARGINS.left + ((moment - span.low) / (span.high - span.low)) * (right - MARGINS.left);
  const from = start ? at(start.getTime()) : MARGINS.left;
  const to = end ? at(end.getTime()) : right;
  const bar = { class: "span", x: from, y: AXIS - 14, height: 12, width: Math.max(2, to - from) };
  return svgElement(
    "svg",
    { viewBox: `0 0 ${width} 60`, role: "img", "aria-label": `The window, until ${textOf(end, timezone, "end")}` },
    svgElement("rect", bar),
    svgElement("line", { class: "axis", x1: MARGINS.left, x2: right, y1: AXIS, y2: AXIS }),
    svgElement("line", { class: "now", x1: at(now), x2: at(now), y1: AXIS - 22, y2: AXIS + 6 }),
    ...ticksOf(span, width).flatMap(([moment, text]) => tick(at(moment), text)),
  );
}

function tick(x: number, text: string): readonly SVGElement[] {
  return [
    svgElement("line", { class: "axis", x1: x, x2: x, y1: AXIS, y2: AXIS + 6 }),
    svgElement("text", { x, y: AXIS + 20, "text-anchor": "middle" }, text),
  ];
}
