// SPDX-License-Identifier: MIT
// Programs in Python: the endpoint, polars, pyarrow.

import type { Column } from "@sluice/sluice";

import { type Declaration, usedDeclarations } from "./declarations.js";
import { columnsOf, type Leaf, leavesOf } from "./leaves.js";
import type { ProgramInput } from "./programs.js";
import { pairsOf } from "./query_pairs.js";

/** Names that attributes can't have: members of queries, names of the programs, keywords. */
const RESERVED = new Set(
  ("columns cursor_beside errors from_tree json_schema mask matches openapi_parameters parse schema to_django "
    + "to_polars to_pyarrow to_query_string to_sql tree where sluice pl ds pa sqlite3 "
    + "False None True and as assert async await break class continue def del elif else except finally for from "
    + "global if import in is lambda nonlocal not or pass raise return try while with yield").split(" "),
);

export function pythonProgram(subject: ProgramInput): string {
  if (subject.description.kind === "events") {
    return [
      "import json",
      "",
      "import sluice",
      "",
      'store = sluice.EventStore.load("DIR")',
      ...queryLines(subject),
      "print(store.count(query))",
      "for event in json.loads(store.page(query)):",
      '    print(event["timestamp"])',
    ].join("\n");
  }
  return [
    "import sqlite3",
    "",
    "import sluice",
    "",
    ...queryLines(subject),
    'database = sqlite3.connect("rows.db")',
    'statement = query.to_sql("sqlite", "rows")',
    "for row in database.execute(statement.text, statement.parameters):",
    "    print(row)",
  ].join("\n");
}

export function polarsProgram(subject: ProgramInput): string {
  const columns = structColumns(subject);
  return [
    "import polars as pl",
    "import sluice",
    "",
    ...queryLines(subject),
    'rows = pl.scan_parquet("rows.parquet")',
    `print(rows.filter(query.to_polars(${columns && `columns=${columns}`})).collect())`,
  ].join("\n");
}

/** A program that filters by an expression, or by a mask if JSON and lists are involved. */
export function pyarrowProgram(subject: ProgramInput): string {
  const columns = structColumns(subject);
  const isMask = leavesOf(subject.query).some(isForMask);
  const filter = `filter=query.to_pyarrow(${columns && `columns=${columns}, `}schema=dataset.schema)`;
  const mask = "sluice.ListQuery.from_tree(query.tree(), query.schema).mask(dataset)";
  return [
    ...(isMask ? ["import pyarrow as pa"] : []),
    "import pyarrow.dataset as ds",
    "import sluice",
    "",
    ...queryLines(subject),
    'dataset = ds.dataset("rows.parquet")',
    isMask ? `print(dataset.to_table().filter(pa.array(${mask})))` : `print(dataset.to_table(${filter}))`,
  ].join("\n");
}

/** The columns of events that hold lists, which expressions of pyarrow can't compare. */
const LIST_COLUMNS = new Set(["link.tagIds", "link.partnerTagIds", "customer.id"]);

/** Returns true for conditions that have no expression in pyarrow. */
function isForMask(leaf: Leaf): boolean {
  return "matches" in leaf || LIST_COLUMNS.has(leaf.column);
}

/** The argument `columns` for names with dots, which are fields of structs; empty without any. */
function structColumns({ query, description }: ProgramInput): string {
  const dotted = description.kind === "events" ? columnsOf(query).filter((column) => column.includes(".")) : [];
  const members = dotted.map((column) => `${literal(column)}: ${tuple(column.split("."))}`);
  return dotted.length > 0 ? `{${members.join(", ")}}` : "";
}

/** The lines that define `query`. */
function queryLines({ query, description }: ProgramInput): readonly string[] {
  const text = JSON.stringify(query.toQueryString());
  if (description.kind === "events") return [`query = sluice.EventsQuery.parse(${text})`];
  const names = new Set(pairsOf(query.toQueryString()).map(({ name }) => name));
  const parameters = usedDeclarations(description.parameters ?? {}, names);
  const attributes = parameters.map(([name, parameter]) => attributeOf(name, parameter));
  const key = description.key ? `, key=${literal(description.key)}` : "";
  return [`class Rows(sluice.ListQuery${key}):`, ...attributes, "", "", `query = Rows.parse(${text})`];
}

/** The line of a class that declares a parameter, under a valid name. */
function attributeOf(property: string, parameter: Declaration): string {
  const { type, by = [], choices = [], columns = [], operators, grammar, aliases, ...options } = parameter;
  const identifier = property.replace(/\W/g, "_").replace(/^(?=\d)/, "_");
  const attribute = RESERVED.has(identifier) ? `${identifier}_` : identifier;
  const keywords: Record<string, unknown> = { ...options };
  if (attribute !== property && !["window", "page"].includes(type)) keywords["name"] ??= property;
  const hasColumn = !["sort", "page", "search", "expression"].includes(type);
  if (attribute !== property && hasColumn) keywords["column"] ??= property;
  const named = [...by, ...(grammar ? [grammar] : columns)];
  const positional = type === "choice" ? [tuple(choices)] : named.map(literal);
  const keywordArguments = Object.entries(keywords).map(([name, value]) => `${name}=${literal(value)}`);
  if (type === "filter" && choices.length > 0) keywordArguments.push(`choices=${tuple(choices)}`);
  if (grammar) keywordArguments.push(`columns=${tuple(columns)}`, `aliases=${JSON.stringify(aliases ?? {})}`);
  if (operators) keywordArguments.push(`operators=${tuple(operators)}`);
  const called = type.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`); // startsWith: starts_with
  return `    ${attribute} = sluice.${called}(${[...positional, ...keywordArguments].join(", ")})`;
}

function tuple(texts: readonly string[]): string {
  return `(${texts.map(literal).join(", ")}${texts.length === 1 ? "," : ""})`;
}

/** The Python literal of a text, number, boolean or column. */
function literal(value: unknown): string {
  if (typeof value === "object" && value !== null) return columnText(value as Column);
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}

function columnText({ name, type = "text", isList = false, isNullable = false, choices = [] }: Column): string {
  const flags = [
    isList && "is_list=True",
    isNullable && "is_nullable=True",
    choices.length > 0 && `choices=${tuple(choices)}`,
  ].filter((flag) => flag !== false);
  return `sluice.Column(${[literal(name), literal(type), ...flags].join(", ")})`;
}
