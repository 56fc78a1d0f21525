// SPDX-License-Identifier: MIT
// What types are inferred; tsc is the test.
import {
  type AggregateRow, boolean, type Bounds, choice, contains, date, decimal, defineParams, endsWith, events, facets,
  fetchEvents, filter, type Filter, groupBy, integer, isNull, measures, metadata, type MetadataQuery, page, type PageRequest, real, type SaleEvent, search,
  sort, type SortKey, startsWith, tags, text, texts, time, toQueryString, uuid, window, type Window,
} from "@sluice/sluice";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const check = <_Is extends true>(): void => undefined;

const table = defineParams({
  status: filter({ choices: ["open"] }),
  ids: texts(),
  name: text(),
  required: text({ required: true }),
  kind: choice(["new", "old"]),
  known: choice(["new", "old"], { default: "new" }),
  flag: boolean({ default: false }),
  maybe: boolean(),
  count: integer({ minimum: 1 }),
  counts: integer({ operators: [">="] }),
  named: integer({ operators: { ">=": "count_from" } }),
  total: decimal({ operators: [">=", "<="] }),
  seen: time({ operators: [">="] }),
  score: real(),
  scores: real({ operators: [">=", "<"] }),
  due: date({ required: true }),
  dues: date({ operators: ["=", "<="] }),
  names: text({ operators: [">="] }),
  sizes: choice(["small", "large"], { type: "choice", operators: ["<="] }),
  kinds: filter({ type: "choice", choices: ["a"] }),
  part: contains(),
  start: startsWith({ column: "name" }),
  end: endsWith({ column: { name: "tags", isList: true } }),
  missing: isNull(),
  present: isNull({ column: "missing", default: false }),
  token: uuid({ type: "uuid" }),
  batch: uuid(),
  meta: metadata(),
  words: search(),
  searched: search("name", "note"),
  box: search("name", { name: "q" }),
  created: window(),
  order: sort(["created", "total"], { default: "-created" }),
  page: page(),
});
type Values = ReturnType<typeof table.parse>["values"];

check<Same<Values["status"], Filter>>();
check<Same<Values["ids"], readonly string[]>>();
check<Same<Values["name"], string | null>>();
check<Same<Values["required"], string>>();
check<Same<Values["kind"], "new" | "old" | null>>();
check<Same<Values["known"], "new" | "old">>();
check<Same<Values["flag"], boolean>>();
check<Same<Values["maybe"], boolean | null>>();
check<Same<Values["count"], number | null>>();
check<Same<Values["counts"], Bounds<number>>>();
check<Same<Values["named"], Bounds<number>>>();
check<Same<Values["total"], Bounds<string>>>();
check<Same<Values["seen"], Bounds<Date>>>();
check<Same<Values["batch"], string | null>>();
check<Same<Values["score"], number | null>>();
check<Same<Values["scores"], Bounds<number>>>();
check<Same<Values["due"], string>>();
check<Same<Values["dues"], Bounds<string>>>();
check<Same<Values["names"], Bounds<string>>>();
check<Same<Values["sizes"], Bounds<"small" | "large">>>();
check<Same<Values["kinds"], Filter>>();
check<Same<Values["part"], string | null>>();
check<Same<Values["start"], string | null>>();
check<Same<Values["end"], string | null>>();
check<Same<Values["missing"], boolean | null>>();
check<Same<Values["present"], boolean>>();
check<Same<Values["token"], string | null>>();
check<Same<Values["searched"], string | null>>();
check<Same<Values["box"], string | null>>();
check<Same<Values["meta"], MetadataQuery | null>>();
check<Same<Values["words"], string | null>>();
check<Same<Values["created"], Window>>();
check<Same<Values["order"], readonly SortKey<"created" | "total">[]>>();
check<Same<Values["page"], PageRequest>>();

const read = table.fromTree({ where: { column: "status", any_of: ["open"] } });
check<Same<keyof typeof read.values, string>>();
// @ts-expect-error no such test
void table.fromTree({ where: { column: "status", like: ["open"] } });
const { values } = table.parse(new FormData());
void table.parse({ ...values, status: ["open"], total: { gte: 10n } });
void [toQueryString(values), toQueryString(events.parse(new URL("https://x")).values), tags.parse(new Map([["ids", "a"]]))];

