// SPDX-License-Identifier: MIT
// Compares the package of SLUICE_PACKAGE with the cases of a file, in Node or in Chromium:
//   node compare.mjs node|chromium CASES
// Prints what differs, as a JSON array of texts.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { differences } from "./cases.mjs";

const [, , host, cases] = process.argv;
const FOLDER = process.env.SLUICE_PACKAGE;
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

async function inNode() {
  const api = await import(pathToFileURL(join(FOLDER, "dist/index.js")).href);
  await api.load();
  return differences(api, JSON.parse(readFileSync(cases, "utf8")));
}

/** Serves the package, cases.mjs, the cases, and a page. */
function serve() {
  const files = { "/cases.mjs": new URL("cases.mjs", import.meta.url), "/cases.json": cases };
  const server = createServer(({ url }, response) => {
    const type = TYPES[extname(url)] ?? (url === "/" ? "text/html" : "application/json");
    response.setHeader("content-type", type);
    if (url === "/" || url === "/favicon.ico") return response.end("<!doctype html>");
    response.end(readFileSync(files[url] ?? join(FOLDER, url)));
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

/** In the page: all cases; in a worker of it: that the package loads there too. */
async function inPage() {
  const api = await import("/dist/index.js");
  await api.load();
  const { differences } = await import("/cases.mjs");
  const lines = differences(api, await (await fetch("/cases.json")).json());
  const program = `import { load, parseFilter } from "${location.origin}/dist/index.js";
    await load();
    postMessage(parseFilter("-US,CA").matches("FR"));`;
  const url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
  const answer = await new Promise((done, failed) => {
    worker.onmessage = (message) => done(message.data);
    worker.onerror = (error) => failed(new Error(error.message));
  });
  return answer === true ? lines : [...lines, `in a worker: ${answer}`];
}

async function inChromium() {
  const { default: puppeteer } = await import("puppeteer-core");
  const server = await serve();
  const profile = mkdtempSync(join(tmpdir(), "chromium-"));
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    userDataDir: profile,
    protocolTimeout: 600_000,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    return await page.evaluate(inPage);
  } finally {
    await browser.close();
    server.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

console.log(JSON.stringify(await (host === "node" ? inNode() : inChromium())));
