# SPDX-License-Identifier: MIT
"""The store: what it loads, what it refuses, and the pages that it gives."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from api_keys import bearer
from conftest import NOW

from sluice import ApiError, EventsQuery, EventStore, Handler, TagsQuery, write_sample

KINDS = ("clicks", "leads", "sales")

BAD_LINES = {
    # line: parameter, rule and status of its error
    '{"id":"clk_new"}': ("timestamp", "field_missing", 400),
    "{": (None, "json_malformed", 400),
    "[]": (None, "json_malformed", 400),
    "\ufeff{}": (None, "byte_order_mark", 400),
    '{"x":' + "[" * 256: (None, "json_malformed", 400),
    '{"id":5}': ("id", "field_type", 400),
}


def records(folder: Path, kind: str) -> list[dict[str, Any]]:
    text = (folder / f"{kind}.ndjson").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def parse(**params: str | int) -> EventsQuery:
    return EventsQuery.parse({"interval": "all", **params}, now=NOW)


def page(store: EventStore, **params: str | int) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(store.page(parse(**params)))
    return events


@pytest.fixture
def copied(sample_folder: Path, tmp_path: Path) -> Path:
    """A folder of records that a test may spoil."""
    return Path(shutil.copytree(sample_folder, tmp_path / "copied"))


def append(folder: Path, kind: str, line: str) -> int:
    """Adds a line to a file and gives its number."""
    path = folder / f"{kind}.ndjson"
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    return len(path.read_text(encoding="utf-8").splitlines())


def test_all_events_are_loaded(store: EventStore, data_folder: Path) -> None:
    counts = {kind: store.count(parse(event=kind)) for kind in KINDS}
    assert counts == {kind: len(records(data_folder, kind)) for kind in KINDS}
    assert len(store) == sum(counts.values())
    assert store.workspace_id == "ws_default"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_pages_follow_one_another(
    store: EventStore, data_folder: Path, kind: str, order: str
) -> None:
    parameters = {"event": kind, "sortOrder": order}
    pages = [page(store, page=number, limit=1_000, **parameters) for number in range(1, 12)]
    events = [event for rows in pages for event in rows]
    ids = [event["click"]["id"] if kind == "clicks" else event["eventId"] for event in events]
    name = "id" if kind == "clicks" else "eventId"
    assert sorted(ids) == sorted(record[name] for record in records(data_folder, kind))
    times = [event["timestamp"] for event in events]
    assert times == sorted(times, reverse=order == "desc")
    assert store.page(parse(event=kind, page=10**30)) == b"[]"


def test_filters_choose_events(store: EventStore, data_folder: Path) -> None:
    clicks = records(data_folder, "clicks")
    for country in ("US", "-US"):
        expected = sum(
            (click["country"] == "US") is not country.startswith("-") for click in clicks
        )
        assert store.count(parse(country=country)) == expected
    assert {event["click"]["country"] for event in page(store, country="us")} == {"US"}


def test_tags_are_listed(store: EventStore, data_folder: Path) -> None:
    names = sorted(tag["name"] for tag in records(data_folder, "tags"))
    assert [tag["name"] for tag in json.loads(store.tags(TagsQuery.parse("")))] == names
    query = TagsQuery.parse({"search": names[0].upper(), "pageSize": 1})
    assert [tag["name"] for tag in json.loads(store.tags(query))] == names[:1]


def test_a_workspace_sees_its_own_records_only(copied: Path) -> None:
    link = records(copied, "links")[0] | {"id": "link_other", "workspaceId": "ws_other"}
    click = records(copied, "clicks")[0] | {"id": "clk_other", "linkId": "link_other"}
    append(copied, "links", json.dumps(link))
    append(copied, "clicks", json.dumps(click))
    tag = records(copied, "tags")[0] | {"id": "tag_other", "workspaceId": "ws_other"}
    append(copied, "tags", json.dumps(tag))
    store = EventStore.load(copied)
    assert store.count(parse(linkId="link_other")) == 0
    assert store.count(parse(), "ws_other") == 1
    tags = json.loads(store.tags(TagsQuery.parse(""), "ws_other"))
    assert [tag["id"] for tag in tags] == ["tag_other"]
    assert store.page(parse(), workspace_id="ws_nowhere") == b"[]"
    assert store.count(parse(), workspace_id="ws_nowhere") == 0
    assert store.tags(TagsQuery.parse(""), workspace_id="ws_nowhere") == b"[]"


def test_records_belong_to_the_workspace_that_they_are_loaded_into(sample_folder: Path) -> None:
    store = EventStore.load(sample_folder, workspace_id="ws_mine")
    assert store.workspace_id == "ws_mine"
    assert store.count(parse()) == store.count(parse(), "ws_mine") > 0
    assert page(store, limit=1)[0]["link"]["workspaceId"] == "ws_mine"


@pytest.mark.parametrize(("line", "expected"), BAD_LINES.items())
def test_a_bad_line_is_named(
    copied: Path, line: str, expected: tuple[str | None, str, int]
) -> None:
    number = append(copied, "clicks", line)
    with pytest.raises(ApiError, match=rf"/clicks\.ndjson:{number}: ") as caught:
        EventStore.load(copied)
    error = caught.value
    assert (error.file, error.line) == ("clicks.ndjson", number)
    assert (error.param, error.rule, error.status) == expected


def shown(store: EventStore) -> list[object]:
    queries = [parse(event=kind, limit=1_000) for kind in KINDS]
    pages = [store.page(query) for query in queries]
    return [len(store), *pages, store.tags(TagsQuery.parse(""))]


def test_a_load_that_fails_leaves_no_trace_and_can_be_repeated(
    copied: Path, sample_folder: Path
) -> None:
    store = EventStore()
    for kind in ("tags", "customers", "links", *KINDS):
        append(copied, kind, "{")
        with pytest.raises(ApiError, match=rf"/{kind}\.ndjson:\d+: malformed JSON"):
            store.load_folder(copied)
        assert shown(store) == shown(EventStore())
        shutil.copy(sample_folder / f"{kind}.ndjson", copied)
    store.load_folder(copied)
    loaded = shown(EventStore.load(sample_folder))
    assert shown(store) == loaded
    with pytest.raises(ApiError, match=r"/tags\.ndjson:1: id: names a record that exists"):
        store.load_folder(copied)
    assert shown(store) == loaded


@pytest.mark.parametrize("raised", [KeyboardInterrupt, InterruptedError])
def test_an_interrupted_load_leaves_no_trace(
    sample_folder: Path, raised: type[BaseException]
) -> None:
    store = EventStore()

    def stop(done: int, total: int) -> None:
        raise raised

    with pytest.raises(raised):
        store.load_folder(sample_folder, progress=stop)
    assert shown(store) == shown(EventStore())
    store.load_folder(sample_folder)
    assert shown(store) == shown(EventStore.load(sample_folder))


def test_a_load_can_t_wait_for_itself(sample_folder: Path) -> None:
    store, other = EventStore(), EventStore()

    def load_again(done: int, total: int) -> None:
        if len(other) == 0:
            other.load_folder(sample_folder)
        store.load_folder(sample_folder)

    with pytest.raises(RuntimeError, match="same store"):
        store.load_folder(sample_folder, load_again)
    assert (len(store), len(other)) == (0, 3_000)
    store.load_folder(sample_folder)


def test_a_missing_file_is_named(copied: Path) -> None:
    path = copied / "links.ndjson"
    path.unlink()
    expected = re.escape(f"{path}: cannot be read: No such file or directory")
    with pytest.raises(ApiError, match=f"^{expected}$") as caught:
        EventStore.load(copied)
    assert (caught.value.file, caught.value.line) == ("links.ndjson", None)


def test_texts_tell_how_many_of_them_a_look_up_passes(copied: Path) -> None:
    store = EventStore.load(copied)
    (urls,) = [
        texts for texts in store.stats()["ws_default"]["texts"] if texts["name"] == "click.url"
    ]
    assert 0 < urls["probes"] < 60


def test_folders_are_paths_or_texts(sample_folder: Path) -> None:
    assert len(EventStore.load(str(sample_folder))) == len(EventStore.load(sample_folder)) == 3_000
    assert EventStore().load_folder(sample_folder) > 3_000
    with pytest.raises(TypeError):
        EventStore.load(5)  # type: ignore[arg-type]


def test_progress_is_told(sample_folder: Path) -> None:
    steps: list[tuple[int, int]] = []
    EventStore.load(sample_folder, progress=lambda done, total: steps.append((done, total)))
    total = sum(path.stat().st_size for path in sample_folder.iterdir())
    assert steps[-1] == (total, total)
    assert steps == sorted(steps)


def test_what_progress_raises_ends_the_load(sample_folder: Path, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise InterruptedError(done, total)

    with pytest.raises(InterruptedError):
        EventStore.load(sample_folder, progress=stop)
    with pytest.raises(InterruptedError):
        write_sample(tmp_path / "sample", 5_000, now=NOW, progress=stop)
    assert list((tmp_path / "sample").iterdir()) == []


@pytest.fixture
def gil_held_until_released() -> Iterator[None]:
    """Lets another thread run only where the running one gives the GIL up of itself."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1_000)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("gil_held_until_released")
