// SPDX-License-Identifier: MIT
// The conditions of a query string, one per parameter.

import { Filter } from "@sluice/sluice";

import type { Asked } from "./asked.js";
import { memberOf } from "./cells.js";
import { negated } from "./filters.js";
import { isCondition, type Names } from "./names.js";
import { pairsOf } from "./query_pairs.js";

export interface Condition {
  readonly name: string;
  /** The value in the query string, with repetitions merged. */
  readonly value: string;
  /** The displayed description. */
  readonly words: string;
  /** The value that negates it, or null. */
  readonly opposite: string | null;
  readonly parsed: unknown;
}

const COMPARED: Readonly<Record<string, string>> = { gte: "≥", gt: ">", lte: "≤", lt: "<" };

/** The conditions without duplicate parameters, in the order of the text. */
export function conditionsOf(asked: Asked, names: Names): readonly Condition[] {
  const values = new Map<string, string[]>();
  for (const { name, value } of pairsOf(asked.text)) {
    if (isCondition(names, name)) values.set(name, [...(values.get(name) ?? []), value]);
  }
  return [...values].map(([name, given]) => conditionOf(asked, names, name, given));
}

function conditionOf(asked: Asked, names: Names, name: string, given: readonly string[]): Condition {
  const parsed = asked.query ? names.valueOf(asked.query, name) : undefined;
  const value = parsed instanceof Filter ? parsed.text : given.join(",");
  return { name, value, parsed, words: wordsOf(name, value, parsed), opposite: negated(parsed) };
}

function wordsOf(name: string, value: string, parsed: unknown): string {
  if (parsed instanceof Filter) {
    return `${name} ${parsed.excludes ? "is not" : "is"} ${parsed.values.join(", ") || "anything"}`;
  }
  const [, of, operator] = /^(.*)\[(\w+)\]$/.exec(name) ?? [];
  return operator ? `${of} ${memberOf(COMPARED, operator) ?? operator} ${value}` : `${name}: ${value}`;
}
