// SPDX-License-Identifier: MIT
// Custom endpoints.

import {
  checkChoice, checkFlag, checkFunction, checkList, checkOptions, checkTexts, COLLATIONS, COLUMN_TYPES, describe, isPlain, memberOf,
  NAME_STYLES,
} from "./checks.js";
import type { ApiError, ErrorMembers } from "./errors.js";
import { call, type Field, type Refusal } from "./module.js";
import { requestedGroups } from "./groups.js";
import { endpointOf, type Endpoint, ListQuery, type QueryTree, type RequestOptions } from "./list_query.js";
import { type Column, completeColumn, type Conversion, type Declaration, fieldsOf, type NameStyle, Parameter, type Parameters } from "./params.js";
import type { MemberNames, ParseOptions, QueryText } from "./query_text.js";
import { jsonOfTree } from "./rows.js";
import { WasmObject } from "./wasm_object.js";

/** The values of parameters, by name. */
export type Values<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never;
};

export interface TableOptions {
  /** The column with unique values, which ends the order of every list; `id` by default. */
  readonly key?: string | Column;
  /** Columns without a parameter. */
  readonly columns?: readonly Column[];
  /** The style of operators in names; `brackets` by default. */
  readonly names?: NameStyle;
  /** True if parameters with an empty value count as absent, as those of forms do. */
  readonly ignoreEmpty?: boolean;
}

/** Options of an endpoint whose requests have these values. */
export interface EndpointOptions<Values> extends TableOptions {
  /**
   * Checks of several parameters together, of requests without other errors. A check throws the error of
   * a Rule, which refuses the request; whatever else it throws passes.
   */
  readonly checks?: readonly ((values: Values) => void)[];
}

/** The values of a query without parameters. */
export type NoValues = Readonly<Record<string, never>>;

/** The answer of table_make; see native/tables.cpp. */
interface Table {
  readonly handle: number;
  readonly parameters: readonly string[];
  readonly names: readonly MemberNames[];
  readonly openapi: readonly object[];
}

/** The result of StandardSchema.validate(): a value, or what is wrong. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly string[] }[] };

/** A validator in the form of standardschema.dev: of query strings and what converts to them. */
export interface StandardSchema<Output> {
  readonly version: 1;
  readonly vendor: "sluice";
  validate(value: unknown): StandardResult<Output>;
  /** For types alone; there is no value. */
  readonly types?: { readonly input: QueryText; readonly output: Output };
}

/** The functions that requests of a table are read with. */
type Requests<P extends Parameters> = Pick<RequestOptions<Values<P>>, "toValues" | "readers" | "checks" | "groups">;

/** A custom endpoint. Created by defineParams(). */
export class ParameterTable<P extends Parameters> extends WasmObject implements Endpoint<Values<P>> {
  /** The names of all parameters in query strings, in order. */
  readonly parameters: readonly string[];
  /** The `parameters` of an OpenAPI 3.1 operation. */
  readonly openapiParameters: readonly object[];
  readonly parse: Endpoint<Values<P>>["parse"];
  readonly errors: Endpoint<Values<P>>["errors"];
  /** The interface of Standard Schema 1, by which forms and routers validate. */
  readonly "~standard": StandardSchema<Values<P>>;
  readonly #read: (query: QueryText) => ListQuery<Values<P>> | Refusal;
  /** The properties of the endpoint, by the names of their parameters. */
  readonly #properties: ReadonlyMap<string, string>;

  /** @internal */
  constructor(table: Table, properties: readonly string[], requests: Requests<P>) {
    super();
    this.hold(table.handle);
    this.parameters = Object.freeze(table.parameters);
    this.openapiParameters = table.openapi;
    const tableFields = () => [this.handle(() => 0)];
    const endpoint = endpointOf({ name: "table_parse", tableFields, isStrict: true, ...requests });
    this.parse = endpoint.parse;
    this.errors = endpoint.errors;
    this.#read = endpoint.read;
    this["~standard"] = { version: 1, vendor: "sluice", validate: (value) => this.#validate(value) };
    this.#properties = new Map(
      table.names.flatMap((names, at) => Object.values(names).map((name) => [name, properties[at]!] as const)),
    );
  }

