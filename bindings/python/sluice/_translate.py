# SPDX-License-Identifier: MIT
"""The command `sluice translate`: conditions from one grammar to another, or to SQL."""

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping, Set
from typing import TYPE_CHECKING, Any

from sluice import ApiError, Column, ListQuery
from sluice._sluice import _COLUMN_TYPES, _DIALECTS, _GRAMMARS
from sluice.grammars import parse_expression, write_expression

if TYPE_CHECKING:
    from sluice._sluice import _Grammar

# The columns that a name without --column may be, the first that the text allows.
_GUESSES: tuple[Callable[[str], Column], ...] = (
    lambda name: Column(name, "decimal", is_nullable=True),
    lambda name: Column(name, "boolean", is_nullable=True),
    lambda name: Column(name, "time", is_nullable=True),
    lambda name: Column(name, "date", is_nullable=True),
    lambda name: Column(name, "uuid", is_nullable=True),
    lambda name: Column(name, is_nullable=True),
    lambda name: Column(name, is_list=True),
)


def add_translate_options(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("--from", dest="source", choices=_GRAMMARS, required=True, help="grammar of TEXT")
    option(
        "--to", choices=(*_GRAMMARS, *_DIALECTS), required=True, help="grammar, or dialect of SQL"
    )
    option(
        "--column",
        action="append",
        default=[],
        type=_column,
        metavar="NAME:TYPE",
        help="column and its type, such as total:decimal or tags:text[]; "
        "several are allowed (default: guessed from TEXT)",
    )
    option(
        "text",
        type=_text,
        metavar="TEXT",
        help="condition, such as \"total gt 5 and city eq 'Oslo'\"",
    )


def translate(options: argparse.Namespace) -> int:
    """Runs the command, and returns its exit code."""
    known = {column.name: column for column in options.column}
    try:
        columns = list(_with_guesses(options.source, options.text, known).values())
        tree = parse_expression(options.source, options.text, columns)
        print(_written(options.to, tree, columns))
    except ApiError as error:
        print(f"translate: {error}", *getattr(error, "__notes__", ()), sep="\n", file=sys.stderr)
        return 1
    return 0


def _text(text: str) -> str:
    """Refuses a text that isn't UTF-8, as the type of an option."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("expected UTF-8") from None
    return text


def _column(text: str) -> Column:
    """Parses `name:type`, as the type of an option."""
    name, _, kind = text.rpartition(":")
    is_list = kind.endswith("[]")
    of: Any = kind.removesuffix("[]")
    types = [known for known in _COLUMN_TYPES if known not in ("choice", "records")]
    if not name or of not in types:
        raise argparse.ArgumentTypeError(f"expected NAME:TYPE, of {', '.join(types)}")
    try:
        return Column(name, of, is_list=is_list, is_nullable=not is_list)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _written(to: str, tree: Mapping[str, Any], columns: list[Column]) -> str:
    for grammar in _GRAMMARS:
        if grammar == to:
            return write_expression(grammar, tree, columns)
    query = ListQuery.from_tree(tree, columns)
    dialect = next(dialect for dialect in _DIALECTS if dialect == to)
    text, parameters = query.to_sql(dialect, "rows", form="condition")
    return f"{text}\n-- parameters: {json.dumps(parameters, default=str, ensure_ascii=False)}"


def _with_guesses(
    grammar: "_Grammar", text: str, known: Mapping[str, Column]
) -> Mapping[str, Column]:
    """Returns columns with which a text reads: those of --column, and others of its names.

    A reading ends at the first error. A name that is unknown there becomes a column; at any other
    error, the name before gets the first type with which the text reads on.
    """
    columns = dict(known)
    while error := _error(grammar, text, columns):
        if error.rule == "column_unknown":
            place = text.encode()[error.offset : error.offset + error.length].decode()
            name = _name(grammar, place)
            if not name or name in columns:
                break
            columns[name] = _GUESSES[0](name)
        elif not _retype(grammar, text, columns, columns.keys() - known.keys(), error.offset):
            break
    return columns


def _retype(
    grammar: "_Grammar", text: str, columns: dict[str, Column], guessed: Set[str], offset: int
) -> bool:
    """Gives a name another type, if the text then reads beyond an offset."""
    for name in reversed([name for name in columns if name in guessed]):
        before = columns[name]
        for guess in _GUESSES:
            columns[name] = guess(name)
            error = _error(grammar, text, columns)
            if error is None or error.offset > offset:
                return True
        columns[name] = before
    return False


def _error(grammar: "_Grammar", text: str, columns: Mapping[str, Column]) -> ApiError | None:
    """Returns why a text doesn't read."""
    try:
        parse_expression(grammar, text, columns.values())
    except ApiError as error:
        return error
    return None


def _name(grammar: "_Grammar", spelled: str) -> str:
    """Returns the name of a column that an expression spells."""
    if grammar == "cql2-json":
        property_ = re.search(r'"property"\s*:\s*"([^"\\]*)"', spelled)
        return property_[1] if property_ else ""
    if grammar == "scim":
        return spelled.rpartition(":")[2]
    if grammar == "odata":
        spelled = re.sub(r"/(any|all)$", "", spelled).removeprefix("$it/")
    return spelled.strip('"').replace("/", ".")
