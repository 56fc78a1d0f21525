// SPDX-License-Identifier: MIT
// Query strings that fix an error. What to write instead is taken from the library's messages.

import type { ApiError } from "@sluice/sluice";

import { encode, type Pair, pairsOf, rawIndexOf, withValue } from "./query_pairs.js";

/** A corrected query string, and a description of the correction. */
export interface Fix {
  readonly label: string;
  readonly text: string;
}

/** The parameter of an error: the one with the faulty text, or the last one of its name. */
function pairOf(text: string, { param, text: faulty }: ApiError): Pair | undefined {
  const candidates = pairsOf(text).filter(({ name }) => name === param || name === `${param}[]`);
  return candidates.findLast(({ value }) => value === faulty) ?? candidates.at(-1);
}

/**
 * The range of an error in a query string, in UTF-16 code units; all of the parameter if the error
 * has no length; null if no parameter has the error.
 */
export function rangeOfError(text: string, error: ApiError): readonly [start: number, end: number] | null {
  const pair = pairOf(text, error);
  if (!pair) return null;
  const isName = error.rule === "parameter_unknown";
  const offset = isName ? pair.start : pair.valueStart;
  const raw = text.slice(offset, isName ? pair.valueStart : pair.end);
  const [start, end] = error.range.map((index) => offset + rawIndexOf(raw, index)) as [number, number];
  return end > start ? [start, end] : [pair.start, pair.end];
}

/** An advice such as `write AND instead of &&`. */
const WRITE = /write (.+) instead of (?:the )?(\S+)$/;
/** The advice to add another parameter. */
const COMPANION = /give it with (\w+)=(\w+)/;

/** The possible fixes of an error, the likeliest first. */
export function fixesOf(text: string, error: ApiError): readonly Fix[] {
  const range = rangeOfError(text, error);
  const fixes: Fix[] = [];
  const replace = (label: string, replacement: string) => {
    if (range) fixes.push({ label, text: text.slice(0, range[0]) + encode(replacement) + text.slice(range[1]) });
  };
  const [, suggestion] = /did you mean '([^']+)'/.exec(error.message) ?? [];
  if (suggestion !== undefined) replace(`Use ${suggestion}`, suggestion);
  const [, correction] = WRITE.exec(error.message) ?? [];
  if (correction === "=") replace("Write =", "=");
  if (correction?.includes("AND")) replace("Write AND", " AND ");
  const [, name, value] = COMPANION.exec(error.message) ?? [];
  if (name && value) fixes.push({ label: `Add ${name}=${value}`, text: withValue(text, name, value) });
  if (error.rule === "filter_dash" && range) fixes.push(...dashFixes(text, error, range));
  return [...fixes, ...removal(text, error)];
}

/** The fixes of a dash within a filter: exclude the whole filter, or escape the dash. */
function dashFixes(text: string, error: ApiError, range: readonly [number, number]): readonly Fix[] {
  const item = text.slice(...range);
  const whole = (error.text ?? "").replaceAll(/,-/g, ",").replace(/^-*/, "-");
  return [
    { label: "Exclude all of them", text: withValue(text, error.param ?? "", whole) },
    { label: "Escape the -", text: `${text.slice(0, range[0])}\\${item}${text.slice(range[1])}` },
  ];
}

/** The fix that removes the parameter at fault, if there is one. */
function removal(text: string, error: ApiError): readonly Fix[] {
  const pair = pairOf(text, error);
  if (!pair) return [];
  const before = text.slice(0, pair.start).replace(/&$/, "");
  const after = text.slice(pair.end).replace(/^&/, "");
  return [{ label: `Remove ${pair.name}`, text: [before, after].filter((part) => part).join("&") }];
}
