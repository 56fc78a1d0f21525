// SPDX-License-Identifier: MIT
// Conditions of the query as chips: a label with buttons that negate or remove the condition. A form
// adds one.

import { type Condition, conditionsOf } from "./conditions.js";
import { button, byId, element } from "./dom.js";
import { isCondition, type Names } from "./names.js";
import type { ParseResult } from "./parse_result.js";
import { withValue } from "./query_pairs.js";
import type { PageState } from "./state.js";

/** Shows the chips of a query. */
export function showChips(result: ParseResult, names: Names, state: PageState): void {
  const change = (name: string, value: string | null) => {
    state.change({ query: withValue(result.text, name, value) });
    refocus(name, value === null ? null : "negate");
  };
  const chips = conditionsOf(result, names).map((condition) => chipOf(condition, change));
  byId("chips").replaceChildren(...chips);
}

/** Sets the value of a parameter; null removes it. */
type Change = (name: string, value: string | null) => void;

function chipOf({ name, words, opposite }: Condition, change: Change): HTMLElement {
  const chip = element("li", { class: "chip", "data-name": name }, element("span", { title: words }, words));
  if (opposite !== null) {
    const negate = button("±", () => change(name, opposite), `Negate: ${words}`);
    negate.dataset["act"] = "negate";
    chip.append(negate);
  }
  chip.append(button("×", () => change(name, null), `Remove: ${words}`));
  return chip;
}

/** Restores the keyboard focus after chips were replaced: to the button `act` of a parameter's chip. */
function refocus(name: string, act: string | null): void {
  const chips = byId("chips");
  const same = chips.querySelector<HTMLElement>(`[data-name="${CSS.escape(name)}"] [data-act="${act}"]`);
  (same ?? chips.querySelector<HTMLElement>("button") ?? byId("add-name")).focus();
}

/** Sets up the form that adds a condition. */
export function startAdding(names: Names, state: PageState): void {
  const name = byId<HTMLSelectElement>("add-name");
  const value = byId<HTMLInputElement>("add-value");
  const choices = names.all.filter((param) => isCondition(names, param) || names.scope.has(param));
  name.replaceChildren(...choices.map((param) => element("option", {}, param)));
  if (choices.includes("country")) name.value = "country";
  byId("add").addEventListener("submit", (event) => {
    event.preventDefault();
    state.change({ query: withValue(state.current.query, name.value, value.value) });
    value.value = "";
    value.focus();
  });
}
