// SPDX-License-Identifier: MIT
// Asks a server through the published TypeScript client.
//   SERVER=https://localhost:8443 node lists.mjs < requests.json > results.json
// requests: [{"token", "list": "events" or another, "request": {...}, "call"}, ...]; call: "list" (all
// pages of it), or another operation, such as "count"
// results, in their order: {"query", "found": [...]} or {"query", "error": {"name", "status", "body"}}
import { readFileSync } from "node:fs";
import { Dub } from "dub";
import { HTTPClient } from "dub/lib/http.js";

/** Returns the rows of all pages, or what is no list as it is. */
async function all(answer) {
  if (!answer || typeof answer[Symbol.asyncIterator] !== "function") return answer;
  const rows = [];
  for await (const page of answer) rows.push(...page.result);
  return rows;
}

async function ask({ token, list, request, path = "", call = list === "analytics" ? "retrieve" : "list" }) {
  let query = null;
  const httpClient = new HTTPClient();
  httpClient.addHook("beforeRequest", (sent) => {
    query = new URL(sent.url).search.slice(1);
  });
  const dub = new Dub({ token, serverURL: process.env.SERVER + path, httpClient });
  try {
    const rows = await all(await dub[list][call](request, { retries: { strategy: "none" } }));
    return { query, rows };
  } catch (error) {
    return { query, error: { name: error.name, status: error.statusCode, body: error.body } };
  }
}

const results = [];
for (const request of JSON.parse(readFileSync(0, "utf8"))) results.push(await ask(request));
process.stdout.write(JSON.stringify(results));
