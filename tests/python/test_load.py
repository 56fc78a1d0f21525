# SPDX-License-Identifier: MIT
"""Honest clients are answered whatever others do: load.py, in short.

SLUICE_TEST_SERVERS=1 makes it the whole of it.
"""

import os
from collections.abc import Sequence

import load
import pytest
from serving import BOTH

SCALE = load.FULL if os.environ.get("SLUICE_TEST_SERVERS") == "1" else load.SHORT


@pytest.mark.parametrize("command", BOTH)
def test_honest_clients_are_answered(
    command: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = list(load.run(command, SCALE))
    with capsys.disabled():
        print("", load.HEAD, *map(load.row, outcomes), sep="\n")
    assert all(outcome.is_good for outcome in outcomes)
