// SPDX-License-Identifier: MIT
// What a cell offers: only this, not this, the JSON of its row.

import { button, byId, copyButton, element } from "./dom.js";
import { filterText, without } from "./filters.js";
import type { Names } from "./names.js";
import { pairsOf, withValue } from "./query_pairs.js";
import type { Row, Source } from "./source.js";
import type { PageState } from "./state.js";
import { cellText } from "./cells.js";

/** Where a cell is, and what is in it. */
export interface Cell {
  readonly column: string;
  readonly value: unknown;
  readonly row: Row;
  readonly element: HTMLElement;
}

export class CellMenu {
  readonly #menu = byId("cell-menu");

  constructor(
    private readonly source: Source,
    private readonly names: Names,
    private readonly state: PageState,
  ) {}

  open(cell: Cell): void {
    const { query } = this.state.current;
    const param = this.source.description.filters[cell.column];
    const acts = [this.#button("Row as JSON", () => showRow(cell.row))];
    const text = cellText(cell.value);
    if (param !== undefined && text !== "") {
      for (const [label, value] of this.#choices(param, text)) {
        const change = () => this.state.change({ query: withValue(query, param, value) });
        acts.splice(-1, 0, this.#button(label, change));
      }
    }
    this.#menu.replaceChildren(element("p", {}, `${cell.column}: ${text || "no value"}`), ...acts);
    this.#place(cell.element);
    acts[0]!.focus();
  }

  /** What a parameter can say of a cell's text: as a filter, or as another value. */
  #choices(param: string, text: string): readonly (readonly [label: string, value: string])[] {
    const { query } = this.state.current;
    const given = pairsOf(query).filter(({ name }) => name === param).map(({ value }) => value).join(",");
    const choices = [
      ["Only this", filterText([text], false)],
      ["Not this", refusing(given, text)],
    ] as const;
    return choices.filter(([label, value]) => this.#isMeant(param, value, label === "Not this"));
  }

  /** Whether the endpoint reads the value so: a parameter that is no filter excludes nothing. */
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

  #button(label: string, act: () => void): HTMLButtonElement {
    return button(label, () => {
      this.#menu.hidePopover();
      act();
    });
  }

  #place(beside: HTMLElement): void {
    const { left, bottom } = beside.getBoundingClientRect();
    this.#menu.showPopover();
    const { offsetWidth, offsetHeight } = this.#menu;
    this.#menu.style.position = "fixed";
    this.#menu.style.left = `${Math.max(4, Math.min(left, innerWidth - offsetWidth - 4))}px`;
    this.#menu.style.top = `${Math.max(4, Math.min(bottom, innerHeight - offsetHeight - 4))}px`;
  }
}

/** A filter that refuses one value more; alone where what was given is no filter. */
function refusing(given: string, text: string): string {
  try {
    return without(given, text);
  } catch {
    return filterText([text], true);
  }
}

function showRow(row: Row): void {
  const text = JSON.stringify(row, null, 2);
  const dialog = byId<HTMLDialogElement>("row-dialog");
  byId("row-json").textContent = text;
  byId("row-buttons").replaceChildren(copyButton(() => text), button("Close", () => dialog.close()));
  dialog.showModal();
}
