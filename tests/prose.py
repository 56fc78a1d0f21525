#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts how the text of the project reads. The counts gate nothing: they say where to look.

python3 tests/prose.py             the counts
python3 tests/prose.py headers     each place of one count, as FILE:LINE: text

clauses   doc comments whose first sentence opens with a clause or an ellipsis
names     `told made given asked own found each` as identifiers, for a word of the field; not
          Hypothesis's own `given`
headers   headers whose first doc comment mentions no word of the file's name
lines     lines of Markdown over 100 characters, outside of code, tables and links
"""

import argparse
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CLAUSE = re.compile(
    r"(What|Whether|Who|Whom|Whose|Where|When|Why|How|Which|Of|Those|That|As|So|And|But|Nothing|"
    r"None|The same|Like it|Like that|\.\.\.|…)\b"
)
PICKED = re.compile(r"\b(told|made|given|asked|own|found|each)\b")
LONGEST = 100


class Place(NamedTuple):
    """A line of a file, of those that are counted."""

    file: Path
    line: int
    text: str
    is_counted: bool


def files(*endings: str) -> list[Path]:
    """Returns the files of the repository with these endings."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name.endswith(endings)]


def doc_comments(file: Path) -> Iterator[tuple[int, str]]:
    """Yields the first line of each doc comment: of C++ `///`, of TypeScript `/** */`."""
    is_inside = False
    for number, line in enumerate(file.read_text().splitlines(), 1):
        text = re.match(r"\s*(?:///|/\*\*)\s*(.*?)(?:\*/)?$", line)
        if text and not is_inside and text[1]:
            yield number, text[1]
        is_inside = bool(text) or (is_inside and line.lstrip().startswith("*"))


def docstrings(file: Path) -> Iterator[tuple[int, str]]:
    """Yields the first line of each docstring of Python."""
    for match in re.finditer(r'^\s*r?"""(.+)$', file.read_text(), re.MULTILINE):
        yield file.read_text().count("\n", 0, match.start(1)) + 1, match[1]


def clauses() -> Iterator[Place]:
    for file in files(".hpp", ".cpp", ".ts", ".py"):
        for line, text in docstrings(file) if file.suffix == ".py" else doc_comments(file):
            yield Place(file, line, text, bool(CLAUSE.match(text)))


def code_of(file: Path) -> Iterator[tuple[int, str]]:
    """Yields the lines of a file without comments and texts in quotes."""
    if file.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(file.read_text()).readline):
            if token.type == tokenize.NAME:
                yield token.start[0], token.string
        return
    without = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|`[^`]*`', re.DOTALL)
    text = without.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), file.read_text())
    yield from enumerate(text.splitlines(), 1)


def names() -> Iterator[Place]:
    for file in files(".hpp", ".cpp", ".ts", ".py"):
        is_library = re.search(
            r"^from hypothesis import .*\bgiven\b", file.read_text(), re.MULTILINE
        )
        for line, text in code_of(file):
            for name in PICKED.findall(text):
                if not (is_library and name == "given"):
                    yield Place(file, line, text.strip(), is_counted=True)


def headers() -> Iterator[Place]:
    for file in files(".hpp"):
        if "include" not in file.parts:
            continue
        line, text = next(doc_comments(file), (1, ""))
        block = " ".join(file.read_text().splitlines()[line - 1 : line + 7]).lower()
        words = [word[:5] for word in file.stem.split("_")]
        yield Place(file, line, text, not any(word in block for word in words))


def lines() -> Iterator[Place]:
    for file in files(".md"):
        is_code = False
        for number, text in enumerate(file.read_text().splitlines(), 1):
            is_code ^= text.lstrip().startswith("```")
            is_prose = not is_code and not text.lstrip().startswith(("|", "[", "!["))
            yield Place(file, number, text, is_prose and len(text) > LONGEST)


COUNTS: dict[str, Callable[[], Iterator[Place]]] = {
    "clauses": clauses,
    "names": names,
    "headers": headers,
    "lines": lines,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", nargs="?", choices=COUNTS, help="show the places of this count")
    shown = parser.parse_args().count
    if shown:
        for place in COUNTS[shown]():
            if place.is_counted:
                print(f"{place.file.relative_to(ROOT)}:{place.line}: {place.text}")
        return
    for name, count in COUNTS.items():
        places = list(count())
        counted = sum(place.is_counted for place in places)
        of_all = f" of {len(places)}" if counted < len(places) else ""
        print(f"{name:8} {counted:5}{of_all}")


if __name__ == "__main__":
    sys.exit(main())
