// SPDX-License-Identifier: MIT
// What requests for lists ask for, whichever table read them.

import { checkChoice, checkOptions, checkText, checkWhole, memberOf } from "./checks.js";
import type { Collation, MetadataTree } from "./expressions.js";
import { revive } from "./expressions.js";
import { answerOf, call, type Field, Held } from "./module.js";
import { ApiError } from "./errors.js";
import { cellOf, type Condition, type Row } from "./rows.js";
import {
  addressError,
  keepText,
  type ParseOptions,
  type QueryText,
  requestFields,
  toMilliseconds,
} from "./query_text.js";

export type Dialect = "sqlite" | "duckdb" | "postgresql" | "clickhouse";

/** A value that SQL is given. */
export type SqlValue = null | boolean | number | bigint | string | readonly (number | bigint | string)[];

/** SQL and what its parameters are bound to. */
export interface Statement {
  readonly text: string;
  /** In their order; for ClickHouse by their names, p1 and so on. */
  readonly parameters: readonly SqlValue[] | Readonly<Record<string, SqlValue>>;
}

export interface SqlOptions {
  /** SQL for columns by their names; of prepared JSON that of both maps. Never of a request. */
  readonly columns?: Readonly<Record<string, string | readonly [texts: string, numbers: string]>>;
  /** How the table has JSON and decimals. */
  readonly metadata?: "prepared" | "native" | "function";
  /** SQL for what a page has of each row. */
  readonly select?: string;
  /** `page`, `count` of the rows on all pages, or `condition`, which goes after WHERE. */
  readonly form?: "page" | "count" | "condition";
}

export interface CursorOptions {
  /** Whether the page ends before the row, rather than begins after it. */
  readonly before?: boolean;
  /** How the table has decimals. */
  readonly metadata?: "prepared" | "native" | "function";
}

/** A sort key as a database gave it, by a letter of native/queries.cpp. */
function keyOf(key: string | number | bigint | boolean | null): readonly Field[] {
  if (key === null) return ["-"];
  if (typeof key === "boolean") return ["b", key];
  return typeof key === "string" ? ["t", key] : ["i", checkWhole("keys", key)];
}

/** A condition on a column. */
export interface LeafTree {
  readonly column: string;
  readonly collation?: Collation;
  readonly any_of?: readonly string[];
  readonly none_of?: readonly string[];
  readonly gte?: number | string;
  readonly gt?: number | string;
  readonly lte?: number | string;
  readonly lt?: number | string;
  /** True of the list's own window of time, which moves while its pages are read. */
  readonly window?: boolean;
  readonly is?: boolean;
  readonly matches?: MetadataTree;
}
export type WhereTree =
  | { readonly all: readonly WhereTree[] }
  | { readonly any: readonly WhereTree[] }
  | { readonly not: WhereTree }
  | LeafTree;

/** A column that rows are ordered by; `unique` where no two rows share its value and it isn't `id`. */
export interface SortKeyTree {
  readonly column: string;
  readonly direction: "asc" | "desc";
  readonly unique?: boolean;
}

/** A query as JSON, for programs in any language. */
export interface QueryTree {
  readonly resource?: string;
  readonly search?: string;
  readonly where: WhereTree;
  readonly order: readonly SortKeyTree[];
  readonly page?: { readonly number: number; readonly size: number };
  readonly cursor?: { readonly text: string; readonly size: number };
  readonly total: boolean;
}

/** @internal */
export interface ParsedQuery {
  readonly handle: number;
  readonly text: string;
  readonly conditions: readonly Condition[];
  readonly values: unknown;
}

/** What a list request asks for: conditions on rows, an order, a page. It doesn't change. */
export class ListQuery<Values> extends Held {
  /** The parameters' values, by their names. */
  readonly values: Values;
  readonly #text: string;
  readonly #conditions: readonly Condition[];

  /** @internal */
  constructor(parsed: ParsedQuery, toValues: (revived: unknown) => Values) {
    super();
    this.hold(parsed.handle);
    this.#text = parsed.text;
    this.#conditions = parsed.conditions;
    this.values = keepText(toValues(revive(parsed.values)), parsed.text);
  }

