// SPDX-License-Identifier: MIT
// The errors of the query, with carets below their positions, and buttons that fix them.

import type { ApiError } from "@sluice/sluice";

import { button, byId, countText, element } from "./dom.js";
import { fixesOf, rangeOfError } from "./fixes.js";
import type { ParseResult } from "./parse_result.js";
import type { PageState } from "./state.js";

/** Shows the errors of a query, and carets below the input's text. */
export function showErrors({ text, errors }: ParseResult, state: PageState): void {
  const hasErrors = errors.length > 0;
  byId("query").setAttribute("aria-invalid", String(hasErrors));
  byId("error-count").textContent = hasErrors ? countText(errors.length, "error") : "";
  byId("carets").textContent = caretsBelow(text, errors);
  byId("errors").replaceChildren(...errors.map((error) => errorItem(text, error, state)));
  alignCarets();
}

/** Aligns the carets with the characters of a scrolled input. */
export function alignCarets(): void {
  byId("carets").scrollLeft = byId("query").scrollLeft;
}

/** A line with a caret below each character at fault; empty if no error has a position. */
function caretsBelow(text: string, errors: readonly ApiError[]): string {
  const ranges = errors.map((error) => rangeOfError(text, error)).filter((range) => range !== null);
  const marks = Array.from(text, () => " ");
  for (const [start, end] of ranges) {
    marks.fill("^", columns(text.slice(0, start)), columns(text.slice(0, end)));
  }
  return ranges.length > 0 ? marks.join("").padEnd(text.length) : "";
}

/** The number of columns of a text: one for each character. */
function columns(text: string): number {
  return [...text].length;
}

function errorItem(text: string, error: ApiError, state: PageState): HTMLElement {
  const fixes = fixesOf(text, error).map((fix) => button(fix.label, () => apply(fix.text, state)));
  const range = rangeOfError(text, error);
  if (range) fixes.unshift(button("Show", () => select(range), `Show where ${error.param} is wrong`));
  return element("li", {}, faultyText(error), element("p", {}, error.message),
    element("div", { class: "buttons" }, ...fixes));
}

/** The decoded value with its faulty part marked and carets below. */
function faultyText({ text, range: [start, end] }: ApiError): HTMLElement {
  const value = text ?? "";
  const carets = "^".repeat(Math.max(1, columns(value.slice(start, end))));
  const indent = " ".repeat(columns(value.slice(0, start)));
  return element("pre", { tabindex: 0, role: "group", "aria-label": "Value at fault" },
    value.slice(0, start), element("mark", {}, value.slice(start, end)), value.slice(end),
    element("span", { "aria-hidden": "true" }, `\n${indent}${carets}`));
}

function apply(query: string, state: PageState): void {
  state.change({ query });
  byId("query").focus();
}

/** Selects a range of the input, in UTF-16 code units. */
function select([start, end]: readonly [number, number]): void {
  const input = byId<HTMLInputElement>("query");
  input.focus();
  input.setSelectionRange(start, end);
}
