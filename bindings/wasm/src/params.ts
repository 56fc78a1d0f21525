// SPDX-License-Identifier: MIT
// The parameter types of custom endpoints.

import {
  checkChoice, checkFlag, checkFunction, checkOptions, checkText, checkTexts, checkWhole, type COLUMN_TYPES, describe, EXCLUSIONS, isPlain,
  LIST_FORMS, memberOf, type NAME_STYLES, SEARCH_FORMS, SORT_FORMS,
} from "./checks.js";
import { type Collation, Filter, filterItem, type MetadataQuery } from "./expressions.js";
import type { Custom, Field, Reader } from "./module.js";
import { keepForm, keepForms, keepNames, keepValue, type MemberNames, PAGE_NAMES } from "./query_text.js";
import type { Interval, Window } from "./times.js";

/** The type of a column. */
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** A column of a resource, for properties beyond its name. */
export interface Column {
  readonly name: string;
  readonly type?: ColumnType;
  readonly isList?: boolean;
  readonly isNullable?: boolean;
  readonly collation?: Collation;
  /** The values of a column of choices, in their order. */
  readonly choices?: readonly string[];
  /** The columns of records. */
  readonly columns?: readonly Column[];
}

/** A column by the name of clients in a condition, with its tests; without tests all. @internal */
export interface Named {
  readonly name: string;
  readonly column: string;
  readonly tests: readonly string[];
}
/** The style of operators in names: `price[gte]`, `price__gte`, `price.gte` or `price_min`. */
export type NameStyle = (typeof NAME_STYLES)[number];
/** The form of several values: `a,b`, also repeated; or repeated only, where a comma is part of the value. */
export type ListForm = (typeof LIST_FORMS)[number];
/** The mark of excluded values of a filter: a leading dash, nothing, or the parameter itself. */
export type Exclusion = (typeof EXCLUSIONS)[number];
/** The words of a search that rows have: any, all, or the whole text as a phrase. */
export type SearchForm = (typeof SEARCH_FORMS)[number];
/** The form of a direction: `-total`, `total desc`, `total:desc` or `total.desc`. */
export type SortForm = (typeof SORT_FORMS)[number];

/** The declaration of a row, or a group of rows, of a parameter table. @internal */
export interface Declaration {
  readonly kind: string;
  readonly name: string;
  /** The names of a group, in the order of its parts; none: its defaults. */
  readonly names?: readonly string[];
  readonly column?: string;
  readonly op?: string;
  /** True if its name ends with the operator, in the style of the endpoint. */
  readonly isOperator?: boolean;
  readonly lists?: ListForm;
  readonly exclusion?: Exclusion;
  readonly sorts?: SortForm | "bare";
  readonly words?: SearchForm | "odata";
  readonly help?: string;
  readonly accepts?: string;
  readonly absent?: string | undefined;
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly prefix?: string;
  readonly choices?: readonly string[];
  readonly sortedBy?: readonly string[];
  readonly searched?: readonly string[];
  readonly grammar?: string;
  readonly named?: readonly Named[];
  /** The other columns of the endpoint are named, too, with these tests. */
  readonly offersAll?: boolean;
  readonly tests?: Readonly<Record<string, readonly string[]>>;
  readonly style?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  /** The format of a custom type in OpenAPI. */
  readonly form?: string;
  readonly reader?: Reader;
}

const LARGEST = 2n ** 63n - 1n;

/** The beginning of messages about a parameter; groups without a prefix have no name. */
function placeOf(name: string): string {
  if (name === "") return "";
  return `${typeof name === "string" ? name : describe(name)}: `;
}

