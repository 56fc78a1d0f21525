# SPDX-License-Identifier: MIT
"""Sets up what compare.py runs: a virtual environment, Node packages and the C++ driver.

Imported before the environment exists: the standard library only.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
ROOT = BENCH.parent
BUILD = Path(os.environ.get("SLUICE_BENCH_BUILD", ROOT / "build" / "bench"))
PYTHON = BUILD / "venv" / "bin" / "python"
DRIVER = BUILD / "cmake" / "bench" / "driver"
SERVER = BUILD / "cmake" / "examples" / "server"
GOVERNOR_DRIVER = BUILD / "governor" / "target" / "release" / "governor_driver"
REQUIREMENTS = BENCH / "requirements.txt"


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Runs a command whose output matters only if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        text = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{text}")


def digest(*places: Path) -> str:
    """Hashes files and all files below folders."""
    found = hashlib.sha256()
    for place in places:
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                found.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return found.hexdigest()


def once(name: str, step: Callable[[], None], *sources: Path) -> None:
    """Does a step unless it is done for these sources."""
    mark, state = BUILD / f"{name}.done", digest(*sources)
    if not mark.exists() or mark.read_text() != state:
        print(f"setup: {name}", file=sys.stderr, flush=True)
        step()
        mark.write_text(state)


def install(*options: str | Path) -> None:
    """Installs packages into the virtual environment."""
    run(PYTHON, "-m", "pip", "install", "--quiet", *options)


def set_up_python() -> None:
    """Makes the virtual environment and installs the peers."""
    base = Path("/usr/bin/python3")  # Debian's own, whose headers .ci/setup installs
    run(base if base.exists() else sys.executable, "-m", "venv", "--clear", BUILD / "venv")
    install("--require-hashes", "-r", REQUIREMENTS)
    (BUILD / "package.done").unlink(missing_ok=True)


def set_up_package() -> None:
    """Builds and installs sluice for Python, in minutes."""
    install("--no-deps", "--no-build-isolation", ROOT)


def set_up_node() -> None:
    """Installs the Node packages beside copies of the scripts."""
    shutil.copytree(BENCH / "peers", BUILD / "peers", dirs_exist_ok=True)
    run("npm", "ci", "--no-audit", "--no-fund", "--silent", cwd=BUILD / "peers")


def set_up_rust() -> None:
    """Builds a copy of the Rust peer: what cargo writes stays out of the sources."""
    shutil.copytree(BENCH / "peers" / "governor", BUILD / "governor", dirs_exist_ok=True)
    run("cargo", "build", "--quiet", "--release", cwd=BUILD / "governor")


def set_up_croaring() -> None:
    """Unpacks CRoaring out of the sources of the pinned pyroaring.

    Debian's is older, and compiled for any x86-64: without POPCNT and AVX2 it takes ten times as
    long.
    """
    pinned = re.search(r"^pyroaring==.*\n(?: .*\n)*", REQUIREMENTS.read_text(), re.MULTILINE)
    assert pinned
    folder = BUILD / "croaring"
    folder.mkdir(exist_ok=True)
    (folder / "requirements.txt").write_text(pinned[0])
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-binary", "pyroaring")
    place = ("--require-hashes", "-r", folder / "requirements.txt", "-d", folder)
    run(PYTHON, "-m", "pip", "download", *options, *place)
    with tarfile.open(next(folder.glob("pyroaring-*.tar.gz"))) as archive:
        for member in archive:
            source = archive.extractfile(member)
            if source and Path(member.name).name in ("roaring.c", "roaring.h"):
                (folder / Path(member.name).name).write_bytes(source.read())


def set_up_programs() -> None:
    """Builds the programs with default flags."""
    print("setup: building the programs", file=sys.stderr, flush=True)
    options = (
        "-DCMAKE_BUILD_TYPE=Release",
        "-DSLUICE_BUILD_BENCH=ON",
        "-DSLUICE_BUILD_EXAMPLES=ON",
    )
    folder = DRIVER.parents[1]
    run("cmake", "-S", ROOT, "-B", folder, *options, f"-DSLUICE_CROARING={BUILD / 'croaring'}")
    targets = ("sluice_bench_driver", "sluice_example_server")
    run("cmake", "--build", folder, "--target", *targets)


def enter() -> None:
    """Sets everything up and, unless it runs there, starts compare.py again in the environment."""
    if Path(sys.prefix).resolve() != (BUILD / "venv").resolve():
        BUILD.mkdir(parents=True, exist_ok=True)
        if (ROOT / ".ci" / "setup").exists():
            run("bash", ROOT / ".ci" / "setup", "bench")
        once("python", set_up_python, REQUIREMENTS)
        os.execv(PYTHON, [str(PYTHON), *sys.argv])
    once("croaring", set_up_croaring, REQUIREMENTS)
    set_up_programs()
    if shutil.which("npm"):
        once("node", set_up_node, BENCH / "peers")
    if shutil.which("cargo"):
        once("rust", set_up_rust, BENCH / "peers" / "governor")
    sources = (ROOT / "include", ROOT / "bindings", ROOT / "CMakeLists.txt")
    once("package", set_up_package, *sources, ROOT / "pyproject.toml")
