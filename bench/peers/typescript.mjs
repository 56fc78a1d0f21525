// SPDX-License-Identifier: MIT
// The Node side of compare.py's rows of TypeScript: node typescript.mjs sluice|zod|valibot|hand PACKAGE
// answers the line protocol of driver.cpp. Each contender has a process, so that none is compiled
// for the values of another.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const NOW = Date.UTC(2026, 7, 21, 2, 30, 15, 123);
const NINE = "status=open,paid&customer=-c_1&total[gte]=10.50&total[lte]=90&interval=7d&order=-total,created" +
  "&page=2&limit=50&count=true";
const SIX = "status=open,paid&customer=-c_1&country=US&count[gte]=2&count[lte]=90&created[gte]=2026-08-01T00:00:00Z&limit=50";
const THREE = "status=lost&total[gte]=x&limit=0";
const STATUSES = ["open", "paid", "void"];
const ORDERS = ["created", "-created", "total", "-total"];
const ROW = { id: "a", status: "paid", customer_id: "c_2", total: "12.5", created_at: NOW - 1_000 };
const ROWS = [
  ROW, { ...ROW, status: "open", total: "90" }, { ...ROW, status: "void" }, { ...ROW, customer_id: "c_1" },
  { ...ROW, customer_id: null }, { ...ROW, total: "10.49" }, { ...ROW, total: null }, { ...ROW, created_at: 0 },
];
const COUNTRIES = ["FR", "US", "CA", "DE"];
let turn = 0;
/** The next item of a list, so that no call is known beforehand. */
const next = (items) => items[turn++ % items.length];
const LIMIT = { limit: 600, windowSeconds: 60, now: NOW };
const DAY = 86_400_000;

/** How many of 1,000 requests pass a limit; `decide(state)` gives the decision and the next state. */
function admitted(decide) {
  let [count, state] = [0, null];
  for (let request = 0; request < 1_000; ++request) {
    const { decision, state: next } = decide(state);
    count += decision.allowed;
    state = next;
  }
  return count;
}

/** The operations of sluice; each has a call, and the form in which its result is compared. */
async function sluiceOperations(folder) {
  const api = await import(pathToFileURL(`${folder}/dist/index.js`).href);
  await api.load();
  const orders = api.defineParams({
    status: api.filter({ choices: STATUSES }),
    customer: api.filter({ column: "customer_id" }),
    total: api.decimal({ operators: [">=", "<="] }),
    created: api.window({ column: "created_at", default: "30d" }),
    order: api.sort(["created", "total"], { default: "-created" }),
    page: api.page({ default: 100, maximum: 1_000 }),
  });
  const options = { now: NOW };
  const query = orders.parse(NINE, options);
  const compared = api.defineParams({
    status: api.filter(), customer: api.filter(), country: api.filter(), count: api.integer({ operators: [">=", "<="] }),
    created: api.time({ operators: [">="] }), order: api.sort(["created", "count"], { default: "-created" }), page: api.page({ count: null }),
  });
  const conditions = compared.parse(SIX, options);
  const filter = api.parseFilter("-US,CA");
  const decide = (state) => api.decide(state, LIMIT);
  const { state } = decide(null);
  const valuesOf = ({ values: { status, customer, total, created, order, page } }) => [
    status.values, customer.excludes, customer.values, total.gte, total.lte, created.start, created.end,
    order.map(({ name, descending }) => (descending ? `-${name}` : name)), page.number, page.limit, page.count,
  ];
  return {
    parse: [() => orders.parse(NINE, options), valuesOf],
    errors: [() => orders.errors(THREE, options), (errors) => errors.map(({ param }) => param)],
    matches: [() => query.matches(next(ROWS)), () => ROWS.map((row) => query.matches(row))],
    filter: [() => filter.matches(next(COUNTRIES)), () => COUNTRIES.map((value) => filter.matches(value))],
    decide: [() => decide(state), () => admitted(decide)],
    sql: [() => conditions.toSql("duckdb", "orders"), ({ text, parameters }) => [text, parameters]],
    window: [() => api.resolveWindow({ interval: "7d", timezone: "Europe/Paris", now: NOW }), ({ start, end }) => [start, end]],
  };
}

/** A list of values, or all but these. */
function filterOf(text) {
  const excludes = text.startsWith("-");
  return { excludes, values: (excludes ? text.slice(1) : text).split(",") };
}

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const INTERVALS = { "24h": 1, "7d": 7, "30d": 30, "90d": 90 };

