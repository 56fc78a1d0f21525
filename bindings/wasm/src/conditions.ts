// SPDX-License-Identifier: MIT
// Tests rows by the conditions of a query, as functions that are made once for each query.
// include/sluice/query/cell.hpp defines the tests.

import { checkText } from "./checks.js";
import { accepts, type Collation, compareBytes, equalsAny, foldOf } from "./collations.js";
import { call } from "./module.js";
import { CELLS, type Cell, findMember, isMissing, listOf, type Row } from "./rows.js";
import type { ColumnType } from "./params.js";

/** The answer of query_conditions in native/queries.cpp. @internal */
export type Conditions =
  | { readonly all: readonly Conditions[] }
  | { readonly any: readonly Conditions[] }
  | { readonly not: Conditions }
  | Condition;

type Bound = string | number | bigint;

/** A condition on a column. */
interface Condition {
  readonly column: string;
  readonly param: string;
  readonly type: ColumnType;
  readonly isList: boolean;
  readonly collation: Collation;
  readonly choices: readonly string[];
  readonly texts?: readonly string[];
  readonly excludes?: boolean;
  readonly all_of?: readonly string[];
  readonly contains?: readonly string[];
  readonly starts_with?: readonly string[];
  readonly ends_with?: readonly string[];
  readonly bounds?: Readonly<Partial<Record<"gte" | "gt" | "lte" | "lt", Bound>>>;
  readonly is?: boolean;
  readonly is_null?: boolean;
  readonly records?: Conditions;
  readonly matches?: string;
}

/** Keys of rows by column, if they differ. */
export type Names = Readonly<Record<string, string>>;

/** Returns true if a row meets a condition. @throws TypeError for values of other types. */
export type RowTest = (row: Row, names?: Names) => boolean;

/** The value of a row in a column: of CELLS, or the records' outcomes; undefined if it is missing. */
type Value = Cell | readonly Cell[] | undefined;

/** Returns the function that makes tests of metadata expressions. */
export type MetadataTests = (expression: string) => (document: string) => boolean;

/** Returns the function that tests rows. All values are read, whatever the others are. @internal */
export function rowTestOf(conditions: Conditions, metadata: MetadataTests): RowTest {
  if ("all" in conditions) {
    const countMet = counterOf(conditions.all, metadata);
    return (row, names) => countMet(row, names) === conditions.all.length;
  }
  if ("any" in conditions) {
    const countMet = counterOf(conditions.any, metadata);
    return (row, names) => countMet(row, names) > 0;
  }
  if ("not" in conditions) {
    const test = rowTestOf(conditions.not, metadata);
    return (row, names) => !test(row, names);
  }
  return leafOf(conditions, metadata);
}

/** Returns the function that counts the conditions which a row meets. */
function counterOf(operands: readonly Conditions[], metadata: MetadataTests): (row: Row, names?: Names) => number {
  const tests = operands.map((operand) => rowTestOf(operand, metadata));
  return (row, names) => {
    let met = 0;
    for (const test of tests) if (test(row, names)) ++met;
    return met;
  };
}

function leafOf(condition: Condition, metadata: MetadataTests): RowTest {
  const read = valueReader(condition, metadata);
  const meets = testOf(condition, metadata);
  return (row, names) => meets(read(row, names));
}

/** A column, and the parameter that errors name. */
type Subject = Pick<Condition, "column" | "param" | "type" | "isList" | "records">;

/** Returns the function that reads the value of a row in a column. @internal */
export function valueReader(subject: Subject, metadata: MetadataTests): (row: Row, names?: Names) => Value {
  const { column } = subject;
  const read = readerOf(subject, metadata);
  return (row, names) => {
    const name = names && Object.hasOwn(names, column) ? checkText(`columns: ${column}`, names[column]) : column;
    const member = findMember(row, name);
    if (!member) throw new TypeError(`the row has no '${name}'`);
    return isMissing(member[0]) ? undefined : read(member[0], name);
  };
}

/** Returns the function that converts the value of a row in a column. */
function readerOf(subject: Subject, metadata: MetadataTests): (value: unknown, name: string) => Value {
  const { type, isList, param } = subject;
  const refuse = (name: string, expected: string): never => {
    throw new TypeError(`${param}: column '${name}': expected ${expected}`);
  };
  if (type === "records") {
    const test = subject.records && rowTestOf(subject.records, metadata);
    return (value, name) => {
      const records = listOf(value) ?? refuse(name, "a list of records");
      return test ? records.map((record) => test(record as Row)) : [];
    };
  }
  const { read, expected } = CELLS[type];
  const readOne = (value: unknown, name: string, list: string) => read(value) ?? refuse(name, list + expected);
  if (!isList || type === "text") return (value, name) => readOne(value, name, "");
  return (value, name) => {
    const items = listOf(value) ?? refuse(name, "a list");
    return items.map((item) => readOne(item, name, "a list, each item ") as Cell);
  };
}

