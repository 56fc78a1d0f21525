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
  const timings = await page.evaluate(() => ({
    paints: Object.fromEntries(performance.getEntriesByType("paint").map((entry) => [entry.name, entry.startTime])),
    bytes: performance.getEntriesByType("resource").reduce((sum, entry) => sum + entry.transferSize, 0),
  }));
  await page.close();
  return { paint: timings.paints["first-paint"], content: timings.paints["first-contentful-paint"], bytes: timings.bytes };
}

try {
  for (const address of words) {
    const seen = [];
    for (let i = 0; i < loads; ++i) seen.push(await load(address));
    const [paint, content, bytes] = ["paint", "content", "bytes"].map((name) => median(seen.map((sample) => sample[name])));
    console.log(`${address}: first paint ${paint.toFixed(0)} ms, first content ${content.toFixed(0)} ms, ${bytes} bytes`);
  }
} finally {
  await close();
}
