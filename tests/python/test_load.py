# SPDX-License-Identifier: MIT
"""Honest clients are answered whatever others do: load.py, in short.

SLUICE_TEST_SERVERS=1 makes it the whole of it.
"""

import os
import shlex
from collections.abc import Sequence

import load
import pytest
from serving import CPP_SERVER, PYTHON_SERVER

SCALE = load.FULL if os.environ.get("SLUICE_TEST_SERVERS") == "1" else load.SHORT


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(PYTHON_SERVER, id="python"),
        pytest.param(
            shlex.split(CPP_SERVER),
            id="cpp",
            marks=pytest.mark.skipif(not CPP_SERVER, reason="SLUICE_SERVER names no server"),
        ),
    ],
)
def test_honest_clients_are_answered(
    command: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = list(load.run(command, SCALE))
    with capsys.disabled():
        print("", load.HEAD, *map(load.row, outcomes), sep="\n")
    assert all(outcome.is_good for outcome in outcomes)
