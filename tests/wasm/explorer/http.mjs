// SPDX-License-Identifier: MIT
// The page over a source by HTTP: a million rows of a declared list. EXPLORER is a folder of the page.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { axesOf, launch, open, press, queryOf, serve, texts, type, waitForText } from "./browser.mjs";

const ROWS = 1_000_000;
const PLAN = "rows 80000, skipped 0, bitmaps 1/16384 B, code_scan 2/115712 B\ncountry: 66048 B\ndevice: 1024 B";
const TOPS = {
  status: [{ value: "paid", count: 1_234 }, { value: "<b>", count: 2 }],
  score: [{ value: 0.5, count: 1, place: "of a place" }],
  total: [],
};
const DESCRIPTION = {
  name: "orders of a test", kind: "declared", now: Date.UTC(2026, 7, 21), plans: true,
  request: { url: "https://shop.example/orders", token: false },
  parameters: {
    status: { type: "filter", choices: ["open", "paid", "void"] },
    total: { type: "decimal", operators: [">=", "<="] },
    seen: { type: "time", column: "number", operators: [">=", "<"] },
    part: { type: "contains", name: "title[contains]", column: "title" },
    head: { type: "startsWith", column: "title" },
    last: { type: "endsWith", name: "title[ends]", column: "title" },
    empty: { type: "isNull", name: "note[null]", column: "note" },
    weight: { type: "real", operators: [">="] },
    due: { type: "date", operators: ["=", "<"] },
    size: { type: "choice", choices: ["small", "large"], operators: ["=", ">="] },
    token: { type: "uuid" },
    found: { type: "search", columns: ["title", "note"] },
    created: { type: "window", column: "created_at", default: "30d" },
    order: { type: "sort", by: ["created", "total"], default: "-created" },
    page: { type: "page", default: 100, maximum: 500 },
  },
  schema: [
    { name: "note", isNullable: true }, { name: "token", type: "uuid" },
    { name: "size", type: "choice", choices: ["small", "large"] },
  ],
  columns: ["number", "status", "total", "created_at", "customer.name", "score", "constructor"],
  filters: { status: "status", total: "total[gte]" },
  unfiltered: { score: "double is no exact number, write it as decimal" },
  time: "created_at",
  tops: Object.keys(TOPS),
};

let site, chromium, page, faults, requests, hold, histogram;
let scripts = Promise.resolve();

/** What the source answers; requests are kept, and wait where a test holds them. */
async function answer({ pathname, searchParams }, response) {
  if (pathname.endsWith(".js")) await scripts;
  if (pathname === "/source.json") return { body: DESCRIPTION };
  if (!["/rows", "/count", "/histogram", "/top", "/explain"].includes(pathname)) return undefined;
  const query = searchParams.get("query");
  const [offset, limit] = ["offset", "limit"].map((name) => Number(searchParams.get(name)));
  const one = { pathname, query, offset, limit, gone: false };
  requests.push(one);
  response.on("close", () => (one.gone = !one.done));
  await hold(one);
  one.done = true;
  if (query.includes("void")) return { status: 422, body: { error: { message: "void: too dear" } } };
  if (pathname === "/count") return { body: { count: query.includes("paid") ? 7 : ROWS } };
  if (pathname === "/top") return { body: { values: TOPS[searchParams.get("column")] } };
  if (pathname === "/explain") return { body: { plan: PLAN } };
  if (pathname === "/histogram" && histogram) return { body: histogram };
  if (pathname === "/histogram") return { status: 404, body: { error: { message: "no histogram" } } };
  const rows = Array.from({ length: one.limit }, (_, at) => ({
    number: one.offset + at, status: "open", total: `${at}.50`, created_at: "2026-08-01T00:00:00.000Z",
    customer: { name: `<i>Ada</i> ${one.offset + at}` },
  }));
  return { body: { rows } };
}

before(async () => {
  site = await serve(process.env.EXPLORER, answer);
  chromium = await launch();
});
after(async () => {
  await chromium?.close();
  site?.close();
});
beforeEach(async () => {
  [requests, hold, histogram] = [[], async () => {}, null];
  ({ page, faults } = await open(chromium.browser, site.url));
  await waitForText(page, "#row-count", /^1,000,000 rows$/);
  await waitForText(page, "regular-table td", /^0$/);
});
afterEach(async () => {
  await page.close();
  assert.deepEqual(faults.filter((fault) => !/status of (404|422)/.test(fault)), []);
});

