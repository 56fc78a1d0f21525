// SPDX-License-Identifier: MIT
// SQL statements, and the places of columns in a table.

import { checkIndex, checkObject, checkOptions, checkText, checkTexts, DIALECTS, STORAGES } from "./checks.js";
import type { Field } from "./module.js";

export type Dialect = (typeof DIALECTS)[number];

/** A value of an SQL parameter. */
export type SqlValue = null | boolean | number | bigint | string | readonly (number | bigint | string)[];

/** An SQL statement and its parameters. */
export interface Statement {
  readonly text: string;
  /** In order; for ClickHouse by name: p1, p2 and so on. */
  readonly parameters: readonly SqlValue[] | Readonly<Record<string, SqlValue>>;
}

/** The place of a query's column in a table: the name of a column or other SQL, and its type. */
export interface Place {
  readonly column: string;
  /** The type in the database, such as `timestamptz`; the values are cast to it, not the column. */
  readonly kind: string;
}

/** The places of columns in a table. */
export interface TablePlaces {
  /**
   * SQL of columns by name; of prepared JSON, of both its maps; a Place for a column of another
   * type than C++ and Python create. Must not come from a request.
   */
  readonly columns?: Readonly<Record<string, string | readonly [texts: string, numbers: string] | Place>>;
  /** The storage of JSON and decimals in the table. */
  readonly metadata?: (typeof STORAGES)[number];
}

/** The fields of a dialect and a storage. @internal */
export function databaseFields(dialect: Dialect, { metadata = "prepared" }: TablePlaces): readonly Field[] {
  return [checkIndex("dialect", dialect, DIALECTS), checkIndex("metadata", metadata, STORAGES)];
}

/** The fields of a table: its name or SQL, and true if it is SQL. @internal */
export function tablePlace(table: string, { columns }: TablePlaces): readonly Field[] {
  return [checkText("table", table), columns !== undefined];
}

/** The fields of the columns' places, in the order of native/queries.cpp. @internal */
export function placesFields({ columns = {} }: TablePlaces): readonly Field[] {
  const places = Object.entries(checkObject("columns", columns));
  return [places.length, ...places.flatMap(([name, place]) => [name, ...placeFields(name, place)])];
}

function placeFields(name: string, place: string | readonly string[] | Place): readonly Field[] {
  if (typeof place === "string") return [place, "", ""];
  if (Array.isArray(place) && place.length === 2) return [...checkTexts(`columns: ${name}`, place), ""];
  checkOptions(`columns: ${name}`, place, ["column", "kind"]);
  const { column, kind } = place as Place;
  return [checkText(`columns: ${name}: column`, column), "", checkText(`columns: ${name}: kind`, kind)];
}

/** The statement of an answer of the module; ClickHouse refers to parameters as p1, p2 and so on. @internal */
export function statementOf(dialect: Dialect, [text, ...parameters]: readonly [string, ...SqlValue[]]): Statement {
  if (dialect !== "clickhouse") return { text, parameters };
  return { text, parameters: Object.fromEntries(parameters.map((value, index) => [`p${index + 1}`, value])) };
}