/** The fields of a declaration, in the order of native/tables.cpp; null ends a list. @internal */
export function fieldsOf(declaration: Declaration, style: NameStyle, readers: readonly Reader[]): readonly Field[] {
  const place = placeOf(declaration.name);
  const text = (option: string, value = "") => checkText(place + option, value);
  const flag = (option: string, value = false) => checkFlag(place + option, value);
  return [
    declaration.kind,
    text("name", declaration.name),
    ...(declaration.names ?? []),
    null,
    text("column", declaration.column),
    declaration.op ?? "eq",
    ...(declaration.isOperator ? [true, style] : [false]),
    checkChoice(`${place}lists`, declaration.lists ?? "commas", LIST_FORMS),
    checkChoice(`${place}exclusion`, declaration.exclusion ?? "dash", EXCLUSIONS),
    checkChoice(`${place}form`, declaration.sorts ?? "dash", [...SORT_FORMS, "bare"]),
    checkChoice(`${place}form`, declaration.words ?? "any", [...SEARCH_FORMS, "odata"]),
    text("help", declaration.help),
    text("accepts", declaration.accepts),
    declaration.absent === undefined ? null : text("default", declaration.absent),
    flag("required", declaration.required),
    flag("deprecated", declaration.deprecated),
    text("prefix", declaration.prefix),
    ...checkTexts(`${place}choices`, declaration.choices ?? []),
    null,
    ...(declaration.sortedBy ?? []),
    null,
    ...(declaration.searched ?? []),
    null,
    declaration.grammar ?? "odata",
    ...(declaration.named ?? []).flatMap(({ name, column, tests }) => [name, column, ...tests, null]),
    null,
    declaration.style ?? "plain",
    checkWhole(`${place}minimum`, declaration.minimum ?? 0),
    checkWhole(`${place}maximum`, declaration.maximum ?? LARGEST),
    text("form", declaration.form),
    declaration.reader ? readers.indexOf(declaration.reader) : 0,
  ];
}

/** Converts the values of a request's declarations, of which those of a parameter begin at an index. */
export type Conversion<T> = (values: readonly unknown[], at: number) => T;

/** A parameter, or a group of parameters, of an endpoint; `T` is the type of its value. */
export class Parameter<T> {
  /** @internal */
  constructor(
    /** The columns that it is compared with; `name` is the property's in the endpoint. @internal */
    readonly columns: (name: string) => readonly Required<Column>[],
    /** @internal */
    readonly declarations: (name: string, others: Parameters) => readonly Declaration[],
    /** Returns the conversion of its values; `names` are those of its declarations' parameters. */
    readonly conversion: (names: readonly MemberNames[]) => Conversion<T>,
  ) {}
}

/** The parameters of an endpoint, by name. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** Options of all single parameters. */
export interface Words {
  /** The name in query strings; by default that of the property. */
  readonly name?: string;
  /** The column that it is compared with; by default that of the property's name; null: none. */
  readonly column?: string | Column | null;
  /** One line of help. */
  readonly help?: string;
  /** The accepted values, for messages: `expected ...`. */
  readonly accepts?: string;
  /** True if it is kept only for old clients. */
  readonly deprecated?: boolean;
}

interface ValueOptions<T> extends Words {
  /** The value in requests without the parameter. */
  readonly default?: T;
  /** True if requests must have it. */
  readonly required?: boolean;
}

/** Options of these names alone: others, such as misspelt ones, don't compile. */
type Only<Options, Known> = Options & { readonly [Name in Exclude<keyof Options, keyof Known>]: never };

/** The type of a value, never null if the options require it or have a default. */
type ValueOf<T, Options> = Options extends { readonly required: true } ? T
  : Options extends { readonly default: NonNullable<unknown> } ? T
  : T | null;

/** A column with defaults for missing properties. @internal */
export function completeColumn(column: Column): Required<Column> {
  const members = { type: "text", isList: false, isNullable: false, collation: "exact", choices: [], columns: [] } as const;
  checkOptions(isPlain(column) ? `column ${describe(column["name"])}` : "column", column, ["name", ...Object.keys(members)]);
  checkText("column: name", column.name);
  return { ...members, ...column };
}

/** The column of a parameter; undefined if it has none. */
function columnOf(words: Words, defaults: Omit<Column, "name"> | null, name: string) {
  if (words.column === null || defaults === null) return undefined;
  if (typeof words.column === "object") return completeColumn(words.column);
  return completeColumn({ ...defaults, name: words.column ?? name });
}

