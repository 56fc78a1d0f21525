// SPDX-License-Identifier: MIT
// The calls of the module that a request takes, and the bytes that cross: the same on any machine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const crossed = { calls: {}, bytesIn: 0, bytesOut: 0 };

/** Functions that have no answer. */
const MEMORY = ["allocate", "deallocate", "release", "_initialize"];

/** The functions of a module, which count their calls with fields and texts. */
function counting(exports) {
  const counted = ([name, target]) => {
    if (typeof target !== "function" || MEMORY.includes(name)) return [name, target];
    const call = (numbers, count, text, size) => {
      const answer = target(numbers, count, text, size);
      const [, written, , length] = new Uint32Array(exports.memory.buffer, answer >>> 0, 4);
      crossed.calls[name] = (crossed.calls[name] ?? 0) + 1;
      crossed.bytesIn += 8 * count + size;
      crossed.bytesOut += 8 * written + length;
      return answer;
    };
    return [name, call];
  };
  return Object.fromEntries(Object.entries(exports).map(counted));
}

const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (module, imports) => ({ exports: counting((await instantiate(module, imports)).exports) });
const api = await import(pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/index.js`).href);
await api.load();

const options = { now: Date.UTC(2026, 7, 21) };
const orders = api.defineParams({
  status: api.filter({ choices: ["open", "paid", "void"] }),
  customer: api.filter({ column: "customer_id" }),
  total: api.decimal({ operators: [">=", "<="] }),
  created: api.window({ column: "created_at", default: "30d" }),
  order: api.sort(["created", "total"], { default: "-created" }),
  page: api.page({ default: 100, maximum: 1_000 }),
});
const NINE = "status=open,paid&customer=-c_1&total[gte]=10.50&total[lte]=90&interval=7d&order=-created&page=2&limit=50&count=true";
const THREE = "status=lost&total[gte]=x&limit=0";
const ROW = { id: "a", status: "open", customer_id: "c_2", total: "20", created_at: options.now };
const query = orders.parse(NINE, options);
const filter = api.parseFilter("-US,CA");
const limits = { limit: 5, windowSeconds: 60, ...options };
const { state } = api.decide(null, limits);
query.matches(ROW); // makes the query and its conditions

const CALLS = [
  // name, call, calls of the module, bytes of arguments and of answers
  ["parse", () => orders.parse(NINE, options), { table_parse: 1 }, 187, 427],
  ["errors", () => orders.errors(THREE, options), { table_parse: 1 }, 104, 725],
  ["toSql", () => query.toSql("duckdb", "orders"), { query_sql: 1 }, 127, 695],
  ["resolveWindow", () => api.resolveWindow({ interval: "7d", timezone: "Europe/Paris", ...options }), { window_resolve: 1 }, 110, 86],
  ["matches", () => query.matches(ROW), {}, 0, 0],
  ["Filter.matches", () => filter.matches("FR"), {}, 0, 0],
  ["decide", () => api.decide(state, limits), {}, 0, 0],
];
for (const [name, run, calls, bytesIn, bytesOut] of CALLS) {
  test(`calls of ${name}`, () => {
    run();
    Object.assign(crossed, { calls: {}, bytesIn: 0, bytesOut: 0 });
    run();
    assert.deepEqual(crossed, { calls, bytesIn, bytesOut });
  });
}