check<Same<Values, typeof values>>();
const changed = table.parse("").with({ page: 3, total: { gte: 1 }, status: null });
check<Same<typeof changed.values, Values>>();
type Output = NonNullable<(typeof table)["~standard"]["types"]>["output"];
check<Same<Output, Values>>();

// @ts-expect-error a misspelt option, as in all that follow
void text({ requird: true, name: "x" });
// @ts-expect-error
void choice(["new"], { defualt: "new", name: "x" });
// @ts-expect-error
void boolean({ name: "x", reqired: true });
// @ts-expect-error
void integer({ minimum: 1, max: 5 });
// @ts-expect-error
void decimal({ operator: [">="], name: "x" });
// @ts-expect-error
void real({ name: "x", maximum: 1 });
// @ts-expect-error
void date({ name: "x", operator: ["="] });
// @ts-expect-error
void uuid({ name: "x", kind: "uuid" });
// @ts-expect-error
void isNull({ name: "x", defaults: true });
// @ts-expect-error
void filter({ choice: ["a"] });
// @ts-expect-error
void page({ max: 1 });
// @ts-expect-error
void table.parse("", { today: 1 });

// @ts-expect-error no query string
void table.parse(5);
// @ts-expect-error no value of a parameter
void table.parse({ status: new Map() });
// @ts-expect-error no such parameter
void table.parse("").values.other;
// @ts-expect-error not one of the choices
void choice(["new"], { default: "old" });
// @ts-expect-error rows of one instant are seldom meant
void time({ operators: ["="] });
// @ts-expect-error no type of a column
void filter({ type: "real" });
// @ts-expect-error a column is a name
void search(5);
void events.parse("").toSql("sqlite", "t", { columns: { timestamp: { column: "at", kind: "seconds" } } });
// @ts-expect-error a place has a kind
void events.parse("").toSql("sqlite", "t", { columns: { timestamp: { column: "at" } } });
void events.parse("").toExpression("odata", { createTime: "timestamp" });
// @ts-expect-error no such grammar
void events.parse("").toExpression("sql");
// @ts-expect-error no such database
void events.parse("").toSql("oracle", "t");
// @ts-expect-error no such parameter
void fetchEvents("", { contry: "US" }, { token: "" });

const sales = fetchEvents("https://api.example.com", { event: "sales" }, { token: "" });
check<Same<typeof sales, AsyncGenerator<SaleEvent, void, undefined>>>();

const grouped = defineParams({
  country: filter(),
  created: window(),
  groups: groupBy(["country", { name: "city" }], { buckets: ["day"], order: null }),
  measures: measures(["total"], { kinds: ["sum"] }),
  facets: facets(["country", { name: "city", isList: true }]),
}, { columns: [{ name: "total", type: "decimal" }] }).parse("");
type Grouped = (typeof grouped)["values"];
type Bucketed<Name extends string> = Name | `${Name}.${"hour" | "day" | "week" | "month" | "quarter" | "year"}`;
type Kinds = "sum" | "min" | "max" | "average" | "count_distinct" | "approx_count_distinct";
check<Same<Grouped["groups"]["by"], readonly Bucketed<"country" | "city">[]>>();
check<Same<Grouped["groups"]["order"], readonly SortKey[]>>();
check<Same<Grouped["measures"], readonly ("count" | `${Kinds}_total`)[]>>();
check<Same<Grouped["facets"], readonly ("country" | "city")[]>>();
check<Same<ReturnType<ReturnType<(typeof grouped)["aggregate"]>["apply"]>, readonly AggregateRow[]>>();
// @ts-expect-error a measure that doesn't exist
measures(["total"], { kinds: ["median"] });
// @ts-expect-error a bucket that doesn't exist
groupBy(["created"], { buckets: ["decade"] });
// @ts-expect-error a misspelt member
grouped.aggregate({ groupBy: [{ column: "country" }] });
