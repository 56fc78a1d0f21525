# SPDX-License-Identifier: MIT
"""Rows as JSON, for engines that give row numbers or tuples."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Data

try:
    import orjson

    def _dump(rows: list[dict[str, Any]]) -> bytes:
        for row in rows:
            row["metadata"] = orjson.Fragment(row["metadata"])
        return orjson.dumps(rows)

except ImportError:

    def _dump(rows: list[dict[str, Any]]) -> bytes:
        for row in rows:
            row["metadata"] = json.loads(row["metadata"])
        return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()


def render_tuples(names: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Rows of values in the order of the names; metadata is JSON text."""
    return _dump([dict(zip(names, row, strict=True)) for row in rows])


class Rendering:
    """Rows by number, from codes and their texts."""

    def __init__(self, data: Data) -> None:
        """Makes the texts ready, None for what is absent."""
        self._data = data
        self._texts = {name: [None, *texts] for name, texts in data.texts.items()}
        self._names = ["id", "time", *data.dimensions, "metadata"]

    def render(self, rows: NDArray[np.intp]) -> bytes:
        """The page of these rows."""
        data = self._data
        columns: list[list[Any]] = [
            [f"ev_{number:016x}" for number in data.ids[rows].tolist()],
            data.times[rows].tolist(),
        ]
        for name in self._names[2:]:
            texts = self._texts[name]
            columns.append([texts[code] for code in data.codes[name][rows].tolist()])
        return render_tuples(self._names, zip(*columns, strict=True))
