# SPDX-License-Identifier: MIT
"""The command `serve`: a folder of records over HTTPS, on uvicorn."""

import hashlib
import json
import logging
import resource
import shlex
import signal
import socket
import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sluice import ApiError
from sluice._certificate import CertificateFiles, development_certificate
from sluice._log import Log, LogHandler
from sluice._options import ServeOptions
from sluice._progress import progress_bar
from sluice._server import Server
from sluice._tls import make_context
from sluice.api import EventStore, Handler
from sluice.asgi import App

_BACKLOG = 4_096  # connections that the kernel holds until they are accepted


class StartError(Exception):
    """Why a server can't start."""


def serve(options: ServeOptions) -> None:
    """Serves until SIGINT or SIGTERM. What can fail soon comes before the load.

    Raises:
        StartError: The server can't start.
    """
    store = EventStore()
    run = _servers(options) if options.store else None
    app = App(_handler(store, options, run), options.threads)
    certfile, tls = _tls(options)
    with _bound_socket(options.host, options.port) as bound:
        if options.data:
            _load(store, options.data)
        url = _url(options, bound.getsockname()[1])
        log = Log(sys.stdout.fileno())
        logging.basicConfig(level=logging.ERROR, handlers=[LogHandler(log)], force=True)
        logging.getLogger("sluice").setLevel(logging.WARNING)
        bound.listen(_BACKLOG)
        for line in _introduction(options, url, certfile):
            log.write(line)
        _run(Server(app, log, options.limits, bound, tls))
    log.write("stopped")
    log.close()


def _servers(options: ServeOptions) -> Callable[[str, dict[str, Any]], bytes | None]:
    """What runs statements on the servers that have the events and tags."""
    from sluice._clickhouse import ClickHouse, Place

    try:
        place = Place.parse(options.store or "", options.store_ca)
    except ValueError as error:
        raise StartError(f"--store: {error}") from None
    return ClickHouse(place, options.store_timeout, options.store_statements)


def _handler(
    store: EventStore,
    options: ServeOptions,
    run: Callable[[str, dict[str, Any]], bytes | None] | None,
) -> Handler:
    try:
        keys = _keys(options, store.workspace_id)
        return Handler(
            store,
            keys,
            behind_proxy=options.behind_proxy,
            deadline_ms=options.deadline,
            run=run,
            **_sharing(options),
        )
    except ApiError as error:
        place = f"{options.keys}: " if options.keys else ""
        raise StartError(f"{place}{error}") from None


def _sharing(options: ServeOptions) -> dict[str, Any]:
    """Where requests are counted, if not here."""
    if options.storage is None:
        return {}
    try:
        from sluice._redis_clients import check_url

        check_url(options.storage)
    except (ModuleNotFoundError, ValueError) as error:
        raise StartError(f"--limits: {error}") from None
    return {"storage": options.storage, "on_error": options.on_error, "nodes": options.nodes}


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
        print("no keys, each request is answered 401: give --keys or --token-file", flush=True)
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


def _tls(options: ServeOptions) -> tuple[Path | None, ssl.SSLContext | None]:
    """The certificate for HTTPS and what speaks it; none behind a proxy."""
    if options.behind_proxy:
        return None, None
    certfile, keyfile = options.certfile, options.keyfile
    if certfile is None or keyfile is None:
        certfile, keyfile = _development_certificate()
    try:
        return certfile, make_context(certfile, keyfile)
    except OSError as error:
        raise StartError(f"{certfile}, {keyfile}: {error}") from None


def _development_certificate() -> CertificateFiles:
    advice = "no certificate for development, give --certfile and --keyfile"
    try:
        return development_certificate()
    except OSError as error:
        raise StartError(f"{advice}: {error}") from None
    except ModuleNotFoundError as error:
        raise StartError(f"{advice}: needs {error.name}: pip install 'sluice[serve]'") from None


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
        with progress_bar("B") as tell:
            store.load_folder(folder, tell)
    except ApiError as error:
        raise StartError(f"{folder}/{error}") from None
    print(f"loaded: {len(store)} events from {folder}", flush=True)


def _run(server: Server) -> None:
    """Serves until a signal, which uvicorn raises again once it has stopped: then it is over."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    _allow_many_files()
    server.run()


def _allow_many_files() -> None:
    """Lets this process have a file for each connection, as far as it may."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _url(options: ServeOptions, port: int) -> str:
    host = f"[{options.host}]" if ":" in options.host else options.host
    if options.host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"{'http' if options.behind_proxy else 'https'}://{host}:{port}"


def _introduction(options: ServeOptions, url: str, certfile: Path | None) -> list[str]:
    """Where the server is and how to ask it."""
    lines = []
    trust = "-H 'X-Forwarded-Proto: https'"
    if certfile:
        trust = f"--cacert {shlex.quote(str(certfile))}"
    if certfile and not options.certfile:
        made = f"{certfile}, self-signed, for development"
        lines.append(f"certificate: {made}; to trust it: curl {trust}")
    asked = f"'{url}/events?interval=all&limit=1'"
    return [
        *lines,
        f"serving: {url} until Ctrl-C",
        f'try: curl {trust} -H "Authorization: Bearer $TOKEN" {asked}',
    ]
