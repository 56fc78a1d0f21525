# SPDX-License-Identifier: MIT
"""Generated rows, the same of the same seed, as arrays of numbers in files and as Arrow data."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Codes = NDArray[np.uint32]

SKEW = 1.1  # value k is drawn in proportion to 1 / k ** SKEW
ABSENT_PART = 0.2  # of the columns that may be absent
RUN_ROWS = 500  # mean length of a run in a clustered column
SPAN_MS = 90 * 24 * 3600 * 1000
END_MS = 1_787_279_415_123
PLANS = ("free", "pro", "business", "advanced", "enterprise")
METADATA_TEXTS = 100_000


class Dimension(NamedTuple):
    """A column of texts: how many there are, and how they lie."""

    name: str
    values: int
    is_clustered: bool = False  # equal values come in runs
    is_optional: bool = False  # some rows have none


SIZES = (
    "qr 2 trigger 3 device 4 continent 8 os 8 utm_medium 12 browser 16 group 32 utm_source 64"
    " folder 100 partner_tag 120 tag 200 country 240 domain 250 tenant 400 utm_campaign 800"
    " utm_term 1500 region 3000 utm_content 4000 partner 6000 referer 10000 city 30000 link 60000"
    " url 100000"
)
CLUSTERED = ("domain", "utm_campaign", "link")
OPTIONAL = ("utm_medium", "utm_source", "utm_campaign", "utm_term", "utm_content")
QUERIED = ("device", "os", "browser", "utm_source", "country", "link", "url")
DIMENSIONS = tuple(
    Dimension(name, int(values), name in CLUSTERED, name in OPTIONAL)
    for name, values in re.findall(r"(\w+) (\d+)", SIZES)
)
FEW_DIMENSIONS = tuple(dimension for dimension in DIMENSIONS if dimension.name in QUERIED)


@dataclass(frozen=True)
class Data:
    """Rows in (time, id) order. Code 0 is absent, code c the c-th text of its column.

    Columns are the dimensions, `metadata`, and `plan`, which is a member of it.
    """

    folder: Path
    times: NDArray[np.int64]
    ids: NDArray[np.int64]
    codes: dict[str, Codes]
    texts: dict[str, list[str]]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.times)

    def counts(self, column: str) -> NDArray[np.int64]:
        """Returns the number of rows by text."""
        return np.bincount(self.codes[column], minlength=len(self.texts[column]) + 1)[1:]

    def frequent(self, column: str, rank: int = 1) -> str:
        """Returns the value of a rank among the column's, 1 the most frequent."""
        order = np.argsort(-self.counts(column), kind="stable")
        return self.texts[column][int(order[rank - 1])]

    def rare(self, column: str, share: float) -> str:
        """Returns the value whose rows come closest to a share of all, at least one."""
        counts, wanted = self.counts(column), max(1.0, share * self.rows)
        distance = np.where(counts > 0, np.abs(np.log(np.maximum(counts, 1) / wanted)), np.inf)
        return self.texts[column][int(np.argmin(distance))]

    def dictionary(self, column: str, begin: int = 0, end: int | None = None) -> pa.Array:
        """Returns a column as a dictionary array; absent values are null."""
        codes = self.codes[column][begin:end]
        indices = pa.array(codes.astype(np.int32) - 1, mask=codes == 0)
        return pa.DictionaryArray.from_arrays(indices, pa.array(self.texts[column], pa.string()))

    def tables(self, rows: int) -> Iterator[pa.Table]:
        """Yields the rows as tables of so many: id, time, dimensions, metadata and plan."""
        for begin in range(0, self.rows, rows):
            end = begin + rows
            ids = [f"ev_{number}" for number in self.ids[begin:end].tolist()]
            columns = {"id": pa.array(ids), "time": pa.array(self.times[begin:end])}
            columns |= {name: self.dictionary(name, begin, end) for name in self.codes}
            yield pa.table(columns)


# --- Generation ----------------------------------------------------------------------------------


def draw(rng: np.random.Generator, values: int, rows: int) -> Codes:
    """Draws codes from 1 by Zipf's law."""
    ends = np.cumsum(1.0 / np.arange(1, values + 1) ** SKEW)
    codes = np.searchsorted(ends, rng.random(rows) * ends[-1], side="right") + 1
    drawn: Codes = np.minimum(codes, values).astype(np.uint32)
    return drawn


