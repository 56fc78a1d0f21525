// SPDX-License-Identifier: MIT
// What parameters endpoints of one's own can have.

import { checkOptions, checkTexts, checkWhole, describe, memberOf } from "./checks.js";
import { type Collation, Filter, filterItem, type MetadataQuery } from "./expressions.js";
import type { Field } from "./module.js";
import { keepPrefix } from "./query_text.js";
import type { Interval, Window } from "./times.js";

/** A column of a resource, where more is to be said of it than its name. */
export interface Column {
  readonly name: string;
  readonly type?: "text" | "integer" | "decimal" | "time" | "boolean" | "json";
  readonly isList?: boolean;
  readonly isNullable?: boolean;
  readonly collation?: Collation;
}

/** What is said of a row, or a group of rows, of a table of parameters. @internal */
export interface Declaration {
  readonly kind: string;
  readonly name: string;
  readonly column?: string;
  readonly op?: string;
  readonly help?: string;
  readonly accepts?: string;
  readonly absent?: string | undefined;
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly prefix?: string;
  readonly choices?: readonly string[];
  readonly sortedBy?: readonly string[];
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
}

const LARGEST = 2n ** 63n - 1n;

/** The fields of a declaration, in the order of native/tables.cpp. @internal */
export function fieldsOf(told: Declaration): readonly Field[] {
  return [
    told.kind,
    told.name,
    told.column ?? "",
    told.op ?? "eq",
    told.help ?? "",
    told.accepts ?? "",
    told.absent ?? null,
    told.required ?? false,
    told.deprecated ?? false,
    told.prefix ?? "",
    ...checkTexts(`${told.name}: choices`, told.choices ?? []),
    null,
    ...(told.sortedBy ?? []),
    null,
    checkWhole(`${told.name}: minimum`, told.minimum ?? 0),
    checkWhole(`${told.name}: maximum`, told.maximum ?? LARGEST),
  ];
}

/** A parameter, or a group of parameters, of an endpoint; `T` is its value in a query. */
export class Parameter<T> {
  /** @internal */
  constructor(
    /** The columns that it is compared with, given its name in the endpoint. */
    readonly columns: (name: string) => readonly Required<Column>[],
    readonly declarations: (name: string, others: Parameters) => readonly Declaration[],
    readonly toValue: (values: readonly unknown[]) => T,
  ) {}
}

/** The parameters of an endpoint by their names. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** What any parameter that stands alone may say. */
export interface Words {
  /** What the query string calls it; the property's name by default. */
  readonly name?: string;
  /** What it is compared with: the column of the property's name by default; null: nothing. */
  readonly column?: string | Column | null;
  /** One line for people. */
  readonly help?: string;
  /** What would be accepted, for messages: `expected ...`. */
  readonly accepts?: string;
  /** Whether it is kept for old clients. */
  readonly deprecated?: boolean;
}

interface Presence<T> extends Words {
  /** What a request without it means. */
  readonly default?: T;
  /** Whether it has to be there. */
  readonly required?: boolean;
}

/** A value that is never null where the options require it or have a default. */
type Given<T, Options> = Options extends { readonly required: true } ? T
  : Options extends { readonly default: NonNullable<unknown> } ? T
  : T | null;

/** A column, with what is not said of it. @internal */
export function whole(told: Column): Required<Column> {
  checkOptions(`column ${describe(told.name)}`, told, ["name", "type", "isList", "isNullable", "collation"]);
  return { type: "text", isList: false, isNullable: false, collation: "exact", ...told };
}

function columnOf(words: Words, like: Omit<Column, "name"> | null, name: string) {
  if (words.column === null || like === null) return undefined;
  if (typeof words.column === "object") return whole(words.column);
  return whole({ ...like, name: words.column ?? name });
}

const WORDS = ["name", "column", "help", "accepts", "deprecated"];
/** The options of parameters beside WORDS, by the kinds of declarations. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  filter: ["default", "required", "choices", "type", "collation"],
  list: ["required"],
  text: ["default", "required", "prefix"],
  choice: ["default", "required"],
  boolean: ["default", "required"],
  integer: ["default", "required", "operators", "minimum", "maximum"],
  decimal: ["default", "required", "operators"],
  time: ["operators"],
  uuid: ["required"],
};

/** Functions that are called otherwise than their kinds. */
const FUNCTIONS: Readonly<Record<string, string>> = { list: "texts", expression: "metadata" };