/** Scrolls the table to a part of its height. */
function scrollTo(part) {
  const scroll = (table, to) => (table.scrollTop = (table.scrollHeight - table.clientHeight) * to);
  return page.$eval("regular-table", scroll, part);
}

test("a million rows are scrolled through, by pages of which few are kept", async () => {
  const seen = [];
  const isPast = (least) => Number(document.querySelector("regular-table td").textContent) > least;
  for (const part of [0.1, 0.35, 0.5, 0.77, 1]) {
    await scrollTo(part);
    await page.waitForFunction(isPast, {}, part * ROWS * 0.95);
    seen.push(Number(await page.$eval("regular-table td", (cell) => cell.textContent)));
  }
  assert.ok(seen.at(-1) > ROWS - 100);
  await page.waitForFunction((last) => [...document.querySelectorAll("regular-table tr td:first-child")]
    .some((cell) => cell.textContent === last), {}, String(ROWS - 1));
  const pages = requests.filter(({ pathname }) => pathname === "/rows");
  assert.ok(pages.length < 40, `${pages.length} requests`);
  assert.ok(pages.every(({ offset, limit }) => limit <= 500 && offset % limit === 0));
  assert.ok((await page.$$eval("regular-table td", (all) => all.length)) < 500);
});

test("what is scrolled past is given up, and what is typed over too", async () => {
  let release;
  const held = new Promise((done) => (release = done));
  hold = ({ pathname }) => (pathname === "/rows" ? held : undefined);
  requests.length = 0;
  const rowRequests = () => requests.filter(({ pathname }) => pathname === "/rows");
  const until = async (isSo) => {
    while (!isSo()) await new Promise((done) => setTimeout(done, 20));
  };
  await scrollTo(0.5);
  await until(() => rowRequests().length > 0);
  const [first] = rowRequests();
  await scrollTo(0.9);
  await until(() => first.gone);
  await type(page, "status=paid");
  assert.equal(await queryOf(page), "status=paid"); // typing waits for nothing
  await until(() => requests.some(({ query }) => query === "status=paid"));
  await until(() => rowRequests().every(({ gone }) => gone));
  release();
  await waitForText(page, "#row-count", /^7 rows$/);
});

test("a query is asked when typing pauses, not at each key, and never where it is wrong", async () => {
  requests.length = 0;
  await page.focus("#query");
  await page.evaluate(() => {
    const input = document.querySelector("#query");
    for (const text of ["s", "st", "status=o", "status=opn", "status=open"]) {
      input.value = text;
      input.dispatchEvent(new Event("input"));
    }
  });
  await page.waitForNetworkIdle({ idleTime: 300 });
  assert.deepEqual([...new Set(requests.map(({ query }) => query))], ["status=open"]);
  await type(page, "status=opn");
  await waitForText(page, "#errors", /did you mean 'open'/);
  await page.waitForNetworkIdle({ idleTime: 300 });
  assert.ok(requests.every(({ query }) => query !== "status=opn"));
});

test("parameters of pages are left out; the rest is asked as it is typed", async () => {
  await type(page, "status=-open&limit=20&page=3&order=total");
  await page.waitForNetworkIdle({ idleTime: 400 });
  assert.equal(requests.at(-1).query, "status=-open&order=total");
});

test("what a server refuses is told", async () => {
  await type(page, "status=void");
  await waitForText(page, "#problem", /^void: too dear$/);
  await type(page, "status=paid");
  await waitForText(page, "#row-count", /^7 rows$/);
  assert.equal(await page.$eval("#problem", (element) => element.textContent), "");
});

test("cells of rows are text, and offer what their parameter can say", async () => {
  assert.equal((await texts(page, "regular-table tr:first-child td:nth-child(5)"))[0], "<i>Ada</i> 0");
  await page.click("regular-table td:nth-child(3)");
  assert.deepEqual(await texts(page, "#cell-menu button"), ["Only this", "Row as JSON"]);
  await page.keyboard.press("Escape");
  await page.click("regular-table td:nth-child(2)");
  await press(page, "Not this", "#cell-menu");
  assert.equal(await queryOf(page), "status=-open");
});