def make_codes(rng: np.random.Generator, dimension: Dimension, rows: int) -> Codes:
    """Makes a column."""
    if dimension.is_clustered:
        runs = rng.geometric(1 / RUN_ROWS, rows // RUN_ROWS * 2 + 16)
        runs = runs[: int(np.searchsorted(np.cumsum(runs), rows)) + 1]
        codes = np.repeat(draw(rng, dimension.values, len(runs)), runs)[:rows]
    else:
        codes = draw(rng, dimension.values, rows)
    if dimension.is_optional:
        codes[rng.random(rows) < ABSENT_PART] = 0
    return codes


def make_times(rng: np.random.Generator, rows: int) -> NDArray[np.int64]:
    """Makes ascending times with bursts: stretches in which rows come fifty times as fast."""
    stretch = 2_000
    speeds = np.where(rng.random(rows // stretch + 1) < 0.3, 0.02, 1.0)
    at = np.cumsum(rng.standard_exponential(rows) * np.repeat(speeds, stretch)[:rows])
    times: NDArray[np.int64] = (END_MS - SPAN_MS + at / at[-1] * SPAN_MS).astype(np.int64)
    return times


def value_text(name: str, k: int) -> str:
    """Returns the k-th text of a dimension."""
    if name == "url":
        return f"https://shop.example/products/{k}?ref=list&pos={k % 40}"
    return f"Zürich {k}" if name == "city" else f"{name}_{k}"


def metadata_text(rng: np.random.Generator, plan: str, k: int) -> str:
    """Returns the k-th metadata document."""
    members = {"plan": plan, "seats": int(rng.integers(1, 500)), "trial": k % 7 == 0}
    return json.dumps({**members, "ref": {"id": f"r_{k}"}}, separators=(",", ":"))


def write(folder: Path, rows: int, dimensions: tuple[Dimension, ...]) -> None:
    """Makes the files that generate() and the driver read."""
    folder.mkdir(parents=True, exist_ok=True)
    streams = np.random.SeedSequence(1).spawn(len(dimensions) + 2)
    *of_dimensions, of_metadata, of_times = map(np.random.default_rng, streams)

    def write_column(name: str, codes: Codes, texts: list[str]) -> None:
        codes.tofile(folder / f"{name}.codes")
        (folder / f"{name}.texts").write_text("\n".join(texts) + "\n")

    for dimension, rng in zip(dimensions, of_dimensions, strict=True):
        texts = [value_text(dimension.name, k) for k in range(1, dimension.values + 1)]
        write_column(dimension.name, make_codes(rng, dimension, rows), texts)
    times = make_times(of_times, rows)
    ids = of_times.permutation(rows) + 10**15  # of one length, so that texts sort like numbers
    order = np.lexsort((ids, times))
    times[order].tofile(folder / "times")
    ids[order].tofile(folder / "ids")
    distinct = min(rows, METADATA_TEXTS)
    plans = draw(of_metadata, len(PLANS), distinct)
    texts = [metadata_text(of_metadata, PLANS[plan - 1], k) for k, plan in enumerate(plans)]
    codes = of_metadata.integers(1, distinct, rows, np.uint32, endpoint=True)
    write_column("metadata", codes, texts)
    write_column("plan", plans[codes - 1], list(PLANS))
    names = "\n".join(dimension.name for dimension in dimensions)
    (folder / "columns").write_text(names + "\n")


def generate(root: Path, rows: int, dimensions: tuple[Dimension, ...]) -> Data:
    """Returns rows from a folder below `root`, which it fills; arrays stay on disk until read."""
    folder = root / f"{rows}x{len(dimensions)}"
    if not (folder / "columns").exists():  # written last
        write(folder, rows, dimensions)
    names = [*(folder / "columns").read_text().split(), "metadata", "plan"]

    def read(name: str, kind: type[Any]) -> Any:  # noqa: ANN401
        return np.memmap(folder / name, kind, "r")

    return Data(
        folder,
        read("times", np.int64),
        read("ids", np.int64),
        {name: read(f"{name}.codes", np.uint32) for name in names},
        {name: (folder / f"{name}.texts").read_text().splitlines() for name in names},
    )
