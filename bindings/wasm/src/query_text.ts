// SPDX-License-Identifier: MIT
// Query strings, and the values that convert to them.

import { checkTime, describe, isPlain, memberOf } from "./checks.js";
import type { ErrorMembers } from "./errors.js";
import { Filter, filterItem, MetadataQuery } from "./expressions.js";
import type { Field } from "./module.js";
import type { Bounds, Exclusion, ListForm, PageRequest, SortForm, SortKey } from "./params.js";
import type { Window } from "./times.js";

type SingleValue = string | number | bigint | boolean | Date | Filter | MetadataQuery | null | undefined;

/**
 * The value of a parameter; null and undefined leave it out. A text is in URL syntax, where `US,CA`
 * is two values; an item of a list is a single value, whatever characters it has.
 */
export type QueryValue =
  | SingleValue
  | readonly SingleValue[]
  | ReadonlySet<SingleValue>
  | Partial<Bounds<SingleValue>>
  | readonly SortKey[]
  | Window
  | PageRequest;

/** Parameters by name, or the `values` of a query. */
export interface QueryParameters {
  readonly [name: string]: QueryValue;
}

/** Pairs of a name and a value, such as a Map. */
export type QueryPairs = Iterable<readonly [name: string, value: QueryValue]>;

/** A query string, or a value that converts to one. */
export type QueryText = string | URL | URLSearchParams | FormData | QueryPairs | QueryParameters;

/** Options for parsing any request. */
export interface ParseOptions {
  /** The time that relative times such as `yesterday` refer to; the current time by default. */
  readonly now?: Date | number;
  /**
   * True if unknown parameters are errors: the default of defineParams(), but not of the service.
   */
  readonly strict?: boolean;
}

/** A parameter of a request. */
interface Pair {
  readonly name: string;
  readonly value: string;
  /** A text in URL syntax, a value such as a number, or an item of a list. */
  readonly kind: "text" | "value" | "item";
}

/** The names of the parameters of a window, a page or bounds, by their members. */
export type MemberNames = Readonly<Record<string, string>>;

/** The forms of filters, and of lists of texts, that differ from those of Filter. */
interface ValueForms {
  readonly lists: ListForm;
  readonly exclusion: Exclusion;
}

/** The origin of a value of a query, beside its members. */
interface Origin {
  /** Writes the query string that a query's values were parsed from. */
  toQueryString?(): string;
  /** The text of an order in a grammar, or of a value of a custom type. */
  readonly text?: string;
  readonly forms?: ValueForms;
  readonly names?: MemberNames;
  /** The form of sort keys. */
  readonly sorts?: SortForm;
}

/** Returns its argument from a constructor, so that a derived class adds its fields to this object. */
class Itself {
  constructor(value: object) {
    return value;
  }
}

/** Adds a private field to a value, which copies don't have. The collector has less work than with a WeakMap. */
class Traced extends Itself {
  readonly #origin: Origin;
  constructor(value: object, origin: Origin) {
    super(value);
    this.#origin = origin;
  }
  static has(value: object): boolean {
    return #origin in value;
  }
  static originOf(value: object): Origin {
    return #origin in value ? (value as Traced).#origin : {};
  }
}

function keep<Value>(value: Value, origin: Origin): Value {
  new Traced(value as object, origin);
  return value;
}
const { originOf } = Traced;

/** Freezes a query's values with the query. @internal */
export function keepQuery<Values>(values: Values, query: { toQueryString(): string }): Readonly<Values> {
  return Object.freeze(keep(values, query));
}

/** Freezes an order in a grammar with its text. @internal */
export function keepText<Keys>(keys: Keys, text: string): Readonly<Keys> {
  return Object.freeze(keep(keys, { text }));
}

/** Stores the forms of the parameter that a filter or a list comes from. @internal */
export function keepForms<Value>(value: Value, forms: ValueForms): Value {
  return forms.lists === "commas" && forms.exclusion === "dash" ? value : keep(value, { forms });
}

/** Stores the text of a value of a custom type, if it is an object. @internal */
export function keepValue<Value>(value: Value, text: string): Value {
  if (typeof value !== "object" || value === null || !Object.isExtensible(value)) return value;
  return Traced.has(value) ? value : keep(value, { text });
}

/**
 * Returns a function that freezes windows, pages or bounds with the names of their parameters, unless
 * these are the usual ones, with which groups without names are written. @internal
 */
export function keepNames(names: MemberNames, usual: MemberNames = {}): <Group extends object>(group: Group) => Group {
  const origin = { names };
  const isUsual = Object.entries(names).join() === Object.entries(usual).join(); // the parts have one order
  return isUsual ? Object.freeze : (group) => Object.freeze(keep(group, origin));
}

/** The separators of the sort keys of queries, by the form of their parameter. */
const separators: Readonly<Record<SortForm, string>> = { dash: "", space: " ", colon: ":", dot: "." };

/** Freezes the sort keys of a query with their form. @internal */
export function keepForm<Keys extends object>(keys: Keys, sorts: SortForm): Keys {
  return Object.freeze(sorts === "dash" ? keys : keep(keys, { sorts }));
}

