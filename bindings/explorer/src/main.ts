// SPDX-License-Identifier: MIT
// The page: input is parsed immediately; data is requested when typing pauses.

import { load } from "@sluice/sluice";

import { CellMenu } from "./cell_menu.js";
import { showChips, startAdding } from "./chips.js";
import { CodePanel } from "./code.js";
import { byId } from "./dom.js";
import { alignCarets, showErrors } from "./errors_view.js";
import { HistogramPanel } from "./histogram.js";
import { LimitsPanel } from "./limits.js";
import { type Names, namesOf } from "./names.js";
import type { Panel } from "./panel.js";
import { parseQuery, type ParseResult } from "./parse_result.js";
import { RowsTable } from "./rows_table.js";
import { openSource, type Source } from "./source.js";
import { PageState, type View, VIEWS } from "./state.js";
import { markTab, startTabs } from "./tabs.js";
import { WindowSection } from "./timeline.js";
import { TimeAxis } from "./times.js";
import { TopPanel } from "./top.js";
import { TreePanel } from "./tree.js";

const PAUSE = 200; // milliseconds without a change before data is requested

/** The page: a query and its panels, of which one view at a time is visible. */
class Explorer {
  readonly #state = new PageState();
  readonly #input = byId<HTMLInputElement>("query");
  readonly #window: WindowSection;
  readonly #panels: Readonly<Record<View, readonly Panel[]>>;
  /** The last query that a panel has shown; others of the current query are marked as stale. */
  readonly #shown = new Map<Panel, string>();
  #result: ParseResult | null = null;
  #loading = new AbortController();
  #timer = 0;

  constructor(private readonly source: Source, private readonly names: Names) {
    const axis = new TimeAxis();
    this.#window = new WindowSection(names, axis, this.#state);
    const menu = new CellMenu(source, names, this.#state);
    const onProblem = (reason: unknown) => this.#showProblem(reason);
    const top = new TopPanel(source, menu, onProblem);
    const table = new RowsTable(source, names, this.#state, menu, (column) => top.point(column), onProblem);
    this.#panels = {
      rows: [new HistogramPanel(source, names, this.#state, axis), table, top],
      tree: [new TreePanel(source, names)],
      code: [new CodePanel(source.description, names, this.#state)],
      limits: [new LimitsPanel()],
    };
  }

  start(): void {
    startAdding(this.names, this.#state);
    startTabs(byId("views"), (index) => this.#state.change({ view: VIEWS[index]!, part: "" }));
    this.#input.addEventListener("input", () => {
      this.#state.change({ query: this.#input.value }, { typing: true });
    });
    this.#input.addEventListener("scroll", alignCarets);
    this.#state.listen(() => this.#show());
    this.#show();
  }

  /** Shows the state: parse results immediately, data later. */
  #show(): void {
    const { query, view, part } = this.#state.current;
    if (this.#input.value !== query) this.#input.value = query;
    this.#result?.query?.free();
    const result = (this.#result = parseQuery(this.source, this.names, query));
    showErrors(result, this.#state);
    showChips(result, this.names, this.#state);
    const panels: readonly Panel[] = [this.#window, ...this.#panels[view]];
    markTab(byId("views"), VIEWS.indexOf(view));
    for (const name of VIEWS) byId(name).hidden = name !== view;
    for (const panel of panels) {
      panel.show?.(result, part);
      if (result.query && panel.show) this.#shown.set(panel, query);
    }
    this.#markStale(panels, result.query === null);
    this.#loadSoon(result, panels);
  }

  /** Marks panels that show an older query, once the current one has failed. */
  #markStale(panels: readonly Panel[], hasFailed: boolean): void {
    const { query } = this.#state.current;
    const isOld = (panel: Panel) => panel.container !== undefined && this.#shown.get(panel) !== query;
    for (const panel of panels) {
      if (hasFailed || !isOld(panel)) panel.container?.classList.toggle("stale", isOld(panel));
    }
    const old = panels.filter(({ container }) => container?.classList.contains("stale"));
    const shown = old.map((panel) => this.#shown.get(panel)).find((text) => text !== undefined);
    const mismatch = `The marked parts show another query: ${shown || "the empty one"}`;
    const note = shown === undefined ? "There is nothing of this query." : mismatch;
    byId("stale").textContent = old.length > 0 ? note : "";
  }

  /** Requests data of the latest query once typing pauses, and cancels earlier requests. */
  #loadSoon(result: ParseResult, panels: readonly Panel[]): void {
    clearTimeout(this.#timer);
    this.#loading.abort();
    if (!result.query) return;
    this.#loading = new AbortController();
    const { signal } = this.#loading;
    this.#timer = setTimeout(() => {
      byId("problem").textContent = "";
      for (const panel of panels) {
        panel.load?.(result, signal).then(
          () => this.#onLoaded(panel, result.text, panels),
          (reason: unknown) => !signal.aborted && this.#onFailed(reason, panels),
        );
      }
    }, PAUSE);
  }

  #onLoaded(panel: Panel, query: string, panels: readonly Panel[]): void {
    this.#shown.set(panel, query);
    this.#markStale(panels, false);
  }

  #onFailed(reason: unknown, panels: readonly Panel[]): void {
    this.#showProblem(reason);
    this.#markStale(panels, true);
  }

  #showProblem(reason: unknown): void {
    byId("problem").textContent = reason instanceof Error ? reason.message : String(reason);
  }
}

async function start(): Promise<void> {
  await load();
  const source = await openSource();
  new Explorer(source, namesOf(source.table, source.description)).start();
  byId("source").textContent = source.description.name;
}

start().catch((reason: unknown) => {
  byId("source").textContent = `The page can't start: ${String(reason)}`;
});
