#!/usr/bin/env bash
# All tests: sets the machine up, builds with g++, and runs ctest and the demo. SLUICE_TEST_SERVERS=1
# adds the tests that start servers for long or install published clients, the compile of each header
# alone, and the builds with clang++ and the address and undefined behaviour sanitizers, and with the
# thread sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs CTEST_PARALLEL_LEVEL=$jobs
failed=0
times=()
presets=(release)
left_out=(--exclude-regex '^headers_alone$')
[[ ${SLUICE_TEST_SERVERS:-} != 1 ]] || { presets+=(asan tsan) && left_out=(); }
mkdir -p build

# stage NAME COMMAND...: runs it, notes how long it took and whether it failed, and fails where it does.
stage() {
    local name=$1 start=$SECONDS outcome=""
    shift
    echo "== $name"
    "$@" || outcome=": failed"
    times+=("$(printf '%3d:%02d  %s' $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60)) "$name$outcome")")
    [[ -z $outcome ]]
}

build() { cmake --preset "$1" --log-level=WARNING >/dev/null && cmake --build --preset "$1"; }

run_tests() {
    rm -f "build/$1/Testing/Temporary/LastTestsFailed.log"
    ctest --preset "$1" "${left_out[@]}" | tee "build/$1.log"
}

demo() {
    local answer
    bash examples/demo.sh >build/demo.log || { cat build/demo.log && return 1; }
    for answer in 200 400 429; do
        grep -q "^HTTP/1.1 $answer " build/demo.log || { echo "the demo shows no $answer" && return 1; }
    done
}

# The table of python/load.py, which ctest keeps to itself where a test passes.
attacks() {
    grep -E '^server  attack|^(C\+\+|Python) .* [0-9]+ -> [0-9]+$' \
        build/release/Testing/Temporary/LastTest.log | awk '!seen[$0]++'
}

# What each test that failed printed last: a log of all of them is long.
failures() {
    local preset=$1 name
    [[ -f build/$preset/Testing/Temporary/LastTestsFailed.log ]] || return 0
    cut -d: -f2 "build/$preset/Testing/Temporary/LastTestsFailed.log" | while read -r name; do
        echo "== $preset: $name failed"
        awk -v name="$name" '/^[0-9]+\/[0-9]+ Testing: / { ours = $NF == name } ours' \
            "build/$preset/Testing/Temporary/LastTest.log" | tail -n 25
    done
}

stage setup bash .ci/setup
for preset in "${presets[@]}"; do
    stage "build: $preset" build $preset
    stage "tests: $preset" run_tests $preset || failed=1
done
stage demo demo || failed=1

echo "== summary"
printf '%s\n' "${times[@]}" "$(printf '%3d:%02d  all' $((SECONDS / 60)) $((SECONDS % 60)))"
(cd build && grep -E 'tests passed|tests failed' "${presets[@]/%/.log}")
for preset in "${presets[@]}"; do failures $preset; done
if [[ ${SLUICE_TEST_SERVERS:-} == 1 ]]; then
    echo "== what honest clients got while servers were attacked"
    attacks || failed=1
fi
exit $failed
