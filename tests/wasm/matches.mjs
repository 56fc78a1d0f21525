// SPDX-License-Identifier: MIT
// Answers requests of random classes for tests/python/typescript_engine.py. Reads lines of JSON:
// {"rows": [...]} replaces the rows; {"parameters": [[name, function, arguments]], "text": query
// string} asks which of them the request takes. {"n": "7"} is a bigint.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const api = await import(pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/index.js`).href);
await api.load();

const withBigints = (_, value) => (typeof value?.n === "string" ? BigInt(value.n) : value);

let rows = [];
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line, withBigints);
  if (request.rows) {
    rows = request.rows;
    console.log("[]");
    continue;
  }
  const parameters = request.parameters.map(([name, of, words]) => [name, api[of](...words)]);
  const query = api.defineParams(Object.fromEntries(parameters)).parse(request.text);
  console.log(JSON.stringify(rows.map((row) => query.matches(row))));
}
