# SPDX-License-Identifier: MIT
"""The conditions of custom endpoints."""

import builtins
import datetime
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, TypeAlias, TypeVar, Unpack, overload
from uuid import UUID

from sluice._column import Collation, Column
from sluice._declared.arguments import (
    Exclusion,
    ListForm,
    SearchForm,
    Texts,
    Words,
    declares,
    to_sequence,
)
from sluice._declared.parameter import LARGEST, Parameter
from sluice._declared.single import ColumnType, Operator, Search, number, single
from sluice._declared.values import Bounds
from sluice._sluice import Filter, MetadataQuery

T = TypeVar("T")
E = TypeVar("E", bound=Enum)
_ChoiceType: TypeAlias = Literal["text", "choice"]

_TEXT = {"type": "text"}


def _column_of(type: str, choices: object) -> dict[str, Any]:  # noqa: A002
    """Returns the arguments of a column, one of choices with them."""
    return {"type": type} | ({"choices": choices} if type == "choice" else {})


@declares
def filter(  # noqa: A001
    *,
    choices: Iterable[str] | Iterable[Enum] = (),
    type: Literal["text", "integer", "date", "uuid", "choice"] = "text",  # noqa: A002
    collation: Collation = "exact",
    default: str | Filter | Iterable[str | int | Enum | datetime.date | UUID] | None = None,
    required: bool = False,
    lists: ListForm = "commas",
    exclusion: Exclusion = "dash",
    **words: Unpack[Words],
) -> Parameter[Filter]:
    """An advanced filter: a value, a list `a,b`, or all but `-a,b`.

    The value is a Filter, which is empty if the request has none.

    Args:
        choices: The accepted values, texts or members of an Enum, such as all of it; empty: any.
        type: The type of the column; filters of integers, dates and UUIDs accept these alone, and a
            column of choices has those of the filter, in their order.
        collation: The comparison of texts; see Filter.matches().
        default: The value in requests without it: a filter's text, or a list of values.
        required: True if requests must have it.
        lists: The form of several values: `a,b`, also repeated; or repeated only, where a comma is
            part of the value.
        exclusion: What excludes values: a leading dash; nothing; or the parameter itself, which
            selects rows without its values, as `status!=a` of `name="status!"` does.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    names = to_sequence(choices)
    column_arguments = _column_of(type, names) | {"collation": collation}
    forms = {"lists": lists, "exclusion": exclusion}
    options = {"choices": names, "default": default, "required": required, **forms}
    return single("filter", column_arguments, words, options)


@declares
def texts(
    *,
    default: str | Sequence[str] | None = None,
    required: bool = False,
    lists: ListForm = "commas",
    exclusion: Literal["never", "always"] = "never",
    **words: Unpack[Words],
) -> Parameter[tuple[str, ...]]:
    """A list of identifiers, separated by commas: selects rows whose text is any of them.

    The value is a tuple of str.

    Args:
        default: The value in requests without it: text with commas, or a list of texts.
        required: True if requests must have it.
        lists: The form of several values, as for filter().
        exclusion: 'always' selects rows whose text is none of the items.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    options = {"default": default, "required": required, "lists": lists, "exclusion": exclusion}
    return single("list", _TEXT, words, options)


@overload
def text(
    *, operators: Operator | Iterable[Operator], **words: Unpack[Words]
) -> Parameter[Bounds[str]]: ...
@overload
def text(
    *, required: Literal[True], prefix: str = "", **words: Unpack[Words]
) -> Parameter[str]: ...
@overload
def text(*, default: str, prefix: str = "", **words: Unpack[Words]) -> Parameter[str]: ...
@overload
def text(*, prefix: str = "", **words: Unpack[Words]) -> Parameter[str | None]: ...
@declares
def text(
    *,
    operators: Operator | Iterable[Operator] | None = None,
    default: str | None = None,
    required: bool = False,
    prefix: str = "",
    **words: Unpack[Words],
) -> Parameter[Any]:
    """A text: selects rows with an equal text, or by comparison. An empty one counts as absent.

    Args:
        operators: The accepted comparisons of bytes: `>=` is the parameter `name[gte]`, or as a
            mapping names it. The value is then a Bounds.
        default: The value in requests without it.
        required: True if requests must have it.
        prefix: A required prefix, which isn't part of the value.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    options = {"default": default, "required": required, "prefix": prefix}
    return number("text", operators, words, options)


@declares
def contains(**words: Unpack[Words]) -> Parameter[str | None]:
    """A part of a text: selects rows whose text, or any text of a list, contains it.

    No character is a wildcard. An empty one counts as absent.

    Args:
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    return single("contains", _TEXT, words, {})


