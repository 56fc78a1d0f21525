// SPDX-License-Identifier: MIT
// The query as a tree of conditions, with the number of rows that meet each of them alone.

import { MetadataQuery, type MetadataTree } from "@sluice/sluice";

import { conditionsOf } from "./conditions.js";
import { byId, countText, element } from "./dom.js";
import { metadataText } from "./filters.js";
import { isOfWindow, type Names } from "./names.js";
import type { Panel } from "./panel.js";
import type { ParseResult } from "./parse_result.js";
import { drawPlan } from "./plan.js";
import { keepPairs, withValue } from "./query_pairs.js";
import type { Source } from "./source.js";

/** A node of the tree, and the query string of the rows in the window that meet its condition. */
interface Node {
  readonly label: string;
  readonly query: string;
  readonly children: readonly Node[];
}

/** The tree of a query: the window, below it all conditions together, below them each alone. */
function treeOf(result: ParseResult, names: Names): Node {
  const base = keepPairs(result.rowsQuery, (name) => isOfWindow(names, name) || names.scope.has(name));
  const children = conditionsOf(result, names).map(({ name, value, words, parsed }) => {
    const query = withValue(base, name, value);
    const inner = parsed instanceof MetadataQuery ? [metadataNode(parsed.tree(), base, name)] : [];
    return { label: words, query, children: inner };
  });
  const all = { label: "All of these", query: result.rowsQuery, children };
  return { label: "Rows of the window", query: base, children: [all] };
}

/** The node of a metadata expression, with its parts as children. */
function metadataNode(tree: MetadataTree, base: string, name: string): Node {
  const node = (label: string, trees: readonly MetadataTree[]): Node => ({
    label,
    query: withValue(base, name, metadataText(tree)),
    children: trees.map((child) => metadataNode(child, base, name)),
  });
  if ("all" in tree) return node("AND", tree.all);
  if ("any" in tree) return node("OR", tree.any);
  if ("not" in tree) return node("NOT", [tree.not]);
  return node(metadataText(tree), []);
}

/** A drawn node, and the element that shows its count. */
interface Place {
  readonly node: Node;
  readonly count: HTMLElement;
}

/** The tree, its counts, and the query plan of the source. */
export class TreePanel implements Panel {
  readonly container = byId("tree");
  #places: readonly Place[] = [];

  constructor(private readonly source: Source, private readonly names: Names) {}

  show(result: ParseResult): void {
    if (!result.query) return;
    const places: Place[] = [];
    const tree = element("ul", { class: "tree" }, draw(treeOf(result, this.names), places));
    this.#places = places;
    byId("tree").replaceChildren(element("h2", {}, "Tree"), tree, element("div", { id: "plan" }));
  }

  async load(result: ParseResult, signal: AbortSignal): Promise<void> {
    await Promise.all([this.#loadPlan(result, signal), this.#loadCounts(result, signal)]);
  }

  async #loadPlan({ rowsQuery }: ParseResult, signal: AbortSignal): Promise<void> {
    const plan = await this.source.explain(rowsQuery, signal);
    signal.throwIfAborted();
    byId("plan").replaceChildren(...drawPlan(plan));
  }

  /** Loads one count after the other, so that a server has one request at a time. */
  async #loadCounts(result: ParseResult, signal: AbortSignal): Promise<void> {
    let all = 0;
    for (const { node, count } of this.#places) {
      const rowCount = await this.#count(node, result, signal);
      signal.throwIfAborted();
      all ||= rowCount ?? 0;
      showCount(count, rowCount, all);
    }
  }

  /** The number of rows that a node keeps; null if its condition isn't valid alone. */
  async #count({ query }: Node, { now }: ParseResult, signal: AbortSignal): Promise<number | null> {
    const isInvalid = this.source.table.errors(query, { now }).length > 0;
    return isInvalid ? null : this.source.count(query, signal);
  }
}

/** Draws a node and its children; appends their places, a node before its children. */
function draw(node: Node, places: Place[]): HTMLElement {
  const count = element("span", { class: "count" }, "…");
  places.push({ node, count });
  const item = element("li", {}, element("span", { class: "label" }, node.label), count);
  const children = node.children.map((child) => draw(child, places));
  if (children.length > 0) item.append(element("ul", {}, ...children));
  return item;
}

/** Shows a count, with a bar for its share of `all`; null for a condition that isn't valid alone. */
function showCount(place: HTMLElement, rowCount: number | null, all: number): void {
  if (rowCount === null) return place.replaceChildren("has no meaning alone");
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.width = `${all > 0 ? (rowCount / all) * 12 : 0}rem`;
  place.replaceChildren(countText(rowCount, "row"), " ", bar);
}