const WORDS = ["name", "column", "help", "accepts", "deprecated"];
/** The options of parameters in addition to WORDS, by the kinds of declarations. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  filter: ["default", "required", "choices", "type", "collation", "lists", "exclusion"],
  list: ["required", "lists", "exclusion"],
  search: ["form"],
  text: ["default", "required", "prefix", "operators"],
  choice: ["default", "required", "operators", "type"],
  boolean: ["default", "required"],
  is_null: ["default", "required"],
  integer: ["default", "required", "operators", "minimum", "maximum"],
  decimal: ["default", "required", "operators"],
  real: ["default", "required", "operators"],
  date: ["default", "required", "operators"],
  time: ["operators"],
  uuid: ["required", "type"],
  custom: ["required", "type", "format", "form"],
};

/** The functions that aren't named like their kinds. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  list: "texts",
  expression: "metadata",
  starts_with: "startsWith",
  ends_with: "endsWith",
  is_null: "isNull",
  custom: "value",
};

/** A parameter with a single name, compared with a column of these defaults; with none if null. */
function single<T>(
  kind: string,
  defaults: Omit<Column, "name"> | null,
  options: ValueOptions<unknown>,
  overrides: Partial<Declaration> = {},
): Parameter<T> {
  const words = defaults === null ? WORDS.filter((name) => name !== "column") : WORDS;
  checkOptions(memberOf(FUNCTIONS, kind) ?? kind, options, [...words, ...(OPTIONS[kind] ?? [])]);
  const columns = (name: string) => [columnOf(options, defaults, name)].filter((column) => !!column);
  const declare = (name: string): Declaration => ({
    ...wordsOf(options.name ?? name, options),
    ...overrides,
    kind,
    name: options.name ?? name,
    column: columns(name)[0]?.name ?? "",
  });
  return new Parameter<T>(columns, (name) => [declare(name)], () => (values, at) => values[at] as T);
}

/** The members of a declaration that all single parameters share. */
function wordsOf(name: string, { help, accepts, deprecated, required, default: absent }: ValueOptions<unknown>) {
  return {
    help: help ?? "",
    accepts: accepts ?? "",
    deprecated: deprecated ?? false,
    required: required ?? false,
    absent: absent === undefined ? undefined : defaultText(name, absent),
  };
}

/** The text of a default in a query string; items of a list are values of a filter. */
function defaultText(name: string, absent: unknown): string {
  if (absent instanceof Filter) return absent.text;
  if (Array.isArray(absent)) return checkTexts(`${placeOf(name)}default`, absent).map(filterItem).join(",");
  if (["string", "number", "bigint", "boolean"].includes(typeof absent)) return String(absent);
  throw new TypeError(`${placeOf(name)}default: expected a value of the parameter, not ${describe(absent)}`);
}

/** The defaults of a column; one of choices has these. */
function columnLike(type: ColumnType, choices: readonly string[]): Omit<Column, "name"> {
  return type === "choice" ? { type, choices } : { type };
}

/** A parameter whose values have the forms of its texts. */
function withForms<T>(parameter: Parameter<T>, forms: { readonly lists: ListForm; readonly exclusion: Exclusion }) {
  const { columns, declarations } = parameter;
  return new Parameter<T>(columns, declarations, () => (values, at) => keepForms(values[at] as T, forms));
}

/** An advanced filter: `name=a,b`, or `name=-a,b` for all but these. Empty if absent. */
export function filter(
  options: ValueOptions<string | readonly string[] | Filter> & {
    /** The accepted values; empty: any. */
    readonly choices?: readonly string[];
    /**
     * The type of the column; filters of integers, dates and UUIDs accept these alone. A column of
     * choices has those of the filter, in their order.
     */
    readonly type?: "text" | "integer" | "date" | "uuid" | "choice";
    readonly collation?: Collation;
    readonly lists?: ListForm;
    readonly exclusion?: Exclusion;
  } = {},
): Parameter<Filter> {
  const { choices = [], type = "text", collation = "exact", lists = "commas", exclusion = "dash" } = options ?? {};
  const forms = { lists, exclusion };
  const column = { ...columnLike(type, choices), collation };
  return withForms(single("filter", column, options, { choices, ...forms }), forms);
}

