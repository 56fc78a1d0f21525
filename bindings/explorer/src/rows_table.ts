// SPDX-License-Identifier: MIT
// A table of rows that draws only the visible ones.

import "regular-table";

import type { RegularTableElement } from "regular-table/dist/esm/regular-table.js";

import { CellMenu, whyUnfiltered } from "./cell_menu.js";
import { cellAt, cellText, timeText } from "./cells.js";
import { button, byId, countText, element } from "./dom.js";
import type { Names } from "./names.js";
import type { Panel } from "./panel.js";
import { parseQuery, type ParseResult } from "./parse_result.js";
import { RowCache } from "./row_cache.js";
import type { Source } from "./source.js";
import type { PageState } from "./state.js";

/** The distances by which keys move the focus, in cells. */
const MOVES: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
  PageUp: [0, -15], PageDown: [0, 15],
};
const WAITING = "…";
const COUNTING = "Counting …";

/** The order of the rows. */
interface Order {
  readonly column: string;
  readonly direction: "asc" | "desc";
}

/** The table, and the number of its rows. Positions are columns `x` and rows `y`, from 0. */
export class RowsTable implements Panel {
  readonly container = byId("rows-part");
  readonly #headers: readonly HTMLElement[];
  readonly #table = document.createElement("regular-table");
  #cache: RowCache | null = null;
  #count = 0;
  #focused = { x: 0, y: 0 };
  #timezone = "UTC";
  #order: Order | undefined;

