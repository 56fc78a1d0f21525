// SPDX-License-Identifier: MIT
// Values that cross the memory of the module, beside trees, which C++ writes as JSON; and offsets of
// zones, beside those of the host's formatter.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const fileOf = (name) => pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/${name}`).href;
const api = await import(fileOf("index.js"));
const { zoneNames, zoneOffset } = await import(fileOf("zones.js"));
await api.load();

let state = 29;
/** mulberry32: a whole number below `most`. */
function random(most) {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
}
const pick = (from) => from[random(from.length)];
const some = (most, make) => Array.from({ length: 1 + random(most) }, make);

const table = api.defineParams({
  status: api.filter(),
  name: api.text(),
  count: api.integer({ operators: [">=", "<="], minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n }),
  total: api.decimal({ operators: ["="] }),
  score: api.real({ operators: [">"] }),
  seen: api.time({ operators: [">="] }),
  due: api.date(),
  flag: api.boolean(),
  order: api.sort(["count", "name"]),
  page: api.page({ maximum: 5_000 }),
});

const PIECES = ["\ufeff", "a", "é", "\u{1f600}", "ﬀ", "\0", "'", '"', "\\", "%", "&=", "\u2028", "x".repeat(70)];
const randomText = () => some(6, () => pick(PIECES)).join("");
const randomNumber = () => pick([0, -1, 7, 2 ** 53 - 1, -(2 ** 53) + 1, random(2 ** 31)]);

/** The members of all leaves, by their columns. */
function leavesOf(tree) {
  const leaves = {};
  for (const { column, ...members } of tree.where.all) leaves[column] = { ...leaves[column], ...members };
  return leaves;
}

test("values are those of the tree", () => {
  for (let turn = 0; turn < 3_000; ++turn) {
    const [low, high] = [randomNumber(), randomNumber()].sort((a, b) => a - b);
    const request = {
      status: some(4, randomText), name: randomText(), count: { gte: low, lte: high }, total: { eq: `${high}.5` },
      score: { gt: random(1_000) / 7 }, seen: { gte: new Date(random(2 ** 32) * 1_000) }, due: `20${10 + random(80)}-02-28`,
      flag: pick([true, false]), order: [{ name: "count", descending: pick([true, false]) }],
      page: { number: 1 + random(9), offset: 0, limit: 1 + random(5_000), cursor: null, count: pick([true, false]) },
    };
    const query = table.parse(request, { now: 0 });
    const { values } = query;
    const leaves = leavesOf(query.tree());
    assert.deepEqual(leaves.status.any_of, values.status.values);
    assert.deepEqual([...values.status.values].sort(), [...request.status].sort());
    assert.deepEqual([leaves.name.any_of, values.name], [[request.name], request.name]);
    assert.deepEqual([leaves.count, values.count.gte, values.count.lte], [request.count, low, high]);
    assert.deepEqual([leaves.total.gte, values.total.eq], [request.total.eq, request.total.eq]);
    assert.deepEqual([leaves.score.gt, values.score.gt], [request.score.gt, request.score.gt]);
    assert.deepEqual([Date.parse(leaves.seen.gte), values.seen.gte], [request.seen.gte.getTime(), request.seen.gte]);
    assert.deepEqual([leaves.due.gte, values.due], [request.due, request.due]);
    assert.deepEqual([leaves.flag.is, values.flag], [request.flag, request.flag]);
    assert.deepEqual(values.order, request.order);
    const { number, size } = query.tree().page;
    assert.deepEqual([number, size, query.tree().total], [values.page.number, values.page.limit, values.page.count]);
    assert.deepEqual(table.parse(query.toQueryString(), { now: 0 }).values, values);
    query.free();
  }
});

