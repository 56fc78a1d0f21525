// SPDX-License-Identifier: MIT
// Programs in C++: one that parses the request for events, or one that parses the query's tree.

import type { Column } from "@sluice/sluice";

import { columnName, type Declaration } from "./declarations.js";
import { leavesOf } from "./leaves.js";
import type { ProgramInput } from "./programs.js";

export function cppProgram(subject: ProgramInput): string {
  return subject.description.kind === "events" ? eventsProgram(subject) : tableProgram(subject);
}

function eventsProgram({ query }: ProgramInput): string {
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
    `    const auto request = sluice::parse_query_string(${JSON.stringify(query.toQueryString())});`,
    "    const auto query =",
    "        sluice::reference::parse_events_query(request.pairs(), {.zones = &*zones}, now);",
    "    if (!query) return std::cout << sluice::message(query.error()) << '\\n', 1;",
    "    std::cout << sluice::to_json(sluice::to_list_query(sluice::reference::events_params, *query)) << '\\n';",
    "}",
  ].join("\n");
}

/** The column types of parameters; others are text. */
const TYPES: Partial<Record<Declaration["type"], string>> = {
  integer: "integer", decimal: "decimal", time: "time", window: "time", boolean: "boolean", metadata: "json",
  real: "real", date: "date",
};

/** A program that parses the query's tree with the columns that it uses. */
function tableProgram(subject: ProgramInput): string {
  const tree = subject.query.tree();
  return [
    "#include <iostream>",
    "",
    "#include <sluice/sluice.hpp>",
    "#include <sluice/query/json_reader.hpp>",
    "",
    ...choicesOf(subject),
    "constexpr sluice::schema columns{",
    `    ${columnsOf(subject).join(",\n    ")}};`,
    "",
    "int main() {",
    "    const auto query = sluice::parse_list_query(",
    `        R"tree(${JSON.stringify(tree)})tree",`,
    "        columns);",
    "    if (!query) return std::cout << sluice::message(query.error()) << '\\n', 1;",
    "    std::cout << sluice::to_json(*query) << '\\n';",
    "}",
  ].join("\n");
}

/** The arrays of the columns of choices. */
function choicesOf({ description }: ProgramInput): readonly string[] {
  return Object.values(description.parameters ?? {}).flatMap(({ column }) => {
    if (typeof column !== "object" || !column.choices?.length) return [];
    const texts = column.choices.map((choice) => JSON.stringify(choice));
    const type = `std::array<std::string_view, ${texts.length}>`;
    return [`constexpr ${type} ${choicesName(column.name)}{${texts.join(", ")}};`];
  });
}

function choicesName(column: string): string {
  return `choices_of_${column.replace(/\W/g, "_")}`;
}

/** The columns of the query, from its parameters and conditions. */
function columnsOf({ query, description }: ProgramInput): readonly string[] {
  const parameters = Object.entries(description.parameters ?? {});
  const byColumn = new Map(parameters.map(([name, parameter]) => [columnName(name, parameter), parameter]));
  const collations = new Map(leavesOf(query).map((leaf) => [leaf.column, leaf.collation]));
  const sorted = query.tree().order.map(({ column }) => column);
  const names = [...new Set(["id", ...collations.keys(), ...sorted])];
  return names.map((name) => columnText(name, byColumn.get(name), collations.get(name)));
}

function columnText(name: string, parameter?: Declaration, collation?: string): string {
  const of: Partial<Column> = typeof parameter?.column === "object" ? parameter.column : {};
  const { type = parameter && TYPES[parameter.type], isList, isNullable, choices = [] } = of;
  const members = [`.name = ${JSON.stringify(name)}`];
  if (type && type !== "text") members.push(`.type = sluice::column_type::${type}`);
  if (isList) members.push(".is_list = true");
  if (isNullable) members.push(".is_nullable = true");
  if (collation) members.push(`.how = sluice::collation::${collation}`);
  if (choices.length > 0) members.push(`.choices = ${choicesName(name)}`);
  return `sluice::column{${members.join(", ")}}`;
}