@pytest.mark.parametrize("work", ["page", "count", "tags", "load"])
def test_other_threads_run_meanwhile(store: EventStore, sample_folder: Path, work: str) -> None:
    query = parse(city="-nowhere", limit=1_000)
    calls: dict[str, Callable[[], object]] = {
        "page": lambda: store.page(query),
        "count": lambda: store.count(query),
        "tags": lambda: store.tags(TagsQuery.parse("")),
        "load": lambda: EventStore.load(sample_folder),
    }
    ready, go = threading.Lock(), threading.Lock()
    went: list[bool] = []

    def wait() -> None:
        ready.release()
        go.acquire()
        went.append(True)

    ready.acquire()
    go.acquire()
    other = threading.Thread(target=wait)
    other.start()
    ready.acquire()
    go.release()
    deadline = time.monotonic() + 10
    while not went and time.monotonic() < deadline:
        calls[work]()
    ran_meanwhile = bool(went)
    other.join()
    assert ran_meanwhile


@pytest.mark.parametrize("query", [None, "country=US", {}, TagsQuery.parse("")])
def test_pages_are_of_queries(store: EventStore, query: EventsQuery) -> None:
    with pytest.raises(TypeError):
        store.page(query)


def test_a_store_of_a_snapshot_answers_as_the_one_that_was_saved(
    sample_folder: Path, tmp_path: Path
) -> None:
    original, file = EventStore.load(sample_folder), tmp_path / "a.snapshot"
    assert original.save(file) == file.stat().st_size
    assert file.stat().st_mode & 0o777 == 0o600
    for opened in (EventStore.open(file), EventStore.open(str(file), check=False)):
        assert len(opened) == len(original)
        assert opened.workspace_id == original.workspace_id
        for params in ({}, {"country": "US"}, {"event": "sales", "saleType": "new"}):
            assert opened.page(parse(**params)) == original.page(parse(**params))
            assert opened.count(parse(**params)) == original.count(parse(**params))
        assert opened.tags(TagsQuery.parse("")) == original.tags(TagsQuery.parse(""))
        stats = opened.stats()["ws_default"]
        assert 0 < stats["mapped"] < stats["bytes"]
        with pytest.raises(ApiError, match="names a record that exists"):
            opened.load_folder(sample_folder)
    assert original.stats()["ws_default"]["mapped"] == 0


