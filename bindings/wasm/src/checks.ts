// SPDX-License-Identifier: MIT
// Checks of arguments for callers without TypeScript.

/** Refuses what is none of some names. */
export function checkChoice(what: string, given: string, choices: readonly string[]): void {
  if (!choices.includes(given)) {
    throw new TypeError(`${what}: expected one of ${choices.join(", ")}`);
  }
}

const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Returns true if the value is a whole number of 64 bits, and no double that may be rounded. */
export function isWhole(value: unknown): value is number | bigint {
  return typeof value === "bigint" ? value >= LEAST && value <= MOST : Number.isSafeInteger(value);
}

/** A whole number that is exact, or a bigint of 64 bits. */
export function checkWhole(what: string, given: unknown): number | bigint {
  if (isWhole(given)) return given;
  throw new TypeError(`${what}: expected a whole number`);
}

/** Refuses what is no text. */
export function checkText(what: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${what}: expected a text, not ${describe(value)}`);
}

/** Refuses what is no list of texts. */
export function checkTexts(what: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new TypeError(`${what}: expected a list of texts, not ${describe(value)}`);
}

/** Refuses a Date that is no time. */
export function checkTime(what: string, value: Date): Date {
  if (!Number.isNaN(value.getTime())) return value;
  throw new TypeError(`${what}: expected a time, not an invalid Date`);
}

/** Returns true if the value is an object without a class of its own, from this or another realm. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Refuses options that a function doesn't have: a misspelt one would change what it does in silence. */
export function checkOptions(what: string, options: unknown, names: readonly string[]): void {
  if (!isPlain(options)) throw new TypeError(`${what}: expected an object of options, not ${describe(options)}`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${what}: unknown option ${describe(unknown)}, expected ${names.join(", ")}`);
}

/** The member of an object that is its own, not one that every object inherits. */
export function memberOf<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** A value in a message: a short text or number, or the name of its type. */
export function describe(value: unknown): string {
  if (typeof value === "string") return value.length < 20 ? `'${value}'` : "a text";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return Object.prototype.toString.call(value).slice(8, -1);
}

export const COLLATIONS = ["exact", "ignore_case", "subdivision", "url"];
export const COLUMN_TYPES = ["text", "integer", "decimal", "time", "boolean", "json"];
