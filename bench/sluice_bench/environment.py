# SPDX-License-Identifier: MIT
"""Paths of what setup.sh builds, for compare.py."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("SLUICE_BENCH_BUILD", ROOT / "build" / "bench")).resolve()
DRIVER = BUILD / "cmake" / "bench" / "driver"
SERVER = BUILD / "cmake" / "examples" / "server"
GOVERNOR = BUILD / "peers" / "governor" / "target" / "release" / "governor_driver"
# Of peers in other languages, the tool that they are built with, what it writes, and the command.
PEERS: dict[str, tuple[str, Path, tuple[str | Path, ...]]] = {
    "node": ("npm", BUILD / "peers" / "node_modules", ("node", BUILD / "peers" / "driver.mjs")),
    "rust": ("cargo", GOVERNOR, (GOVERNOR,)),
}


def enter() -> None:
    """Sets everything up and starts compare.py again with the packages of the tests."""
    subprocess.run(["bash", ROOT / "bench" / "setup.sh", BUILD], stdout=sys.stderr, check=True)
    python = str(ROOT / ".venv" / "bin" / "python")
    os.environ["PYTHONPATH"] = str(BUILD / "package")
    os.execv(python, [python, *sys.argv, "--no-setup"])
