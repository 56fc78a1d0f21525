// SPDX-License-Identifier: MIT
// What stands for a query string, and names that every object inherits.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";

const api = await import(pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/index.js`).href);
await api.load();
const now = Date.UTC(2026, 7, 21, 2, 30, 15, 123);

const orders = api.defineParams({
  status: api.filter({ default: "open" }),
  number: api.filter({ type: "integer" }),
  ids: api.texts(),
  customer: api.text({ column: "customer_id", prefix: "cus_" }),
  kind: api.choice(["new", "old"], { default: "new" }),
  urgent: api.boolean({ name: "isUrgent" }),
  items: api.integer({ minimum: -99, maximum: 99, default: 5 }),
  weight: api.integer({ operators: ["=", ">=", "<"] }),
  total: api.decimal({ operators: ["=", ">=", "<=", ">"], name: "sum" }),
  seen: api.time({ operators: [">=", "<="] }),
  batch: api.uuid(),
  meta: api.metadata(),
  search: api.search(),
  created: api.window({ column: "created_at", default: "30d", prefix: "made_" }),
  order: api.sort(["created_at", "total", "id"], { default: "-created_at" }),
  page: api.page({ default: 20, maximum: 500, prefix: "p_" }),
});

// --- What stands for a query string ------------------------------------------------------------

const STANDS = [
  // what is parsed, the values of status that it means
  ["status=a&number=1", ["a"]],
  ["?status=a&number=1", ["a"]],
  ["?https://x/?status=a&status=b", undefined], // what a client may send
  [new URL("https://shop.example/orders?status=a&number=1#top"), ["a"]],
  [new URLSearchParams({ status: "a,b" }), ["a", "b"]],
  [new Map([["status", "a"], ["number", 1]]), ["a"]],
  [new Map([["status", ["a,b", "-c"]]]), ["a,b", "-c"]],
  [[["status", "a"], ["status", "b"]], ["a", "b"]],
  [{ status: "a,b" }, ["a", "b"]],
  [{ status: ["a,b", "-c", "d\\"] }, ["a,b", "-c", "d\\"]],
  [{ status: new Set(["b", "a"]) }, ["a", "b"]],
  [{ status: ["a", null, undefined, api.parseFilter("b,c")] }, ["a", "b", "c"]],
  [{ status: [1, true, -1n, new Date(0)] }, ["-1", "1", "1970-01-01T00:00:00.000Z", "true"]],
  [Object.assign(Object.create(null), { status: "a" }), ["a"]],
  [{ status: null, number: undefined }, ["open"]],
  [{}, ["open"]],
  ["", ["open"]],
];
for (const [query, values] of STANDS) {
  test(`a query string: ${inspect(query)}`, () => {
    if (values === undefined) return assert.throws(() => orders.parse(query), api.ApiError);
    assert.deepEqual([...orders.parse(query, { now }).values.status.values].sort(), [...values].sort());
  });
}

test("a form stands for its fields", () => {
  const form = new FormData();
  form.append("status", "a,b");
  form.append("ids", "x");
  form.append("ids", "y");
  const { status, ids } = orders.parse(form).values;
  assert.deepEqual([status.values, ids], [["a", "b"], ["x", "y"]]);
  form.append("file", new Blob(["x"]));
  assert.throws(() => orders.parse(form), /^TypeError: file: expected a text.*, not File$/);
});

class Filters {
  status = "a";
}
const NO_QUERIES = [
  // what is parsed, what it is called
  [5, "5"], [NaN, "NaN"], [true, "true"], [null, "Null"], [undefined, "Undefined"], [5n, "BigInt"],
  [() => "status=a", "Function"], [Symbol("status"), "Symbol"],
  [new Set(["status"]), "Set"], [["status=a"], "Array"], [[["status"]], "Array"], [[[1, "a"]], "Array"],
  [new Date(0), "Date"], [new Filters(), "Object"], [Promise.resolve({}), "Promise"],
  [new Request("https://shop.example/?status=a"), "Request"], [new Uint8Array(3), "Uint8Array"],
  [new String("status=a"), "String"],
];
for (const [query, name] of NO_QUERIES) {
  test(`no query string: ${name} ${inspect(query)}`, () => {
    const expected = { name: "TypeError", message: /^query: expected a query string, a URL, .* not / };
    for (const read of [orders.parse, orders.errors, api.parseEvents, api.tags.errors, api.toQueryString]) {
      assert.throws(() => read(query), (thrown) => {
        assert.match(thrown.message, expected.message);
        return thrown.name === expected.name && thrown.message.endsWith(`, not ${name}`);
      });
    }
  });
}

const NO_VALUES = [
  [{ status: new Map([["a", 1]]) }, /^status: .*, not Map$/],
  [{ status: [["a"]] }, /^status: .*, not Array$/],
  [{ status: [{ a: 1 }] }, /^status: .*, not Object$/],
  [{ status: [""] }, /^status: an item of a list is empty/],
  [{ status: { a: 1 } }, /^status: unknown member 'a', expected eq, gte/],
  [{ status: () => "a" }, /^status: .*, not Function$/],
  [{ number: NaN }, /^number: .*, not NaN$/],
  [{ number: [1, Infinity] }, /^number: .*, not Infinity$/],
  [{ seen: { gte: new Date(NaN) } }, /^seen\[gte\]: expected a time, not an invalid Date$/],
  [{ ids: ["a,b"] }, /^ids: expected items without a comma$/],
  [{ status: orders.parse("status=a").values }, /^status: unknown member 'status', expected eq, gte/],
];
for (const [query, message] of NO_VALUES) {
  test(`no value: ${message}`, () => {
    assert.throws(() => orders.parse(query), (thrown) => {
      assert.match(thrown.message, message);
      return thrown instanceof TypeError;
    });
  });
}

const ADDRESSES = [
  // text, bytes of the address
  ["https://shop.example/orders?status=a", 27],
  ["HTTP://shop.example", 19],
  ["file:///orders?status=a", 14],
  ["/orders?status=a", 7],
  ["/é?status=a", 3],
  ["orders?status=a", 6],
];
for (const [text, length] of ADDRESSES) {
  test(`no query string: ${text}`, () => {
    for (const endpoint of [orders, api.events, api.tags]) {
      const [error, ...others] = endpoint.errors(text, { strict: false });
      assert.deepEqual(others, []);
      assert.throws(() => endpoint.parse(text, { strict: false }), { message: error.message });
      const { status, rule, param, offset } = error;
      assert.deepEqual([status, rule, param, offset, error.length], [400, "parameter_unknown", null, 0, length]);
      assert.equal(error.message, "query: a whole address, give what comes after its '?'");
      assert.equal(text.slice(...error.range), text.split("?")[0]);
    }
  });
}

test("a list's items mean themselves, in each kind of parameter", () => {
  const values = (query) => orders.parse(query, { now }).values;
  assert.deepEqual(values({ ids: ["-x", "a\\b"] }).ids, ["-x", "a\\b"]);
  assert.deepEqual(values({ number: [-1, 2] }).number.values, ["-1", "2"]);
  for (const number of [-1, -1n]) {
    assert.deepEqual([values({ number }).number.values, values({ number }).number.excludes], [["-1"], false]);
  }
  assert.equal(values({ items: -7, weight: { gte: -3 } }).items, -7);
  assert.equal(api.toQueryString({ items: -7, weight: { gte: -3n } }), "items=-7&weight%5Bgte%5D=-3");
  assert.equal(values({ customer: ["cus_-a,b"] }).customer, "-a,b");
  assert.deepEqual(values({ order: ["-total"] }).order, [{ name: "total", descending: true }]);
  const city = api.parseEvents({ city: ["Washington, D.C.", "-x"] }).values.city;
  assert.deepEqual([city.values, city.excludes], [["Washington, D.C.", "-x"], false]);
  assert.deepEqual(api.parseTags({ ids: ["-x", "y"] }).values.ids, ["-x", "y"]);
  assert.equal(api.toQueryString({ city: ["Washington, D.C.", "-x"] }), "city=Washington%5C%2C+D.C.&city=%5C-x");
});

test("the default of a filter may be a list", () => {
  const { city } = api.defineParams({ city: api.filter({ default: ["Washington, D.C.", "-x"] }) }).parse("").values;
  assert.deepEqual([city.values, city.excludes], [["Washington, D.C.", "-x"], false]);
  for (const absent of [{ a: 1 }, [1], new Map()]) {
    assert.throws(() => api.defineParams({ city: api.filter({ default: absent }) }), /^TypeError: city: default: /);
  }
});

// --- Values of a query -------------------------------------------------------------------------

let state = 3;
/** mulberry32: a whole number below `most`. */
function random(most) {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
}
const pick = (from) => from[random(from.length)];

const VALUES = {
  status: ["a", "-a,b", "Washington\\, D.C.", "\\-x", ""], number: ["7", "-7,8"], ids: ["x,y", "-x"],
  customer: ["cus_1", "cus_-a,b"], kind: ["old", "new"], isUrgent: ["true", "FALSE"], items: ["7", "-1", "1e1"],
  weight: ["1"], "weight[gte]": ["-3"], "weight[lt]": ["9007199254740991"], sum: ["10.50"],
  "sum[gte]": ["1e-400", "-0.10"], "sum[lte]": ["123456789012345678901234567890.5"], "sum[gt]": ["0"],
  "seen[gte]": ["2026-08-01", "yesterday"], "seen[lte]": ["2026-08-01T12:00:00.001Z"],
  batch: ["0190C7A6-7C3E-7D3E-8F3E-0123456789AB"], meta: ["metadata['a']:1 OR NOT metadata['b']>2"],
  search: ["a b&c"], made_interval: ["7d", "all", "mtd"], made_start: ["2026-03-29", "3 days ago"],
  made_end: ["today", "2026-08-01"], made_timezone: ["Europe/Paris"], order: ["total", "-total,created_at"],
  p_page: ["3", "1e2"], p_limit: ["7"], p_count: ["true"],
};

/** A query string of a few parameters that is accepted. */
function randomQuery() {
  const names = Object.keys(VALUES).filter(() => random(4) === 0);
  return new URLSearchParams(names.map((name) => [name, pick(VALUES[name])])).toString();
}

test("the values of a query are written as a query string of the same query", () => {
  let read = 0;
  for (let turn = 0; turn < 2_000; ++turn) {
    const text = randomQuery();
    if (orders.errors(text, { now }).length > 0) continue; // a window that starts after its end
    ++read;
    const query = orders.parse(text, { now });
    const again = orders.parse(api.toQueryString(query.values), { now });
    assert.equal(again.toQueryString(), query.toQueryString(), text);
    assert.deepEqual(again.tree(), query.tree(), text);
    assert.deepEqual(again.values, query.values, text);
    assert.deepEqual(orders.parse(query.values, { now }).tree(), query.tree(), text);
    for (const handle of [query, again]) handle.free();
  }
  assert.ok(read > 1_500);
});

test("so are those of the service", () => {
  for (const text of [
    "event=sales&country=-US&interval=all&externalId=ext_1&saleType=new", "start=2026-08-01&timezone=Asia/Tokyo",
    "qr=true&tagIds=a,b&order=asc&page=3", "query=metadata['a']:1&event=leads&root=false&count=true",
  ]) {
    const query = api.parseEvents(text, { now });
    const again = api.parseEvents(api.toQueryString(query.values), { now });
    assert.deepEqual(again.tree(), query.tree(), text);
  }
  const tags = api.parseTags("ids=a,b&search=x&sortBy=createdAt");
  assert.deepEqual(api.parseTags(tags.values).tree(), tags.tree());
});

test("values may be changed, and keep their meaning", () => {
  const table = api.defineParams({
    status: api.filter(),
    total: api.decimal({ operators: [">=", "="] }),
    seen: api.time({ operators: ["<="] }),
    created: api.window({ prefix: "made_" }),
    order: api.sort(["total", "created"]),
    page: api.page({ prefix: "p_" }),
  });
  const text = "status=a&total[gte]=1.50&seen[lte]=2026-08-01&made_interval=7d&order=-total,created&p_page=2";
  const query = table.parse(text, { now });
  const changed = { ...query.values, status: ["Washington, D.C."] };
  assert.deepEqual([...new URLSearchParams(api.toQueryString(changed))], [
    ["status", "Washington\\, D.C."], ["total[gte]", "1.50"], ["seen[lte]", "2026-08-01T23:59:59.999Z"],
    ["made_start", "2026-08-14T02:30:15.123Z"], ["made_end", "2026-08-21T02:30:15.123Z"], ["made_timezone", "UTC"],
    ["order", "-total,created"], ["p_page", "2"], ["p_limit", "100"], ["p_count", "false"],
  ]);
  const cursor = table.parse("order=created").cursorBeside([now, "x"]);
  const { page } = table.parse({ p_cursor: cursor, order: "created" }).values;
  assert.deepEqual([...new URLSearchParams(api.toQueryString({ page }))].map(([name]) => name),
    ["p_cursor", "p_limit", "p_count"]);
  assert.equal(api.toQueryString({ total: { eq: 1, gte: "2" } }), "total=1&total%5Bgte%5D=2");
  const week = api.resolveWindow({ interval: "7d", now });
  assert.equal(api.toQueryString({ created: week }),
    "start=2026-08-14T02%3A30%3A15.123Z&end=2026-08-21T02%3A30%3A15.123Z&timezone=UTC");
});

test("pages and windows have the names of their endpoint", () => {
  const table = api.defineParams({
    created: api.window({ start: "created_after", end: "created_before", interval: null, timezone: "tz" }),
    page: api.page({ page: null, offset: "skip", limit: "top", cursor: "after", count: null, maximum: 50, default: 10 }),
  });
  assert.deepEqual(table.parameters, ["created_after", "created_before", "tz", "skip", "top", "after"]);
  assert.deepEqual(table.openapiParameters.map(({ name }) => name), table.parameters);
  const query = table.parse("skip=5&top=7&created_after=2026-08-01&tz=Europe/Paris", { now });
  assert.deepEqual(query.values.page, { number: 1, offset: 5, limit: 7, cursor: null, count: false });
  assert.deepEqual(query.tree().page, { number: 1, offset: 5, size: 7 });
  assert.deepEqual([...new URLSearchParams(api.toQueryString({ ...query.values }))], [
    ["created_after", "2026-07-31T22:00:00.000Z"], ["created_before", "2026-08-21T02:30:15.123Z"],
    ["tz", "Europe/Paris"], ["skip", "5"], ["top", "7"],
  ]);
  assert.deepEqual(table.parse({ ...query.values }, { now }).values, query.values);
  assert.equal(table.errors("page=1")[0].message.startsWith("page: unknown parameter"), true);
  assert.equal(table.errors("created_after=2026-08-02&created_before=2026-08-01", { now })[0].param, "created_after");
  const { page } = table.parse({ after: query.cursorBeside(["x"]) }, { now }).values;
  assert.deepEqual([...new URLSearchParams(api.toQueryString({ page }))].map(([name]) => name), ["after", "top"]);
  for (const wrong of [{ page: "" }, { cursor: 5 }, { limit: 10 }]) {
    assert.throws(() => api.page(wrong), /expected a parameter's name or null, not/);
  }
  assert.throws(() => api.defineParams({ page: api.page({ offset: "skip" }) }), /leave the name of one out/);
});

// Each text means the values, and the values write the text.
const STYLES = ["brackets", "underscores", "dots", "words"].map((names, index) => [
  { total: api.decimal({ operators: [">=", "<"] }) }, { names },
  ["total[gte]=1&total[lt]=2", "total__gte=1&total__lt=2", "total.gte=1&total.lt=2", "total_min=1&total_below=2"][index],
  { eq: null, gte: "1", gt: null, lte: null, lt: "2" },
]);
const FORMS = [
  ...STYLES,
  [{ at: api.date({ operators: { ">=": "since", "=": "on" } }) }, {}, "since=2026-01-01&on=2026-01-31",
    { eq: "2026-01-31", gte: "2026-01-01", gt: null, lte: null, lt: null }],
  [{ a: api.sort(["x", "y"], { form: "space", name: "by" }) }, { columns: [{ name: "x" }, { name: "y" }] },
    "by=x+desc%2Cy", [{ name: "x", descending: true }, { name: "y", descending: false }]],
  [{ a: api.sort(["x"], { form: "colon" }) }, { columns: [{ name: "x" }] }, "a=x%3Adesc", [{ name: "x", descending: true }]],
  [{ a: api.sort(["x"], { form: "dot" }) }, { columns: [{ name: "x" }] }, "a=x.desc", [{ name: "x", descending: true }]],
  [{ ids: api.texts({ name: "ids[]", lists: "repeated" }) }, {}, "ids[]=a%2Cb&ids[]=c%5C", ["a,b", "c\\"]],
];
for (const [params, options, text, value] of FORMS) {
  test(`a form of parameters: ${text}`, () => {
    const table = api.defineParams(params, options);
    const [name] = Object.keys(params);
    const { values } = table.parse(text);
    assert.deepEqual(values[name], value);
    const [parameter] = table.openapiParameters;
    const pairs = [...new URLSearchParams(api.toQueryString({ [parameter.name]: values[name] }))];
    assert.deepEqual(pairs.sort(), [...new URLSearchParams(text)].sort());
    assert.equal(decodeURIComponent(table.parse(text).toQueryString()), decodeURIComponent(text));
  });
}

const FILTER_FORMS = [
  [{ lists: "repeated" }, "s=a%2Cb&s=-c", false, ["a,b", "-c"]],
  [{ lists: "repeated", exclusion: "always" }, "s=a%2Cb&s=-c", true, ["a,b", "-c"]],
  [{ exclusion: "always" }, "s=a%2Cb", true, ["a", "b"]],
  [{ exclusion: "never" }, "s=%5C-a%2Cb", false, ["-a", "b"]],
];
for (const [options, text, excludes, values] of FILTER_FORMS) {
  test(`a form of filters: ${text} ${JSON.stringify(options)}`, () => {
    const table = api.defineParams({ s: api.filter(options) });
    const query = table.parse(text);
    assert.deepEqual([query.values.s.excludes, query.values.s.values], [excludes, values]);
    assert.equal(api.toQueryString({ s: query.values.s }), text);
    assert.equal(query.toQueryString(), text);
    assert.deepEqual(table.parse({ s: values }).values.s.values, values);
    assert.deepEqual(table.parse({ ...query.values }).values.s, query.values.s);
  });
}

test("the direction of a sort may be a parameter of its own", () => {
  const by = api.sort(["x"], { default: "x", direction: "order", directions: ["up", "down"] });
  const table = api.defineParams({ by }, { columns: [{ name: "x" }] });
  assert.deepEqual(table.parameters, ["by", "order"]);
  assert.deepEqual(table.parse("order=down").values.by, [{ name: "x", descending: true }]);
  assert.deepEqual(table.parse("by=-x").values.by, [{ name: "x", descending: true }]);
  assert.deepEqual(table.parse("by=-x&order=up").tree().order[0], { column: "x", direction: "asc" });
  assert.equal(table.errors("order=desc")[0].rule, "choice_unknown");
});

test("a search has any word, all, or the text", () => {
  const rows = ["a b", "b c a", "c"];
  for (const [form, names] of [["any", ["a b", "b c a"]], ["all", ["a b", "b c a"]], ["phrase", ["a b"]]]) {
    const table = api.defineParams({ q: api.search("name", { form }) });
    const query = table.parse("q=a+b");
    assert.deepEqual(rows.filter((name) => query.matches({ name })), names);
  }
  const table = api.defineParams({ q: api.search("name", { form: "all" }) });
  assert.equal(table.parse("q=a+c").matches({ name: "a b" }), false);
});

test("empty values are absent where they are ignored", () => {
  const params = { total: api.decimal(), ids: api.texts() };
  assert.equal(api.defineParams(params).errors("total=&ids=").length, 1);
  assert.deepEqual(api.defineParams(params, { ignoreEmpty: true }).parse("total=&ids=&x=").values, { total: null, ids: [] });
  const kept = api.defineParams({ ids: api.filter({ default: "a" }) }, { ignoreEmpty: true });
  assert.equal(kept.parse("ids=,").toQueryString(), "ids=%2C");
});

test("a form that no parameter has is refused", () => {
  assert.throws(() => api.defineParams({ a: api.filter({ lists: "spaces" }) }), /a: lists: expected one of commas, repeated/);
  assert.throws(() => api.defineParams({ a: api.filter({ exclusion: "not" }) }), /a: exclusion: expected one of dash/);
  assert.throws(() => api.defineParams({}, { names: "camel" }), /names: expected one of brackets/);
  assert.throws(() => api.defineParams({ a: api.decimal({ operators: { ">=": 5 } }) }), /a: operators: expected a text/);
});

test("a window without an end stays open, as values and as a part of others", () => {
  const table = api.defineParams({ created: api.window({ default: "all" }), name: api.filter() });
  const { values } = table.parse("", { now });
  assert.deepEqual([values.created.start, values.created.end], [null, null]);
  for (const query of [values, { ...values }, { ...values, name: ["x"] }]) {
    const open = table.parse(query, { now });
    assert.equal(open.matches({ created: now + 9e12, name: "x" }), true);
    assert.deepEqual(open.values.created, values.created);
  }
  const { created } = table.parse("end=2026-08-01", { now }).values;
  assert.deepEqual(table.parse({ created }, { now }).values.created, created);
});

test("a window is of its four parameters", () => {
  for (const options of [5, "interval=7d", null, new Map([["interval", "7d"]]), new Date(0)]) {
    assert.throws(() => api.resolveWindow(options), /^TypeError: resolveWindow: expected an object of options, not /);
  }
});

// --- Unknown parameters ------------------------------------------------------------------------

test("an endpoint of one's own refuses unknown parameters unless it says otherwise", () => {
  const [error, ...others] = orders.errors("statu=a");
  assert.deepEqual(others, []);
  assert.deepEqual([error.status, error.rule, error.param], [400, "parameter_unknown", "statu"]);
  assert.match(error.message, /^statu: unknown parameter.*did you mean 'status'/);
  assert.throws(() => orders.parse({ statu: "a" }), api.ApiError);
  assert.equal(orders.parse("statu=a", { strict: false }).toQueryString(), "");
  for (const endpoint of [api.events, api.tags]) { // to which published clients send some
    assert.deepEqual(endpoint.errors("contry=US"), []);
    assert.equal(endpoint.errors("contry=US", { strict: true })[0].rule, "parameter_unknown");
  }
});

// --- Names that every object inherits ----------------------------------------------------------

const INHERITED = ["constructor", "toString", "valueOf", "__proto__", "hasOwnProperty", "__defineGetter__",
  "isPrototypeOf", "toLocaleString"];
for (const name of INHERITED) {
  const of = (value) => Object.fromEntries([[name, value]]); // an own property, __proto__ too

  test(`a parameter and a column called ${name}`, () => {
    const table = api.defineParams({ ...of(api.filter()), order: api.sort([name]) });
    assert.deepEqual(table.parameters, [name, "order"]);
    const query = table.parse(`${name}=ferrari&order=-${name}`);
    assert.equal(Object.hasOwn(query.values, name), true);
    assert.deepEqual(query.values[name].values, ["ferrari"]);
    assert.equal(query.matches(of("ferrari")), true);
    assert.equal(query.matches(of("lotus")), false);
    assert.equal(query.matches(new Map([[name, "ferrari"]])), true);
    assert.equal(query.matches({ team: "ferrari" }, of("team")), true);
    assert.throws(() => query.matches({}), new RegExp(`^TypeError: the row has no '${name}'$`));
    assert.throws(() => query.matches(new Filters()), /the row has no/);
    assert.equal(query.toSql("sqlite", "t", { columns: of("c") }).text.includes("c"), true);
    assert.deepEqual(table.parse(of(["ferrari"])).values[name].values, ["ferrari"]);
    const again = table.parse(api.toQueryString(query.values));
    assert.deepEqual(again.tree(), query.tree());
    assert.equal(table.parse("").values[name].values.length, 0);
  });

  test(`a key of JSON, a member of bounds, an operator, an algorithm called ${name}`, () => {
    const query = api.parseMetadataQuery(`metadata['${name}']:1`);
    assert.equal(query.matches(of(1)), true);
    assert.equal(query.matches({}), false);
    assert.throws(() => api.toQueryString({ total: of(1) }), /^TypeError: total: unknown member/);
    assert.throws(() => api.decimal({ operators: [name] }), /^TypeError: operators: expected some of/);
    assert.throws(() => api.decide({ latest: 0 }, { limit: 1, windowSeconds: 1, now, algorithm: name }));
    assert.throws(() => api.defineParams({ order: api.sort([name]) }), /the schema has no column/);
    assert.equal(orders.errors(`${name}=1`)[0].param, name);
  });
}

test("columns of classes are their accessors and fields, and no methods", () => {
  class Base {
    get total() { return "10.5"; }
    paid() { return true; }
  }
  class Order extends Base { status = "a"; }
  const table = api.defineParams({ status: api.filter(), total: api.decimal(), paid: api.boolean() });
  assert.equal(table.parse("status=a&total=10.50").matches(new Order()), true);
  assert.throws(() => table.parse("paid=true").matches(new Order()), /^TypeError: the row has no 'paid'$/);
  assert.equal(table.parse("status=b").matches(Object.create({ status: "b" })), true);
});

test("parameters are an object of parameters", () => {
  const wrong = [
    [{ a: api.filter }, "a: expected a parameter such as filter(), not Function"],
    [{ a: "filter" }, "a: expected a parameter such as filter(), not 'filter'"],
    [{ __proto__: api.filter() }, "params: expected an object of parameters, not Object"],
    [[api.filter()], "params: expected an object of parameters, not Array"],
    [null, "params: expected an object of parameters, not Null"],
    [{ a: api.filter({ choices: "open" }) }, "a: choices: expected a list of texts, not 'open'"],
    [{ a: api.choice("open") }, "a: choices: expected a list of texts, not 'open'"],
    [{ a: api.sort("open") }, "a: expected a list of texts, not 'open'"],
  ];
  for (const [params, message] of wrong) {
    assert.throws(() => api.defineParams(params), { name: "TypeError", message });
  }
  assert.throws(() => api.integer({ operators: ">=" }), /operators: expected some of/);
});

test("an option that a function lacks is refused by its name", () => {
  const wrong = [
    [() => api.filter({ descripton: "x" }), "filter: unknown option 'descripton', expected name, column, help, accepts"],
    [() => api.texts({ default: ["a"] }), "texts: unknown option 'default'"],
    [() => api.text({ toString: 1 }), "text: unknown option 'toString'"],
    [() => api.integer({ min: 1 }), "integer: unknown option 'min'"],
    [() => api.decimal({ minimum: 1 }), "decimal: unknown option 'minimum'"],
    [() => api.boolean("x"), "boolean: expected an object of options, not 'x'"],
    [() => api.choice(["a"], { defualt: "a" }), "choice: unknown option 'defualt'"],
    [() => api.time({ operator: [">="] }), "time: unknown option 'operator'"],
    [() => api.uuid({ default: "x" }), "uuid: unknown option 'default'"],
    [() => api.metadata({ required: true }), "metadata: unknown option 'required'"],
    [() => api.search({ required: true }), "search: unknown option 'required'"],
    [() => api.search({ column: "x" }), "search: unknown option 'column'"],
    [() => api.window({ defaults: "7d" }), "window: unknown option 'defaults', expected column, default, prefix"],
    [() => api.sort(["a"], { column: "x" }), "sort: unknown option 'column'"],
    [() => api.page({ max: 10 }), "page: unknown option 'max'"],
    [() => api.defineParams({}, { colums: [] }), "defineParams: unknown option 'colums'"],
    [() => api.defineParams({}, { columns: [{ name: "x", nullable: true }] }), "column 'x': unknown option 'nullable'"],
    [() => orders.parse("", { strct: false }), "parse: unknown option 'strct', expected now, strict"],
    [() => orders.errors("", { today: 1 }), "parse: unknown option 'today'"],
    [() => api.resolveTime("today", { timeZone: "Asia/Tokyo" }), "resolveTime: unknown option 'timeZone'"],
    [() => api.resolveWindow({ from: "today" }), "resolveWindow: unknown option 'from'"],
    [() => api.decide(null, { limit: 1, windowSecs: 1 }), "decide: unknown option 'windowSecs', expected limit"],
  ];
  for (const [act, message] of wrong) {
    assert.throws(act, (thrown) => {
      assert.equal(thrown.message.slice(0, message.length), message);
      return thrown instanceof TypeError;
    });
  }
});

test("an option of another type is refused by its name", () => {
  const define = (options) => api.defineParams({ a: api.text(options) });
  const query = orders.parse("", { now });
  const wrong = [
    [() => define({ help: 5 }), "a: help: expected a text, not 5"],
    [() => define({ name: 5 }), "5: name: expected a text, not 5"],
    [() => define({ accepts: ["x"] }), "a: accepts: expected a text, not Array"],
    [() => define({ required: "yes" }), "a: required: expected true or false, not 'yes'"],
    [() => define({ deprecated: 1 }), "a: deprecated: expected true or false, not 1"],
    [() => define({ prefix: 5 }), "a: prefix: expected a text, not 5"],
    [() => api.defineParams({ a: api.sort(["b"], { default: 5 }) }, { columns: [{ name: "b" }] }), "a: default: expected a text, not 5"],
    [() => api.defineParams({}, { columns: [{ name: "b", isList: 1 }] }), "b: isList: expected true or false, not 1"],
    [() => api.defineParams({}, { columns: [{ name: "b", isNullable: "no" }] }), "b: isNullable: expected true or false"],
    [() => api.defineParams({}, { key: { name: 5 } }), "column: name: expected a text, not 5"],
    [() => api.defineParams({}, { ignoreEmpty: 1 }), "defineParams: ignoreEmpty: expected true or false, not 1"],
    [() => orders.parse("", { strict: "no" }), "strict: expected true or false, not 'no'"],
    [() => query.toSql("sqlite", "t", { select: 5 }), "select: expected a text, not 5"],
    [() => query.cursorBeside([1, "x"], { before: 1 }), "before: expected true or false, not 1"],
    [() => api.resolveTime("now", { timezone: 5 }), "timezone: expected a text, not 5"],
  ];
  for (const [act, message] of wrong) {
    assert.throws(act, (thrown) => {
      assert.equal(thrown.message.slice(0, message.length), message);
      return thrown instanceof TypeError;
    });
  }
});

// --- Numbers and texts that would be changed in silence ------------------------------------------

test("whole numbers beyond 64 bits are refused", () => {
  const large = 2n ** 64n;
  const table = api.defineParams({ n: api.integer({ maximum: 2n ** 63n - 1n }), d: api.decimal(), order: api.sort(["n"]) });
  const query = table.parse("n=9223372036854775807");
  assert.equal(query.matches({ n: 2n ** 63n - 1n }), true);
  for (const n of [large, -large, 2n ** 63n]) assert.throws(() => query.matches({ n }), /a bigint of 64 bits/);
  assert.equal(table.parse("d=18446744073709551616").matches({ d: large }), true);
  assert.throws(() => table.parse("order=n").cursorBeside([large, "x"]), /^TypeError: keys: expected a whole number/);
  assert.throws(() => api.defineParams({ n: api.integer({ minimum: -large }) }), /n: minimum: expected a whole/);
  assert.throws(() => api.decide(null, { limit: large, windowSeconds: 1, now }), /limit: expected a whole number/);
});

test("an integer without bounds is any that JavaScript has exactly", () => {
  const table = api.defineParams({ n: api.integer() });
  for (const n of [Number.MIN_SAFE_INTEGER, -1, 0, Number.MAX_SAFE_INTEGER]) {
    assert.equal(table.parse(`n=${n}`).values.n, n);
  }
  for (const [n, rule] of [["-9007199254740992", "number_too_small"], ["9007199254740992", "number_too_large"]]) {
    assert.throws(() => table.parse(`n=${n}`), (error) => error.rule === rule);
  }
});

test("a filter asks texts and lists of these", () => {
  const filter = api.parseFilter("b");
  for (const row of [["a", null, "b"], [undefined, "b"], new Set(["b"]), [["b"]], "b"]) {
    assert.equal(filter.matches(row), true);
  }
  for (const row of [new Map([["a", "b"]]), [1], [{}], { b: 1 }, 5]) {
    assert.throws(() => filter.matches(row), /^TypeError: row: expected a text or a list of texts/);
  }
});

test("texts that are read are texts", () => {
  for (const read of [api.parseFilter, api.parseMetadataQuery, api.resolveTime]) {
    for (const value of [null, undefined, 5, ["a"], {}]) assert.throws(() => read(value), /expected a text, not /);
  }
});

test("half a surrogate pair in a tree is refused", () => {
  const table = api.defineParams({ status: api.filter() });
  for (const [text, place] of [["\ud83d", 39], ["a\ude00", 40], ["\ud83d\ud83d\ude00", 39]]) {
    const tree = { where: { column: "status", any_of: [text] } };
    assert.throws(() => table.fromTree(tree), { name: "ApiError", rule: "json_malformed", offset: place });
  }
  assert.deepEqual(table.fromTree({ where: { column: "status", any_of: ["😀"] } }).tree().where.any_of, ["😀"]);
});

const CUT = '{"plan":"pro","note":"cut \\ud83d"}'; // what JSON.stringify() makes of half an emoji
const DEEP = `{"plan":"pro","x":${"[".repeat(300)}${"]".repeat(300)}}`;
const DOCUMENTS = [
  // expression, document, whether it matches
  ["metadata['plan']:pro", CUT, true],
  ["NOT metadata['plan']:pro", CUT, false],
  ["metadata['plan']:pro", { plan: "pro", note: "cut \ud83d" }, true],
  ["metadata['note']:'cut \ufffd'", { note: "cut \ud83d" }, true],
  ["metadata['note']:'cut \ud83d'", { note: "cut \ud83d" }, true],
  ["metadata['\ufffd']:1", { "\ud83d": 1 }, true],
  ["metadata['plan']:pro", DEEP, true],
  ["NOT metadata['plan']:pro", DEEP, false],
  ["metadata['x']['0']['0']:1", DEEP, false],
];
for (const [expression, document, matches] of DOCUMENTS) {
  test(`${expression} of ${inspect(document).slice(0, 60)}: ${matches}`, () => {
    assert.equal(api.parseMetadataQuery(expression).matches(document), matches);
    const table = api.defineParams({ meta: api.metadata() });
    assert.equal(table.parse({ meta: expression }).matches({ meta: document }), matches);
  });
}

test("JSON may be of Map and Set, and isn't of functions", () => {
  const query = api.parseMetadataQuery("metadata['plan']['tier']:pro");
  const metadata = new Map([["plan", new Map([["tier", "pro"]])]]);
  assert.equal(query.matches(metadata), true);
  const table = api.defineParams({ meta: api.metadata() });
  assert.equal(table.parse("meta=metadata['plan']['tier']:pro").matches({ meta: metadata }), true);
  for (const value of [() => 1, Symbol("x")]) {
    assert.throws(() => query.matches(value), /^TypeError: metadata: expected a value that JSON has/);
    assert.throws(() => table.parse("meta=metadata['a']:1").matches({ meta: value }), /expected a value that JSON has/);
  }
});
