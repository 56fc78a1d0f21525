// SPDX-License-Identifier: MIT
// The conditions of a query string, one per parameter.

import { Filter } from "@sluice/sluice";

import { memberOf } from "./cells.js";
import { negationOf } from "./filters.js";
import { isCondition, type Names } from "./names.js";
import type { ParseResult } from "./parse_result.js";
import { pairsOf } from "./query_pairs.js";

export interface Condition {
  readonly name: string;
  /** The value in the query string, with repetitions merged. */
  readonly value: string;
  /** The displayed description. */
  readonly words: string;
  /** The value that negates it, or null. */
  readonly opposite: string | null;
  /** The value of the parsed query; undefined if the query has errors. */
  readonly parsed: unknown;
}

const TESTS: Readonly<Record<string, string>> = {
  contains: "contains", startsWith: "starts with", endsWith: "ends with",
};
const OPERATOR_SIGNS: Readonly<Record<string, string>> = { gte: "≥", gt: ">", lte: "≤", lt: "<" };

/** The conditions without duplicate parameters, in the order of the text. */
export function conditionsOf(result: ParseResult, names: Names): readonly Condition[] {
  const values = new Map<string, string[]>();
  for (const { name, value } of pairsOf(result.text)) {
    if (isCondition(names, name)) values.set(name, [...(values.get(name) ?? []), value]);
  }
  return [...values].map(([name, texts]) => conditionOf(result, names, name, texts));
}

function conditionOf(result: ParseResult, names: Names, name: string, texts: readonly string[]): Condition {
  const parsed = result.query ? names.valueOf(result.query, name) : undefined;
  const value = parsed instanceof Filter ? parsed.text : texts.join(",");
  return { name, value, parsed, words: wordsOf(name, value, parsed, names.typeOf(name)), opposite: negationOf(parsed) };
}

/** Describes a condition: `country is not US, CA`, `total ≥ 10`, `name contains x`, `name is null`. */
function wordsOf(name: string, value: string, parsed: unknown, type: string | undefined): string {
  if (parsed instanceof Filter) {
    return `${name} ${parsed.excludes ? "is not" : "is"} ${parsed.values.join(", ") || "anything"}`;
  }
  const [, param, operator] = /^(.*)\[(\w+)\]$/.exec(name) ?? [];
  const test = memberOf(TESTS, type ?? "");
  if (test) return `${param ?? name} ${test} ${value}`;
  if (type === "isNull" && typeof parsed === "boolean") return `${param ?? name} is ${parsed ? "null" : "not null"}`;
  return operator ? `${param} ${memberOf(OPERATOR_SIGNS, operator) ?? operator} ${value}` : `${name}: ${value}`;
}