/** A list of identifiers, separated by commas: selects rows whose text is any of them. */
export function texts(
  options: Words & {
    readonly required?: boolean;
    readonly lists?: ListForm;
    /** `always` selects rows whose text is none of the items. */
    readonly exclusion?: "never" | "always";
  } = {},
): Parameter<readonly string[]> {
  const { lists = "commas", exclusion = "never" } = options ?? {};
  return withForms(single("list", {}, options, { lists, exclusion }), { lists, exclusion: "dash" });
}

interface TextOptions extends ValueOptions<string>, Operators {
  /** The start that texts must have; it isn't part of the value. */
  readonly prefix?: string;
}

/**
 * A text: selects rows with an equal text, or by comparison of bytes. An empty one counts as absent.
 */
export function text<const Options extends TextOptions>(
  options?: Only<Options, TextOptions>,
): Parameter<ComparedValue<string, Options>> {
  return compared("text", { type: "text" }, (options ?? {}) as Options, { prefix: options?.prefix ?? "" });
}

/**
 * A part of a text: selects rows whose text, or any text of a list, contains it. No character is a
 * wildcard. An empty one counts as absent.
 */
export function contains(options: Words = {}): Parameter<string | null> {
  return single("contains", {}, options);
}

/** Like contains(), for the beginning of a text. */
export function startsWith(options: Words = {}): Parameter<string | null> {
  return single("starts_with", {}, options);
}

/** Like contains(), for the end of a text. */
export function endsWith(options: Words = {}): Parameter<string | null> {
  return single("ends_with", {}, options);
}

/** `true` selects rows without a value in the column, `false` those with one. */
export function isNull<const Options extends ValueOptions<boolean>>(
  options?: Only<Options, ValueOptions<boolean>>,
): Parameter<ValueOf<boolean, Options>> {
  return single("is_null", { isNullable: true }, options ?? {});
}

type SearchOptions = Omit<Words, "column"> & { readonly form?: SearchForm };

/**
 * A search text: selects rows that have any of its words in any of the columns, of texts.
 * Without columns the endpoint defines what is searched.
 *
 * @param columns Names of columns; the last argument may be the options.
 */
export function search(...columns: readonly string[] | readonly [...string[], SearchOptions]): Parameter<string | null> {
  const last = columns.at(-1);
  const hasOptions = isPlain(last);
  const { form = "any" } = hasOptions ? last : {};
  const parameter = single<string | null>("search", null, hasOptions ? last : {}, { words: form });
  const searched = checkTexts("search", hasOptions ? columns.slice(0, -1) : columns);
  const declarations = (name: string, others: Parameters) =>
    parameter.declarations(name, others).map((declaration) => ({ ...declaration, searched }));
  return new Parameter(parameter.columns, declarations, parameter.conversion);
}

interface ChoiceOptions<Choice> extends ValueOptions<Choice>, Operators {
  /** The type of the column: of texts, or of these choices in their order, which operators need. */
  readonly type?: "text" | "choice";
}

/** One of several values: selects rows with an equal text, or by comparison. */
export function choice<const Choices extends readonly string[], const Options extends ChoiceOptions<Choices[number]>>(
  choices: Choices,
  options?: Only<Options, ChoiceOptions<Choices[number]>>,
): Parameter<ComparedValue<Choices[number], Options>> {
  return compared("choice", columnLike(options?.type ?? "text", choices), (options ?? {}) as Options, { choices });
}

/** `true` or `false`: selects rows whose column has this value. */
export function boolean<const Options extends ValueOptions<boolean>>(
  options?: Only<Options, ValueOptions<boolean>>,
): Parameter<ValueOf<boolean, Options>> {
  return single("boolean", { type: "boolean" }, options ?? {});
}

