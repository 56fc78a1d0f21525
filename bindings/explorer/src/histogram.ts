// SPDX-License-Identifier: MIT
// How many rows there are over time. A click on a bar, or on its line of the list, makes it the window.

import uPlot from "uplot";

import type { Asked } from "./asked.js";
import { button, byId, counted, element } from "./dom.js";
import type { Names } from "./names.js";
import type { Panel } from "./panel.js";
import { withValue } from "./query_pairs.js";
import type { Histogram, Source } from "./source.js";
import type { PageState } from "./state.js";
import { momentIn } from "./timeline.js";

const BUCKETS = 48;
const HEIGHT = 150;

export class HistogramPanel implements Panel {
  #plot: uPlot | null = null;

  constructor(
    private readonly source: Source,
    private readonly names: Names,
    private readonly state: PageState,
  ) {
    new ResizeObserver(() => this.#fit()).observe(byId("histogram"));
  }

  async load({ rows, query }: Asked, signal: AbortSignal): Promise<void> {
    if (!this.names.window) return;
    const timezone = (query && this.names.windowOf(query)?.timezone) || "UTC";
    const buckets = Math.min(BUCKETS, this.source.description.buckets ?? BUCKETS);
    const found = await this.source.histogram(rows, buckets, signal);
    signal.throwIfAborted();
    this.#plot?.destroy();
    this.#plot = null;
    byId("histogram").replaceChildren();
    if (found && found.counts.length > 0) this.#draw(found, timezone);
  }

  #draw(found: Histogram, timezone: string): void {
    const place = element("div", { role: "img", "aria-label": labelOf(found, timezone) });
    byId("histogram").replaceChildren(place, this.#list(found, timezone));
    const { start, counts } = found;
    const times = counts.map((_, index) => (start + widthOf(found) * (index + 0.5)) / 1_000);
    this.#plot = new uPlot(optionsOf(found, place.clientWidth, timezone), [times, [...counts]], place);
    this.#plot.over.addEventListener("click", () => {
      const index = this.#plot?.cursor.idx;
      if (index !== null && index !== undefined) this.#choose(found, index);
    });
  }

  /** The same for the keyboard and for screen readers. */
  #list(found: Histogram, timezone: string): HTMLElement {
    const items = found.counts.flatMap((count, index) => {
      const text = `${momentIn(timezone, found.start + widthOf(found) * index)}: ${counted(count, "row")}`;
      return count > 0 ? [element("li", {}, button(text, () => this.#choose(found, index)))] : [];
    });
    const title = element("summary", {}, "Rows over time as a list");
    return element("details", {}, title, element("ul", {}, ...items));
  }

  /** Makes the window that of a bar. */
  #choose(found: Histogram, index: number): void {
    const names = this.names.window!;
    const [start, end] = [found.start + widthOf(found) * index, found.start + widthOf(found) * (index + 1) - 1];
    const text = (moment: number) => new Date(Math.round(moment)).toISOString();
    let query = withValue(this.state.current.query, names.interval, null);
    query = withValue(query, names.start, text(start));
    this.state.change({ query: withValue(query, names.end, text(Math.max(start, end))) });
  }

  #fit(): void {
    const width = byId("histogram").clientWidth;
    if (this.#plot && width > 0) this.#plot.setSize({ width, height: HEIGHT });
  }
}

function widthOf({ start, end, counts }: Histogram): number {
  return Math.max(1, (end - start + 1) / counts.length);
}

function labelOf({ start, end, counts }: Histogram, timezone: string): string {
  const [from, to] = [momentIn(timezone, start), momentIn(timezone, end)];
  const most = Math.max(...counts);
  return `Rows over time from ${from} to ${to}, at most ${most} in one of ${counts.length} parts`;
}

/** Bars without a legend, in the page's own colours. */
function optionsOf({ start, end }: Histogram, width: number, timezone: string): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name);
  const [line, accent] = [{ stroke: colour("--soft-line"), width: 1 }, colour("--accent")];
  const axis = { stroke: colour("--text"), grid: line, ticks: line };
  return {
    width: Math.max(200, width),
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), timezone),
    scales: {
      x: { range: [start / 1_000, end / 1_000] },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.05)] },
    },
    axes: [axis, { ...axis, size: 48 }],
    series: [
      {},
      { fill: accent, stroke: accent, paths: uPlot.paths.bars!({ size: [0.85] }), points: { show: false } },
    ],
  };
}
