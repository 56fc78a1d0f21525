// SPDX-License-Identifier: MIT
// Parameters of every test and type of column: their values, trees, errors, rows and OpenAPI.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const api = await import(pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/index.js`).href);
await api.load();

const ID = "0190c7a6-7c3e-7d3e-8f3e-0123456789ab";
const SIZES = ["small", "large"];
const table = api.defineParams(
  {
    score: api.real({ operators: ["=", ">=", "<"] }),
    due: api.date({ operators: ["=", ">", "<="] }),
    days: api.filter({ type: "date" }),
    size: api.choice(SIZES, { type: "choice", operators: ["=", ">="] }),
    sizes: api.filter({ column: { name: "sizes", type: "choice", choices: SIZES, isList: true }, choices: SIZES }),
    word: api.choice(["a", "b"]),
    name: api.text({ operators: ["=", ">", "<="] }),
    part: api.contains({ column: "title" }),
    start: api.startsWith({ column: "title" }),
    end: api.endsWith({ column: { name: "tags", isList: true, collation: "ignore_case" } }),
    gone: api.isNull({ column: { name: "seats", type: "integer", isNullable: true } }),
    noTags: api.isNull({ column: { name: "labels", isList: true, isNullable: true } }),
    token: api.uuid({ type: "uuid" }),
    tokens: api.filter({ column: { name: "tokens", type: "uuid", isList: true } }),
    ports: api.filter({ column: { name: "ports", type: "integer", isList: true } }),
    q: api.search("title", "note"),
    noLines: api.isNull({
      column: { name: "lines", type: "records", isNullable: true, columns: [{ name: "sku" }, { name: "n", type: "integer" }] },
    }),
    order: api.sort(["score", "due", "size", "token", "id"]),
  },
);
const bounds = (members) => ({ eq: null, gte: null, gt: null, lte: null, lt: null, ...members });

/** The members of a query's conditions, which are all on one column. */
const conditionOf = (query) => Object.assign({}, ...query.tree().where.all);

const CASES = [
  // query, name of the value, value, condition, values of its column with which a row passes, and others
  ["score=0.1", "score", bounds({ eq: 0.1 }), { gte: 0.1, lte: 0.1 }, [0.1], [0.2, null, NaN, 0, -0.1]],
  ["score[gte]=-1e-7&score[lt]=1e22", "score", bounds({ gte: -1e-7, lt: 1e22 }), { gte: -1e-7, lt: 1e22 },
    [0, -0, 5e-324, -1e-7, 9e21, 5n], [1e22, Infinity, -Infinity, -1e-6, 2n ** 80n]],
  ["score[gte]=-1.7976931348623157e308", "score", bounds({ gte: -1.7976931348623157e308 }),
    { gte: -1.7976931348623157e308 }, [Infinity, -1.7976931348623157e308], [-Infinity, NaN]],
  ["due=2026-02-28", "due", bounds({ eq: "2026-02-28" }), { gte: "2026-02-28", lte: "2026-02-28" },
    ["2026-02-28"], ["2026-03-01", null]],
  ["due[gt]=2024-02-29&due[lte]=9999-12-31", "due", bounds({ gt: "2024-02-29", lte: "9999-12-31" }),
    { gt: "2024-02-29", lte: "9999-12-31" }, ["2024-03-01", "9999-12-31"], ["2024-02-29", "0001-01-01"]],
  ["days=-2026-01-01,2026-01-02", "days", "-2026-01-01,2026-01-02", { none_of: ["2026-01-01", "2026-01-02"] },
    ["2026-01-03", null], ["2026-01-02"]],
  ["size=large", "size", bounds({ eq: "large" }), { any_of: ["large"] }, ["large"], ["small", "other", null]],
  ["size[gte]=small", "size", bounds({ gte: "small" }), { gte: "small" }, ["small", "large"], ["other", null]],
  ["sizes=large", "sizes", "large", { any_of: ["large"] }, [["small", "large"], new Set(["large"])], [[], ["small"], null]],
  ["word=b", "word", "b", { any_of: ["b"] }, ["b", ["a", "b"]], ["a", null]],
  ["name[gt]=a&name[lte]=%C3%A9", "name", bounds({ gt: "a", lte: "é" }), { gt: "a", lte: "é" },
    ["ab", "é", "z"], ["a", "ú", "ﬀ", "A", null]],
  ["part=%25_", "part", "%_", { contains: ["%_"] }, ["%_", "a%_b", ["x", "%_"]], ["%a_", "", null, []]],
  ["start=Ab", "start", "Ab", { starts_with: ["Ab"] }, ["Ab", "Abc"], ["ab", "cAb", null]],
  ["end=%C3%89x", "end", "Éx", { ends_with: ["Éx"] }, [["a", "ÉX"], "Éx"], [["éx"], ["Éxa"], null]],
  ["gone=true", "gone", true, { is_null: true }, [null, undefined, NaN], [0, 5n]],
  ["gone=false", "gone", false, { is_null: false }, [0, 5n], [null]],
  ["noTags=true", "noTags", true, { is_null: true }, [null], [[], ["a"]]],
  ["noLines=false", "noLines", false, { is_null: false }, [[], [{ sku: "a", n: 1 }]], [null]],
  [`token=${ID.toUpperCase()}`, "token", ID, { any_of: [ID] }, [ID, ID.toUpperCase()], [ID.slice(1), null]],
  [`tokens=-${ID}`, "tokens", `-${ID}`, { none_of: [ID] }, [[], ["x"], null], [["x", ID.toUpperCase()]]],
  ["ports=80,9223372036854775807", "ports", "80,9223372036854775807", { any_of: ["80", "9223372036854775807"] },
    [[1, 80], [2n ** 63n - 1n], new Set([80, null])], [[], [81], null]],
];
const COLUMNS = { part: "title", start: "title", end: "tags", gone: "seats", noTags: "labels", noLines: "lines" };

