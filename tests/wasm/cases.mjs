// SPDX-License-Identifier: MIT
// What the package makes of a case of expected.py, in the same form as Python's answer. For Node and
// browsers alike: it imports nothing.

const ERROR = ["code", "status", "rule", "param", "offset", "length", "message"];
export const DIALECTS = ["sqlite", "duckdb", "postgresql", "clickhouse", "mariadb"];
const GRAMMARS = ["aip160", "odata", "rsql", "cql2", "scim", "postgrest", "cql2-json"];
const KEYS = [["a", "b"], [1787279415123, "é"], [null, true], ["10.5", "x"], [1], ["x".repeat(300), "y"]];
const NOW = Date.UTC(2026, 7, 21, 2, 30, 15, 123);

function errorOf(error) {
  return Object.fromEntries(ERROR.map((name) => [name, error[name]]));
}

/** What a function gives, or the error that it throws. */
function outcome(api, call) {
  try {
    return call();
  } catch (error) {
    if (error instanceof api.ApiError) return { errors: [errorOf(error)] };
    throw error;
  }
}

/** Values as JSON has them: what JavaScript has objects of as their texts. */
export function plain(api, value) {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Date) return value.getTime();
  if (value instanceof api.Filter || value instanceof api.MetadataQuery) return value.text;
  if (Array.isArray(value)) return value.map((item) => plain(api, item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(api, item)]));
}

/** The endpoint of expected.py's class. */
function declare(api) {
  return api.defineParams({
    status: api.filter({ choices: ["open", "paid", "void"], collation: "ignore_case" }),
    number: api.filter({ type: "integer" }),
    ids: api.texts(),
    customer: api.text({ column: "customer_id", prefix: "cus_" }),
    kind: api.choice(["new", "old"], { default: "new" }),
    urgent: api.boolean(),
    items: api.integer({ minimum: 1, maximum: 99, default: 5 }),
    weight: api.integer({ operators: [">=", "<"] }),
    total: api.decimal({ operators: ["=", ">=", "<=", ">"] }),
    seen: api.time({ operators: [">=", "<="] }),
    batch: api.uuid(),
    meta: api.metadata(),
    search: api.search(),
    score: api.real({ operators: ["=", ">=", "<"] }),
    due: api.date({ operators: ["=", ">", "<="] }),
    days: api.filter({ type: "date" }),
    size: api.choice(["small", "large"], { type: "choice", operators: ["=", ">="] }),
    note: api.text({ operators: [">", "<="] }),
    part: api.contains({ column: "title" }),
    head: api.startsWith({ column: "title" }),
    last: api.endsWith({ column: { name: "tags", isList: true, collation: "ignore_case" } }),
    gone: api.isNull({ column: { name: "seats", type: "integer", isNullable: true } }),
    token: api.uuid({ type: "uuid" }),
    ports: api.filter({ column: { name: "ports", type: "integer", isList: true } }),
    words: api.search("title", "note"),
    created: api.window({ column: "created_at", default: "30d" }),
    order: api.sort(["created", "total", "score", "size", "id"], { default: "-created" }),
    page: api.page({ default: 20, maximum: 500 }),
  });
}

/** The endpoint of expected.py's class Grouped. */
function declareGroups(api) {
  return api.defineParams({
    country: api.filter({ column: { name: "country", isNullable: true } }),
    device: api.filter(),
    cents: api.integer({ operators: [">=", "<="] }),
    total: api.decimal(),
    due: api.date({ operators: [">="] }),
    created: api.window({ default: "30d" }),
    groups: api.groupBy(["country", "device", "created", "due", "tags", "data.plan"], { name: "groupBy", size: 50 }),
    measures: api.measures(["cents", "total", "country", "created"], {
      kinds: ["sum", "min", "max", "average", "count_distinct", "approx_count_distinct"],
    }),
    facets: api.facets(["country", "device", "tags"], { values: 2 }),
  }, { columns: [{ name: "tags", isList: true }, { name: "data", type: "json" }] });
}

/** The endpoint of expected.py with a whole condition. */
function declareExpression(api, grammar) {
  const searched = grammar === "aip160" ? { searched: ["name"] } : {};
  const nullable = (name, type = "text", isList = false) => ({ name, type, isList, isNullable: true });
  return api.defineParams({ q: api.expression(grammar, searched) }, {
    columns: [
      nullable("name"), nullable("city"), nullable("total", "integer"), nullable("paid", "boolean"),
      nullable("tags", "text", true),
    ],
  });
}

/** What is made of an aggregate. */
function aggregateOf(api, aggregate, rows) {
  const answer = {
    rows: plain(api, aggregate.apply(rows)),
    sql: DIALECTS.map((dialect) => plain(api, outcome(api, () => aggregate.toSql(dialect, "rows")))),
  };
  aggregate.free();
  return answer;
}

function queryOf(api, endpoint, { text, tail, strict, rows = [] }) {
  const options = { now: NOW, strict };
  const errors = endpoint.errors(text, options);
  if (errors.length > 0) return { errors: errors.map(errorOf) };
  const query = endpoint.parse(text, options);
  if (tail) return { text: query.toQueryString() };
  const sql = DIALECTS.map((dialect) =>
    ["page", "count", "condition"].map((form) =>
      plain(api, outcome(api, () => query.toSql(dialect, "rows", { form }))),
    ),
  );
  const answer = {
    text: query.toQueryString(),
    values: plain(api, query.values),
    tree: query.tree(),
    sql,
    cursors: KEYS.map((keys) => outcome(api, () => query.cursorBeside(keys, { before: keys.length > 1 }))),
    matches: rows.map((row) => query.matches(row)),
  };
  query.free();
  return answer;
}

