# SPDX-License-Identifier: MIT
"""The compiler's defences in what reads strangers' input."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from sluice import _sluice

LINKED = {"module": _sluice.__file__, "server": os.environ.get("SLUICE_SERVER")}
DEFENCES = {
    "position independent": r"Type: +DYN",
    "read-only relocations": r"GNU_RELRO",
    "bound at the start": r"\(FLAGS_1\).*\bNOW\b",
    "stack protector": r"__stack_chk_fail",
    "checked copies": r"__(?!stack)\w+_chk\b",
}


@pytest.mark.parametrize("linked", LINKED)
def test_it_has_the_defences(linked: str) -> None:
    path = LINKED[linked]
    if path is None:
        pytest.skip("needs the built server")
    shown = subprocess.run(
        ("readelf", "-W", "--file-header", "--segments", "--dynamic", "--dyn-syms", Path(path)),
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert [name for name, sign in DEFENCES.items() if not re.search(sign, shown)] == []