/** A parameter of one name, compared with a column like this one or with none. */
function single<T>(
  kind: string,
  like: Omit<Column, "name"> | null,
  options: Presence<unknown>,
  more: Partial<Declaration> = {},
): Parameter<T> {
  const words = like === null ? WORDS.filter((name) => name !== "column") : WORDS;
  checkOptions(memberOf(FUNCTIONS, kind) ?? kind, options, [...words, ...(OPTIONS[kind] ?? [])]);
  const columns = (name: string) => [columnOf(options, like, name)].filter((each) => !!each);
  const declare = (name: string): Declaration => ({
    ...wordsOf(options.name ?? name, options),
    ...more,
    kind,
    name: options.name ?? name,
    column: columns(name)[0]?.name ?? "",
  });
  return new Parameter<T>(columns, (name) => [declare(name)], ([value]) => value as T);
}

function wordsOf(name: string, { help, accepts, deprecated, required, default: absent }: Presence<unknown>) {
  return {
    help: help ?? "",
    accepts: accepts ?? "",
    deprecated: deprecated ?? false,
    required: required ?? false,
    absent: absent === undefined ? undefined : defaultText(name, absent),
  };
}

/** A default as a query string has it; the items of a list are values of a filter. */
function defaultText(name: string, absent: unknown): string {
  if (absent instanceof Filter) return absent.text;
  if (Array.isArray(absent)) return checkTexts(`${name}: default`, absent).map(filterItem).join(",");
  if (["string", "number", "bigint", "boolean"].includes(typeof absent)) return String(absent);
  throw new TypeError(`${name}: default: expected a value of the parameter, not ${describe(absent)}`);
}

/** An advanced filter: `name=a,b`, or `name=-a,b` for all but these; an empty one where absent. */
export function filter(
  options: Presence<string | readonly string[] | Filter> & {
    /** The values that it may have; any, where there are none. */
    readonly choices?: readonly string[];
    /** What the column holds; an integer filter takes whole numbers. */
    readonly type?: "text" | "integer";
    readonly collation?: Collation;
  } = {},
): Parameter<Filter> {
  const { choices = [], type = "text", collation = "exact" } = options;
  return single("filter", { type, collation }, options, { choices });
}

/** Identifiers, separated by commas: rows whose text is any of them. */
export function texts(options: Words & { readonly required?: boolean } = {}): Parameter<readonly string[]> {
  return single("list", {}, options);
}

/** One text: rows whose text it is. Empty is as if absent. */
export function text<const Options extends Presence<string> & { readonly prefix?: string }>(
  options?: Options,
): Parameter<Given<string, Options>> {
  return single("text", {}, options ?? {}, { prefix: options?.prefix ?? "" });
}

/** A text that rows contain; what contains it is the endpoint's own to say. */
export function search(options: Omit<Words, "column"> = {}): Parameter<string | null> {
  return single("search", null, options);
}

/** One of some values: rows whose text it is. */
export function choice<const Choices extends readonly string[], const Options extends Presence<Choices[number]>>(
  choices: Choices,
  options?: Options,
): Parameter<Given<Choices[number], Options>> {
  return single("choice", {}, options ?? {}, { choices });
}

/** `true` or `false`: rows where the column is that. */
export function boolean<const Options extends Presence<boolean>>(
  options?: Options,
): Parameter<Given<boolean, Options>> {
  return single("boolean", { type: "boolean" }, options ?? {});
}

const OPERATORS = { "=": "eq", ">=": "gte", ">": "gt", "<=": "lte", "<": "lt" } as const;
export type Operator = keyof typeof OPERATORS;

/** What a request compares a column with, by each operator; null where it gave none. */
export interface Bounds<T> {
  readonly eq: T | null;
  readonly gte: T | null;
  readonly gt: T | null;
  readonly lte: T | null;
  readonly lt: T | null;
}

interface Operators {
  /** How rows are compared: `>=` is the parameter `name[gte]`. The value is then a Bounds. */
  readonly operators?: readonly Operator[];
}
type Compared<T, Options> = Options extends { readonly operators: readonly Operator[] } ? Bounds<T>
  : Given<T, Options>;

function number<T, Options extends Presence<unknown> & Operators>(
  kind: "integer" | "decimal" | "time",
  options: Options,
  more: Partial<Declaration> = {},
): Parameter<Compared<T, Options>> {
  type Value = Compared<T, Options>;
  const one = single<Value>(kind, { type: kind }, options, more);
  if (!options.operators) return one;
  const operators: readonly Operator[] = Array.isArray(options.operators) ? options.operators : [];
  const names = operators.map((each) => memberOf(OPERATORS, each)!);
  if (names.length === 0 || names.includes(undefined!)) {
    throw new TypeError(`operators: expected some of ${Object.keys(OPERATORS).join(", ")}`);
  }
  const declarations = (name: string, others: Parameters) =>
    one.declarations(name, others).flatMap((told) =>
      names.map((op) => ({ ...told, op, name: op === "eq" ? told.name : `${told.name}[${op}]` })),
    );
  const none = { eq: null, gte: null, gt: null, lte: null, lt: null };
  const toBounds = (values: readonly unknown[]) =>
    Object.freeze({ ...none, ...Object.fromEntries(names.map((op, at) => [op, values[at]])) });
  return new Parameter(one.columns, declarations, (values) => toBounds(values) as Value);
}

