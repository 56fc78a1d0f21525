// SPDX-License-Identifier: MIT
// Aggregates: groups of rows and their measures, by the conditions of a query.

import { checkOptions, checkRows, checkText, checkWhole } from "./checks.js";
import { type Conditions, type Names, rowTestOf, valueReader } from "./conditions.js";
import { metadataTest } from "./expressions.js";
import type { QueryTree } from "./list_query.js";
import { answerOf, call, exports, type Field } from "./module.js";
import type { ColumnType } from "./params.js";
import { jsonOfTree, type Row } from "./rows.js";
import { databaseFields, type Dialect, placesFields, type SqlValue, type Statement, statementOf, tablePlace, type TablePlaces } from "./statements.js";
import { WasmObject } from "./wasm_object.js";

/** The length of a bucket of time. */
export type Bucket = "hour" | "day" | "week" | "month" | "quarter" | "year";
/** A measure of a column. */
export type Measure = "sum" | "min" | "max" | "average" | "count_distinct" | "approx_count_distinct";

/** A column whose values are groups. */
export interface GroupTree {
  readonly column: string;
  /** The path of a column of JSON. */
  readonly path?: readonly string[];
  /** The buckets of a time or a date. */
  readonly bucket?: Bucket;
  /** The zone of the buckets of a time. */
  readonly zone?: string;
  /** The name in answers; by default that of the column and path. */
  readonly as?: string;
}

/** A number of each group. */
export type MeasureTree =
  | { readonly measure: "count"; readonly as?: string }
  | { readonly measure: Measure; readonly column: string; readonly as?: string };

/** Groups, measures, order and limit, portable between languages; every member may be left out. */
export interface AggregateTree {
  readonly group_by?: readonly GroupTree[];
  readonly measures?: readonly MeasureTree[];
  /** Names of answers: a group, or a measure. */
  readonly order?: readonly ({ readonly direction: "asc" | "desc" } & (
    | { readonly group: string }
    | { readonly measure: string }
  ))[];
  /** The number of groups, 1 to 10,000. */
  readonly limit?: number;
}

/** A group or a measure of an answer: decimals and dates are text, integers beyond 2^53 bigints. */
export type AggregateValue = null | string | number | bigint | boolean | Date;
/** A group of an answer: its values and measures by name. */
export type AggregateRow = Readonly<Record<string, AggregateValue>>;

/** A value of a facet, and its number of rows. */
export interface FacetValue {
  readonly value: Exclude<AggregateValue, null>;
  readonly count: number;
}

/** A column that groups or measures read; an answer of aggregate_columns. */
interface ReadColumn {
  readonly column: string;
  readonly type: ColumnType;
  readonly isList: boolean;
}

const MOST_FIELDS = 8_192; // of a call

/** The groups and measures of a query's rows. Created by ListQuery.aggregate() and facet(). */
export class Aggregate extends WasmObject {
  /** @internal */
  static of(query: number, tree: AggregateTree): Aggregate {
    return new Aggregate(call("aggregate_make", query, jsonOfTree(tree, "an object")));
  }
  /** @internal */
  static ofFacet(query: number, column: string, values: number): Aggregate {
    const fields = [null, checkText("column", column), checkWhole("values", values)] as const;
    return new Aggregate(call("aggregate_make", query, ...fields));
  }
  private constructor(handle: number) {
    super();
    this.hold(handle);
  }

  /**
   * The groups of objects of your own that meet the query's conditions, in order.
   *
   * @param rows Objects or Maps, as for matches() of a query.
   * @param columns Keys of the rows by column, if they differ.
   * @throws ApiError if there are more than 1,000,000 groups.
   * @throws TypeError if a row lacks a column, or has a value of another type in it.
   */
  apply(rows: Iterable<Row>, columns: Names = {}): readonly AggregateRow[] {
    const handle = this.#handle();
    const meets = rowTestOf(call<Conditions>("query_conditions", handle), metadataTest);
    const read = call<ReadColumn[]>("aggregate_columns", handle).map(fieldsReader);
    const groups = call<number>("groups_make", handle);
    try {
      let [count, cells]: [number, Field[]] = [0, []];
      const add = () => {
        answerOf("groups_add", [groups, count, ...cells]);
        [count, cells] = [0, []];
      };
      for (const row of checkRows(rows)) {
        if (!meets(row, columns)) continue;
        count += 1;
        for (const fieldsOf of read) for (const field of fieldsOf(row, columns)) cells.push(field);
        if (cells.length > MOST_FIELDS) add();
      }
      add();
      return call("groups_finish", groups);
    } finally {
      exports().release(groups);
    }
  }

  /** The values of a facet, the most frequent first. @internal */
  values(rows: Iterable<Row>, columns: Names): readonly FacetValue[] {
    const { group_by, limit } = this.tree();
    const name = group_by[0]!.column;
    const values = this.apply(rows, columns).map((row) => ({ value: row[name], count: row["count"] }));
    return values.filter(({ value }) => value !== null).slice(0, limit - 1) as FacetValue[];
  }

  /** The tree, with the conditions of the query. */
  tree(): Required<AggregateTree> & Pick<QueryTree, "where" | "resource"> {
    return call("aggregate_tree", this.#handle());
  }

  /**
   * Compiles the aggregate to one SQL statement. Its rows are the groups in order: their values, then
   * their measures.
   *
   * @param table The name of the table; with `columns`, SQL for the FROM clause.
   * @throws ApiError if the database can't answer exactly; the message says what to do.
   */
  toSql(dialect: Dialect, table: string, options: TablePlaces = {}): Statement {
    checkOptions("toSql", options, ["columns", "metadata"]);
    const places = [...databaseFields(dialect, options), ...tablePlace(table, options), ...placesFields(options)];
    return statementOf(dialect, call<[string, ...SqlValue[]]>("aggregate_sql", this.#handle(), ...places));
  }
  toJSON(): AggregateTree {
    return this.tree();
  }

  #handle(): number {
    return this.handle(() => 0);
  }
}

/** Returns the function that reads a cell of a row as fields, in the form of native/aggregates.cpp. */
function fieldsReader({ column, type, isList }: ReadColumn): (row: Row, columns: Names) => readonly Field[] {
  const read = valueReader({ column, type, isList, param: column }, metadataTest);
  return (row, columns) => {
    const value = read(row, columns);
    if (value === undefined || Array.isArray(value) !== isList) return [null];
    if (Array.isArray(value)) return [value.length, ...(value as Field[])];
    return [type === "decimal" ? String(value) : (value as Field)];
  };
}
