// SPDX-License-Identifier: MIT
// Programs in TypeScript: one that fetches events, or one that declares the endpoint.

import { type Declaration, usedDeclarations } from "./declarations.js";
import type { ProgramInput } from "./programs.js";
import { pairsOf } from "./query_pairs.js";

export function typescriptProgram(subject: ProgramInput): string {
  return subject.description.kind === "events" ? eventsProgram(subject) : tableProgram(subject);
}

function eventsProgram({ query, description }: ProgramInput): string {
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

function tableProgram({ query, description }: ProgramInput): string {
  const names = new Set(pairsOf(query.toQueryString()).map(({ name }) => name));
  const parameters = usedDeclarations(description.parameters ?? {}, names);
  const functions = [...new Set(parameters.map(([, { type }]) => type))].sort();
  return [
    `import { defineParams, ${functions.join(", ")}, load } from "@sluice/sluice";`,
    "",
    "await load();",
    "const rows = defineParams({",
    ...parameters.map(([name, parameter]) => `  ${JSON.stringify(name)}: ${callOf(parameter)},`),
    description.key ? `}, { key: ${JSON.stringify(description.key)} });` : "});",
    `const query = rows.parse(${JSON.stringify(query.toQueryString())});`,
    'console.log(query.toSql("postgresql", "rows"));',
  ].join("\n");
}

function callOf({ type, by, choices, columns = [], grammar, ...options }: Declaration): string {
  const isExpression = type === "expression";
  const settings = { ...options, ...(type === "filter" && choices && { choices }), ...(isExpression && { columns }) };
  const named = isExpression ? [grammar] : columns;
  const first = type === "sort" ? [by ?? []] : type === "choice" ? [choices ?? []] : named;
  const args = Object.keys(settings).length > 0 ? [...first, settings] : first;
  return `${type}(${args.map((argument) => JSON.stringify(argument)).join(", ")})`;
}
