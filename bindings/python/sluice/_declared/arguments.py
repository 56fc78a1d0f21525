# SPDX-License-Identifier: MIT
"""Arguments of the functions that declare parameters, and their validation."""

import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from functools import wraps
from types import FunctionType
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, TypeVar, get_args, get_type_hints
from uuid import UUID

from sluice._column import Column
from sluice._sluice import Filter

F = TypeVar("F", bound=Callable[..., Any])

NameStyle: TypeAlias = Literal["brackets", "underscores", "dots", "words"]
ListForm: TypeAlias = Literal["commas", "repeated"]
Exclusion: TypeAlias = Literal["dash", "never", "always"]
SortForm: TypeAlias = Literal["dash", "space", "colon", "dot"]
SearchForm: TypeAlias = Literal["any", "all", "phrase"]


class Texts(TypedDict, total=False):
    """Arguments of all single parameters; see WORDS."""

    name: str
    help: str
    accepts: str
    deprecated: bool


class Words(Texts, total=False):
    """Arguments of all single parameters with a column; see WORDS."""

    column: str | Column | None


class _Word(NamedTuple):
    """The default of an argument and its line in docstrings."""

    default: object
    doc: str


WORDS: Mapping[str, _Word] = {
    "name": _Word("", "The name in query strings; by default that of the attribute."),
    "column": _Word(
        "",
        "The column that it is compared with; by default that of the attribute's name; None if "
        "it is no condition.",
    ),
    "help": _Word("", "One line of help."),
    "accepts": _Word("", "The accepted values, for messages: `expected ...`."),
    "deprecated": _Word(False, "True if it is kept only for old clients."),
}
# Names of arguments in other libraries, by which unknown() suggests ours.
_SYNONYMS: Mapping[str, str] = {
    "alias": "name",
    "description": "help",
    "doc": "help",
    "enum": "choices",
    "ge": "minimum",
    "le": "maximum",
    "max": "maximum",
    "min": "minimum",
    "optional": "required",
    "values": "choices",
}


class _Accepted(NamedTuple):
    """The accepted values of an argument: a test, and words for messages."""

    test: Callable[[Any], bool]
    words: str


def _is_a(*types: type) -> Callable[[object], bool]:
    """Returns a test for types; unlike for isinstance(), a bool isn't an int."""
    return lambda value: isinstance(value, types) and (bool in types or not isinstance(value, bool))


