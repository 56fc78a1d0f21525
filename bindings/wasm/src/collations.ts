// SPDX-License-Identifier: MIT
// Comparisons of texts under collations, whose records are in include/sluice/filters/collation.hpp.

import type { COLLATIONS } from "./checks.js";
import { call } from "./module.js";

/** The comparison of texts. */
export type Collation = (typeof COLLATIONS)[number];

/** The meaning of a collation. */
interface CollationRecord {
  /** True if the case of ASCII letters is ignored. */
  readonly ignoresCase: boolean;
  /** A value can also equal the part of a row's text before, or after, the first mark. */
  readonly mark?: string;
  readonly isBefore?: boolean;
}

const records = new Map<Collation, CollationRecord>();

function recordOf(collation: Collation): CollationRecord {
  const known = records.get(collation);
  if (known) return known;
  const record = call<CollationRecord>("collation_find", collation);
  records.set(collation, record);
  return record;
}

/** A text without lone surrogates, which UTF-8 doesn't have. */
export function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text) ? text.replace(/\p{Cs}/gu, "\ufffd") : text;
}

/** A function that returns the form of texts in which a collation compares them. */
export function foldOf(collation: Collation): (text: string) => string {
  const lower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return recordOf(collation).ignoresCase ? lower : (text) => text;
}

/** A function that returns true for texts that equal any of the values. */
export function equalsAny(values: readonly string[], collation: Collation): (text: string) => boolean {
  const { mark, isBefore } = recordOf(collation);
  const fold = foldOf(collation);
  const wanted = values.map(fold);
  // A value with the mark equals no part before it, and one without it no whole text.
  const whole = new Set(isBefore ? wanted.filter((value) => value.includes(mark!)) : wanted);
  if (mark === undefined) return (text) => whole.has(fold(text));
  const parts = new Set(isBefore ? wanted.filter((value) => !value.includes(mark)) : wanted);
  return (text) => {
    const folded = fold(text);
    if (whole.has(folded)) return true;
    const at = folded.indexOf(mark);
    if (isBefore) return parts.has(at < 0 ? folded : folded.slice(0, at));
    return at >= 0 && parts.has(folded.slice(at + 1));
  };
}

/**
 * A function that returns true for rows, given their text, texts or undefined, that a filter accepts.
 */
export function accepts(
  values: readonly string[],
  excludes: boolean,
  collation: Collation,
): (row: string | readonly string[] | undefined) => boolean {
  if (values.length === 0) return () => true;
  const isValue = equalsAny(values, collation);
  return (row) => {
    if (row === undefined) return excludes;
    return (typeof row === "string" ? isValue(row) : row.some(isValue)) !== excludes;
  };
}

/** The order of the bytes of two texts in UTF-8: negative, 0 or positive. */
export function compareBytes(a: string, b: string): number {
  const size = Math.min(a.length, b.length);
  let at = 0;
  while (at < size && a.charCodeAt(at) === b.charCodeAt(at)) ++at;
  return at === size ? a.length - b.length : rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
}

/** The place of a code unit in the order of code points: surrogates stand for the highest. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
