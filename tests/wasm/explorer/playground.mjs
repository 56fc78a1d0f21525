// SPDX-License-Identifier: MIT
// The page over the playground's sample, used as people use it. EXPLORER is the playground's folder.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { axesOf, hashOf, launch, open, press, queryOf, serve, texts, type, waitForText } from "./browser.mjs";

let site, chromium, page, faults;

before(async () => {
  site = await serve(process.env.EXPLORER);
  chromium = await launch();
});
after(async () => {
  await chromium?.close();
  site?.close();
});
beforeEach(async () => ({ page, faults } = await open(chromium.browser, `${site.url}#rows?interval=all`)));
afterEach(async () => {
  await page.close();
  assert.deepEqual(faults, []);
});

test("each error has its own caret and message, and a click that mends it", async () => {
  await type(page, "interval=30d&contry=US&device=Mobile,-Desktop");
  assert.equal(await page.$eval("#carets", (element) => element.textContent.trimEnd()),
    " ".repeat(13) + "^^^^^^" + " ".repeat(18) + "^^^^^^^^");
  assert.deepEqual(await texts(page, "#errors mark"), ["-Desktop", "contry"]);
  assert.match((await texts(page, "#errors p"))[1], /^contry: unknown parameter.*did you mean 'country'/);
  await press(page, "Use country");
  assert.equal(await queryOf(page), "interval=30d&country=US&device=Mobile,-Desktop");
  await press(page, "Exclude all of them");
  assert.equal(await queryOf(page), "interval=30d&country=US&device=-Mobile,Desktop");
  assert.deepEqual(await texts(page, "#errors li"), []);
});

const FIXES = [
  // query, button, what it makes of the query
  ["country=US&event=clickz", "Use clicks", "country=US&event=clicks"],
  ["start=yesterdy&country=US", "Use yesterday", "start=yesterday&country=US"],
  ["query=metadata['a']==1&event=leads", "Write =", "query=metadata['a']=1&event=leads"],
  ["event=leads&query=metadata['a']:1,metadata['b']:2", "Write AND",
    "event=leads&query=metadata['a']:1 AND metadata['b']:2"],
  ["query=metadata['a']:1", "Add event=leads", "query=metadata['a']:1&event=leads"],
  ["domain=a%C3%A9,-b&root=true", "Escape the -", "domain=a%C3%A9,\\-b&root=true"],
  ["limit=0&country=US", "Remove limit", "country=US"],
];
for (const [query, button, mended] of FIXES) {
  test(`${query}: ${button}`, async () => {
    await type(page, query);
    await press(page, button, "#errors");
    assert.equal(await queryOf(page), mended);
    assert.deepEqual(await texts(page, "#errors li"), []);
  });
}

test("chips say, negate, remove and add conditions, by the keyboard too", async () => {
  await type(page, "interval=all&country=US,CA&root=false");
  assert.deepEqual(await texts(page, ".chip span"), ["country is US, CA", "root: false"]);
  await page.focus('[data-name="country"] [data-act="negate"]');
  await page.keyboard.press("Enter");
  assert.equal(await queryOf(page), "interval=all&country=-US,CA&root=false");
  assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), "Negate: country is not US, CA");
  await page.click('[aria-label="Remove: root: false"]');
  assert.equal(await queryOf(page), "interval=all&country=-US,CA");
  await page.select("#add-name", "device");
  await page.type("#add-value", "Mobile");
  await page.keyboard.press("Enter");
  assert.equal(await queryOf(page), "interval=all&country=-US,CA&device=Mobile");
  await type(page, "event=leads&query=metadata['a']:1 OR metadata['b']:2");
  await page.click('[data-name="query"] [data-act="negate"]');
  assert.equal(await queryOf(page), "event=leads&query=NOT (metadata['a']:1 OR metadata['b']:2)");
});

test("the window is drawn in its zone, and chosen", async () => {
  await type(page, "start=2026-08-01&end=2026-08-02&timezone=Asia/Tokyo");
  await waitForText(page, "#timeline",
    /From 2026-08-01T00:00:00.000\+09:00 to 2026-08-02T23:59:59.999\+09:00, in Asia\/Tokyo/);
  assert.ok(await page.$eval("#timeline .span", (bar) => bar.width.baseVal.value > 2));
  await page.select("#interval", "7d");
  assert.equal(await queryOf(page), "timezone=Asia/Tokyo&interval=7d");
  await page.$eval("#timezone", (input) => (input.value = ""));
  await page.type("#timezone", "Europe/Paris");
  await page.keyboard.press("Enter");
  await waitForText(page, "#timeline", /\+02:00, in Europe\/Paris/);
});

