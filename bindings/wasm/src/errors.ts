// SPDX-License-Identifier: MIT

import { checkText } from "./checks.js";
import type { ErrorDetail } from "./openapi.js";

/** Machine-readable error codes; each has one HTTP status. */
export type ErrorCode = ErrorDetail["code"];

/** The properties of an error. */
export interface ErrorMembers {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
  readonly rule?: string;
  readonly param?: string | null;
  readonly offset?: number;
  readonly length?: number;
  readonly text?: string | null;
  readonly docUrl?: string | null;
}

/**
 * An error in a text or a request.
 *
 * ```
 * country=US,-CA          rule "filter_dash", param "country"
 *            ^^^          offset 3, length 3, in bytes of the parameter's decoded value
 * ```
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  /** The HTTP status, 400 to 500. */
  readonly status: number;
  /** The name of the broken rule; empty if a service didn't state it. */
  readonly rule: string;
  /** The parameter at fault, or null. */
  readonly param: string | null;
  /** The offset of the first byte at fault, in UTF-8. */
  readonly offset: number;
  /** The number of bytes at fault. */
  readonly length: number;
  /** The text that they refer to: the decoded value, or an unknown parameter's name; or null. */
  readonly text: string | null;
  /** The URL of the code's documentation, as stated by a service, or null. */
  readonly docUrl: string | null;

  constructor(members: ErrorMembers) {
    super(checkText("ApiError: message", Object(members).message));
    this.code = members.code;
    this.status = members.status;
    this.rule = members.rule ?? "";
    this.param = members.param ?? null;
    this.offset = members.offset ?? 0;
    this.length = members.length ?? 0;
    this.text = members.text ?? null;
    this.docUrl = members.docUrl ?? null;
  }

  /** The range at fault as indexes into `text`, in UTF-16 code units. */
  get range(): readonly [start: number, end: number] {
    const bytes = new TextEncoder().encode(this.text ?? "");
    const indexOf = (offset: number) => new TextDecoder().decode(bytes.subarray(0, offset)).length;
    return [indexOf(this.offset), indexOf(this.offset + this.length)];
  }

  toJSON(): ErrorMembers {
    const { code, status, message, rule, offset, length } = this;
    return { code, status, message, rule, param: this.param ?? "", offset, length };
  }
}

/** The error with these properties. @internal */
export function toError(members: ErrorMembers): ApiError {
  return members instanceof ApiError ? members : new ApiError(members);
}

/** Creates errors that are returned and not thrown: without a stack, which takes most of their time. @internal */
export function makeErrors(all: readonly ErrorMembers[]): readonly ApiError[] {
  const host = Error as { stackTraceLimit?: number }; // of V8 and JavaScriptCore
  const { stackTraceLimit: limit } = host;
  if (limit === undefined || !Reflect.set(host, "stackTraceLimit", 0)) return all.map(toError);
  try {
    return all.map(toError);
  } finally {
    host.stackTraceLimit = limit;
  }
}
