# SPDX-License-Identifier: MIT
"""The parameters of a query string, and advanced filters."""

import re
from decimal import Decimal
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple
from urllib.parse import parse_qsl


class Request:
    """The values of each name of a query string, in their order."""

    def __init__(self, query: str) -> None:
        self.values: dict[str, list[str]] = {}
        for name, value in parse_qsl(query, keep_blank_values=True, errors="replace"):
            self.values.setdefault("ids" if name == "ids[]" else name, []).append(value)

    def all(self, name: str) -> list[str]:
        """The values that are not empty."""
        return [value for value in self.values.get(name, []) if value]

    def get(self, name: str, default: str = "") -> str:
        return next(iter(self.all(name)), default)

    def flag(self, name: str) -> bool | None:
        text = self.get(name).lower()
        return text == "true" if text else None

    def number(self, name: str, default: int) -> int:
        return int(Decimal(self.get(name, str(default))))

    def filter(self, name: str) -> "Filter | None":
        """A filter, or its deprecated twin where there is none."""
        texts = self.all(name)
        if name == "tagId" and not texts:
            texts = self.all("tagIds")
        qr = self.flag("qr")
        if name == "trigger" and not texts and qr is not None:
            texts = ["qr" if qr else "link"]
        return read_filter(texts)


class Filter(NamedTuple):
    """Any of some values, or none of them."""

    excludes: bool
    values: frozenset[str]


def read_filter(lists: list[str]) -> Filter | None:
    """Items end at commas that no backslash stands before; empty ones are dropped."""
    items: list[str] = []
    for text in lists:
        for item in re.findall(r"(?:[^,\\]|\\.)+", text.removeprefix("-"), re.DOTALL):
            items.append(re.sub(r"\\(.)", r"\1", item, flags=re.DOTALL))
    excludes = any(text.startswith("-") for text in lists)
    return Filter(excludes, frozenset(items)) if items else None


LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def ascii_lower(text: str) -> str:
    return text.translate(LOWER)