  /**
   * The errors of a request by the properties of the endpoint, for the fields of a form. That of an
   * unknown parameter has its name.
   */
  fieldErrors(query: QueryText, options?: ParseOptions): Readonly<Record<string, readonly ApiError[]>> {
    const fields = new Map<string, ApiError[]>();
    for (const error of this.errors(query, options)) {
      const name = this.#fieldOf(error);
      fields.set(name, [...(fields.get(name) ?? []), error]);
    }
    return Object.fromEntries(fields);
  }

  #fieldOf({ param, text }: ApiError | ErrorMembers): string {
    return this.#properties.get(param ?? "") ?? param ?? text ?? "";
  }

  #validate(value: unknown): StandardResult<Values<P>> {
    try {
      const result = this.#read(value as QueryText);
      if (result instanceof ListQuery) return { value: result.values };
      return { issues: result.errors.map((error) => ({ message: error.message, path: [this.#fieldOf(error)] })) };
    } catch (mistake) {
      if (mistake instanceof TypeError) return { issues: [{ message: mistake.message }] };
      throw mistake;
    }
  }

  /**
   * Creates a query from the result of tree(), here or in another language. It has no values, and
   * missing members are those of an empty query.
   *
   * @param tree The tree, or its JSON, which keeps numbers beyond 2^53.
   * @throws ApiError if it is malformed, or uses a column that the endpoint lacks; the message has
   *   the path to the member.
   */
  fromTree(tree: Partial<QueryTree> | string): ListQuery<NoValues> {
    const json = typeof tree === "string" ? tree : jsonOfTree(tree, "an object or its JSON");
    return new ListQuery<NoValues>({}, call<number>("table_from_tree", this.handle(() => 0), json));
  }
}

/**
 * Declares an endpoint: each property is a parameter, or a group of related ones.
 *
 * ```
 * const orders = defineParams({
 *   status: filter({ choices: ["open", "paid", "void"] }),
 *   total: decimal({ operators: [">=", "<="] }), // total[gte], total[lte]
 *   page: page({ default: 100, maximum: 1000 }),
 * });
 * const query = orders.parse("status=open,paid&total[gte]=10");
 * ```
 * @throws TypeError for invalid declarations; the message names the parameter or column.
 */
export function defineParams<const P extends Parameters>(
  params: P,
  options: EndpointOptions<Values<P>> = {},
): ParameterTable<P> {
  checkParameters(params);
  checkOptions("defineParams", options, ["key", "columns", "names", "ignoreEmpty", "checks"]);
  const { key = "id", names = "brackets", ignoreEmpty = false } = options;
  const columns = checkList("defineParams: columns", options.columns ?? []).map(completeColumn);
  const checks = checkList("defineParams: checks", options.checks ?? []);
  for (const check of checks) checkFunction("defineParams: checks", check);
  checkChoice("defineParams: names", names, NAME_STYLES);
  const keyColumn = completeColumn(typeof key === "string" ? { name: key } : key);
  const entries = Object.entries(params);
  const others = { ...parametersOf(columns), ...params };
  const declarations = entries.map(([name, parameter]) => parameter.declarations(name, others));
  const groups = requestedGroups(others);
  const known = [...entries.flatMap(([name, parameter]) => parameter.columns(name)), ...columns];
  const searched = declarations.flat().flatMap(({ searched = [] }) => searched);
  const isUnknown = (name: string) => name !== keyColumn.name && known.every((column) => column.name !== name);
  const texts = searched.filter(isUnknown).map((name) => completeColumn({ name }));
  const schema = mergeColumns([...known, ...texts], keyColumn);
  const rows = declarations.flat().map((declaration) => offering(declaration, schema));
  const readers = rows.flatMap(({ reader }) => reader ?? []);
  const table = call<Table>(
    "table_make",
    keyColumn.name,
    !checkFlag("defineParams: ignoreEmpty", ignoreEmpty),
    ...columnsFields(schema),
    rows.length,
    ...rows.flatMap((row) => fieldsOf(row, names, readers)),
  );
  const properties = entries.flatMap(([name], at) => declarations[at]!.map(() => name));
  let end = 0;
  const conversions = entries.map(([name, parameter], index) => {
    const at = end;
    end += declarations[index]!.length;
    return { name, at, convert: parameter.conversion(table.names.slice(at, end)) };
  });
  return new ParameterTable(table, properties, { toValues: toValues<P>(conversions), readers, checks: [...groups.checks, ...checks], groups });
}

/** Columns of the endpoint as parameters that no request has, which groups and orders may name. */
function parametersOf(columns: readonly Required<Column>[]): Parameters {
  const parameterOf = (column: Required<Column>) => new Parameter<null>(() => [column], () => [], () => () => null);
  return Object.fromEntries(columns.map((column) => [column.name, parameterOf(column)]));
}

/** The declaration with names for all columns, if it offers them; throws a TypeError for tests of none. */
function offering(declaration: Declaration, schema: readonly Required<Column>[]): Declaration {
  const { named = [], offersAll = false, tests = {} } = declaration;
  const isNew = ({ name }: Column) => offersAll && named.every(({ column }) => column !== name);
  const others = schema.filter(isNew).map(({ name }) => ({ name, column: name, tests: memberOf(tests, name) ?? [] }));
  const all = [...named, ...others];
  const unknown = Object.keys(tests).find((test) => all.every(({ name }) => name !== test));
  if (unknown === undefined) return { ...declaration, named: all };
  const expected = all.map(({ name }) => name).join(", ");
  throw new TypeError(`${declaration.name}: tests: no column ${describe(unknown)}, expected ${expected}`);
}

/** Throws a TypeError unless the argument is a plain object of parameters. */
function checkParameters(params: unknown): void {
  if (!isPlain(params)) throw new TypeError(`params: expected an object of parameters, not ${describe(params)}`);
  for (const [name, value] of Object.entries(params)) {
    if (value instanceof Parameter) continue;
    throw new TypeError(`${name}: expected a parameter such as filter(), not ${describe(value)}`);
  }
}

/** The fields of columns, in the order of native/tables.cpp; null ends them. */
function columnsFields(columns: readonly Required<Column>[]): readonly Field[] {
  return [...columns.flatMap(columnFields), null];
}

function columnFields({ name, type, isList, isNullable, collation, choices, columns }: Required<Column>): readonly Field[] {
  checkChoice(`${name}: type`, type, COLUMN_TYPES);
  checkChoice(`${name}: collation`, collation, COLLATIONS);
  const texts = checkTexts(`${name}: choices`, choices);
  const records = columnsFields(checkList(`${name}: columns`, columns).map(completeColumn));
  const flags = [checkFlag(`${name}: isList`, isList), checkFlag(`${name}: isNullable`, isNullable)] as const;
  return [name, type, ...flags, collation, ...texts, null, ...records];
}

/** The columns without duplicates, including the unique one. */
function mergeColumns(columns: readonly Required<Column>[], key: Required<Column>): Required<Column>[] {
  const byName = new Map<string, Required<Column>>();
  for (const column of columns) {
    const known = byName.get(column.name) ?? column;
    if (columnFields(known).join() !== columnFields(column).join()) {
      throw new TypeError(`${column.name}: two parameters say different things of this column`);
    }
    byName.set(column.name, known);
  }
  return byName.has(key.name) ? [...byName.values()] : [key, ...byName.values()];
}

/** Returns the function that converts the values of declarations to those of parameters. */
function toValues<P extends Parameters>(
  conversions: readonly { readonly name: string; readonly at: number; readonly convert: Conversion<unknown> }[],
) {
  return (values: unknown) => {
    const members: Record<string, unknown> = {}; // a copy of a literal would be slower to freeze
    for (const { name, at, convert } of conversions) {
      const value = convert(values as unknown[], at);
      if (name === "__proto__") Object.defineProperty(members, name, { value, enumerable: true });
      else members[name] = value;
    }
    return members as Values<P>;
  };
}
