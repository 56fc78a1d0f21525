// SPDX-License-Identifier: MIT
// Queries of list requests, regardless of the table that parsed them.

import { checkChoice, checkOptions, checkText, checkTexts, checkWhole, DIALECTS, isWhole } from "./checks.js";
import type { Collation, MetadataTree } from "./expressions.js";
import { metadataTest, revive } from "./expressions.js";
import { answerOf, call, type Field, WasmObject } from "./module.js";
import { ApiError } from "./errors.js";
import { type Conditions, type Names, type RowTest, rowTestOf } from "./conditions.js";
import type { Row } from "./rows.js";
import {
  addressError,
  changedText,
  keepText,
  type ParseOptions,
  type QueryParameters,
  type QueryText,
  requestFields,
  toMilliseconds,
} from "./query_text.js";

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

export interface SqlOptions {
  /**
   * SQL of columns by name; of prepared JSON, of both its maps; a Place for a column of another
   * type than C++ and Python create. Must not come from a request.
   */
  readonly columns?: Readonly<Record<string, string | readonly [texts: string, numbers: string] | Place>>;
  /** The storage of JSON and decimals in the table. */
  readonly metadata?: "prepared" | "native" | "function";
  /** The SQL that is selected for each row of a page. */
  readonly select?: string;
  /** `page`, `count` of the rows on all pages, or `condition` for a WHERE clause. */
  readonly form?: "page" | "count" | "condition";
}

export interface CursorOptions {
  /** True for the page that ends before the row instead of the one that begins after it. */
  readonly before?: boolean;
  /** The storage of decimals in the table. */
  readonly metadata?: "prepared" | "native" | "function";
}

/** The fields of a sort key from a database; the letters are those of native/queries.cpp. */
function keyFields(key: string | number | bigint | boolean | null): readonly Field[] {
  if (key === null) return ["-"];
  if (typeof key === "boolean") return ["b", key];
  if (Number.isFinite(key) && !isWhole(key)) return ["d", key];
  return typeof key === "string" ? ["t", key] : ["i", checkWhole("keys", key)];
}

/** A condition on a column. */
export interface LeafTree {
  readonly column: string;
  readonly collation?: Collation;
  readonly any_of?: readonly string[];
  readonly none_of?: readonly string[];
  readonly all_of?: readonly string[];
  readonly contains?: readonly string[];
  readonly starts_with?: readonly string[];
  readonly ends_with?: readonly string[];
  readonly gte?: number | string;
  readonly gt?: number | string;
  readonly lte?: number | string;
  readonly lt?: number | string;
  /** True for the list's own window of time, which moves while its pages are read. */
  readonly window?: boolean;
  readonly is?: boolean;
  readonly is_null?: boolean;
  /** A condition that at least one record meets. */
  readonly any?: WhereTree;
  readonly matches?: MetadataTree;
}
export type WhereTree =
  | { readonly all: readonly WhereTree[] }
  | { readonly any: readonly WhereTree[] }
  | { readonly not: WhereTree }
  | LeafTree;

/** A column of the order; `unique` if its values are unique and it isn't `id`. */
export interface SortKeyTree {
  readonly column: string;
  readonly direction: "asc" | "desc";
  readonly unique?: boolean;
}

/** A query as JSON, portable between languages. */
export interface QueryTree {
  readonly resource?: string;
  readonly search?: string;
  readonly where: WhereTree;
  readonly order: readonly SortKeyTree[];
  /** `offset`: the rows before page 1, if there are any. */
  readonly page?: { readonly number: number; readonly size: number; readonly offset?: number };
  readonly cursor?: { readonly text: string; readonly size: number };
  readonly total: boolean;
}

/** The answer of write_query() in native/queries.hpp. @internal */
export interface ParsedQuery {
  readonly handle: number;
  readonly text: string;
  readonly values: unknown;
}

/** The query of a list request: conditions on rows, an order and a page. Immutable. */
export class ListQuery<Values> extends WasmObject {
  /** The values of the parameters, by name. */
  readonly values: Values;
  readonly #text: string;
  readonly #parse: ((text: string) => ListQuery<Values>) | undefined;
  #test: RowTest | undefined;

  /** `parse` parses other requests of the endpoint. @internal */
  constructor(
    parsed: ParsedQuery,
    toValues: (revived: unknown) => Values,
    parse?: (text: string) => ListQuery<Values>,
  ) {
    super();
    this.hold(parsed.handle);
    this.#text = parsed.text;
    this.#parse = parse;
    this.values = keepText(toValues(revive(parsed.values)), parsed.text);
  }

  /**
   * Returns true if an object of your own meets the conditions; page and order are ignored.
   *
   * @param row An object by its keys, or a Map. `click.country` is a key of this name, or `country`
   *   of `click`. A missing value meets exclusions and no other condition.
   * @param columns Keys of the row by column, such as `{ total: "price" }`, if they differ.
   * @throws TypeError if the row has no such column, or a value of another type in it.
   */
  matches(row: Row, columns: Names = {}): boolean {
    const handle = this.#handle(); // throws after free()
    this.#test ??= rowTestOf(revive(call("query_conditions", handle)) as Conditions, metadataTest);
    return this.#test(row, columns);
  }

