// SPDX-License-Identifier: MIT
// Uses a page of examples/bundlers in Chromium: node visit.mjs FOLDER|URL
// Prints the link to its next page, and its message for a status that isn't accepted, as JSON.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";

import puppeteer from "puppeteer-core";

const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

/** Serves a folder; without a file of the name its page. */
function serve(folder) {
  const server = createServer(({ url }, response) => {
    const name = url === "/" ? "/index.html" : url.split("?")[0];
    try {
      const content = readFileSync(join(folder, name));
      response.setHeader("content-type", TYPES[extname(name)] ?? "text/plain");
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

const [, , place] = process.argv;
const server = place.startsWith("http:") ? undefined : await serve(place);
const profile = mkdtempSync(join(tmpdir(), "chromium-"));
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  userDataDir: profile,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking"],
});
try {
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  await page.goto(server ? `http://127.0.0.1:${server.address().port}/` : place, { waitUntil: "networkidle0" });
  await page.waitForFunction(() => document.querySelector("a").search !== "");
  const link = await page.$eval("a", ({ search }) => search);
  const before = await page.$eval("output", ({ textContent }) => textContent);
  await page.type("[name=status]", "x");
  await page.waitForFunction(() => document.querySelector("output").textContent !== "");
  const after = await page.$eval("output", ({ textContent }) => textContent);
  console.log(JSON.stringify({ link, before, after, problems }));
} finally {
  await browser.close();
  server?.close();
  rmSync(profile, { recursive: true, force: true });
}