/**
 * The query string of parameters. That of a query's `values` parses to an equal query.
 *
 * @throws TypeError for a value that no parameter can have; the message has its name.
 */
export function toQueryString(query: QueryText): string {
  const valueOf = ({ value, kind }: Pair) => (kind === "item" ? filterItem(value) : value);
  return textOf(query) ?? join(pairsOf(query), valueOf);
}

/**
 * A query string with some parameters replaced, or left out for null. Unless they place the page
 * themselves, it is the first one. @internal
 */
export function changedText(text: string, values: object, changes: QueryParameters): string {
  const added = new URLSearchParams(toQueryString(changes));
  const names = [...added.keys(), ...Object.keys(changes)];
  const places = names.length > 0 ? placesOf(values) : [];
  const isChanged = (name: string) => names.some((changed) => name === changed || name.startsWith(`${changed}[`));
  const kept = [...new URLSearchParams(text)].filter(([name]) => !isChanged(name) && !places.includes(name));
  return new URLSearchParams([...kept, ...added]).toString();
}

/** The names of the parameters of a page, by its members, unless an endpoint has others. @internal */
export const PAGE_NAMES: MemberNames = { page: "page", limit: "limit", cursor: "cursor", count: "count" };

/** The names of the parameters that place the page. */
function placesOf(values: object): readonly string[] {
  const groups = groupsIn(values);
  const page = [...groups, ...groups.flatMap(groupsIn)].find(isPage); // that of a guideline is inside its group
  if (!page) return ["page", "offset", "cursor"];
  const { names = PAGE_NAMES } = originOf(page);
  return ["page", "offset", "cursor"].map((member) => memberOf(names, member) ?? "");
}

/** The groups of parameters among the members of a value. */
function groupsIn(value: object): readonly object[] {
  return Object.values(value).filter(isPlain);
}

/** The fields of a request, in the order of native/request.hpp. @internal */
export function requestFields(query: QueryText, now: number, strict: boolean): readonly Field[] {
  const text = textOf(query);
  if (text !== undefined) return [text, now, strict];
  const pairs = pairsOf(query);
  const values = pairs.filter(({ kind }) => kind !== "text");
  const others = pairs.filter(({ kind }) => kind === "text");
  return [join(others, ({ value }) => value), now, strict, ...fieldsOfPairs(values)];
}

/** The names and values of parameters. @internal */
export function pairFields(query: QueryParameters): readonly Field[] {
  return fieldsOfPairs(pairsOf(query));
}

function fieldsOfPairs(pairs: readonly Pair[]): readonly Field[] {
  return pairs.flatMap(({ name, value }) => [name, value]);
}

/** The text that a query already has; undefined if it consists of pairs. */
function textOf(query: QueryText): string | undefined {
  if (typeof query === "string") return query;
  if (query instanceof URL) return query.search;
  return typeof query === "object" && query !== null ? originOf(query).toQueryString?.() : undefined;
}

/** A URL instead of a query string: `https://…`, or `/orders?…` of `request.url` in Node.js. */
const ADDRESS = /^(?!\?)[^=&?]*(?=\?)|^[^=&?]*:\/\/[^=&?]*/;

/** The error of a URL; undefined for anything else. @internal */
export function addressError(query: QueryText): ErrorMembers | undefined {
  const [address] = (typeof query === "string" && ADDRESS.exec(query)) || [];
  if (address === undefined) return undefined;
  return {
    code: "bad_request",
    status: 400,
    rule: "parameter_unknown",
    length: new TextEncoder().encode(address).length,
    message: "query: a whole address, give what comes after its '?'",
    text: query as string,
  };
}

function join(pairs: readonly Pair[], valueOf: (pair: Pair) => string): string {
  return new URLSearchParams(pairs.map((pair) => [pair.name, valueOf(pair)])).toString();
}

function pairsOf(query: QueryText): readonly Pair[] {
  if (isPlain(query)) return Object.entries(query).flatMap(([name, value]) => pairsOfValue(name, value));
  if (typeof query !== "object" || query === null || !(Symbol.iterator in query)) throw noQuery(query);
  return [...(query as Iterable<unknown>)].flatMap((pair) => {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== "string") throw noQuery(query);
    return pairsOfValue(pair[0], pair[1]);
  });
}

function noQuery(query: unknown): TypeError {
  const expected = "expected a query string, a URL, URLSearchParams, pairs or an object of parameters";
  return new TypeError(`query: ${expected}, not ${describe(query)}`);
}

/** The pairs of a value: none if it is missing, several for lists, windows, pages and bounds. */
function pairsOfValue(name: string, value: unknown): readonly Pair[] {
  const text = typeof value === "object" && value !== null ? originOf(value).text : undefined;
  if (text !== undefined) return [{ name, value: text, kind: "text" }];
  if (Array.isArray(value)) return pairsOfList(name, value);
  if (value instanceof Set) return pairsOfList(name, [...value]);
  if (isPlain(value)) return pairsOfMembers(name, value);
  const forms = value instanceof Filter ? originOf(value).forms : undefined;
  if (forms) return pairsOfFilter(name, value as Filter, forms);
  return pairsOfOne(name, value);
}

