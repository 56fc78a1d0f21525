// SPDX-License-Identifier: MIT
// Converts a row's value in the column of a condition to the fields that native/queries.cpp reads.

import { isWhole } from "./checks.js";
import type { Field } from "./module.js";

/** The column and parameter of a condition. */
export interface Condition {
  readonly column: string;
  readonly param: string;
  readonly type: "text" | "integer" | "decimal" | "time" | "boolean" | "json";
}

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
function findMember(row: unknown, name: string): [value: unknown] | undefined {
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

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || Number.isNaN(value);
}

/**
 * The fields of a condition's cell. Throws a TypeError for a missing column or an invalid value.
 */
export function cellFields(row: Row, condition: Condition, column: string): readonly Field[] {
  const place = `${condition.param}: column '${column}'`;
  const member = findMember(row, column);
  if (!member) throw new TypeError(`the row has no '${column}'`);
  if (isMissing(member[0])) return ["-"];
  const cell = CELLS[condition.type](member[0]);
  if (typeof cell === "string") throw new TypeError(`${place}: expected ${cell}`);
  return cell;
}

/** The fields of a value, or what is expected instead. */
type Cell = readonly Field[] | string;

/** The text of an exact whole number; undefined otherwise. */
function wholeOf(value: unknown): string | undefined {
  return isWhole(value) ? String(value) : undefined;
}

/** The JSON of a value, including Map and Set; undefined if JSON can't represent it. */
export function jsonOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_, member: unknown) => {
    if (member instanceof Map) return Object.fromEntries(member);
    return member instanceof Set ? [...member] : member;
  });
}

/** The texts of nested lists; undefined if an item is of another type. */
export function textsOf(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return [value];
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

const CELLS: Record<Condition["type"], (value: unknown) => Cell> = {
  text(value) {
    if (typeof value === "string") return ["t", value];
    const texts = textsOf(value);
    return texts ? ["l", ...texts, null] : "a string, null or a list of these";
  },
  integer(value) {
    const whole = wholeOf(value);
    return whole === undefined ? "a whole number that is exact, or a bigint of 64 bits" : ["i", whole];
  },
  decimal(value) {
    const text = typeof value === "bigint" ? String(value) : typeof value === "string" ? value : wholeOf(value);
    return text === undefined ? "text of a number, a whole number or a bigint" : ["t", text];
  },
  time(value) {
    if (typeof value === "string") return ["z", value];
    const whole = wholeOf(value instanceof Date ? value.getTime() : value);
    return whole === undefined ? "a Date, milliseconds since 1970 or RFC 3339 text" : ["@", whole];
  },
  boolean(value) {
    return typeof value === "boolean" ? ["b", value] : "true or false";
  },
  json(value) {
    const text = typeof value === "string" ? value : jsonOf(value);
    return text === undefined ? "a value that JSON has" : ["j", text];
  },
};
