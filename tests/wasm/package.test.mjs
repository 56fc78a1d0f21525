// SPDX-License-Identifier: MIT
// The package in Node, by itself: SLUICE_PACKAGE is its folder. pytest compares it with Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const api = await import(pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/index.js`).href);
const NOW = Date.UTC(2026, 7, 21, 2, 30, 15, 123);

test("nothing is loaded before load(), which says so", () => {
  assert.throws(() => api.parseFilter("US"), /await load\(\) first/);
});

test("load() fetches once, and can be tried again where it failed", async () => {
  await assert.rejects(api.load(new Uint8Array([0, 1, 2, 3])));
  assert.equal(api.load(), api.load());
  await api.load();
});

function rowsOf(name) {
  const path = new URL(`../data/${name}_query.ndjson`, import.meta.url);
  return readFileSync(path, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
}

for (const name of ["events", "tags"]) {
  test(`every row of the table of /${name} parameters holds`, () => {
    for (const { query, tail, error, ...numbers } of rowsOf(name)) {
      const text = query + (tail ? tail.text.repeat(tail.times) : "");
      if (error) {
        assert.throws(() => api[name].parse(text, { now: NOW }), (thrown) => {
          const { status, param, rule, offset, length } = thrown;
          assert.deepEqual({ status, param, rule, offset, length }, error, query);
          return thrown instanceof api.ApiError && thrown.message.startsWith(`${param}: `);
        });
        continue;
      }
      const read = api[name].parse(text, { now: NOW });
      for (const [parameter, number] of Object.entries(numbers)) {
        assert.equal(read.values[parameter], number, query);
      }
      read.free();
    }
  });
}

test("offsets count bytes, and range counts what JavaScript does", () => {
  const [error] = api.events.errors("city=%C3%A9%F0%9F%98%80,-x");
  assert.deepEqual([error.offset, error.length, error.text], [7, 2, "é😀,-x"]);
  assert.deepEqual(error.range, [4, 6]);
});

test("what can't be meant by a declaration is told with its name", () => {
  const mistakes = [
    [{ a: api.sort(["b"]) }, "a: the schema has no column 'b'"],
    [{ a: api.text({ name: "x" }), b: api.text({ name: "x" }) }, "x: two parameters have this name"],
    [{ a: api.integer({ minimum: 5, maximum: 1 }) }, "a: its minimum is larger"],
    [{ a: api.text({ default: "x", required: true }) }, "a: what is required has no default"],
    [{ a: api.integer({ column: "x" }), b: api.text({ column: "x" }) }, "x: two parameters say"],
    [{ a: api.page({ default: 5, maximum: 3 }) }, "limit: its default can't be read"],
  ];
  for (const [params, message] of mistakes) {
    assert.throws(() => api.defineParams(params), (thrown) => {
      assert.ok(thrown instanceof TypeError && thrown.message.startsWith(message), thrown.message);
      return true;
    });
  }
});

test("a row is asked by its keys, dots and columns, and refused where it can't be compared", () => {
  const table = api.defineParams({
    country: api.filter({ column: "click.country" }),
    total: api.decimal({ operators: [">="] }),
    at: api.time({ operators: [">="] }),
  });
  const query = table.parse("country=US&total[gte]=0.3&at[gte]=2026-08-21");
  const row = { click: { country: "US" }, total: "0.30", at: "2026-08-21T00:00:00Z" };
  assert.equal(query.matches(row), true);
  assert.equal(query.matches(new Map(Object.entries(row))), true);
  assert.equal(query.matches({ ...row, "click.country": "CA" }), false);
  assert.equal(query.matches({ ...row, total: null }), false);
  assert.equal(query.matches({ ...row, at: new Date(0) }), false);
  assert.equal(query.matches({ ...row, price: 1n }, { total: "price" }), true);
  assert.throws(() => query.matches({ ...row, total: 0.3 }), /total\[gte\]: column 'total': expected/);
  assert.throws(() => query.matches({ ...row, at: "yesterday" }), /at\[gte\]: column 'at': expected .*RFC 3339 text/);
  assert.throws(() => query.matches({ total: 1 }), /^TypeError: the row has no 'click.country'$/);
});

test("numbers beyond those of JavaScript are bigint in SQL", () => {
  const { parameters } = api.parseEvents("page=9007199254740993&limit=1&interval=all", { now: NOW }).toSql("sqlite", "t");
  assert.equal(parameters.at(-1), 9007199254740992n);
  assert.throws(() => api.parseEvents("").toSql("oracle", "t"), /dialect: expected one of sqlite/);
});

test("what is freed is used no more, and memory doesn't grow", () => {
  const query = api.parseEvents("city=x");
  query.free();
  query.free();
  for (const use of [() => query.matches({ "click.city": "x" }), () => query.tree()]) assert.throws(use, ReferenceError);
  const turn = () => {
    for (let at = 0; at < 2_000; ++at) {
      api.parseMetadataQuery("metadata['a']:1").free();
      api.parseEvents(`city=${"x".repeat(at)}`).free();
      assert.equal(api.events.errors(`city=${"x".repeat(at)}`).length, 0);
      assert.throws(() => api.parseFilter("US,-CA"));
    }
    return api.memorySize();
  };
  const before = turn();
  for (let at = 0; at < 5; ++at) assert.equal(turn(), before);
});

test("the collector frees what nobody holds", { skip: !globalThis.gc }, async () => {
  const text = "x".repeat(9_000);
  const turn = async () => {
    for (let at = 0; at < 2_000; ++at) api.parseEvents(`city=${text}`, { now: NOW });
    globalThis.gc();
    await new Promise((done) => setTimeout(done, 20));
    return api.memorySize();
  };
  const before = await turn();
  for (let at = 0; at < 5; ++at) assert.ok((await turn()) <= before * 1.5);
});

test("a state of another algorithm is refused", () => {
  const { state } = api.decide(null, { limit: 1, windowSeconds: 1, now: NOW });
  const gcra = { limit: 1, windowSeconds: 1, now: NOW, algorithm: "gcra" };
  assert.throws(() => api.decide(state, gcra), /state: expected the members latest, backlog, fraction/);
  assert.throws(() => api.decide(null, { ...gcra, limit: 0 }), api.ApiError);
  assert.throws(() => api.decide(null, { ...gcra, algorithm: "leaky" }), api.ApiError);
  assert.throws(() => api.decide(null, { ...gcra, limit: 1.5 }), /limit: expected a whole number/);
});

test("what JavaScript lets through is refused by its name", () => {
  const query = api.parseEvents("", { now: NOW });
  const wrong = [
    [() => api.parseFilter("US").matches("US", "fuzzy"), /collation: expected one of exact/],
    [() => api.resolveTime("now", { edge: "middle" }), /edge: expected one of start, end/],
    [() => api.parseEvents("", { now: Infinity }), /now: expected a Date/],
    [() => api.parseEvents("", { now: new Date("x") }), /now: expected a Date/],
    [() => api.defineParams({ a: api.integer({ minimum: 0.5 }) }), /a: minimum: expected a whole/],
    [() => api.defineParams({}, { columns: [{ name: "x", type: "blob" }] }), /x: type: expected one/],
    [() => api.decimal({ operators: ["=>"] }), /operators: expected some of =, >=/],
    [() => query.toSql("sqlite", "t", { form: "rows" }), /form: expected one of page/],
    [() => query.toSql("sqlite", "t", { columns: { nope: "x" } }), /columns: the query has no column 'nope'/],
    [() => query.cursorBeside([1.5, "x"]), /keys: expected a whole number/],
    [() => query.cursorBeside([2n ** 63n, "x"]), /keys: expected a whole number/],
  ];
  for (const [act, message] of wrong) assert.throws(act, message);
  assert.throws(() => api.parseTags("search=x").matches({}), /search: matches has no test/);
});

test("an integer of more than 64 bits is refused, as a parameter and in a row", () => {
  const endpoint = api.defineParams({ n: api.integer({ operators: ["=", ">="] }) });
  for (const text of ["n=9007199254740992", "n=18446744073709551616", "n[gte]=1e30", "n[gte]=-1e30"]) {
    const [error] = endpoint.errors(text);
    assert.match(error.rule, /number_too_(large|small)/, text);
    assert.deepEqual([error.status, error.offset, error.length], [422, 0, text.split("=")[1].length]);
  }
  const query = endpoint.parse("n=0");
  assert.equal(query.matches({ n: 0n }), true);
  assert.throws(() => query.matches({ n: 2n ** 64n }), /n: column 'n': expected a whole number/);
});

test("a filter asks lists too, and parameters stand for a query string", () => {
  assert.equal(api.parseFilter("a,b").matches(["c", "b"]), true);
  assert.equal(api.parseFilter("-a,b").matches(new Set(["c"])), true);
  assert.equal(api.parseFilter("-a,b").matches([]), true);
  assert.equal(api.parseFilter("a").matches(undefined), false);
  const values = { country: api.parseFilter("-US,CA"), start: new Date(NOW), page: 2, key: null };
  assert.equal(api.toQueryString(values), "country=-US%2CCA&start=2026-08-21T02%3A30%3A15.123Z&page=2");
  const read = api.parseEvents(new URLSearchParams({ city: "São Paulo" }), { now: NOW });
  assert.deepEqual(read.values.city.values, ["São Paulo"]);
  assert.equal(JSON.stringify(read), JSON.stringify(read.tree()));
});

test("a page has at most 1,000 rows unless its table says otherwise", () => {
  const table = api.defineParams({ page: api.page() });
  assert.equal(table.parse("limit=1000").values.page.limit, 1_000);
  assert.equal(table.errors("limit=1001")[0].rule, "number_too_large");
});

test("clocks of the year 0 are ahead by what the sun was", () => {
  const noon = Date.parse("0000-06-01T12:00:00Z");
  const ahead = (9 * 60 + 18) * 60 + 59; // Tokyo until 1887
  const resolved = api.resolveTime("0000-06-01T12:00", { timezone: "Asia/Tokyo" });
  assert.equal(resolved.getTime(), noon - ahead * 1_000);
});
