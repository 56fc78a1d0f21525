# SPDX-License-Identifier: MIT
"""The conditions of custom endpoints."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, TypeVar, Unpack, cast, overload
from uuid import UUID

from sluice._column import Collation
from sluice._declared.arguments import Texts, Words, declares, to_sequence
from sluice._declared.parameter import LARGEST, Parameter
from sluice._declared.single import ColumnType, Operator, number, single
from sluice._declared.values import Bounds
from sluice._sluice import Filter, MetadataQuery

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

_TEXT = {"type": "text"}


@declares
def filter(  # noqa: A001
    *,
    choices: Iterable[str] = (),
    type: Literal["text", "integer"] = "text",  # noqa: A002
    collation: Collation = "exact",
    default: str | Filter | Iterable[str] | Iterable[int] | None = None,
    required: bool = False,
    **words: Unpack[Words],
) -> Parameter[Filter]:
    """An advanced filter: a value, a list `a,b`, or all but `-a,b`.

    The value is a Filter, which is empty if the request has none.

    Args:
        choices: The accepted values; empty: any.
        type: The type of the column; integer filters accept whole numbers.
        collation: The comparison of texts; see Filter.matches().
        default: The value in requests without it: a filter's text, or a list of values.
        required: True if requests must have it.
        **words: Its names, column and words.
    """
    like = {"type": type, "collation": collation}
    options = {"choices": to_sequence(choices), "default": default, "required": required}
    return single("filter", like, words, options)


@declares
def texts(
    *,
    default: str | Sequence[str] | None = None,
    required: bool = False,
    **words: Unpack[Words],
) -> Parameter[tuple[str, ...]]:
    """A list of identifiers, separated by commas: selects rows whose text is any of them.

    The value is a tuple of str.

    Args:
        default: The value in requests without it: text with commas, or a list of texts.
        required: True if requests must have it.
        **words: Its names, column and words.
    """
    return single("list", _TEXT, words, {"default": default, "required": required})


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
    default: str | None = None,
    required: bool = False,
    prefix: str = "",
    **words: Unpack[Words],
) -> Parameter[Any]:
    """A text: selects rows with an equal text. An empty one counts as absent.

    Args:
        default: The value in requests without it.
        required: True if requests must have it.
        prefix: A required prefix, which isn't part of the value.
        **words: Its names, column and words.
    """
    options = {"default": default, "required": required, "prefix": prefix}
    return single("text", _TEXT, words, options)


@declares
def search(**words: Unpack[Texts]) -> Parameter[str | None]:
    """A search text; the endpoint defines which columns must contain it.

    Args:
        **words: Its names and words.
    """
    return single("search", None, words, {})


@overload
def choice(
    choices: type[E], *, default: E, required: bool = False, **words: Unpack[Words]
) -> Parameter[E]: ...
@overload
def choice(
    choices: type[E], *, required: Literal[True], **words: Unpack[Words]
) -> Parameter[E]: ...
@overload
def choice(choices: type[E], **words: Unpack[Words]) -> Parameter[E | None]: ...
@overload
def choice(choices: Sequence[str], *, default: str, **words: Unpack[Words]) -> Parameter[str]: ...
@overload
def choice(
    choices: Sequence[str], *, required: Literal[True], **words: Unpack[Words]
) -> Parameter[str]: ...
@overload
def choice(choices: Sequence[str], **words: Unpack[Words]) -> Parameter[str | None]: ...
@declares
def choice(
    choices: type[Enum] | Sequence[str],
    *,
    default: Enum | str | None = None,
    required: bool = False,
    **words: Unpack[Words],
) -> Parameter[Any]:
    """One of several values: selects rows with an equal text.

    Args:
        choices: The values, or an Enum with texts, whose members are then the attribute's values.
        default: The value in requests without it.
        required: True if requests must have it.
        **words: Its names, column and words.
    """
    is_enum = isinstance(choices, type) and issubclass(choices, Enum)
    names = (
        [member.value for member in cast(type[Enum], choices)] if is_enum else to_sequence(choices)
    )
    options = {"choices": names, "default": default, "required": required}
    if not is_enum:
        return single("choice", _TEXT, words, options)
    members = cast(Callable[[str], Enum], choices)
    return single("choice", _TEXT, words, options, lambda name: name and members(name))


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
        **words: Its names, column and words.
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
        operators: The accepted comparisons: `>=` is the parameter `name[gte]`. The value is then a
            Bounds.
        default: The value in requests without it.
        required: True if requests must have it.
        minimum: The smallest accepted number.
        maximum: The largest accepted number.
        **words: Its names, column and words.
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
        operators: The accepted comparisons: `>=` is the parameter `name[gte]`. The value is then a
            Bounds.
        default: The value in requests without it.
        required: True if requests must have it.
        **words: Its names, column and words.
    """
    return number("decimal", operators, words, {"default": default, "required": required})


@declares
def time(
    *, operators: Operator | Iterable[Operator], **words: Unpack[Words]
) -> Parameter[Bounds[datetime]]:
    """Comparisons with times, parsed in UTC; a day stands for its first or last millisecond.

    For a window of time see window(). The value is a Bounds of aware datetimes.

    Args:
        operators: The accepted comparisons, without `=`: `>=` is the parameter `name[gte]`.
        **words: Its names, column and words.
    """
    return number("time", operators, words, {})


@overload
def uuid(*, required: Literal[True], **words: Unpack[Words]) -> Parameter[UUID]: ...
@overload
def uuid(**words: Unpack[Words]) -> Parameter[UUID | None]: ...
@declares
def uuid(*, required: bool = False, **words: Unpack[Words]) -> Parameter[Any]:
    """A UUID in text form: selects rows with an equal text, in lower case.

    Args:
        required: True if requests must have it.
        **words: Its names, column and words.
    """
    return single("uuid", _TEXT, words, {"required": required})


@declares
def metadata(**words: Unpack[Words]) -> Parameter[MetadataQuery | None]:
    """A metadata expression on a JSON column, such as `metadata['plan']:'pro'`.

    Args:
        **words: Its names, column and words.
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
        type: The type of the column, as which the text is read.
        form: The name of the format in OpenAPI, such as `isbn`.
        required: True if requests must have it.
        **words: Its names, column and words.
    """
    options = {"parse": parse, "format": format, "form": form, "required": required}
    return single("custom", {"type": type}, words, options)
