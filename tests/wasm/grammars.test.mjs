// SPDX-License-Identifier: MIT
// Parameters in the grammars of guidelines, and errors in their forms.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const api = await import(pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/index.js`).href);
await api.load();

const CREATED = { name: "created", type: "time" };
const orders = api.defineParams({
  status: api.filter({ choices: ["open", "paid"] }),
  total: api.decimal({ operators: [">="] }),
  odata: api.expression("odata", { name: "$filter", aliases: { createTime: "created" } }),
  few: api.expression("rsql", { columns: ["total"], aliases: { state: "status" }, tests: { state: ["any_of"] } }),
  words: api.expression("aip160", { columns: ["status"], searched: ["city"] }),
  order: api.ordering("odata", { name: "$orderby", aliases: { createTime: "created" } }),
  page: api.page({ default: 2 }),
}, { columns: [CREATED, { name: "city" }] });

const LARGE = { column: "total", gt: "5" };
const OPEN = { column: "status", any_of: ["open"] };

for (const [query, where] of [
  [{ $filter: "" }, { all: [] }],
  [{ $filter: "total gt 5" }, { all: [LARGE] }],
  [{ $filter: "total gt 5 or not (status eq 'open')" }, { all: [{ any: [LARGE, { not: OPEN }] }] }],
  [{ $filter: "createTime gt 2026-08-21T00:00:00Z" }, { all: [{ column: "created", gt: "2026-08-21T00:00:00.000Z" }] }],
  [{ few: "total=gt=5,state==open" }, { all: [{ any: [LARGE, OPEN] }] }],
  [{ words: "Oslo" }, { all: [{ column: "city", contains: ["Oslo"] }] }],
]) {
  test(`a condition: ${JSON.stringify(query)}`, () => {
    const parsed = orders.parse(query);
    assert.deepEqual(parsed.tree().where, where);
    assert.deepEqual(orders.parse(parsed.toQueryString()).tree(), parsed.tree());
  });
}

test("values, and rows that meet a condition", () => {
  const query = orders.parse({ $filter: "total gt 5 or city eq 'Oslo'", $orderby: "createTime desc" });
  assert.equal(query.values.odata, "total gt 5 or city eq 'Oslo'");
  assert.equal(query.values.few, null);
  assert.deepEqual(query.values.order, [{ name: "created", descending: true }]);
  const row = { id: "1", status: "open", total: "3", created: new Date(0), city: "Oslo" };
  assert.equal(query.matches(row), true);
  assert.equal(query.matches({ ...row, city: "Rome" }), false);
  const again = api.toQueryString({ $orderby: query.values.order });
  assert.equal(again, "%24orderby=createTime+desc");
});

const WRITTEN = {
  aip160: '(total > 5 AND city = "*Os*") OR status = "open"',
  odata: "total gt 5 and contains(city,'Os') or status eq 'open'",
  rsql: "total=gt=5;city==*Os*,status==open",
  cql2: "total > 5 AND city LIKE '%Os%' OR status = 'open'",
  scim: 'total gt 5 and city co "Os" or status eq "open"',
  postgrest: "(and(total.gt.5,city.like.*Os*),status.eq.open)",
  "cql2-json":
    '{"op":"or","args":[{"op":"and","args":[{"op":">","args":[{"property":"total"},5]},{"op":"like","args":[{"property":"city"},"%Os%"]}]},{"op":"=","args":[{"property":"status"},"open"]}]}',
};

const TREE = {
  any: [{ all: [LARGE, { column: "city", contains: ["Os"] }] }, OPEN],
};

const endpointOf = (grammar) =>
  api.defineParams({ total: api.decimal(), status: api.filter(), q: api.expression(grammar), page: api.page() },
    { columns: [CREATED, { name: "city" }] });

for (const [grammar, text] of Object.entries(WRITTEN)) {
  test(`conditions are written in ${grammar} and read again`, () => {
    const query = orders.fromTree({ where: TREE });
    assert.equal(query.toExpression(grammar), text);
    assert.deepEqual(endpointOf(grammar).parse({ q: text }).tree().where, { all: [TREE] });
  });
}