/** The values of a schema in the form of sluice's. */
function plainValues({ status, customer, interval, order, page, limit, count, ...others }) {
  const start = new Date(NOW - INTERVALS[interval] * DAY);
  return [
    status, customer.excludes, customer.values, others["total[gte]"], others["total[lte]"], start, new Date(NOW),
    order, page, limit, count,
  ];
}

async function zodOperations() {
  const { z } = await import("zod");
  const split = z.string().transform((text) => text.split(","));
  const schema = z.object({
    status: split.pipe(z.array(z.enum(STATUSES))).optional(),
    customer: z.string().transform(filterOf).optional(),
    "total[gte]": z.string().regex(DECIMAL).optional(),
    "total[lte]": z.string().regex(DECIMAL).optional(),
    interval: z.enum(Object.keys(INTERVALS)).default("30d"),
    order: split.pipe(z.array(z.enum(ORDERS))).default(["-created"]),
    page: z.coerce.number().int().min(1).default(1),
    limit: z.coerce.number().int().min(1).max(1_000).default(100),
    count: z.enum(["true", "false"]).transform((text) => text === "true").default(false),
  });
  const membersOf = (text) => Object.fromEntries(new URLSearchParams(text));
  return {
    parse: [() => schema.parse(membersOf(NINE)), plainValues],
    errors: [() => schema.safeParse(membersOf(THREE)).error.issues, (issues) => issues.map(({ path }) => path[0])],
  };
}

async function valibotOperations() {
  const v = await import("valibot");
  const split = (of) => v.pipe(v.string(), v.transform((text) => text.split(",")), v.array(v.picklist(of)));
  const whole = (...checks) => v.pipe(v.string(), v.transform(Number), v.integer(), v.minValue(1), ...checks);
  const decimal = v.pipe(v.string(), v.regex(DECIMAL));
  const schema = v.object({
    status: v.optional(split(STATUSES)),
    customer: v.optional(v.pipe(v.string(), v.transform(filterOf))),
    "total[gte]": v.optional(decimal),
    "total[lte]": v.optional(decimal),
    interval: v.optional(v.picklist(Object.keys(INTERVALS)), "30d"),
    order: v.optional(split(ORDERS), "-created"),
    page: v.optional(whole(), "1"),
    limit: v.optional(whole(v.maxValue(1_000)), "100"),
    count: v.optional(v.pipe(v.picklist(["true", "false"]), v.transform((text) => text === "true")), "false"),
  });
  const membersOf = (text) => Object.fromEntries(new URLSearchParams(text));
  return {
    parse: [() => v.parse(schema, membersOf(NINE)), plainValues],
    errors: [() => v.safeParse(schema, membersOf(THREE)).issues, (issues) => issues.map(({ path }) => path[0].key)],
  };
}

/** A parser of the same parameters, of which it has an error a name. */
function parseByHand(text) {
  const values = { status: [], interval: "30d", order: ["-created"], page: 1, limit: 100, count: false };
  const errors = [];
  const check = (isValid, name, value) => (isValid ? (values[name] = value) : errors.push(name));
  for (const pair of text.split("&")) {
    const at = pair.indexOf("=");
    const [name, value] = [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))];
    const items = () => value.split(",");
    switch (name) {
      case "status": check(items().every((item) => STATUSES.includes(item)), name, items()); break;
      case "customer": values.customer = filterOf(value); break;
      case "total[gte]":
      case "total[lte]": check(DECIMAL.test(value), name, value); break;
      case "interval": check(value in INTERVALS, name, value); break;
      case "order": check(items().every((item) => ORDERS.includes(item)), name, items()); break;
      case "page":
      case "limit": check(/^[1-9]\d*$/.test(value) && Number(value) <= (name === "limit" ? 1_000 : 2 ** 53), name, Number(value)); break;
      case "count": check(value === "true" || value === "false", name, value === "true"); break;
      default: errors.push(name);
    }
  }
  return { values, errors };
}

function matchesByHand({ status, customer_id: customer, total, created_at: created }) {
  return (status === "open" || status === "paid") && customer !== "c_1" && total !== null && Number(total) >= 10.5 &&
    Number(total) <= 90 && created >= NOW - 7 * DAY && created <= NOW;
}