def test_what_is_no_whole_snapshot_is_refused(sample_folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.snapshot"
    store = EventStore.load(sample_folder)
    store.save(file)
    content = file.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    faults = {
        "is cut off, expected the size": content[:-1],
        "is no snapshot": b"{}",
        "is damaged": bytes(flipped),
        "is another version's": content[:16] + b"\x00" + content[17:],
    }
    for fault, spoiled in faults.items():
        file.write_bytes(spoiled)
        with pytest.raises(ApiError, match=fault) as caught:
            EventStore.open(file)
        assert caught.value.rule == "file_unreadable"
        assert caught.value.file == str(file)
    with pytest.raises(ApiError, match="No such file") as caught:
        EventStore.open(tmp_path / "none")
    with pytest.raises(ApiError, match="cannot be written: No such file") as caught:
        store.save(tmp_path / "none" / "a.snapshot")
    assert caught.value.rule == "file_unwritable"


def test_samples_are_the_same_for_the_same_arguments(tmp_path: Path) -> None:
    now = datetime.fromisoformat("2026-08-21T02:30:15Z")
    folders = [tmp_path / name for name in ("a", "b", "c")]
    steps: list[tuple[int, int]] = []
    written = write_sample(folders[0], 2_000, 3, now, lambda *step: steps.append(step))
    assert write_sample(folders[1], events=2_000, seed=3, now=now) == written
    write_sample(folders[2], events=2_000, seed=4, now=now)
    a, b, c = ({p.name: p.read_bytes() for p in folder.iterdir()} for folder in folders)
    assert a == b
    assert a != c
    assert {f"{kind}.ndjson": n for kind, n in written.items()} == {
        name: content.count(b"\n") for name, content in a.items()
    }
    assert steps[-1] == (2_000, 2_000)


def test_samples_of_no_size_or_place_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ApiError, match="events: too small"):
        write_sample(tmp_path, events=-1)
    (tmp_path / "file").touch()
    with pytest.raises(ApiError) as caught:
        write_sample(tmp_path / "file" / "folder")
    assert caught.value.rule == "file_unwritable"
    with pytest.raises(ValueError, match="now: a naive datetime"):
        write_sample(tmp_path, now=datetime(2026, 8, 21))