for (const [grammar, text] of Object.entries(WRITTEN)) {
  test(`a text of ${grammar} that is cut or changed is refused within it`, () => {
    const changed = [..."'\"()[],;:=*\\% é😀\n"].map((other) => (at) => text.slice(0, at) + other + text.slice(at + 1));
    const endpoint = endpointOf(grammar);
    let refused = 0;
    for (let at = 0; at < text.length; ++at) {
      for (const mutilated of [text.slice(0, at), ...changed.map((change) => change(at))]) {
        for (const { range: [start, end], length, offset } of endpoint.errors({ q: mutilated })) {
          assert.ok(start <= end && end <= mutilated.length, mutilated);
          assert.ok(offset + length <= Buffer.byteLength(mutilated), mutilated);
          ++refused;
        }
      }
    }
    assert.ok(refused > text.length, `${refused}`);
  });
}

test("written names are those of clients, and what a grammar can't say is refused by name", () => {
  const query = orders.parse({ $filter: "not (createTime gt 2026-08-21T00:00:00Z)" });
  const names = { createTime: "created" };
  assert.equal(query.toExpression("odata", names), "not (createTime gt 2026-08-21T00:00:00.000Z)");
  const rule = "expression_inexpressible";
  assert.throws(() => query.toExpression("odata", { total: "total" }), { name: "ApiError", rule, param: "created" });
  assert.throws(() => query.toExpression("rsql"), { name: "ApiError", rule, param: "not" });
  assert.throws(() => query.toExpression("sql"), /^TypeError: grammar: expected one of aip160/);
  assert.throws(() => query.toExpression("odata", { x: "nope" }), /^TypeError: names: the query has no column 'nope'/);
  assert.throws(() => query.toExpression("odata", { x: 5 }), /^TypeError: names: x: /);
});

test("errors have their byte, all at once", () => {
  const errors = orders.errors({ $filter: "totl gt 5", few: "state!=open", words: "(", limit: "x" });
  assert.deepEqual(
    errors.map(({ param, rule, offset, length }) => [param, rule, offset, length]),
    [
      ["$filter", "column_unknown", 0, 4],
      ["few", "operator_refused", 5, 2],
      ["words", "query_condition", 1, 0],
      ["limit", "number_malformed", 0, 1],
    ],
  );
});

