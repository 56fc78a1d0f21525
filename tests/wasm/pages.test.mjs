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
});
