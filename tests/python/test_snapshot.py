# SPDX-License-Identifier: MIT
"""The C++ server starts from a snapshot of its records, its own or one that Python has written."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from api_keys import bearer, make_key
from serving import CPP, Server, serving

from sluice import EventStore

TARGETS = ("/events?interval=all&limit=1000", "/events?event=sales&interval=all", "/tags")


@pytest.fixture
def data(sample_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sample_folder, tmp_path / "data"))


def answers(server: Server) -> list[tuple[int, bytes]]:
    return [server.get(target, **bearer("tok_1")) for target in TARGETS]


def start(folder: Path, data: Path, command: Sequence[str]) -> tuple[list[tuple[int, bytes]], str]:
    """Returns the answers and output of a server that has a snapshot beside its data."""
    keys, output = folder / "keys.json", folder / "output"
    keys.write_text(json.dumps([make_key("tok_1")]))
    words = ("--data", str(data), "--snapshot", str(folder / "a.snapshot"), "--keys", str(keys))
    state = {"XDG_STATE_HOME": str(folder / "state")}
    with serving(output, *words, command=command, **state) as server:
        return answers(server), output.read_text()


def append_blank(file: Path) -> None:
    """A line without a record, and the time of before."""
    modified = file.stat().st_mtime_ns
    with file.open("a") as records:
        records.write("\n")
    os.utime(file, ns=(modified, modified))


def save_other(folder: Path, other: Path, file: Path) -> None:
    """The snapshot of a copy of the folder."""
    EventStore.load(shutil.copytree(folder, other)).save(file)


@pytest.mark.parametrize("command", [CPP])
def test_a_server_starts_from_a_snapshot(tmp_path: Path, data: Path, command: list[str]) -> None:
    file = tmp_path / "a.snapshot"
    responses, said = start(tmp_path, data, command)
    assert [status for status, _ in responses] == [200] * len(TARGETS)
    assert "loaded: " in said
    assert f"snapshot: {file.stat().st_size} bytes written to {file}" in said

    again, said = start(tmp_path, data, command)
    assert again == responses
    assert f"opened: {len(EventStore.load(data))} events from {file}" in said
    assert "loaded: " not in said

    # A file that Python has written is as good.
    EventStore.load(data).save(file)
    others, said = start(tmp_path, data, command)
    assert others == responses
    assert "opened: " in said


@pytest.mark.parametrize("command", [CPP])
def test_records_are_loaded_where_the_snapshot_is_not_of_them(
    tmp_path: Path, data: Path, command: list[str]
) -> None:
    file = tmp_path / "a.snapshot"
    responses, _ = start(tmp_path, data, command)
    spoiled: list[tuple[Callable[[], None], str]] = [
        (lambda: os.truncate(file, 100), f"snapshot: {file}: is cut off, expected the size that"),
        (
            lambda: append_blank(data / "tags.ndjson"),
            f"snapshot: {file} is not of the records, which are loaded: tags.ndjson has changed",
        ),
        (
            lambda: save_other(data, tmp_path / "other", file),
            f"snapshot: {file} is not of the records, which are loaded: it is of the folder ",
        ),
    ]
    for spoil, why in spoiled:
        spoil()
        again, said = start(tmp_path, data, command)
        assert again == responses
        assert why in said
        assert f" bytes written to {file}" in said
        assert EventStore.open(file).workspace_id == "ws_default"

    (tmp_path / "a.snapshot").unlink()
    (tmp_path / "a.snapshot").mkdir()
    again, said = start(tmp_path, data, command)
    assert again == responses
    assert f"snapshot: {file}: cannot be written: " in said