  constructor(
    private readonly source: Source,
    private readonly names: Names,
    private readonly state: PageState,
    private readonly menu: CellMenu,
    private readonly onColumn: (column: string) => void,
    private readonly onProblem: (reason: unknown) => void,
  ) {
    const { columns } = source.description;
    this.#headers = columns.map((column) => this.#head(column));
    this.#table.setDataListener(async (x0, y0, x1, y1) => {
      const rows = this.#cache?.rows(y0, Math.min(y1, this.#count)) ?? [];
      const shown = columns.slice(x0, x1);
      const text = (row: (typeof rows)[number], column: string) =>
        row ? this.#text(cellAt(row, column), column) : WAITING;
      return {
        num_rows: this.#count,
        num_columns: columns.length,
        // Heads may be elements, although the package's types don't allow it.
        column_headers: this.#headers.slice(x0, x1).map((head) => [head as unknown as string]),
        data: shown.map((column) => rows.map((row) => text(row, column))),
      };
    }, { virtual_mode: "both" });
    this.#table.addStyleListener(() => this.#style());
    this.#table.addEventListener("click", (event) => this.#open(event.target));
    this.#table.addEventListener("keydown", (event) => this.#onKey(event));
    for (const name of ["pointerover", "focusin"]) this.#table.addEventListener(name, (event) => this.#onPoint(event));
    this.#table.setAttribute("role", "region");
    this.#table.setAttribute("aria-label", "Rows");
    byId("table-place").append(this.#table);
  }

  async load({ rowsQuery, query }: ParseResult, signal: AbortSignal): Promise<void> {
    const timezone = (query && this.names.windowOf(query)?.timezone) || "UTC";
    const order = query?.tree().order[0];
    this.#cache?.close();
    const count = await this.#showCounting(this.source.count(rowsQuery, signal), signal);
    this.#cache = new RowCache(this.source, rowsQuery, () => void this.#table.draw(), this.onProblem);
    [this.#count, this.#timezone, this.#order] = [count, timezone, order];
    this.#focused = { x: 0, y: 0 };
    byId("row-count").textContent = countText(count, "row");
    this.#table.scrollTop = 0;
    await this.#table.draw();
  }

  /** Shows a message while rows are being counted; returns their number. */
  async #showCounting(counting: Promise<number>, signal: AbortSignal): Promise<number> {
    const place = byId("row-count");
    const before = place.textContent;
    place.textContent = COUNTING;
    const restore = () => {
      if (place.textContent === COUNTING) place.textContent = before;
    };
    signal.addEventListener("abort", restore, { once: true });
    const count = await counting.finally(restore);
    signal.throwIfAborted();
    return count;
  }

  /** The displayed text of a value. */
  #text(value: unknown, column: string): string {
    return this.names.times.has(column) ? timeText(value, this.#timezone) : cellText(value);
  }

  /** The head of a column; a button if the endpoint can sort by it. */
  #head(column: string): HTMLElement {
    const { description } = this.source;
    const isFiltered = Object.hasOwn(description.filters, column);
    const title = isFiltered ? "" : whyUnfiltered(description, this.names, column);
    const sort = this.names.sorts.get(column);
    const head = sort ? button(column, () => this.#sort(column)) : element("span", {}, column);
    if (title) head.title = title;
    return head;
  }

  /** Sorts by a column: ascending, or reversed if it is sorted already. */
  #sort(column: string): void {
    const sort = this.names.sorts.get(column)!;
    const text = this.state.current.query;
    const { query } = parseQuery(this.source, this.names, text);
    const order = query ? query.tree().order[0] : this.#order;
    query?.free();
    const isDescending = order?.column === sort.column && order.direction === "asc";
    this.state.change({ query: sort.write(text, isDescending) });
  }

  /** Marks the column that the rows are sorted by. */
  #styleHeads(): void {
    for (const head of this.#table.querySelectorAll("thead th")) {
      const column = this.source.description.columns[positionOf(this.#table, head as HTMLElement).x] ?? "";
      const sort = this.names.sorts.get(column);
      if (!sort) head.removeAttribute("aria-sort");
      else if (this.#order?.column !== sort.column) head.setAttribute("aria-sort", "none");
      else head.setAttribute("aria-sort", this.#order.direction === "asc" ? "ascending" : "descending");
    }
  }

  /** Makes one cell focusable by Tab; arrow keys choose which. */
  #style(): void {
    this.#styleHeads();
    for (const cell of this.#table.querySelectorAll("td")) {
      const { x, y } = positionOf(this.#table, cell);
      cell.tabIndex = x === this.#focused.x && y === this.#focused.y ? 0 : -1;
      cell.classList.toggle("waiting", cell.textContent === WAITING);
    }
    const first = this.#table.querySelector("td");
    if (first && !this.#table.querySelector('td[tabindex="0"]')) first.tabIndex = 0;
  }

  #onKey(event: KeyboardEvent): void {
    const cell = (event.target as HTMLElement).closest("td");
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#open(event.target);
    }
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    const { x, y } = positionOf(this.#table, cell);
    const clamp = (index: number, size: number) => Math.max(0, Math.min(size - 1, index));
    const columns = this.source.description.columns.length;
    this.#focused = { x: clamp(x + move[0], columns), y: clamp(y + move[1], this.#count) };
    void this.#focusCell();
  }

  /** Scrolls to the cell at #focused, if it isn't visible, and focuses it. */
  async #focusCell(): Promise<void> {
    if (!this.#cellAt()) {
      await this.#table.scrollToCell(Math.max(0, this.#focused.x - 1), Math.max(0, this.#focused.y - 5));
      await this.#table.draw();
    }
    this.#style();
    const cell = this.#cellAt();
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** The visible cell at #focused, if there is one. */
  #cellAt(): HTMLElement | undefined {
    const cells = [...this.#table.querySelectorAll("td")];
    return cells.find((cell) => {
      const { x, y } = positionOf(this.#table, cell);
      return x === this.#focused.x && y === this.#focused.y && isVisible(cell, this.#table);
    });
  }

  /** Reports the column of the cell or head that an event is about. */
  #onPoint({ target }: Event): void {
    const cell = (target as HTMLElement).closest<HTMLElement>("td, th");
    const column = cell && this.source.description.columns[positionOf(this.#table, cell).x];
    if (column) this.onColumn(column);
  }

  /** Opens the menu of the cell that contains the target of an event. */
  #open(target: EventTarget | null): void {
    const element = (target as HTMLElement | null)?.closest("td");
    if (!element) return;
    const { x, y } = positionOf(this.#table, element);
    const row = this.#cache?.row(y);
    const column = this.source.description.columns[x];
    if (!row || column === undefined) return;
    this.#focused = { x, y };
    this.#style();
    const value = cellAt(row, column);
    this.menu.open({ column, value, text: this.#text(value, column), row, element });
  }
}

/** The position of a cell or a head; -1 where it has none. */
function positionOf(table: RegularTableElement, cell: HTMLElement): { x: number; y: number } {
  const { x = -1, y = -1 } = (table.getMeta(cell) ?? {}) as { x?: number; y?: number };
  return { x, y };
}

function isVisible(cell: HTMLElement, table: HTMLElement): boolean {
  const [inner, outer] = [cell.getBoundingClientRect(), table.getBoundingClientRect()];
  return inner.bottom <= outer.bottom + 1 && inner.top >= outer.top && inner.left < outer.right - 20;
}
