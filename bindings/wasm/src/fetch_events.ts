// SPDX-License-Identifier: MIT
// Events of the reference service, page by page.

import { checkFunction, checkOptions, checkText, describe } from "./checks.js";
import { ApiError, type ErrorMembers } from "./errors.js";
import type { EventRecords, EventsValues } from "./openapi.js";
import type { QueryParameters } from "./query_text.js";
import { toQueryString } from "./query_text.js";

/** The parameters of a request for events. */
export type EventsParameters = {
  readonly [Name in keyof EventsValues]?: QueryParameters[string];
};

export interface FetchOptions {
  /** The API key. */
  readonly token: string;
  /** The number of consecutive retries of a request refused with Retry-After; 5 by default. */
  readonly retries?: number;
  /** The longest wait before a retry, in seconds; 60 by default. */
  readonly maxWait?: number;
  readonly signal?: AbortSignal;
  /** Replaces the host's fetch(). */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>;
  /** Replaces the host's timer. */
  readonly wait?: (seconds: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Yields all events of a list, page by page. Follows the `Link` headers of answers, which neither
 * repeat nor skip an event when others arrive, and waits as long as `Retry-After` says.
 *
 * ```
 * const query = { event: "sales", country: "US,CA", interval: "7d" } as const;
 * for await (const sale of fetchEvents("https://api.example.com", query, { token })) {
 *   console.log(sale.sale.amount);
 * }
 * ```
 *
 * @param service The address of the service.
 * @throws ApiError if the service refuses a request; works without load().
 */
export async function* fetchEvents<Kind extends keyof EventRecords = "clicks">(
  service: string | URL,
  query: EventsParameters & { readonly event?: Kind },
  options: FetchOptions,
): AsyncGenerator<EventRecords[Kind], void, undefined> {
  checkOptions("fetchEvents", options, ["token", "retries", "maxWait", "signal", "fetch", "wait"]);
  checkText("token", options.token);
  for (const name of ["fetch", "wait"] as const) if (options[name] !== undefined) checkFunction(name, options[name]);
  const first = addressOf(service);
  if (first.search || first.hash) throw new TypeError("service: expected an address without a query");
  first.pathname = `${first.pathname.replace(/\/$/, "")}/events`;
  first.search = toQueryString(query);
  for (let url: URL | undefined = first; url; ) {
    const response: Response = await request(url, options);
    yield* (await response.json()) as EventRecords[Kind][];
    url = nextOf(response, url, first.origin);
  }
}

/** A copy of the service's address; throws a TypeError for other values. */
function addressOf(service: string | URL): URL {
  try {
    return new URL(service);
  } catch {
    throw new TypeError(`service: expected an address such as https://api.example.com, not ${describe(service)}`);
  }
}

/** Requests a page, with retries; throws the ApiError of the last answer. */
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

/** The seconds of Retry-After, a number or a date; undefined if a retry makes no sense. */
function secondsToWait(response: Response): number | undefined {
  const retryAfter = response.headers.get("retry-after")?.trim();
  if (!retryAfter || (response.status !== 429 && response.status !== 503)) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const seconds = Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** Waits; rejects with the signal's reason once it is aborted. */
function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
  });
}

/** The URL of the next page. Throws for another origin, which would receive the token. */
function nextOf(response: Response, current: URL, origin: string): URL | undefined {
  const links = response.headers.get("link") ?? "";
  for (const [, target, attributes] of links.matchAll(/<([^>]*)>((?:\s*;\s*[^,;"]+(?:"[^"]*")?)*)/g)) {
    if (!/;\s*rel\s*=\s*"?(?:[^"]*\s)?next(?:\s[^"]*)?"?\s*(?:;|$)/i.test(attributes!)) continue;
    const next = new URL(target!, current);
    if (next.origin !== origin) throw new Error(`the next page is at another origin: ${next.origin}`);
    return next;
  }
  return undefined;
}

/** The error in a service's error envelope. */
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