@declares
def starts_with(**words: Unpack[Words]) -> Parameter[str | None]:
    """Like contains(), for the beginning of a text.

    Args:
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    return single("starts_with", _TEXT, words, {})


@declares
def ends_with(**words: Unpack[Words]) -> Parameter[str | None]:
    """Like contains(), for the end of a text.

    Args:
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    return single("ends_with", _TEXT, words, {})


@declares
def is_null(
    *, default: bool | None = None, required: bool = False, **words: Unpack[Words]
) -> Parameter[bool | None]:
    """`true` selects rows without a value in the column, `false` those with one.

    Args:
        default: The value in requests without it.
        required: True if requests must have it.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    options = {"default": default, "required": required}
    return single("is_null", {"type": "text", "is_nullable": True}, words, options)


@declares
def search(
    *columns: str | Column, form: SearchForm = "any", **words: Unpack[Texts]
) -> Parameter[str | None]:
    """A search text: selects rows that have any of its words in any of the columns.

    Without columns the endpoint defines what is searched.

    Args:
        columns: The columns, of texts.
        form: The words that rows have: any; all, each in any of the columns; or the whole text as a
            phrase.
        **words: `name`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    return Search("search", {**words, "words": form}, None, searched=columns)


# Only a column of type "choice" has the order of its choices, which comparisons need. @declares
# replaces `**words` in the docstring.
@overload
def choice(
    choices: type[E] | Sequence[E],
    *,
    operators: Operator | Iterable[Operator],
    type: Literal["choice"],
    **words: Unpack[Words],
) -> Parameter[Bounds[E]]: ...
@overload
def choice(
    choices: Sequence[str],
    *,
    operators: Operator | Iterable[Operator],
    type: Literal["choice"],
    **words: Unpack[Words],
) -> Parameter[Bounds[str]]: ...
@overload
def choice(
    choices: type[E] | Sequence[E],
    *,
    default: E,
    required: bool = False,
    type: _ChoiceType = ...,
    **words: Unpack[Words],
) -> Parameter[E]: ...
@overload
def choice(
    choices: type[E] | Sequence[E],
    *,
    required: Literal[True],
    type: _ChoiceType = ...,
    **words: Unpack[Words],
) -> Parameter[E]: ...
@overload
def choice(
    choices: type[E] | Sequence[E],
    *,
    type: _ChoiceType = ...,
    **words: Unpack[Words],
) -> Parameter[E | None]: ...
@overload
def choice(
    choices: Sequence[str],
    *,
    default: str,
    type: _ChoiceType = ...,
    **words: Unpack[Words],
) -> Parameter[str]: ...
@overload
def choice(
    choices: Sequence[str],
    *,
    required: Literal[True],
    type: _ChoiceType = ...,
    **words: Unpack[Words],
) -> Parameter[str]: ...
@overload
def choice(
    choices: Sequence[str],
    *,
    type: _ChoiceType = ...,
    **words: Unpack[Words],
) -> Parameter[str | None]: ...
@declares
def choice(
    choices: builtins.type[Enum] | Sequence[Enum] | Sequence[str],
    *,
    operators: Operator | Iterable[Operator] | None = None,
    default: Enum | str | None = None,
    required: bool = False,
    type: _ChoiceType = "text",  # noqa: A002
    **words: Unpack[Words],
) -> Parameter[Any]:
    """One of several values: selects rows with an equal text, or by comparison.

    Args:
        choices: The values, or an Enum with texts or some of its members, which are then the
            attribute's values.
        operators: The accepted comparisons, by the order of the choices: `>=` is the parameter
            `name[gte]`, or as a mapping names it. The value is then a Bounds.
        default: The value in requests without it.
        required: True if requests must have it.
        type: The type of the column: of texts, or of these choices in their order.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    names = to_sequence(choices)
    options = {"choices": names, "default": default, "required": required}
    column_arguments = _column_of(type, names)
    listed = choices if isinstance(choices, Iterable) else ()
    members = {str(member.value): member for member in listed if isinstance(member, Enum)}
    read = lambda name: members.get(name, name)  # noqa: E731
    return number("choice", operators, words, options, column_arguments, read)


@overload
def boolean(*, default: bool, **words: Unpack[Words]) -> Parameter[bool]: ...
@overload
def boolean(*, required: Literal[True], **words: Unpack[Words]) -> Parameter[bool]: ...
@overload
def boolean(**words: Unpack[Words]) -> Parameter[bool | None]: ...
@declares
def boolean(
    *, default: bool | None = None, required: bool = False, **words: Unpack[Words]
) -> Parameter[Any]:
    """`true` or `false`: selects rows whose column has this value.

    Args:
        default: The value in requests without it.
        required: True if requests must have it.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    options = {"default": default, "required": required}
    return single("boolean", {"type": "boolean"}, words, options)


