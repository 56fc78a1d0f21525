// SPDX-License-Identifier: MIT
// Prints what the page makes of query strings, as JSON: the count of rows, and a program on each tab of code.
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
  answers[query] = { count, programs: await programsOf(page), faults };
  await page.close();
}
console.log(JSON.stringify(answers));
await chromium.close();
site.close();
