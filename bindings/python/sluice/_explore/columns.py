# SPDX-License-Identifier: MIT
"""The columns of a file, and the endpoint built from them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import new_class
from typing import Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

import sluice
from sluice._explore.normal import without_nan
from sluice._sluice import _GRAMMARS

Kind: TypeAlias = Literal["text", "texts", "integer", "decimal", "real", "date", "time", "boolean"]

_LISTS = frozenset(("page", "limit", "cursor", "count", "sort"))
_WINDOW = frozenset(("interval", "start", "end", "timezone"))
_RESERVED = _LISTS | _WINDOW | {"search", *_GRAMMARS} | set(dir(sluice.ListQuery))
_MOST_PARAMETERS = 200  # beyond them there are no conditions in grammars: a table has 256
_NO_KEY = "row_number"  # the key of a file without a unique column

# The declaration of each kind's parameter, without its column.
_ARGUMENTS: dict[Kind, dict[str, Any]] = {
    "text": {"type": "filter"},
    "texts": {"type": "filter"},
    "integer": {"type": "integer", "operators": ["=", ">=", "<="]},
    "decimal": {"type": "decimal", "operators": ["=", ">=", "<="]},
    "real": {"type": "real", "operators": ["=", ">=", "<="]},
    "date": {"type": "date", "operators": ["=", ">=", "<="]},
    "time": {"type": "time", "operators": [">=", "<="]},
    "boolean": {"type": "boolean"},
}


@dataclass(frozen=True)
class FileColumn:
    """A column of a file: its name there, its name in parameters and rows, and its kind."""

    name: str
    parameter: str
    kind: Kind | None  # None: queries can't compare it
    is_nullable: bool = False
    problem: str = ""  # why there is no kind

    def to_column(self) -> sluice.Column:
        """Returns the column for queries."""
        is_list = self.kind == "texts"
        type_ = "text" if self.kind is None or is_list else self.kind
        return sluice.Column(self.name, type_, is_list=is_list, is_nullable=self.is_nullable)  # type: ignore[arg-type]


def columns_of(table: pa.Table) -> list[FileColumn]:
    """Returns the columns of a table in order, each with a parameter name of its own."""
    taken = {name for name in table.column_names if _is_valid(name)}
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        parameter = name if name in taken else _valid_name(name, taken)
        taken.add(parameter)
        kind = _kind(column.type)
        problem = "" if kind else _problem(column.type)
        is_nullable = without_nan(column).null_count > 0
        columns.append(FileColumn(name, parameter, kind, is_nullable, problem))
    return columns


def _is_valid(name: str) -> bool:
    """Returns true if a name can be a path segment, a parameter and an attribute."""
    is_word = re.fullmatch(r"[^\W\d]\w*", name) and not name.startswith("__")
    return bool(is_word) and name not in _RESERVED


def _valid_name(name: str, taken: set[str]) -> str:
    """Returns the closest valid name that isn't taken."""
    valid = re.sub(r"\W", "_", name)
    if not valid or valid[0].isdigit() or valid.startswith("__"):
        valid = f"column_{valid.strip('_')}"
    while valid in taken or valid in _RESERVED:
        valid += "_"
    return valid


def _kind(type_: pa.DataType) -> Kind | None:
    """Returns the kind of a type; None if queries can't compare it exactly."""
    types = pa.types
    if types.is_string(type_) or types.is_large_string(type_):
        return "text"
    if types.is_boolean(type_):
        return "boolean"
    if types.is_integer(type_):
        return "integer" if type_ != pa.uint64() else None
    if types.is_decimal(type_):
        return "decimal"
    if types.is_float32(type_) or types.is_float64(type_):
        return "real"
    if types.is_date(type_):
        return "date"
    if types.is_timestamp(type_):
        return "time"
    if (types.is_list(type_) or types.is_large_list(type_)) and _kind(type_.value_type) == "text":
        return "texts"
    return None


def _problem(type_: pa.DataType) -> str:
    """Returns why queries can't compare a type, and an alternative if there is one."""
    types = pa.types
    if type_ == pa.uint64():
        return f"{type_} is beyond the integers that are compared, write it as decimal"
    if types.is_nested(type_):
        return "values within values (struct, map, list) aren't compared, write them as columns"
    return f"values of {type_} aren't compared"


