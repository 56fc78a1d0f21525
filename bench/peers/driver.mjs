// SPDX-License-Identifier: MIT
// The Node side of compare.py: the line protocol of driver.cpp, for rate-limiter-flexible.
import { createInterface } from "node:readline";
import { RateLimiterMemory } from "rate-limiter-flexible";

const many = new RateLimiterMemory({ points: 1e8, duration: 60 });
const few = new RateLimiterMemory({ points: 600, duration: 60, keyPrefix: "few" });
let keys = []; // known to the limiter
let state = 88172645; // xorshift

/** Returns how many of 1,000 requests pass a limit of 600. */
async function answer() {
  let allowed = 0;
  for (let i = 0; i < 1000; i += 1) {
    await few.consume("checked").then(() => (allowed += 1), () => {});
  }
  await few.delete("checked");
  return allowed;
}

/** Returns the nanoseconds of decisions about known keys in random order. */
async function time(repetitions) {
  const begin = process.hrtime.bigint();
  for (let i = 0; i < repetitions; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    await many.consume(keys[(state >>> 0) % keys.length]);
  }
  return process.hrtime.bigint() - begin;
}

for await (const line of createInterface({ input: process.stdin })) {
  const words = line.split(" "); // answer limit KEYS, or time REPETITIONS limit KEYS
  const count = Number(words.at(-1));
  if (keys.length !== count) {
    keys = Array.from({ length: count }, (_, i) => `key_${i}`);
    for (const key of keys) await many.consume(key);
  }
  console.log(`ok ${words[0] === "answer" ? await answer() : await time(Number(words[1]))}`);
}
process.exit(0); // timers of the limiter are still running