/** A sliding window of two counts, with the headers of its decision. */
function decideByHand(state) {
  const [limit, length] = [LIMIT.limit, LIMIT.windowSeconds * 1_000];
  const start = NOW - (NOW % length);
  const { previous, current } = state ?? { previous: 0, current: 0 };
  const used = current + Math.floor((previous * (start + length - NOW)) / length);
  const allowed = used < limit;
  const remaining = Math.max(limit - used - 1, 0);
  const reset = Math.ceil((start + length) / 1_000);
  const headers = { "x-ratelimit-limit": `${limit}`, "x-ratelimit-remaining": `${remaining}`, "x-ratelimit-reset": `${reset}` };
  const decision = { allowed, limit, remaining, reset, headers };
  return { decision, state: allowed ? { latest: NOW, previous, current: current + 1 } : state };
}

/** The statement of a page for DuckDB. */
function sqlByHand({ status, excluded, country, least, most, since, limit, offset }) {
  const parameters = [];
  const bind = (value) => `$${parameters.push(value)}`;
  const text = (name) => `"${name}"::VARCHAR COLLATE "binary"`;
  const isOne = (name, parameter) => `(${parameter}::VARCHAR IS NOT NULL AND ${text(name)} = ${parameter}::VARCHAR)`;
  const where = [
    `${text("status")} IN ${bind(status)}`, `NOT (${isOne("customer", bind(excluded))})`, isOne("country", bind(country)),
    `"count" >= ${bind(least)}`, `"count" <= ${bind(most)}`, `"created" >= ${bind(since)}`,
  ];
  const statement = `SELECT *, "created" AS sluice_key_1, ${text("id")} AS sluice_key_2 FROM "orders" WHERE (${where.join(" AND ")})` +
    ` ORDER BY "created" DESC, ${text("id")} DESC LIMIT ${bind(limit)} OFFSET ${bind(offset)}`;
  return [statement, parameters];
}
const CONDITIONS = {
  status: ["open", "paid"], excluded: "c_1", country: "US", least: 2, most: 90, since: Date.UTC(2026, 7, 1), limit: 50, offset: 0,
};

const zones = new Set([...Intl.supportedValuesOf("timeZone"), "UTC"]);

/** A window that ends now. */
function windowByHand({ interval, timezone }) {
  if (!zones.has(timezone) || !(interval in INTERVALS)) throw new RangeError("no window");
  return [new Date(NOW - INTERVALS[interval] * DAY), new Date(NOW)];
}

const excluded = new Set(["US", "CA"]);
const isOther = (value) => !excluded.has(value);

function handOperations() {
  return {
    parse: [() => parseByHand(NINE).values, plainValues],
    errors: [() => parseByHand(THREE).errors, (names) => names],
    matches: [() => matchesByHand(next(ROWS)), () => ROWS.map(matchesByHand)],
    filter: [() => isOther(next(COUNTRIES)), () => COUNTRIES.map(isOther)],
    decide: [() => decideByHand({ previous: 0, current: 1 }), () => admitted(decideByHand)],
    sql: [() => sqlByHand(CONDITIONS), (statement) => statement],
    window: [() => windowByHand({ interval: "7d", timezone: "Europe/Paris" }), (bounds) => bounds],
  };
}

const CONTENDERS = { sluice: sluiceOperations, zod: zodOperations, valibot: valibotOperations, hand: handOperations };
const [, , contender, folder] = process.argv;
const operations = await CONTENDERS[contender](folder);
let kept; // so that no call is left out

/** Calls an operation until engines have compiled it for good: those of WebAssembly do so late. */
function warm(run) {
  for (const end = performance.now() + 1_000; performance.now() < end; ) time(1_000, run);
}

/** Returns the nanoseconds of processor time that a number of calls takes, the collector's included. */
function time(repetitions, run) {
  const begin = process.cpuUsage();
  for (let call = 0; call < repetitions; ++call) kept = run();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) * 1_000;
}

for await (const line of createInterface({ input: process.stdin })) {
  const words = line.split(" "); // answer OPERATION, or time REPETITIONS OPERATION
  const [run, read] = operations[words.at(-1)] ?? [];
  if (!run) {
    console.log("error no operation");
  } else if (words[0] === "answer") {
    console.log(`ok ${JSON.stringify(read(run()))}`);
    warm(run);
  } else {
    console.log(`ok ${time(Number(words[1]), run)}`);
  }
}