const OPERATORS = { "=": "eq", ">=": "gte", ">": "gt", "<=": "lte", "<": "lt" } as const;
export type Operator = keyof typeof OPERATORS;

/** The comparisons of a request with a column, by operator; null for missing ones. */
export interface Bounds<T> {
  readonly eq: T | null;
  readonly gte: T | null;
  readonly gt: T | null;
  readonly lte: T | null;
  readonly lt: T | null;
}

interface Operators {
  /**
   * The accepted comparisons: `>=` is the parameter `name[gte]`, or as an object names it. The value
   * is then a Bounds.
   */
  readonly operators?: readonly Operator[] | OperatorNames;
}
/** The names of parameters by their operators: `{ ">=": "price_from" }`. */
export type OperatorNames = { readonly [Op in Operator]?: string };
type ComparedValue<T, Options> = Options extends { readonly operators: readonly Operator[] | OperatorNames } ? Bounds<T>
  : ValueOf<T, Options>;

/** A value that is compared; with operators a group of one declaration for each. */
function compared<T, Options extends ValueOptions<unknown> & Operators>(
  kind: string,
  defaults: Omit<Column, "name">,
  options: Options,
  overrides: Partial<Declaration> = {},
): Parameter<ComparedValue<T, Options>> {
  type Value = ComparedValue<T, Options>;
  const parameter = single<Value>(kind, defaults, options, overrides);
  if (!options.operators) return parameter;
  const chosen: OperatorNames = isPlain(options.operators) ? options.operators : {};
  const operators: readonly string[] = Array.isArray(options.operators) ? options.operators : Object.keys(chosen);
  const names = operators.map((operator) => memberOf(OPERATORS, operator)!);
  if (names.length === 0 || names.includes(undefined!)) {
    throw new TypeError(`operators: expected some of ${Object.keys(OPERATORS).join(", ")}`);
  }
  const declarations = (name: string, others: Parameters) =>
    parameter.declarations(name, others).flatMap((declaration) =>
      names.map((op, index) => {
        const named = memberOf(chosen as Readonly<Record<string, string>>, operators[index]!);
        return named === undefined ? { ...declaration, op, isOperator: true } : { ...declaration, op, name: checkText(`${name}: operators`, named) };
      }),
    );
  const makeBounds = (of: readonly MemberNames[]) => {
    const keep = keepNames(Object.fromEntries(names.map((op, index) => [op, of[index]![""]!])));
    return (values: readonly unknown[], at: number) => {
      const bounds: Record<(typeof names)[number], unknown> = { eq: null, gte: null, gt: null, lte: null, lt: null };
      for (let index = 0; index < names.length; ++index) bounds[names[index]!] = values[at + index];
      return keep(bounds) as Value;
    };
  };
  return new Parameter(parameter.columns, declarations, makeBounds);
}

type ComparedOptions<T> = ValueOptions<T> & Operators;
interface IntegerOptions extends ComparedOptions<number> {
  readonly minimum?: number;
  readonly maximum?: number;
}

/**
 * A whole number: selects rows with an equal number, or by comparison. By default the bounds are
 * the largest numbers that JavaScript represents exactly.
 */
export function integer<const Options extends IntegerOptions>(
  options?: Only<Options, IntegerOptions>,
): Parameter<ComparedValue<number, Options>> {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = options ?? {};
  return compared("integer", { type: "integer" }, (options ?? {}) as Options, { minimum, maximum });
}

/** A number of any length, compared exactly; the value is its text. */
export function decimal<const Options extends ComparedOptions<string | number>>(
  options?: Only<Options, ComparedOptions<string | number>>,
): Parameter<ComparedValue<string, Options>> {
  return compared("decimal", { type: "decimal" }, (options ?? {}) as Options);
}

/** A number as a double: selects rows with an equal number, or by comparison. For amounts see decimal(). */
export function real<const Options extends ComparedOptions<number>>(
  options?: Only<Options, ComparedOptions<number>>,
): Parameter<ComparedValue<number, Options>> {
  return compared("real", { type: "real" }, (options ?? {}) as Options);
}

