// SPDX-License-Identifier: MIT
// The roles of an endpoint's parameters, by name: which of them are conditions, the window, the
// order or the page. An endpoint is GET /events of the service, or declared by its source.

import type { Endpoint, ListQuery, Window } from "@sluice/sluice";

import { memberOf } from "./cells.js";
import { columnName, type Declaration, type Declarations } from "./declarations.js";
import { withValue } from "./query_pairs.js";
import type { Description } from "./source.js";

/** The names of a window's parameters. */
export interface WindowNames {
  readonly interval: string;
  readonly start: string;
  readonly end: string;
  readonly timezone: string;
}

/** A sortable column. */
export interface SortColumn {
  /** The column's name in the order of a query's tree. */
  readonly column: string;
  /** Returns the query string with this order. */
  write(query: string, isDescending: boolean): string;
}

/** The parameters of an endpoint. */
export interface Names {
  readonly all: readonly string[];
  /** Null if the endpoint has no window. */
  readonly window: WindowNames | null;
  /** The parameters of the order. */
  readonly order: ReadonlySet<string>;
  /** The parameters of pages, which the table sets by itself. */
  readonly paging: ReadonlySet<string>;
  /** The parameters that select the kind of rows, such as events. */
  readonly scope: ReadonlySet<string>;
  /** The columns of the table that sort it. */
  readonly sorts: ReadonlyMap<string, SortColumn>;
  /** The columns of the table with times, and the parameters that compare them. */
  readonly times: ReadonlyMap<string, readonly string[]>;
  /** The resolved window of a query. */
  windowOf(query: ListQuery<object>): Window | null;
  /** The function that declares a parameter of a declared endpoint; undefined for others. */
  typeOf(name: string): Declaration["type"] | undefined;
  /** The value of a parameter in a query. */
  valueOf(query: ListQuery<object>, name: string): unknown;
}

type Values = Readonly<Record<string, unknown>>;
const PAGING = ["page", "limit", "cursor", "count"];

/** Returns the names of an endpoint's parameters. */
export function namesOf(table: Endpoint<object>, description: Description): Names {
  return description.kind === "events" ? namesOfEvents(table, description) : namesOfDeclared(table, description);
}

function windowNames(prefix = ""): WindowNames {
  const [interval, start, end] = [`${prefix}interval`, `${prefix}start`, `${prefix}end`];
  return { interval, start, end, timezone: `${prefix}timezone` };
}

/** The names of GET /events, which has fixed parameters. */
function namesOfEvents(table: Endpoint<object>, { time }: Description): Names {
  const query = table.parse("");
  const all = Object.keys(query.values);
  query.free();
  const window = windowNames();
  const write = (text: string, isDescending: boolean) =>
    withValue(withValue(text, "order", null), "sortOrder", isDescending ? "desc" : "asc");
  return {
    all,
    window,
    sorts: new Map(time === null ? [] : [[time, { column: "timestamp", write }]]),
    times: new Map(time === null ? [] : [[time, boundsOf(window)]]),
    order: new Set(["sortBy", "sortOrder", "order"]),
    paging: new Set(PAGING),
    scope: new Set(["event"]),
    windowOf: ({ values }) => values as Window,
    typeOf: () => undefined,
    valueOf: ({ values }, name) => memberOf(values as Values, name),
  };
}

/** The parameters that compare a window's column, without its zone. */
function boundsOf({ interval, start, end }: WindowNames): readonly string[] {
  return [interval, start, end];
}

/** The names of an endpoint from its declarations. */
function namesOfDeclared(table: Endpoint<object>, { columns, parameters: declarations = {} }: Description): Names {
  const entries = Object.entries(declarations);
  const window = entries.find(([, { type }]) => type === "window");
  const properties = new Map(entries.map(([property, { name }]) => [name ?? property, property]));
  const ofType = (type: string) => entries.filter(([, parameter]) => parameter.type === type);
  return {
    all: (table as unknown as { parameters: readonly string[] }).parameters,
    window: window ? windowNames(window[1].prefix) : null,
    order: new Set(ofType("sort").map(([property, { name }]) => name ?? property)),
    paging: new Set(ofType("page").flatMap(([, { prefix = "" }]) => PAGING.map((name) => prefix + name))),
    scope: new Set(),
    sorts: new Map(sortsOf(declarations, columns)),
    times: new Map(timesOf(declarations, columns)),
    windowOf: ({ values }) => (window ? ((values as Values)[window[0]] as Window) : null),
    typeOf: (name) => memberOf(declarations, properties.get(name) ?? "")?.type,
    valueOf: ({ values }, name) => memberOf(values as Values, properties.get(name) ?? ""),
  };
}

/**
 * The column that a parameter is compared with, and the column of the page's table that shows it,
 * which has the name of the parameter or of its column; undefined if none does.
 */
function displayedColumn(declarations: Declarations, columns: readonly string[], property: string) {
  const parameter = memberOf(declarations, property);
  const column = parameter ? columnName(property, parameter) : property;
  return { column, shown: columns.find((name) => name === property || name === column) };
}

/** Yields the displayed columns that the endpoint's sort parameter accepts. */
function* sortsOf(declarations: Declarations, columns: readonly string[]): Iterable<[string, SortColumn]> {
  const [property, sort] = Object.entries(declarations).find(([, { type }]) => type === "sort") ?? [];
  for (const key of sort?.by ?? []) {
    const { column, shown } = displayedColumn(declarations, columns, key);
    const write = (text: string, isDescending: boolean) =>
      withValue(text, sort!.name ?? property!, (isDescending ? "-" : "") + key);
    if (shown !== undefined) yield [shown, { column, write }];
  }
}

/** Yields the displayed columns of times, and the parameters that compare them. */
function* timesOf(declarations: Declarations, columns: readonly string[]): Iterable<[string, readonly string[]]> {
  const operators: Readonly<Record<string, string>> = { ">=": "gte", ">": "gt", "<=": "lte", "<": "lt" };
  for (const [property, parameter] of Object.entries(declarations)) {
    const { shown } = displayedColumn(declarations, columns, property);
    if (shown === undefined) continue;
    if (parameter.type === "window") yield [shown, boundsOf(windowNames(parameter.prefix))];
    const name = parameter.name ?? property;
    if (parameter.type === "time") yield [shown, (parameter.operators ?? []).map((op) => `${name}[${operators[op]}]`)];
  }
}

/** Returns true for parameters of the window. */
export function isOfWindow(names: Names, name: string): boolean {
  return names.window !== null && Object.values(names.window).includes(name);
}

/** Returns true for conditions on rows other than the window and the kind of rows. */
export function isCondition(names: Names, name: string): boolean {
  return !isOfWindow(names, name) && ![names.order, names.paging, names.scope].some((set) => set.has(name));
}