/** The pair of a single value; none if it is missing. */
function pairsOfOne(name: string, value: unknown): readonly Pair[] {
  if (isMissing(value)) return [];
  return [{ name, value: textOfOne(name, value), kind: isText(value) ? "text" : "value" }];
}

/** The pairs of a filter in the forms of its parameter. */
function pairsOfFilter(name: string, { text, excludes, values }: Filter, { lists }: ValueForms): readonly Pair[] {
  if (lists === "repeated") return values.map((value) => ({ name, value, kind: "value" }));
  return [{ name, value: excludes ? text.slice(1) : text, kind: "text" }];
}

/** Returns true if a value is already in the syntax of parameters. */
function isText(value: unknown): boolean {
  return typeof value === "string" || isExpression(value);
}

function isExpression(value: unknown): value is Filter | MetadataQuery {
  return value instanceof Filter || value instanceof MetadataQuery;
}

function isMissing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function pairsOfList(name: string, list: readonly unknown[]): readonly Pair[] {
  if (list.length > 0 && list.every(isSortKey)) {
    const separator = separators[originOf(list).sorts ?? "dash"];
    const write = ({ name: key, descending }: SortKey) =>
      !descending ? key : separator === "" ? `-${key}` : `${key}${separator}desc`;
    const keys = list.map(write);
    return [{ name, value: keys.join(","), kind: "text" }];
  }
  return list.filter((item) => !isMissing(item)).map((item) => {
    const value = textOfOne(name, item);
    if (value === "") throw new TypeError(`${name}: an item of a list is empty, which no parameter can say`);
    return { name, value, kind: isExpression(item) ? "text" : originOf(list).forms ? "value" : "item" };
  });
}

function isSortKey(item: unknown): item is SortKey {
  return isPlain(item) && typeof item["name"] === "string" && typeof item["descending"] === "boolean";
}

const OPERATORS = ["eq", "gte", "gt", "lte", "lt"];

/** The pairs of a window, a page or bounds. */
function pairsOfMembers(name: string, members: Readonly<Record<string, unknown>>): readonly Pair[] {
  const { names } = originOf(members);
  if (isWindow(members)) return pairsOfGroup(parametersOfWindow(members), names);
  if (isPage(members)) return pairsOfGroup(parametersOfPage(members, names), names);
  if (names) return pairsOfGroup(members as QueryParameters, names);
  return Object.entries(members).flatMap(([operator, value]) => {
    if (!OPERATORS.includes(operator)) {
      throw new TypeError(`${name}: unknown member ${describe(operator)}, expected ${OPERATORS.join(", ")}`);
    }
    return pairsOfOne(operator === "eq" ? name : `${name}[${operator}]`, value);
  });
}

/** The pairs of the members of a group that have a name; without names they are single values. */
function pairsOfGroup(members: QueryParameters, names?: MemberNames): readonly Pair[] {
  return Object.entries(members).flatMap(([member, value]) => {
    if (!names) return pairsOfOne(member, value);
    const name = memberOf(names, member);
    return name === undefined ? [] : pairsOfValue(name, value);
  });
}

/** @internal */
export function isWindow(members: unknown): members is Window {
  return isPlain(members) && Object.hasOwn(members, "timezone") && Object.hasOwn(members, "start");
}

/** Both ends as instants, so that the rows don't depend on the current time. */
function parametersOfWindow({ start, end, timezone }: Window): QueryParameters {
  return { ...(start ? { start } : { interval: "all" }), end, timezone };
}

function isPage(members: object): members is PageRequest {
  return Object.hasOwn(members, "limit") && Object.hasOwn(members, "cursor");
}

function parametersOfPage({ number, offset, limit, cursor, count }: PageRequest, names?: MemberNames): QueryParameters {
  const place = names && "offset" in names ? { offset } : { page: number };
  return { ...(cursor === null ? place : { cursor }), limit, count };
}

/** The text of a single value in a query string, without escapes. */
function textOfOne(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint" || Number.isFinite(value)) return String(value);
  if (isExpression(value)) return value.text;
  if (value instanceof Date) return checkTime(name, value).toISOString();
  const expected = "expected a text, a number, true or false, a Date, a filter or a list of these";
  throw new TypeError(`${name}: ${expected}, not ${describe(value)}`);
}

/** Converts a time to whole milliseconds since 1970; undefined to the current one. @internal */
export function toMilliseconds(now: Date | number | undefined): number {
  const time: unknown = typeof (now as Date | undefined)?.getTime === "function" ? (now as Date).getTime() : now ?? Date.now();
  const milliseconds = typeof time === "number" ? Math.floor(time) : NaN;
  if (!Number.isSafeInteger(milliseconds)) throw new TypeError("now: expected a Date or milliseconds since 1970");
  return milliseconds;
}
