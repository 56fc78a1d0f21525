# SPDX-License-Identifier: MIT
"""Metadata expressions, read by recursive descent into matchers."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

Json = Any
Matcher = Callable[[Json], bool]

JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
ORDERS: dict[str, Callable[[Decimal, Decimal], bool]] = {
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
}


class Number(NamedTuple):
    """A JSON number as it is written."""

    text: str


def number_in(text: str) -> Decimal | None:
    return Decimal(text) if JSON_NUMBER.fullmatch(text) else None


def look_up(value: Json, path: tuple[str, ...]) -> Json:
    """The value at a path, or None."""
    for key in path:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and re.fullmatch("[0-9]+", key) and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def equals(left: Json, right: str) -> bool:
    if isinstance(left, bool):
        return right == ("true" if left else "false")
    if isinstance(left, Number):
        return left.text == right or number_in(left.text) == number_in(right)
    return isinstance(left, str) and left == right


def is_ordered(left: Json, op: str, right: str) -> bool:
    text = left.text if isinstance(left, Number) else left
    number = number_in(text) if isinstance(text, str) else None
    bound = number_in(right)
    return number is not None and bound is not None and ORDERS[op](number, bound)


class Expression:
    """OR of ANDs of NOTs, parentheses and conditions."""

    QUOTED = r"""'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)\""""
    BARE = r"""([^ \t\r\n'"()\[\]:=!<>][^ \t\r\n'"()\[\]]*)"""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def take(self, pattern: str) -> re.Match[str] | None:
        """Takes the next token, after white space, if it has this form."""
        form = re.compile(rf"[ \t\r\n]*(?:{pattern})", re.IGNORECASE | re.DOTALL)
        match = form.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match

    def need(self, pattern: str) -> re.Match[str]:
        match = self.take(pattern)
        assert match, (self.text, self.at, pattern)
        return match

    def either(self) -> Matcher:
        terms = [self.every()]
        while self.take(r"OR\b"):
            terms.append(self.every())
        return lambda metadata: any(term(metadata) for term in terms)

    def every(self) -> Matcher:
        terms = [self.unary()]
        while self.take(r"AND\b"):
            terms.append(self.unary())
        return lambda metadata: all(term(metadata) for term in terms)

    def unary(self) -> Matcher:
        if self.take(r"NOT\b"):
            negated = self.unary()
            return lambda metadata: not negated(metadata)
        if self.take(r"\("):
            inner = self.either()
            self.need(r"\)")
            return inner
        return self.condition()

    def condition(self) -> Matcher:
        path = self.path()
        op = self.need("(!=|>=|<=|[:=<>])")[1]
        quoted = self.take(self.QUOTED)
        right = unescaped(quoted) if quoted else self.need(self.BARE)[1]
        if op in ORDERS:
            return lambda metadata: is_ordered(look_up(metadata, path), op, right)
        return lambda metadata: equals(look_up(metadata, path), right) != (op == "!=")

    def path(self) -> tuple[str, ...]:
        self.need("metadata")
        keys = []
        while self.take(r"\["):
            keys.append(unescaped(self.need(self.QUOTED)))
            self.need("]")
        return tuple(keys)


def unescaped(quoted: re.Match[str]) -> str:
    text = quoted["single"] if quoted["double"] is None else quoted["double"]
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def read_expression(text: str) -> Matcher:
    expression = Expression(text)
    matcher = expression.either()
    assert not text[expression.at :].strip(), text
    return matcher
