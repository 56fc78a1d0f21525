// SPDX-License-Identifier: MIT
// Programs in TypeScript.

import type { Declared } from "./declared.js";
import type { Subject } from "./programs.js";
import { pairsOf } from "./query_pairs.js";

export function typescriptProgram(subject: Subject): string {
  return subject.description.kind === "events" ? fetching(subject) : declaring(subject);
}

function fetching({ query, description }: Subject): string {
  const pairs = pairsOf(query.toQueryString());
  const members = pairs.map(({ name, value }) => `  ${name}: ${JSON.stringify(value)},`);
  const service = description.request.url.replace(/\/events\/?$/, "");
  return [
    'import { fetchEvents } from "@sluice/sluice";',
    "",
    'const token = "…"; // your key',
    "const query = {",
    ...members,
    "} as const;",
    `for await (const event of fetchEvents(${JSON.stringify(service)}, query, { token })) {`,
    "  console.log(event.timestamp);",
    "}",
  ].join("\n");
}

function declaring({ query, description }: Subject): string {
  const declared = Object.entries(description.parameters ?? {});
  const functions = [...new Set(declared.map(([, { type }]) => type))].sort();
  return [
    `import { defineParams, ${functions.join(", ")}, load } from "@sluice/sluice";`,
    "",
    "await load();",
    "const rows = defineParams({",
    ...declared.map(([name, each]) => `  ${JSON.stringify(name)}: ${callOf(each)},`),
    description.key ? `}, { key: ${JSON.stringify(description.key)} });` : "});",
    `const query = rows.parse(${JSON.stringify(query.toQueryString())});`,
    'console.log(query.toSql("postgresql", "rows"));',
  ].join("\n");
}

function callOf({ type, by, choices, ...options }: Declared): string {
  const told = { ...options, ...(type === "filter" && choices && { choices }) };
  const first = type === "sort" ? [by ?? []] : type === "choice" ? [choices ?? []] : [];
  const given = Object.keys(told).length > 0 ? [...first, told] : first;
  return `${type}(${given.map((each) => JSON.stringify(each)).join(", ")})`;
}
