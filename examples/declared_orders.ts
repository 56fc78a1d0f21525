// SPDX-License-Identifier: MIT
// A custom endpoint: parses requests, and runs them on objects and on a database.
import { type ApiError, decide, decimal, defineParams, filter, load, page, sort, window } from "@sluice/sluice";

await load();

const orders = defineParams({
  status: filter({ choices: ["open", "paid", "void"], help: "state of the order" }),
  customer: filter({ column: "customer_id" }),
  total: decimal({ operators: [">=", "<="] }), // total[gte]=10.5
  created: window({ column: "created_at", default: "30d" }), // interval, start, end, timezone
  order: sort(["created", "total"], { default: "-created" }),
  page: page({ default: 100, maximum: 1_000 }), // page, limit, cursor, count
});

const now = new Date("2026-11-22T00:00:00Z");
const query = orders.parse("status=open,paid&total[gte]=10&start=last month", { now });
const { status, total, created, page: wanted } = query.values; // each with its type
console.log(status.values, total.gte, created.start?.toISOString(), wanted.limit);

// All errors at once, in the order of the parameters; `range` counts UTF-16 code units.
const refused: readonly ApiError[] = orders.errors("status=opn&total[gte]=ten&limit=0");
for (const error of refused) console.log(error.status, error.rule, error.message, error.range);

// The same query for a database, and for your own objects.
console.log(query.toSql("sqlite", "orders").text);
console.log(query.matches({ status: "paid", total: "12.50", created_at: now, customer_id: null }));
console.log(JSON.stringify(query.tree().order), query.toQueryString());
query.free(); // or when it is collected

// A rate limit whose state you keep.
let state = null;
for (let request = 0; request < 3; ++request) {
  const answered = decide(state, { limit: 2, windowSeconds: 60, now, algorithm: "gcra" });
  ({ state } = answered);
  console.log(answered.decision.allowed, answered.decision.remaining, answered.decision.retryAfter);
}