test("a cell says why it can't be filtered by", async () => {
  const notes = [
    // column, what its menu says
    [1, "number: 0", "Filtered by seen[gte] and seen[lt]."],
    [4, "created_at: 2026-08-01T00:00:00.000Z", "Filtered by interval, start, and end."],
    [5, "customer.name: <i>Ada</i> 0", "Not filtered: no parameter is about this column."],
    [6, "score: no value", "Not filtered: double is no exact number, write it as decimal."],
    [7, "constructor: no value", "Not filtered: no parameter is about this column."],
  ];
  for (const [column, title, note] of notes) {
    await page.click(`regular-table td:nth-child(${column})`);
    assert.deepEqual(await texts(page, "#cell-menu p, #cell-menu button"), [title, note, "Row as JSON"]);
    await page.keyboard.press("Escape");
    const head = `regular-table th:nth-child(${column}) :is(button, span)`;
    assert.equal(await page.$eval(head, (element) => element.title), note);
  }
});

test("heads sort by the columns that the endpoint sorts by", async () => {
  const order = () => page.$$eval("regular-table th", (all) => all.map((element) => element.ariaSort));
  assert.deepEqual(await texts(page, "regular-table th button"), ["total", "created_at"]);
  assert.deepEqual(await order(), [null, null, "none", "descending", null, null, null]);
  await press(page, "total", "regular-table");
  assert.equal(await queryOf(page), "order=total");
  await press(page, "total", "regular-table");
  assert.equal(await queryOf(page), "order=-total");
  await page.waitForFunction(() => document.querySelectorAll("regular-table th")[2].ariaSort === "descending");
  assert.deepEqual(await order(), [null, null, "descending", "none", null, null, null]);
  await press(page, "created_at", "regular-table");
  assert.equal(await queryOf(page), "order=created");
  await page.waitForNetworkIdle({ idleTime: 300 });
  assert.equal(requests.findLast(({ pathname }) => pathname === "/rows").query, "order=created");
});

test("rows are marked where the source refuses the query that is typed", async () => {
  await type(page, "status=paid");
  await waitForText(page, "#row-count", /^7 rows$/);
  await type(page, "status=void");
  await waitForText(page, "#problem", /^void: too dear$/);
  await waitForText(page, "#stale", /^The marked parts show another query: status=paid$/);
  assert.deepEqual(await page.$$eval(".stale", (all) => all.map(({ id }) => id)), ["histogram", "rows-part"]);
  await type(page, "status=open");
  await waitForText(page, "#row-count", /^1,000,000 rows$/);
  await page.waitForFunction(() => document.querySelectorAll(".stale").length === 0);
});

const CHIPS = [
  // parameter, value, words
  ["title[contains]", "a_", "title contains a_"],
  ["head", "Ab", "head starts with Ab"],
  ["title[ends]", "z", "title ends with z"],
  ["note[null]", "true", "note is null"],
  ["weight[gte]", "1e-7", "weight ≥ 1e-7"],
  ["due", "2026-02-28", "due: 2026-02-28"],
  ["due[lt]", "2026-02-28", "due < 2026-02-28"],
  ["size[gte]", "small", "size ≥ small"],
  ["token", "0190c7a6-7c3e-7d3e-8f3e-0123456789ab", "token: 0190c7a6-7c3e-7d3e-8f3e-0123456789ab"],
  ["found", "ab cd", "found: ab cd"],
];
for (const [name, value, words] of CHIPS) {
  test(`a chip is added, shown and removed: ${words}`, async () => {
    await page.select("#add-name", name);
    await page.type("#add-value", value);
    await page.keyboard.press("Enter");
    assert.equal(await queryOf(page), `${name}=${value}`);
    assert.deepEqual(await texts(page, ".chip span"), [words]);
    await waitForText(page, "#row-count", /^1,000,000 rows$/);
    await page.click(`[aria-label="Remove: ${words}"]`);
    assert.equal(await queryOf(page), "");
    assert.deepEqual(await texts(page, ".chip"), []);
  });
}

const PROGRAMS = [
  ["typescript", '"empty": isNull({"name":"note[null]","column":{"name":"note","isNullable":true}})'],
  ["typescript", '"found": search("title", "note")'],
  ["python", 'empty = sluice.is_null(name="note[null]", column=sluice.Column("note", "text", is_nullable=True))'],
  ["python", 'choices=("small", "large")'],
  ["python", 'found = sluice.search("title", "note")'],
  ["cpp", 'constexpr std::array<std::string_view, 2> choices_of_size{"small", "large"};'],
  ["cpp", '.choices = choices_of_size'],
];
test("a test of null is negated, and its programs name what it needs", async () => {
  await type(page, "note[null]=true&size[gte]=large&found=a");
  await page.click('[data-name="note[null]"] [data-act="negate"]');
  assert.equal(await queryOf(page), "note[null]=false&size[gte]=large&found=a");
  assert.deepEqual(await texts(page, ".chip span"), ["note is not null", "size ≥ large", "found: a"]);
  await page.click("#tab-code");
  for (const [language, text] of PROGRAMS) {
    await page.click(`#code-${language}`);
    const program = await page.$eval("#program", (element) => element.textContent);
    assert.ok(program.includes(text), program);
  }
});

