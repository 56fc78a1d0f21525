// SPDX-License-Identifier: MIT
// Reads the values of rows by the types of columns.

import { describe, isPlain, isWhole } from "./checks.js";
import { wellFormed } from "./collations.js";
import { call } from "./module.js";
import type { ColumnType } from "./params.js";

/** A row: an object by its keys, or a Map. */
export type Row = object;

/** The value of a row under a name: a key, or an accessor of its class. Undefined without one. */
function memberOf(row: unknown, name: string): [value: unknown] | undefined {
  if (row instanceof Map) return row.has(name) ? [row.get(name)] : undefined;
  if (typeof row !== "object" || row === null) return undefined;
  if (Object.hasOwn(row, name)) return [(row as Record<string, unknown>)[name]];
  return isInherited(row, name) ? [(row as Record<string, unknown>)[name]] : undefined;
}

/** Returns true if a row inherits a value other than methods and members of all objects. */
function isInherited(row: object, name: string): boolean {
  if (!(name in row)) return false;
  let owner: object | null = Object.getPrototypeOf(row) as object | null;
  while (owner && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner) as object | null;
  if (!owner || Object.getPrototypeOf(owner) === null) return false;
  return typeof Object.getOwnPropertyDescriptor(owner, name)!.value !== "function";
}

/** The value under a name; falls back to dotted paths, such as `country` of `click`. */
export function findMember(row: unknown, name: string): [value: unknown] | undefined {
  const member = memberOf(row, name);
  if (member) return member;
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
    const outer = memberOf(row, name.slice(0, dot));
    if (!outer) continue;
    if (isMissing(outer[0])) return [null];
    const inner = findMember(outer[0], name.slice(dot + 1));
    if (inner) return inner;
  }
  return undefined;
}

export function isMissing(value: unknown): boolean {
  return value === null || value === undefined || Number.isNaN(value);
}

/** The items of an array or a Set that aren't missing; undefined for other values. */
export function listOf(value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value) && !(value instanceof Set)) return undefined;
  return [...value].filter((item) => !isMissing(item));
}

/** The JSON of a value, including Map and Set; undefined if JSON can't represent it. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, member: unknown) => {
      if (member instanceof Map) return Object.fromEntries(member);
      return member instanceof Set ? [...member] : member;
    });
  } catch (reason) {
    if (reason instanceof TypeError) return undefined; // a bigint, or an object within itself
    throw reason;
  }
}

/** The JSON of a tree; throws a TypeError for other values. */
export function jsonOfTree(tree: unknown, expected: string): string {
  if (!isPlain(tree)) throw new TypeError(`tree: expected ${expected}, not ${describe(tree)}`);
  const json = jsonOf(tree);
  if (json === undefined) throw new TypeError("tree: expected values that JSON has");
  return json;
}

/** The texts of nested lists; undefined if an item is of another type. */
export function textsOf(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return [wellFormed(value)];
  if (isMissing(value)) return [];
  if (!Array.isArray(value) && !(value instanceof Set)) return undefined;
  const texts: string[] = [];
  for (const item of value) {
    const inner = textsOf(item);
    if (!inner) return undefined;
    texts.push(...inner);
  }
  return texts;
}

/** A row's value: times are milliseconds since 1970, decimals and JSON are text, texts may be a list. */
export type Cell = string | number | bigint | boolean | readonly string[];

/** The conversion of a column's values, missing ones aside. */
interface CellKind {
  readonly expected: string;
  /** Converts a value; undefined if it has another type than the column. */
  read(value: unknown): Cell | undefined;
}

/** The conversion of UUIDs and choices. */
const NAME: CellKind = {
  expected: "a text",
  read: (value) => (typeof value === "string" ? wellFormed(value) : undefined),
};

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The milliseconds since 1970 of an RFC 3339 timestamp; undefined for any other text. */
function readTimestamp(text: string): number | undefined {
  const at = TIMESTAMP.test(text) ? Date.parse(text) : NaN;
  // Date.parse() also accepts days that don't exist, and hour 24.
  if (new Date(at).getUTCDate() === Number(text.slice(8, 10))) return at;
  return call<number | null>("timestamp_parse", text) ?? undefined;
}

/** The conversions of all types of columns except records. */
export const CELLS: Readonly<Record<Exclude<ColumnType, "records">, CellKind>> = {
  text: {
    expected: "a string, null or a list of these",
    read: (value) => (typeof value === "string" ? wellFormed(value) : textsOf(value)),
  },
  integer: {
    expected: "a whole number that is exact, or a bigint of 64 bits",
    read: (value) => (isWhole(value) ? value : undefined),
  },
  decimal: {
    expected: "text of a number, a whole number or a bigint",
    read: (value) => (typeof value === "string" || typeof value === "bigint" || isWhole(value) ? value : undefined),
  },
  time: {
    expected: "a Date, milliseconds since 1970 or RFC 3339 text",
    read(value) {
      if (typeof value === "string") return readTimestamp(value);
      const at = value instanceof Date ? value.getTime() : value;
      return isWhole(at) ? at : undefined;
    },
  },
  boolean: {
    expected: "true or false",
    read: (value) => (typeof value === "boolean" ? value : undefined),
  },
  real: {
    expected: "a number",
    read: (value) => (typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined),
  },
  date: {
    expected: "text such as 2026-08-21",
    read(value) {
      if (typeof value !== "string" || value.length !== 10) return undefined;
      return readTimestamp(`${value}T00:00:00.000Z`) === undefined ? undefined : value;
    },
  },
  uuid: NAME,
  choice: NAME,
  json: {
    expected: "a value that JSON has",
    read: (value) => (typeof value === "string" ? value : jsonOf(value)),
  },
};