for (const [text, name, value, condition, passing, others] of CASES) {
  test(`${text}: ${JSON.stringify(condition)}`, () => {
    const query = table.parse(text);
    const held = query.values[name];
    assert.deepEqual(held instanceof api.Filter ? held.text : held, value);
    const { column, collation, ...members } = conditionOf(query);
    assert.deepEqual([column, members], [COLUMNS[name] ?? name, condition]);
    assert.equal(collation, name === "end" ? "ignore_case" : undefined);
    for (const cell of passing) assert.equal(query.matches({ [column]: cell }), true, String(cell));
    for (const cell of others) assert.equal(query.matches({ [column]: cell }), false, String(cell));
    const again = table.parse(api.toQueryString(query.values));
    assert.deepEqual(again.tree(), query.tree());
    assert.equal(table.parse(query.toQueryString()).toQueryString(), query.toQueryString());
  });
}

test("a search over columns finds any of its words in any of them", () => {
  const query = table.parse("q=Hello+w%25");
  assert.deepEqual(query.tree().where.all, [{
    any: [{ column: "title", contains: ["Hello", "w%"] }, { column: "note", contains: ["Hello", "w%"] }],
  }]);
  assert.equal(query.values.q, "Hello w%");
  for (const [title, note, passes] of [["Hello", null, true], [null, "aw%b", true], ["wb", "hello", false]]) {
    assert.equal(query.matches({ title, note }), passes);
  }
  assert.match(query.toSql("postgresql", "t").text, /"title".*"note"/);
  const named = api.defineParams({ search: api.search("title", { name: "find" }) });
  assert.deepEqual(named.parameters, ["find"]);
  assert.throws(() => api.search(5), /^TypeError: search: expected a list of texts/);
  const wrong = { q: api.search("n"), n: api.integer() };
  assert.throws(() => api.defineParams(wrong), /^TypeError: q: .*n/);
});

test("a row's time may be late, with any number of digits", () => {
  const query = api.defineParams({ at: api.time({ operators: [">"] }) }).parse("at[gt]=9999-12-31T23:59:57Z");
  for (const seconds of ["58Z", "58.1Z", "58.999Z", "59.999999Z"]) {
    assert.equal(query.matches({ at: `9999-12-31T23:59:${seconds}` }), true, seconds);
  }
});