def _are_texts(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and _all_texts(value)


def _all_texts(value: Iterable[object]) -> bool:
    return all(isinstance(item, str) for item in value)


def _is_filter_default(value: object) -> bool:
    """Returns true for a filter, its text, or a list of values."""
    if isinstance(value, list | tuple | set | frozenset):
        return all(_is_a(str, int, Enum, date, UUID)(item) for item in value)
    return isinstance(value, str | Filter)


def _is_list_default(value: object) -> bool:
    """Returns true for a text, or a list of texts, which can't contain the separator."""
    if isinstance(value, list | tuple):
        return all(isinstance(item, str) and "," not in item for item in value)
    return isinstance(value, str)


def _one_of(alias: object) -> _Accepted:
    """Returns what a Literal accepts."""
    texts = get_args(alias)
    return _Accepted(lambda value: value in texts, f"one of {', '.join(texts)}")


_TEXT = _Accepted(_is_a(str), "a text")
_FLAG = _Accepted(_is_a(bool), "True or False")
_INT = _Accepted(_is_a(int), "an int")
_FUNCTION = _Accepted(callable, "a function")
_NAME = _Accepted(
    lambda value: value is None or (isinstance(value, str) and value != ""),
    "a parameter's name or None",
)
_ARGUMENTS: Mapping[str, _Accepted] = {
    "name": _TEXT,
    "column": _Accepted(_is_a(str, Column, type(None)), "a column's name, a Column or None"),
    "help": _TEXT,
    "accepts": _TEXT,
    "prefix": _TEXT,
    "direction": _TEXT,
    "names": _one_of(NameStyle),
    "lists": _one_of(ListForm),
    "exclusion": _one_of(Exclusion),
    "sorts": _one_of(SortForm),
    "words": _one_of(SearchForm),
    "ignore_empty": _FLAG,
    "form": _TEXT,
    "required": _FLAG,
    "deprecated": _FLAG,
    "minimum": _INT,
    "maximum": _INT,
    **dict.fromkeys(("page", "offset", "limit", "cursor", "count"), _NAME),
    **dict.fromkeys(("interval", "start", "end", "timezone"), _NAME),
    "parse": _FUNCTION,
    "format": _FUNCTION,
    "choices": _Accepted(_are_texts, "a list of texts, such as ['open', 'paid']"),
}
_ARGUMENT_NAMES = {"sorts": "form", "words": "form"}  # those of functions, if they differ
_DEFAULT_VALUES: Mapping[str, _Accepted] = {
    "filter": _Accepted(_is_filter_default, "a filter's text, a Filter or a list of values"),
    "list": _Accepted(_is_list_default, "text, or a list of texts without commas"),
    "text": _TEXT,
    "choice": _Accepted(_is_a(str, Enum), "one of the choices"),
    "date": _Accepted(lambda value: type(value) is date, "a date"),
    "real": _Accepted(_is_a(float, int), "a float or an int"),
    "is_null": _FLAG,
    "boolean": _FLAG,
    "integer": _INT,
    "decimal": _Accepted(_is_a(Decimal, int), "a Decimal or an int"),
    "sort": _TEXT,
    "window": _TEXT,
    "page": _INT,
}


def problems_in(kind: str, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yields the problems of the arguments of a parameter of a kind."""
    for name, value in arguments.items():
        accepted = _ARGUMENTS.get(name)
        if name == "default" and value is not None:
            accepted = _DEFAULT_VALUES[kind]
        if accepted and not accepted.test(value):
            yield f"{_ARGUMENT_NAMES.get(name, name)}: expected {accepted.words}, not {value!r}"


def to_sequence(values: object) -> object:
    """Returns the items of an iterable as a tuple, members of an Enum as their values.

    Texts and other values are unchanged.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        return values
    return tuple(item.value if isinstance(item, Enum) else item for item in values)


_DECLARING: set[object] = set()  # all functions with @declares


def is_declaring(member: object) -> bool:
    """Returns true for a function such as sluice.filter itself: a class must call it."""
    return isinstance(member, FunctionType) and member in _DECLARING


def declares(function: F) -> F:
    """Makes a declaring function suggest names for unknown arguments.

    In its signature and docstring, `**words` is replaced by the arguments that it stands for.
    """
    signature = inspect.signature(function)
    words = _words_of(function)
    known = [parameter for parameter in signature.parameters.values() if parameter.name != "words"]
    signature = signature.replace(parameters=[*known, *words])
    names = list(signature.parameters)
    by_place = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}
    takes_values = any(parameter.kind in by_place for parameter in known)

    @wraps(function)
    def declare(*values: Any, **arguments: Any) -> Any:  # noqa: ANN401 (as the function)
        if values and not takes_values:
            named = f"expected its name: {', '.join(names)}"
            raise TypeError(f"{function.__name__}(): an argument without a name, {named}")
        for argument in arguments:
            if argument not in names:
                raise TypeError(unknown(f"{function.__name__}()", argument, names))
        return function(*values, **arguments)

    _DECLARING.add(declare)
    declare.__signature__ = signature  # type: ignore[attr-defined]
    declare.__doc__ = _with_words(function.__doc__ or "", [word.name for word in words])
    return declare  # type: ignore[return-value]


def _words_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Returns the parameters that `**words` stands for, in the order of WORDS."""
    unpacked = get_args(get_type_hints(function).get("words"))
    types = get_type_hints(unpacked[0]) if unpacked else {}
    only = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(name, only, default=word.default, annotation=types[name])
        for name, word in WORDS.items()
        if name in types
    ]


def unknown(what: str, argument: str, names: Sequence[str]) -> str:
    """Returns the message for an unknown argument of a function or class."""
    synonym = _SYNONYMS.get(argument)
    near = [synonym] if synonym in names else difflib.get_close_matches(argument, names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(names)}"
    return f"{what}: no argument {argument!r}, {hint}"


def _with_words(doc: str, names: Sequence[str]) -> str:
    """Replaces the line of `**words` in a docstring by a line for each word."""
    before, mark, _ = doc.partition("**words:")
    if not mark:
        return doc
    indent = before[before.rindex("\n") + 1 :]
    lines = [f"{name}: {WORDS[name].doc}" for name in names]
    return before + f"\n{indent}".join(lines) + "\n" + indent[4:]
