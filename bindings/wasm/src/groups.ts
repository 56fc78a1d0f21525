// SPDX-License-Identifier: MIT
// The parameters of aggregates: groups, measures, facets.

import type { AggregateTree, Bucket, GroupTree, Measure, MeasureTree } from "./aggregates.js";
import { checkChoice, checkList, checkOptions, checkTexts, checkWhole, describe, isPlain } from "./checks.js";
import { ApiError } from "./errors.js";
import type { RequestedGroups } from "./list_query.js";
import { type Column, completeColumn, type Declaration, Parameter, type Parameters, type SortKey } from "./params.js";
import { isWindow, keepNames, keepText } from "./query_text.js";

const BUCKETS = ["hour", "day", "week", "month", "quarter", "year"] as const;
const KINDS = ["sum", "min", "max", "average", "count_distinct", "approx_count_distinct"] as const;
const LIMIT = 10_000;
/** The declarations of an order and of a number of groups, but for their names. */
const ORDER = { kind: "names", help: "groups and measures to order by" };
const NUMBER = { kind: "integer", minimum: 1, maximum: LIMIT, help: "the number of groups" };

/** A column, or the name of a parameter, which stands for its column, or of a column of the endpoint. */
type By = string | Column;
type NameOf<Of> = Of extends { readonly name: infer Name extends string } ? Name : Of extends string ? Of : never;
type GroupName<Of extends By> = NameOf<Of> | `${NameOf<Of>}.${Bucket}`;

/** The groups of a request, their order and number. */
export interface GroupRequest<Name extends string = string> {
  readonly by: readonly Name[];
  /** Groups and measures. */
  readonly order: readonly SortKey[];
  readonly limit: number;
}

interface NamesOptions {
  /** The name in query strings; by default that of the property. */
  readonly name?: string;
  /** The names in requests without any. */
  readonly default?: string | readonly string[];
  /** One line of help. */
  readonly help?: string;
}

/** A parameter of names; `Item` is what they stand for. */
abstract class NamesParameter<T, Item> extends Parameter<T> {
  constructor(
    readonly by: readonly By[],
    declarations: (name: string, others: Parameters) => readonly Declaration[],
    conversion: Parameter<T>["conversion"],
  ) {
    const columns = by.filter((item) => typeof item !== "string").map(completeColumn);
    super(() => columns, declarations, conversion);
  }
  /** The parts of trees that names of requests stand for. */
  abstract choices(others: Parameters): Readonly<Record<string, Item>>;
}

const nameOf = (by: By) => (typeof by === "string" ? by : by.name);

/** The column of a parameter of the endpoint, or a column of the endpoint. */
function columnOf(by: By, others: Parameters): Required<Column> {
  if (typeof by !== "string") return completeColumn(by);
  const column = Object.hasOwn(others, by) ? others[by]!.columns(by)[0] : undefined;
  if (!column) throw new TypeError(`${by}: expected a parameter with a column, or a column of the endpoint`);
  return column;
}

/** The declaration of a parameter whose names are those of `choices`. */
function namesOf(options: NamesOptions, property: string, usualHelp: string, choices: object): Declaration {
  const { name = property, help = usualHelp, default: absent = "" } = options;
  const text = typeof absent === "string" ? absent : checkTexts(`${property}: default`, absent).join(",");
  return { kind: "names", name, help, absent: text || undefined, sorts: "bare", choices: Object.keys(choices) };
}

/** Returns the columns of a parameter; throws a TypeError for anything but a list of these. */
function checkColumns<Of extends readonly By[]>(argument: string, by: Of, least: number): Of {
  const isColumn = (item: unknown) => typeof item === "string" || isPlain(item);
  if (Array.isArray(by) && by.length >= least && by.every(isColumn)) return by;
  throw new TypeError(`${argument}: expected columns or their names, in a list, not ${describe(by)}`);
}

/** The names of a request, frozen with their text. */
function toNames<Name extends string>(keys: unknown): readonly Name[] {
  const names = (keys as SortKey<Name>[]).map(({ name }) => name);
  return names.length > 0 ? keepText(names, names.join(",")) : Object.freeze(names);
}