const ERRORS = [
  // query, rule, parameter, offset, length
  ["score=1e999", "number_too_large", "score", 0, 5],
  ["score[gte]=0x1", "number_malformed", "score[gte]", 0, 3],
  ["score=NaN", "number_malformed", "score", 0, 3],
  ["due=2026-02-30", "day_impossible", "due", 0, 10],
  ["due[gt]=2026-2-1", "time_malformed", "due[gt]", 0, 8],
  ["days=2026-01-01,tomorrow", "filter_value", "days", 11, 8],
  ["size=medium", "choice_unknown", "size", 0, 6],
  ["sizes=small,medium", "filter_value", "sizes", 6, 6],
  ["gone=maybe", "boolean_malformed", "gone", 0, 5],
  ["ports=80,x", "filter_value", "ports", 3, 1],
  ["token=0190", "value_malformed", "token", 4, 0],
];
for (const [text, rule, param, offset, length] of ERRORS) {
  test(`refused: ${text}`, () => {
    const [error, ...others] = table.errors(text);
    assert.deepEqual(others, []);
    assert.deepEqual([error.rule, error.param, error.offset, error.length], [rule, param, offset, length]);
  });
}

const NO_CELLS = [
  // query, the value of the row, what is expected
  ["score=1", "1", "column 'score': expected a number"],
  ["due=2026-01-01", new Date(0), "column 'due': expected text such as 2026-08-21"],
  ["due=2026-01-01", "2026-1-1", "expected text such as 2026-08-21"],
  ["size=small", 5, "column 'size': expected a text"],
  ["sizes=small", "small", "column 'sizes': expected a list"],
  ["sizes=small", ["small", 5], "column 'sizes': expected a list, each item a text"],
  ["ports=1", ["1"], "column 'ports': expected a list, each item a whole number"],
  ["ports=1", [2n ** 63n], "column 'ports': expected a list, each item a whole number"],
  ["noLines=true", "x", "column 'lines': expected a list of records"],
];
for (const [text, cell, expected] of NO_CELLS) {
  test(`no cell: ${text} of ${String(cell)}`, () => {
    const query = table.parse(text);
    const { column } = conditionOf(query);
    assert.throws(() => query.matches({ [column]: cell }), (thrown) => {
      assert.ok(thrown.message.includes(expected), thrown.message);
      return thrown instanceof TypeError;
    });
  });
}

test("OpenAPI describes them", () => {
  const schemas = new Map(table.openapiParameters.map(({ name, schema }) => [name, schema]));
  assert.equal(schemas.get("score").type, "number");
  assert.equal(schemas.get("due[gt]").format, "date");
  assert.deepEqual(schemas.get("size[gte]").enum, SIZES);
  assert.equal(schemas.get("gone").type, "boolean");
  assert.equal(schemas.get("token").format, "uuid");
  for (const name of ["part", "start", "end", "q"]) assert.equal(schemas.get(name).type, "string");
});

test("cursors have keys of every type", () => {
  const row = (order, ...keys) => table.parse(`order=${order}`).cursorBeside([...keys, "x"]);
  for (const [order, key] of [["score", 0.5], ["score", 1e-7], ["score", 3], ["due", "2026-01-01"], ["size", "large"], ["token", ID]]) {
    assert.equal(typeof row(order, key), "string");
  }
  for (const [order, key] of [["score", "x"], ["due", "2026-02-30"], ["size", "other"], ["token", "x"]]) {
    assert.throws(() => row(order, key), { name: "ApiError", rule: "value_malformed" });
  }
  for (const [order, key] of [["score", NaN], ["score", Infinity], ["due", 1.5], ["id", 0.5]]) {
    assert.throws(() => row(order, key), /^TypeError: keys: expected a whole number/);
  }
});

