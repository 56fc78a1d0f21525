// SPDX-License-Identifier: MIT
// The errors of the query, with carets below their positions, and buttons that fix them.

import type { ApiError } from "@sluice/sluice";

import { button, byId, countText, element } from "./dom.js";
import { fixesOf, placeOfError } from "./fixes.js";
import type { ParseResult } from "./parse_result.js";
import type { PageState } from "./state.js";

/** Shows the errors of a query, and carets below the input's text. */
export function showErrors({ text, errors }: ParseResult, state: PageState): void {
  const isWrong = errors.length > 0;
  byId("query").setAttribute("aria-invalid", String(isWrong));
  byId("error-count").textContent = isWrong ? countText(errors.length, "error") : "";
  byId("carets").textContent = caretsBelow(text, errors);
  byId("errors").replaceChildren(...errors.map((error) => errorItem(text, error, state)));
  alignCarets();
}

/** Aligns the carets with the characters of a scrolled input. */
export function alignCarets(): void {
  byId("carets").scrollLeft = byId("query").scrollLeft;
}

function caretsBelow(text: string, errors: readonly ApiError[]): string {
  const places = errors.map((error) => placeOfError(text, error)).filter((place) => place !== null);
  const marks = Array.from(text, () => " ");
  for (const [start, end] of places) marks.fill("^", start, end);
  return places.length > 0 ? marks.join("").padEnd(text.length) : "";
}

function errorItem(text: string, error: ApiError, state: PageState): HTMLElement {
  const fixes = fixesOf(text, error).map((fix) => button(fix.label, () => apply(fix.text, state)));
  const show = placeOfError(text, error);
  if (show) fixes.unshift(button("Show", () => select(show), `Show where ${error.param} is wrong`));
  return element("li", {}, faultyText(error), element("p", {}, error.message),
    element("div", { class: "buttons" }, ...fixes));
}

/** The decoded value with its faulty part marked and carets below. */
function faultyText({ text, range: [start, end] }: ApiError): HTMLElement {
  const value = text ?? "";
  const carets = "^".repeat(Math.max(1, [...value.slice(start, end)].length));
  const indent = " ".repeat([...value.slice(0, start)].length);
  return element("pre", { tabindex: 0, role: "group", "aria-label": "Value at fault" },
    value.slice(0, start), element("mark", {}, value.slice(start, end)), value.slice(end),
    element("span", { "aria-hidden": "true" }, `\n${indent}${carets}`));
}

function apply(query: string, state: PageState): void {
  state.change({ query });
  byId("query").focus();
}

function select([start, end]: readonly [number, number]): void {
  const input = byId<HTMLInputElement>("query");
  input.focus();
  input.setSelectionRange(start, end);
}
