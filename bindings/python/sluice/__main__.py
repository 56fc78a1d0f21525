# SPDX-License-Identifier: MIT
"""The command `sluice`, which is also `python -m sluice`."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from sluice import ApiError, __version__
from sluice._explore.options import add_explore_options, read_explore_options
from sluice._options import (
    add_data_option,
    add_store_ca_option,
    add_store_option,
    whole_number,
)
from sluice._progress import progress_bar
from sluice._serve_options import add_serve_options, check_serve_options
from sluice._translate import add_translate_options, translate
from sluice.api import openapi_document, write_sample

_NOT_DONE, _INTERRUPTED = 1, 130  # exit codes; argparse exits with 2

# By optional package: what the command lacks without it, and the extra that installs it.
_EXTRAS = {
    "uvicorn": ("needs uvicorn", "serve"),
    "clickhouse_connect": ("--store needs clickhouse-connect", "clickhouse"),
    "pyarrow": ("--parquet needs pyarrow", "pyarrow"),
}


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command of the arguments, by default sys.argv's, and returns the exit code."""
    options = _make_parser().parse_args(words)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # the reader has ended; Python flushes once more at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _NOT_DONE
    return code


def _make_parser() -> argparse.ArgumentParser:
    """Returns the parser, which sets `run` to the function of the command."""
    parser = argparse.ArgumentParser(
        prog="sluice",
        description="Serves events and tags over HTTPS, makes sample data for it, documents it, "
        "shows a page for queries of rows, and translates conditions.",
        epilog="Exit codes: 0 done, 1 not done, 2 wrong arguments, 130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"sluice {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_serve(commands.add_parser("serve", help="serve a folder of records over HTTPS"))
    _add_load(commands.add_parser("load", help="load a folder of records into ClickHouse"))
    _add_sample(commands.add_parser("sample", help="write a folder of made-up records"))
    _add_openapi(commands.add_parser("openapi", help="print the OpenAPI document"))
    _add_explore(commands.add_parser("explore", help="show a page for queries of rows"))
    _add_translate(
        commands.add_parser("translate", help="translate a condition to a grammar or SQL")
    )
    _add_completion(commands.add_parser("completion", help="print a completion script"))
    return parser


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Serves events and other records over HTTPS until Ctrl-C or SIGTERM, and prints a line "
        "for each request: for development, and behind a proxy. Without --certfile and --keyfile: "
        "with a certificate for localhost, made at the first start, kept in $XDG_STATE_HOME/sluice "
        "(~/.local/state/sluice)."
    )
    add_serve_options(parser)
    parser.set_defaults(run=_serve, refuse=parser.error)


def _add_explore(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Serves a page, on this machine only, that runs the queries typed into it on the events of "
        "a folder or a service, or on a Parquet file, until Ctrl-C or SIGTERM."
    )
    add_explore_options(parser)
    parser.set_defaults(run=_explore, refuse=parser.error)


def _add_load(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Creates the tables of events and tags in ClickHouse if they are missing, and adds the "
        "records of a folder that they lack: an interrupted load continues, a repeated one adds "
        "nothing."
    )
    add_data_option(parser.add_argument, required=True)
    add_store_option(parser.add_argument, required=True)
    add_store_ca_option(parser.add_argument)
    parser.add_argument(
        "--cluster",
        metavar="NAME",
        help="cluster over whose shards the rows are spread; --store names all of its nodes",
    )
    parser.set_defaults(run=_load, refuse=parser.error)


def _add_sample(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Writes made-up but realistic data: tags, links, customers, clicks, leads and sales, "
        "each a file of JSON lines. Replaces files of these names."
    )
    option = parser.add_argument
    option("folder", metavar="DIR", type=Path, help="folder; created if it is missing")
    option(
        "--events",
        type=whole_number(2**63 - 1),
        default=20_000,
        metavar="N",
        help="clicks, leads and sales together (%(default)s)",
    )
    option(
        "--seed",
        type=whole_number(2**64 - 1),
        default=1,
        metavar="S",
        help="seed of the data (%(default)s)",
    )
    option(
        "--now",
        type=_aware_time,
        metavar="TIME",
        help="time of the last events, such as "
        "2026-08-21T02:30:15Z (now); the same N, S and TIME give the same files",
    )
    parser.set_defaults(run=_sample)


def _add_openapi(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints an OpenAPI 3.1 document: that of the server, as at /openapi.json, or of a list "
        "whose parameters a class declares."
    )
    option = parser.add_argument
    option("declared", metavar="MODULE:CLASS", nargs="?", help="such as shop.api:Orders")
    option("--url", default="/", help="address of the server (%(default)s)")
    option("--path", help="path of the list (the class's name in lower case, with dashes)")
    parser.set_defaults(run=_openapi, refuse=parser.error)


def _add_translate(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints a condition in the grammar of another guideline, or as SQL with its parameters. "
        "Errors show the place in TEXT, or name the condition that the other grammar lacks."
    )
    add_translate_options(parser)
    parser.set_defaults(run=translate)


def _add_completion(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints a script that completes commands, options and files in a shell. Put it into "
        "~/.local/share/bash-completion/completions/sluice for bash, _sluice in a folder of $fpath "
        "for zsh, and ~/.config/fish/completions/sluice.fish for fish."
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    parser.set_defaults(run=_completion)


def _aware_time(text: str) -> datetime:
    """Parses an ISO 8601 time with an offset from UTC, as the type of an option."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = datetime.min
    if moment.tzinfo is None:
        raise argparse.ArgumentTypeError("expected a time such as 2026-08-21T02:30:15Z")
    return moment


def _serve(read: argparse.Namespace) -> int:
    try:
        check_serve_options(read)
    except ValueError as error:
        read.refuse(str(error))
    try:
        from sluice._serve import StartError, serve

        serve(read)
    except ModuleNotFoundError as error:
        return _refuse_missing("serve", error)
    except StartError as error:
        print(f"serve: {error}", file=sys.stderr)
        return 1
    return 0


def _explore(read: argparse.Namespace) -> int:
    try:
        options = read_explore_options(read)
    except ValueError as error:
        read.refuse(str(error))
    try:
        from sluice._explore.command import StartError, explore

        explore(options)
    except ModuleNotFoundError as error:
        return _refuse_missing("explore", error)
    except StartError as error:
        print(f"explore: {error}", file=sys.stderr)
        return 1
    return 0


def _load(read: argparse.Namespace) -> int:
    try:
        from sluice._clickhouse import Place
        from sluice._load import LoadError, load
    except ModuleNotFoundError as error:
        return _refuse_missing("load", error)
    try:
        place = Place.parse(read.store, read.store_ca)
    except ValueError as error:
        read.refuse(f"--store: {error}")
    if len(place.hosts) > 1 and not read.cluster:
        read.refuse("--store: several hosts without --cluster, whose nodes they would be")
    try:
        load(read, place)
    except LoadError as error:
        print(f"load: {error}", file=sys.stderr)
        return 1
    return 0


def _refuse_missing(command: str, error: ModuleNotFoundError) -> int:
    """Prints the package that a command lacks; raises the error again if it has another cause."""
    if error.name not in _EXTRAS:
        raise error
    needs, extra = _EXTRAS[error.name]
    print(f"{command}: {needs}: pip install 'sluice[{extra}]'", file=sys.stderr)
    return 1


def _sample(options: argparse.Namespace) -> int:
    now = options.now or datetime.now(UTC)
    try:
        with progress_bar(" events") as report:
            written = write_sample(options.folder, options.events, options.seed, now, report)
    except ApiError as error:
        print(f"sample: {options.folder}: {error}", file=sys.stderr)
        return 1 if error.rule == "file_unwritable" else 2
    print(f"{options.folder}:")
    for kind in (
        *("clicks", "leads", "sales", "links"),
        *("domains", "folders", "tags", "customers"),
    ):
        print(f"  {written[kind]} {kind}")
    return 0


def _openapi(read: argparse.Namespace) -> int:
    if read.declared is None:
        if read.path is not None:
            read.refuse("--path: of a class's list, expected MODULE:CLASS before it")
        print(openapi_document(read.url))
        return 0
    if read.path is not None and not read.path.startswith("/"):
        read.refuse(f"--path: {read.path!r} is none, expected a path such as /orders")
    from sluice._openapi import DeclarationError, document_of, find_declared

    try:
        document = document_of(find_declared(read.declared), read.url, read.path)
    except DeclarationError as error:
        read.refuse(str(error))
    print(json.dumps(document, indent=2))
    return 0


def _completion(options: argparse.Namespace) -> int:
    from sluice._completion import completion_script

    print(completion_script(_make_parser(), options.shell))
    return 0


if __name__ == "__main__":
    sys.exit(main())
