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
from pathlib import Path

RECORD = Path(__file__).with_name("instructions.json")
REPETITIONS = 100
TOLERANCE = 0.02
INLINING = 10  # what another choice of the compiler's moves in the shortest paths
SKIPPED = 77
VALGRIND = ("valgrind", "--tool=callgrind", "--instr-atstart=no", "--collect-atstart=no")


def run_in_valgrind(program: Path, *words: str) -> tuple[str, str]:
    """Returns what a program prints in valgrind, and what valgrind prints."""
    command = [*VALGRIND, "--callgrind-out-file=/dev/null", program, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{program} failed:\n{done.stderr}")
    return done.stdout, done.stderr


def count(program: Path, path: str) -> float:
    """Returns the instructions of one repetition."""
    _, printed = run_in_valgrind(program, path, str(REPETITIONS))
    return int(re.findall(r"Collected : (\d+)", printed)[0]) / REPETITIONS


def differs(path: str, was: float, now: float) -> bool:
    """Prints both counts and returns true if they differ; 0 is a path that isn't there."""
    is_close = was and abs(now - was) <= max(TOLERANCE * was, INLINING)
    change = f"{now / was - 1:+.1%}" if was else "new"
    print(f"{path:24} {was:14,.1f} {now:14,.1f}  {change}{'' if is_close else ' DIFFERS'}")
    return not is_close


def main() -> int:
    """Counts, then compares or records."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--update", action="store_true", help="record the counts")
    options = parser.parse_args()
    setting, *paths = run_in_valgrind(options.program)[0].splitlines()
    recorded = json.loads(RECORD.read_text())
    if not options.update and recorded["setting"] != setting:
        print(f"NOT COMPARED: recorded with {recorded['setting']}, this is {setting}")
        return SKIPPED
    counts = {path: count(options.program, path) for path in paths}
    if options.update:
        RECORD.write_text(json.dumps({"setting": setting, "counts": counts}, indent=4) + "\n")
        return 0
    known = recorded["counts"]
    differing = [p for p in known | counts if differs(p, known.get(p, 0), counts.get(p, 0))]
    if differing:
        print(f"{len(differing)} paths differ: if that is meant, run with --update and say why")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