def test_what_a_query_reads_is_explained(store: EventStore) -> None:
    everything = store.explain(parse())
    assert everything.startswith(f"rows {store.count(parse())}, skipped 0")
    assert store.explain(parse(country="US")) != everything
    assert store.explain(parse(), workspace_id="ws_unknown").startswith("rows 0")
    query = parse(event="leads", country="US", query="metadata['plan']:pro")
    before, after = store.explain(query), store.analyze(query)
    assert after == before.replace("\n", f", found {store.count(query)}\n", 1)
    assert "\ncountry: " in after
    assert "\nquery at byte 0: " in after


def test_memory_is_told_by_column(store: EventStore) -> None:
    stats = store.stats()[store.workspace_id]
    assert {kind: table["rows"] for kind, table in stats["events"].items()} == {
        kind: store.count(parse(event=kind)) for kind in KINDS
    }
    clicks = stats["events"]["clicks"]
    assert {"click.country", "click.url"} <= {column["name"] for column in clicks["columns"]}
    # At most 2 bytes a row and column, and 4 in a last block that is still open.
    assert all(column["index"] <= 4 * clicks["rows"] for column in clicks["columns"])
    assert any(texts["name"] == "click.country" and texts["texts"] > 0 for texts in stats["texts"])
    assert stats["bytes"] > sum(texts["bytes"] for texts in stats["texts"]) > 0


def test_counts_that_are_asked_are_made_quicker(tmp_path: Path) -> None:
    write_sample(tmp_path, events=20_000, now=NOW)
    store = EventStore.load(tmp_path)
    assert not store.maintain()  # nothing was asked yet
    query = parse(country="US", device="Desktop", browser="Chrome")
    before = [store.count(query) for _ in range(50)]
    steps = 0
    while store.maintain():
        steps += 1
    assert steps > 0
    assert store.count(query) == before[0] > 0
    assert "projection" in store.analyze(query)
    assert "projection" not in store.analyze(parse(country="US"))
    assert store.stats()[store.workspace_id]["events"]["clicks"]["projection"] > 0


