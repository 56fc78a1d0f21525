// SPDX-License-Identifier: MIT
// Events of the reference service, page after page.

import { ApiError, type ErrorMembers } from "./errors.js";
import type { QueryParameters } from "./query_text.js";
import { toQueryString } from "./query_text.js";
import type { EventRecords } from "./records.js";
import type { EventsValues } from "./service.js";

/** The parameters of a request for events. */
export type EventsParameters = {
  readonly [Name in keyof EventsValues]?: QueryParameters[string];
};

export interface FetchOptions {
  /** The key that the request is made with. */
  readonly token: string;
  /** How often in a row a request is made again that was refused with a Retry-After; 5 by default. */
  readonly retries?: number;
  /** The longest that is waited for, in seconds; 60 by default. */
  readonly maxWait?: number;
  readonly signal?: AbortSignal;
  /** What makes requests, if not the host's own. */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>;
  /** What waits, if not the host's clock. */
  readonly wait?: (seconds: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * All events of a list, page after page: it follows the answers' `Link` headers, which neither
 * repeat nor skip an event while others arrive, and waits as long as a `Retry-After` asks.
 *
 * ```
 * const query = { event: "sales", country: "US,CA", interval: "7d" } as const;
 * for await (const sale of fetchEvents("https://api.example.com", query, { token })) {
 *   console.log(sale.sale.amount);
 * }
 * ```
 *
 * @param service The address of the service.
 * @throws ApiError what the service refused; it needs no load().
 */
export async function* fetchEvents<Kind extends keyof EventRecords = "clicks">(
  service: string | URL,
  query: EventsParameters & { readonly event?: Kind },
  options: FetchOptions,
): AsyncGenerator<EventRecords[Kind], void, undefined> {
  const first = new URL(service);
  if (first.search || first.hash) throw new TypeError("service: expected an address without a query");
  first.pathname = `${first.pathname.replace(/\/$/, "")}/events`;
  first.search = toQueryString(query);
  for (let url: URL | undefined = first; url; ) {
    const response: Response = await request(url, options);
    yield* (await response.json()) as EventRecords[Kind][];
    url = nextOf(response, url, first.origin);
  }
}

async function request(url: URL, options: FetchOptions): Promise<Response> {
  const { token, retries = 5, maxWait = 60, signal, fetch = globalThis.fetch, wait = sleep } = options;
  const headers = { authorization: `Bearer ${token}` };
  for (let attempt = 0; ; ++attempt) {
    const response = await fetch(url, { headers, ...(signal && { signal }) });
    if (response.ok) return response;
    const seconds = secondsToWait(response);
    if (seconds === undefined || seconds > maxWait || attempt >= retries) {
      throw await errorOf(response);
    }
    await response.body?.cancel();
    await wait(seconds, signal);
  }
}

/** What Retry-After says: seconds, or a date. */
function secondsToWait(response: Response): number | undefined {
  const told = response.headers.get("retry-after")?.trim();
  if (!told || (response.status !== 429 && response.status !== 503)) return undefined;
  if (/^\d+$/.test(told)) return Number(told);
  const seconds = Math.ceil((Date.parse(told) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, failed) => {
    const abort = () => {
      clearTimeout(timer);
      failed(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      done();
    }, seconds * 1000);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
  });
}

/** The next page. Another origin is not asked: it would get the token. */
function nextOf(response: Response, from: URL, origin: string): URL | undefined {
  const links = response.headers.get("link") ?? "";
  for (const [, target, attributes] of links.matchAll(/<([^>]*)>((?:\s*;\s*[^,;"]+(?:"[^"]*")?)*)/g)) {
    if (!/;\s*rel\s*=\s*"?(?:[^"]*\s)?next(?:\s[^"]*)?"?\s*(?:;|$)/i.test(attributes!)) continue;
    const next = new URL(target!, from);
    if (next.origin !== origin) throw new Error(`the next page is at another origin: ${next.origin}`);
    return next;
  }
  return undefined;
}

/** What a service refused, as its envelope tells it. */
async function errorOf(response: Response): Promise<ApiError> {
  const status = response.status;
  const body = await response.text();
  try {
    const { error } = JSON.parse(body) as { error: ErrorMembers & { doc_url?: string } };
    const { code, message, doc_url: docUrl } = error;
    return new ApiError({ code, message, status, ...(docUrl && { docUrl }) });
  } catch {
    const message = `the service answered ${status}: ${body.slice(0, 64)}`;
    return new ApiError({ code: "internal_server_error", message, status });
  }
}