  /**
   * Whether an object of your own meets the conditions; page and order don't matter.
   *
   * @param row An object by its keys, or a Map. `click.country` is a key of this name, or `country`
   *   of what `click` is. What is missing passes an exclusion and meets no other test.
   * @param columns Other names by those of the columns, such as `{ total: "price" }`.
   * @throws TypeError where the row has no such column, or a value of another type in it.
   */
  matches(row: Row, columns: Readonly<Record<string, string>> = {}): boolean {
    const cells = this.#conditions.flatMap((each) =>
      cellOf(row, each, memberOf(columns, each.column) ?? each.column),
    );
    return call("query_matches", this.#handle(), ...cells);
  }

  /** What it asks, in the terms of the columns. */
  tree(): QueryTree {
    return call("query_tree", this.#handle());
  }

  /**
   * The query as SQL, which gives the rows that the library itself finds, in the same order. Its
   * values are parameters, never text.
   *
   * @param table The name of the table; with `columns`, SQL for what comes after FROM.
   * @throws ApiError where the database can't answer exactly; it says what to do.
   */
  toSql(dialect: Dialect, table: string, options: SqlOptions = {}): Statement {
    const { columns, metadata = "prepared", select = "*", form = "page" } = options;
    checkChoice("dialect", dialect, ["sqlite", "duckdb", "postgresql", "clickhouse"]);
    checkChoice("metadata", metadata, ["prepared", "native", "function"]);
    checkChoice("form", form, ["page", "count", "condition"]);
    const places = Object.entries(columns ?? {});
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
        places.length,
        ...places.flatMap(([name, sql]) => [name, ...(typeof sql === "string" ? [sql, ""] : sql)]),
      ),
    ) as { text: string; parameters: SqlValue[] };
    return dialect === "clickhouse" ? withNames(statement) : statement;
  }

  /**
   * The cursor of the page after a row that toSql() found, or of the page before it: what the
   * parameter `cursor` takes.
   *
   * @param keys The row's sort keys, which are the last columns of a page's rows.
   * @throws ApiError where they are none of the query's order.
   */
  cursorBeside(
    keys: readonly (string | number | bigint | boolean | null)[],
    { before = false, metadata = "prepared" }: CursorOptions = {},
  ): string {
    checkChoice("metadata", metadata, ["prepared", "native", "function"]);
    const cells = keys.flatMap((key) => keyOf(key));
    return call("query_cursor", this.#handle(), metadata, before, keys.length, ...cells);
  }

  /** The query string, which reads as an equal query; what is as if absent is left out. */
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

function withNames(statement: { text: string; parameters: readonly SqlValue[] }): Statement {
  const named = statement.parameters.map((value, at) => [`p${at + 1}`, value] as const);
  return { text: statement.text, parameters: Object.fromEntries(named) };
}

/** An endpoint that reads requests for lists. */
export interface Endpoint<Values> {
  /**
   * Reads the parameters of a request.
   *
   * @throws ApiError the first thing that is wrong, in the order of the parameters.
   */
  parse(query: QueryText, options?: ParseOptions): ListQuery<Values>;
  /** All that is wrong with a request, in the order of the parameters. */
  errors(query: QueryText, options?: ParseOptions): readonly ApiError[];
}

/** How an endpoint reads its requests. */
export interface Reading<Values> {
  /** The module's function, and its arguments before a request. */
  readonly name: string;
  readonly own: () => readonly Field[];
  /** Whether unknown parameters are errors, unless a request says otherwise. */
  readonly isStrict: boolean;
  readonly toValues: (revived: unknown) => Values;
}

/** An endpoint whose requests a function of the module reads. */
export function endpointOf<Values>({ name, own, isStrict, toValues }: Reading<Values>): Endpoint<Values> {
  const read = (query: QueryText, options: ParseOptions) => {
    checkOptions("parse", options, ["now", "strict"]);
    const { now, strict = isStrict } = options;
    const refusal = addressError(query);
    if (refusal) return [refusal];
    const fields = requestFields(query, toMilliseconds(now), strict);
    const answer = answerOf<ParsedQuery>(name, [...own(), ...fields]);
    if ("value" in answer) return new ListQuery(answer.value, toValues);
    if ("mistake" in answer) throw new TypeError(answer.mistake);
    return answer.errors.map((each) => new ApiError(each));
  };
  return {
    parse(query, options = {}) {
      const made = read(query, options);
      if (made instanceof ListQuery) return made;
      throw made[0]!;
    },
    errors(query, options = {}) {
      const made = read(query, options);
      if (!(made instanceof ListQuery)) return made;
      made.free();
      return [];
    },
  };
}
