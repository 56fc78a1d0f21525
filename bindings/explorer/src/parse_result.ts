// SPDX-License-Identifier: MIT
// The query at one moment, parsed.

import type { ApiError, ListQuery } from "@sluice/sluice";

import type { Names } from "./names.js";
import { keepPairs } from "./query_pairs.js";
import type { Source } from "./source.js";

/** A query string and its parse result. */
export interface ParseResult {
  readonly text: string;
  /** The text without the parameters of pages, as sent to sources. */
  readonly rowsQuery: string;
  /** The time that relative times refer to, in milliseconds since 1970. */
  readonly now: number;
  readonly errors: readonly ApiError[];
  /** Null if there are errors. The page frees it when the text changes. */
  readonly query: ListQuery<object> | null;
}

/** Parses a query string. */
export function parseQuery({ table, description }: Source, names: Names, text: string): ParseResult {
  const now = description.now ?? Date.now();
  const errors = table.errors(text, { now, strict: true });
  const query = errors.length > 0 ? null : table.parse(text, { now, strict: true });
  return { text, rowsQuery: keepPairs(text, (name) => !names.paging.has(name)), now, errors, query };
}