/** A day such as `2026-08-21`, without a zone: selects rows of this day, or by comparison. */
export function date<const Options extends ComparedOptions<string>>(
  options?: Only<Options, ComparedOptions<string>>,
): Parameter<ComparedValue<string, Options>> {
  return compared("date", { type: "date" }, (options ?? {}) as Options);
}

/** Comparisons with times, parsed in UTC; a day stands for its first or last millisecond. */
export function time(
  options: Words & { readonly operators: readonly Exclude<Operator, "=">[] | Omit<OperatorNames, "="> },
): Parameter<Bounds<Date>> {
  return compared<Date, typeof options>("time", { type: "time" }, options);
}

interface UuidOptions extends Words {
  readonly required?: boolean;
  /** The type of the column: of texts in lower case, or of UUIDs. */
  readonly type?: "text" | "uuid";
}

/** A UUID in text form: selects rows with an equal one. */
export function uuid<const Options extends UuidOptions>(options?: Only<Options, UuidOptions>): Parameter<ValueOf<string, Options>> {
  return single("uuid", { type: options?.type ?? "text" }, options ?? {});
}

/** A metadata expression on a JSON column, such as `metadata['plan']:'pro'`. */
export function metadata(options: Words = {}): Parameter<MetadataQuery | null> {
  return single("expression", { type: "json" }, options);
}

interface TypeOptions<T> extends Words {
  readonly required?: boolean;
  /** Converts a value to a text that `parse` accepts, the same for equal values; String() by default. */
  readonly format?: (value: T) => string;
  /** The type of the column, as which the text is read; of texts by default. */
  readonly type?: ColumnType;
  /** The name of the format in OpenAPI, such as `isbn`. */
  readonly form?: string;
}

/**
 * A value of a custom type: selects rows with an equal one.
 *
 * @param parse Converts a text to a value. An error that it throws refuses the text: that of a Rule
 *   with the rule's message, any other with that of `accepts`.
 */
export function value<T, const Options extends TypeOptions<T>>(
  parse: (text: string) => T,
  options?: Only<Options, TypeOptions<T>>,
): Parameter<ValueOf<T, Options>> {
  const { format = String, type = "text", form = "" } = (options ?? {}) as TypeOptions<T>;
  checkFunction("value", parse);
  checkFunction("format", format);
  const reader = (written: string): Custom => {
    const value = parse(written);
    return { text: checkText("format", format(value)), value };
  };
  const parameter = single<T>("custom", { type }, (options ?? {}) as ValueOptions<unknown>, { form, reader });
  return new Parameter(parameter.columns, parameter.declarations, () => (values, at) => {
    const read = values[at] as Custom | null;
    return (read && keepValue(read.value, read.text)) as ValueOf<T, Options>;
  });
}

/** The name of a parameter of a group; null leaves it out. */
type GroupName = string | null;

/** The names of a group, in the order of its parts. */
function groupNames(defaults: Readonly<Record<string, GroupName>>, options: object): readonly string[] {
  return Object.entries(defaults).map(([part, name]) => {
    const chosen = memberOf(options as typeof defaults, part);
    if (chosen !== undefined && chosen !== null && (typeof chosen !== "string" || chosen === "")) {
      throw new TypeError(`${part}: expected a parameter's name or null, not ${describe(chosen)}`);
    }
    return (chosen === undefined ? name : chosen) ?? "";
  });
}

const WINDOW_NAMES = { interval: "interval", start: "start", end: "end", timezone: "timezone" } as const;

