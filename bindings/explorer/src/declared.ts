// SPDX-License-Identifier: MIT
// Parameters that a source declares, for defineParams() of the package.

import * as sluice from "@sluice/sluice";

/** A parameter: the package's function that creates it, and its arguments. */
export interface Declared {
  readonly type: "filter" | "texts" | "text" | "choice" | "boolean" | "integer" | "decimal" | "time"
    | "uuid" | "metadata" | "search" | "window" | "sort" | "page";
  readonly column?: string | sluice.Column;
  readonly name?: string;
  readonly prefix?: string;
  readonly default?: string | number;
  readonly operators?: readonly string[];
  readonly choices?: readonly string[];
  /** The columns that a sort accepts. */
  readonly by?: readonly string[];
}

export type Declarations = Readonly<Record<string, Declared>>;

/** The name of a declaration's column. */
export function columnName(property: string, { column = property }: Declared): string {
  return typeof column === "string" ? column : column.name;
}

/** The declarations completed by a schema, which says which columns are lists and nullable. */
export function withSchema(declared: Declarations, schema: readonly sluice.Column[]): Declarations {
  const special = schema.filter((each) => each.isList || each.isNullable);
  const known = new Map(special.map((each) => [each.name, each]));
  const whole = ([name, each]: [string, Declared]): [string, Declared] => {
    const column = known.get(columnName(name, each));
    return [name, column && !["search", "window", "sort", "page"].includes(each.type) ? { ...each, column } : each];
  };
  return Object.fromEntries(Object.entries(declared).map(whole));
}

/** Creates the endpoint of declarations. */
export function declare(declared: Declarations, key = "id"): sluice.Endpoint<object> {
  const made = Object.entries(declared).map(([name, each]) => [name, parameterOf(each)] as const);
  return sluice.defineParams(Object.fromEntries(made), { key });
}

function parameterOf({ type, choices = [], by = [], ...options }: Declared): sluice.Parameter<unknown> {
  if (type === "sort") return sluice.sort(by, options as Parameters<typeof sluice.sort>[1]);
  if (type === "choice") return sluice.choice(choices, options as object);
  const given = type === "filter" ? { ...options, choices } : options;
  return (sluice[type] as (given: object) => sluice.Parameter<unknown>)(given);
}
