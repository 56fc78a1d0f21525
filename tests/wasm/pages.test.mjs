// SPDX-License-Identifier: MIT
// What pages of lists and forms use: requests with changes, errors by field, Standard Schema.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const api = await import(pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/index.js`).href);
await api.load();

const now = new Date("2026-08-21T02:30:15.123Z");
const orders = api.defineParams({
  status: api.filter({ choices: ["open", "paid"] }),
  total: api.decimal({ operators: [">=", "<"] }),
  q: api.search("title", { name: "find" }),
  order: api.sort(["total", "id"]),
  page: api.page(),
});
const renamed = api.defineParams({ total: api.decimal(), rows: api.page({ page: "p", limit: "size", cursor: "after" }) });

const CURSOR = orders.parse("").cursorBeside(["a"]);
const CHANGES = [
  // request, changes, request with them
  ["status=open&page=7", { page: 8 }, "status=open&page=8"],
  ["status=open&page=7&limit=5", { status: ["paid"] }, "status=paid&limit=5"],
  ["status=open&page=7", { status: null }, ""],
  ["status=open&page=7", {}, "status=open&page=7"],
  ["total[gte]=1&total[lt]=5", { total: { gte: 2 } }, "total[gte]=2"],
  ["total[gte]=1&total[lt]=5&page=2", { "total[lt]": 9 }, "total[gte]=1&total[lt]=9"],
  ["total[gte]=1&total[lt]=5", { total: undefined }, ""],
  ["page=3&limit=5", { limit: 10 }, "limit=10"],
  ["page=3&limit=5", { cursor: CURSOR }, `limit=5&cursor=${CURSOR}`],
  [`cursor=${CURSOR}`, { page: 2 }, "page=2"],
  [`cursor=${CURSOR}&limit=5`, { find: "a&b=c" }, "find=a%26b%3Dc&limit=5"],
  ["page=3", { order: [{ name: "total", descending: true }] }, "order=-total"],
];
for (const [text, changes, expected] of CHANGES) {
  test(`${text} with ${JSON.stringify(changes)}`, () => {
    const query = orders.parse(text, { now });
    const changed = query.with(changes);
    assert.deepEqual(changed.tree(), orders.parse(expected, { now }).tree());
    assert.equal(changed.toQueryString(), orders.parse(expected, { now }).toQueryString());
    assert.deepEqual(query.tree(), orders.parse(text, { now }).tree());
  });
}

test("changes have the names of the parameters", () => {
  const query = renamed.parse("p=4&size=10&total=5");
  assert.equal(query.with({ p: 5 }).values.rows.number, 5);
  assert.deepEqual(query.with({ total: 6 }).values.rows, renamed.parse("size=10").values.rows);
  assert.throws(() => query.with({ rows: 5 }), (error) => error.rule === "parameter_unknown");
  assert.throws(() => query.with({ total: "x" }), (error) => error.param === "total");
  assert.throws(() => renamed.fromTree({}).with({ total: 6 }), /^TypeError: with: the query was made of a tree/);
  const list = api.parseEvents("city=Paris&page=3&future=1", { now });
  assert.equal(list.with({ country: "FR" }).values.page, 1);
  assert.equal(list.with({ page: 4 }).values.page, 4);
});

for (const [kind, names] of Object.entries({
  odata: { filter: "$filter", place: "$skip", size: "$top", cursor: "$skiptoken" },
  aip: { filter: "filter", place: "skip", size: "page_size", cursor: "page_token" },
  scim: { filter: "filter", place: "startIndex", size: "count", cursor: "cursor" },
})) {
  test(`changes of ${kind} begin at its first page`, () => {
    const { filter, place, size, cursor } = names;
    const endpoint = api.defineParams({ total: api.integer(), list: api[kind]() });
    const query = endpoint.parse({ [place]: 20, [size]: 5 });
    const condition = kind === "aip" ? "total = 2" : "total eq 2";
    const changed = query.with({ [filter]: condition });
    assert.deepEqual(changed.tree(), endpoint.parse({ [filter]: condition, [size]: 5 }).tree());
    assert.deepEqual(query.with({ [place]: 25 }).tree(), endpoint.parse({ [place]: 25, [size]: 5 }).tree());
    const token = query.cursorBeside(["a"]);
    assert.deepEqual(query.with({ [cursor]: token }).tree(), endpoint.parse({ [cursor]: token, [size]: 5 }).tree());
    assert.deepEqual(query.with({ [cursor]: token }).with({ total: 1 }).values.list.page.cursor, null);
  });
}

test("errors by field", () => {
  const fields = orders.fieldErrors("status=opn&total[gte]=ten&total[lt]=x&page=0&find=ok&__proto__=1&sise=2");
  const params = Object.entries(fields).map(([name, errors]) => [name, errors.map((error) => error.param)]);
  assert.deepEqual(params, [
    ["status", ["status"]],
    ["total", ["total[gte]", "total[lt]"]],
    ["page", ["page"]],
    ["__proto__", ["__proto__"]],
    ["sise", ["sise"]],
  ]);
  assert.deepEqual(orders.fieldErrors("status=open"), {});
  assert.deepEqual(Object.keys(renamed.fieldErrors({ size: 0 })), ["rows"]);
});

test("Standard Schema: a value, or issues with their paths", () => {
  const { version, vendor, validate } = orders["~standard"];
  assert.deepEqual([version, vendor], [1, "sluice"]);
  assert.deepEqual(validate("status=open").value.status.values, ["open"]);
  assert.deepEqual(validate({ status: ["paid"], total: { gte: "1.5" } }).value.total.gte, "1.5");
  const { issues, value } = validate(new URLSearchParams("status=opn&find=a&page=0"));
  assert.equal(value, undefined);
  assert.deepEqual(issues.map(({ path }) => path), [["status"], ["page"]]);
  assert.match(issues[0].message, /status/);
  assert.deepEqual(validate(5).issues.map(({ path }) => path), [undefined]);
  assert.deepEqual(validate(new Map([["status", "open"]]).entries()).value.status.values, ["open"]); // iterates once
});

test("values inside the members of groups are issues, however deep", () => {
  const { validate } = orders["~standard"];
  let inside = { limit: 1, cursor: null };
  let bounds = { gte: 1 };
  for (let depth = 0; depth < 100_000; ++depth) [inside, bounds] = [{ ...inside, number: inside }, { eq: bounds }];
  const cyclic = {};
  cyclic.eq = cyclic;
  for (const value of [{ total: bounds }, { total: cyclic }, { total: { gte: [1] } }, { page: inside }]) {
    assert.match(validate(value).issues[0].message, /^(total|page).*: expected a text, a number/);
  }
});

test("misspelt options are refused", () => {
  const query = orders.parse("status=open", { now });
  assert.throws(() => query.toSql("sqlite", "t", { colums: {} }), /^TypeError: toSql: unknown option 'colums'/);
  assert.throws(() => query.cursorBeside(["a"], { befor: true }), /^TypeError: cursorBeside: unknown option 'befor'/);
});
