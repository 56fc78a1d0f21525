# SPDX-License-Identifier: MIT
"""Rules of a program's own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from sluice._errors import ApiError
from sluice._sluice import declare_rule, rule_error

F = TypeVar("F", bound=Callable[[Any], None])

CHECK = "_sluice_check"


@dataclass(frozen=True)
class Rule:
    """A rule of your own, declared once for the whole program.

    Attributes:
        name: As programs compare it: of a-z, 0-9 and _.
        is_wrong: What is wrong where it is broken: the first half of a message.
        is_accepted: What would be accepted, beginning with a verb: the second half.
        code: The error code, which has an HTTP status.

    Example:
        >>> check_digit = sluice.Rule("check_digit", "a wrong check digit", "expected an ISBN-13")
        >>> str(check_digit.error("isbn", offset=12, length=1))
        'isbn: a wrong check digit (at byte 12), expected an ISBN-13'
    """

    __module__ = "sluice"

    name: str
    is_wrong: str
    is_accepted: str
    code: str = "unprocessable_entity"

    def __post_init__(self) -> None:
        """Keeps the rule, which no other may then share its name with."""
        declare_rule(self.name, self.code, self.is_wrong, self.is_accepted)

    def error(self, param: str | None = None, offset: int = 0, length: int = 0) -> ApiError:
        """The error to raise where it is broken.

        Args:
            param: The parameter at fault; where a type of your own is read, it is known.
            offset: The first byte at fault in its value.
            length: How many bytes are.
        """
        return rule_error(self.name, param, offset, length)


def check(method: F) -> F:
    """Makes a method of a ListQuery a check of requests that are valid so far.

    It raises the error of a Rule where several parameters don't go together. Any other ValueError
    is a 422 with its words.
    """
    setattr(method, CHECK, True)
    return method
