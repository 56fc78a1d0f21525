# SPDX-License-Identifier: MIT
"""The options of the command `serve`."""

import argparse
import ipaddress
import os
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path

from sluice import ApiError
from sluice._limits import Limits
from sluice._log import Format
from sluice._sluice import bearer_token, parse_origins

_TOKEN_VARIABLE = "SLUICE_TOKEN"
_STORAGE_VARIABLE = "SLUICE_LIMITS"
_MOST = 1_000_000
_DAY = 86_400


@dataclass(frozen=True)
class ServeOptions:
    """What a server serves, where, to whom and within which limits."""

    data: Path | None = None
    snapshot: Path | None = None  # of the data
    store: str | None = field(default=None, repr=False)
    store_ca: Path | None = None
    store_timeout: int = 5  # seconds that a statement may take, on all hosts
    store_statements: int = 16
    host: str = "127.0.0.1"
    port: int = 8443
    certfile: Path | None = None
    keyfile: Path | None = None
    behind_proxy: bool = False
    keys: Path | None = None
    token: str | None = field(default=None, repr=False)
    deadline: int = 1_000  # milliseconds of CPU time that a search may take, 0 for any
    threads: int = 16
    storage: str | None = field(default=None, repr=False)
    on_error: str = "local"
    nodes: int = 1
    limits: Limits = field(default_factory=Limits)
    cors: tuple[str, ...] = ()  # origins whose pages may read answers
    log_format: Format = "text"
    metrics: int | None = None  # the port of this machine that shows them


def add_serve_options(parser: argparse.ArgumentParser) -> None:
    """Adds what `read_serve_options` reads."""
    records = parser.add_mutually_exclusive_group(required=True)
    add_data_option(records.add_argument)
    add_store_option(records.add_argument)
    add_store_ca_option(parser.add_argument)
    _add_inputs(parser.add_argument)
    _add_place(parser.add_argument)
    _add_limits(parser.add_argument)
    _add_sharing(parser.add_argument)
    _add_operation(parser.add_argument)


def read_serve_options(read: argparse.Namespace) -> ServeOptions:
    """The options that were given.

    Raises:
        ValueError: They don't go together, or there is no token where one should be.
    """
    _check_together(read)
    limits = {each.name: getattr(read, each.name) for each in fields(Limits)}
    if read.behind_proxy:  # where all connections are the proxy's
        limits["max_connections_per_address"] = read.max_connections
    names = {each.name for each in fields(ServeOptions)} - {"token", "limits"}
    plain = {name: getattr(read, name) for name in names}
    return ServeOptions(**plain, token=read_token(read), limits=Limits(**limits))


