# SPDX-License-Identifier: MIT
"""The options of the command `explore`."""

import argparse
from dataclasses import dataclass, field, fields
from pathlib import Path

from sluice._explore.place import Place
from sluice._options import add_data_option, add_token_file_option, read_token, whole_number


@dataclass(frozen=True)
class ExploreOptions:
    """The data source, and the location of the page."""

    data: Path | None = None
    parquet: Path | None = None
    url: Place | None = None
    token: str | None = field(default=None, repr=False)
    cafile: Path | None = None
    port: int = 8090
    page: Path | None = None


def add_explore_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of read_explore_options()."""
    source = parser.add_mutually_exclusive_group(required=True)
    add_data_option(source.add_argument)
    source.add_argument(
        "--parquet", metavar="FILE", type=Path, help="a Parquet file, which is read into memory"
    )
    source.add_argument(
        "--url", type=_place, help="a service's list of events, such as https://api.example/events"
    )
    option = parser.add_argument
    add_token_file_option(option, "the key for --url")
    option("--token", help="the key itself; visible in ps, prefer --token-file")
    option(
        "--cafile",
        metavar="FILE",
        type=Path,
        help="CA bundle for --url, PEM (default: system)",
    )
    option(
        "--port",
        type=whole_number(65_535),
        default=ExploreOptions.port,
        help="port on 127.0.0.1; 0: a free one (%(default)s)",
    )
    option("--page", metavar="DIR", type=Path, help="folder of the page (default: the package's)")


def read_explore_options(read: argparse.Namespace) -> ExploreOptions:
    """Returns the options.

    Raises:
        ValueError: They contradict each other, or the token is invalid.
    """
    for name in ("token", "token_file", "cafile"):
        if getattr(read, name) is not None and read.url is None:
            raise ValueError(f"--{name.replace('_', '-')}: --url is missing")
    token = read_token(read) if read.url is not None else None
    names = {option.name for option in fields(ExploreOptions)} - {"token"}
    return ExploreOptions(**{name: getattr(read, name) for name in names}, token=token)


def _place(text: str) -> Place:
    try:
        return Place.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
