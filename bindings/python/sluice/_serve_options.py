# SPDX-License-Identifier: MIT
"""The options of the command `serve`."""

import argparse
from collections.abc import Callable
from pathlib import Path

from sluice import ApiError
from sluice._options import (
    add_data_option,
    add_store_ca_option,
    add_store_option,
    add_token_file_option,
    read_token,
    whole_number,
)
from sluice._sluice import parse_origins


def add_serve_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options; check_serve_options() validates them."""
    records = parser.add_mutually_exclusive_group(required=True)
    add_data_option(records.add_argument)
    add_store_option(records.add_argument)
    add_store_ca_option(parser.add_argument)
    _add_keys(parser.add_argument)
    _add_place(parser.add_argument)
    parser.add_argument(
        "--cors",
        metavar="ORIGINS",
        type=_origins,
        default=(),
        help="origins allowed by CORS, such as https://app.example, comma-separated, or *",
    )


def check_serve_options(read: argparse.Namespace) -> None:
    """Validates the options and reads the token.

    Raises:
        ValueError: The options contradict each other, or the token is invalid.
    """
    if (read.certfile is None) != (read.keyfile is None):
        raise ValueError("--certfile and --keyfile: one without the other, give both or neither")
    if read.store_ca and not read.store:
        raise ValueError("--store-ca: --store is missing")
    if read.behind_proxy and read.certfile:
        raise ValueError("--certfile: --behind-proxy serves plain HTTP, leave one of them out")
    if read.behind_proxy and read.host not in ("127.0.0.1", "::1", "localhost"):
        expected = "--host 127.0.0.1, ::1 or localhost"
        raise ValueError(f"--behind-proxy: plain HTTP to other machines, expected {expected}")
    read.token = read_token(read)


def _add_keys(option: Callable[..., argparse.Action]) -> None:
    option(
        "--keys",
        metavar="FILE",
        type=Path,
        help='accepted keys: a JSON list of {"sha256", '
        '"workspaceId", "plan", "permissions", "expiresAt"?, "limits"?}',
    )
    add_token_file_option(option, "one more key, of the Business plan with all permissions")
    option("--token", help="the key itself; visible in ps to all users, prefer --token-file")


def _add_place(option: Callable[..., argparse.Action]) -> None:
    option("--host", default="127.0.0.1", help="name or address to listen on (%(default)s)")
    option("--port", type=whole_number(65_535), default=8443, help="0: any free one (%(default)s)")
    option("--certfile", metavar="FILE", type=Path, help="certificate chain in PEM")
    option("--keyfile", metavar="FILE", type=Path, help="its key in PEM, without a passphrase")
    option(
        "--behind-proxy",
        action="store_true",
        help="plain HTTP for a proxy on this machine "
        "that sends X-Forwarded-Proto: only on a loopback host",
    )


def _origins(text: str) -> list[str]:
    try:
        return parse_origins(text)
    except ApiError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
