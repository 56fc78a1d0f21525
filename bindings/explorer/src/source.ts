// SPDX-License-Identifier: MIT
// Sources of data: a server, or the rows of a sample.

import { type Column, type Endpoint, events } from "@sluice/sluice";

import { declare, type Declaration, withSchema } from "./declarations.js";
import { httpSource } from "./http_source.js";
import { sampleSource } from "./sample_source.js";

/** A row as parsed JSON. */
export type Row = Readonly<Record<string, unknown>>;

/** The content of source.json. */
export interface Description {
  readonly name: string;
  readonly kind: "events" | "declared";
  /** The current time in milliseconds; null for that of the clock. */
  readonly now: number | null;
  readonly plans: boolean;
  /** The request in generated programs. */
  readonly request: { readonly url: string; readonly token: boolean };
  readonly parameters?: Readonly<Record<string, Declaration>>;
  /** Properties of columns beyond their parameters. */
  readonly schema?: readonly Column[];
  /** The column with unique values; `id` by default. */
  readonly key?: string;
  /** Dotted paths of the displayed cells. */
  readonly columns: readonly string[];
  /** The parameters that filter columns, by column. */
  readonly filters: Readonly<Record<string, string>>;
  /** The reasons why columns have no parameter. */
  readonly unfiltered?: Readonly<Record<string, string>>;
  /** The column of the histogram's times; null without one. */
  readonly time: string | null;
  /** The columns whose top values the source has. */
  readonly tops?: readonly string[];
  /** The file with the rows of a sample, if there is no server. */
  readonly sample?: string;
}

/**
 * The number of rows in buckets of time, from their starts on, in milliseconds since 1970; the last one
 * ends at `end`, inclusive, null without buckets.
 */
export interface Histogram {
  readonly starts: readonly number[];
  readonly end: number | null;
  readonly counts: readonly number[];
}

/** A frequent value of a column and its number of rows. */
export interface TopValue {
  readonly value: unknown;
  readonly count: number;
  /** The larger place of an ambiguous value, such as the country of a city. */
  readonly place?: string;
}

/**
 * The interface of sources. Queries are query strings without the parameters of pages. The methods
 * reject with an Error whose message is shown, or once the signal is aborted.
 */
export interface Source {
  readonly table: Endpoint<object>;
  readonly description: Description;
  rows(query: string, offset: number, limit: number, signal: AbortSignal): Promise<readonly Row[]>;
  count(query: string, signal: AbortSignal): Promise<number>;
  /** The query plan; null if the source has none. */
  explain(query: string, signal: AbortSignal): Promise<string | null>;
  /** The histogram; null if the source has none. */
  histogram(query: string, signal: AbortSignal): Promise<Histogram | null>;
  /** The most frequent values of a column of `tops`, at most ten, under the conditions on other columns. */
  top(query: string, column: string, signal: AbortSignal): Promise<readonly TopValue[]>;
}

/** Opens the source of this page. */
export async function openSource(): Promise<Source> {
  const content = (await (await fetch("source.json")).json()) as Description;
  const description = { ...content, parameters: withSchema(content.parameters ?? {}, content.schema ?? []) };
  const table = content.kind === "events" ? events : declare(description.parameters, content.key);
  return description.sample
    ? sampleSource(table, description, await (await fetch(description.sample)).json())
    : httpSource(table, description);
}
