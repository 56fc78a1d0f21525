// SPDX-License-Identifier: MIT
// The Node side of compare.py: the line protocol of driver.cpp, for zod and rate-limiter-flexible.
import { createInterface } from "node:readline";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { canonical, parse } from "./events_query.mjs";

/** A stream of numbers below a bound (xorshift). */
function randomSource() {
  let state = 88172645;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

function validation(text) {
  return {
    answer: () => JSON.stringify(canonical(parse(text))),
    run: () => parse(text),
  };
}

/** Decisions about keys in random order; how many of 1,000 requests pass a limit of 600. */
function limiting(count) {
  const keys = Array.from({ length: Number(count) }, (_, i) => `key_${i}`);
  const many = new RateLimiterMemory({ points: 1e8, duration: 60 });
  const few = new RateLimiterMemory({ points: 600, duration: 60, keyPrefix: "few" });
  const below = randomSource();
  return {
    /** What is measured are known keys. */
    async prepare() {
      for (const key of keys) await many.consume(key);
    },
    async answer() {
      let allowed = 0;
      for (let i = 0; i < 1000; i += 1) {
        await few.consume("checked").then(() => (allowed += 1), () => {});
      }
      await few.delete("checked");
      return String(allowed);
    },
    run: () => many.consume(keys[below(keys.length)]),
    isAsync: true,
  };
}

const operations = { validate: validation, limit: limiting };
const prepared = new Map();

async function obtain(line) {
  if (!prepared.has(line)) {
    const space = line.indexOf(" ");
    const operation = operations[line.slice(0, space)](line.slice(space + 1));
    await operation.prepare?.();
    prepared.set(line, operation);
  }
  return prepared.get(line);
}

async function time(repetitions, operation) {
  const begin = process.hrtime.bigint();
  if (operation.isAsync) {
    for (let i = 0; i < repetitions; i += 1) await operation.run();
  } else {
    for (let i = 0; i < repetitions; i += 1) operation.run();
  }
  return String(process.hrtime.bigint() - begin);
}

async function reply(line) {
  const [command, ...words] = line.split(" ");
  if (command === "names") return Object.keys(operations).join(" ");
  if (command === "answer") return (await obtain(words.join(" "))).answer();
  if (command === "time") {
    return time(Number(words[0]), await obtain(words.slice(1).join(" ")));
  }
  throw new Error(`no command ${command}`);
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(`ok ${await reply(line)}`);
  } catch (failed) {
    console.log(`error ${failed.message.replaceAll("\n", " ")}`);
  }
}
process.exit(0); // timers of the limiter are still running