for (const most of [1, 9_999, 10_000, 123_456, 98_765_432, 1e11]) {
  test(`the numbers of a histogram aren't cut, of ${most} rows`, async () => {
    const starts = [Date.UTC(2026, 6, 22), Date.UTC(2026, 7, 1), Date.UTC(2026, 7, 11)];
    histogram = { starts, end: Date.UTC(2026, 7, 21), counts: [0, most, Math.ceil(most / 3)] };
    await type(page, "status=open");
    await page.waitForSelector("#histogram canvas");
    await page.waitForFunction(() => globalThis.drawn.length > 4);
    const { numbers, window, histogram: days } = await axesOf(page);
    assert.ok(numbers.length >= 2);
    assert.deepEqual(numbers.filter(({ left }) => left < 0), []);
    assert.deepEqual(window.map(([text]) => text), days.map(([text]) => text));
    await page.click("#histogram summary");
    assert.match((await texts(page, "#histogram li")).join(), new RegExp(`: ${most.toLocaleString("en")} rows?\\b`));
  });
}

test("top values are those of the source, of the column that the pointer stays on", async () => {
  requests.length = 0;
  for (const column of [2, 1, 3, 2]) await page.hover(`regular-table td:nth-child(${column})`);
  await waitForText(page, "#top h2", /^Top ten of status$/);
  assert.deepEqual([...new Set(requests.map(({ pathname, query }) => pathname + query))], ["/top"]);
  assert.deepEqual(await texts(page, "#top li > :first-child"), ["paid", "<b>"]);
  assert.deepEqual(await texts(page, "#top button"), ["paid"]); // the other is no status
  assert.equal((await texts(page, "#top .count"))[0].trim(), "1,234");
  await page.hover("regular-table th:nth-child(3)");
  await waitForText(page, "#top", /^Top ten of totalNo values.$/);
  await page.hover("regular-table th:nth-child(6)");
  await waitForText(page, "#top li", /^0.5 \(of a place\)1/);
  assert.deepEqual(await texts(page, "#top button"), []);
});

test("a window without an end is drawn as far as the data", async () => {
  const starts = [Date.UTC(2026, 0, 1), Date.UTC(2026, 4, 1), Date.UTC(2026, 8, 1)];
  histogram = { starts, end: Date.UTC(2027, 0, 1), counts: [1, 0, 2] };
  await type(page, "interval=all");
  await waitForText(page, "#timeline", /From the beginning to the end, in UTC/);
  await page.waitForSelector("#histogram canvas");
  await page.waitForFunction(() => globalThis.drawn.some(({ text }) => text.startsWith("2027-01") || text.startsWith("2026-12")));
  const { window, histogram: days } = await axesOf(page);
  assert.deepEqual(window.map(([text]) => text), days.map(([text]) => text));
  assert.ok(days[0][0] < "2026-03" && days.at(-1)[0] > "2026-11", `${days}`);
});

test("the plan is drawn", async () => {
  await page.click("#tab-tree");
  await waitForText(page, "#plan", /Condition/);
  const lines = await page.$$eval("#plan tbody tr", (all) => all.map((row) => row.innerText));
  assert.deepEqual(lines.map((line) => line.replace(/\s+/g, " ").trim()),
    ["bitmaps 1 16,384", "code_scan 2 115,712", "country 66,048", "device 1,024"]);
  const widths = await page.$$eval("#plan .bar", (all) => all.map((bar) => bar.clientWidth));
  assert.ok(widths[1] > widths[0] && widths[2] > widths[3]);
  assert.equal(await page.$eval("#plan-text", (element) => element.textContent), PLAN);
});

test("the head of the page is painted before the module is there", async () => {
  let release;
  scripts = new Promise((done) => (release = done));
  const blank = await chromium.browser.newPage();
  const loaded = blank.goto(site.url);
  await blank.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length === 1);
  assert.equal(await blank.$eval("#source", (element) => element.textContent), "Loading …");
  assert.ok(await blank.$eval("#query", (element) => element.clientWidth > 100));
  release();
  await loaded;
  await waitForText(blank, "#source", /orders of a test/);
  await blank.close();
});
