// SPDX-License-Identifier: MIT
// Rows of a query by number, fetched in pages, of which a limited number is kept.

import type { Row, Source } from "./source.js";

export const PAGE_ROWS = 200; // rows per request
const MOST_PAGES = 40; // in memory; beyond them the page that was stored first is dropped
const PAUSE = 40; // milliseconds; rows that are scrolled past quickly are not requested

/**
 * The rows of one query. rows() returns those in memory and requests the others; `onRows` is called
 * when they have arrived.
 */
export class RowCache {
  readonly #pages = new Map<number, readonly Row[]>();
  readonly #requests = new Map<number, AbortController>();
  #visiblePages: readonly number[] = [];
  #timer = 0;
  #isClosed = false;

  constructor(
    private readonly source: Source,
    private readonly query: string,
    private readonly onRows: () => void,
    private readonly onProblem: (reason: unknown) => void,
  ) {}

  /** The rows of a range; undefined for rows that aren't loaded yet. */
  rows(begin: number, end: number): readonly (Row | undefined)[] {
    this.#schedule(begin, end);
    return Array.from({ length: Math.max(0, end - begin) }, (_, index) => this.row(begin + index));
  }

  /** The row of this number, counted from 0; undefined if it isn't loaded. */
  row(number: number): Row | undefined {
    return this.#pages.get(Math.floor(number / PAGE_ROWS))?.[number % PAGE_ROWS];
  }

  /** The number of pages kept. */
  get size(): number {
    return this.#pages.size;
  }

  /** Stops all requests. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const controller of this.#requests.values()) controller.abort();
  }

  /** Requests the pages of a range after a pause, and cancels requests for others. */
  #schedule(begin: number, end: number): void {
    const [first, last] = [Math.floor(begin / PAGE_ROWS), Math.floor(Math.max(begin, end - 1) / PAGE_ROWS)];
    this.#visiblePages = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    for (const [page, controller] of this.#requests) {
      if (!this.#visiblePages.includes(page)) controller.abort();
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#visiblePages.forEach((page) => void this.#fetch(page)), PAUSE);
  }

  /** Requests a page, unless it is in memory or has been requested. */
  async #fetch(page: number): Promise<void> {
    if (this.#isClosed || this.#pages.has(page) || this.#requests.has(page)) return;
    const controller = new AbortController();
    this.#requests.set(page, controller);
    try {
      const rows = await this.source.rows(this.query, page * PAGE_ROWS, PAGE_ROWS, controller.signal);
      if (!controller.signal.aborted) this.#store(page, rows);
    } catch (reason) {
      if (!controller.signal.aborted) this.onProblem(reason);
    } finally {
      this.#requests.delete(page);
    }
  }

  #store(page: number, rows: readonly Row[]): void {
    this.#pages.set(page, rows);
    if (this.#pages.size > MOST_PAGES) this.#pages.delete(this.#pages.keys().next().value!);
    this.onRows();
  }
}