const ANSWERS = {
  filter(api, { text, rows, collation }) {
    return outcome(api, () => {
      const filter = api.parseFilter(text);
      const { excludes, values } = filter;
      const matches = rows.map((row) => filter.matches(row, collation));
      return { text: filter.text, excludes, values, matches };
    });
  },
  expression(api, { grammar, text }) {
    const endpoints = (api.expressions ??= Object.fromEntries(
      GRAMMARS.map((name) => [name, declareExpression(api, name)]),
    ));
    return outcome(api, () => {
      const query = endpoints[grammar].parse({ q: text });
      const written = GRAMMARS.map((name) => outcome(api, () => query.toExpression(name)));
      const tree = query.tree().where;
      query.free();
      return { tree, written };
    });
  },
  metadata(api, { text, documents }) {
    return outcome(api, () => {
      const query = api.parseMetadataQuery(text);
      const tree = query.tree();
      const matches = documents.map((document) => query.matches(document));
      query.free();
      return { text: query.text, tree, matches };
    });
  },
  events: (api, input) => queryOf(api, api.events, input),
  tags: (api, input) => queryOf(api, api.tags, input),
  declared: (api, input) => queryOf(api, (api.declared ??= declare(api)), input),
  tree(api, { columns, tree, column, cells }) {
    const table = (api.columns ??= api.defineParams({}, { columns }));
    return outcome(api, () => {
      const query = table.fromTree(tree);
      const again = table.fromTree(JSON.stringify(query.tree()));
      const answer = {
        tree: query.tree(),
        matches: cells.map((cell) => again.matches({ [column]: cell })),
        sql: DIALECTS.map((dialect) =>
          plain(api, outcome(api, () => query.toSql(dialect, "rows", { form: "condition" }))),
        ),
      };
      for (const each of [query, again]) each.free();
      return answer;
    });
  },
  groups(api, { text, rows }) {
    const endpoint = (api.grouped ??= declareGroups(api));
    const errors = endpoint.errors(text, { now: NOW });
    if (errors.length > 0) return { errors: errors.map(errorOf) };
    const query = endpoint.parse(text, { now: NOW });
    const { groups, measures, facets } = query.values;
    const aggregate = query.aggregate();
    return {
      text: query.toQueryString(),
      values: { groups, measures, facets },
      tree: aggregate.tree(),
      facets: plain(api, query.facets(rows)),
      ...aggregateOf(api, aggregate, rows),
    };
  },
  aggregate(api, { columns, tree: { where, ...tree }, rows }) {
    const table = (api.columns ??= api.defineParams({}, { columns }));
    return outcome(api, () => aggregateOf(api, table.fromTree({ where }).aggregate(tree), rows));
  },
  reals(api, { texts }) {
    const table = (api.declared ??= declare(api));
    return texts.map((text) => table.parse({ score: text }).toQueryString());
  },
  times(api, { zone, texts }) {
    return texts.map(([text, edge]) =>
      outcome(api, () => api.resolveTime(text, { now: NOW, edge, timezone: zone }).getTime()),
    );
  },
  window(api, { options }) {
    return outcome(api, () => plain(api, api.resolveWindow({ ...options, now: NOW })));
  },
  limit(api, { algorithm, limit, windowSeconds, state, checks }) {
    return checks.map(([now, cost]) => {
      const options = { algorithm, limit, windowSeconds, now, cost };
      const answered = api.decide(state, options);
      state = JSON.parse(JSON.stringify(answered.state));
      const { allowed, remaining, reset, retryAfter = null } = answered.decision;
      return { allowed, remaining, reset, retryAfter, state };
    });
  },
};

/** Whether the host's data say of a zone what Python's do: they are of different years. */
function isSameZone({ zone, offsets }) {
  let clock;
  try {
    clock = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  } catch {
    return false; // a new one
  }
  return offsets.every(([at, expected]) => {
    const name = clock.formatToParts(at).find(({ type }) => type === "timeZoneName").value;
    const [, sign, ...parts] = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name);
    const [hours, minutes, seconds] = parts.map((part) => Number(part ?? 0));
    return (sign === "-" ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds) === expected;
  });
}

const MOST_OTHER_ZONES = 60;

/** What differs from Python's answers, as texts; at most ten. */
export function differences(api, cases) {
  const copy = { ...api };
  const lines = [];
  const others = cases.filter((entry) => entry.kind === "times" && !isSameZone(entry));
  if (others.length > MOST_OTHER_ZONES) lines.push(`${others.length} zones have other data`);
  for (const { kind, expected, ...input } of cases.filter((entry) => !others.includes(entry))) {
    const text = input.tail ? input.text + input.tail.text.repeat(input.tail.times) : input.text;
    const answer = canonical(ANSWERS[kind](copy, { ...input, text }));
    if (answer === canonical(expected)) continue;
    lines.push(`${kind} ${JSON.stringify(input).slice(0, 300)}\n  ${answer}\n  ${canonical(expected)}`);
    if (lines.length === 10) break;
  }
  return lines;
}

/** JSON with the members of objects in one order. */
function canonical(value) {
  return JSON.stringify(value, (_, member) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
