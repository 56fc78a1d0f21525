// SPDX-License-Identifier: MIT
// Requests to the reference service: GET /events and GET /tags.

import { endpointOf, type Endpoint, type ListQuery } from "./list_query.js";
import type { EventsValues, TagsValues } from "./openapi.js";
import type { ParseOptions, QueryText } from "./query_text.js";

/** Creates an endpoint of the service. It ignores unknown names, which clients in use send. */
function listOf<Values>(name: string): Endpoint<Values> {
  return endpointOf({ name, tableFields: () => [], isStrict: false, toValues: (values) => values as Values & object });
}

/** `GET /events` of the reference service. */
export const events: Endpoint<EventsValues> = listOf("events_parse");

/** `GET /tags` of the reference service. */
export const tags: Endpoint<TagsValues> = listOf("tags_parse");

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
