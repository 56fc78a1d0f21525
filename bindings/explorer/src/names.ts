// SPDX-License-Identifier: MIT
// What the parameters of an endpoint are for, by their names.

import type { Endpoint, ListQuery, Window } from "@sluice/sluice";

import type { Declarations } from "./declared.js";
import type { Description } from "./source.js";

/** The names of a window's parameters. */
export interface WindowNames {
  readonly interval: string;
  readonly start: string;
  readonly end: string;
  readonly timezone: string;
}

/** The parameters of an endpoint. */
export interface Names {
  readonly all: readonly string[];
  readonly window: WindowNames | null;
  readonly order: ReadonlySet<string>;
  /** Those of pages, which the table asks for by itself. */
  readonly paging: ReadonlySet<string>;
  /** What rows there are at all: the kind of events. */
  readonly scope: ReadonlySet<string>;
  /** The window that a query comes to. */
  windowOf(query: ListQuery<object>): Window | null;
  /** The value of a parameter in a query. */
  valueOf(query: ListQuery<object>, name: string): unknown;
}

type Values = Readonly<Record<string, unknown>>;
const PAGING = ["page", "limit", "cursor", "count"];

export function namesOf(table: Endpoint<object>, { kind, parameters = {} }: Description): Names {
  return kind === "events" ? namesOfEvents(table) : namesOfDeclared(table, parameters);
}

function windowNames(prefix = ""): WindowNames {
  const [interval, start, end] = [`${prefix}interval`, `${prefix}start`, `${prefix}end`];
  return { interval, start, end, timezone: `${prefix}timezone` };
}

function namesOfEvents(table: Endpoint<object>): Names {
  const query = table.parse("");
  const all = Object.keys(query.values);
  query.free();
  return {
    all,
    window: windowNames(),
    order: new Set(["sortBy", "sortOrder", "order"]),
    paging: new Set(PAGING),
    scope: new Set(["event"]),
    windowOf: ({ values }) => values as Window,
    valueOf: ({ values }, name) => (values as Values)[name],
  };
}

function namesOfDeclared(table: Endpoint<object>, declared: Declarations): Names {
  const entries = Object.entries(declared);
  const window = entries.find(([, { type }]) => type === "window");
  const properties = new Map(entries.map(([property, { name }]) => [name ?? property, property]));
  const named = (type: string) => entries.filter(([, each]) => each.type === type);
  return {
    all: (table as unknown as { parameters: readonly string[] }).parameters,
    window: window ? windowNames(window[1].prefix) : null,
    order: new Set(named("sort").map(([property, { name }]) => name ?? property)),
    paging: new Set(named("page").flatMap(([, { prefix = "" }]) => PAGING.map((each) => prefix + each))),
    scope: new Set(),
    windowOf: ({ values }) => (window ? ((values as Values)[window[0]] as Window) : null),
    valueOf: ({ values }, name) => (values as Values)[properties.get(name) ?? ""],
  };
}

/** Whether a parameter is of the window. */
export function isOfWindow(names: Names, name: string): boolean {
  return names.window !== null && Object.values(names.window).includes(name);
}

/** Whether a parameter is a condition on rows, beside the window and their kind. */
export function isCondition(names: Names, name: string): boolean {
  return !isOfWindow(names, name) && ![names.order, names.paging, names.scope].some((set) => set.has(name));
}
