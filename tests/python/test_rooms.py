# SPDX-License-Identifier: MIT
"""The rooms of include/sluice: each includes only those before it in docs/architecture.md."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEADERS = ROOT / "include" / "sluice"
INCLUDE = re.compile(r"#include <sluice/([\w/]+\.hpp)>")


def documented_rooms() -> list[str]:
    """Returns the rooms in the order of the drawing, from the ground up."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    drawing = page[page.index("\ninclude/sluice/\n") : page.index("\nbindings/")]
    return re.findall(r"(?:^  |  )(\w+)/   *\S", re.sub(r"(?m)^   .*$", "", drawing), re.MULTILINE)


def includes() -> Iterator[tuple[Path, Path]]:
    """Yields each header or source with each header that it includes, below include/sluice."""
    for file in sorted(HEADERS.rglob("*.[hc]pp")):
        for included in INCLUDE.findall(file.read_text()):
            yield file.relative_to(HEADERS), Path(included)


def room_of(header: Path) -> str:
    return header.parts[0].removesuffix(".hpp")


def test_the_drawing_has_every_room() -> None:
    folders = {folder.name for folder in HEADERS.iterdir() if folder.is_dir()}
    assert set(documented_rooms()) == folders


def test_each_room_includes_only_rooms_before_it() -> None:
    order = {room: floor for floor, room in enumerate(documented_rooms())}
    upward = [
        f"{file} includes {included}"
        for file, included in includes()
        if len(file.parts) > 1 and order[room_of(included)] > order[room_of(file)]
    ]
    assert upward == []


def test_umbrellas_are_for_users_only() -> None:
    within = [
        f"{file} includes {included}"
        for file, included in includes()
        if len(file.parts) > 1 and len(included.parts) == 1
    ]
    assert within == []


def test_no_room_reads_another_ones_details() -> None:
    foreign = [
        f"{file} includes {included}"
        for file, included in includes()
        if "detail" in included.parts and room_of(included) != room_of(file)
    ]
    assert foreign == []


UNTESTED = ROOT / "tests" / "untested.txt"


def included_by(file: Path, seen: set[Path] | None = None) -> set[Path]:
    """Returns the headers of the library that a file includes, directly or not."""
    seen = set() if seen is None else seen
    for name in INCLUDE.findall(file.read_text()):
        if (header := Path(name)) not in seen:
            seen.add(header)
            included_by(HEADERS / header, seen)
    return seen


def test_every_header_has_a_test_or_a_reason() -> None:
    rows = re.findall(r"(?m)^  ([\w/]+\.hpp)(?:: ([\w/]+\.cpp))?$", UNTESTED.read_text())
    listed = {Path(header): test for header, test in rows}
    headers = {file.relative_to(HEADERS) for file in HEADERS.rglob("*.hpp")}
    public = {header for header in headers if "detail" not in header.parts}
    tested = {h for h in public if (ROOT / "tests" / h).with_suffix(".cpp").exists()}
    assert set(listed) == public - tested
    assert {header for header, test in listed.items() if not test} == {
        header for header in public if len(header.parts) == 1 and header not in tested
    }
    for header, test in listed.items():
        assert not test or header in included_by(ROOT / "tests" / test), header
