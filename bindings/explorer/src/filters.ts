// SPDX-License-Identifier: MIT
// Texts of filters and metadata expressions with one change.

import { Filter, type Json, MetadataQuery, type MetadataTree, parseFilter } from "@sluice/sluice";

/** The text of a filter, with its values escaped. */
export function filterText(values: readonly string[], excludes: boolean): string {
  const escaped = values.map((value) => value.replace(/[\\,]/g, "\\$&").replace(/^-/, "\\-"));
  return (excludes ? "-" : "") + escaped.join(",");
}

/** The negation of a parameter's value as text; null if it has none. */
export function negationOf(value: unknown): string | null {
  if (value instanceof Filter) {
    return value.values.length > 0 ? filterText(value.values, !value.excludes) : null;
  }
  if (typeof value === "boolean") return String(!value);
  if (!(value instanceof MetadataQuery)) return null;
  const tree = value.tree();
  return "not" in tree ? metadataText(tree.not) : `NOT (${value.text})`;
}

/**
 * The text of a filter that also excludes the rows with this cell. A list that accepts values loses
 * the cell; if nothing is left, the filter excludes it.
 */
export function addExclusion(filter: string, cell: string): string {
  const { values, excludes } = parseFilter(filter);
  const others = values.filter((value) => value !== cell);
  if (excludes) return filterText([...others, cell], true);
  return others.length > 0 ? filterText(others, false) : filterText([cell], true);
}

const OPERATORS = { equal: "=", not_equal: "!=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** The text of an expression, from its tree. */
export function metadataText(tree: MetadataTree): string {
  if ("all" in tree) return tree.all.map((child) => parenthesized(child)).join(" AND ");
  if ("any" in tree) return tree.any.map((child) => parenthesized(child)).join(" OR ");
  if ("not" in tree) return `NOT ${parenthesized(tree.not)}`;
  const [operator, value] = comparisonOf(tree);
  const path = tree.path.map((key) => `[${quote(key)}]`).join("");
  return `metadata${path}${OPERATORS[operator]}${quote(value)}`;
}

function parenthesized(tree: MetadataTree): string {
  return "all" in tree || "any" in tree ? `(${metadataText(tree)})` : metadataText(tree);
}

function comparisonOf(leaf: { readonly [member: string]: Json | undefined }): [keyof typeof OPERATORS, string] {
  const operators = Object.keys(OPERATORS) as (keyof typeof OPERATORS)[];
  const operator = operators.find((name) => name in leaf) ?? "equal";
  return [operator, String(leaf[operator])];
}
