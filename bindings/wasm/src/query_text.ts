// SPDX-License-Identifier: MIT
// What stands for a query string.

import { Filter, MetadataQuery } from "./expressions.js";

type One = string | number | bigint | boolean | Date | Filter | MetadataQuery | null | undefined;

/** Parameters by their names; null and undefined leave one out. */
export interface QueryParameters {
  readonly [name: string]: One | readonly One[];
}

/** A query string, or what stands for one. */
export type QueryText = string | URLSearchParams | QueryParameters;

/** What any reading of a request may be told. */
export interface ParseOptions {
  /** What times such as `yesterday` count from; the present by default. */
  readonly now?: Date | number;
  /** Whether unknown parameters are errors. */
  readonly strict?: boolean;
}

/** The text of a query string, whatever stands for it. */
export function toQueryString(query: QueryText): string {
  if (typeof query === "string") return query;
  if (query instanceof URLSearchParams) return query.toString();
  const pairs = new URLSearchParams();
  for (const [name, given] of Object.entries(query)) {
    for (const one of Array.isArray(given) ? (given as readonly One[]) : [given as One]) {
      if (one !== null && one !== undefined) pairs.append(name, textOf(one));
    }
  }
  return pairs.toString();
}

function textOf(one: NonNullable<One>): string {
  return one instanceof Date ? one.toISOString() : String(one);
}

/** The present, in milliseconds. */
export function toMilliseconds(now: Date | number | undefined): number {
  const at = Math.floor(Number(now ?? Date.now()));
  if (!Number.isSafeInteger(at)) throw new TypeError("now: expected a Date or milliseconds since 1970");
  return at;
}
