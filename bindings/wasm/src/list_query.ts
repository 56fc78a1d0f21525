// SPDX-License-Identifier: MIT
// Queries of list requests, regardless of the table that parsed them.

import { Aggregate, type AggregateTree, type FacetValue } from "./aggregates.js";
import { checkFlag, checkIndex, checkList, checkObject, checkOptions, checkRows, checkText, checkWhole, FORMS, GRAMMARS, isWhole, STORAGES } from "./checks.js";
import type { Collation, MetadataTree } from "./expressions.js";
import { metadataTest } from "./expressions.js";
import type { Grammar } from "./grammars.js";
import { answerOf, call, type Field, type Reader, Refusal } from "./module.js";
import { ApiError, makeErrors, toError } from "./errors.js";
import { type Conditions, type Names, type RowTest, rowTestOf } from "./conditions.js";
import type { Row } from "./rows.js";
import {
  addressError,
  changedText,
  keepQuery,
  type ParseOptions,
  type QueryParameters,
  type QueryText,
  requestFields,
  toMilliseconds,
} from "./query_text.js";
import { databaseFields, type Dialect, placesFields, type SqlValue, type Statement, statementOf, tablePlace, type TablePlaces } from "./statements.js";
import { WasmObject } from "./wasm_object.js";

export interface SqlOptions extends TablePlaces {
  /** The SQL that is selected for each row of a page. */
  readonly select?: string;
  /** `page`, `count` of the rows on all pages, or `condition` for a WHERE clause. */
  readonly form?: (typeof FORMS)[number];
}

export interface CursorOptions {
  /** True for the page that ends before the row instead of the one that begins after it. */
  readonly before?: boolean;
  /** The storage of decimals in the table. */
  readonly metadata?: (typeof STORAGES)[number];
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

/** The parts of a parsed request, in the order of request_part in native/queries.hpp. */
const [VALUES, QUERY, TEXT] = [0, 1, 2] as const;

/** A request that was parsed. @internal */
export interface Request<Values> {
  /** Reads a part of the request again, so that queries that need none hold no memory. */
  part<T>(part: number): T | Refusal;
  /** Parses another request of the endpoint. */
  parse(text: string): ListQuery<Values>;
  readonly groups?: RequestedGroups | undefined;
}

/** The groups and facets that requests of an endpoint name. @internal */
export interface RequestedGroups {
  /** The tree of a request's groups; null if the endpoint declares none. */
  tree(values: object): AggregateTree | null;
  /** The names of a request's facets, with their columns and numbers of values. */
  facets(values: object): readonly (readonly [name: string, column: string, values: number])[];
}

/** The query of a list request: conditions on rows, an order and a page. Immutable. */
export class ListQuery<Values> extends WasmObject {
  /** The values of the parameters, by name. */
  readonly values: Values;
  readonly #request: Request<Values> | undefined;
  #text: string | undefined;
  #test: RowTest | undefined;

  /** `source` is the request, or the address of a query that was made of a tree. @internal */
  constructor(values: Values, source: Request<Values> | number) {
    super();
    this.#request = typeof source === "number" ? undefined : source;
    if (typeof source === "number") this.hold(source);
    this.values = keepQuery(values, this);
  }

  /**
   * Returns true if an object of your own meets the conditions; page and order are ignored.
   *
   * @param row An object by its keys, or a Map. `click.country` is a key of this name, or `country`
   *   of `click`. A missing value meets exclusions and no other condition.
   * @param columns Keys of the row by column, such as `{ total: "price" }`, if they differ.
   * @throws TypeError if the row has no such column, or a value of another type in it.
   */
  matches(row: Row, columns?: Names): boolean {
    const handle = this.#handle(); // throws after free()
    this.#test ??= rowTestOf(call<Conditions>("query_conditions", handle), metadataTest);
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
    const { select = "*", form = "page" } = options;
    const answer = call<[string, ...SqlValue[]]>(
      "query_sql",
      this.#handle(),
      ...databaseFields(dialect, options),
      checkIndex("form", form, FORMS),
      ...tablePlace(table, options),
      checkText("select", select),
      ...placesFields(options),
    );
    return statementOf(dialect, answer);
  }

