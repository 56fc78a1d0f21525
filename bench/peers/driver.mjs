// SPDX-License-Identifier: MIT
// The Node side of compare.py: the line protocol of driver.cpp, for rate-limiter-flexible.
import { createInterface } from "node:readline";
import { RateLimiterMemory } from "rate-limiter-flexible";

/** Decisions about known keys in random order; how many of 1,000 requests pass a limit of 600. */
async function limiting(count) {
  const keys = Array.from({ length: Number(count) }, (_, i) => `key_${i}`);
  const many = new RateLimiterMemory({ points: 1e8, duration: 60 });
  const few = new RateLimiterMemory({ points: 600, duration: 60, keyPrefix: "few" });
  for (const key of keys) await many.consume(key);
  let state = 88172645; // xorshift
  return {
    async answer() {
      let allowed = 0;
      for (let i = 0; i < 1000; i += 1) {
        await few.consume("checked").then(() => (allowed += 1), () => {});
      }
      await few.delete("checked");
      return String(allowed);
    },
    run() {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return many.consume(keys[(state >>> 0) % keys.length]);
    },
  };
}

const prepared = new Map(); // by number of keys

async function obtain(operation, keys) {
  if (operation !== "limit") throw new Error("no operation");
  if (!prepared.has(keys)) prepared.set(keys, await limiting(keys));
  return prepared.get(keys);
}

async function reply([command, ...words]) {
  if (command === "answer") return (await obtain(...words)).answer();
  const operation = await obtain(...words.slice(1));
  const begin = process.hrtime.bigint();
  for (let i = 0; i < Number(words[0]); i += 1) await operation.run();
  return String(process.hrtime.bigint() - begin);
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(`ok ${await reply(line.split(" "))}`);
  } catch (failed) {
    console.log(`error ${failed.message.replaceAll("\n", " ")}`);
  }
}
process.exit(0); // timers of the limiter are still running
