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
        help="ClickHouse servers of events and tags: clickhouse://user@host:8123,host2/database, "
        "or clickhouses:// for TLS; password: environment variable SLUICE_STORE_PASSWORD, since "
        "one in the URL is visible in ps",
    )


def add_store_ca_option(option: Callable[..., argparse.Action]) -> None:
    """Adds the option for the CA bundle of a store."""
    option(
        "--store-ca",
        metavar="FILE",
        type=Path,
        help="CA bundle for clickhouses:// servers, PEM (default: system)",
    )


def add_token_file_option(option: Callable[..., argparse.Action], what: str) -> None:
    """Adds the option for a file with a key; `what` says for the help what the key is for."""
    option(
        "--token-file",
        metavar="FILE",
        type=Path,
        help=f"{what}: first line of a file (default: environment variable {_TOKEN_VARIABLE})",
    )


def read_token(read: argparse.Namespace) -> str | None:
    """Returns the token from the options or the environment, which loses it; None without one.

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
    """Returns a token if requests can carry it; `source` names its origin for the message.

    Raises:
        ValueError: They can't; the message doesn't contain the token.
    """
    if bearer_token(f"Bearer {text}") == text:
        return text
    accepted = "one or more letters, digits and -._~+/="
    raise ValueError(f"{source}: cannot be sent as a bearer token, expected {accepted}")
