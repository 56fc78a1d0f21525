// SPDX-License-Identifier: MIT
// Random texts of any kind: nothing but an ApiError comes back, what reads is written as what reads
// the same, and memory stays what it was. SLUICE_FUZZ_SEED and SLUICE_FUZZ_TURNS choose others.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { DIALECTS } from "./cases.mjs";

const api = await import(pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/index.js`).href);
await api.load();

const TURNS = Number(process.env.SLUICE_FUZZ_TURNS ?? 4_000);
let state = Number(process.env.SLUICE_FUZZ_SEED ?? 7);

/** mulberry32: a whole number below `most`. */
function random(most) {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
}
const pick = (from) => from[random(from.length)];

const PIECES = [
  ..."-,\\&=%+?;[](){}'\"<>!:. \0\n\t0129aZé😀\ud800\udfff",
  "metadata['a']", " AND ", " or ", "NOT ", "country", "timezone=", "cursor=", "start=", "page=",
  "%00", "%F0%9F%98%80", "%ED%A0%80", "last month", "2026-03-29T02:30", "Europe/Paris", "1e400",
  "total[gte]=", "order=", "US,CA", "-x", "3 days ago", "https://x/y", "/a?",
];
const text = () => Array.from({ length: random(24) }, () => pick(PIECES)).join("");
const json = () => pick([text(), '{"a":[1,{"b":null}]}', "[".repeat(random(3_000)), '{"a":"\\ud83d"}']);

const table = api.defineParams({
  total: api.decimal({ operators: ["=", ">=", "<"] }),
  status: api.filter({ collation: "ignore_case" }),
  meta: api.metadata({ name: "country" }),
  created: api.window(),
  order: api.sort(["total", "created"]),
  page: api.page(),
});

/** What a reader makes of a text; undefined where it refuses it. */
function read(reader) {
  try {
    return reader();
  } catch (error) {
    assert.ok(error instanceof api.ApiError, error.stack);
    assert.ok(error.status >= 400 && error.message.length > 10);
    const [start, end] = error.range;
    assert.ok(start <= end && end <= (error.text ?? "").length);
    return undefined;
  }
}

function checkQuery(endpoint, values) {
  const options = { now: Date.UTC(2026, 7, 21), strict: random(2) === 0 };
  const errors = endpoint.errors(values, options);
  const query = read(() => endpoint.parse(values, options));
  assert.equal(query === undefined, errors.length > 0);
  if (!query) return;
  const again = endpoint.parse(query.toQueryString(), options);
  assert.deepEqual(again.tree(), query.tree());
  const written = endpoint.parse(query.values, options);
  assert.deepEqual(written.tree(), query.tree());
  read(() => query.toSql(pick(DIALECTS), text() || "t"));
  for (const handle of [query, again, written]) handle.free();
}

const CHECKS = [
  () => {
    const filter = read(() => api.parseFilter(text()));
    if (!filter) return;
    const again = api.parseFilter(filter.text);
    assert.deepEqual(again.values, filter.values);
    filter.matches(text(), pick(["exact", "ignore_case", "subdivision", "url"]));
  },
  () => {
    const query = read(() => api.parseMetadataQuery(pick([text(), `metadata['a']${text()}`])));
    if (!query) return;
    const again = api.parseMetadataQuery(query.text);
    assert.deepEqual(again.tree(), query.tree());
    again.free();
    read(() => query.matches(json()));
    query.free();
  },
  () => checkQuery(api.events, text()),
  () => checkQuery(api.tags, text()),
  () => checkQuery(table, text()),
  () => read(() => api.resolveTime(text(), { timezone: pick(["UTC", "Asia/Tokyo", text()]) })),
];

test("random texts give values or errors, and memory doesn't grow", () => {
  for (let turn = 0; turn < TURNS; ++turn) pick(CHECKS)();
  const before = api.memorySize();
  for (let turn = 0; turn < TURNS; ++turn) pick(CHECKS)();
  assert.ok(api.memorySize() <= before * 1.25, `${before} -> ${api.memorySize()}`);
});
