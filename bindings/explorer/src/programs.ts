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

/** Names of databases, and the placeholder of a parameter by its number. */
const databases: Readonly<Record<Dialect, { name: string; placeholder(number: number): string }>> = {
  sqlite: { name: "SQLite", placeholder: (number) => `?${number}` },
  duckdb: { name: "DuckDB", placeholder: (number) => `$${number}` },
  postgresql: { name: "PostgreSQL", placeholder: (number) => `$${number}` },
  clickhouse: { name: "ClickHouse", placeholder: (number) => `p${number}` },
  mariadb: { name: "MariaDB", placeholder: () => "?" },
};

export const programs: readonly Program[] = [
  ...(Object.keys(databases) as Dialect[]).map(sql),
  { id: "polars", name: "polars", write: polarsProgram },
  { id: "pyarrow", name: "pyarrow", write: pyarrowProgram },
  { id: "curl", name: "curl", write: curlCommand },
  { id: "typescript", name: "TypeScript", write: typescriptProgram },
  { id: "python", name: "Python", write: pythonProgram },
  { id: "cpp", name: "C++", write: cppProgram },
];

/** The program of a dialect: its statement, and the parameters as comments. */
function sql(dialect: Dialect): Program {
  const { name, placeholder } = databases[dialect];
  const write = ({ query }: ProgramInput) => {
    const { text, parameters } = query.toSql(dialect, "rows");
    const values = Object.values<SqlValue>(parameters).map(
      (value, index) => `-- ${placeholder(index + 1)} = ${valueText(value)}`,
    );
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
  const lines = text.replace(/ (FROM (["`])rows\2) WHERE /, "\n$1\nWHERE ");
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