  /** The query as a tree over the columns. */
  tree(): QueryTree {
    return call("query_tree", this.#handle());
  }

  /**
   * Compiles the query to SQL, which returns the same rows in the same order as the library. Values
   * are always parameters.
   *
   * @param table The name of the table; with `columns`, SQL for the FROM clause.
   * @throws ApiError if the database can't answer exactly; the message says what to do.
   */
  toSql(dialect: Dialect, table: string, options: SqlOptions = {}): Statement {
    checkOptions("toSql", options, ["columns", "metadata", "select", "form"]);
    const { columns, metadata = "prepared", select = "*", form = "page" } = options;
    checkChoice("dialect", dialect, DIALECTS);
    checkChoice("metadata", metadata, ["prepared", "native", "function"]);
    checkChoice("form", form, ["page", "count", "condition"]);
    const sqlByColumn = Object.entries(columns ?? {});
    const statement = revive(
      call(
        "query_sql",
        this.#handle(),
        dialect,
        metadata,
        form,
        checkText("table", table),
        columns !== undefined,
        select,
        sqlByColumn.length,
        ...sqlByColumn.flatMap(([name, place]) => [name, ...placeFields(name, place)]),
      ),
    ) as { text: string; parameters: SqlValue[] };
    return dialect === "clickhouse" ? withNames(statement) : statement;
  }

  /**
   * The cursor of the page after a row of toSql(), or before it, for the parameter `cursor`.
   *
   * @param keys The row's sort keys, which are the last columns of a page's rows.
   * @throws ApiError if they don't match the query's order.
   */
  cursorBeside(
    keys: readonly (string | number | bigint | boolean | null)[],
    options: CursorOptions = {},
  ): string {
    checkOptions("cursorBeside", options, ["before", "metadata"]);
    const { before = false, metadata = "prepared" } = options;
    checkChoice("metadata", metadata, ["prepared", "native", "function"]);
    const cells = keys.flatMap((key) => keyFields(key));
    return call("query_cursor", this.#handle(), metadata, before, keys.length, ...cells);
  }

  /**
   * The query with some parameters replaced, or left out for null. Its page is the first one unless
   * the changes have another.
   *
   * ```
   * query.with({ page: 3 }).toQueryString();
   * query.with({ status: ["open"], total: { gte: 10 }, q: null });
   * ```
   *
   * @param changes Values by the names of parameters in query strings.
   * @throws ApiError the first error.
   * @throws TypeError if the query was made of a tree.
   */
  with(changes: QueryParameters): ListQuery<Values> {
    if (!this.#parse) throw new TypeError("with: the query was made of a tree and has no parameters");
    return this.#parse(changedText(this.#text, this.values as object, changes));
  }

  /** The query string, which parses to an equal query; parameters without effect are left out. */
  toQueryString(): string {
    return this.#text;
  }
  override toString(): string {
    return this.#text;
  }
  toJSON(): QueryTree {
    return this.tree();
  }

  #handle(): number {
    return this.handle(() => 0);
  }
}

/** The fields of a column's place, in the order of native/queries.cpp. */
function placeFields(name: string, place: string | readonly string[] | Place): readonly Field[] {
  if (typeof place === "string") return [place, "", ""];
  if (Array.isArray(place) && place.length === 2) return [...checkTexts(`columns: ${name}`, place), ""];
  checkOptions(`columns: ${name}`, place, ["column", "kind"]);
  const { column, kind } = place as Place;
  return [checkText(`columns: ${name}: column`, column), "", checkText(`columns: ${name}: kind`, kind)];
}

/** Names the parameters p1, p2 and so on, as ClickHouse refers to them. */
function withNames(statement: { text: string; parameters: readonly SqlValue[] }): Statement {
  const entries = statement.parameters.map((value, index) => [`p${index + 1}`, value] as const);
  return { text: statement.text, parameters: Object.fromEntries(entries) };
}

/** An endpoint that parses requests for lists. */
export interface Endpoint<Values> {
  /**
   * Parses the parameters of a request.
   *
   * @throws ApiError the first error, in the order of the parameters.
   */
  parse(query: QueryText, options?: ParseOptions): ListQuery<Values>;
  /** All errors of a request, in the order of the parameters. */
  errors(query: QueryText, options?: ParseOptions): readonly ApiError[];
}

/** The configuration of an endpoint. */
export interface EndpointOptions<Values> {
  /** The module's function that parses requests. */
  readonly name: string;
  /** The fields that precede those of the request. */
  readonly tableFields: () => readonly Field[];
  /** True if unknown parameters are errors by default. */
  readonly isStrict: boolean;
  readonly toValues: (revived: unknown) => Values;
}

interface Reading<Values> {
  /** Parses a request; returns all errors if there are any. */
  read(query: QueryText, options?: ParseOptions): ListQuery<Values> | readonly ApiError[];
}

/** Creates an endpoint whose requests are parsed by a function of the module. */
export function endpointOf<Values>(endpoint: EndpointOptions<Values>): Endpoint<Values> & Reading<Values> {
  const { name, tableFields, isStrict, toValues } = endpoint;
  const read = (query: QueryText, options: ParseOptions = {}): ListQuery<Values> | readonly ApiError[] => {
    checkOptions("parse", options, ["now", "strict"]);
    const { now, strict = isStrict } = options;
    const error = addressError(query);
    if (error) return [error];
    const fields = requestFields(query, toMilliseconds(now), strict);
    const answer = answerOf<ParsedQuery>(name, [...tableFields(), ...fields]);
    if ("value" in answer) return new ListQuery(answer.value, toValues, (text) => parse(text, options));
    if ("mistake" in answer) throw new TypeError(answer.mistake);
    return answer.errors.map((error) => new ApiError(error));
  };
  const parse = (query: QueryText, options: ParseOptions = {}) => {
    const result = read(query, options);
    if (result instanceof ListQuery) return result;
    throw result[0]!;
  };
  return {
    read,
    parse,
    errors(query, options = {}) {
      const result = read(query, options);
      if (!(result instanceof ListQuery)) return result;
      result.free();
      return [];
    },
  };
}
