// SPDX-License-Identifier: MIT
// A view of the page.

import type { Asked } from "./asked.js";

export interface Panel {
  /** What shows the query, or its data; marked while that is another query's. */
  readonly place?: HTMLElement;
  /** Draws the query at once, valid or not; data that are loaded only add to it. */
  show?(asked: Asked, part: string): void;
  /** Shows what takes data: of a valid query, while the view is the one that is seen. */
  load?(asked: Asked, signal: AbortSignal): Promise<void>;
}
