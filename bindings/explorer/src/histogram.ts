// SPDX-License-Identifier: MIT
// The number of rows over time. A click on a bar, or on its item in the list, selects its window.

import uPlot from "uplot";

import { button, byId, countText, element } from "./dom.js";
import type { Names } from "./names.js";
import type { Panel } from "./panel.js";
import type { ParseResult } from "./parse_result.js";
import { withValue } from "./query_pairs.js";
import type { Histogram, Source } from "./source.js";
import type { PageState } from "./state.js";
import { MARGINS, momentIn, ticksOf, type TimeAxis } from "./times.js";

const HEIGHT = 150; // pixels

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** The histogram, drawn by uPlot, whose times are in seconds; all others are in milliseconds. */
export class HistogramPanel implements Panel {
  readonly container = byId("histogram");
  #plot: uPlot | null = null;

  constructor(
    private readonly source: Source,
    private readonly names: Names,
    private readonly state: PageState,
    private readonly axis: TimeAxis,
  ) {
    axis.listen(() => this.#plot?.setScale("x", this.#range()));
    new ResizeObserver(() => this.#fit()).observe(this.container);
  }

  async load({ rowsQuery, query }: ParseResult, signal: AbortSignal): Promise<void> {
    if (!this.names.window) return;
    const timezone = (query && this.names.windowOf(query)?.timezone) || "UTC";
    const histogram = await this.source.histogram(rowsQuery, signal);
    signal.throwIfAborted();
    this.#plot?.destroy();
    this.#plot = null;
    this.container.replaceChildren();
    if (!histogram || histogram.counts.length === 0) return;
    this.axis.extend(histogram.starts[0]!, spanOf(histogram, histogram.starts.length - 1).end);
    this.#draw(histogram, timezone);
  }

  #draw(histogram: Histogram, timezone: string): void {
    const place = element("div", { role: "img", "aria-label": labelOf(histogram, timezone) });
    this.container.replaceChildren(place, this.#list(histogram, timezone));
    const { counts } = histogram;
    const times = counts.map((_, index) => middleOf(spanOf(histogram, index)) / 1_000);
    this.#plot = new uPlot(this.#options(place.clientWidth), [times, [...counts]], place);
    this.#plot.over.addEventListener("click", () => {
      const index = this.#plot?.cursor.idx;
      if (index !== null && index !== undefined) this.#selectBar(histogram, index);
    });
  }

  /** The histogram as a list, for keyboards and screen readers. */
  #list(histogram: Histogram, timezone: string): HTMLElement {
    const items = histogram.counts.flatMap((count, index) => {
      const text = `${momentIn(timezone, histogram.starts[index]!)}: ${countText(count, "row")}`;
      return count > 0 ? [element("li", {}, button(text, () => this.#selectBar(histogram, index)))] : [];
    });
    const title = element("summary", {}, "Rows over time as a list");
    return element("details", {}, title, element("ul", {}, ...items));
  }

  /** Sets the window to that of a bar. */
  #selectBar(histogram: Histogram, index: number): void {
    const names = this.names.window!;
    const { start, end } = spanOf(histogram, index);
    const text = (moment: number) => new Date(moment).toISOString();
    let query = withValue(this.state.current.query, names.interval, null);
    query = withValue(query, names.start, text(start));
    this.state.change({ query: withValue(query, names.end, text(end)) });
  }

  /** Adapts the plot to the width of the page. */
  #fit(): void {
    const width = this.container.clientWidth;
    if (this.#plot && width > 0) this.#plot.setSize({ width, height: HEIGHT });
  }

  /** The span of the axis, in seconds. */
  #range(): { readonly min: number; readonly max: number } {
    const { low, high } = this.axis.span ?? { low: 0, high: 1_000 };
    return { min: low / 1_000, max: high / 1_000 };
  }

  /** Bars without a legend, in the page's colours, on the axis of the window. */
  #options(width: number): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name);
    const [line, accent] = [{ stroke: colour("--soft-line"), width: 1 }, colour("--accent")];
    const axis = { stroke: colour("--text"), grid: line, ticks: line };
    const ticks = (plot: uPlot) => (this.axis.span ? ticksOf(this.axis.span, plot.width) : []);
    return {
      width: Math.max(200, width),
      height: HEIGHT,
      padding: [8, MARGINS.right, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      scales: {
        x: { range: () => [this.#range().min, this.#range().max] },
        y: { range: (_, __, most) => [0, Math.max(1, most * 1.05)] },
      },
      axes: [
        {
          ...axis,
          splits: (plot) => ticks(plot).map(([moment]) => moment / 1_000),
          values: (plot) => ticks(plot).map(([, text]) => text),
        },
        { ...axis, size: MARGINS.left, values: (_, counts) => counts.map((count) => COMPACT.format(count)) },
      ],
      series: [
        {},
        { fill: accent, stroke: accent, paths: uPlot.paths.bars!({ size: [0.85] }), points: { show: false } },
      ],
    };
  }
}

/** A span of time, inclusive. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The time of a bar. */
function spanOf({ starts, end }: Histogram, index: number): Span {
  const start = starts[index]!;
  return { start, end: Math.max(start, (starts[index + 1] ?? end! + 1) - 1) };
}

function middleOf({ start, end }: Span): number {
  return (start + end + 1) / 2;
}

/** Describes the histogram for screen readers. */
function labelOf(histogram: Histogram, timezone: string): string {
  const { starts, end, counts } = histogram;
  const [from, to] = [momentIn(timezone, starts[0]!), momentIn(timezone, end!)];
  const maximum = Math.max(...counts);
  return `Rows over time from ${from} to ${to}, at most ${maximum} in one of ${counts.length} parts`;
}
