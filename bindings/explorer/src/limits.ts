// SPDX-License-Identifier: MIT
// Ten requests at equal distances, a line for each algorithm: the decision on each request, and the
// headers of its answer.

import { type Algorithm, ALGORITHMS, decide, type Decision, type LimitState } from "@sluice/sluice";

import { button, byId, element } from "./dom.js";
import type { Panel } from "./panel.js";

const REQUESTS = 10;
const MAXIMUM = 1_000_000; // of each setting
const START = Date.UTC(2026, 0, 1); // the time of the first request, any

/** The settings: a limit per window, and the interval between requests in seconds. */
interface Scenario {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly interval: number;
}

/** The form of a scenario, and its lines. Independent of the query. */
export class LimitsPanel implements Panel {
  readonly #fields = {
    limit: field("Limit", 4, 1, 1),
    windowSeconds: field("Window in seconds", 60, 1, 1),
    interval: field("Seconds between requests", 10, 0, 0.5),
  };
  readonly #lines = element("ul", { id: "limit-lines" });
  readonly #headers = element("div", { id: "limit-headers", role: "status" });

  constructor() {
    const labels = Object.values(this.#fields).map(({ label }) => label);
    const form = element("form", { "aria-label": "Requests" }, ...labels);
    form.addEventListener("input", () => this.show());
    form.addEventListener("submit", (event) => event.preventDefault());
    byId("limits").append(element("h2", {}, "Ten requests"), form, this.#lines, this.#headers);
  }

  show(): void {
    const { limit, windowSeconds, interval } = this.#fields;
    const scenario = { limit: limit.value(), windowSeconds: windowSeconds.value(), interval: interval.value() };
    this.#lines.replaceChildren(...ALGORITHMS.map((algorithm) => this.#lineOf(algorithm, scenario)));
    this.#lines.querySelector("button")?.click();
  }

  #lineOf(algorithm: Algorithm, scenario: Scenario): HTMLElement {
    const dots = decisionsOf(algorithm, scenario).map((decision, index) => {
      const { allowed } = decision;
      const name = `Request ${index + 1} at ${index * scenario.interval} s: ${allowed ? "passes" : "is refused"}`;
      const dot = button(allowed ? "✓" : "✗", () => this.#showHeaders(dot, algorithm, index, decision), name);
      dot.className = allowed ? "passes" : "refused";
      return dot;
    });
    const passed = dots.filter((dot) => dot.classList.contains("passes")).length;
    const title = element("span", { class: "algorithm" }, `${algorithm.replace("_", " ")}: ${passed} pass`);
    return element("li", { "data-algorithm": algorithm }, title, element("span", { class: "dots" }, ...dots));
  }

  #showHeaders(dot: HTMLElement, algorithm: Algorithm, index: number, { allowed, headers }: Decision): void {
    const dots = this.#lines.querySelectorAll("button");
    for (const other of dots) other.setAttribute("aria-pressed", String(other === dot));
    const text = Object.entries(headers).map(([name, value]) => `${name}: ${value}`).join("\n");
    const title = `Request ${index + 1} under ${algorithm.replace("_", " ")}: ${allowed ? "200" : "429"}`;
    this.#headers.replaceChildren(element("p", {}, title), element("pre", {}, text));
  }
}

/** The decisions on all requests of a scenario, in order. */
function decisionsOf(algorithm: Algorithm, { limit, windowSeconds, interval }: Scenario): readonly Decision[] {
  let state: LimitState | null = null;
  return Array.from({ length: REQUESTS }, (_, index) => {
    const now = START + Math.round(index * interval * 1_000);
    const result: { decision: Decision; state: LimitState } =
      decide(state, { limit, windowSeconds, now, algorithm });
    state = result.state;
    return result.decision;
  });
}

/** A number input, and a function that reads it; invalid or small values count as the minimum. */
function field(name: string, value: number, min: number, step: number) {
  const input = element("input", { type: "number", value, min, step, max: MAXIMUM });
  const rounded = () => (step === 1 ? Math.round(input.valueAsNumber) : input.valueAsNumber);
  const read = () => Math.min(MAXIMUM, Math.max(min, rounded() || min));
  return { label: element("label", {}, `${name} `, input), value: read };
}
