# SPDX-License-Identifier: MIT
"""Servers over the sample data, for published clients: the Python one, and the C++ one that
SLUICE_SERVER names."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from api_keys import make_key

COMMANDS = {
    "python": [sys.executable, "-m", "sluice", "serve"],
    "c++": [os.environ.get("SLUICE_SERVER", "")],
}
TOKEN = "tok_client"
KEYS = [
    make_key(TOKEN),
    make_key("tok_free", plan="free", limits=None),
    make_key("tok_pro", plan="pro", limits=None),
    make_key("tok_tags", permissions=["tags.read"]),
    make_key("tok_events", permissions=["analytics.read"]),
    make_key("tok_expired", expiresAt="2020-01-01T00:00:00Z"),
    make_key("tok_slow", limits={"per_minute": 1, "analytics_per_second": 1}),
]

Parameters = dict[str, Any]


class Served(NamedTuple):
    """A server's address, and the certificate that its clients have to trust."""

    url: str
    certificate: Path


def wait_for_url(process: subprocess.Popen[bytes], printed: Path) -> str:
    until = time.monotonic() + 60
    while not (match := re.search(r"^serving: (\S+) until", printed.read_text(), re.MULTILINE)):
        assert time.monotonic() < until, printed.read_text()
        assert process.poll() is None, printed.read_text()
        time.sleep(0.02)
    return f"https://localhost:{match[1].rpartition(':')[2]}"


@contextmanager
def serving(command: list[str], data: Path, folder: Path) -> Iterator[Served]:
    """A server over `data` for as long as it is asked; it keeps its certificate in `folder`."""
    (folder / "keys.json").write_text(json.dumps(KEYS))
    words = ["--data", str(data), "--port", "0", "--keys", f"{folder}/keys.json"]
    printed = folder / "printed"
    with printed.open("wb") as out:
        process = subprocess.Popen(
            [*command, *words, "--token", "tok_development"],
            env=os.environ | {"XDG_STATE_HOME": str(folder)},
            stdout=out,
            stderr=out,
        )
    try:
        yield Served(wait_for_url(process, printed), folder / "sluice" / "localhost.cert.pem")
        process.terminate()
        assert process.wait(30) == 0, printed.read_text()
    finally:
        process.kill()
        process.wait()
