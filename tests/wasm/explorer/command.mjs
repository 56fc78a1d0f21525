// SPDX-License-Identifier: MIT
// Asks a running `sluice explore`: node command.mjs ADDRESS QUERY... prints what the page shows of each, as JSON:
// rows counted, the first row's cells, the SQL, and what went wrong.

import { launch, open, waitForText } from "./browser.mjs";

const [, , address, ...queries] = process.argv;
const { browser, close } = await launch();

/** Opens a view of a query in a page of its own. */
async function view(name, query, ready) {
  const opened = await open(browser, `${address}#${name}?${query}`);
  await waitForText(opened.page, ready, /\S/);
  return opened;
}

async function answerTo(query) {
  const { page, faults } = await view("rows", query, "regular-table td:not(.waiting)");
  await waitForText(page, "#row-count", /rows?$/);
  const count = await page.$eval("#row-count", (place) => place.textContent);
  const first = await page.$eval("regular-table tbody tr", (row) => [...row.cells].map((cell) => cell.textContent));
  const code = await view("code/sqlite", query, "#code pre");
  const sql = await code.page.$eval("#code pre", (place) => place.textContent);
  await Promise.all([page.close(), code.page.close()]);
  return { count, first, sql, faults: [...faults, ...code.faults] };
}

try {
  const answers = [];
  for (const query of queries) answers.push(await answerTo(query));
  console.log(JSON.stringify(answers));
} finally {
  await close();
}
