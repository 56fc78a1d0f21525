#!/usr/bin/env bash
# Installs the Python package: as the wheel that is published, in build/wheels, where SLUICE_TEST_WHEEL=1
# asks for it (see python/test_wheel.py), else as `pip install .` does, but not optimised and by clang++:
# compiling takes most of the time of all tests, and the wheel is as published, by g++.
#   install_package.sh PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1 package=.
options=("--config-settings=build-dir=build/tested/{wheel_tag}"
    "--config-settings=cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG")
! command -v clang++-19 >/dev/null || options+=("--config-settings=cmake.define.CMAKE_CXX_COMPILER=clang++-19")
if [[ ${SLUICE_TEST_WHEEL:-} == 1 ]]; then
    rm -rf build/wheels
    bash .ci/wheel "$python" build/wheels --no-build-isolation
    package=$(echo build/wheels/*.whl)
    options=()
fi
"$python" -m pip install --quiet --no-deps --no-build-isolation --force-reinstall "${options[@]}" "$package"
