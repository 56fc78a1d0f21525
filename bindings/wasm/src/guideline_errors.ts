// SPDX-License-Identifier: MIT
// Errors in the forms of guidelines: OData, AIP-193 of Google, and SCIM.

import { checkText } from "./checks.js";
import type { ApiError } from "./errors.js";

/** An answer to a request with errors. */
export interface ErrorAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: object;
}

/** google.rpc.Code, by HTTP status. */
const STATUSES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ABORTED", 429: "RESOURCE_EXHAUSTED",
  501: "UNIMPLEMENTED", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
};
const TYPES = "type.googleapis.com/google.rpc.";

/** The first of some errors, and its status: no guideline has 422, and they answer 400 instead. */
function firstOf(errors: readonly ApiError[]): { readonly first: ApiError; readonly status: number } {
  const isError = (error: unknown) => ["rule", "message"].every((name) => typeof Object(error)[name] === "string");
  if (!Array.isArray(errors) || !errors.every(isError)) throw new TypeError("errors: expected a list of errors");
  const first: ApiError | undefined = errors[0];
  if (first === undefined) throw new TypeError("errors: expected at least one");
  return { first, status: first.status === 422 ? 400 : first.status };
}

function odataOf({ rule, message, param }: ApiError) {
  return { code: rule, message, ...(param === null ? {} : { target: param }) };
}

/** Errors as OData's JSON format has them: the first, and all of several in it. */
export function toODataError(errors: readonly ApiError[]): ErrorAnswer {
  const { first, status } = firstOf(errors);
  const details = errors.length > 1 ? { details: errors.map(odataOf) } : {};
  return { status, contentType: "application/json", body: { error: { ...odataOf(first), ...details } } };
}

/**
 * Errors as AIP-193 has them, with a violation for each parameter.
 *
 * @param domain The name of the service, such as `api.example.com`.
 */
export function toAipError(errors: readonly ApiError[], domain: string): ErrorAnswer {
  const { first, status } = firstOf(errors);
  checkText("domain", domain);
  const info = { "@type": `${TYPES}ErrorInfo`, reason: first.rule.toUpperCase(), domain, metadata: {} };
  const violations = errors
    .filter(({ param }) => param !== null)
    .map(({ param, message, rule }) => ({ field: param, description: message, reason: rule.toUpperCase() }));
  const request = { "@type": `${TYPES}BadRequest`, fieldViolations: violations };
  const body = {
    code: status,
    message: first.message,
    status: STATUSES[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT"),
    details: violations.length > 0 ? [info, request] : [info],
  };
  return { status, contentType: "application/json", body: { error: body } };
}

/** The first error as RFC 7644 has it; its detail has the messages of all. */
export function toScimError(errors: readonly ApiError[]): ErrorAnswer {
  const { first, status } = firstOf(errors);
  const kind = first.param === "filter" ? "invalidFilter" : "invalidValue";
  const body = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    ...(status === 400 && first.param !== null ? { scimType: kind } : {}),
    detail: errors.map(({ message }) => message).join("\n"),
    status: String(status),
  };
  return { status, contentType: "application/scim+json", body };
}
