#!/usr/bin/env bash
# Installs the Python package: as the wheel that is published, in build/wheels, where SLUICE_TEST_WHEEL=1
# asks for it (see python/test_wheel.py), else as `pip install .` does.
#   install_package.sh PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1 package=.
if [[ ${SLUICE_TEST_WHEEL:-} == 1 ]]; then
    rm -rf build/wheels
    bash .ci/wheel "$python" build/wheels --no-build-isolation
    package=$(echo build/wheels/*.whl)
fi
"$python" -m pip install --quiet --no-deps --no-build-isolation --force-reinstall "$package"