def whole_number(most: int, least: int = 0) -> Callable[[str], int]:
    """Reads a whole number from `least` to `most`."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most}")

    return read


def add_data_option(option: Callable[..., argparse.Action], *, required: bool = False) -> None:
    """Adds the option that names a folder of records."""
    option(
        "--data",
        metavar="FOLDER",
        type=Path,
        required=required,
        help="tags, customers, links, clicks, leads and sales, each a .ndjson file",
    )


def add_store_option(option: Callable[..., argparse.Action], *, required: bool = False) -> None:
    """Adds the option that names servers of ClickHouse."""
    option(
        "--store",
        metavar="URL",
        required=required,
        help="the events and tags are in ClickHouse: clickhouse://user@host:8123,host2/database, "
        "or clickhouses:// for TLS; the password is the environment's SLUICE_STORE_PASSWORD, as "
        "lists of processes (ps) would show one in the URL",
    )


def add_store_ca_option(option: Callable[..., argparse.Action]) -> None:
    """Adds the option that says whose certificates a store may have."""
    option(
        "--store-ca",
        metavar="FILE",
        type=Path,
        help="who signs certificates of clickhouses:// servers, in PEM (whom the system trusts)",
    )


def add_token_file_option(option: Callable[..., argparse.Action], what: str) -> None:
    """Adds the option that names a file with a key."""
    option(
        "--token-file",
        metavar="FILE",
        type=Path,
        help=f"{what}: the first line of a file; without it that of the environment's "
        f"{_TOKEN_VARIABLE}",
    )


def _add_inputs(option: Callable[..., argparse.Action]) -> None:
    option(
        "--snapshot",
        metavar="FILE",
        type=Path,
        help="what --data holds, as it stands in memory: opened in its place where no file of it "
        "is newer, else written once it is loaded",
    )
    option(
        "--keys",
        metavar="FILE",
        type=Path,
        help='accepted keys: a JSON list of {"sha256", '
        '"workspaceId", "plan", "permissions", "expiresAt"?, "limits"?}',
    )
    add_token_file_option(option, "accepts one more key, of a Business plan, with all permissions")
    option(
        "--token",
        help="the same as a word, which lists of processes (ps) show to all users of the machine "
        "as long as the server runs: better one of the above",
    )


def _add_place(option: Callable[..., argparse.Action]) -> None:
    option("--host", default=ServeOptions.host, help="name or address to listen on (%(default)s)")
    option(
        "--port",
        type=whole_number(65_535),
        default=ServeOptions.port,
        help="0 takes a free one (%(default)s)",
    )
    option("--certfile", metavar="FILE", type=Path, help="certificate chain in PEM")
    option("--keyfile", metavar="FILE", type=Path, help="its key in PEM, without a passphrase")
    option(
        "--behind-proxy",
        action="store_true",
        help="plain HTTP for a proxy on this machine "
        "that sends X-Forwarded-Proto: only on a loopback host",
    )


def _add_limits(option: Callable[..., argparse.Action]) -> None:
    def add(name: str, metavar: str, kind: Callable[[str], float], what: str) -> None:
        default = getattr(Limits, name, None) or getattr(ServeOptions, name)
        text = f"{what} ({default:,g})"
        option(
            f"--{name.replace('_', '-')}", metavar=metavar, type=kind, default=default, help=text
        )

    count = whole_number(_MOST, least=1)
    milliseconds = whole_number(1_000 * _DAY)
    add("deadline", "MS", milliseconds, "CPU time that a search may take, 0 for any")
    add("threads", "N", count, "threads that answer requests, at most two of them one key's")
    seconds = whole_number(_DAY, least=1)
    add("store_timeout", "SECONDS", seconds, "for a statement of the store, on all hosts")
    add("store_statements", "N", count, "statements of the store at a time")
    add("max_connections", "N", count, "connections at a time")
    add("max_connections_per_address", "N", count, "of them from one address; behind a proxy: any")
    add("handshake_timeout", "SECONDS", _seconds, "for a TLS handshake")
    add("head_timeout", "SECONDS", _seconds, "for a request's head")
    add("idle_timeout", "SECONDS", _seconds, "until a request begins")
    add("write_timeout", "SECONDS", _seconds, "to take an answer")


def _add_sharing(option: Callable[..., argparse.Action]) -> None:
    option(
        "--limits",
        metavar="URL",
        dest="storage",
        default=os.environ.get(_STORAGE_VARIABLE),
        help="counts the requests of keys in Redis, with all servers that do: redis://, "
        "rediss://, unix://, redis+cluster:// or redis+sentinel://; without it that of the "
        f"environment's {_STORAGE_VARIABLE}, which others don't see",
    )
    option(
        "--limits-on-error",
        dest="on_error",
        choices=("local", "refuse", "allow"),
        default=ServeOptions.on_error,
        help="while Redis fails: local counts here, each server its share of a limit; refuse; "
        "allow (%(default)s)",
    )
    option(
        "--limits-nodes",
        metavar="N",
        dest="nodes",
        type=whole_number(_MOST, least=1),
        default=ServeOptions.nodes,
        help="servers that share the limits (%(default)s)",
    )


def _add_operation(option: Callable[..., argparse.Action]) -> None:
    option(
        "--cors",
        metavar="ORIGINS",
        type=_origins,
        default=ServeOptions.cors,
        help="whose pages may read answers in a browser, such as https://app.example, with a "
        "comma between several; * for all (none)",
    )
    option(
        "--log",
        dest="log_format",
        choices=("text", "json"),
        default=ServeOptions.log_format,
        help="text for people, or a JSON object a line (%(default)s)",
    )
    option(
        "--metrics",
        metavar="PORT",
        type=whole_number(65_535),
        help="shows Prometheus what is measured at http://127.0.0.1:PORT/metrics; 0 takes a free "
        "port (not at all)",
    )


def _origins(text: str) -> tuple[str, ...]:
    try:
        return tuple(parse_origins(text))
    except ApiError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if 0 < seconds <= _DAY:
        return seconds
    raise argparse.ArgumentTypeError(f"expected seconds, more than 0 and at most {_DAY}")


def _check_together(read: argparse.Namespace) -> None:
    if (read.certfile is None) != (read.keyfile is None):
        raise ValueError("--certfile and --keyfile: one without the other, give both or neither")
    if read.snapshot and not read.data:
        raise ValueError("--snapshot: of which records? give --data too")
    if read.store_ca and not read.store:
        raise ValueError("--store-ca: --store is missing")
    if read.behind_proxy and read.certfile:
        raise ValueError("--certfile: --behind-proxy serves plain HTTP, leave one of them out")
    if read.behind_proxy and not _is_loopback(read.host):
        expected = "a --host such as 127.0.0.1, ::1 or localhost"
        raise ValueError(f"--behind-proxy: plain HTTP to other machines, expected {expected}")


def _is_loopback(host: str) -> bool:
    """Whether a host is this machine, seen from itself only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_token(read: argparse.Namespace) -> str | None:
    """The token, from where one is given; the environment's is not left for other programs.

    Raises:
        ValueError: It cannot be sent, or there are two.
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
    """A token that a request can carry. It is never part of a message."""
    if bearer_token(f"Bearer {text}") == text:
        return text
    accepted = "one or more letters, digits and -._~+/="
    raise ValueError(f"{source}: cannot be sent as a bearer token, expected {accepted}")
