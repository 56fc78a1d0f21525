#!/usr/bin/env bash
# All tests: sets the machine up, builds with g++, and runs ctest and the demo. SLUICE_TEST_SERVERS=1
# adds, after what everyone runs, the wheel as it is published, the tests of databases, browsers,
# published clients and other build systems, the primitives on machines of 32 bits and of the other order
# of bytes, the compile of each header alone, and the builds with clang++ and the address and undefined
# behaviour sanitizers, and with the thread sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs CTEST_PARALLEL_LEVEL=$jobs
asks_all=${SLUICE_TEST_SERVERS:-}
unset SLUICE_TEST_SERVERS # nothing of it is there while what everyone runs is tried
failed=0
times=()
failures=()
rm -rf build/stages
mkdir -p build/stages

# stage NAME COMMAND...: runs it, notes how long it took and whether it failed, and fails where it does.
# Its output is in build/stages/NAME.log, too, with a hyphen for the colon.
# None begins after SLUICE_TEST_UNTIL (seconds since 1970), where that is set: each would end too late.
stage() {
    local name=$1 start=$SECONDS outcome="" log="build/stages/${1/: /-}.log"
    shift
    if ((${SLUICE_TEST_UNTIL:-0} && $(date +%s) > ${SLUICE_TEST_UNTIL:-0})); then
        note 0 "$name: left out, the time is over"
        return 0
    fi
    echo "== $name"
    # The braces open the pipe here, also for a program, so that $! is its reader.
    { "$@"; } > >(tee "$log") 2>&1 || { outcome=": failed" && failures+=("${log%.log}"); }
    wait $! # for the end of the log
    note "$((SECONDS - start))" "$name$outcome"
    [[ -z $outcome ]]
}
note() { times+=("$(printf '%3d:%02d  %s' $(($1 / 60)) $(($1 % 60)) "$2")"); }

build() { cmake --preset "$1" --log-level=WARNING >/dev/null && cmake --build --preset "$1"; }

# run_tests PRESET OPTION...: fails where a test does, and leaves what each printed last to the summary.
run_tests() {
    local preset=$1 outcome=0
    shift
    rm -f "build/$preset/Testing/Temporary/LastTestsFailed.log"
    ctest --preset "$preset" "$@" || outcome=1
    failed_tests "$preset" >"${log%.log}.failures"
    return $outcome
}

# What each test that failed printed last: a log of all of them is long.
failed_tests() {
    local preset=$1 name
    [[ -f build/$preset/Testing/Temporary/LastTestsFailed.log ]] || return 0
    cut -d: -f2 "build/$preset/Testing/Temporary/LastTestsFailed.log" | while read -r name; do
        echo "== $preset: $name failed"
        awk -v name="$name" '/^[0-9]+\/[0-9]+ Testing: / { ours = $NF == name } ours' \
            "build/$preset/Testing/Temporary/LastTest.log" | tail -n 25
    done
}

demo() {
    local answer
    bash examples/demo.sh >build/demo.log || { cat build/demo.log && return 1; }
    for answer in 200 400 429; do
        grep -q "^HTTP/1.1 $answer " build/demo.log || { echo "the demo shows no $answer" && return 1; }
    done
}

# The rest of the set-up waits for the network, while a build computes.
begin_setup() { bash .ci/setup >build/setup.log 2>&1 & setup=$!; }
end_setup() { wait "$setup" || { cat build/setup.log && return 1; }; }

# The table of python/load.py, which ctest keeps to itself where a test passes.
attacks() {
    grep -E '^attack +clients|% .* [0-9]+ -> [0-9]+$' \
        build/release/Testing/Temporary/LastTest.log | awk '!seen[$0]++'
}

# Printed last, even where a build fails and ends all: each failure after all figures.
summary() {
    local stage
    echo "== summary"
    printf '%s\n' "${times[@]}"
    (cd build/stages && grep -E 'tests passed|tests failed' tests-*.log || true)
    for stage in "${failures[@]}"; do
        [[ ! -s $stage.failures ]] || { cat "$stage.failures" && continue; }
        echo "== ${stage#build/stages/} failed"
        tail -n 60 "$stage.log"
    done
}
trap summary EXIT

# What everyone runs.
stage "setup: packages" bash .ci/setup packages
begin_setup
stage "build: release" build release
stage "setup: what is left of it" end_setup
stage "tests: release" run_tests release --label-exclude extended || failed=1
stage demo demo || failed=1
stage prose .venv/bin/python tests/prose.py || true # counts, no gate
note $SECONDS "so far, without SLUICE_TEST_SERVERS"

# What is asked for beside it, from Python by the wheel as it is published.
if [[ $asks_all == 1 ]]; then
    export SLUICE_TEST_SERVERS=1 SLUICE_TEST_WHEEL=1
    begin_setup
    stage "build: asan" build asan
    stage "setup: servers, what is left of it" end_setup
    stage "build: wheel" bash tests/install_package.sh .venv/bin/python
    stage "tests: wheel" .venv/bin/python -m pytest tests/python/test_wheel.py || failed=1
    # One more at a time than there are processors: those of Python wait for servers and browsers.
    stage "tests: servers" run_tests release --label-regex extended --fixture-exclude-setup python_package \
        --parallel $((jobs + 1)) || failed=1
    stage "tests: cross" .ci/cross || failed=1
    stage "tests: asan" run_tests asan || failed=1
    stage "build: tsan" build tsan
    stage "tests: tsan" run_tests tsan || failed=1
    note $SECONDS all
    echo "== what honest clients got while servers were attacked"
    [[ ! -f build/stages/tests-servers.log ]] || attacks || failed=1
fi
exit $failed
