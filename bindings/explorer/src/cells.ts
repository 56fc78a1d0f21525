// SPDX-License-Identifier: MIT
// Values of rows' cells.

import type { Row } from "./source.js";
import { momentIn } from "./times.js";

/** The own member of an object; inherited ones are ignored. */
export function memberOf<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** The value at a dotted path of a row: `country` of `click`, or a key that contains the dot. */
export function cellAt(row: Row, path: string): unknown {
  if (Object.hasOwn(row, path)) return row[path];
  return path.split(".").reduce<unknown>((inner, name) => {
    return typeof inner === "object" && inner !== null ? memberOf(inner as Row, name) : undefined;
  }, row);
}

/** The displayed text of a cell. */
export function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

/** The displayed text of a time in a zone. */
export function timeText(cell: unknown, timezone: string): string {
  const moment = typeof cell === "string" ? Date.parse(cell) : NaN;
  return Number.isNaN(moment) ? cellText(cell) : momentIn(timezone, moment);
}
