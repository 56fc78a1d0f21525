// SPDX-License-Identifier: MIT
// Converts a row's value in the column of a condition to the fields that native/queries.cpp reads.

import { isWhole } from "./checks.js";
import type { Field } from "./module.js";
import type { ColumnType } from "./params.js";

/** The column and parameter of a condition. */
export interface Condition {
  readonly column: string;
  readonly param: string;
  readonly type: ColumnType;
  readonly isList?: boolean;
  /** The conditions on each record, if the condition is on records. */
  readonly records?: readonly Condition[];
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
  const cell = cellOf(member[0], condition);
  if (typeof cell === "string") throw new TypeError(`${place}: expected ${cell}`);
  return cell;
}

/** The fields of a value that is there. */
function cellOf(value: unknown, condition: Condition): Cell {
  const { type, isList } = condition;
  if (type === "records") return recordsCell(value, condition);
  if (!isList || type === "text") return CELLS[type](value);
  const items = listOf(value);
  if (!items) return "a list";
  const fields: Field[] = [type === "integer" ? "n" : "l"];
  for (const item of items) {
    const cell = CELLS[type](item);
    if (typeof cell === "string") return `a list, each item ${cell}`;
    fields.push(cell[1]!);
  }
  return [...fields, null];
}

/** The fields of a list of records: those of the conditions on each. */
function recordsCell(value: unknown, { records = [] }: Condition): Cell {
  const items = listOf(value);
  if (!items) return "a list of records";
  const cells = (item: unknown) => records.flatMap((condition) => cellFields(item as Row, condition, condition.column));
  return ["r", items.length, ...items.flatMap(cells)];
}

/** The items of an array or a Set that aren't missing; undefined for other values. */
function listOf(value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value) && !(value instanceof Set)) return undefined;
  return [...value].filter((item) => !isMissing(item));
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

/** A column of names: of UUIDs, or of choices. */
const name = (value: unknown): Cell => (typeof value === "string" ? ["t", value] : "a text");

const CELLS: Record<Exclude<ColumnType, "records">, (value: unknown) => Cell> = {
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
  real(value) {
    return typeof value === "number" || typeof value === "bigint" ? ["d", Number(value)] : "a number";
  },
  date(value) {
    return typeof value === "string" ? ["y", value] : "text such as 2026-08-21";
  },
  uuid: name,
  choice: name,
  json(value) {
    const text = typeof value === "string" ? value : jsonOf(value);
    return text === undefined ? "a value that JSON has" : ["j", text];
  },
};
