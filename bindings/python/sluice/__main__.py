# SPDX-License-Identifier: MIT
"""The commands `python -m sluice serve` and `python -m sluice sample`.

Exit codes: 0 done, 1 not done, 2 wrong arguments, 130 interrupted.
"""

import argparse
import ipaddress
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from sluice import ApiError, __version__, write_sample
from sluice._progress import ProgressBar
from sluice._sluice import bearer_token

_EVENTS_WITHOUT_PROGRESS = 100_000


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command that the words give, and gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m sluice", description=main.__doc__)
    parser.description = "Serves events and tags over HTTPS, and makes sample data for it."
    parser.add_argument("--version", action="version", version=f"sluice {__version__}")
    commands = parser.add_subparsers(title="commands", required=True)
    _add_serve(commands.add_parser("serve", help="serve a folder of records over HTTPS"))
    _add_sample(commands.add_parser("sample", help="write a folder of made-up records"))
    options = parser.parse_args(words)
    try:
        code: int = options.run(options)
    except KeyboardInterrupt:
        return 130
    return code


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Serves GET /events and GET /tags over HTTPS until Ctrl-C or SIGTERM, and prints a line "
        "for each request. Without --certfile and --keyfile: with a certificate for localhost, "
        "made at the first start, kept in $XDG_STATE_HOME/sluice (~/.local/state/sluice)."
    )
    option = parser.add_argument
    option(
        "--data",
        metavar="FOLDER",
        type=Path,
        required=True,
        help="tags, customers, links, clicks, leads and sales, each a .ndjson file",
    )
    option("--host", default="127.0.0.1", help="name or address to listen on (%(default)s)")
    option("--port", type=_number(65_535), default=8443, help="0 takes a free one (%(default)s)")
    option("--certfile", metavar="FILE", type=Path, help="certificate chain in PEM")
    option("--keyfile", metavar="FILE", type=Path, help="its key in PEM, without a passphrase")
    option(
        "--behind-proxy",
        action="store_true",
        help="plain HTTP for a proxy on this machine "
        "that sends X-Forwarded-Proto: only on a loopback host",
    )
    option(
        "--keys",
        metavar="FILE",
        type=Path,
        help='accepted keys: a JSON list of {"sha256", '
        '"workspaceId", "plan", "permissions", "expiresAt"?, "limits"?}',
    )
    option(
        "--token",
        type=_token,
        help="accepts one more key, of a Business plan, with all permissions",
    )
    parser.set_defaults(run=_serve, refuse=parser.error)


def _add_sample(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Writes made-up but realistic data: tags, links, customers, clicks, leads and sales, "
        "each a file of JSON lines, which are replaced where they are there."
    )
    option = parser.add_argument
    option("folder", metavar="DIR", type=Path, help="made where it is missing")
    option(
        "--events",
        type=_number(2**63 - 1),
        default=20_000,
        metavar="N",
        help="clicks, leads and sales together (%(default)s)",
    )
    option(
        "--seed",
        type=_number(2**64 - 1),
        default=1,
        metavar="S",
        help="another seed makes other data (%(default)s)",
    )
    option(
        "--now",
        type=_aware_time,
        metavar="TIME",
        help="when the events end, such as "
        "2026-08-21T02:30:15Z (now); the same N, S and TIME give the same files",
    )
    parser.set_defaults(run=_sample)


def _number(most: int) -> Callable[[str], int]:
    """Reads a whole number from 0 to `most`."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 to {most}")

    return read


def _aware_time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = datetime.min
    if moment.tzinfo is None:
        raise argparse.ArgumentTypeError("expected a time such as 2026-08-21T02:30:15Z")
    return moment


def _token(text: str) -> str:
    """A token that a request can carry. It is never part of a message."""
    if bearer_token(f"Bearer {text}") != text:
        accepted = "one or more letters, digits and -._~+/="
        raise argparse.ArgumentTypeError(f"cannot be sent as a bearer token, expected {accepted}")
    return text


def _is_loopback(host: str) -> bool:
    """Whether a host is this machine, seen from itself only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check_together(options: argparse.Namespace) -> str | None:
    """What is wrong with the options of `serve` together."""
    if (options.certfile is None) != (options.keyfile is None):
        return "--certfile and --keyfile: one without the other, give both or neither"
    if options.behind_proxy and options.certfile:
        return "--certfile: --behind-proxy serves plain HTTP, leave one of them out"
    if options.behind_proxy and not _is_loopback(options.host):
        expected = "a --host such as 127.0.0.1, ::1 or localhost"
        return f"--behind-proxy: plain HTTP to other machines, expected {expected}"
    return None


def _serve(options: argparse.Namespace) -> int:
    problem = _check_together(options)
    if problem:
        options.refuse(problem)
    try:
        from sluice._serve import ServeOptions, StartError, serve
    except ModuleNotFoundError as error:
        if error.name != "uvicorn":
            raise
        print("serve: needs uvicorn: pip install 'sluice[serve]'", file=sys.stderr)
        return 1
    names = ServeOptions.__dataclass_fields__
    try:
        serve(ServeOptions(**{name: getattr(options, name) for name in names}))
    except StartError as error:
        print(f"serve: {error}", file=sys.stderr)
        return 1
    return 0


def _sample(options: argparse.Namespace) -> int:
    now = options.now or datetime.now(UTC)
    try:
        with ProgressBar(worth_from=_EVENTS_WITHOUT_PROGRESS) as bar:
            written = write_sample(options.folder, options.events, options.seed, now, bar.update)
    except ApiError as error:
        print(f"sample: {options.folder}: {error}", file=sys.stderr)
        return 1 if error.rule == "file_unwritable" else 2
    print(f"{options.folder}:")
    for kind in ("clicks", "leads", "sales", "links", "tags", "customers"):
        print(f"  {written[kind]} {kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