/** A window of time: the parameters `interval`, `start`, `end` and `timezone`. */
export function window(
  options: {
    /** The column of times; by default that of the property's name. */
    readonly column?: string;
    /** The interval of requests without one. */
    readonly default?: Interval;
    /** The prefix of the four names. */
    readonly prefix?: string;
  } & { readonly [Part in keyof typeof WINDOW_NAMES]?: GroupName } = {},
): Parameter<Window> {
  checkOptions("window", options, ["column", "default", "prefix", ...Object.keys(WINDOW_NAMES)]);
  const { column, default: absent = "24h", prefix = "" } = options;
  const names = groupNames(WINDOW_NAMES, options);
  return new Parameter(
    (name) => [completeColumn({ name: column ?? name, type: "time" })],
    (name) => [{ kind: "window", name: prefix, names, column: column ?? name, absent }],
    ([parts]) => {
      const keep = keepNames(parts!, WINDOW_NAMES);
      return (values, at) => keep(values[at] as Window);
    },
  );
}

/** A column of the order. */
export interface SortKey<Name extends string = string> {
  readonly name: Name;
  readonly descending: boolean;
}

/**
 * The order: columns separated by commas, with a leading `-` for descending ones. The unique column
 * is always appended.
 *
 * @param by Names of the endpoint's parameters, which stand for their columns, or of columns.
 */
export function sort<const By extends readonly string[]>(
  by: By,
  options: {
    /** The order of requests without one, such as `-created`. */
    readonly default?: string;
    readonly name?: string;
    readonly help?: string;
    /** The form of directions; `dash` by default. */
    readonly form?: SortForm;
    /** The name of a parameter with the direction of all columns. */
    readonly direction?: string;
    /** The values of that parameter, ascending first; `["asc", "desc"]` by default. */
    readonly directions?: readonly [string, string];
  } = {},
): Parameter<readonly SortKey<By[number]>[]> {
  checkOptions("sort", options, ["default", "name", "help", "form", "direction", "directions"]);
  const { default: absent, help = "", form = "dash", direction, directions = ["asc", "desc"] } = options;
  const declare = (name: string, others: Parameters): Declaration => ({
    kind: "sort",
    name: options.name ?? name,
    help,
    absent,
    sorts: form,
    choices: by,
    sortedBy: checkTexts(name, by).map((key) => memberOf(others, key)?.columns(key)[0]?.name ?? key),
  });
  return new Parameter(
    () => [],
    (name, others) => [
      declare(name, others),
      ...(direction === undefined ? [] : [{ kind: "direction", name: direction, choices: directions }]),
    ],
    () => (values, at) => {
      const keys = values[at] as SortKey<By[number]>[];
      const chosen = direction === undefined ? null : values[at + 1];
      const descending = chosen === directions[1];
      return keepForm(chosen === null ? keys : keys.map((key) => ({ ...key, descending })), form);
    },
  );
}

/** The page of a list request. */
export interface PageRequest {
  /** The number of the page, from 1; unused with a cursor. */
  readonly number: number;
  /** The number of rows before the page; unused with a cursor. */
  readonly offset: number;
  /** The maximum number of rows. */
  readonly limit: number;
  /** The cursor that the page begins or ends at, or null. */
  readonly cursor: string | null;
  /** True if the number of rows on all pages is requested. */
  readonly count: boolean;
}

const PAGE_PARTS = { page: "page", offset: null, limit: "limit", cursor: "cursor", count: "count" } as const;

/**
 * A page of the list: the parameters `page`, `limit`, `cursor` and `count`, or `offset` if it has a
 * name and `page` has none.
 */
export function page(
  options: {
    /** The rows per page of requests without a limit. */
    readonly default?: number;
    /** The maximum of the limit. */
    readonly maximum?: number;
    /** The prefix of the names. */
    readonly prefix?: string;
  } & { readonly [Part in keyof typeof PAGE_PARTS]?: GroupName } = {},
): Parameter<PageRequest> {
  checkOptions("page", options, ["default", "maximum", "prefix", ...Object.keys(PAGE_PARTS)]);
  const { default: absent = 100, maximum = 1000, prefix = "" } = options;
  const names = groupNames(PAGE_PARTS, options);
  return new Parameter(
    () => [],
    () => [{ kind: "page", name: prefix, names, absent: String(absent), maximum }],
    ([parts]) => {
      const keep = keepNames(parts!, PAGE_NAMES);
      return (values, at) => keep(values[at] as PageRequest);
    },
  );
}
