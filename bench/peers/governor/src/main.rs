// SPDX-License-Identifier: MIT
//! The Rust side of compare.py: the line protocol of driver.cpp, for governor.
use std::io;
use std::num::NonZeroU32;
use std::time::Instant;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

fn limiter_of(requests_a_minute: u32) -> DefaultKeyedRateLimiter<String> {
    let most = NonZeroU32::new(requests_a_minute).expect("a limit is not 0");
    RateLimiter::keyed(Quota::per_minute(most))
}

/// Answers `answer limit KEYS`, the requests of 1,000 that pass a limit of 600, and
/// `time REPETITIONS limit KEYS` about known keys in random order.
fn main() -> io::Result<()> {
    let many = limiter_of(100_000_000);
    let mut keys: Vec<String> = Vec::new();
    let mut state: u32 = 88_172_645;
    for line in io::stdin().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "answer" {
            let (few, key) = (limiter_of(600), String::from("checked"));
            println!("ok {}", (0..1_000).filter(|_| few.check_key(&key).is_ok()).count());
            continue;
        }
        let count: usize = words[3].parse().expect("a number of keys");
        if keys.len() != count {
            keys = (0..count).map(|i| format!("key_{i}")).collect();
            keys.iter().for_each(|key| drop(many.check_key(key)));
        }
        let repetitions: u64 = words[1].parse().expect("a number of repetitions");
        let begin = Instant::now();
        for _ in 0..repetitions {
            state ^= state << 13; // xorshift
            state ^= state >> 17;
            state ^= state << 5;
            let key = &keys[state as usize % keys.len()];
            std::hint::black_box(many.check_key(key).is_ok());
        }
        println!("ok {}", begin.elapsed().as_nanos());
    }
    Ok(())
}
