# SPDX-License-Identifier: MIT
"""Sets up what compare.py runs: packages, sluice for Python, peers' programs, the C++ driver."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
ROOT = BENCH.parent
BUILD = Path(os.environ.get("SLUICE_BENCH_BUILD", ROOT / "build" / "bench"))
PYTHON = ROOT / ".venv" / "bin" / "python"
PACKAGE = BUILD / "package"
DRIVER = BUILD / "cmake" / "bench" / "driver"
SERVER = BUILD / "cmake" / "examples" / "server"
GOVERNOR = BUILD / "peers" / "governor" / "target" / "release" / "governor_driver"
# Of peers in other languages, the tool that they are built with, what it writes, and the command.
PEERS: dict[str, tuple[str, Path, tuple[str | Path, ...]]] = {
    "node": ("npm", BUILD / "peers" / "node_modules", ("node", BUILD / "peers" / "driver.mjs")),
    "rust": ("cargo", GOVERNOR, (GOVERNOR,)),
}


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Runs a command whose output matters only if it fails."""
    print("setup:", *command[:3], file=sys.stderr, flush=True)
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        text = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{text}")


def set_up_croaring(folder: Path) -> None:
    """Unpacks CRoaring out of the sources of pyroaring.

    Debian's is older, and compiled for any x86-64: without POPCNT and AVX2 it takes ten times as
    long.
    """
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-binary", "pyroaring")
    pin = ("--require-hashes", "-r", BENCH / "peers" / "croaring.txt")
    run(PYTHON, "-m", "pip", "download", *options, *pin, "-d", folder)
    with tarfile.open(next(folder.glob("pyroaring-*.tar.gz"))) as archive:
        for member in archive:
            source = archive.extractfile(member)
            if source and Path(member.name).name in ("roaring.c", "roaring.h"):
                (folder / Path(member.name).name).write_bytes(source.read())


def set_up() -> None:
    """Builds everything with default flags; what cargo and npm write stays out of the sources."""
    run("bash", ROOT / ".ci" / "setup", "bench")
    set_up_croaring(BUILD / "croaring")
    options = (
        "-DCMAKE_BUILD_TYPE=Release",
        "-DSLUICE_BUILD_BENCH=ON",
        "-DSLUICE_BUILD_EXAMPLES=ON",
    )
    croaring = f"-DSLUICE_CROARING={BUILD / 'croaring'}"
    run("cmake", "-S", ROOT, "-B", BUILD / "cmake", *options, croaring)
    targets = ("sluice_bench_driver", "sluice_example_server")
    run("cmake", "--build", BUILD / "cmake", "--target", *targets)
    shutil.copytree(BENCH / "peers", BUILD / "peers", dirs_exist_ok=True)
    if shutil.which("npm"):
        run("npm", "ci", "--no-audit", "--no-fund", "--silent", cwd=BUILD / "peers")
    if shutil.which("cargo"):
        run("cargo", "build", "--quiet", "--release", cwd=BUILD / "peers" / "governor")
    # A folder that stays, so that only what changed is compiled again.
    kept = f"--config-settings=build-dir={BUILD / 'python'}"
    place = ("--quiet", "--no-deps", "--no-build-isolation", "--upgrade", "--target", PACKAGE)
    run(PYTHON, "-m", "pip", "install", *place, kept, ROOT)


def enter() -> None:
    """Sets everything up and starts compare.py again with the packages of the tests."""
    set_up()
    os.environ["PYTHONPATH"] = str(PACKAGE)
    os.execv(PYTHON, [str(PYTHON), *sys.argv, "--no-setup"])
