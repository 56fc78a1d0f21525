// SPDX-License-Identifier: MIT
// Requests to the reference service: GET /events and GET /tags.

import type { Filter, MetadataQuery } from "./expressions.js";
import { endpointOf, type Endpoint, type ListQuery } from "./list_query.js";
import type { ParseOptions, QueryText } from "./query_text.js";
import type { Interval } from "./times.js";

type Direction = "asc" | "desc";

/** The parsed parameters of `GET /events`; `start` and `end` are those of the resolved window. */
export type EventsValues = {
  readonly event: "clicks" | "leads" | "sales";
  readonly domain: Filter | null;
  readonly key: string | null;
  readonly linkId: Filter | null;
  readonly externalId: string | null;
  readonly tenantId: Filter | null;
  readonly tagId: Filter | null;
  readonly folderId: Filter | null;
  readonly partnerTagId: Filter | null;
  readonly groupId: Filter | null;
  readonly partnerId: Filter | null;
  readonly customerId: string | null;
  readonly interval: Interval;
  readonly start: Date | null;
  readonly end: Date;
  readonly timezone: string;
  readonly country: Filter | null;
  readonly city: Filter | null;
  readonly region: Filter | null;
  readonly continent: Filter | null;
  readonly device: Filter | null;
  readonly browser: Filter | null;
  readonly os: Filter | null;
  readonly trigger: Filter | null;
  readonly referer: Filter | null;
  readonly refererUrl: Filter | null;
  readonly url: Filter | null;
  readonly utm_source: Filter | null;
  readonly utm_medium: Filter | null;
  readonly utm_campaign: Filter | null;
  readonly utm_term: Filter | null;
  readonly utm_content: Filter | null;
  readonly root: boolean | null;
  readonly saleType: "new" | "recurring" | null;
  readonly query: MetadataQuery | null;
  readonly page: number;
  readonly limit: number;
  readonly sortOrder: Direction;
  readonly sortBy: "timestamp";
  readonly programId: string | null;
  readonly tagIds: Filter | null;
  readonly qr: boolean | null;
  readonly order: Direction;
  readonly cursor: string | null;
  readonly count: boolean;
};

/** The parsed parameters of `GET /tags`. */
export type TagsValues = {
  readonly sortBy: "name" | "createdAt";
  readonly sortOrder: Direction;
  readonly search: string | null;
  readonly ids: readonly string[];
  readonly page: number;
  readonly pageSize: number;
  readonly cursor: string | null;
  readonly count: boolean;
};

function toEventsValues(revived: unknown): EventsValues {
  const { window, ...values } = revived as EventsValues & { window: { start: Date | null; end: Date } };
  return Object.freeze({ ...values, ...window });
}

/** Creates an endpoint of the service. It ignores unknown names, which published clients send. */
function listOf<Values>(name: string, toValues: (revived: unknown) => Values): Endpoint<Values> {
  return endpointOf({ name, own: () => [], isStrict: false, toValues });
}

/** `GET /events` of the reference service. */
export const events: Endpoint<EventsValues> = listOf("events_parse", toEventsValues);

/** `GET /tags` of the reference service. */
export const tags: Endpoint<TagsValues> = listOf("tags_parse", (values) => Object.freeze(values as TagsValues));

/**
 * Parses a request for `GET /events`.
 *
 * @throws ApiError
 */
export function parseEvents(query: QueryText, options?: ParseOptions): ListQuery<EventsValues> {
  return events.parse(query, options);
}

/**
 * Parses a request for `GET /tags`.
 *
 * @throws ApiError
 */
export function parseTags(query: QueryText, options?: ParseOptions): ListQuery<TagsValues> {
  return tags.parse(query, options);
}
