// SPDX-License-Identifier: MIT
// Filters and metadata expressions.

import { checkChoice, checkText, COLLATIONS } from "./checks.js";
import { accepts, type Collation, wellFormed } from "./collations.js";
import { call } from "./module.js";
import { jsonOf, textsOf } from "./rows.js";
import { WasmObject } from "./wasm_object.js";

export type { Collation } from "./collations.js";

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** An advanced filter: a list of values, or all but these. Created by parseFilter(). */
export class Filter {
  /** The canonical text, which parses to an equal filter. */
  readonly text: string;
  /** True if the filter accepts all but its values. */
  readonly excludes: boolean;
  readonly values: readonly string[];

  #tests: Map<Collation, ReturnType<typeof accepts>> | undefined;

  /** @internal */
  constructor(text: string, excludes: boolean, values: readonly string[]) {
    this.text = text;
    this.excludes = excludes;
    this.values = Object.freeze(values);
  }

  /**
   * Returns true if a row passes, given its value or values. A row without a value passes if the
   * filter excludes or is empty.
   */
  matches(row: string | Iterable<string> | null | undefined, collation: Collation = "exact"): boolean {
    const test = this.#tests?.get(collation) ?? this.#testOf(collation);
    if (typeof row === "string") return test(wellFormed(row));
    const isList = typeof row === "object" && row !== null && Symbol.iterator in row && !(row instanceof Map);
    const texts = textsOf(isList ? [...row] : row);
    if (!texts) throw new TypeError("row: expected a text or a list of texts");
    return test(texts.length === 0 ? undefined : texts);
  }
  toString(): string {
    return this.text;
  }
  toJSON(): string {
    return this.text;
  }

  #testOf(collation: Collation): ReturnType<typeof accepts> {
    checkChoice("collation", collation, COLLATIONS);
    const test = accepts(this.values, this.excludes, collation);
    this.#tests ??= new Map();
    this.#tests.set(collation, test);
    return test;
  }
}

/** Escapes a value as an item of a filter's text. @internal */
export function filterItem(value: string): string {
  return value.replace(/[\\,]/g, "\\$&").replace(/^-/, "\\-");
}

/**
 * Parses an advanced filter: `US`, `US,CA`, or `-US,CA` for all but these.
 *
 * @throws ApiError
 */
export function parseFilter(text: string): Filter {
  return call("filter_parse", checkText("filter", text));
}

/** Conditions on JSON paths; see MetadataQuery.tree(). */
export type MetadataTree =
  | { readonly all: readonly MetadataTree[] }
  | { readonly any: readonly MetadataTree[] }
  | { readonly not: MetadataTree }
  | ({ readonly path: readonly string[] } & {
      readonly [operator in "equal" | "not_equal" | "gt" | "gte" | "lt" | "lte"]?: string;
    });

/** A metadata expression. Created by parseMetadataQuery(). */
export class MetadataQuery extends WasmObject {
  /** The canonical text, which parses to an equal expression. */
  readonly text: string;

  /** @internal */
  constructor(text: string, handle?: number) {
    super();
    this.text = text;
    if (handle !== undefined) this.hold(handle);
  }

  /**
   * Returns true if a value, or a JSON document as text, matches. null has no value at any path.
   */
  matches(metadata: Json | undefined): boolean {
    const document = typeof metadata === "string" ? metadata : jsonOf(metadata ?? null);
    if (document === undefined) throw new TypeError("metadata: expected a value that JSON has");
    return this.matchesText(document, false);
  }
  /** @internal */
  matchesText(document: string, isLenient: boolean): boolean {
    return call("metadata_matches", this.#handle(), document, isLenient);
  }
  /** The tree of the expression. */
  tree(): MetadataTree {
    return call("metadata_tree", this.#handle());
  }
  override toString(): string {
    return this.text;
  }
  toJSON(): string {
    return this.text;
  }

  #handle(): number {
    return this.handle(() => call<[string, number]>("metadata_parse", this.text)[1]);
  }
}

/**
 * Parses a metadata expression such as `metadata['plan']:'pro' AND metadata['seats']>5`.
 *
 * @throws ApiError
 */
export function parseMetadataQuery(text: string): MetadataQuery {
  return new MetadataQuery(...call<[string, number]>("metadata_parse", checkText("expression", text)));
}

/** Returns the function that tests documents, which count as empty if they aren't JSON. @internal */
export function metadataTest(expression: string): (document: string) => boolean {
  const query = new MetadataQuery(expression);
  return (document) => query.matchesText(document, true);
}
