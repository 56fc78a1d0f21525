// SPDX-License-Identifier: MIT
// A view of the page.

import type { Asked } from "./asked.js";

export interface Panel {
  /** What shows the query, or its data; marked while that is another query's. */
  readonly place?: HTMLElement;
  /** Shows what the query alone tells, at once, valid or not. */
  show?(asked: Asked, part: string): void;
  /** Shows what takes data: of a valid query, while the view is the one that is seen. */
  load?(asked: Asked, signal: AbortSignal): Promise<void>;
}