def test_a_search_that_takes_too_long_is_refused_as_a_request_is(
    tmp_path: Path, keys: list[dict[str, Any]], token: str
) -> None:
    write_sample(tmp_path, 40_000, now=NOW)
    # No two texts are the same: the answer for a shared one is kept.
    leads = [
        lead | {"metadata": {"text": f"{'a' * 1_000}{turn}-{at}"}}
        for turn in range(5)
        for at, lead in enumerate(records(tmp_path, "leads"))
    ]
    lines = "".join(json.dumps(lead) + "\n" for lead in leads)
    (tmp_path / "leads.ndjson").write_text(lines, encoding="utf-8")
    store = EventStore.load(tmp_path)
    costly = " OR ".join(f"metadata['text']:{number}" for number in range(256))
    query = parse(event="leads", query=costly, limit=1)
    handler = Handler(store, keys, deadline_ms=1)
    answer = handler.handle("GET", f"/events?{query}", bearer(token), now=NOW)
    for search in (store.page, store.count, store.analyze):
        with pytest.raises(ApiError) as caught:
            search(query, deadline_ms=1)
        assert (caught.value.status, caught.value.rule) == (422, "query_too_costly")
        assert (caught.value.param, answer.status) == ("query", 422)
        assert json.loads(caught.value.to_json()) == json.loads(answer.body)
        search(query, deadline_ms=86_400_000)
        search(query, None, 0)
    assert store.count(query) == 0


@pytest.mark.parametrize("deadline", [-1, 86_400_001])
def test_deadlines_are_at_most_a_day(store: EventStore, deadline: int) -> None:
    with pytest.raises(ValueError, match="deadline_ms: out of range, expected 0 to 86400000"):
        store.count(parse(), deadline_ms=deadline)


def test_a_store_is_saved_within_its_own_load(sample_folder: Path, tmp_path: Path) -> None:
    store, file = EventStore(), tmp_path / "a.snapshot"
    sizes = []

    def save(done: int, total: int) -> None:
        store.save(file)
        other = threading.Thread(target=store.save, args=[tmp_path / "b.snapshot"])
        other.start()
        other.join()
        sizes.append(len(EventStore.open(file)))

    store.load_folder(sample_folder, save)
    assert sizes
    assert set(sizes) == {0}
    assert len(EventStore.open(tmp_path / "b.snapshot")) == 0
    store.save(file)
    assert len(EventStore.open(file)) == len(store)


def test_a_store_tells_what_changed_in_its_folder(copied: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.snapshot"
    EventStore.load(copied).save(file)
    times = {entry: entry.stat().st_mtime_ns for entry in copied.iterdir()}
    opened = EventStore.open(file)
    assert opened.changes_since_load(copied) == opened.changes_since_load(str(copied)) == ""
    (copied / "tags.ndjson").write_bytes((copied / "tags.ndjson").read_bytes()[:-1] + b" ")
    for path, modified in times.items():
        os.utime(path, ns=(modified, modified))
    assert opened.changes_since_load(copied) == "tags.ndjson has changed since"
    assert opened.changes_since_load(tmp_path) == f"it is of the folder {copied.resolve()}"
    assert EventStore().changes_since_load(copied) == "it is not of one folder"


def test_a_planted_link_is_not_followed(sample_folder: Path, tmp_path: Path) -> None:
    victim, file = tmp_path / "victim", tmp_path / "a.snapshot"
    victim.write_text("kept")
    mode = victim.stat().st_mode
    (tmp_path / "a.snapshot.partial").symlink_to(victim)
    assert EventStore.load(sample_folder).save(file) == file.stat().st_size
    assert victim.read_text() == "kept"
    assert victim.stat().st_mode == mode
    assert not file.is_symlink()


def test_a_child_that_is_forked_while_a_store_is_maintained_goes_on(sample_folder: Path) -> None:
    script = """
import os, sys, threading, time
from sluice import EventStore, EventsQuery, write_sample

store = EventStore.load(sys.argv[1])
query = EventsQuery.parse("interval=all&country=US&device=Desktop")
is_done = False

def work():
    while not is_done:
        store.count(query)
        if not store.maintain():
            store.stats()

threads = [threading.Thread(target=work) for _ in range(4)]
for each in threads:
    each.start()
for _ in range(200):
    child = os.fork()
    if child == 0:
        store.maintain(), store.count(query), store.stats()
        os._exit(0)
    end = time.monotonic() + 20
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(child, 9)
            os._exit(9)
        time.sleep(0.0005)
is_done = True
for each in threads:
    each.join()
"""
    subprocess.run([sys.executable, "-c", script, str(sample_folder)], check=True, timeout=120)