/**
 * A whole number: rows whose number it is, or that compare with it. Its bounds are by default the
 * numbers that JavaScript has exactly.
 */
export function integer<
  const Options extends Presence<number> & Operators & { readonly minimum?: number; readonly maximum?: number },
>(options?: Options): Parameter<Compared<number, Options>> {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = options ?? {};
  return number("integer", (options ?? {}) as Options, { minimum, maximum });
}

/** A number of any length, compared exactly; its value is its text. */
export function decimal<const Options extends Presence<string | number> & Operators>(
  options?: Options,
): Parameter<Compared<string, Options>> {
  return number("decimal", (options ?? {}) as Options);
}

/** Times that rows are compared with, read in UTC; a day is its first or last millisecond. */
export function time(
  options: Words & { readonly operators: readonly Exclude<Operator, "=">[] },
): Parameter<Bounds<Date>> {
  return number<Date, typeof options>("time", options);
}

/** A UUID in its text form: rows whose text it is, in lower case. */
export function uuid<const Options extends Words & { readonly required?: boolean }>(
  options?: Options,
): Parameter<Given<string, Options>> {
  return single("uuid", {}, options ?? {});
}

/** A metadata expression over the JSON of a column, such as `metadata['plan']:'pro'`. */
export function metadata(options: Words = {}): Parameter<MetadataQuery | null> {
  return single("expression", { type: "json" }, options);
}

/** The rows of a window of time: the parameters `interval`, `start`, `end` and `timezone`. */
export function window(
  options: {
    /** The column of times; that of the property's name by default. */
    readonly column?: string;
    /** The interval where a request names none. */
    readonly default?: Interval;
    /** What the four names begin with. */
    readonly prefix?: string;
  } = {},
): Parameter<Window> {
  checkOptions("window", options, ["column", "default", "prefix"]);
  const { column, default: absent = "24h", prefix = "" } = options;
  return new Parameter(
    (name) => [whole({ name: column ?? name, type: "time" })],
    (name) => [{ kind: "window", name: prefix, column: column ?? name, absent }],
    ([value]) => keepPrefix(Object.freeze(value as Window), prefix),
  );
}

/** What a list is ordered by. */
export interface SortKey<Name extends string = string> {
  readonly name: Name;
  readonly descending: boolean;
}

/**
 * Columns to order by, separated by commas, each with `-` before it where it is descending. The
 * unique column comes last, whatever is asked for.
 *
 * @param by Names of parameters of the endpoint, whose columns are meant, or of columns.
 */
export function sort<const By extends readonly string[]>(
  by: By,
  options: {
    /** The order where a request names none, such as `-created`. */
    readonly default?: string;
    readonly name?: string;
    readonly help?: string;
  } = {},
): Parameter<readonly SortKey<By[number]>[]> {
  checkOptions("sort", options, ["default", "name", "help"]);
  const { default: absent, help = "" } = options;
  const declare = (name: string, others: Parameters): Declaration => ({
    kind: "sort",
    name: options.name ?? name,
    help,
    absent,
    choices: by,
    sortedBy: checkTexts(name, by).map((each) => memberOf(others, each)?.columns(each)[0]?.name ?? each),
  });
  return new Parameter(
    () => [],
    (name, others) => [declare(name, others)],
    ([value]) => Object.freeze(value as SortKey<By[number]>[]),
  );
}

/** Which page of a list is asked for. */
export interface PageRequest {
  /** Its number, from 1; without meaning where there is a cursor. */
  readonly number: number;
  /** The most rows on it. */
  readonly limit: number;
  /** The place where it begins or ends, or null. */
  readonly cursor: string | null;
  /** Whether the number of all rows is asked for. */
  readonly count: boolean;
}

/** A page of the list: the parameters `page`, `limit`, `cursor` and `count`. */
export function page(
  options: {
    /** The rows on a page where a request gives no number. */
    readonly limit?: number;
    /** The most that it may ask for. */
    readonly maximum?: number;
    /** What the four names begin with. */
    readonly prefix?: string;
  } = {},
): Parameter<PageRequest> {
  checkOptions("page", options, ["limit", "maximum", "prefix"]);
  const { limit = 100, maximum = 1000, prefix = "" } = options;
  return new Parameter(
    () => [],
    () => [{ kind: "page", name: prefix, absent: String(limit), maximum }],
    ([value]) => keepPrefix(Object.freeze(value as PageRequest), prefix),
  );
}
