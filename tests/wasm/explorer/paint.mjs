// SPDX-License-Identifier: MIT
// How soon pages show something: node paint.mjs [--loads N] ADDRESS... loads each N times (15), without a cache, and
// prints the medians of a page's first paint and of its first content, in milliseconds, and what it fetched until then.

import { launch } from "./browser.mjs";

const words = process.argv.slice(2);
const loads = words[0] === "--loads" ? Number(words.splice(0, 2)[1]) : 15;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const { browser, close } = await launch();

/** What one load of a page took. */
async function load(address) {
  const page = await browser.newPage();
  await page.setCacheEnabled(false);
  await page.goto(address, { waitUntil: "networkidle0" });
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  const told = await page.evaluate(() => ({
    paints: Object.fromEntries(performance.getEntriesByType("paint").map((each) => [each.name, each.startTime])),
    bytes: performance.getEntriesByType("resource").reduce((sum, each) => sum + each.transferSize, 0),
  }));
  await page.close();
  return { paint: told.paints["first-paint"], content: told.paints["first-contentful-paint"], bytes: told.bytes };
}

try {
  for (const address of words) {
    const seen = [];
    for (let each = 0; each < loads; ++each) seen.push(await load(address));
    const [paint, content, bytes] = ["paint", "content", "bytes"].map((name) => median(seen.map((each) => each[name])));
    console.log(`${address}: first paint ${paint.toFixed(0)} ms, first content ${content.toFixed(0)} ms, ${bytes} bytes`);
  }
} finally {
  await close();
}
