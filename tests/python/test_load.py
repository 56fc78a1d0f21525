# SPDX-License-Identifier: MIT
"""Honest clients are answered whatever others do: load.py, in short.

The mark `servers` makes it the whole of it.
"""

from collections.abc import Sequence

import load
import pytest
from serving import CPP

WHOLE = pytest.param(load.FULL, marks=pytest.mark.servers, id="whole")


@pytest.mark.parametrize("scale", [pytest.param(load.SHORT, id="short"), WHOLE])
@pytest.mark.parametrize("command", [CPP])
def test_honest_clients_are_answered(
    command: Sequence[str], scale: load.Scale, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = list(load.run(command, scale))
    with capsys.disabled():
        print("", load.HEAD, *map(load.row, outcomes), sep="\n")
    assert all(outcome.is_good for outcome in outcomes)
