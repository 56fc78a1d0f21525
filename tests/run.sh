#!/usr/bin/env bash
# All tests: sets the machine up, builds with g++, with clang++ and the address and undefined
# behaviour sanitizers, and with the thread sanitizer, and runs ctest in each build and the demo.
set -euo pipefail
cd "$(dirname "$0")/.."
bash .ci/setup

jobs=$(nproc)
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs CTEST_PARALLEL_LEVEL=$jobs
failed=0
mkdir -p build
for preset in release asan tsan; do
    echo "== $preset"
    cmake --preset "$preset" --log-level=WARNING >/dev/null
    cmake --build --preset "$preset"
    ctest --preset "$preset" | tee "build/$preset.log" || failed=1
done

echo "== demo"
bash examples/demo.sh | tee build/demo.log >/dev/null || failed=1
for status in 200 400 429; do
    grep -q "^HTTP/1.1 $status " build/demo.log || { echo "the demo shows no $status" && failed=1; }
done

echo "== summary"
grep -E 'tests passed|tests failed' build/{release,asan,tsan}.log
exit $failed
