// SPDX-License-Identifier: MIT
// Argument checks for callers without TypeScript.

/** Returns a text; throws a TypeError unless it is one of the choices. */
export function checkChoice<T extends string>(argument: string, value: T, choices: readonly T[]): T {
  if (choices.includes(value)) return value;
  throw new TypeError(`${argument}: expected one of ${choices.join(", ")}`);
}

/** Returns the index of a text among the choices; throws a TypeError unless it is one of them. */
export function checkIndex<T extends string>(argument: string, value: T, choices: readonly T[]): number {
  return choices.indexOf(checkChoice(argument, value, choices));
}

const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Returns true for a bigint of 64 bits, or a number up to 2^53, beyond which doubles round. */
export function isWhole(value: unknown): value is number | bigint {
  return typeof value === "bigint" ? value >= LEAST && value <= MOST : Number.isSafeInteger(value);
}

/** Returns an exact whole number or a bigint of 64 bits; throws a TypeError otherwise. */
export function checkWhole(argument: string, value: unknown): number | bigint {
  if (isWhole(value)) return value;
  throw new TypeError(`${argument}: expected a whole number`);
}

/** Returns a text; throws a TypeError for other values. */
export function checkText(argument: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${argument}: expected a text, not ${describe(value)}`);
}

/** Returns true or false; throws a TypeError for other values. */
export function checkFlag(argument: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw new TypeError(`${argument}: expected true or false, not ${describe(value)}`);
}

/** Returns a plain object; throws a TypeError for other values. */
export function checkObject<T extends object>(argument: string, value: T): T {
  if (isPlain(value)) return value;
  throw new TypeError(`${argument}: expected an object, not ${describe(value)}`);
}

/** Returns a list; throws a TypeError for other values. */
export function checkList<T>(argument: string, value: readonly T[]): readonly T[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`${argument}: expected a list, not ${describe(value)}`);
}

/** Returns rows that can be iterated over; throws a TypeError for other values. */
export function checkRows<T>(rows: Iterable<T>): Iterable<T> {
  if (typeof Object(rows)[Symbol.iterator] === "function") return rows;
  throw new TypeError(`rows: expected a list of rows, not ${describe(rows)}`);
}

/** Returns a function; throws a TypeError for other values. */
export function checkFunction<T>(argument: string, value: T): T {
  if (typeof value === "function") return value;
  throw new TypeError(`${argument}: expected a function, not ${describe(value)}`);
}

/** Returns a list of texts; throws a TypeError for other values. */
export function checkTexts(argument: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new TypeError(`${argument}: expected a list of texts, not ${describe(value)}`);
}

/** Returns a valid Date; throws a TypeError otherwise. */
export function checkTime(argument: string, value: Date): Date {
  if (!Number.isNaN(value.getTime())) return value;
  throw new TypeError(`${argument}: expected a time, not an invalid Date`);
}

/** Returns true if the value is a plain object, of this or another realm. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Throws a TypeError for unknown options, because a misspelt one would silently have no effect. */
export function checkOptions(argument: string, options: unknown, names: readonly string[]): void {
  if (!isPlain(options)) throw new TypeError(`${argument}: expected an object of options, not ${describe(options)}`);
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    throw new TypeError(`${argument}: unknown option ${describe(name)}, expected ${names.join(", ")}`);
  }
}

/** The own member of an object; inherited ones are ignored. */
export function memberOf<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** Describes a value in a message: a short text or number, or its type. */
export function describe(value: unknown): string {
  if (typeof value === "string") return value.length < 20 ? `'${value}'` : "a text";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return Object.prototype.toString.call(value).slice(8, -1);
}

export const COLLATIONS = ["exact", "ignore_case", "subdivision", "url"] as const;
export const DIALECTS = ["sqlite", "duckdb", "postgresql", "clickhouse", "mariadb"] as const;
export const STORAGES = ["prepared", "native", "function"] as const;
export const FORMS = ["page", "count", "condition"] as const;
export const GRAMMARS = ["aip160", "odata", "rsql", "cql2", "scim", "postgrest", "cql2-json"] as const;
export const COLUMN_TYPES = [
  "text", "integer", "decimal", "time", "boolean", "json", "real", "date", "uuid", "choice", "records",
] as const;

/** The names of tests that a column of a condition allows. */
export const TESTS = [
  "any_of", "none_of", "all_of", "contains", "starts_with", "ends_with", "bounds", "is", "any", "matches", "is_null",
] as const;
export const NAME_STYLES = ["brackets", "underscores", "dots", "words"] as const;
export const LIST_FORMS = ["commas", "repeated"] as const;
export const EXCLUSIONS = ["dash", "never", "always"] as const;
export const SORT_FORMS = ["dash", "space", "colon", "dot"] as const;
export const SEARCH_FORMS = ["any", "all", "phrase"] as const;