class GroupsParameter extends NamesParameter<GroupRequest, GroupTree> {
  constructor(by: readonly By[], readonly buckets: readonly Bucket[], readonly options: GroupOptions) {
    const { size = 1_000, order = "order", limit = "limit" } = options;
    super(
      by,
      (name, others) => {
        const choices = this.choices(others);
        const ordered = [...Object.keys(choices), ...Object.keys(measuresOf(others))];
        return [
          namesOf(options, name, "the groups", choices),
          ...(order === null ? [] : [{ ...ORDER, name: order, choices: ordered }]),
          ...(limit === null ? [] : [{ ...NUMBER, name: limit, absent: String(size) }]),
        ];
      },
      ([by]) => {
        const keep = keepNames({ by: by![""]!, ...(order !== null && { order }), ...(limit !== null && { limit }) });
        return (values, at) => {
          const rest = values.slice(at + 1);
          const keys = order === null ? [] : (rest.shift() as SortKey[]);
          return keep({ by: toNames(values[at]), order: keys, limit: limit === null ? size : (rest[0] as number) });
        };
      },
    );
  }
  choices(others: Parameters): Readonly<Record<string, GroupTree>> {
    const groups: Record<string, GroupTree> = {};
    for (const by of this.by) {
      const name = nameOf(by);
      const isWhole = typeof by !== "string" || Object.hasOwn(others, by);
      const [head, ...path] = isWhole ? [name] : (name.split(".") as [string, ...string[]]);
      const column = columnOf(isWhole ? by : head, others);
      if (column.type === "json" && path.length === 0) {
        throw new TypeError(`${name}: name the path of its groups, such as '${name}.plan'`);
      }
      groups[name] = { column: column.name, ...(path.length > 0 && { path }), as: name };
      for (const bucket of column.type === "time" || column.type === "date" ? this.buckets : []) {
        if (bucket === "hour" && column.type === "date") continue;
        groups[`${name}.${bucket}`] = { column: column.name, bucket, as: `${name}.${bucket}` };
      }
    }
    return groups;
  }
}

class MeasuresParameter extends NamesParameter<readonly string[], MeasureTree> {
  constructor(by: readonly By[], readonly kinds: readonly Measure[], options: NamesOptions) {
    super(
      by,
      (name, others) => [namesOf({ default: "count", ...options }, name, "the measures of each group", this.choices(others))],
      () => (values, at) => toNames(values[at]),
    );
  }
  choices(others: Parameters): Readonly<Record<string, MeasureTree>> {
    const measures: Record<string, MeasureTree> = { count: { measure: "count" } };
    for (const by of this.by) {
      const column = columnOf(by, others);
      for (const measure of measuresOfColumn(column)) {
        const name = `${measure}_${nameOf(by)}`;
        if (this.kinds.includes(measure)) measures[name] = { measure, column: column.name, as: name };
      }
    }
    return measures;
  }
}

class FacetsParameter extends NamesParameter<readonly string[], string> {
  constructor(by: readonly By[], readonly values: number, options: NamesOptions) {
    super(
      by,
      (name, others) => [namesOf(options, name, "columns whose most frequent values are counted", this.choices(others))],
      () => (requested, at) => toNames(requested[at]),
    );
  }
  choices(others: Parameters): Readonly<Record<string, string>> {
    return Object.fromEntries(this.by.map((by) => [nameOf(by), columnOf(by, others).name]));
  }
}

/** The measures that a column has. */
function measuresOfColumn({ type, isList }: Required<Column>): readonly Measure[] {
  const isNumber = !isList && ["integer", "decimal", "real"].includes(type);
  const isOrdered = isNumber || (!isList && ["time", "date"].includes(type));
  return [
    ...(isNumber ? (["sum", "average"] as const) : []),
    ...(isOrdered ? (["min", "max"] as const) : []),
    ...(["json", "records"].includes(type) ? [] : (["count_distinct", "approx_count_distinct"] as const)),
  ];
}

function find<Kind extends Parameter<unknown>>(others: Parameters, kind: new (...args: never[]) => Kind) {
  return Object.entries(others).find((entry): entry is [string, Kind] => entry[1] instanceof kind);
}

/** The measures that requests of an endpoint may name. */
function measuresOf(others: Parameters): Readonly<Record<string, MeasureTree>> {
  return find(others, MeasuresParameter)?.[1].choices(others) ?? { count: { measure: "count" } };
}

/** The groups and facets of an endpoint's requests, with the check of their order. @internal */
export function requestedGroups(others: Parameters): RequestedGroups & { readonly checks: readonly ((values: object) => void)[] } {
  const [groupsName, groups] = find(others, GroupsParameter) ?? [];
  const [measuresName] = find(others, MeasuresParameter) ?? [];
  const requestOf = (values: object) => {
    const members = values as Readonly<Record<string, unknown>>;
    const request = groupsName === undefined ? undefined : (members[groupsName] as GroupRequest);
    const measured = measuresName === undefined ? ["count"] : (members[measuresName] as readonly string[]);
    return { by: [], order: [], limit: 1, ...request, measured };
  };
  return {
    tree(values) {
      if (groupsName === undefined && measuresName === undefined) return null;
      const { by, order, limit, measured } = requestOf(values);
      const [choices, measures] = [groups?.choices(others) ?? {}, measuresOf(others)];
      const zoneOf = ({ column }: GroupTree) => {
        const windows = Object.entries(others).filter(([name, { columns }]) => columns(name)[0]?.name === column);
        return windows.map(([name]) => (values as Readonly<Record<string, unknown>>)[name]).find(isWindow)?.timezone;
      };
      const withZone = (group: GroupTree) => {
        const zone = group.bucket && zoneOf(group);
        return zone ? { ...group, zone } : group;
      };
      const isGroup = (name: string) => (by as readonly string[]).includes(name);
      return {
        group_by: by.map((name) => withZone(choices[name]!)),
        measures: measured.map((name) => measures[name]!),
        order: order.map(({ name, descending }) => ({
          ...(isGroup(name) ? { group: name } : { measure: name }), direction: descending ? ("desc" as const) : ("asc" as const),
        })),
        limit,
      } satisfies AggregateTree;
    },
    facets(values) {
      return Object.entries(others).flatMap(([property, parameter]) => {
        if (!(parameter instanceof FacetsParameter)) return [];
        const columns = parameter.choices(others);
        const names = (values as Readonly<Record<string, readonly string[]>>)[property]!;
        return names.map((name) => [name, columns[name]!, parameter.values] as const);
      });
    },
    checks: groups ? [(values) => checkOrder(requestOf(values), groups.options.order)] : [],
  };
}

