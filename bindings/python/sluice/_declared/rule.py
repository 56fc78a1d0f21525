# SPDX-License-Identifier: MIT
"""Custom rules."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from sluice._errors import ApiError
from sluice._sluice import declare_rule, rule_error

F = TypeVar("F", bound=Callable[[Any], None])

CHECK = "_sluice_check"  # attribute of methods with @check


@dataclass(frozen=True)
class Rule:
    """A custom rule, declared once per program.

    Attributes:
        name: The name for programs, of a-z, 0-9 and _.
        problem: The first half of a message: what is wrong.
        advice: The second half, beginning with a verb: the accepted values.
        code: The error code, which implies the HTTP status.

    Example:
        >>> check_digit = sluice.Rule("check_digit", "a wrong check digit", "expected an ISBN-13")
        >>> str(check_digit.error("isbn", offset=12, length=1))
        'isbn: a wrong check digit (at byte 12), expected an ISBN-13'
    """

    __module__ = "sluice"

    name: str
    problem: str
    advice: str
    code: str = "unprocessable_entity"

    def __post_init__(self) -> None:
        """Registers the rule; its name must be unique."""
        declare_rule(self.name, self.code, self.problem, self.advice)

    def error(self, param: str | None = None, offset: int = 0, length: int = 0) -> ApiError:
        """Returns the error to raise when the rule is broken.

        Args:
            param: The parameter at fault; known if a custom type is being parsed.
            offset: The first byte at fault in its value.
            length: The number of bytes at fault.
        """
        return rule_error(self.name, param, offset, length)


def check(method: F) -> F:
    """Makes a method of a ListQuery a check of requests without other errors.

    The method raises the error of a Rule if parameters contradict each other. Any other ValueError
    becomes a 422 with its message.
    """
    setattr(method, CHECK, True)
    return method
