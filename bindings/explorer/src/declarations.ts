// SPDX-License-Identifier: MIT
// Parameters that a source declares, for defineParams() of the package.

import * as sluice from "@sluice/sluice";

/** A parameter: `type` is the package's function that creates it, the rest are its arguments. */
export interface Declaration {
  readonly type: "filter" | "texts" | "text" | "contains" | "startsWith" | "endsWith" | "isNull" | "choice"
    | "boolean" | "integer" | "decimal" | "real" | "date" | "time" | "uuid" | "metadata" | "search" | "window"
    | "sort" | "page" | "expression";
  readonly column?: string | sluice.Column;
  readonly name?: string;
  readonly prefix?: string;
  readonly default?: string | number;
  readonly operators?: readonly string[];
  readonly choices?: readonly string[];
  /** The columns that a sort accepts. */
  readonly by?: readonly string[];
  /** The columns of a search, or of a condition without other names. */
  readonly columns?: readonly string[];
  /** The grammar of a condition, and the names that clients use for columns. */
  readonly grammar?: sluice.Grammar;
  readonly aliases?: Readonly<Record<string, string>>;
}

export type Declarations = Readonly<Record<string, Declaration>>;

/** The name of a declaration's column. */
export function columnName(property: string, { column = property }: Declaration): string {
  return typeof column === "string" ? column : column.name;
}

/** Completes declarations by the columns of a schema that are lists, nullable, UUIDs or choices. */
export function withSchema(declarations: Declarations, schema: readonly sluice.Column[]): Declarations {
  const isSpecial = ({ type, isList, isNullable }: sluice.Column) =>
    isList || isNullable || type === "uuid" || type === "choice";
  const special = schema.filter(isSpecial);
  const known = new Map(special.map((column) => [column.name, column]));
  const completeColumn = ([name, declaration]: [string, Declaration]): [string, Declaration] => {
    const column = known.get(columnName(name, declaration));
    const hasColumn = !["search", "window", "sort", "page", "expression"].includes(declaration.type);
    return [name, column && hasColumn ? { ...declaration, column } : declaration];
  };
  return Object.fromEntries(Object.entries(declarations).map(completeColumn));
}

/** Creates the endpoint of declarations. */
export function declare(declarations: Declarations, key = "id"): sluice.Endpoint<object> {
  const entries = Object.entries(declarations);
  const parameters = entries.map(([name, declaration]) => [name, parameterOf(declaration)] as const);
  return sluice.defineParams(Object.fromEntries(parameters), { key });
}

/** The declarations of a program: without the conditions in grammars that its query lacks. */
export function usedDeclarations(declarations: Declarations, names: ReadonlySet<string>): readonly [string, Declaration][] {
  return Object.entries(declarations).filter(([name, { type }]) => type !== "expression" || names.has(name));
}

function parameterOf({ type, choices = [], by = [], columns = [], ...others }: Declaration): sluice.Parameter<unknown> {
  const { grammar, ...options } = others;
  if (type === "expression") return sluice.expression(grammar!, { ...options, columns } as object);
  if (type === "sort") return sluice.sort(by, options as Parameters<typeof sluice.sort>[1]);
  if (type === "choice") return sluice.choice(choices, options as object);
  if (type === "search") return sluice.search(...columns, options as object);
  const settings = type === "filter" ? { ...options, choices } : options;
  return (sluice[type] as (options: object) => sluice.Parameter<unknown>)(settings);
}
