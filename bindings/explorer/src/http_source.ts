// SPDX-License-Identifier: MIT
// The server that serves this page, as a source.

import type { Endpoint } from "@sluice/sluice";

import type { Description, Histogram, Row, Source, TopValue } from "./source.js";

/** A response of the server that isn't 2xx. */
class HttpError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** Requests JSON; throws an HttpError with the message of the server's error. */
async function getJson<Answer>(
  path: string,
  parameters: Readonly<Record<string, string | number>>,
  signal: AbortSignal,
): Promise<Answer> {
  const pairs = Object.entries(parameters).map(([name, value]) => [name, String(value)]);
  const response = await fetch(`${path}?${new URLSearchParams(pairs)}`, { signal });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as Answer;
  const message = (body as { error?: { message?: string } } | null)?.error?.message;
  throw new HttpError(response.status, message ?? `the server answered ${response.status}`);
}

/** Creates a source that sends HTTP requests. */
export function httpSource(table: Endpoint<object>, description: Description): Source {
  return {
    table,
    description,
    rows: async (query, offset, limit, signal) =>
      (await getJson<{ rows: readonly Row[] }>("rows", { offset, limit, query }, signal)).rows,
    count: async (query, signal) => (await getJson<{ count: number }>("count", { query }, signal)).count,
    explain: async (query, signal) => {
      if (!description.plans) return null;
      return (await getJson<{ plan: string | null }>("explain", { query }, signal)).plan;
    },
    top: async (query, column, signal) =>
      (await getJson<{ values: readonly TopValue[] }>("top", { column, query }, signal)).values,
    histogram: (query, signal) =>
      getJson<Histogram>("histogram", { query }, signal).catch((reason: unknown) => {
        if (reason instanceof HttpError && reason.status === 404) return null;
        throw reason;
      }),
  };
}
