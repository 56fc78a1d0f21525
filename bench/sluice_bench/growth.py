# SPDX-License-Identifier: MIT
"""How costs grow: with rows, selectivity, conditions and offsets."""

import math
import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .cell import Contender
from .data import DIMENSIONS, Data, generate
from .line_process import LineProcess
from .progress import Progress
from .queries import Clause, Query
from .run import calibrate
from .topics.evaluation import equals, learn, value

# The same at all sizes: at 1e8 rows all 24 and their indexes are more than memory holds.
NAMES = ("device", "os", "browser", "utm_source", "country", "url")
SIZES = (100_000, 1_000_000, 10_000_000, 100_000_000)
SHARES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.5, 1.0)
OFFSETS = (0, 100, 1_000, 10_000, 100_000, 1_000_000)
SAMPLES = 11

Point = tuple[float, float]
Curve = dict[str, Any]


def curve(x: str, points: list[Point]) -> Curve:
    """Points (x, nanoseconds) and the exponent of a power law through them, by least squares."""
    kept = [(at, ns) for at, ns in points if at > 0]
    exponent = None
    if len(kept) > 1:
        logs = np.log(np.array(kept))
        exponent = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
    return {"x": x, "points": [list(point) for point in points], "exponent": exponent}


class Growth:
    """Times of the driver over data of one size."""

    def __init__(self, driver: LineProcess, data: Data) -> None:
        """Loads the data."""
        self._driver = driver
        self.data = data
        driver.ask(f"load {data.folder}")
        learn(driver, data)

    def nanoseconds(self, operation: str, query: Query) -> float:
        """The median time of a count or a page."""
        line = f"{operation} {query.text()}"
        contender = Contender(self._driver.timer(line), lambda: self._driver.answer(line))
        repetitions = calibrate(contender)
        runs = [contender.time(repetitions) / repetitions for _ in range(SAMPLES)]
        return statistics.median(runs)

    def conjunctions(self) -> list[Query]:
        """One to five equalities of frequent values."""
        names = ("country", "device", "browser", "os", "utm_source")
        clauses = [equals(self.data, name) for name in names]
        return [Query(tuple(clauses[:count])) for count in range(1, 6)]

    def with_share(self, share: float) -> tuple[float, Query]:
        """The value of any column whose rows come closest to a share of all; its real share."""
        if share == 1.0:
            return 1.0, Query((Clause("device", tuple(self.data.texts["device"])),))
        best: tuple[float, float, Query] = (math.inf, 0.0, Query())
        for name in NAMES:
            counts = self.data.counts(name)[1:]
            with np.errstate(divide="ignore"):
                distance = np.abs(np.log(counts / (share * self.data.rows)))
            code = int(np.argmin(distance))
            query = Query((Clause(name, (self.data.texts[name][code],)),))
            best = min(
                best, (float(distance[code]), counts[code] / self.data.rows, query), key=first
            )
        return best[1], best[2]


def first(entry: tuple[float, float, Query]) -> float:
    """What candidates are compared by."""
    return entry[0]


def against_rows(of: Growth) -> dict[str, float]:
    """The tasks that are measured at every size."""
    conjunctions = of.conjunctions()
    countries = tuple(value(of.data, "country", rank) for rank in (1, 3, 5, 7))
    tasks = {f"count, {n} equalities": ("count", conjunctions[n - 1]) for n in (1, 3, 5)}
    outside = tuple(equals(of.data, name) for name in ("os", "utm_source"))
    tasks["count, 2 equalities outside the key"] = ("count", Query(outside))
    tasks["count, IN of 4"] = ("count", Query((Clause("country", countries),)))
    tasks["page of 100, 1 equality"] = ("page", conjunctions[0])
    tasks["page of 100, 5 equalities"] = ("page", conjunctions[4])
    return {name: of.nanoseconds(*task) for name, task in tasks.items()}


def at_largest(of: Growth) -> dict[str, Curve]:
    """The curves at one size."""
    shares = [of.with_share(share) for share in SHARES]
    conjunctions = list(enumerate(of.conjunctions(), 1))
    common = of.conjunctions()[0]
    matches = int(of.data.counts("country").max())
    offsets = [offset for offset in OFFSETS if offset < matches]
    at = {offset: replace(common, page=offset // 100 + 1) for offset in offsets}
    found: dict[str, Curve] = {}
    for task in ("count", "page"):
        points = [(share, of.nanoseconds(task, query)) for share, query in shares]
        found[f"{task} against selectivity"] = curve("selectivity", points)
        points = [(float(n), of.nanoseconds(task, query)) for n, query in conjunctions]
        found[f"{task} against conditions"] = curve("conditions", points)
    points = [(float(offset), of.nanoseconds("page", at[offset])) for offset in offsets]
    found["page against offset"] = curve("offset", points)
    return found


def measure(build: Path, driver: Path, most_rows: int) -> dict[str, Any]:
    """All curves, up to a number of rows."""
    dimensions = tuple(d for d in DIMENSIONS if d.name in NAMES)
    sizes = [size for size in SIZES if size <= most_rows]
    columns: dict[str, list[Point]] = {}
    largest: dict[str, Curve] = {}
    progress = Progress(len(sizes))
    for rows in sizes:
        progress.step(f"{rows:,} rows", 0)
        program = LineProcess([driver])
        of = Growth(program, generate(build / "data", rows, dimensions, mapped=True))
        for name, ns in against_rows(of).items():
            columns.setdefault(name, []).append((float(rows), ns))
        if rows == sizes[-1]:
            largest = at_largest(of)
        program.close()
        progress.step(f"{rows:,} rows")
    progress.finish()
    curves = {f"{name} against rows": curve("rows", points) for name, points in columns.items()}
    return {"rows": sizes[-1], "dimensions": list(NAMES), "curves": curves | largest}
