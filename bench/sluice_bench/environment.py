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
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
ROOT = BENCH.parent
BUILD = Path(os.environ.get("SLUICE_BENCH_BUILD", ROOT / "build" / "bench"))
PYTHON = BUILD / "venv" / "bin" / "python"
DRIVER = BUILD / "cmake" / "bench" / "driver"
SERVER = BUILD / "cmake" / "examples" / "server"
NATIVE_DRIVER = BUILD / "cmake_native" / "bench" / "driver"
GOVERNOR_DRIVER = BUILD / "governor" / "target" / "release" / "governor_driver"
NODE_FILES = ("driver.mjs", "events_query.mjs", "package.json", "package-lock.json")


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Runs a command whose output matters only where it fails."""
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        text = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{text}")


def digest(*places: Path) -> str:
    """A hash of files and of all files below folders."""
    found = hashlib.sha256()
    for place in places:
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                found.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return found.hexdigest()


def once(name: str, state: str, text: str) -> bool:
    """Whether a step is still to be done for a state; it says so."""
    mark = BUILD / f"{name}.done"
    if mark.exists() and mark.read_text() == state:
        return False
    print(f"setup: {text}", file=sys.stderr, flush=True)
    return True


def done(name: str, state: str) -> None:
    """Notes that a step is done."""
    (BUILD / f"{name}.done").write_text(state)


def set_up_python() -> None:
    """Makes the virtual environment and installs the peers."""
    state = digest(BENCH / "requirements.txt")
    if PYTHON.exists() and not once("venv", state, "installing bench/requirements.txt"):
        return
    BUILD.mkdir(parents=True, exist_ok=True)
    base = Path("/usr/bin/python3")  # Debian's own, whose headers .ci/setup installs
    run(base if base.exists() else sys.executable, "-m", "venv", "--clear", BUILD / "venv")
    run(
        PYTHON,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--require-hashes",
        "-r",
        BENCH / "requirements.txt",
    )
    (BUILD / "package.done").unlink(missing_ok=True)
    done("venv", state)


def set_up_package() -> None:
    """Builds and installs sluice for Python."""
    sources = (ROOT / "include", ROOT / "bindings", ROOT / "CMakeLists.txt")
    state = digest(*sources, ROOT / "pyproject.toml")
    if once("package", state, "building the Python package (minutes)"):
        run(PYTHON, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", ROOT)
        done("package", state)


def set_up_node() -> None:
    """Installs the Node packages beside copies of the scripts."""
    folder = BUILD / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    for name in NODE_FILES:
        shutil.copy(BENCH / "peers" / name, folder / name)
    state = digest(*(BENCH / "peers" / name for name in NODE_FILES))
    if shutil.which("npm") and once("node", state, "installing bench/peers with npm"):
        run("npm", "ci", "--no-audit", "--no-fund", "--silent", cwd=folder)
        done("node", state)


def set_up_rust() -> None:
    """Builds a copy of the Rust peer, where cargo is: what it writes stays out of the sources."""
    sources, folder = BENCH / "peers" / "governor", BUILD / "governor"
    state = digest(sources)
    if shutil.which("cargo") and once("rust", state, "building bench/peers/governor with cargo"):
        shutil.copytree(sources, folder, dirs_exist_ok=True)
        run("cargo", "build", "--quiet", "--release", cwd=folder)
        done("rust", state)


def set_up_croaring() -> Path:
    """Unpacks CRoaring out of the sources of the pinned pyroaring.

    Debian's is older, and compiled for any x86-64: without POPCNT and AVX2 it takes ten times as
    long.
    """
    pinned = re.search(
        r"^pyroaring==.*\n(?: .*\n)*", (BENCH / "requirements.txt").read_text(), re.MULTILINE
    )
    state, folder = pinned[0] if pinned else "", BUILD / "croaring"
    if not once("croaring", state, "unpacking CRoaring"):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "requirements.txt").write_text(state)
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-binary", "pyroaring")
    place = ("--require-hashes", "-r", folder / "requirements.txt", "-d", folder)
    run(PYTHON, "-m", "pip", "download", *options, *place)
    with tarfile.open(next(folder.glob("pyroaring-*.tar.gz"))) as archive:
        for member in archive:
            source = archive.extractfile(member)
            if source and Path(member.name).name in ("roaring.c", "roaring.h"):
                (folder / Path(member.name).name).write_bytes(source.read())
    done("croaring", state)
    return folder


def set_up_programs(folder: Path, flags: str, *targets: str) -> None:
    """Builds programs with flags beside the default ones."""
    print(f"setup: building the programs {flags}", file=sys.stderr, flush=True)
    options = (
        "-DCMAKE_BUILD_TYPE=Release",
        "-DSLUICE_BUILD_BENCH=ON",
        "-DSLUICE_BUILD_EXAMPLES=ON",
        f"-DCMAKE_CXX_FLAGS={flags}",
        f"-DSLUICE_CROARING={set_up_croaring()}",
    )
    run("cmake", "-S", ROOT, "-B", folder, *options)
    run("cmake", "--build", folder, "--target", *targets)


def enter() -> None:
    """Sets everything up and, unless it runs there, starts compare.py again in the environment."""
    if Path(sys.prefix).resolve() != (BUILD / "venv").resolve():
        if (ROOT / ".ci" / "setup").exists():
            run("bash", ROOT / ".ci" / "setup", "bench")
        set_up_python()
        os.execv(PYTHON, [str(PYTHON), *sys.argv])
    set_up_programs(DRIVER.parents[1], "", "sluice_bench_driver", "sluice_example_server")
    set_up_programs(NATIVE_DRIVER.parents[1], "-march=native", "sluice_bench_driver")
    set_up_node()
    set_up_rust()
    set_up_package()
