// SPDX-License-Identifier: MIT
// Groups, measures and facets: mistakes of programs, requests that are written again, large inputs, memory. What
// they answer is compared with Python by answers.test.mjs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const api = await import(pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/index.js`).href);
await api.load();
const { defineParams, facets, filter, groupBy, integer, measures, window } = api;

const COLUMNS = [{ name: "tags", isList: true }, { name: "data", type: "json" }];
const table = defineParams({
  country: filter(),
  cents: integer({ operators: [">="] }),
  created: window({ default: "all" }),
  groups: groupBy(["country", "created", "tags"], { order: "sort", limit: "size", size: 7 }),
  measures: measures(["cents"], { default: ["sum_cents"] }),
  facets: facets(["country", "tags"], { values: 1 }),
}, { columns: COLUMNS });

const MISTAKES = [
  [() => defineParams({ by: groupBy(["town"]) }), /^town: expected a parameter with a column, or a column/],
  [() => groupBy([]), /^groupBy: expected columns or their names, in a list/],
  [() => groupBy("country"), /^groupBy: expected columns or their names, in a list, not 'country'/],
  [() => measures([5]), /^measures: expected columns or their names/],
  [() => facets([]), /^facets: expected columns/],
  [() => defineParams({ by: groupBy(["data"]) }, { columns: COLUMNS }), /^data: name the path of its groups, such as 'data.plan'/],
  [() => groupBy(["a"], { size: 0 }), /^groupBy: size: expected a whole number from 1 to 10000/],
  [() => groupBy(["a"], { size: 1.5 }), /^groupBy: size/],
  [() => groupBy(["a"], { buckets: ["hours"] }), /^groupBy: buckets: expected one of hour/],
  [() => groupBy(["a"], { limits: "x" }), /^groupBy: unknown/],
  [() => measures(["a"], { kinds: ["mean"] }), /^measures: kinds: expected one of sum/],
  [() => facets(["a"], { values: 101 }), /^facets: values: expected a whole number from 1 to 100/],
  [() => defineParams({ country: filter(), by: groupBy(["country"], { default: "town" }) }), /^by: /],
  [() => defineParams({ country: filter() }).parse("").aggregate(), /^aggregate: the endpoint has no groupBy/],
  [() => table.parse("").aggregate("x"), /^tree: expected an object, not 'x'/],
  [() => table.parse("").facet("town"), /^column: the query has no 'town'/],
  [() => table.parse("").aggregate().apply([{ country: "US" }]), /^the row has no 'cents'/],
  [() => table.parse("").aggregate().apply([{ cents: 0.5 }]), /^cents: column 'cents': expected a whole number/],
  [() => table.parse("").aggregate().toSql("oracle", "rows"), /^dialect: expected one of/],
  [() => table.parse("").aggregate().toSql("sqlite", "rows", { form: "page" }), /^toSql: unknown/],
  [() => table.parse("").aggregate().toSql("sqlite", "rows", { columns: { town: "x" } }), /^columns: the query has no column/],
];
for (const [make, message] of MISTAKES) {
  test(`a mistake: ${message.source}`, () => assert.throws(make, { name: "TypeError", message }));
}

test("too many facet values and measures are refused", () => {
  assert.throws(() => table.parse("").facet("country", 101), { rule: "number_too_large" });
  const one = (at) => ({ measure: "count", as: `n${at}` });
  const many = Array.from({ length: 17 }, (_, at) => one(at));
  assert.throws(() => table.parse("").aggregate({ measures: many }), { rule: "list_too_long", param: "measures" });
});

test("requests are written from their values, changed ones too", () => {
  const text = "country=US&groups=country%2Ccreated.day&sort=-sum_cents%2Ccountry&size=3&measures=count%2Csum_cents&facets=tags";
  const query = table.parse(text);
  assert.equal(query.toQueryString(), text);
  assert.equal(table.parse({ ...query.values, country: ["DE"], created: null }).toQueryString(), text.replace("US", "DE"));
  assert.equal(query.with({ groups: "tags", sort: null }).toQueryString(),
    "country=US&groups=tags&size=3&measures=count%2Csum_cents&facets=tags");
  const { groups, measures: names } = table.parse("").values;
  assert.deepEqual([groups, names], [{ by: [], order: [], limit: 7 }, ["sum_cents"]]);
});

test("documents list the names", () => {
  const described = Object.fromEntries(table.openapiParameters.map((one) => [one.name, one.schema]));
  assert.match(described.groups.pattern, /country\|created\|created\\\.hour/);
  assert.equal(described.measures.default, "sum_cents");
  assert.deepEqual([described.size.minimum, described.size.maximum, described.size.default], [1, 10_000, 7]);
});

test("rows are read one by one, of any number and size", () => {
  function* rows() {
    for (let at = 0; at < 3_000; ++at) yield { country: at % 3 ? "US" : "DE", cents: at, tags: [`t${at % 5}`], other: at };
    yield { country: "US", cents: 1, tags: Array.from({ length: 200_000 }, (_, at) => `t${at % 7}`) };
  }
  const query = table.parse("groups=tags&measures=count,sum_cents&country=-DE");
  const answer = query.aggregate().apply(rows());
  assert.deepEqual(answer.map(({ tags }) => tags), ["t0", "t1", "t2", "t3", "t4", "t5", "t6"]);
  assert.equal(answer.reduce((sum, { count }) => sum + count, 0), 2_000 + 7);
  const renamed = new Map([["amount", 5], ["country", "US"]]);
  assert.deepEqual(table.parse("").aggregate().apply([renamed], { cents: "amount" }), [{ sum_cents: 5 }]);
});

test("an aggregate outlives its query, may be freed while it reads rows, and then throws", () => {
  const query = table.parse("groups=country&measures=count");
  const aggregate = query.aggregate();
  query.free();
  function* rows() {
    yield { country: "US" };
    aggregate.free();
    yield { country: "US" };
  }
  assert.deepEqual(aggregate.apply(rows()), [{ country: "US", count: 2 }]);
  assert.throws(() => aggregate.apply([]), ReferenceError);
  const before = api.memorySize();
  for (let times = 0; times < 2_000; ++times) {
    const freed = table.parse("");
    freed.facets([{ country: "US", tags: [] }]);
    freed.aggregate().free();
    freed.free();
  }
  assert.ok(api.memorySize() - before < 1 << 20);
});
