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

/// Decisions about keys in random order.
struct Limiting {
    keys: Vec<String>,
    many: DefaultKeyedRateLimiter<String>,
    state: u32,
}

impl Limiting {
    /// What is measured are known keys.
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

    /// How many of 1,000 requests pass a limit of 600.
    fn answer(&self) -> String {
        let few = limiter_of(FEW);
        let checked = String::from("checked");
        (0..1_000)
            .filter(|_| few.check_key(&checked).is_ok())
            .count()
            .to_string()
    }

    fn run(&mut self) -> bool {
        self.state ^= self.state << 13; // xorshift
        self.state ^= self.state >> 17;
        self.state ^= self.state << 5;
        self.many
            .check_key(&self.keys[self.state as usize % self.keys.len()])
            .is_ok()
    }

    /// Nanoseconds of all repetitions.
    fn time(&mut self, repetitions: u64) -> String {
        let begin = Instant::now();
        for _ in 0..repetitions {
            std::hint::black_box(self.run());
        }
        begin.elapsed().as_nanos().to_string()
    }
}

/// The operation of `limit 1000`, made when it is first asked for.
fn obtain<'a>(
    known: &'a mut HashMap<String, Limiting>,
    operation: &str,
) -> Result<&'a mut Limiting, String> {
    let count = operation
        .strip_prefix("limit ")
        .and_then(|text| text.parse().ok())
        .filter(|count| *count > 0);
    let count = count.ok_or_else(|| format!("no operation {operation}"))?;
    Ok(known
        .entry(operation.to_owned())
        .or_insert_with(|| Limiting::new(count)))
}

fn reply(known: &mut HashMap<String, Limiting>, line: &str) -> Result<String, String> {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    match command {
        "names" => Ok(String::from("limit")),
        "answer" => Ok(obtain(known, rest)?.answer()),
        "time" => {
            let (repetitions, operation) = rest.split_once(' ').ok_or("time N OPERATION")?;
            let repetitions = repetitions.parse().map_err(|_| "time N OPERATION")?;
            Ok(obtain(known, operation)?.time(repetitions))
        }
        _ => Err(format!("no command {command}")),
    }
}

fn main() -> io::Result<()> {
    let mut known = HashMap::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        match reply(&mut known, &line?) {
            Ok(text) => writeln!(out, "ok {text}")?,
            Err(why) => writeln!(out, "error {why}")?,
        }
        out.flush()?;
    }
    Ok(())
}
