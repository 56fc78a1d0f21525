// SPDX-License-Identifier: MIT
// Draws the text of a query plan.

import { element } from "./dom.js";

/** A line of a table: a route or condition, the blocks it reads, or "", and the bytes. */
interface Line {
  readonly label: string;
  readonly blocks: string;
  readonly bytes: number;
}

/**
 * Draws a plan: its routes (ways to find rows) and conditions with the bytes read by each, as bars;
 * then its text. Null for a source without plans.
 */
export function drawPlan(text: string | null): readonly HTMLElement[] {
  const title = element("h2", {}, "Plan");
  if (text === null) return [title, element("p", { class: "quiet" }, "This source has no plans.")];
  const [first = "", ...rest] = text.trim().split("\n");
  const conditions = rest.flatMap((line) =>
    lineOf(/^(.+): (\d+) B$/, line, (match) => [match[1]!, "", match[2]!]),
  );
  const routes = first.split(", ").flatMap((part) =>
    lineOf(/^(\w+) (\d+)\/(\d+) B$/, part, (match) => [match[1]!, match[2]!, match[3]!]),
  );
  return [
    title,
    tableOf("Way", routes, true),
    tableOf("Condition", conditions, false),
    element("pre", { id: "plan-text" }, text),
  ];
}

/** The line of a text that matches a pattern; `parts` converts the match. Empty without a match. */
function lineOf(
  pattern: RegExp,
  text: string,
  parts: (match: RegExpExecArray) => readonly [string, string, string],
): readonly Line[] {
  const match = pattern.exec(text);
  if (!match) return [];
  const [label, blocks, bytes] = parts(match);
  return [{ label, blocks, bytes: Number(bytes) }];
}

function tableOf(heading: string, lines: readonly Line[], hasBlocks: boolean): HTMLElement {
  const maximum = Math.max(1, ...lines.map(({ bytes }) => bytes));
  const headings = [heading, ...(hasBlocks ? ["Blocks"] : []), "Bytes"];
  const head = element("tr", {}, ...headings.map((text) => element("th", { scope: "col" }, text)));
  const rows = lines.map(({ label, blocks, bytes }) => {
    const bar = element("span", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${(bytes / maximum) * 12}rem`;
    const cells = [...(hasBlocks ? [element("td", {}, blocks)] : [])];
    const size = element("td", {}, bytes.toLocaleString("en"), " ", bar);
    return element("tr", {}, element("th", { scope: "row" }, label), ...cells, size);
  });
  return element("table", { class: "plain" }, element("thead", {}, head), element("tbody", {}, ...rows));
}
