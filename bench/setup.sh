#!/usr/bin/env bash
# Sets up what compare.py runs, in the folder $1: CRoaring, the C++ side, the peers in other languages
# and sluice for Python. All has default flags; what cargo and npm write stays out of the sources.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
bash .ci/setup bench
# Debian's CRoaring is older, and compiled for any x86-64: without POPCNT and AVX2 it takes ten times
# as long. pyroaring's sources have it in two files.
.venv/bin/python -m pip download --quiet --no-deps --no-build-isolation --no-binary pyroaring --require-hashes \
    -r bench/peers/croaring.txt -d "$build/croaring"
tar -xzf "$build"/croaring/pyroaring-*.tar.gz -C "$build/croaring" --wildcards --strip-components=2 '*/roaring.[ch]'
cmake -S . -B "$build/cmake" -DCMAKE_BUILD_TYPE=Release -DSLUICE_BUILD_BENCH=ON -DSLUICE_BUILD_EXAMPLES=ON \
    -DSLUICE_CROARING="$build/croaring"
cmake --build "$build/cmake" --target sluice_bench_driver sluice_bench_analytics sluice_example_server
cp -R bench/peers "$build"
if command -v npm; then npm ci --no-audit --no-fund --silent --prefix "$build/peers"; fi
if command -v cargo; then cargo build --quiet --release --manifest-path "$build/peers/governor/Cargo.toml"; fi
# A folder that stays, so that only what changed is compiled again.
.venv/bin/python -m pip install --quiet --no-deps --no-build-isolation --upgrade --target "$build/package" \
    --config-settings=build-dir="$build/python" .