test("cells offer only this, not this, and the JSON of their row", async () => {
  await waitForText(page, "regular-table td", /^2026/);
  const country = await page.$eval("regular-table td:nth-child(2)", (cell) => cell.textContent);
  await page.click("regular-table td:nth-child(2)");
  await press(page, "Only this", "#cell-menu");
  assert.equal(await queryOf(page), `interval=all&country=${country}`);
  await waitForText(page, "regular-table td:nth-child(2)", new RegExp(`^${country}$`));
  await page.waitForSelector("regular-table td:nth-child(2)");
  await page.click("regular-table td:nth-child(2)");
  await press(page, "Not this", "#cell-menu");
  assert.equal(await queryOf(page), `interval=all&country=-${country}`);
  await page.waitForFunction((not) => {
    const cell = document.querySelector("regular-table td:nth-child(2)");
    return cell && cell.textContent !== not && cell.textContent !== "…";
  }, {}, country);
  await page.click("regular-table td:nth-child(2)");
  await press(page, "Row as JSON", "#cell-menu");
  const row = JSON.parse(await page.$eval("#row-json", (element) => element.textContent));
  assert.equal(row.event, "click");
  assert.notEqual(row.click.country, country);
  await page.keyboard.press("Escape");
  assert.equal(await page.$eval("#row-dialog", (element) => element.open), false);
});

test("the table goes by the keyboard", async () => {
  await waitForText(page, "regular-table td", /^2026/);
  await page.focus('regular-table td[tabindex="0"]');
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
  const isAt = (x, y) => {
    const meta = document.querySelector("regular-table").getMeta(document.activeElement);
    return meta?.x === x && meta.y === y;
  };
  await page.waitForFunction(isAt, {}, 1, 2);
  for (let times = 0; times < 5; ++times) {
    await page.keyboard.press("PageDown");
    await page.waitForFunction(isAt, {}, 1, 2 + 15 * (times + 1));
  }
  await page.keyboard.press("Enter");
  await page.waitForSelector("#cell-menu:popover-open");
});

test("a bar of the histogram is made the window", async () => {
  await page.waitForSelector("#histogram .u-over");
  await waitForText(page, "#row-count", /^2,400 rows$/);
  const box = await (await page.$("#histogram .u-over")).boundingBox();
  await page.mouse.move(box.x + box.width - 6, box.y + box.height / 2);
  await page.mouse.click(box.x + box.width - 6, box.y + box.height / 2);
  assert.match(await queryOf(page), /^start=2026-08-\S+Z&end=2026-08-21T02:\S+Z$/);
  const counted = () => /^(\d+) rows?$/.exec(document.querySelector("#row-count").textContent)?.[1];
  const kept = Number(await (await page.waitForFunction(counted)).jsonValue());
  assert.ok(kept > 0 && kept < 2400);
  await page.click("#histogram summary");
  await page.click("#histogram li button");
  assert.match(await queryOf(page), /^start=\S+Z&end=\S+Z$/);
});

test("the top ten are those of the column under the pointer, or of the focused cell", async () => {
  await waitForText(page, "regular-table td", /^2026/);
  assert.match((await texts(page, "#top"))[0], /Point at a column/);
  await page.hover("regular-table th:nth-child(2)");
  await waitForText(page, "#top h2", /^Top ten of click.country$/);
  const counts = async () => (await texts(page, "#top .count")).map(Number);
  const all = await counts();
  assert.equal(all.length, 10);
  assert.deepEqual(all, [...all].sort((a, b) => b - a));
  const [first, second] = await texts(page, "#top button");
  await press(page, first, "#top");
  assert.equal(await queryOf(page), `interval=all&country=${first}`);
  await waitForText(page, "#row-count", new RegExp(`^${all[0]} rows$`));
  assert.deepEqual(await counts(), all); // its own condition is off
  await page.focus('regular-table td[tabindex="0"]');
  for (let times = 0; times < 5; ++times) await page.keyboard.press("ArrowRight");
  await waitForText(page, "#top h2", /^Top ten of click.device$/);
  assert.equal((await counts()).reduce((sum, count) => sum + count, 0), all[0]);
  await page.hover("regular-table td:nth-child(1)"); // a time has none
  await type(page, `interval=all&country=${second}`);
  await waitForText(page, "#row-count", new RegExp(`^${all[1]} rows$`));
  await page.waitForFunction((sum) => [...document.querySelectorAll("#top .count")]
    .reduce((total, { textContent }) => total + Number(textContent), 0) === sum, {}, all[1]);
});

