# SPDX-License-Identifier: MIT
"""The parts of compare.py and engines.py: data, engines, topics of measurements, their report."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tests" / "python"))  # has the servers
