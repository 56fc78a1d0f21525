# SPDX-License-Identifier: MIT
"""The fleet's programs over PostgreSQL: the rows that they find, and what they say to attackers."""

import subprocess
import sys
from pathlib import Path

import pytest
from sql_engines import postgresql_place

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.servers


def output_of(*command: object) -> str:
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", *map(str, command)], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_table_of_services_is_true() -> None:
    output_of(ROOT / "bench" / "services.py", "--check")


def test_hostile_requests_get_a_clear_answer() -> None:
    with postgresql_place() as place:
        shown = output_of(ROOT / "tests" / "python" / "hostile_requests.py", place)
    assert shown.endswith("requests, 0 wrong answers\n")
