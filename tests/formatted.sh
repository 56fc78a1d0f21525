#!/usr/bin/env bash
# Fails where clang-format would change a C++ file.
set -euo pipefail
cd "$(dirname "$0")/.."
find include tests examples bindings bench -name '*.[ch]pp' -print0 |
    xargs -0 clang-format-19 --dry-run -Werror
