// SPDX-License-Identifier: MIT
// fetchEvents() against a server that tells what it was asked.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const { ApiError, fetchEvents } = await import(
  pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/index.js`).href
);

let server;
let origin;
let answers = [];
let requests = [];

before(() => new Promise((ready) => {
  server = createServer((request, response) => {
    requests.push([request.url, request.headers.authorization]);
    const { status = 200, headers = {}, body = [] } = answers.shift();
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  }).listen(0, "127.0.0.1", () => {
    origin = `http://127.0.0.1:${server.address().port}`;
    ready();
  });
}));
after(() => server.close());

/** The events that some answers come to, and how long was waited. */
async function collect(replies, query = {}, options = {}) {
  [answers, requests] = [[...replies], []];
  const waited = [];
  const wait = async (seconds) => void waited.push(seconds);
  const events = [];
  const all = fetchEvents(`${origin}/`, query, { token: "tok", wait, ...options });
  try {
    for await (const event of all) events.push(event);
  } catch (error) {
    return { events, waited, error };
  }
  return { events, waited };
}

test("pages follow each other by their links, and by nothing else", async () => {
  const { events } = await collect(
    [
      { headers: { link: '</events?x=%2C>; rel="first", </events?cursor=a%2Cb>; rel="next"' }, body: [1, 2] },
      { headers: { link: `<${origin}/events?cursor=c>; title="rel=prev"; rel=next` }, body: [3] },
      { headers: { link: '</events?cursor=b>; rel="prev"' }, body: [4] },
    ],
    { event: "sales", country: ["US", "CA"], interval: "7d", root: null },
  );
  assert.deepEqual(events, [1, 2, 3, 4]);
  assert.deepEqual(requests, [
    ["/events?event=sales&country=US&country=CA&interval=7d", "Bearer tok"],
    ["/events?cursor=a%2Cb", "Bearer tok"],
    ["/events?cursor=c", "Bearer tok"],
  ]);
});

test("a service is an address without a query", async () => {
  for (const service of [`${origin}/?limit=1`, `${origin}/#top`]) {
    const events = fetchEvents(service, {}, { token: "tok" });
    await assert.rejects(() => events.next(), /^TypeError: service: expected an address/);
  }
  [answers, requests] = [[{ body: [1] }], []];
  for await (const _ of fetchEvents(new URL(`${origin}/below/`), { limit: 1 }, { token: "tok" }));
  assert.deepEqual(requests, [["/below/events?limit=1", "Bearer tok"]]);
});

test("the token goes to no other origin", async () => {
  const { error } = await collect([{ headers: { link: '<https://evil.example/>; rel="next"' }, body: [1] }]);
  assert.match(error.message, /another origin: https:\/\/evil.example/);
});

const limited = (after) => ({
  status: 429,
  headers: after === undefined ? {} : { "retry-after": after },
  body: { error: { code: "rate_limit_exceeded", message: "slow down", doc_url: "https://d#x" } },
});

test("a refusal is waited for as long as it asks", async () => {
  const unavailable = { status: 503, headers: { "retry-after": "1" }, body: "" };
  const { events, waited } = await collect([limited("7"), unavailable, { body: [1] }]);
  assert.deepEqual([events, waited], [[1], [7, 1]]);
  const soon = new Date(Date.now() + 30_000).toUTCString();
  const dated = await collect([limited(soon), { body: [] }]);
  assert.ok(dated.waited[0] > 25 && dated.waited[0] <= 31);
});

test("but neither too often, nor too long, nor where it doesn't say", async () => {
  const often = await collect(Array(4).fill(limited("1")), {}, { retries: 3 });
  assert.deepEqual([often.waited, often.error.status], [[1, 1, 1], 429]);
  const long = await collect([limited("61")]);
  assert.deepEqual([long.waited, long.error.code], [[], "rate_limit_exceeded"]);
  assert.deepEqual((await collect([limited(undefined)])).waited, []);
  assert.deepEqual((await collect([limited("soon")])).waited, []);
});

test("an error is the service's own", async () => {
  const body = { error: { code: "bad_request", message: "page: not a number", doc_url: "https://d#b" } };
  const { error } = await collect([{ status: 400, headers: { "retry-after": "1" }, body }]);
  assert.ok(error instanceof ApiError);
  const { code, status, message, docUrl } = error;
  assert.deepEqual({ code, status, message, docUrl }, {
    code: "bad_request", status: 400, message: "page: not a number", docUrl: "https://d#b",
  });
  const other = await collect([{ status: 502, body: "<html>" }]);
  assert.match(other.error.message, /answered 502: <html>/);
});

test("a signal ends the wait", async () => {
  const aborting = new AbortController();
  setTimeout(() => aborting.abort(new Error("enough")), 50);
  const { error } = await collect([limited("30")], {}, { signal: aborting.signal, wait: undefined });
  assert.equal(error.message, "enough");
});