def window_of(columns: list[FileColumn]) -> FileColumn | None:
    """Returns the column of the window: the first of times, preferably one without nulls."""
    times = [column for column in columns if column.kind == "time"]
    return min(times, key=lambda column: column.is_nullable, default=None)


def key_of(columns: list[FileColumn], table: pa.Table) -> str:
    """Returns a column with unique values, preferably `id`; else a name for the row's number."""
    candidates = [column for column in columns if column.kind in ("text", "integer")]
    for column in sorted(candidates, key=lambda column: column.name != "id"):
        values = table[column.parameter]
        if pc.count_distinct(values).as_py() == len(values):  # missing values are not counted
            return column.name
    return _NO_KEY


def parameters_of(columns: list[FileColumn]) -> dict[str, dict[str, Any]]:
    """Returns the arguments of defineParams() in TypeScript, which equal those of Python."""
    window = window_of(columns)
    parameters = dict(_conditions(columns, window))
    if len(parameters) <= _MOST_PARAMETERS:
        parameters |= dict(_expressions(columns))
    sorted_by = [column.parameter for column in columns if column.kind not in (None, "texts")]
    if sorted_by:
        default = {"default": f"-{window.parameter}"} if window else {}
        parameters["sort"] = {"type": "sort", "by": sorted_by, **default}
    return {**parameters, "page": {"type": "page", "default": 100, "maximum": 1_000}}


def _conditions(
    columns: list[FileColumn], window: FileColumn | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the parameters of each column that can be compared, and their arguments."""
    for column in columns:
        if column is window:
            yield column.parameter, {"type": "window", "column": column.name, "default": "all"}
        elif column.kind:
            yield column.parameter, {**_ARGUMENTS[column.kind], "column": column.name}
        if column.kind in ("text", "texts"):
            yield f"{column.parameter}[contains]", {"type": "contains", "column": column.name}
        if column.kind and column.is_nullable and column is not window:
            yield f"{column.parameter}[null]", {"type": "isNull", "column": column.name}


def _expressions(columns: list[FileColumn]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the parameters of whole conditions, one for each grammar, and their arguments."""
    aliases = {column.parameter: column.name for column in columns if column.kind}
    if aliases:
        for grammar in _GRAMMARS:
            common: dict[str, Any] = {"type": "expression", "grammar": grammar, "columns": []}
            yield grammar, {**common, "aliases": aliases}


def schema_of(columns: list[FileColumn]) -> list[dict[str, Any]]:
    """Returns the columns of parameters, in the form of defineParams()."""
    schema = [column.to_column() for column in columns if column.kind]
    return [
        {
            "name": column.name,
            "type": column.type,
            "isList": column.is_list,
            "isNullable": column.is_nullable,
        }
        for column in schema
    ]


def endpoint_of(columns: list[FileColumn], key: str) -> type[sluice.ListQuery]:
    """Creates the class that parses queries of a file."""
    by_name = {column.name: column.to_column() for column in columns}
    members = {
        name: _parameter(arguments, by_name.get(arguments.get("column", "")))
        for name, arguments in parameters_of(columns).items()
    }
    return new_class("File", (sluice.ListQuery,), {"key": key}, lambda body: body.update(members))


def _parameter(arguments: dict[str, Any], column: sluice.Column | None) -> Any:  # noqa: ANN401
    """Creates a parameter from arguments of parameters_of(); `column` is its column, if any."""
    match arguments["type"]:
        case "page":
            return sluice.page(default=arguments["default"], maximum=arguments["maximum"])
        case "sort":
            return sluice.sort(*arguments["by"], default=arguments.get("default", ""))
        case "window":
            return sluice.window(column=arguments["column"], default=arguments["default"])
        case "isNull":
            return sluice.is_null(column=column)
        case "expression":
            return sluice.expression(
                arguments["grammar"], columns=arguments["columns"], aliases=arguments["aliases"]
            )
        case "filter" | "boolean" | "contains" as kind:
            return getattr(sluice, kind)(column=column)
        case kind:
            return getattr(sluice, kind)(column=column, operators=arguments["operators"])
