// SPDX-License-Identifier: MIT
// A source without a server: rows of a file, queried and grouped by the package itself.

import type { Bucket, Endpoint, ListQuery, Window } from "@sluice/sluice";

import { memberOf } from "./cells.js";
import type { Description, Histogram, Row, Source, TopValue } from "./source.js";

/** A row, and columns for queries that answers don't show. */
interface SampleRow {
  readonly row: Row;
  readonly hidden: Row;
}

/** The rows of each kind, latest first, and their links by id. */
export interface Sample {
  readonly links: Readonly<Record<string, Row>>;
  readonly events: Readonly<Record<string, readonly SampleRow[]>>;
}

const MOST_RESULTS = 16; // queries whose rows are kept
const TOP = 10; // values of a column
const MOST_GROUPS = 10_000; // of an aggregate
const DAY = 86_400_000; // milliseconds

/** Creates the source of a sample of events. It has no query plans. */
export function sampleSource(table: Endpoint<object>, description: Description, sample: Sample): Source {
  const kinds = joinLinks(sample);
  const results = new Map<string, readonly Row[]>();
  /** Calls a function with a query, and the columns of all rows of its kind. */
  const parse = <T>(query: string, use: (parsed: ListQuery<object>, rows: readonly Columns[]) => T): T => {
    const { now } = description;
    const parsed = table.parse(query, now === null ? {} : { now });
    try {
      return use(parsed, kinds.get(parsed.tree().resource ?? "") ?? []);
    } finally {
      parsed.free();
    }
  };
  const find = (query: string): readonly Row[] => {
    const rows = results.get(query) ?? parse(query, matchingRows);
    results.set(query, rows);
    if (results.size > MOST_RESULTS) results.delete(results.keys().next().value!);
    return rows;
  };
  return {
    table,
    description,
    rows: async (query, offset, limit) => find(query).slice(offset, offset + limit),
    count: async (query) => find(query).length,
    explain: async () => null,
    histogram: async (query) => parse(query, histogramOf),
    top: async (query, column) => parse(query, (parsed, rows) => topOf(parsed, rows, column)),
  };
}

/** A row by the columns of queries, of which answers show those of `shown`. */
interface Columns {
  readonly shown: Row;
  readonly all: Row;
}

/** Joins the rows with their links. */
function joinLinks({ links, events }: Sample): Map<string, readonly Columns[]> {
  const joinLink = ({ row, hidden }: SampleRow) => {
    const shown = { ...row, link: memberOf(links, String(row["link"])) };
    return { shown, all: { ...shown, ...hidden } };
  };
  return new Map(Object.entries(events).map(([kind, rows]) => [kind, rows.map(joinLink)]));
}

/** The rows that meet a query, in its order. */
function matchingRows(query: ListQuery<object>, all: readonly Columns[]): readonly Row[] {
  const rows = all.filter((row) => query.matches(row.all)).map(({ shown }) => shown);
  return query.tree().order[0]?.direction === "asc" ? rows.reverse() : rows;
}

/** The time series over the window of a query, or over its rows if the window has no start. */
function histogramOf(query: ListQuery<object>, rows: readonly Columns[]): Histogram {
  const time = { column: "timestamp" };
  const groupsOf = (tree: Parameters<typeof query.aggregate>[0]) => {
    const aggregate = query.aggregate(tree);
    const groups = aggregate.apply(rows.map(({ all }) => all));
    aggregate.free();
    return groups;
  };
  const [extent] = groupsOf({ measures: [{ measure: "min", ...time, as: "min" }, { measure: "max", ...time, as: "max" }] });
  const { start: from, end: to, timezone } = query.values as Window;
  const [start, end] = [from ?? extent!["min"], from ? to : extent!["max"]] as [Date | null, Date | null];
  if (start === null || end === null || start > end) return { starts: [], end: null, counts: [] };
  const bucket = bucketOf(Number(end) - Number(start));
  const groups = groupsOf({ group_by: [{ ...time, bucket, zone: timezone, as: "start" }], limit: MOST_GROUPS });
  const series = groups.filter((group) => Number(group["start"]) <= Number(end));
  return {
    starts: series.map((group) => Math.max(Number(start), Number(group["start"]))),
    end: Number(end),
    counts: series.map(({ count }) => count as number),
  };
}

/** The bucket of a window's series: that of GET /analytics, or years. */
function bucketOf(length: number): Bucket {
  if (length <= 2 * DAY) return "hour";
  return length <= 180 * DAY ? "day" : length <= 36_525 * DAY ? "month" : "year";
}

/** The facet of a column. */
function topOf(query: ListQuery<object>, rows: readonly Columns[], column: string): readonly TopValue[] {
  const facet = query.facet(column, TOP);
  const groups = facet.apply(rows.map(({ all }) => all));
  facet.free();
  const values = groups.map((group) => ({ value: group[column], count: group["count"] as number }));
  return values.filter(({ value }) => value !== null).slice(0, TOP);
}
