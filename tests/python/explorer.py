# SPDX-License-Identifier: MIT
"""`sluice explore` as a process of its own, over a small page."""

import bisect
import http.client
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from oracle.grouping import starts_of
from serving import Server, serving

COMMAND = (sys.executable, "-m", "sluice", "explore")
PAGE = {
    "index.html": ("<!doctype html><title>page</title>", "text/html; charset=utf-8"),
    "style.css": ("a { color: red }", "text/css; charset=utf-8"),
    "src/main.js": ("import './sluice.js'", "text/javascript; charset=utf-8"),
    "sluice/sluice.wasm": ("\0asm", "application/wasm"),
    "vendor/LICENSE": ("Do as you like.", "text/plain; charset=utf-8"),
}


class Explorer(NamedTuple):
    """One that runs."""

    server: Server

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    def ask(
        self, target: str, method: str = "GET", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """The status, headers and body that answer a request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        with closing(connection):
            connection.request(method, target, headers=headers)
            response = connection.getresponse()
            sent_headers = {name.lower(): value for name, value in response.getheaders()}
            return response.status, sent_headers, response.read()

    def get(self, path: str, **parameters: object) -> Any:  # noqa: ANN401
        """The answer to a question."""
        status, _, body = self.ask(f"{path}?{urlencode(parameters)}")
        assert status == 200, body
        return json.loads(body)

    def refused(self, path: str, **parameters: object) -> tuple[int, str, str]:
        """The status, code and message of a refused question."""
        status, _, body = self.ask(f"{path}?{urlencode(parameters)}")
        error = json.loads(body)["error"]
        return status, error["code"], error["message"]


def write_page(folder: Path) -> Path:
    """A page, with links that lead out of it."""
    page = folder / "page"
    for name, (text, _) in PAGE.items():
        (page / name).parent.mkdir(parents=True, exist_ok=True)
        (page / name).write_text(text)
    (folder / "secret.txt").write_text("secret")
    (folder / "outside").mkdir()
    (folder / "outside/secret.txt").write_text("secret")
    (page / "link.txt").symlink_to(folder / "secret.txt")
    (page / "links").symlink_to(folder / "outside")
    return page


def check_histogram(histogram: dict[str, Any], times: list[int], zone: str = "UTC") -> None:
    """Compares a histogram with the times of the rows, in milliseconds since 1970."""
    starts, end = histogram["starts"], histogram["end"]
    length = timedelta(milliseconds=end - starts[0])
    bucket = "hour" if length <= timedelta(2) else "day" if length <= timedelta(180) else "month"
    moments = [datetime.fromtimestamp(time / 1_000, UTC) for time in (starts[0], end)]
    buckets = starts_of({"bucket": bucket, "zone": zone}, {}, (moments[0], moments[1]))
    whole = [round(start.timestamp() * 1_000) for start in buckets]
    assert starts == [starts[0], *whole[1:]]
    counts = Counter(bisect.bisect(starts, time) - 1 for time in times)
    assert histogram["counts"] == [counts[at] for at in range(len(starts))]


def top_of(values: Iterable[Any], most: int = 10) -> list[dict[str, Any]]:
    """The most frequent values, equally frequent ones in ascending order."""
    counted = Counter(value for value in values if value is not None)
    ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{"value": value, "count": count} for value, count in ordered[:most]]


@contextmanager
def exploring(folder: Path, *words: str, **environment: str) -> Iterator[Explorer]:
    """An explorer for as long as it is asked; `folder` is for what it reads and prints."""
    folder.mkdir(exist_ok=True)
    page = write_page(folder)
    options = (*words, "--page", str(page))
    with serving(folder / "output", *options, command=COMMAND, **environment) as server:
        yield Explorer(server)
