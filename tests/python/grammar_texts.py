# SPDX-License-Identifier: MIT
"""Random expressions of each grammar, whole or mutilated."""

import json
import re
from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar

TEXTS = ("", "a", "A", "b", "it's", '"', "\\", "%", "_", "a%b", "axb", "é", "東京", "or")
NUMBERS = (-5, 0, 1, 7, 2**53)
BEYOND = "'\"()[]{}%_\\,;:=!~*<>-. ax5é"


class Texts:
    """Random expressions in the words of OData and SCIM; each grammar has its own beside."""

    connectives: ClassVar[Sequence[str]] = (" and ", " or ")
    comparisons: ClassVar[Sequence[str]] = ("eq", "ne", "gt", "ge", "lt", "le")
    numbers: ClassVar[Sequence[int]] = NUMBERS
    needs_parentheses = False

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.choice = self.random.choice

    def text(self, depth: int = 3) -> str:
        chance = self.random.random()
        if depth > 0 and chance < 0.4:
            word = self.choice(self.connectives)
            parts = [self.text(depth - 1) for _ in range(self.random.randrange(2, 4))]
            is_bare = not self.needs_parentheses and self.random.random() < 0.5
            return word.join(part if is_bare else f"({part})" for part in parts)
        if depth > 0 and chance < 0.55:
            return self.negation(self.text(depth - 1))
        return self.condition()

    def condition(self) -> str:
        name = self.choice(("name", "city", "total", "paid", "tags"))
        if self.random.random() < 0.15:
            return self.presence(name)
        if name == "paid":
            return self.comparison(name, self.comparisons[0], self.choice(("true", "false")))
        if name == "total":
            return self.of_number(name)
        if name == "tags":
            return self.of_list(name)
        return self.of_text(name)

    def of_number(self, name: str) -> str:
        return self.comparison(name, self.choice(self.comparisons), str(self.choice(self.numbers)))

    def of_list(self, name: str) -> str:
        return self.choice((self.equality, self.part))(name)

    def of_text(self, name: str) -> str:
        form = self.choice((self.equality, self.part, self.values))
        if self.random.random() < 0.2:
            return self.comparison(name, self.choice(self.comparisons), self.value())
        return form(name)

    def equality(self, name: str) -> str:
        return self.comparison(name, self.choice(self.comparisons[:2]), self.value())

    values = equality  # any of some, if the grammar has it

    def comparison(self, name: str, op: str, value: str) -> str:
        return f"{name} {op} {value}"

    def value(self) -> str:
        return self.quoted(self.choice(TEXTS))

    def negation(self, inner: str) -> str:
        return f"not ({inner})"

    def presence(self, name: str) -> str:
        raise NotImplementedError

    def part(self, name: str) -> str:
        raise NotImplementedError

    def quoted(self, text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    def several(self, least: int) -> str:
        return ",".join(self.value() for _ in range(self.random.randrange(least, 4)))

    def mutilated(self, text: str) -> str:
        """Returns a text with a character more, less or another, or cut."""
        at = self.random.randrange(len(text))
        if self.random.random() < 0.2:
            return text[:at]
        kept = self.random.randrange(2)
        return str(text[:at] + self.choice(("", *BEYOND)) + text[at + kept :])


class OdataTexts(Texts):
    def presence(self, name: str) -> str:
        return f"{name} {self.choice(('eq', 'ne'))} null"

    def part(self, name: str) -> str:
        return f"{self.choice(('contains', 'startswith', 'endswith'))}({name},{self.value()})"

    def values(self, name: str) -> str:
        return f"{name} in ({self.several(2)})"  # odata-query has no lists of one value

    def of_list(self, name: str) -> str:
        kind, inner = "any", self.choice((self.equality, self.part, self.values))("t")
        if self.random.random() < 0.4:
            kind, inner = "all", self.comparison("t", "ne", self.value())
        if self.random.random() < 0.05:
            kind = {"any": "all", "all": "any"}[kind]
        return f"{name}/{kind}(t:{inner})"


class Cql2Texts(Texts):
    comparisons = ("=", "<>", ">", ">=", "<", "<=")

    def presence(self, name: str) -> str:
        return f"{name} is {self.maybe_not()}null"

    def of_number(self, name: str) -> str:
        if self.random.random() < 0.7:
            return super().of_number(name)
        low, high = sorted(self.random.choices(self.numbers, k=2))
        return f"{name} {self.maybe_not()}between {low} and {high}"

    def part(self, name: str) -> str:
        escaped = re.sub(r"([%_\\])", r"\\\1", self.choice(TEXTS))
        before, after = self.choice((("%", "%"), ("", "%"), ("%", "")))
        return f"{name} {self.maybe_not()}like {self.quoted(before + escaped + after)}"

    def values(self, name: str) -> str:
        return f"{name} {self.maybe_not()}in ({self.several(1)})"

    def of_list(self, name: str) -> str:
        return f"{self.choice(('a_contains', 'A_OVERLAPS'))}({name}, ({self.several(1)}))"

    def maybe_not(self) -> str:
        return self.choice(("", "not "))


class Cql2JsonTexts(Texts):
    """The trees of texts, as cql2 writes them."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.texts = Cql2Texts(seed)

    def text(self, depth: int = 3) -> str:
        import cql2

        tree = cql2.parse_text(self.texts.text(depth)).to_json()
        # It has all numbers as 1.0.
        return re.sub(r"(?<=[0-9])\.0(?=[\],])", "", json.dumps(tree, ensure_ascii=False))


class ScimTexts(Texts):
    numbers = (1, 7)  # scim2-filter-parser has no negative and no long numbers
    needs_parentheses = True  # it reads AND and OR from left to right

    def presence(self, name: str) -> str:
        return f"{name} pr"

    def part(self, name: str) -> str:
        return f"{name} {self.choice(('co', 'sw', 'ew'))} {self.value()}"

    def quoted(self, text: str) -> str:
        # scim2-filter-parser has no quotes in texts, and keeps backslashes.
        return '"' + text.replace('"', "").replace("\\", "\\\\") + '"'


class Aip160Texts(Texts):
    connectives: ClassVar[Sequence[str]] = (" AND ", " OR ", " ")
    comparisons = ("=", "!=", ">", ">=", "<", "<=")

    def comparison(self, name: str, op: str, value: str) -> str:
        space = self.choice((" ", ""))
        return f"{name}{space}{op}{space}{value}"

    def negation(self, inner: str) -> str:
        return f"{self.choice(('NOT ', '-'))}({inner})"

    def presence(self, name: str) -> str:
        return f"{self.choice(('', 'NOT ', '-'))}{name}:*"

    def part(self, name: str) -> str:
        text = self.choice(TEXTS[1:])
        if self.random.random() < 0.4:
            return f"{name}:{self.quoted(text)}"
        star = self.choice((f"*{text}", f"{text}*", f"*{text}*"))
        return self.comparison(name, self.choice(("=", "!=")), self.quoted(star))

    def value(self) -> str:
        if self.random.random() < 0.3:
            return str(self.choice(("a", "A", "b", "axb", "é")))
        return super().value()

    def quoted(self, text: str) -> str:
        quote = self.choice("'\"")
        return quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote


class RsqlTexts(Aip160Texts):
    connectives = (";", ",", " and ", " or ")
    comparisons = ("==", "!=", "=gt=", "=ge=", "=lt=", "=le=")

    def of_number(self, name: str) -> str:
        op = self.choice((*self.comparisons, ">", ">=", "<", "<="))
        return f"{name}{op}{self.choice(self.numbers)}"

    def comparison(self, name: str, op: str, value: str) -> str:
        return f"{name}{op}{value}"

    def negation(self, inner: str) -> str:
        return f"({inner})"

    def presence(self, name: str) -> str:
        return f"{name}={self.choice(('null', 'notnull'))}="

    def part(self, name: str) -> str:
        text = self.choice(("a", "é", "x", "%", "a%b"))
        star = self.choice((f"*{text}", f"{text}*", f"*{text}*"))
        value = star if self.random.random() < 0.5 else self.quoted(star)
        return f"{name}{self.choice(('==', '!='))}{value}"

    def values(self, name: str) -> str:
        return f"{name}={self.choice(('in', 'out'))}=({self.several(1)})"

    def of_list(self, name: str) -> str:
        return self.choice((self.equality, self.part, self.values))(name)


# The texts of grammars that need no library to write them.
TEXTS_OF: dict[Any, type[Texts]] = {
    "aip160": Aip160Texts,
    "odata": OdataTexts,
    "rsql": RsqlTexts,
    "cql2": Cql2Texts,
    "scim": ScimTexts,
}
