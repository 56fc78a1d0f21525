// SPDX-License-Identifier: MIT
// What tests of the explorer's page share: a server of its files, as strict as the real one, and Chromium.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";

import puppeteer from "puppeteer-core";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm",
  ".svg": "image/svg+xml" };
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self' 'wasm-unsafe-eval'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves a folder on a port of its own; `answer(url, response)` comes first, and gives JSON or undefined. */
export async function serve(folder, answer = () => undefined) {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    response.setHeader("content-security-policy", POLICY);
    const json = await answer(url, response);
    if (json !== undefined) {
      const { status = 200, body } = json;
      return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    }
    const name = url.pathname === "/" ? "/index.html" : url.pathname;
    try {
      const bytes = readFileSync(join(folder, name));
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/json" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Chromium, with what closes it. */
export async function launch() {
  const profile = mkdtempSync(join(tmpdir(), "chromium-"));
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    userDataDir: profile,
    protocolTimeout: 600_000,
    args: FLAGS,
  });
  const close = async () => {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { browser, close };
}

/** Keeps the texts that a page's canvases show, and where: `drawn`, in pixels of the window. */
function recordTexts() {
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  globalThis.drawn = [];
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    globalThis.drawn = [];
    return clearRect.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const { width } = this.measureText(text);
    const at = this.getTransform().transformPoint(new DOMPoint(x, y)).x;
    const left = at - ({ right: width, end: width, center: width / 2 }[this.textAlign] ?? 0);
    globalThis.drawn.push({ text, left: left / devicePixelRatio, right: (left + width) / devicePixelRatio });
    return fillText.call(this, text, x, y);
  };
}

/** A page of an address, loaded; `faults` are what its console and policy complain of. */
export async function open(browser, url, { width = 1200, height = 900, scheme = "light" } = {}) {
  const page = await browser.newPage();
  await page.evaluateOnNewDocument(recordTexts);
  page.setDefaultTimeout(120_000);
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.stack ?? String(error)));
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(url);
  await page.waitForSelector("#source");
  await page.waitForFunction(() => !/^Loading/.test(document.querySelector("#source").textContent));
  return { page, faults };
}

/** Types a query in place of what is there. */
export async function type(page, query) {
  await page.click("#query", { count: 3 });
  await page.keyboard.press("Backspace");
  await page.type("#query", query);
}

/** Waits until an element's text is as a pattern has it. */
export function waitForText(page, selector, pattern) {
  const matches = (place, source) => new RegExp(source).test(document.querySelector(place)?.textContent ?? "");
  return page.waitForFunction(matches, {}, selector, pattern.source);
}

/** The texts of all elements of a selector. */
export function texts(page, selector) {
  return page.$$eval(selector, (all) => all.map((element) => element.textContent));
}

/** Clicks the button of a text. */
export async function press(page, text, within = "body") {
  const button = await page.waitForSelector(`${within} ::-p-xpath(.//button[normalize-space()="${text}"])`);
  await button.click();
}

/** Where the axes of the window and of the histogram have their texts, by these. */
export function axesOf(page) {
  return page.evaluate(() => {
    const middle = ({ left, right }) => Math.round((left + right) / 2);
    const texts = [...document.querySelectorAll("#timeline text")];
    const canvas = document.querySelector("#histogram canvas").getBoundingClientRect();
    const days = globalThis.drawn.filter(({ text }) => /^\d{4}-/.test(text));
    return {
      window: texts.map((element) => [element.textContent, middle(element.getBoundingClientRect())]),
      histogram: days.map((label) => [label.text, Math.round(canvas.left + middle(label))]),
      numbers: globalThis.drawn.filter((label) => !days.includes(label)),
    };
  });
}

export const queryOf = (page) => page.$eval("#query", (input) => input.value);
export const hashOf = (page) => page.evaluate(() => decodeURIComponent(location.hash));
