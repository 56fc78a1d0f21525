// SPDX-License-Identifier: MIT
// WCAG 2.2 AA of every view by axe-core, in light, in dark, and in a narrow window. EXPLORER is the
// playground's folder; PICTURES one that gets pictures of the views, if it is given.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { launch, open, serve, waitForText } from "./browser.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const QUERY = "interval=30d&country=-US,CA&timezone=Europe/Paris";
const LEADS = "event=leads&interval=all&country=US,CA&query=metadata['plan']:pro AND NOT metadata['seats']>=5";
const SCREENS = {
  light: { scheme: "light", width: 1000 },
  dark: { scheme: "dark", width: 1000 },
  narrow: { scheme: "light", width: 340 },
};
const VIEWS = {
  // address, and what is there when it is whole
  rows: [`#rows?${QUERY}`, "regular-table td", /^2026/],
  errors: [`#rows?interval=30d&contry=US&device=Mobile,-Desktop`, "#errors", /device.*contry/s],
  tree: [`#tree?${LEADS}`, ".tree", /'5'\d+ row/],
  code: [`#code/polars?${QUERY}`, "#program", /to_polars/],
  limits: [`#limits?${QUERY}`, "#limit-headers", /x-ratelimit-limit/],
};

let site, chromium;
before(async () => {
  site = await serve(process.env.EXPLORER);
  chromium = await launch();
});
after(async () => {
  await chromium?.close();
  site?.close();
});

/** What axe-core finds, each with the elements. */
async function violations(page) {
  const report = await page.evaluate(`${AXE}; axe.run(document, { runOnly: ${JSON.stringify(TAGS)} })`);
  assert.ok(report.passes.length > 10);
  return report.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 150))]);
}

for (const [screen, options] of Object.entries(SCREENS)) {
  for (const [view, [address, place, whole]] of Object.entries(VIEWS)) {
    test(`${view}, ${screen}`, async () => {
      const { page, faults } = await open(chromium.browser, site.url + address, { ...options, height: 760 });
      await waitForText(page, place, whole);
      if (view === "rows") {
        await page.hover("regular-table th:nth-child(2)");
        await waitForText(page, "#top h2", /click.country/);
      }
      assert.deepEqual(await violations(page), []);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${overflow} pixels wider than the window`);
      const picture = `${view}${screen === "light" ? "" : `-${screen}`}.png`;
      if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, picture) });
      assert.deepEqual(faults, []);
      await page.close();
    });
  }
}

test("the menu of a cell and the dialog of a row", async () => {
  const { page } = await open(chromium.browser, `${site.url}#rows?${QUERY}`, { width: 1000, height: 760 });
  await waitForText(page, "regular-table td", /^2026/);
  await page.click("regular-table td:nth-child(2)");
  await page.waitForSelector("#cell-menu:popover-open");
  assert.deepEqual(await violations(page), []);
  if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, "cell.png") });
  await page.$eval("#cell-menu button:last-child", (element) => element.click());
  assert.deepEqual(await violations(page), []);
  await page.close();
});
