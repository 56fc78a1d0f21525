# SPDX-License-Identifier: MIT
"""The files of the page."""

import importlib.util
from pathlib import Path

from sluice._answers import Answer, encoded
from sluice._running import StartError
from sluice.api import Handler

ERRORS = "/api-reference/errors"  # the path of the page that errors link to

_START = "/index.html"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/vnd.microsoft.icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".map": "application/json; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
_TEXT = "text/plain; charset=utf-8"  # licences, type declarations


def installed_page() -> Path:
    """Returns the folder of the page in the package sluice-explorer.

    Raises:
        StartError: The package is not installed.
    """
    spec = importlib.util.find_spec("sluice_explorer")
    if spec is None or spec.origin is None:
        wanted = "the package sluice-explorer, or --page and the folder that .ci/explorer makes"
        raise StartError(f"the page isn't installed: expected {wanted}")
    return Path(spec.origin).parent / "page"


def read_pages(folder: Path) -> dict[str, Answer]:
    """Reads all files of a folder, by their paths on the server; skips links that leave it.

    Raises:
        StartError: The page doesn't exist, or a file can't be read.
    """
    inside = folder.resolve()
    files = [path for path in folder.rglob("*") if path.is_file()]
    contained = [path for path in files if path.resolve().is_relative_to(inside)]
    pages = {f"/{path.relative_to(folder).as_posix()}": _answer(path) for path in contained}
    if _START not in pages:
        raise StartError(f"{folder}{_START}: no such file; in a checkout .ci/explorer makes it")
    return {"/": pages[_START], **pages}


def errors_page(handler: Handler) -> Answer:
    """Returns the page of errors, the target of their doc_url."""
    response = handler.handle("GET", ERRORS, {})
    kept = {name: response.headers[name] for name in ("content-type", "content-length")}
    return Answer(response.status, encoded(kept), response.body)


def _answer(path: Path) -> Answer:
    try:
        body = path.read_bytes()
    except OSError as error:
        raise StartError(f"{path}: {error.strerror}") from None
    kind = _TYPES.get(path.suffix, _TEXT)
    headers = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode())]
    return Answer(200, headers, body)
