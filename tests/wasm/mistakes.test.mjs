// SPDX-License-Identifier: MIT
// Functions called from JavaScript with values of other types.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";

const api = await import(pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/index.js`).href);
await api.load();

globalThis.fetch = async () => new Response("[]"); // no test asks a service

const WRONG = [
  undefined, null, NaN, -1, 0.5, 5n, true, "", "x", Symbol("s"), [], [5], [null], {}, { x: 5 }, new Map([[5, 5]]),
  () => new Response("[]"), new Date(NaN), Object.create({ length: 1 }),
];

const PARAMS = {
  country: api.filter(), total: api.integer({ operators: [">=", "<="] }), seen: api.window({ column: "seen" }), data: api.metadata(),
  by: api.groupBy(["country"]), measured: api.measures(["total"]), facets: api.facets(["country"]),
};
const TABLE = api.defineParams(PARAMS);
const QUERY = TABLE.parse("country=US&total[gte]=1&facets=country&by=country");
const ROW = { id: "a", country: "US", total: 5, seen: new Date(0), data: {} };
const AGGREGATE = QUERY.aggregate();
const COLUMN = { name: "c", type: "choice", isList: false, isNullable: true, collation: "exact", choices: ["a"], columns: [] };
const LIMITS = { limit: 5, windowSeconds: 60, now: 0, algorithm: "gcra", cost: 1 };
const WORDS = { name: "n", column: "c", help: "h", accepts: "a", deprecated: false };
const SQL = { columns: { country: "c", total: "t", seen: { column: "s", kind: "seconds" }, data: ["a", "b"] }, metadata: "prepared", select: "*", form: "page" };
const ERRORS = TABLE.errors("total[gte]=x&country=a,-b");
const RULE = new api.Rule("mistake_rule", "wrong", "expected another");

/** Declares parameters, so that what a parameter refuses late is refused. */
const declared = (make) => (...args) => api.defineParams({ p: make(...args) }, { columns: [{ name: "created" }] });

/** Functions, with arguments that they accept. */
const FUNCTIONS = {
  parseFilter: [api.parseFilter, "US"],
  "Filter.matches": [(...args) => api.parseFilter("US").matches(...args), "US", "exact"],
  parseMetadataQuery: [api.parseMetadataQuery, "metadata['a']:1"],
  "MetadataQuery.matches": [(...args) => api.parseMetadataQuery("metadata['a']:1").matches(...args), { a: 1 }],
  decide: [api.decide, { latest: 0, backlog: 0, fraction: 0 }, LIMITS],
  resolveTime: [api.resolveTime, "now", { now: 0, edge: "end", timezone: "UTC" }],
  resolveWindow: [api.resolveWindow, { interval: "7d", start: new Date(0), end: "now", timezone: "UTC", now: 0 }],
  toQueryString: [api.toQueryString, { a: 1 }],
  parseEvents: [api.parseEvents, "country=US", { now: 0, strict: false }],
  parseTags: [api.parseTags, "search=a", { now: 0, strict: false }],
  "events.parse": [api.events.parse, { country: "US" }, { now: 0, strict: true }],
  "tags.errors": [api.tags.errors, [["search", "a"]], { now: 0 }],
  parse: [TABLE.parse, { country: ["US"], total: { gte: 1 } }, { now: 0, strict: true }],
  errors: [TABLE.errors, new Map([["country", "US"]]), { now: 0, strict: true }],
  fieldErrors: [(...args) => TABLE.fieldErrors(...args), "country=US", { now: 0, strict: true }],
  validate: [TABLE["~standard"].validate, "country=US"],
  fromTree: [(...args) => TABLE.fromTree(...args), { where: { column: "country", any_of: ["US"] }, order: [], total: false, page: { number: 1, size: 5 } }],
  matches: [(...args) => QUERY.matches(...args), ROW, { total: "total" }],
  toSql: [(...args) => QUERY.toSql(...args), "sqlite", "orders", SQL],
  toExpression: [(...args) => QUERY.toExpression(...args), "rsql", { country: "country", total: "total", seen: "seen" }],
  cursorBeside: [(...args) => QUERY.cursorBeside(...args), ["a"], { before: true, metadata: "native" }],
  aggregate: [(...args) => QUERY.aggregate(...args), { group_by: [{ column: "country" }], measures: [{ measure: "count" }], order: [], limit: 5 }],
  facet: [(...args) => QUERY.facet(...args), "country", 5],
  facets: [(...args) => QUERY.facets(...args), [ROW], { total: "total" }],
  with: [(...args) => QUERY.with(...args), { country: "CA", total: { gte: 5 } }],
  "aggregate.apply": [(...args) => AGGREGATE.apply(...args), [ROW], { total: "total" }],
  "aggregate.values": [(...args) => AGGREGATE.values(...args), [ROW], { total: "total" }],
  "aggregate.toSql": [(...args) => AGGREGATE.toSql(...args), "sqlite", "orders", { columns: SQL.columns, metadata: "prepared" }],
  "Rule.error": [(...args) => RULE.error(...args), { param: "p", offset: 1, length: 1 }],
  Rule: [(...args) => new api.Rule(...args).error(), "another_rule", "wrong", "expected another", "bad_request"],
  ApiError: [(...args) => new api.ApiError(...args).toJSON(), { code: "bad_request", status: 400, message: "m", rule: "r", param: "p", offset: 0, length: 0, text: "t", docUrl: "d" }],
  toAipError: [api.toAipError, ERRORS, "api.example.com"],
  toODataError: [api.toODataError, ERRORS],
  toScimError: [api.toScimError, ERRORS],
  defineParams: [api.defineParams, PARAMS, { key: COLUMN, columns: [COLUMN], names: "dots", ignoreEmpty: true, checks: [() => undefined] }],
  filter: [declared(api.filter), { ...WORDS, column: COLUMN, default: ["a"], choices: ["a"], type: "choice", collation: "exact", lists: "repeated", exclusion: "never" }],
  texts: [declared(api.texts), { ...WORDS, required: true, lists: "commas", exclusion: "always" }],
  text: [declared(api.text), { ...WORDS, default: "pa", prefix: "p", operators: [">="] }],
  contains: [declared(api.contains), WORDS],
  startsWith: [declared(api.startsWith), WORDS],
  endsWith: [declared(api.endsWith), WORDS],
  isNull: [declared(api.isNull), { ...WORDS, default: true }],
  search: [declared(api.search), "created", "other", { name: "n", help: "h", form: "all" }],
  choice: [declared(api.choice), ["a", "b"], { ...WORDS, default: "a", operators: { ">=": "least" }, type: "choice" }],
  boolean: [declared(api.boolean), { ...WORDS, required: true }],
  integer: [declared(api.integer), { ...WORDS, default: 5, operators: ["="], minimum: 0, maximum: 9 }],
  decimal: [declared(api.decimal), { ...WORDS, operators: ["="], default: "5" }],
  real: [declared(api.real), { ...WORDS, operators: ["="], default: 5 }],
  date: [declared(api.date), { ...WORDS, operators: ["="], default: "2026-08-21" }],
  time: [declared(api.time), { ...WORDS, operators: [">="] }],
  uuid: [declared(api.uuid), { ...WORDS, required: true, type: "uuid" }],
  metadata: [declared(api.metadata), WORDS],
  value: [declared(api.value), String, { ...WORDS, required: true, format: String, type: "text", form: "f" }],
  "value parsed": [(...args) => declared(api.value)(...args).parse({ p: "a" }).values, String, { format: String }],
  window: [declared(api.window), { column: "c", default: "7d", prefix: "p_", interval: "i", start: "s", end: "e", timezone: null }],
  sort: [declared(api.sort), ["created"], { default: "created:desc", name: "n", help: "h", form: "colon", direction: "d", directions: ["up", "down"] }],
  page: [declared(api.page), { default: 5, maximum: 9, prefix: "p_", page: "n", offset: null, limit: "l", cursor: "c", count: null }],
  expression: [declared(api.expression), "aip160", { name: "n", help: "h", accepts: "a", deprecated: true, columns: ["created"], aliases: { at: "created" }, default: "", tests: { at: ["any_of"] }, searched: ["created"], required: false }],
  ordering: [declared(api.ordering), "odata", { name: "n", help: "h", columns: ["created"], aliases: { at: "created" }, default: "at" }],
  odata: [declared(api.odata), { columns: ["created"], aliases: { at: "created" }, tests: {}, order: "at", default: 5, maximum: 9, searched: ["created"] }],
  aip: [declared(api.aip), { columns: ["created"], aliases: { at: "created" }, tests: {}, order: "at", default: 5, maximum: 9, searched: ["created"] }],
  scim: [declared(api.scim), { columns: ["created"], aliases: { at: "created" }, tests: {}, order: "at", default: 5, maximum: 9 }],
  groupBy: [declared(api.groupBy), ["created"], { name: "n", default: ["created"], help: "h", buckets: ["day"], size: 5, order: "o", limit: "l" }],
  measures: [declared(api.measures), ["created"], { name: "n", default: "count", help: "h", kinds: ["sum"] }],
  fetchEvents: [(...args) => api.fetchEvents(...args).next(), "https://a.example", { country: "US" }, { token: "t", fetch: globalThis.fetch, wait: async () => undefined }],
  facetsOf: [declared(api.facets), ["created"], { name: "n", default: "created", help: "h", values: 5 }],
};

/** The calls of a function with one argument, or one member of an argument, replaced. */
function* callsOf(args) {
  for (const [at, argument] of args.entries()) {
    const replaced = (value) => args.map((kept, index) => (index === at ? value : kept));
    for (const value of WRONG) yield replaced(value);
    if (typeof argument !== "object" || Array.isArray(argument)) continue;
    for (const member of Object.keys(argument)) {
      for (const value of WRONG) yield replaced({ ...argument, [member]: value });
    }
  }
  yield [];
}

/** True for an error of the package: what is wrong, where, and what is accepted. */
function isExplained(error) {
  if (error instanceof api.ApiError) return true;
  return error instanceof TypeError && /^[^:\n]*: .|^the row has no '/.test(error.message);
}

/** Exports that take no arguments of callers, or whose constructors are internal. */
const OTHERS = ["Aggregate", "Filter", "ListQuery", "MetadataQuery", "Parameter", "ParameterTable", "load", "memorySize"];

test("the table has all functions of the package", () => {
  const functions = Object.keys(api).filter((name) => typeof api[name] === "function");
  assert.deepEqual(functions.filter((name) => !(name in FUNCTIONS) && !OTHERS.includes(name)), []);
});

for (const [name, [run, ...args]] of Object.entries(FUNCTIONS)) {
  test(name, async () => {
    await run(...args);
    for (const wrong of callsOf(args)) {
      try {
        await run(...wrong);
      } catch (error) {
        assert.ok(isExplained(error), `${name}(${inspect(wrong)}): ${error.stack}`);
      }
    }
  });
}
