// SPDX-License-Identifier: MIT
// Programs in C++.

import { columnName, type Declared } from "./declared.js";
import { leavesOf } from "./leaves.js";
import type { Subject } from "./programs.js";

export function cppProgram(subject: Subject): string {
  return subject.description.kind === "events" ? events(subject) : declared(subject);
}

function events({ query }: Subject): string {
  return [
    "#include <chrono>",
    "#include <iostream>",
    "",
    "#include <sluice/reference/events/events_query.hpp>",
    "#include <sluice/sluice.hpp>",
    "#include <sluice/time/system_zones.hpp>",
    "",
    "int main() {",
    "    const auto zones = sluice::load_time_zones();",
    "    if (!zones) return 1;",
    "    const auto now =",
    "        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());",
    `    const auto given = sluice::parse_query_string(${JSON.stringify(query.toQueryString())});`,
    "    const auto query =",
    "        sluice::reference::parse_events_query(given.pairs(), {.zones = &*zones}, now);",
    "    if (!query) return std::cout << sluice::message(query.error()) << '\\n', 1;",
    "    std::cout << sluice::to_json(sluice::to_list_query(sluice::reference::events_params, *query)) << '\\n';",
    "}",
  ].join("\n");
}

const TYPES: Partial<Record<Declared["type"], string>> = {
  integer: "integer", decimal: "decimal", time: "time", window: "time", boolean: "boolean", metadata: "json",
};

/** A program that parses the query's tree with the columns that it uses. */
function declared(subject: Subject): string {
  const tree = subject.query.tree();
  return [
    "#include <iostream>",
    "",
    "#include <sluice/sluice.hpp>",
    "#include <sluice/query/json_reader.hpp>",
    "",
    "constexpr sluice::schema columns{",
    `    ${columnsOf(subject).join(",\n    ")}};`,
    "",
    "int main() {",
    "    const auto query = sluice::parse_list_query(",
    `        R"tree(${JSON.stringify(tree)})tree",`,
    "        columns);",
    "    if (!query) return std::cout << sluice::store::message(query.error()) << '\\n', 1;",
    "    std::cout << sluice::to_json(*query) << '\\n';",
    "}",
  ].join("\n");
}

/** The columns of the query, from its parameters and conditions. */
function columnsOf({ query, description }: Subject): readonly string[] {
  const parameters = Object.entries(description.parameters ?? {});
  const declared = new Map(parameters.map(([name, each]) => [columnName(name, each), each]));
  const collations = new Map(leavesOf(query).map((leaf) => [leaf.column, leaf.collation]));
  const sorted = query.tree().order.map(({ column }) => column);
  const names = [...new Set(["id", ...collations.keys(), ...sorted])];
  return names.map((name) => columnText(name, declared.get(name), collations.get(name)));
}

function columnText(name: string, declared?: Declared, collation?: string): string {
  const type = declared && TYPES[declared.type];
  const { isList, isNullable } = typeof declared?.column === "object" ? declared.column : {};
  const told = [`.name = ${JSON.stringify(name)}`];
  if (type) told.push(`.type = sluice::column_type::${type}`);
  if (isList) told.push(".is_list = true");
  if (isNullable) told.push(".is_nullable = true");
  if (collation) told.push(`.how = sluice::collation::${collation}`);
  return `sluice::column{${told.join(", ")}}`;
}
