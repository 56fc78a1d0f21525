# SPDX-License-Identifier: MIT
"""The command `serve`: a folder of records over HTTPS, on uvicorn."""

import contextlib
import functools
import logging
import resource
import signal
import ssl
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice import ApiError
from sluice._certificate import CertificateFiles, development_certificate
from sluice._front import Access, Application, Front, Observer, busy
from sluice._introduction import LOOPBACK, introduction
from sluice._keys import Reload, StartError, read_keys
from sluice._limits import Limits
from sluice._listener import Place
from sluice._log import Format, Log, LogHandler
from sluice._maintenance import Maintenance
from sluice._options import ServeOptions
from sluice._progress import progress_bar
from sluice._server import Server, Site
from sluice._sluice import message_line
from sluice._snapshot import open_snapshot, save_snapshot
from sluice._sockets import bound_socket
from sluice._tls import make_context
from sluice.api import EventStore, Handler
from sluice.asgi import App

if TYPE_CHECKING:
    from sluice._metrics import Metrics

__all__ = ["StartError", "serve"]

_FEW = Limits(max_connections=64)  # of those who read metrics
BACKLOG = 4_096  # connections that the kernel holds until they are accepted


def serve(options: ServeOptions) -> None:
    """Serves until SIGINT or SIGTERM. What can fail soon comes before the load.

    Raises:
        StartError: The server can't start.
    """
    say = functools.partial(_say, options.log_format)
    opened = open_snapshot(options, say)
    store = EventStore() if opened is None else opened
    reload = Reload(lambda: read_keys(options, store.workspace_id), options.keys)
    handler = _handler(store, options)
    certfile, tls = _tls(options)
    metrics = _metrics(handler, options)
    with contextlib.ExitStack() as stack:
        bound = stack.enter_context(bound_socket(options.host, options.port))
        port = options.metrics
        shown = stack.enter_context(bound_socket(LOOPBACK, port)) if port is not None else None
        if options.data:
            if opened is None:
                load_records(store, options.data, options.log_format)
                save_snapshot(store, options, say)
            stack.enter_context(Maintenance(store))
        log = _log(options)
        app = App(handler, options.threads)
        observe = Observer(log, metrics.count if metrics else None)
        sites = [Site(bound, tls, options.limits, _fronts(app, handler, observe))]
        if metrics and shown:
            sites.append(Site(shown, None, _FEW, _fronts(metrics, handler, lambda _: None)))
        for site in sites:
            site.bound.listen(BACKLOG)
        for line in introduction(options, [site.bound for site in sites], certfile):
            log.say(line)
        run_server(Server(app, sites, functools.partial(reload.start, handler, log)))
    log.say("stopped")
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
) -> Handler:
    run = _servers(options) if options.store else None
    try:
        keys = read_keys(options, store.workspace_id)
        if not keys:
            _say(
                options.log_format,
                "no keys, each request is answered 401: give --keys or --token-file",
            )
        return Handler(
            store,
            keys,
            behind_proxy=options.behind_proxy,
            cors=options.cors,
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


def _metrics(handler: Handler, options: ServeOptions) -> "Metrics | None":
    """What measures, if anything is to."""
    if options.metrics is None:
        return None
    try:
        from sluice._metrics import Metrics
    except ModuleNotFoundError as error:
        raise StartError(f"--metrics: needs {error.name}: pip install 'sluice[serve]'") from None
    return Metrics(handler)


def _fronts(
    app: Application, handler: Handler, observe: Callable[[Access], None]
) -> dict[Place, Front]:
    return {
        Place.SERVED: Front(app, handler, observe),
        Place.REFUSED: Front(busy(handler), handler, observe),
    }


def _log(options: ServeOptions) -> Log:
    """The server's log, to which libraries write too."""
    log = Log(sys.stdout.fileno(), log_format=options.log_format)
    logging.basicConfig(level=logging.ERROR, handlers=[LogHandler(log)], force=True)
    logging.getLogger("sluice").setLevel(logging.WARNING)
    return log


def _say(log_format: Format, text: str) -> None:
    """Writes a message before there is a log, which has a thread."""
    print(message_line(log_format, datetime.now(UTC), "info", text), end="", flush=True)


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


def load_records(store: EventStore, folder: Path, log_format: Format) -> None:
    """Loads the records of a folder, and says how many.

    Raises:
        StartError: There is no such folder, or something else than records in it.
    """
    if not folder.is_dir():
        raise StartError(f"{folder}: no such folder")
    try:
        with progress_bar("B") as tell:
            store.load_folder(folder, tell)
    except ApiError as error:
        raise StartError(f"{folder}/{error}") from None
    _say(log_format, f"loaded: {len(store)} events from {folder}")


def run_server(server: Server) -> None:
    """Serves until a signal, which uvicorn raises again once it has stopped: then it is over."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    _allow_many_files()
    server.run()


def _allow_many_files() -> None:
    """Lets this process have a file for each connection, as far as it may."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