@overload
def integer(
    *,
    operators: Operator | Iterable[Operator],
    minimum: int = ...,
    maximum: int = ...,
    **words: Unpack[Words],
) -> Parameter[Bounds[int]]: ...
@overload
def integer(
    *, default: int, minimum: int = ..., maximum: int = ..., **words: Unpack[Words]
) -> Parameter[int]: ...
@overload
def integer(
    *, required: Literal[True], minimum: int = ..., maximum: int = ..., **words: Unpack[Words]
) -> Parameter[int]: ...
@overload
def integer(
    *, minimum: int = ..., maximum: int = ..., **words: Unpack[Words]
) -> Parameter[int | None]: ...
@declares
def integer(
    *,
    operators: Operator | Iterable[Operator] | None = None,
    default: int | None = None,
    required: bool = False,
    minimum: int = -LARGEST - 1,
    maximum: int = LARGEST,
    **words: Unpack[Words],
) -> Parameter[Any]:
    """A whole number: selects rows with an equal number, or by comparison.

    Args:
        operators: The accepted comparisons: `>=` is the parameter `name[gte]`, or as a mapping
            names it. The value is then a Bounds.
        default: The value in requests without it.
        required: True if requests must have it.
        minimum: The smallest accepted number.
        maximum: The largest accepted number.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    options = {"default": default, "required": required, "minimum": minimum, "maximum": maximum}
    return number("integer", operators, words, options)


@overload
def decimal(
    *, operators: Operator | Iterable[Operator], **words: Unpack[Words]
) -> Parameter[Bounds[Decimal]]: ...
@overload
def decimal(*, default: Decimal | int, **words: Unpack[Words]) -> Parameter[Decimal]: ...
@overload
def decimal(*, required: Literal[True], **words: Unpack[Words]) -> Parameter[Decimal]: ...
@overload
def decimal(**words: Unpack[Words]) -> Parameter[Decimal | None]: ...
@declares
def decimal(
    *,
    operators: Operator | Iterable[Operator] | None = None,
    default: Decimal | int | None = None,
    required: bool = False,
    **words: Unpack[Words],
) -> Parameter[Any]:
    """A number of any length, compared exactly: selects rows by equality or by comparison.

    Args:
        operators: The accepted comparisons: `>=` is the parameter `name[gte]`, or as a mapping
            names it. The value is then a Bounds.
        default: The value in requests without it.
        required: True if requests must have it.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    return number("decimal", operators, words, {"default": default, "required": required})


