// SPDX-License-Identifier: MIT
// The state is in the address: `#code/duckdb?country=US` is the view, its tab, and the query.

import { pairsOf, textOf } from "./query_pairs.js";

export const VIEWS = ["rows", "tree", "code", "limits"] as const;
export type View = (typeof VIEWS)[number];

export interface State {
  readonly view: View;
  /** The id of the chosen tab within the view, such as `duckdb`; empty for the first. */
  readonly part: string;
  readonly query: string;
}

/** Parses the state from the fragment of an address. */
export function stateOf(hash: string): State {
  const [, path = "", query = ""] = /^#?([^?]*)\??(.*)$/s.exec(hash) ?? [];
  const [view = "", part = ""] = path.split("/");
  const known = VIEWS.find((name) => name === view) ?? "rows";
  return { view: known, part, query: textOf(pairsOf(query)) };
}

/** The fragment of a state. */
export function hashOf({ view, part, query }: State): string {
  return `#${view}${part && `/${part}`}?${query}`;
}

const STEP = 1_000; // milliseconds; keys within this time are one step of the browser's history

/** The state of the page, with its listeners. */
export class PageState {
  #typedAt = -STEP;
  #state = stateOf(location.hash);
  #listeners: ((state: State) => void)[] = [];

  constructor() {
    addEventListener("hashchange", () => {
      this.#typedAt = -STEP;
      this.#apply(stateOf(location.hash));
    });
  }
  get current(): State {
    return this.#state;
  }
  /** Calls a function after each change. */
  listen(listener: (state: State) => void): void {
    this.#listeners.push(listener);
  }
  /** Changes the state and adds a step to the history. Continuous typing is one step. */
  change(changed: Partial<State>, { typing = false } = {}): void {
    const state = { ...this.#state, ...changed };
    if (hashOf(state) === hashOf(this.#state)) return;
    const now = performance.now();
    const isSameStep = typing && now - this.#typedAt < STEP;
    this.#typedAt = typing ? now : -STEP;
    history[isSameStep ? "replaceState" : "pushState"](null, "", hashOf(state));
    this.#apply(state);
  }
  #apply(state: State): void {
    if (hashOf(state) === hashOf(this.#state)) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}
