# SPDX-License-Identifier: MIT
"""Requests to a program and to the one that it was moved to."""

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

Fetch = Callable[[str], tuple[int, Any]]  # a query string to a status and a body

NAMES = ("Oak table", "oak Chair", "Steel lamp", "100% wool rug", "Desk, small", "Pine-wood box")
KINDS = ("home", "office", "garden")

_draw = random.Random(11)
GOODS: list[dict[str, Any]] = [
    {
        "id": number,
        "name": f"{_draw.choice(NAMES)} {number}",
        "kind": _draw.choice(KINDS),
        "status": _draw.choice(("new", "used", "-old", "in stock")),
        "owner": _draw.choice(("Ann", "O'Hara", None)),
        "note": _draw.choice(("Ships free", "Oiled oak, ann's", None)),
        "price": number * 37 % 101,  # another one for each
        "weight": number / 8,
        "built": date(2026, 1, 1) + timedelta(days=number * 11 % 97),
    }
    for number in range(1, 61)
]


def random_requests(
    pieces: Mapping[str, Sequence[str | Sequence[str]]], count: int, seed: int
) -> list[str]:
    """Returns query strings with some of the parameters; a value may be several of one name."""
    draw = random.Random(seed)
    texts = []
    for _ in range(count):
        names = draw.sample([*pieces], draw.randrange(min(5, len(pieces))))
        values = {name: draw.choice(pieces[name]) for name in names}
        texts.append(urlencode(values, doseq=True))
    return texts


def assert_same(before: Fetch, after: Fetch, texts: Sequence[str]) -> None:
    """Checks that two programs answer requests alike, some of them with rows."""
    lengths = set()
    for text in texts:
        expected = before(text)
        assert after(text) == expected, text
        lengths.add(len(expected[1]["rows"]) if expected[0] == 200 else -expected[0])
    assert len([length for length in lengths if length > 0]) > 3
