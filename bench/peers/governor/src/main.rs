// SPDX-License-Identifier: MIT
//! The Rust side of compare.py: the line protocol of driver.cpp, for governor.
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::num::NonZeroU32;
use std::time::Instant;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

const MANY: u32 = 100_000_000; // a minute: what is measured passes
const FEW: u32 = 600;

fn limiter_of(requests_a_minute: u32) -> DefaultKeyedRateLimiter<String> {
    let most = NonZeroU32::new(requests_a_minute).expect("a limit is not 0");
    RateLimiter::keyed(Quota::per_minute(most))
}

/// Decisions about known keys in random order.
struct Limiting {
    keys: Vec<String>,
    many: DefaultKeyedRateLimiter<String>,
    state: u32,
}

impl Limiting {
    fn new(count: usize) -> Self {
        let keys: Vec<String> = (0..count).map(|i| format!("key_{i}")).collect();
        let many = limiter_of(MANY);
        for key in &keys {
            let _ = many.check_key(key);
        }
        Limiting {
            keys,
            many,
            state: 88_172_645,
        }
    }

    /// Returns nanoseconds of all repetitions.
    fn time(&mut self, repetitions: u64) -> u128 {
        let begin = Instant::now();
        for _ in 0..repetitions {
            self.state ^= self.state << 13; // xorshift
            self.state ^= self.state >> 17;
            self.state ^= self.state << 5;
            let key = &self.keys[self.state as usize % self.keys.len()];
            std::hint::black_box(self.many.check_key(key).is_ok());
        }
        begin.elapsed().as_nanos()
    }
}

/// Returns how many of 1,000 requests pass a limit of 600.
fn passing() -> usize {
    let few = limiter_of(FEW);
    let checked = String::from("checked");
    (0..1_000)
        .filter(|_| few.check_key(&checked).is_ok())
        .count()
}

fn reply(known: &mut HashMap<String, Limiting>, line: &str) -> Option<String> {
    match line.split(' ').collect::<Vec<_>>()[..] {
        ["answer", "limit", _] => Some(passing().to_string()),
        ["time", repetitions, "limit", keys] => {
            let count = keys.parse().ok().filter(|count| *count > 0)?;
            let limiting = known
                .entry(keys.to_owned())
                .or_insert_with(|| Limiting::new(count));
            Some(limiting.time(repetitions.parse().ok()?).to_string())
        }
        _ => None,
    }
}

fn main() -> io::Result<()> {
    let mut known = HashMap::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        match reply(&mut known, &line?) {
            Some(text) => writeln!(out, "ok {text}")?,
            None => writeln!(out, "error no operation")?,
        }
        out.flush()?;
    }
    Ok(())
}
