// SPDX-License-Identifier: MIT
// The most frequent values of the column under the pointer, or of the focused cell.

import type { CellMenu } from "./cell_menu.js";
import { cellText } from "./cells.js";
import { button, byId, element } from "./dom.js";
import type { Panel } from "./panel.js";
import type { ParseResult } from "./parse_result.js";
import type { Source, TopValue } from "./source.js";

const PAUSE = 150; // milliseconds that the pointer has to stay on a column

/** The top values of a column, under the conditions on other columns. A click selects one. */
export class TopPanel implements Panel {
  readonly container = byId("top");
  #column: string | null = null;
  #query: string | null = null;
  #loading = new AbortController();
  #timer = 0;

  constructor(
    private readonly source: Source,
    private readonly menu: CellMenu,
    private readonly onProblem: (reason: unknown) => void,
  ) {
    this.container.hidden = this.#columns.length === 0;
  }

  get #columns(): readonly string[] {
    return this.source.description.tops ?? [];
  }

  /** Shows a column once the pointer has stayed on it. */
  point(column: string): void {
    clearTimeout(this.#timer);
    if (column === this.#column || !this.#columns.includes(column)) return;
    this.#timer = setTimeout(() => {
      this.#column = column;
      if (this.#query === null) return; // a query is being loaded
      this.#loading.abort();
      const { signal } = (this.#loading = new AbortController());
      this.#show(this.#query, signal).catch((reason: unknown) => signal.aborted || this.onProblem(reason));
    }, PAUSE);
  }

  async load({ rowsQuery }: ParseResult, signal: AbortSignal): Promise<void> {
    this.#loading.abort();
    this.#query = rowsQuery;
    await this.#show(rowsQuery, signal);
  }

  async #show(query: string, signal: AbortSignal): Promise<void> {
    const column = this.#column;
    if (column === null) return;
    const values = await this.source.top(query, column, signal);
    signal.throwIfAborted();
    if (column === this.#column) this.#draw(column, values);
  }

  #draw(column: string, values: readonly TopValue[]): void {
    const most = values[0]?.count ?? 1;
    const items = values.map((value) => this.#item(column, value, most));
    const list = items.length > 0 ? element("ol", {}, ...items) : element("p", { class: "quiet" }, "No values.");
    this.container.replaceChildren(element("h2", {}, `Top ten of ${column}`), list);
  }

  #item(column: string, { value, count, place }: TopValue, most: number): HTMLElement {
    const text = cellText(value);
    const select = this.menu.choicesOf(column, text).find(([label]) => label === "Only this");
    const shown = place === undefined ? text : `${text} (${place})`;
    const bar = element("span", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${(count / most) * 4}rem`;
    const number = element("span", { class: "count" }, count.toLocaleString("en"), " ", bar);
    const name = select ? button(shown, () => this.menu.change(select[1])) : element("span", {}, shown);
    name.title = shown;
    return element("li", {}, name, number);
  }
}
