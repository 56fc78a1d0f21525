// SPDX-License-Identifier: MIT
// Prints what the page makes of query strings, as JSON: the count of rows, the histogram's lines, the top values of
// a column, and a program on each tab of code.
//   node tell.mjs FOLDER QUERY...

import { launch, open, press, serve } from "./browser.mjs";

const [, , folder, ...queries] = process.argv;
const site = await serve(folder);
const chromium = await launch();

/** How many rows the page says there are. */
async function countOf(page) {
  const counted = () => /^([\d,]+) rows?$/.exec(document.querySelector("#row-count").textContent)?.[1];
  const handle = await page.waitForFunction(counted);
  return Number((await handle.jsonValue()).replaceAll(",", ""));
}

/** The lines of the histogram's list, such as `2026-08-01T00:00:00.000Z: 5 rows`. */
async function histogramOf(page) {
  await page.waitForNetworkIdle({ idleTime: 100 });
  return page.$$eval("#histogram li", (all) => all.map((element) => element.textContent));
}

/** The top values of the page's second column, with their counts; none if no row is shown. */
async function topOf(page) {
  const head = await page.$("regular-table th:nth-child(2)");
  await head.hover();
  await page.waitForSelector("#top :is(ol, h2 + p)", { timeout: 5_000 }).catch(() => undefined);
  return page.$$eval("#top li", (all) => all.map((line) => [...line.children].map((part) => part.textContent.trim())));
}

async function programsOf(page) {
  await page.click("#tab-code");
  const names = await page.$$eval("#code [role=tab]", (all) => all.map((element) => element.textContent));
  const programs = {};
  for (const name of names) {
    await press(page, name, "#code");
    programs[name] = await page.$eval("#program", (element) => element.textContent);
  }
  return programs;
}

const answers = {};
for (const query of queries) {
  const { page, faults } = await open(chromium.browser, `${site.url}#rows?${query}`);
  const count = await countOf(page);
  const [histogram, top] = [await histogramOf(page), await topOf(page)];
  answers[query] = { count, histogram, top, programs: await programsOf(page), faults };
  await page.close();
}
console.log(JSON.stringify(answers));
await chromium.close();
site.close();