/** Returns the function that tests the value of a row. */
function testOf(condition: Condition, metadata: MetadataTests): (value: Value) => boolean {
  if (condition.texts) return textTest(condition);
  if (condition.all_of) return allOfTest(condition);
  if (condition.is !== undefined) return (value) => value === condition.is;
  if (condition.is_null !== undefined) return (value) => (value === undefined) === condition.is_null;
  if (condition.records) return (value) => Array.isArray(value) && value.includes(true);
  if (condition.matches !== undefined) {
    const matches = metadata(condition.matches);
    return (value) => matches(value === undefined ? "null" : String(value));
  }
  if (condition.bounds) return boundsTest(condition);
  return partTest(condition);
}

/** The texts of a value; those of whole numbers are their digits. */
function textsOf(value: Value): string | readonly string[] | undefined {
  return Array.isArray(value) ? value.map(String) : value === undefined ? undefined : String(value);
}

function textTest({ texts = [], excludes = false, collation }: Condition): (value: Value) => boolean {
  const isAccepted = accepts(texts, excludes, collation);
  return (value) => isAccepted(textsOf(value));
}

function allOfTest({ all_of = [], collation }: Condition): (value: Value) => boolean {
  const tests = all_of.map((text) => equalsAny([text], collation));
  return (value) => {
    const texts = textsOf(value);
    return Array.isArray(texts) && tests.every((isText) => texts.some(isText));
  };
}

function partTest({ contains, starts_with, ends_with, collation, column }: Condition): (value: Value) => boolean {
  const parts = contains ?? starts_with ?? ends_with;
  if (!parts) throw new TypeError(`column '${column}': a test of another version`);
  const fold = foldOf(collation);
  const folded = parts.map(fold);
  const place = contains ? "includes" : starts_with ? "startsWith" : "endsWith";
  const hasPart = (item: Cell) => {
    const text = fold(item as string);
    return folded.some((part) => text[place](part));
  };
  return (value) => (Array.isArray(value) ? value.some(hasPart) : value !== undefined && hasPart(value as Cell));
}

function boundsTest({ bounds: { gte, gt, lte, lt } = {}, type, choices }: Condition): (value: Value) => boolean {
  const [least, most] = [gte ?? gt, lte ?? lt];
  if (type === "choice" && [least, most].some((bound) => bound !== undefined && !choices.includes(bound as string))) {
    return () => false;
  }
  const orderTo = ORDERS[type] ?? orderOfChoices(choices);
  const toLeast = least === undefined ? () => 1 : orderTo(least);
  const toMost = most === undefined ? () => -1 : orderTo(most);
  return (value) => {
    if (value === undefined || Array.isArray(value)) return false;
    const fromLeast = toLeast(value as Cell);
    const fromMost = toMost(value as Cell);
    return (gt === undefined ? fromLeast >= 0 : fromLeast > 0) && (lt === undefined ? fromMost <= 0 : fromMost < 0);
  };
}

/** Returns the order of cells beside a bound: negative, 0 or positive; NaN if a cell has none. */
type Order = (bound: Bound) => (cell: Cell) => number;

const byValue: Order = (bound) => (cell) => (cell < bound ? -1 : cell > bound ? 1 : 0);

const ORDERS: Partial<Record<ColumnType, Order>> = {
  integer: byValue,
  real: byValue,
  time: byValue,
  date: byValue,
  text: (bound) => (cell) => compareBytes(cell as string, bound as string),
  decimal: orderToDecimal,
};

function orderOfChoices(choices: readonly string[]): Order {
  const places = new Map(choices.map((choice, place) => [choice, place]));
  return (bound) => (cell) => (places.get(cell as string) ?? NaN) - places.get(bound as string)!;
}

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** Doubles keep the order of decimals, but for those that become equal. */
function orderToDecimal(bound: Bound): (cell: Cell) => number {
  const number = Number(bound);
  return (cell) => {
    const text = String(cell);
    if (!DECIMAL.test(text)) return NaN;
    return Number(text) - number || (text === bound ? 0 : call<number>("decimal_order", text, bound));
  };
}