test("numbers that a double would round cross as bigint", () => {
  const query = table.parse("count[gte]=9223372036854775807");
  assert.deepEqual(query.toSql("sqlite", "t", { form: "condition" }).parameters, [2n ** 63n - 1n]);
  const least = table.parse({ count: { gte: -(2n ** 63n) } });
  assert.deepEqual(least.toSql("sqlite", "t", { form: "condition" }).parameters, [-(2n ** 63n)]);
});

test("texts longer than the shared memory cross whole, and those after them", () => {
  for (const size of [21_000, 22_000, 400_000]) {
    const name = `${"é".repeat(size)}\u{1f600}`;
    assert.equal(api.defineParams({ name: api.text() }).parse({ name }).values.name, name);
    assert.deepEqual(table.parse("status=a").values.status.values, ["a"]);
  }
});

test("an error that is returned has its class, message and no frames; a thrown one has both", () => {
  const [returned] = table.errors("flag=maybe");
  assert.ok(returned instanceof api.ApiError && returned instanceof Error);
  assert.equal(returned.stack.split("\n").length, 1);
  assert.ok(Error.stackTraceLimit > 0);
  assert.throws(() => table.parse("flag=maybe"), (thrown) => {
    assert.deepEqual({ ...thrown }, { ...returned });
    return thrown.message === returned.message && thrown.stack.includes("answers.test");
  });
});

test("a query may be read in parts, in any order, and after free() its text", () => {
  const text = "status=a&count%5Bgte%5D=5&page=3";
  const reads = { text: (query) => query.toQueryString(), tree: (query) => query.tree(), sql: (query) => query.toSql("duckdb", "t") };
  const expected = Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, read(table.parse(text))]));
  for (let turn = 0; turn < 30; ++turn) {
    const query = table.parse(text);
    for (const name of some(6, () => pick(Object.keys(reads)))) assert.deepEqual(reads[name](query), expected[name]);
    query.free();
    assert.equal(query.toQueryString(), text);
    assert.throws(() => query.tree(), ReferenceError);
  }
});

/** The offset that the host's formatter writes, in seconds. */
function offsetOf(clock, seconds) {
  const name = clock.formatToParts(seconds * 1_000).find(({ type }) => type === "timeZoneName").value;
  const [, sign, ...parts] = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name);
  const [hours, minutes, rest] = parts.map((part) => Number(part ?? 0));
  return (sign === "-" ? -1 : 1) * (hours * 3_600 + minutes * 60 + rest);
}

test("offsets that are kept are those of the host, of many zones and times", () => {
  const names = zoneNames();
  for (let turn = 0; turn < 60; ++turn) {
    const index = random(names.length);
    const clock = new Intl.DateTimeFormat("en-US", { timeZone: names[index], timeZoneName: "longOffset" });
    const around = random(2 ** 31);
    for (let time = 0; time < 120; ++time) {
      const seconds = pick([around + random(400_000), random(2 ** 32) - 2 ** 30]);
      assert.equal(zoneOffset(index, seconds), offsetOf(clock, seconds), `${names[index]} ${seconds}`);
    }
  }
  // Both changes of a year, second by second around them.
  const paris = names.indexOf("Europe/Paris");
  const clock = new Intl.DateTimeFormat("en-US", { timeZone: "Europe/Paris", timeZoneName: "longOffset" });
  for (const change of [Date.UTC(2026, 2, 29, 1) / 1_000, Date.UTC(2026, 9, 25, 1) / 1_000]) {
    for (let near = -2; near <= 2; ++near) {
      assert.equal(zoneOffset(paris, change + near), offsetOf(clock, change + near));
    }
  }
});

test("arguments of the largest size have room for every digit", () => {
  const least = -(2n ** 63n);
  for (const size of [21_000, 21_780, 21_800, 21_845]) {
    const keys = [...Array(400).fill(least), "ﬀ".repeat(size), ...Array(400).fill(least)];
    assert.throws(() => table.parse("order=count").cursorBeside(keys), api.ApiError);
    assert.deepEqual(table.parse("status=a").values.status.values, ["a"]);
  }
});
