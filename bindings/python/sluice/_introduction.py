# SPDX-License-Identifier: MIT
"""What a server says first."""

import shlex
import socket
from collections.abc import Iterator
from pathlib import Path

from sluice._options import ServeOptions

LOOPBACK = "127.0.0.1"  # where metrics are shown


def introduction(
    options: ServeOptions, bound: list[socket.socket], certfile: Path | None
) -> Iterator[str]:
    """Says where the server is and how to ask it; the second socket is that of the metrics."""
    served, *shown = (each.getsockname()[1] for each in bound)
    url = _url(options, served)
    trust = "-H 'X-Forwarded-Proto: https'"
    if certfile:
        trust = f"--cacert {shlex.quote(str(certfile))}"
    if certfile and not options.certfile:
        made = f"{certfile}, self-signed, for development"
        yield f"certificate: {made}; to trust it: curl {trust}"
    asked = f"'{url}/events?interval=all&limit=1'"
    yield f"serving: {url} until Ctrl-C"
    yield f'try: curl {trust} -H "Authorization: Bearer $TOKEN" {asked}'
    for port in shown:
        yield f"metrics: http://{LOOPBACK}:{port}/metrics"


def _url(options: ServeOptions, port: int) -> str:
    host = f"[{options.host}]" if ":" in options.host else options.host
    if options.host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"{'http' if options.behind_proxy else 'https'}://{host}:{port}"