  /**
   * Writes the conditions in the grammar of a guideline. A parameter in this grammar reads the text
   * as conditions that the same rows meet; order, page and search are no part of it.
   *
   * ```
   * query.toExpression("rsql"); // total=gt=5;city==*Os*
   * ```
   *
   * @param names The names that clients use, and the columns that they stand for, such as
   *   `{ createTime: "created" }`; by default all columns, by their names.
   * @throws ApiError if the grammar can't say a condition; the message names it.
   */
  toExpression(grammar: Grammar, names: Names = {}): string {
    const named = Object.entries(checkObject("names", names)).map(([name, column]) => [name, checkText(`names: ${name}`, column)] as const);
    const index = checkIndex("grammar", grammar, GRAMMARS);
    return call("query_expression", this.#handle(), index, named.length, ...named.flat());
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
    const cells = checkList("keys", keys).flatMap((key) => keyFields(key));
    const storage = checkIndex("metadata", metadata, STORAGES);
    return call("query_cursor", this.#handle(), storage, checkFlag("before", before), keys.length, ...cells);
  }

  /**
   * The groups and measures of the rows that meet the conditions; page and order are ignored.
   *
   * ```
   * const byCountry = query.aggregate({
   *   group_by: [{ column: "country" }],
   *   measures: [{ measure: "count" }, { measure: "sum", column: "total" }],
   *   order: [{ measure: "count", direction: "desc" }],
   *   limit: 10,
   * });
   * byCountry.apply(rows); // [{ country: "US", count: 3, sum_total: "29.7" }, …]
   * ```
   *
   * @param tree Groups, measures, order and limit; by default those that the request names by
   *   groupBy() and measures().
   * @throws ApiError if the tree is malformed; the message has the path to the member.
   * @throws TypeError without a tree if the endpoint declares no groups.
   */
  aggregate(tree?: AggregateTree): Aggregate {
    const wanted = tree ?? this.#request?.groups?.tree(this.values as object);
    if (!wanted) throw new TypeError("aggregate: the endpoint has no groupBy() and no measures()");
    return Aggregate.of(this.#handle(), wanted);
  }

  /**
   * The most frequent values of a column, under the conditions on other columns. Missing values may be
   * among the groups, which are one more than `values`.
   *
   * @param values Their number, 1 to 100.
   */
  facet(column: string, values = 10): Aggregate {
    return Aggregate.ofFacet(this.#handle(), column, values);
  }

  /**
   * The facets that the request names by facets(): the most frequent values, by the names of columns. Each
   * is counted under the conditions on other columns.
   *
   * @param rows Objects or Maps, as for matches().
   */
  facets(rows: Iterable<Row>, columns: Names = {}): Readonly<Record<string, readonly FacetValue[]>> {
    const all = Array.isArray(rows) ? (rows as readonly Row[]) : [...checkRows(rows)];
    const named = this.#request?.groups?.facets(this.values as object) ?? [];
    return Object.fromEntries(
      named.map(([name, column, values]) => {
        const facet = this.facet(column, values);
        try {
          return [name, facet.values(all, columns)];
        } finally {
          facet.free();
        }
      }),
    );
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
    if (!this.#request) throw new TypeError("with: the query was made of a tree and has no parameters");
    return this.#request.parse(changedText(this.toQueryString(), this.values as object, changes));
  }

  /** The query string, which parses to an equal query; parameters without effect are left out. */
  toQueryString(): string {
    this.#text ??= this.#request ? partOf<string>(this.#request, TEXT) : "";
    return this.#text;
  }
  override toString(): string {
    return this.toQueryString();
  }
  toJSON(): QueryTree {
    return this.tree();
  }

  #handle(): number {
    return this.handle(() => partOf(this.#request!, QUERY)); // a query of a tree holds it
  }
}

/** A part of a request that was parsed before. */
function partOf<T>(request: Request<unknown>, part: number): T {
  const answer = request.part<T>(part);
  if (answer instanceof Refusal) throw toError(answer.errors[0]!);
  return answer;
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

/** The configuration of an endpoint. @internal */
export interface RequestOptions<Values> {
  /** The module's function that parses requests. */
  readonly name: string;
  /** The fields between the part that is wanted and those of the request. */
  readonly tableFields: () => readonly Field[];
  /** True if unknown parameters are errors by default. */
  readonly isStrict: boolean;
  readonly toValues: (values: unknown) => Values;
  /** The readers of custom types. */
  readonly readers?: readonly Reader[];
  /** Checks of the values of requests without other errors; each throws an ApiError, or nothing. */
  readonly checks?: readonly ((values: Values) => void)[];
  readonly groups?: RequestedGroups;
}

interface Reading<Values> {
  /** Parses a request; returns all errors if there are any. */
  read(query: QueryText, options?: ParseOptions): ListQuery<Values> | Refusal;
}

/** The error that a check throws; undefined without one. */
function errorOf<Values>(check: (values: Values) => void, values: Values): ApiError | undefined {
  try {
    check(values);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const PARSE_OPTIONS = ["now", "strict"];

/** Creates an endpoint whose requests are parsed by a function of the module. @internal */
export function endpointOf<Values>(endpoint: RequestOptions<Values>): Endpoint<Values> & Reading<Values> {
  const { name, tableFields, isStrict, toValues, readers = [], checks = [], groups } = endpoint;
  const read = (query: QueryText, options: ParseOptions = {}): ListQuery<Values> | Refusal => {
    checkOptions("parse", options, PARSE_OPTIONS);
    const { now, strict = isStrict } = options;
    const error = addressError(query);
    if (error) return new Refusal([error]);
    const fields: Field[] = [VALUES, ...tableFields(), ...requestFields(query, toMilliseconds(now), checkFlag("strict", strict))];
    const part = <T>(wanted: number) => {
      fields[0] = wanted;
      return answerOf<T>(name, fields, readers);
    };
    const values = part(VALUES);
    if (values instanceof Refusal) return values;
    const parsed = new ListQuery(toValues(values), { part, parse: (text) => parse(text, options), groups });
    const errors = checks.map((check) => errorOf(check, parsed.values)).filter((error) => error !== undefined);
    return errors.length > 0 ? new Refusal(errors) : parsed;
  };
  const parse = (query: QueryText, options: ParseOptions = {}) => {
    const result = read(query, options);
    if (result instanceof ListQuery) return result;
    throw toError(result.errors[0]!);
  };
  return {
    read,
    parse,
    errors(query, options = {}) {
      const result = read(query, options);
      return result instanceof Refusal ? makeErrors(result.errors) : [];
    },
  };
}
