# SPDX-License-Identifier: MIT
"""The exception for all errors of the library, with carets below the fault."""

import unicodedata

from sluice._sluice import error_body, http_status

_CONTEXT = 64  # maximum number of characters of a text that a note shows


class ApiError(ValueError):
    """An error of an input.

    Attributes:
        message: The problem and the accepted values; never contains input.
        code: The machine-readable code, such as `bad_request`.
        rule: The name of the broken rule, such as `filter_dash`.
        param: The parameter or field at fault, or None.
        offset: The first byte at fault, in the UTF-8 of the parameter's decoded value.
        length: The number of bytes at fault; 0 if something is missing.
        file: The file of a record that couldn't be loaded, or None.
        line: The line of the record, counted from 1, or None.
    """

    __module__ = "sluice"

    _notes: list[str] | None = None

    def __init__(
        self,
        message: str,
        *,
        code: str = "bad_request",
        rule: str = "unexpected_failure",
        param: str | None = None,
        offset: int = 0,
        length: int = 0,
        file: str | None = None,
        line: int | None = None,
        text: str | None = None,
    ) -> None:
        """Creates an error; a note shows `text`, which offset and length refer to."""
        super().__init__(message)
        self.message = message
        self.code = code
        self.rule = rule
        self.param = param
        self.offset = offset
        self.length = length
        self.file = file
        self.line = line
        self._text = text if offset > 0 or length > 0 else None  # as raise.cpp sets it

    @property
    def __notes__(self) -> list[str]:
        """The notes: carets below the fault, drawn on first use, and those that were added."""
        if self._notes is None:
            text = self._text
            self._notes = [] if text is None else [_point_at(text, self.offset, self.length)]
        return self._notes

    @__notes__.setter
    def __notes__(self, notes: list[str]) -> None:
        self._notes = notes

    @property
    def status(self) -> int:
        """The HTTP status of the code."""
        return http_status(self.code)

    def to_json(self, docs_url: str = "") -> str:
        """Returns the JSON body of an error response; `docs_url` precedes the docs' path."""
        return error_body(self.code, self.message, docs_url)


def _point_at(text: str, offset: int, length: int) -> str:
    """Shows a text with carets under `length` bytes of its UTF-8, from `offset` on.

    ```
    US,-CA
       ^^^
    ```
    """
    utf8 = text.encode("utf-8", "surrogatepass")
    end = offset + length
    near = 4 * _CONTEXT  # bytes: a character has at most four
    before = _printable(utf8[max(offset - near, 0) : offset])
    fault = _printable(utf8[offset : min(end, offset + near)])
    after = _printable(utf8[end : end + near])
    fault = _cut(fault, _CONTEXT // 2)
    before = _cut(before[::-1], (_CONTEXT - len(fault)) // 2)[::-1]
    after = _cut(after, _CONTEXT - len(fault) - len(before))
    carets = " " * _width(before) + "^" * max(1, _width(fault))
    return f"{''.join(before)}{''.join(fault)}{''.join(after)}\n{carets}"


def _printable(utf8: bytes) -> list[str]:
    """Returns the characters of a text, with unprintable ones escaped."""
    text = utf8.decode("utf-8", "replace")
    return [char if char.isprintable() else ascii(char)[1:-1] for char in text]


def _cut(chars: list[str], most: int) -> list[str]:
    """Truncates a text, with an ellipsis for the rest."""
    return chars if len(chars) <= most else [*chars[: max(most - 1, 0)], "…"]


def _width(chars: list[str]) -> int:
    """Returns the number of terminal columns of a text."""
    return sum(_column_width(char) for char in "".join(chars))


def _column_width(char: str) -> int:
    """Returns 0 for combining marks, 2 for wide letters, else 1."""
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
