# SPDX-License-Identifier: MIT
"""Options shared by several commands."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from sluice._sluice import bearer_token

_TOKEN_VARIABLE = "SLUICE_TOKEN"


def whole_number(most: int, least: int = 0) -> Callable[[str], int]:
    """Returns a parser of whole numbers from `least` to `most`."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most}")

    return read


def add_data_option(option: Callable[..., argparse.Action], *, required: bool = False) -> None:
    """Adds the option for a folder of records."""
    option(
        "--data",
        metavar="FOLDER",
        type=Path,
        required=required,
        help="tags, customers, links, clicks, leads and sales, each a .ndjson file",
    )


def add_store_option(option: Callable[..., argparse.Action], *, required: bool = False) -> None:
    """Adds the option for ClickHouse servers."""
    option(
        "--store",
        metavar="URL",
        required=required,
        help="the events and tags are in ClickHouse: clickhouse://user@host:8123,host2/database, "
        "or clickhouses:// for TLS; the password is the environment's SLUICE_STORE_PASSWORD, as "
        "lists of processes (ps) would show one in the URL",
    )


def add_store_ca_option(option: Callable[..., argparse.Action]) -> None:
    """Adds the option for the CA bundle of a store."""
    option(
        "--store-ca",
        metavar="FILE",
        type=Path,
        help="who signs certificates of clickhouses:// servers, in PEM (whom the system trusts)",
    )


def add_token_file_option(option: Callable[..., argparse.Action], what: str) -> None:
    """Adds the option for a file with a key."""
    option(
        "--token-file",
        metavar="FILE",
        type=Path,
        help=f"{what}: the first line of a file; without it that of the environment's "
        f"{_TOKEN_VARIABLE}",
    )


def read_token(read: argparse.Namespace) -> str | None:
    """Returns the token from the options or the environment, where it is then removed.

    Raises:
        ValueError: The token is invalid, or there are two.
    """
    from_environment = os.environ.pop(_TOKEN_VARIABLE, None)
    if read.token is not None and read.token_file is not None:
        raise ValueError("--token and --token-file: each names a key, give one of them")
    if read.token is not None:
        return _checked_token("--token", read.token)
    if read.token_file is not None:
        return _checked_token(f"--token-file: {read.token_file}", _first_line(read.token_file))
    if from_environment is not None:
        return _checked_token(_TOKEN_VARIABLE, from_environment)
    return None


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").partition("\n")[0].rstrip("\r")
    except OSError as error:
        raise ValueError(f"--token-file: {path}: {error.strerror}") from None


def _checked_token(source: str, text: str) -> str:
    """Returns a token if requests can carry it. Messages never contain it."""
    if bearer_token(f"Bearer {text}") == text:
        return text
    accepted = "one or more letters, digits and -._~+/="
    raise ValueError(f"{source}: cannot be sent as a bearer token, expected {accepted}")
