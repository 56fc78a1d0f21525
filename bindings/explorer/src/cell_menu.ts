// SPDX-License-Identifier: MIT
// The menu of a cell, with three choices: rows with this value only, rows without it, and the
// JSON of its row.

import { cellText, memberOf } from "./cells.js";
import { button, byId, copyButton, element } from "./dom.js";
import { addExclusion, filterText } from "./filters.js";
import type { Names } from "./names.js";
import { pairsOf, withValue } from "./query_pairs.js";
import type { Description, Row, Source } from "./source.js";
import type { PageState } from "./state.js";

/** A cell, its position and its value. */
export interface Cell {
  readonly column: string;
  readonly value: unknown;
  /** The value as displayed. */
  readonly text: string;
  readonly row: Row;
  readonly element: HTMLElement;
}

/** The menu, an element of the page that moves to the cell it is opened for. */
export class CellMenu {
  readonly #menu = byId("cell-menu");

  constructor(
    private readonly source: Source,
    private readonly names: Names,
    private readonly state: PageState,
  ) {}

  open(cell: Cell): void {
    const param = memberOf(this.source.description.filters, cell.column);
    const text = cellText(cell.value);
    const buttons = this.choicesOf(cell.column, text).map(([label, query]) =>
      this.#button(label, () => this.change(query)),
    );
    const notes = buttons.length > 0 ? [] : [element("p", { class: "note" }, this.#noteOf(cell.column, param, text))];
    buttons.push(this.#button("Row as JSON", () => showRow(cell.row)));
    const title = element("p", {}, `${cell.column}: ${cell.text || "no value"}`);
    this.#menu.replaceChildren(title, ...notes, ...buttons);
    this.#moveTo(cell.element);
    buttons[0]!.focus();
  }

  /** The queries that filter a column by a text, by their labels; none if it can't be filtered by it. */
  choicesOf(column: string, text: string): readonly (readonly [label: string, query: string])[] {
    const param = memberOf(this.source.description.filters, column);
    if (param === undefined || text === "") return [];
    const { query } = this.state.current;
    return this.#choices(param, text).map(([label, value]) => [label, withValue(query, param, value)]);
  }

  /** Replaces the query. */
  change(query: string): void {
    this.state.change({ query });
  }

  /** The reason why a cell can't be used as a filter. */
  #noteOf(column: string, param: string | undefined, text: string): string {
    if (param !== undefined) return text === "" ? "There is no value to filter by." : `${param} can't have this value.`;
    return whyUnfiltered(this.source.description, this.names, column);
  }

  /** The values of a parameter that filter by a cell's text. */
  #choices(param: string, text: string): readonly (readonly [label: string, value: string])[] {
    const { query } = this.state.current;
    const filter = pairsOf(query).filter(({ name }) => name === param).map(({ value }) => value).join(",");
    const choices = [
      ["Only this", filterText([text], false)],
      ["Not this", withExclusion(filter, text)],
    ] as const;
    return choices.filter(([label, value]) => this.#isMeant(param, value, label === "Not this"));
  }

  /** Returns true if the endpoint parses the value, and as an exclusion if it is meant as one. */
  #isMeant(param: string, value: string, excludes: boolean): boolean {
    const { query } = this.state.current;
    try {
      const read = this.source.table.parse(withValue(query, param, value));
      const filter = this.names.valueOf(read, param) as { excludes?: boolean } | null;
      read.free();
      return !excludes || filter?.excludes !== undefined;
    } catch {
      return false;
    }
  }

  /** Creates a button that closes the menu and acts. */
  #button(label: string, action: () => void): HTMLButtonElement {
    return button(label, () => {
      this.#menu.hidePopover();
      action();
    });
  }

  /** Shows the menu below a cell, within the window. */
  #moveTo(cell: HTMLElement): void {
    const { left, bottom } = cell.getBoundingClientRect();
    this.#menu.showPopover();
    const { offsetWidth, offsetHeight } = this.#menu;
    this.#menu.style.position = "fixed";
    this.#menu.style.left = `${Math.max(4, Math.min(left, innerWidth - offsetWidth - 4))}px`;
    this.#menu.style.top = `${Math.max(4, Math.min(bottom, innerHeight - offsetHeight - 4))}px`;
  }
}

/** The reason why the menu doesn't filter a column, and the parameters that do, if there are any. */
export function whyUnfiltered({ unfiltered = {} }: Description, { times }: Names, column: string): string {
  const names = times.get(column);
  if (names) return `Filtered by ${new Intl.ListFormat("en").format(names)}.`;
  return `Not filtered: ${memberOf(unfiltered, column) ?? "no parameter is about this column"}.`;
}

/** A filter that excludes one more value; a new one if `filter` isn't valid. */
function withExclusion(filter: string, text: string): string {
  try {
    return addExclusion(filter, text);
  } catch {
    return filterText([text], true);
  }
}

/** Shows a row as JSON in a dialog. */
function showRow(row: Row): void {
  const text = JSON.stringify(row, null, 2);
  const dialog = byId<HTMLDialogElement>("row-dialog");
  byId("row-json").textContent = text;
  byId("row-buttons").replaceChildren(copyButton(() => text), button("Close", () => dialog.close()));
  dialog.showModal();
}