@overload
def real(
    *, operators: Operator | Iterable[Operator], **words: Unpack[Words]
) -> Parameter[Bounds[float]]: ...
@overload
def real(*, default: float, **words: Unpack[Words]) -> Parameter[float]: ...
@overload
def real(*, required: Literal[True], **words: Unpack[Words]) -> Parameter[float]: ...
@overload
def real(**words: Unpack[Words]) -> Parameter[float | None]: ...
@declares
def real(
    *,
    operators: Operator | Iterable[Operator] | None = None,
    default: float | None = None,
    required: bool = False,
    **words: Unpack[Words],
) -> Parameter[Any]:
    """A number as a float: selects rows by equality or by comparison. For amounts see decimal().

    Args:
        operators: The accepted comparisons: `>=` is the parameter `name[gte]`, or as a mapping
            names it. The value is then a Bounds.
        default: The value in requests without it.
        required: True if requests must have it.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    return number("real", operators, words, {"default": default, "required": required})


@overload
def date(
    *, operators: Operator | Iterable[Operator], **words: Unpack[Words]
) -> Parameter[Bounds[datetime.date]]: ...
@overload
def date(*, default: datetime.date, **words: Unpack[Words]) -> Parameter[datetime.date]: ...
@overload
def date(*, required: Literal[True], **words: Unpack[Words]) -> Parameter[datetime.date]: ...
@overload
def date(**words: Unpack[Words]) -> Parameter[datetime.date | None]: ...
@declares
def date(
    *,
    operators: Operator | Iterable[Operator] | None = None,
    default: datetime.date | None = None,
    required: bool = False,
    **words: Unpack[Words],
) -> Parameter[Any]:
    """A day such as 2026-08-21, without a zone: selects rows by equality or by comparison.

    Args:
        operators: The accepted comparisons: `>=` is the parameter `name[gte]`, or as a mapping
            names it. The value is then a Bounds.
        default: The value in requests without it.
        required: True if requests must have it.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    return number("date", operators, words, {"default": default, "required": required})


@declares
def time(
    *, operators: Operator | Iterable[Operator], **words: Unpack[Words]
) -> Parameter[Bounds[datetime.datetime]]:
    """Comparisons with times, parsed in UTC; a day stands for its first or last millisecond.

    For a window of time see window(). The value is a Bounds of aware datetimes.

    Args:
        operators: The accepted comparisons, without `=`: `>=` is the parameter `name[gte]`, or as a
            mapping names it.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    return number("time", operators, words, {})


@overload
def uuid(
    *,
    required: Literal[True],
    type: Literal["text", "uuid"] = ...,
    **words: Unpack[Words],
) -> Parameter[UUID]: ...
@overload
def uuid(
    *,
    type: Literal["text", "uuid"] = ...,
    **words: Unpack[Words],
) -> Parameter[UUID | None]: ...
@declares
def uuid(
    *,
    required: bool = False,
    type: Literal["text", "uuid"] = "text",  # noqa: A002
    **words: Unpack[Words],
) -> Parameter[Any]:
    """A UUID in text form: selects rows with an equal one.

    Args:
        required: True if requests must have it.
        type: The type of the column: of texts in lower case, or of UUIDs.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    return single("uuid", {"type": type}, words, {"required": required})


@declares
def metadata(**words: Unpack[Words]) -> Parameter[MetadataQuery | None]:
    """A metadata expression on a JSON column, such as `metadata['plan']:'pro'`.

    Args:
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    return single("expression", {"type": "json"}, words, {})


@overload
def value(
    parse: Callable[[str], T],
    *,
    required: Literal[True],
    format: Callable[[T], str] = ...,
    type: ColumnType = ...,
    form: str = ...,
    **words: Unpack[Words],
) -> Parameter[T]: ...
@overload
def value(
    parse: Callable[[str], T],
    *,
    format: Callable[[T], str] = ...,
    type: ColumnType = ...,
    form: str = ...,
    **words: Unpack[Words],
) -> Parameter[T | None]: ...
@declares
def value(
    parse: Callable[[str], Any],
    *,
    format: Callable[[Any], str] = str,  # noqa: A002
    type: ColumnType = "text",  # noqa: A002
    form: str = "",
    required: bool = False,
    **words: Unpack[Words],
) -> Parameter[Any]:
    """A value of a custom type: selects rows with an equal value.

    Args:
        parse: Converts a text to a value, or raises ValueError: the error of a Rule for a specific
            message, any other for that of `accepts`.
        format: Converts a value to text that `parse` accepts; equal values must have equal texts.
        type: The type of the column; the text is read as a value of this type.
        form: The name of the format in OpenAPI, such as `isbn`.
        required: True if requests must have it.
        **words: `name`, `column`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    options = {"parse": parse, "format": format, "form": form, "required": required}
    return single("custom", {"type": type}, words, options)