test("each grammar documents itself with an example that parses", () => {
  for (const grammar of ["aip160", "odata", "rsql", "cql2", "scim", "postgrest", "cql2-json"]) {
    const table = api.defineParams({ filter: api.expression(grammar), size: api.integer() });
    const [{ schema, description }] = table.openapiParameters;
    assert.match(description, /`size` \(/);
    assert.notDeepEqual(table.parse({ filter: schema.examples[0] }).tree().where, { all: [] });
  }
});

test("the parameters of guidelines", () => {
  const columns = [{ name: "total", type: "integer" }, { name: "city" }];
  const odata = api.defineParams({ odata: api.odata({ default: 3, maximum: 5, order: "city" }) }, { columns });
  assert.deepEqual(odata.parameters, ["$filter", "$orderby", "$skip", "$top", "$skiptoken", "$count"]);
  const query = odata.parse("$filter=total gt 5&$orderby=city desc&$top=70&$skip=8&$count=true");
  const { filter, order, page } = query.values.odata;
  assert.deepEqual([filter, order, page.limit, page.offset, page.count],
    ["total gt 5", [{ name: "city", descending: true }], 5, 8, true]);
  assert.deepEqual(odata.parse({ ...query.values }).tree(), query.tree());
  assert.equal(odata.parse("").values.odata.order[0].name, "city");

  const search = api.defineParams({ odata: api.odata({ searched: ["city"] }) }, { columns }).parse({ $search: 'Oslo "a b"' });
  assert.equal(search.values.odata.search, 'Oslo "a b"');
  assert.equal(search.matches({ id: "1", city: "a b in Oslo" }), true);
  assert.equal(search.matches({ id: "1", city: "Oslo" }), false);

  const aip = api.defineParams({ aip: api.aip({ searched: ["city"], default: 3 }) }, { columns });
  assert.deepEqual(aip.parameters, ["filter", "order_by", "skip", "page_size", "page_token"]);
  assert.equal(aip.parse("page_size=0").values.aip.page.limit, 3);
  const token = aip.parse("filter=total>5").cursorBeside(["7"]);
  assert.ok(aip.parse(`filter=total>5&page_token=${token}`));
  const [error] = aip.errors(`filter=total>6&page_token=${token}`);
  assert.deepEqual([error.rule, error.param, error.status], ["cursor_mismatch", "page_token", 400]);

  const scim = api.defineParams({ scim: api.scim() }, { columns });
  assert.deepEqual(scim.parameters, ["filter", "sortBy", "sortOrder", "startIndex", "count", "cursor"]);
  const parsed = scim.parse("sortBy=city&sortOrder=descending&startIndex=4&count=2");
  assert.deepEqual(parsed.tree().order.map(({ direction }) => direction), ["desc", "desc"]);
  assert.equal(parsed.values.scim.page.offset, 3);
});

test("each row of the tables of guidelines holds: pages, and bodies of errors", () => {
  const read = (name) => readFileSync(new URL(`../data/guidelines/${name}`, import.meta.url), "utf8").trimEnd().split("\n");
  const sizes = { default: 20, maximum: 50 };
  for (const line of read("pages.tsv").slice(1)) {
    const [of, request, expected] = line.split("\t");
    const table = api.defineParams({ all: api[of](sizes) });
    const [error] = table.errors(request);
    if (error !== undefined) {
      assert.equal(error.message, expected);
      continue;
    }
    const { page, total } = table.parse(request).tree();
    assert.equal(`${JSON.stringify(page)} ${total}`, expected, line);
  }
  const bodies = { odata: api.toODataError, aip: (errors) => api.toAipError(errors, "api.example.com"), scim: api.toScimError };
  for (const { form, errors, status, body } of read("errors.ndjson").map((line) => JSON.parse(line))) {
    const answer = bodies[form](errors.map((error) => ({ ...error, param: error.param || null })));
    assert.deepEqual([answer.status, JSON.stringify(answer.body)], [status, body]);
  }
});

test("mistakes in declarations", () => {
  for (const [declare, message] of [
    [() => api.expression("odta"), /grammar: expected one of aip160/],
    [() => api.expression("odata", { colums: [] }), /unknown option 'colums'/],
    [() => api.defineParams({ a: api.expression("odata", { columns: ["x"] }) }), /no column 'x'/],
    [() => api.odata({ limit: 5 }), /unknown option 'limit'/],
  ]) {
    assert.throws(declare, (error) => error instanceof TypeError && message.test(error.message));
  }
});

test("errors in the forms of guidelines", () => {
  const errors = orders.errors({ $filter: "totl gt 5", limit: "0" });
  const [first, second] = errors.map(({ message }) => message);
  const odata = api.toODataError(errors);
  assert.deepEqual([odata.status, odata.contentType], [400, "application/json"]);
  assert.deepEqual(odata.body.error, {
    code: "column_unknown",
    message: first,
    target: "$filter",
    details: [
      { code: "column_unknown", message: first, target: "$filter" },
      { code: "number_too_small", message: second, target: "limit" },
    ],
  });
  const aip = api.toAipError(errors, "api.example.com").body.error;
  assert.deepEqual([aip.code, aip.status, aip.details[0].reason], [400, "INVALID_ARGUMENT", "COLUMN_UNKNOWN"]);
  assert.deepEqual(aip.details[1].fieldViolations.map(({ field }) => field), ["$filter", "limit"]);
  const scim = api.toScimError(errors.slice(1));
  assert.deepEqual([scim.status, scim.contentType], [400, "application/scim+json"]);
  assert.equal(scim.body.scimType, "invalidValue");
  assert.throws(() => api.toScimError([]), TypeError);
});

test("tests of no column, and tests that there are not, are refused", () => {
  const declare = (filter) => api.defineParams({ total: api.integer(), filter });
  for (const [make, message] of [
    [() => declare(api.odata({ tests: { totl: ["bounds"] } })), "$filter: tests: no column 'totl', expected id, total"],
    [() => declare(api.expression("rsql", { columns: ["id"], tests: { total: ["bounds"] } })), "filter: tests: no column 'total', expected id"],
    [() => api.scim({ tests: { total: ["bound"] } }), "tests: total: expected one of any_of, none_of, "],
    [() => api.aip({ tests: { total: [] } }), "tests: total: expected at least one"],
    [() => api.expression("odata", { searched: ["total"] }), "searched: only aip160 has words without a column, not odata"],
  ]) {
    assert.throws(make, (error) => error instanceof TypeError && error.message.startsWith(message), message);
  }
});
