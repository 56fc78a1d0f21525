# SPDX-License-Identifier: MIT
"""Pydantic support of values with a text form. Imported on demand."""

from collections.abc import Callable
from typing import Any, Protocol

from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from sluice._errors import ApiError


class _Readable(Protocol):
    """A class whose values have a text form, such as Filter."""

    @staticmethod
    def parse(text: str) -> object: ...


def core_schema_of(kind: type[_Readable]) -> CoreSchema:
    """Returns a class's schema: accepts instances and texts, and serializes to text in JSON."""

    def read(value: object, to_text: Callable[[Any], str]) -> object:
        return value if isinstance(value, kind) else _parse(kind, to_text(value))

    return core_schema.no_info_wrap_validator_function(
        read,
        core_schema.str_schema(),
        serialization=core_schema.to_string_ser_schema(when_used="json-unless-none"),
    )


def _parse(kind: type[_Readable], text: str) -> object:
    """Parses a text; the error has the rule as its type, and the message of ApiError."""
    try:
        return kind.parse(text)
    except ApiError as error:
        place = {"code": error.code, "offset": error.offset, "length": error.length}
        # The message is not a template; braces in it are literal.
        context = {"message": error.message, **place}
        raise PydanticCustomError(error.rule, "{message}", context) from error
