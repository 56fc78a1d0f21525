#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints one header that holds the primitives, or the given headers, and all that they include.

python3 include/amalgamate.py >sluice.hpp
python3 include/amalgamate.py sluice/filters/filter.hpp sluice/rate_limit.hpp >some_of_sluice.hpp
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

HEADERS = Path(__file__).parent
INCLUDE = re.compile(r"^#include <(sluice/.*)>\n", re.MULTILINE)


def in_order(header: str, seen: set[str]) -> Iterator[str]:
    """The texts of a header's own includes, each once and before those that need it, then its own.

    A header keeps its guard, which also leaves out what is for other processors.
    """
    if header in seen:
        return
    seen.add(header)
    text = (HEADERS / header).read_text(encoding="utf-8")
    for included in INCLUDE.findall(text):
        yield from in_order(included, seen)
    yield INCLUDE.sub("", text)


if __name__ == "__main__":
    seen: set[str] = set()
    for header in sys.argv[1:] or ["sluice/sluice.hpp"]:
        sys.stdout.writelines(in_order(header, seen))
