# SPDX-License-Identifier: MIT
"""The command `serve`: serves a folder of records over HTTPS, for development and behind a proxy.

uvicorn handles HTTP with its own limits; use the C++ server on public networks.
"""

import hashlib
import json
import logging
import shlex
import ssl
import sys
import time
import uuid
from argparse import Namespace
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sluice import ApiError
from sluice._certificate import development_certificate
from sluice._running import StartError, bound_socket, load_records, run_server, say
from sluice._sluice import access_line, request_id
from sluice.api import EventStore, Handler
from sluice.asgi import ROUTE, App, Application, Message, Receive, Scope, Send, request_target

__all__ = ["StartError", "serve"]


def serve(options: Namespace) -> None:
    """Serves until SIGINT or SIGTERM. Steps that may fail quickly precede the load.

    Raises:
        StartError: The server can't start.
    """
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stdout)
    store = EventStore()
    handler = _handler(store, options)
    certfile, tls = _tls(options)
    with bound_socket(options.host, options.port) as bound:
        if options.data:
            load_records(store, options.data)
        for line in _introduction(options, bound.getsockname()[1], certfile):
            say(line)
        run_server(_Front(App(handler)), bound, tls)
    say("stopped")


class _Front:
    """Assigns an id to each request and its answer, and prints a log line."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        received_at, begin = datetime.now(UTC), time.perf_counter()
        chosen = request_id(scope["headers"]) or uuid.uuid4().hex
        status = size = 0

        async def send_on(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message["headers"], (b"x-request-id", chosen.encode())]
                message = {**message, "headers": headers}
            size += len(message.get("body", b""))
            await send(message)

        await self._app(scope, receive, send_on)
        client, seconds = scope.get("client") or ("-", 0), time.perf_counter() - begin
        request = (client[0], scope["method"], request_target(scope), scope.get(ROUTE, "other"))
        say(access_line("text", received_at, *request, status, size, seconds, chosen).rstrip("\n"))


def _handler(store: EventStore, options: Namespace) -> Handler:
    """Creates the handler; raises StartError if a key is invalid."""
    keys = _read_keys(options, store.workspace_id)
    if not keys:
        say("no keys, each request is answered 401: give --keys or --token-file")
    try:
        return Handler(
            store,
            keys,
            behind_proxy=options.behind_proxy,
            cors=options.cors,
            run=_servers(options) if options.store else None,
        )
    except ApiError as error:
        place = f"{options.keys}: " if options.keys else ""
        raise StartError(f"{place}{error}") from None


def _read_keys(options: Namespace, workspace_id: str) -> list[Any]:
    """Returns the keys of --keys, and that of --token with all permissions for a workspace."""
    keys = []
    if options.keys:
        try:
            keys = json.loads(options.keys.read_bytes())
        except (OSError, ValueError) as error:
            raise StartError(f"{options.keys}: {getattr(error, 'strerror', error)}") from None
    if not isinstance(keys, list):
        raise StartError(f"{options.keys}: expected a JSON list of objects")
    if options.token is not None:
        keys.append(
            {
                "sha256": hashlib.sha256(options.token.encode()).hexdigest(),
                "workspaceId": workspace_id,
                "plan": "business",
                "permissions": ["analytics.read", "tags.read"],
            }
        )
    return keys


def _servers(options: Namespace) -> Callable[[str, dict[str, Any]], bytes | None]:
    """Returns the runner of statements on the ClickHouse servers."""
    from sluice._clickhouse import ClickHouse, Place

    try:
        return ClickHouse(Place.parse(options.store, options.store_ca))
    except ValueError as error:
        raise StartError(f"--store: {error}") from None


def _tls(options: Namespace) -> tuple[Path | None, ssl.SSLContext | None]:
    """Returns the certificate and the TLS context; None for both behind a proxy."""
    if options.behind_proxy:
        return None, None
    certfile, keyfile = options.certfile, options.keyfile
    if certfile is None or keyfile is None:
        advice = "no certificate for development, give --certfile and --keyfile"
        try:
            certfile, keyfile = development_certificate()
        except OSError as error:
            raise StartError(f"{advice}: {error}") from None
        except ModuleNotFoundError as error:
            needs = f"needs {error.name}: pip install 'sluice[serve]'"
            raise StartError(f"{advice}: {needs}") from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)  # TLS 1.2 or later
    context.set_ecdh_curve("prime256v1")  # finite-field groups would make handshakes slow
    context.set_ciphers("ECDHE+AESGCM:ECDHE+CHACHA20")
    try:  # a key with a passphrase is refused instead of prompting on the terminal
        context.load_cert_chain(certfile, keyfile, password="")
    except OSError as error:
        raise StartError(f"{certfile}, {keyfile}: {error}") from None
    return certfile, context


def _introduction(options: Namespace, port: int, certfile: Path | None) -> Iterator[str]:
    """Yields lines with the server's address and an example request."""
    host = f"[{options.host}]" if ":" in options.host else options.host
    if options.host in ("0.0.0.0", "::"):
        host = "localhost"
    url = f"{'https' if certfile else 'http'}://{host}:{port}"
    trust = f"--cacert {shlex.quote(str(certfile))}"
    if certfile is None:
        trust = "-H 'X-Forwarded-Proto: https'"
    elif options.certfile is None:
        yield f"certificate: {certfile}, self-signed, for development; to trust it: curl {trust}"
    yield f"serving: {url} until Ctrl-C"
    target = f"'{url}/events?interval=all&limit=1'"
    yield f'try: curl {trust} -H "Authorization: Bearer $TOKEN" {target}'
