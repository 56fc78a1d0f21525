# SPDX-License-Identifier: MIT
"""Counts the instructions of hot paths and compares them with what is recorded.

    python bench/instructions.py PROGRAM            fails where a path costs over 2 % and over
                                                   10 instructions more or less
    python bench/instructions.py PROGRAM --update   records bench/instructions.json

PROGRAM is the build of bench/instructions.cpp. Counts are the same on a busy machine, but not
with another compiler or C library: then nothing is compared, and the exit code is 77.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RECORD = Path(__file__).with_name("instructions.json")
REPETITIONS = 100
TOLERANCE = 0.02
INLINING = 10  # what another choice of the compiler's moves in the shortest paths
SKIPPED = 77
OPTIONS = ("--tool=callgrind", "--instr-atstart=no", "--collect-atstart=no")


def output(command: list[str]) -> str:
    """Returns the output of a command, on both streams."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout + done.stderr


def describe(valgrind: list[str], program: Path) -> tuple[str, list[str]]:
    """Returns the settings that counts depend on, and the paths' names, as seen in valgrind."""
    done = subprocess.run([*valgrind, program], capture_output=True, text=True, check=True)
    setting, *paths = done.stdout.splitlines()
    return setting, paths


def count(valgrind: list[str], program: Path, path: str) -> float:
    """The instructions of one repetition."""
    text = output([*valgrind, str(program), path, str(REPETITIONS)])
    found = re.search(r"Collected : (\d+)", text)
    if found is None:
        raise SystemExit(f"valgrind says nothing of {path}:\n{text}")
    return int(found[1]) / REPETITIONS


def compare(recorded: dict[str, float], counted: dict[str, float]) -> int:
    """Prints both and returns how many differ."""
    differing = 0
    for path in sorted(recorded.keys() | counted.keys()):
        was, now = recorded.get(path), counted.get(path)
        if was is None or now is None:
            verdict = "NOT RECORDED" if was is None else "GONE"
        elif abs(now - was) > max(TOLERANCE * was, INLINING):
            verdict = f"{now / was - 1:+.1%} DIFFERS"
        else:
            verdict = f"{now / was - 1:+.1%}"
        differing += not verdict.endswith("%")
        print(f"{path:24} {was or 0:14,.1f} {now or 0:14,.1f}  {verdict}")
    return differing


def main() -> int:
    """Counts, then compares or records."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--update", action="store_true", help="record the counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", *OPTIONS, f"--callgrind-out-file={folder}/out"]
        setting, paths = describe(valgrind, options.program)
        recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
        if not options.update and recorded.get("setting") != setting:
            print(f"NOT COMPARED: recorded with {recorded.get('setting')}, this is {setting}")
            return SKIPPED
        counted = {path: count(valgrind, options.program, path) for path in paths}
    if options.update:
        RECORD.write_text(json.dumps({"setting": setting, "counts": counted}, indent=4) + "\n")
        return 0
    differing = compare(recorded["counts"], counted)
    if differing:
        print(f"{differing} paths differ: if that is meant, run with --update and say why")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