test("the tree tells how many rows each node keeps", async () => {
  await type(page, "event=leads&interval=all&country=US&query=metadata['plan']:pro AND NOT metadata['seats']>=5");
  await page.click("#tab-tree");
  await waitForText(page, ".tree", /'5'\d+ row/);
  const lines = await page.$$eval(".tree li", (all) =>
    all.map((element) => [element.children[0].textContent, parseInt(element.children[1].textContent, 10)]));
  assert.deepEqual(lines.map(([label]) => label), [
    "Rows of the window", "All of these", "country is US",
    "query: metadata['plan']:pro AND NOT metadata['seats']>=5", "AND", "metadata['plan']='pro'", "NOT",
    "metadata['seats']>='5'",
  ]);
  const [all, both, country, query, and, plan, not, seats] = lines.map(([, count]) => count);
  assert.equal(all, 240);
  assert.equal(and, query);
  assert.equal(not, all - seats);
  assert.ok(both > 0 && both <= Math.min(country, query) && query <= Math.min(plan, not));
  assert.match(await page.$eval("#plan", (element) => element.textContent), /no plans/);
});

test("a condition that needs another has no count alone", async () => {
  await type(page, "interval=all&domain=try.example&key=spring-sale");
  await page.click("#tab-tree");
  await waitForText(page, ".tree", /key: spring-salehas no meaning alone/);
});

const LANGUAGES = ["SQLite", "DuckDB", "PostgreSQL", "ClickHouse", "MariaDB", "polars", "pyarrow", "curl",
  "TypeScript", "Python", "C++"];
test("the query is code in many languages, each copied by a click", async () => {
  const allowed = ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"];
  await chromium.browser.defaultBrowserContext().overridePermissions(new URL(site.url).origin, allowed);
  await type(page, "interval=all&country=-US");
  await page.click("#tab-code");
  const seen = new Set();
  for (const name of LANGUAGES) {
    await press(page, name, "#code");
    await press(page, "Copy", "#code");
    await waitForText(page, "#code", /Copied/);
    const program = await page.$eval("#program", (element) => element.textContent);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), program);
    assert.match(program, /us/i);
    seen.add(program);
  }
  assert.equal(seen.size, LANGUAGES.length);
  assert.match(await hashOf(page), /^#code\/cpp\?/);
});

test("ten requests pass or not under each algorithm, and their headers are told", async () => {
  await page.click("#tab-limits");
  const line = async (name) => (await texts(page, `[data-algorithm="${name}"] button`)).join("");
  assert.equal(await line("fixed_window"), "✓✓✓✓✗✗✓✓✓✓");
  assert.equal(await line("gcra"), "✓".repeat(10)); // 15 s of four requests' minute each, 10 s apart
  await page.click('[data-algorithm="fixed_window"] button:nth-child(5)');
  const headers = await page.$eval("#limit-headers", (element) => element.textContent);
  assert.match(headers, /Request 5 under fixed window: 429.*x-ratelimit-limit: 4.*retry-after: 20/s);
  await page.click("#limits input", { count: 3 });
  await page.keyboard.type("10");
  assert.equal(await line("sliding_log"), "✓".repeat(10));
});

test("the state is the address: it is kept, goes back, and is shared", async () => {
  await type(page, "interval=all&device=Mobile");
  await page.click("#tab-code");
  await press(page, "C++", "#code");
  assert.equal(await hashOf(page), "#code/cpp?interval=all&device=Mobile");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector("#code-sqlite").ariaSelected === "true");
  assert.equal(await hashOf(page), "#code?interval=all&device=Mobile");
  await page.goBack();
  await page.waitForFunction(() => !document.querySelector("#rows").hidden);
  const other = await open(chromium.browser, `${site.url}#tree?interval=all&city=San%20Francisco,a%26b`);
  assert.equal(await queryOf(other.page), "interval=all&city=San Francisco,a%26b");
  assert.equal(await other.page.$eval("#tree", (element) => element.hidden), false);
  await other.page.close();
});

test("each query is a step back", async () => {
  const pause = () => new Promise((done) => setTimeout(done, 1_200)); // which ends a step of typing
  const queries = ["interval=all", "interval=30d&country=US", "interval=30d&contry=US", "interval=7d"];
  for (const query of queries.slice(1)) {
    await pause();
    await type(page, query);
  }
  for (const query of queries.slice(0, -1).reverse()) {
    await page.goBack();
    await page.waitForFunction((text) => document.querySelector("#query").value === text, {}, query);
    assert.equal(await hashOf(page), `#rows?${query}`);
  }
  await waitForText(page, "#row-count", /^2,400 rows$/);
  await page.goForward();
  await waitForText(page, "#row-count", /^[\d,]+ rows$/);
  assert.equal(await queryOf(page), queries[1]);
});

