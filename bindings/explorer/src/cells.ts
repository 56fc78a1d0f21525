// SPDX-License-Identifier: MIT
// Cells of rows.

import type { Row } from "./source.js";

/** What is at a dotted path of a row: `country` of `click`, or a key that has the dot. */
export function cellAt(row: Row, path: string): unknown {
  if (path in row) return row[path];
  return path.split(".").reduce<unknown>((inner, name) => {
    return typeof inner === "object" && inner !== null ? (inner as Row)[name] : undefined;
  }, row);
}

/** A cell for people. */
export function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}
