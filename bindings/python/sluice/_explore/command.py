# SPDX-License-Identifier: MIT
"""The command `explore`: serves the page and its data on this machine."""

import logging
from pathlib import Path

from sluice._explore.app import Explorer
from sluice._explore.folder import FolderSource
from sluice._explore.options import ExploreOptions
from sluice._explore.pages import ERRORS, errors_page, installed_page, read_pages
from sluice._explore.service import ServiceSource
from sluice._explore.source import Source
from sluice._running import StartError, bound_socket, load_records, run_server, say
from sluice.api import EventStore, Handler

__all__ = ["StartError", "explore"]

_LOOPBACK = "127.0.0.1"


def explore(options: ExploreOptions) -> None:
    """Serves until SIGINT or SIGTERM. Rows are loaded last, so that other errors show at once.

    Raises:
        StartError: The page or the rows are not available.
    """
    logging.basicConfig(level=logging.ERROR)
    no_records = Handler(EventStore(), [])  # renders the page of errors, which needs no records
    pages = {ERRORS: errors_page(no_records), **read_pages(options.page or installed_page())}
    with bound_socket(_LOOPBACK, options.port) as bound:
        source = _source(options)
        port = bound.getsockname()[1]
        say(f"serving: http://{_LOOPBACK}:{port} until Ctrl-C")
        run_server(Explorer(source, pages, port), bound)
    say("stopped")


def _source(options: ExploreOptions) -> Source:
    """Opens the one source of the options; a folder or file is read now."""
    if options.data is not None:
        store = EventStore()
        load_records(store, options.data)
        return FolderSource(store, options.data)
    if options.parquet is not None:
        return _file(options.parquet)
    assert options.url is not None  # exactly one of the three is given
    try:
        return ServiceSource(options.url, options.token, options.cafile)
    except OSError as error:
        raise StartError(f"--cafile: {options.cafile}: {error.strerror or error}") from None


def _file(path: Path) -> Source:
    from sluice._explore.parquet import ParquetSource  # imported here because pyarrow is optional

    return ParquetSource.read(path)
