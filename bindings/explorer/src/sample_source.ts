// SPDX-License-Identifier: MIT
// A source without a server: rows of a file, queried by the package itself.

import type { Endpoint } from "@sluice/sluice";

import { cellAt, memberOf } from "./cells.js";
import type { Description, Histogram, Row, Source } from "./source.js";

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

/** Creates the source of a sample of events. It has no query plans. */
export function sampleSource(table: Endpoint<object>, description: Description, sample: Sample): Source {
  const kinds = joinLinks(sample);
  const results = new Map<string, readonly Row[]>();
  const find = (query: string): readonly Row[] => {
    const rows = results.get(query) ?? matchingRows(table, description, kinds, query);
    results.set(query, rows);
    if (results.size > MOST_RESULTS) results.delete(results.keys().next().value!);
    return rows;
  };
  const timeOf = (row: Row) => Date.parse(String(cellAt(row, description.time ?? "")));
  return {
    table,
    description,
    rows: async (query, offset, limit) => find(query).slice(offset, offset + limit),
    count: async (query) => find(query).length,
    explain: async () => null,
    histogram: async (query, buckets) => {
      const { start, end } = boundsOf(table, description, query);
      return histogramOf(find(query).map(timeOf), start, end, buckets);
    },
  };
}

/** Joins the rows with their links. */
function joinLinks({ links, events }: Sample): Map<string, readonly SampleRow[]> {
  const joinLink = ({ row, hidden }: SampleRow) => {
    return { row: { ...row, link: memberOf(links, String(row["link"])) }, hidden };
  };
  return new Map(Object.entries(events).map(([kind, rows]) => [kind, rows.map(joinLink)]));
}

function parse(table: Endpoint<object>, { now }: Description, query: string) {
  return table.parse(query, now === null ? {} : { now });
}

/** The rows that meet a query, in its order. */
function matchingRows(
  table: Endpoint<object>,
  description: Description,
  kinds: ReadonlyMap<string, readonly SampleRow[]>,
  query: string,
): readonly Row[] {
  const parsed = parse(table, description, query);
  const { resource, order } = parsed.tree();
  const all = kinds.get(resource ?? "") ?? [];
  const rows = all.filter(({ row, hidden }) => parsed.matches({ ...row, ...hidden })).map(({ row }) => row);
  parsed.free();
  return order[0]?.direction === "asc" ? rows.reverse() : rows;
}

function boundsOf(table: Endpoint<object>, description: Description, query: string) {
  const parsed = parse(table, description, query);
  const { start, end } = parsed.values as { start: Date | null; end: Date };
  parsed.free();
  return { start: start?.getTime() ?? null, end: end.getTime() };
}

/** Counts times in equal parts from `from` to `to`, or of the times' extent without a start. */
function histogramOf(times: readonly number[], from: number | null, to: number, buckets: number): Histogram {
  const start = from ?? times.reduce((least, time) => Math.min(least, time), to);
  const end = from === null ? times.reduce((most, time) => Math.max(most, time), start) : to;
  const counts = new Array<number>(buckets).fill(0);
  const width = Math.max(1, (end - start + 1) / buckets);
  for (const time of times) counts[Math.min(buckets - 1, Math.floor((time - start) / width))]! += 1;
  return { start, end, counts };
}
