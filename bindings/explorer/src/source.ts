// SPDX-License-Identifier: MIT
// What data is asked of: a server, or the rows of a sample.

import { type Column, type Endpoint, events } from "@sluice/sluice";

import { declare, type Declared, withSchema } from "./declared.js";
import { httpSource } from "./http_source.js";
import { sampleSource } from "./sample_source.js";

/** A row as JSON has it. */
export type Row = Readonly<Record<string, unknown>>;

/** What source.json says. */
export interface Description {
  readonly name: string;
  readonly kind: "events" | "declared";
  /** The present, in milliseconds, where it isn't that of the clock. */
  readonly now: number | null;
  readonly plans: boolean;
  /** What programs outside ask. */
  readonly request: { readonly url: string; readonly token: boolean };
  readonly parameters?: Readonly<Record<string, Declared>>;
  /** What is to be said of columns, beside what their parameters say. */
  readonly schema?: readonly Column[];
  /** The column that no two rows share; `id` where it isn't told. */
  readonly key?: string;
  /** Dotted paths of the cells that are shown. */
  readonly columns: readonly string[];
  /** Which parameter filters a column. */
  readonly filters: Readonly<Record<string, string>>;
  /** Why a column has no parameter. */
  readonly unfiltered?: Readonly<Record<string, string>>;
  readonly time: string | null;
  /** The most parts that a histogram may have; any number where it isn't told. */
  readonly buckets?: number;
  /** Where the rows of a sample are, if there is no server. */
  readonly sample?: string;
}

/** How many rows there are in equal parts of a time. */
export interface Histogram {
  readonly start: number;
  readonly end: number;
  readonly counts: readonly number[];
}

/** What answers for rows. Queries are without the parameters of pages. */
export interface Source {
  readonly table: Endpoint<object>;
  readonly description: Description;
  rows(query: string, offset: number, limit: number, signal: AbortSignal): Promise<readonly Row[]>;
  count(query: string, signal: AbortSignal): Promise<number>;
  /** How the store would find the rows; null where there is nothing to tell. */
  explain(query: string, signal: AbortSignal): Promise<string | null>;
  /** Null where the source has none. */
  histogram(query: string, buckets: number, signal: AbortSignal): Promise<Histogram | null>;
}

/** The source of this page. */
export async function openSource(): Promise<Source> {
  const told = (await (await fetch("source.json")).json()) as Description;
  const description = { ...told, parameters: withSchema(told.parameters ?? {}, told.schema ?? []) };
  const table = told.kind === "events" ? events : declare(description.parameters, told.key);
  return description.sample
    ? sampleSource(table, description, await (await fetch(description.sample)).json())
    : httpSource(table, description);
}
