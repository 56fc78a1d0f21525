// SPDX-License-Identifier: MIT
// A part of the page.

import type { ParseResult } from "./parse_result.js";

/**
 * A panel. For a new query the page calls show() at once and load() when typing pauses; both are
 * optional.
 */
export interface Panel {
  /** The element that shows the query or its data; marked as stale while it shows another query. */
  readonly container?: HTMLElement;
  /** Draws the query, valid or not. `part` is the part of the page's state; see state.ts. */
  show?(result: ParseResult, part: string): void;
  /** Loads and shows data of a valid query. Must not draw once the signal is aborted. */
  load?(result: ParseResult, signal: AbortSignal): Promise<void>;
}
