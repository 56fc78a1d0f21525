// SPDX-License-Identifier: MIT
// What TypeScript wouldn't have let through, and JavaScript does.

/** Refuses what is none of some names. */
export function checkChoice(what: string, given: string, choices: readonly string[]): void {
  if (!choices.includes(given)) {
    throw new TypeError(`${what}: expected one of ${choices.join(", ")}`);
  }
}

/** A whole number that is exact, or a bigint. */
export function checkWhole(what: string, given: unknown): number | bigint {
  if (typeof given === "bigint" || Number.isSafeInteger(given)) return given as number | bigint;
  throw new TypeError(`${what}: expected a whole number`);
}

export const COLLATIONS = ["exact", "ignore_case", "subdivision", "url"];
export const COLUMN_TYPES = ["text", "integer", "decimal", "time", "boolean", "json"];
