# SPDX-License-Identifier: MIT
"""The command `serve`: a folder of records over HTTPS, on uvicorn."""

import hashlib
import json
import shlex
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from sluice import ApiError, EventStore, Handler
from sluice._certificate import development_certificate
from sluice._front import MAX_FIELDS, MAX_TARGET, Front
from sluice._progress import ProgressBar
from sluice.asgi import App

_BYTES_WITHOUT_PROGRESS = 16 << 20
_MAX_CONNECTIONS = 128
_SECONDS_TO_STOP = 10


@dataclass(frozen=True)
class ServeOptions:
    """What a server serves, where and to whom."""

    data: Path
    host: str
    port: int
    certfile: Path | None
    keyfile: Path | None
    behind_proxy: bool
    keys: Path | None
    token: str | None


class StartError(Exception):
    """Why a server can't start."""


def serve(options: ServeOptions) -> None:
    """Serves until SIGINT or SIGTERM. What can fail soon comes before the load.

    Raises:
        StartError: The server can't start.
    """
    store = EventStore()
    handler = _handler(store, options)
    certfile, keyfile = _certificate(options)
    config = _config(Front(App(handler)), certfile, keyfile)
    with _bound_socket(options.host, options.port) as bound:
        _load(store, options.data)
        url = _url(options, bound.getsockname()[1])
        _run(_Server(config, lambda: _introduce(options, url, certfile)), bound)
    print("stopped", flush=True)


def _handler(store: EventStore, options: ServeOptions) -> Handler:
    try:
        keys = _keys(options, store.workspace_id)
        return Handler(store, keys, behind_proxy=options.behind_proxy)
    except ApiError as error:
        place = f"{options.keys}: " if options.keys else ""
        raise StartError(f"{place}{error}") from None


def _keys(options: ServeOptions, workspace_id: str) -> list[Any]:
    """The entries of the keys that are accepted."""
    keys = _keys_of(options.keys) if options.keys else []
    if options.token is not None:
        keys.append(
            {
                "sha256": hashlib.sha256(options.token.encode()).hexdigest(),
                "workspaceId": workspace_id,
                "plan": "business",
                "permissions": ["analytics.read", "tags.read"],
            }
        )
    if not keys:
        print("no keys, each request is answered 401: give --keys or --token", flush=True)
    return keys


def _keys_of(path: Path) -> list[Any]:
    try:
        keys = json.loads(path.read_bytes())
    except OSError as error:
        raise StartError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise StartError(f"{path}: {error}") from None
    if not isinstance(keys, list):
        raise StartError(f"{path}: expected a JSON list of objects")
    return keys


def _certificate(options: ServeOptions) -> tuple[Path | None, Path | None]:
    """The certificate and key for HTTPS; none behind a proxy."""
    if options.behind_proxy or options.certfile:
        return options.certfile, options.keyfile
    try:
        return development_certificate()
    except (OSError, RuntimeError) as error:
        advice = "no certificate for development, give --certfile and --keyfile"
        raise StartError(f"{advice}: {error}") from None


def _bound_socket(host: str, port: int) -> socket.socket:
    """A socket that is bound to the first of a host's addresses that can be."""
    failure = OSError(0, "no such address")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in found:
            bound = socket.socket(family, kind, protocol)
            # A restart need not wait for old connections to time out.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                bound.bind(address)
            except OSError as error:
                bound.close()
                failure = error
            else:
                return bound
    except OSError as error:
        failure = error
    raise StartError(f"{host} port {port}: {failure.strerror}")


def _load(store: EventStore, folder: Path) -> None:
    if not folder.is_dir():
        raise StartError(f"{folder}: no such folder")
    try:
        with ProgressBar(worth_from=_BYTES_WITHOUT_PROGRESS) as bar:
            store.load_folder(folder, bar.update)
    except ApiError as error:
        raise StartError(f"{folder}/{error}") from None
    print(f"loaded: {len(store)} events from {folder}", flush=True)


def _config(app: Front, certfile: Path | None, keyfile: Path | None) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ssl_certfile=certfile,
        ssl_keyfile=keyfile,
        limit_concurrency=_MAX_CONNECTIONS,
        h11_max_incomplete_event_size=MAX_TARGET + MAX_FIELDS,
        timeout_graceful_shutdown=_SECONDS_TO_STOP,
    )
    try:
        config.load()
    except OSError as error:
        raise StartError(f"{certfile}, {keyfile}: {error}") from None
    return config


class _Server(uvicorn.Server):
    """A server that says when it accepts connections."""

    def __init__(self, config: uvicorn.Config, tell: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = tell

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._tell()


def _run(server: _Server, bound: socket.socket) -> None:
    """Serves until a signal, which uvicorn raises again once it has stopped: then it is over."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    server.run(sockets=[bound])


def _url(options: ServeOptions, port: int) -> str:
    host = f"[{options.host}]" if ":" in options.host else options.host
    if options.host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"{'http' if options.behind_proxy else 'https'}://{host}:{port}"


def _introduce(options: ServeOptions, url: str, certfile: Path | None) -> None:
    """Says where the server is and how to ask it."""
    trust = "-H 'X-Forwarded-Proto: https'"
    if certfile:
        trust = f"--cacert {shlex.quote(str(certfile))}"
    if certfile and not options.certfile:
        made = f"{certfile}, self-signed, for development"
        print(f"certificate: {made}; to trust it: curl {trust}", flush=True)
    asked = f"'{url}/events?interval=all&limit=1'"
    print(f"serving: {url} until Ctrl-C", flush=True)
    print(f'try: curl {trust} -H "Authorization: Bearer $TOKEN" {asked}', flush=True)