/** Throws an ApiError if a request is ordered by other than its groups and measures. */
function checkOrder({ by, order, measured }: GroupRequest & { readonly measured: readonly string[] }, name: string | null = "order"): void {
  if (order.every((key) => by.includes(key.name) || measured.includes(key.name))) return;
  const message = `${name}: a value that is not accepted, expected groups and measures of the request`;
  throw new ApiError({
    code: "unprocessable_entity", status: 422, rule: "field_value", param: name, offset: 0, length: 0, message, text: null,
  });
}

interface GroupOptions extends NamesOptions {
  /** The buckets of times and dates; by default all. */
  readonly buckets?: readonly Bucket[];
  /** The number of groups of requests without a limit; 1,000 by default. */
  readonly size?: number;
  /** The name of the parameter with the groups and measures to order by, `order`; null for none. */
  readonly order?: string | null;
  /** The name of the parameter with the number of groups, `limit`; null for none. */
  readonly limit?: string | null;
}

/**
 * The groups of an aggregate, separated by commas, with their order and number. A time or a date is
 * grouped by its value or by a bucket: `created`, `created.day`, in the zone of the window of the
 * column. `query.aggregate()` answers them.
 *
 * @param by Names of parameters or columns of the endpoint, or columns; a path of a JSON column is
 *   written with dots, such as `metadata.plan`.
 */
export function groupBy<const Of extends readonly By[]>(by: Of, options: GroupOptions = {}): Parameter<GroupRequest<GroupName<Of[number]>>> {
  checkOptions("groupBy", options, ["name", "default", "help", "buckets", "size", "order", "limit"]);
  const { buckets = BUCKETS, size = 1_000 } = options;
  for (const bucket of checkList("groupBy: buckets", buckets)) checkChoice("groupBy: buckets", bucket, BUCKETS);
  if (!(checkWhole("groupBy: size", size) >= 1 && size <= LIMIT)) {
    throw new TypeError(`groupBy: size: expected a whole number from 1 to ${LIMIT}, not ${size}`);
  }
  return new GroupsParameter(checkColumns("groupBy", by, 1), buckets, options) as Parameter<unknown> as Parameter<GroupRequest<GroupName<Of[number]>>>;
}

type MeasureName<Of extends By> = "count" | `${Measure}_${NameOf<Of>}`;

/**
 * The measures of an aggregate, separated by commas: `count`, `sum_total`, `average_total`. Each column has
 * those that its type allows.
 *
 * @param of Names of parameters or columns of the endpoint, or columns.
 */
export function measures<const Of extends readonly By[]>(
  of: Of,
  options: NamesOptions & {
    /** The measures that requests may name; by default all but approx_count_distinct. */
    readonly kinds?: readonly Measure[];
  } = {},
): Parameter<readonly MeasureName<Of[number]>[]> {
  checkOptions("measures", options, ["name", "default", "help", "kinds"]);
  const { kinds = KINDS.slice(0, -1), ...others } = options;
  for (const kind of checkList("measures: kinds", kinds)) checkChoice("measures: kinds", kind, KINDS);
  return new MeasuresParameter(checkColumns("measures", of, 0), kinds, others) as Parameter<unknown> as Parameter<readonly MeasureName<Of[number]>[]>;
}

/**
 * The facets of a list, separated by commas: columns whose most frequent values `query.facets(rows)` counts.
 *
 * @param by Names of parameters or columns of the endpoint, or columns.
 */
export function facets<const Of extends readonly By[]>(
  by: Of,
  options: NamesOptions & {
    /** The number of values of a facet, 1 to 100; 10 by default. */
    readonly values?: number;
  } = {},
): Parameter<readonly NameOf<Of[number]>[]> {
  checkOptions("facets", options, ["name", "default", "help", "values"]);
  const { values = 10, ...others } = options;
  if (!(checkWhole("facets: values", values) >= 1 && values <= 100)) {
    throw new TypeError(`facets: values: expected a whole number from 1 to 100, not ${values}`);
  }
  return new FacetsParameter(checkColumns("facets", by, 1), values, others) as Parameter<unknown> as Parameter<readonly NameOf<Of[number]>[]>;
}
