# SPDX-License-Identifier: MIT
"""Parts shared by the commands that serve: records, a socket, and uvicorn with its limits."""

import signal
import socket
import ssl
from pathlib import Path

import uvicorn

from sluice import ApiError
from sluice._progress import progress_bar
from sluice.api import EventStore
from sluice.asgi import Application

_MAX_HEAD = 81_920  # bytes: a target of 64 KiB and header fields
_MAX_CONNECTIONS = 1_000
_SECONDS_IDLE = 30  # of a connection, before it is closed
_SECONDS_TO_STOP = 15  # for running requests at the end


class StartError(Exception):
    """The reason why a server can't start."""


def say(text: str) -> None:
    """Prints a line."""
    print(text, flush=True)


def bound_socket(host: str, port: int) -> socket.socket:
    """Returns a socket that listens at a host's address.

    Raises:
        StartError: It can't listen there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise StartError(f"{host} port {port}: {error.strerror}") from None


def load_records(store: EventStore, folder: Path) -> None:
    """Loads the records of a folder and prints their number.

    Raises:
        StartError: The folder doesn't exist, or contains invalid records.
    """
    if not folder.is_dir():
        raise StartError(f"{folder}: no such folder")
    try:
        with progress_bar("B") as report:
            store.load_folder(folder, report)
    except ApiError as error:
        raise StartError(f"{folder}/{error}") from None
    say(f"loaded: {len(store)} events from {folder}")


def run_server(app: Application, bound: socket.socket, tls: ssl.SSLContext | None = None) -> None:
    """Serves an application until SIGINT or SIGTERM; running requests are finished first."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_keep_alive=_SECONDS_IDLE,
        timeout_graceful_shutdown=_SECONDS_TO_STOP,
        h11_max_incomplete_event_size=_MAX_HEAD,
        ssl_context_factory=(lambda *_: tls) if tls else None,
    )
    for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn raises the signals again when it ends
        signal.signal(number, lambda *_: None)
    uvicorn.Server(config).run([bound])
