// SPDX-License-Identifier: MIT
// The query as programs in other languages, one per tab.

import { byId, copyButton, element } from "./dom.js";
import type { Names } from "./names.js";
import type { Panel } from "./panel.js";
import type { ParseResult } from "./parse_result.js";
import { programs } from "./programs.js";
import type { Description } from "./source.js";
import type { PageState } from "./state.js";
import { markTab, startTabs } from "./tabs.js";

/** The tabs; the part of the state is the id of a program. */
export class CodePanel implements Panel {
  readonly container = byId("code");
  readonly #list = element("div", { role: "tablist", "aria-label": "Languages" });
  readonly #text = element("pre", { id: "program", role: "tabpanel", tabindex: 0 });

  constructor(
    private readonly description: Description,
    private readonly names: Names,
    state: PageState,
  ) {
    const tabs = programs.map(({ id, name }) =>
      element("button", { type: "button", role: "tab", id: `code-${id}`, "aria-controls": "program" }, name),
    );
    this.#list.append(...tabs);
    startTabs(this.#list, (index) => state.change({ view: "code", part: programs[index]!.id }));
    byId("code").append(this.#list, copyButton(() => this.#text.textContent ?? ""), this.#text);
  }

  show(result: ParseResult, part: string): void {
    const index = Math.max(0, programs.findIndex(({ id }) => id === part));
    markTab(this.#list, index);
    const { id, write } = programs[index]!;
    this.#text.setAttribute("aria-labelledby", `code-${id}`);
    if (!result.query) return;
    const { description, names } = this;
    this.#text.textContent = textOrReason(() => write({ query: result.query!, now: result.now, description, names }));
  }
}

/** The text of a program, or the reason why there is none. */
function textOrReason(write: () => string): string {
  try {
    return write();
  } catch (error) {
    return `There is no such program: ${error instanceof Error ? error.message : String(error)}`;
  }
}
