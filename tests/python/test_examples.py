# SPDX-License-Identifier: MIT
"""The Python examples print what they say."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"

QUICKSTART = """\
True False [True, False, True]
400 filter_dash country 3 3
US,-CA
   ^^^
True
True 1 None
True 0 None
False 0 61
True ['click', 'click']
401 Bearer
"""


def test_the_quick_start_runs() -> None:
    done = subprocess.run(
        (sys.executable, EXAMPLES / "quickstart.py"), capture_output=True, text=True, check=True
    )
    assert done.stdout == QUICKSTART