test("rows of another query are marked while one is wrong, in every view", async () => {
  const marked = () => page.$$eval(".stale", (all) => all.map((element) => element.id));
  const saysNothing = () => document.querySelector("#stale").textContent === "";
  await waitForText(page, "#row-count", /^2,400 rows$/);
  assert.deepEqual([await marked(), await page.evaluate(saysNothing)], [[], true]);
  await page.evaluate(() => {
    document.querySelector("#query").value = "interval=all&contry=US";
    document.querySelector("#query").dispatchEvent(new Event("input"));
  });
  assert.deepEqual(await marked(), ["timeline", "histogram", "rows-part", "top"]);
  const note = "The marked parts show another query: interval=all";
  assert.equal(await page.$eval("#stale", (element) => element.textContent), note);
  assert.equal(await page.$eval("#row-count", (element) => element.textContent), "2,400 rows");
  await page.click("#tab-code");
  assert.equal(await page.$eval("#code", (element) => element.className), "stale");
  assert.equal(await page.$eval("#stale", (element) => element.textContent), note);
  await page.click("#tab-limits"); // which no query changes
  assert.deepEqual(await marked().then((all) => all.filter((id) => id === "limits")), []);
  await page.click("#tab-rows");
  await press(page, "Use country", "#errors");
  await page.waitForFunction(saysNothing);
  assert.deepEqual(await page.$$eval("#timeline.stale, #rows .stale", (all) => all.length), 0);
  const other = await open(chromium.browser, `${site.url}#rows?interval=all&contry=US`);
  await waitForText(other.page, "#stale", /^There is nothing of this query/);
  await other.page.close();
});

test("the head of the time turns the order", async () => {
  const head = 'regular-table th[aria-sort] button';
  const order = () => page.$eval("regular-table th", (element) => element.ariaSort);
  await waitForText(page, "regular-table td", /^2026-08-21/);
  assert.deepEqual([await order(), await texts(page, head)], ["descending", ["timestamp"]]);
  await page.click(head);
  assert.equal(await queryOf(page), "interval=all&sortOrder=asc");
  await waitForText(page, "regular-table td", /^2026-07/);
  assert.equal(await order(), "ascending");
  await page.focus(head);
  await page.keyboard.press("Enter");
  assert.equal(await queryOf(page), "interval=all&sortOrder=desc");
  await waitForText(page, "regular-table td", /^2026-08-21/);
  await type(page, "interval=all&order=asc&country=US"); // the older name
  await waitForText(page, "regular-table td", /^2026-07/);
  await page.click(head);
  assert.equal(await queryOf(page), "interval=all&country=US&sortOrder=desc");
});

const SPANS = ["interval=all", "interval=30d&timezone=Asia/Tokyo", "start=2026-08-20&end=2026-08-21T01:00",
  "start=2026-08-20T12:00:00&end=2026-08-20T12:00:20", "start=2026-08-01&end=2026-09-30"];
for (const span of SPANS) {
  test(`both axes of time have the same texts in the same places: ${span}`, async () => {
    await type(page, span);
    await page.waitForNetworkIdle({ idleTime: 300 });
    await page.waitForSelector("#histogram canvas");
    for (const width of [1200, 700]) {
      await page.setViewport({ width, height: 900 });
      await page.waitForFunction((most) => document.querySelector("#histogram canvas").clientWidth < most, {}, width);
      await new Promise((done) => setTimeout(done, 100));
      const { window, histogram } = await axesOf(page);
      assert.ok(window.length >= 2, `${window}`);
      assert.deepEqual(window.map(([text]) => text), histogram.map(([text]) => text));
      const apart = window.map(([, x], index) => Math.abs(x - histogram[index][1]));
      assert.ok(Math.max(...apart) <= 2, `${apart}`);
    }
  });
}

test("times are written in one way, in the zone of the window", async () => {
  await type(page, "interval=7d&timezone=Asia/Tokyo");
  await waitForText(page, "regular-table td", /^2026-08-21T1\d:\d\d:\d\d\.\d{3}\+09:00$/);
  await page.click("#histogram summary");
  await page.click("regular-table td");
  const shown = await page.evaluate(() => document.body.innerText);
  const labels = await page.$$eval("[aria-label]", (all) => all.map((element) => element.ariaLabel).join("\n"));
  const all = [shown, labels, ...(await axesOf(page)).histogram.map(([text]) => text)].join("\n");
  const times = all.match(/\d{4}-\d\d-\d\d\S*/g).map((text) => text.replace(/[,:]$/, ""));
  assert.ok(times.length > 30);
  assert.deepEqual(times.filter((time) => !/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}\+09:00)?$/.test(time)), []);
  assert.equal(/\b(Jan|Jul|Aug|Mon|Tue|GMT|am|pm)\b|\d\/\d/.exec(all), null);
});

test("tabs go by arrow keys", async () => {
  await page.focus("#tab-rows");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tab-tree");
  await page.keyboard.press("End");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tab-limits");
  assert.equal(await page.$eval("#limits", (element) => element.hidden), false);
});

test("texts of requests are never read as HTML", async () => {
  await type(page, "city=<img src=x onerror=alert(1)>&nam<b>e=1&interval=all");
  await page.waitForSelector("#errors li");
  assert.deepEqual(await page.$$eval("main img, main b", (all) => all.length), 0);
});
