// SPDX-License-Identifier: MIT
// A part of the page.

import type { ParseResult } from "./parse_result.js";

export interface Panel {
  /** The element with the query or its data; marked while it shows another query. */
  readonly container?: HTMLElement;
  /** Draws the query immediately, valid or not; loaded data is added later. */
  show?(result: ParseResult, part: string): void;
  /** Loads and shows data of a valid query while the panel is visible. */
  load?(result: ParseResult, signal: AbortSignal): Promise<void>;
}
