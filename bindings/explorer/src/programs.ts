// SPDX-License-Identifier: MIT
// The query as SQL and as a command line; other files have further languages.

import type { Dialect, ListQuery, SqlValue } from "@sluice/sluice";

import type { Names } from "./names.js";
import { cppProgram } from "./program_cpp.js";
import { polarsProgram, pyarrowProgram, pythonProgram } from "./program_python.js";
import { typescriptProgram } from "./program_typescript.js";
import type { Description } from "./source.js";

/** The input of a program. */
export interface ProgramInput {
  readonly query: ListQuery<object>;
  readonly now: number;
  readonly description: Description;
  readonly names: Names;
}

/** A language and its program writer. */
interface Program {
  readonly id: string;
  readonly name: string;
  write(subject: ProgramInput): string;
}

export const programs: readonly Program[] = [
  sql("sqlite", "SQLite"),
  sql("duckdb", "DuckDB"),
  sql("postgresql", "PostgreSQL"),
  sql("clickhouse", "ClickHouse"),
  { id: "polars", name: "polars", write: polarsProgram },
  { id: "pyarrow", name: "pyarrow", write: pyarrowProgram },
  { id: "curl", name: "curl", write: curlCommand },
  { id: "typescript", name: "TypeScript", write: typescriptProgram },
  { id: "python", name: "Python", write: pythonProgram },
  { id: "cpp", name: "C++", write: cppProgram },
];

/** The program of a dialect: its statement, and the parameters as comments. */
function sql(dialect: Dialect, name: string): Program {
  const write = ({ query }: ProgramInput) => {
    const { text, parameters } = query.toSql(dialect, "rows");
    const entries = Array.isArray(parameters)
      ? parameters.map((value, index) => [`${dialect === "sqlite" ? "?" : "$"}${index + 1}`, value] as const)
      : Object.entries(parameters as Readonly<Record<string, SqlValue>>);
    const values = entries.map(([parameter, value]) => `-- ${parameter} = ${valueText(value)}`);
    return [withLineBreaks(text), ...values].join("\n");
  };
  return { id: dialect, name, write };
}

/** The JSON of a parameter's value, with numbers of any length. */
function valueText(value: SqlValue): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? `${member}` : member));
}

/** A statement with each clause on its own line. */
function withLineBreaks(text: string): string {
  const lines = text.replace(' FROM "rows"', '\nFROM "rows"').replace('"rows" WHERE ', '"rows"\nWHERE ');
  return [" ORDER BY ", " LIMIT "].reduce((all, clause) => {
    const position = all.lastIndexOf(clause);
    return position < 0 ? all : `${all.slice(0, position)}\n${all.slice(position + 1)}`;
  }, lines);
}

/** The command that sends the request, with the key in the variable TOKEN. */
function curlCommand({ query, description: { request } }: ProgramInput): string {
  const token = request.token ? ` \\\n  --header "Authorization: Bearer $TOKEN"` : "";
  return `curl '${request.url}?${query.toQueryString().replaceAll("'", "%27")}'${token}`;
}