test("a place names the type of its column in the database", () => {
  const times = api.defineParams({ seen: api.time({ operators: [">="] }), name: api.filter() });
  const query = times.parse("seen[gte]=2026-01-01&name=a");
  const place = { column: "o.seen_at", kind: "timestamptz" };
  const { text } = query.toSql("postgresql", "t", { columns: { seen: place, name: "o.name" } });
  assert.match(text, /o\.seen_at >= \$\d::text::timestamptz/);
  const wrong = [
    [{ column: "a" }, "columns: seen: kind: expected a text, not Undefined"],
    [{ column: "a", kind: "timestamptz", type: "x" }, "columns: seen: unknown option 'type', expected column, kind"],
    [{ column: "a", kind: "moment" }, /^columns: seen: kind: expected one of .*timestamptz.*, not 'moment'$/],
    [{ column: "a", kind: "jsonb" }, /^columns: seen: kind: expected one of .*timestamptz.*, not 'jsonb'$/],
    [5, "columns: seen: expected an object of options, not 5"],
    [["a"], "columns: seen: expected an object of options, not Array"],
  ];
  for (const [seen, message] of wrong) {
    assert.throws(() => query.toSql("postgresql", "t", { columns: { seen } }), { name: "TypeError", message });
  }
});

test("columns have choices and columns of their own, which are checked", () => {
  const wrong = [
    [{ name: "c", type: "money" }, /^TypeError: c: type: expected one of text, integer, .*records/],
    [{ name: "c", type: "choice", choices: "a" }, /^TypeError: c: choices: expected a list of texts/],
    [{ name: "c", type: "records", columns: [{ name: "d", type: "x" }] }, /^TypeError: d: type: expected one of/],
  ];
  for (const [column, message] of wrong) assert.throws(() => api.defineParams({ a: api.isNull({ column }) }), message);
  const two = { a: api.choice(["x"], { type: "choice", column: "c" }), b: api.choice(["y"], { type: "choice", column: "c" }) };
  assert.throws(() => api.defineParams(two), /c: two parameters say different things/);
});

test("a tree is read back to its query", () => {
  const query = table.parse("score[gte]=0.5&q=a+b&order=-due");
  const read = table.fromTree(query.tree());
  assert.deepEqual([read.tree(), read.values, read.toQueryString()], [query.tree(), {}, ""]);
  assert.deepEqual(read.toSql("duckdb", "t"), query.toSql("duckdb", "t"));
  assert.equal(read.cursorBeside(["2026-01-01", "x"]), query.cursorBeside(["2026-01-01", "x"]));
  assert.equal(table.fromTree({}).matches({}), true);
  const large = '{"where":{"column":"seats","gte":9223372036854775807}}';
  assert.deepEqual([2n ** 63n - 1n, 2n ** 63n - 2n].map((seats) => table.fromTree(large).matches({ seats })), [true, false]);
  read.free();
  assert.throws(() => read.tree(), ReferenceError);
});

test("any of a row's records meets a condition", () => {
  const where = { column: "lines", any: { all: [{ column: "sku", any_of: ["a"] }, { column: "n", gte: 5 }] } };
  const query = table.fromTree({ where });
  const matches = (...lines) => query.matches({ lines });
  assert.deepEqual([matches({ sku: "a", n: 4 }, { sku: "b", n: 9 }), matches({ sku: "b", n: 9 }, { sku: "a", n: 5n })], [false, true]);
  assert.deepEqual([matches(), query.matches({ lines: null }), matches(null)], [false, false, false]);
  assert.throws(() => matches({ sku: "a" }), /^TypeError: the row has no 'n'$/);
  assert.throws(() => matches({ sku: "a", n: "5" }), /^TypeError: n: column 'n': expected a whole number/);
  assert.equal(query.matches({ lines: new Set([new Map([["sku", "a"], ["n", 5]])]) }), true);
});

test("a tree that is wrong is refused with the path to the member", () => {
  const wrong = [
    [{ where: { all: [{ column: "score", gt: "5" }] } }, /^where\.all\[0\]\.gt of column score: /, "field_type"],
    [{ where: { column: "colour", any_of: [] } }, /^where: no column 'colour'/, "field_value"],
    ["{", /^\w+/, "json_malformed"],
  ];
  for (const [tree, message, rule] of wrong) {
    assert.throws(() => table.fromTree(tree), (thrown) => {
      assert.match(thrown.message, message);
      return thrown instanceof api.ApiError && thrown.rule === rule;
    });
  }
  for (const tree of [5, null, undefined, [], new Map(), new Date(0)]) {
    assert.throws(() => table.fromTree(tree), /^TypeError: tree: expected an object or its JSON, not /);
  }
});
