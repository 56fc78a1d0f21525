# SPDX-License-Identifier: MIT
"""Times of sluice as rows, conditions, matches and offsets grow."""

import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .data import DIMENSIONS, Clause, Data, Query, generate
from .evaluation import equals, learn, with_share
from .measuring import LineProcess, calibrate

# The same at all sizes: at 1e8 rows all 24 and their indexes are more than memory holds.
NAMES = ("device", "os", "browser", "utm_source", "country", "url")
SIZES = (100_000, 1_000_000, 10_000_000, 100_000_000)
SHARES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.5)
OFFSETS = (100, 1_000, 10_000, 100_000, 1_000_000)
SAMPLES = 11

Points = list[tuple[float, float]]
Tasks = dict[str, list[tuple[float, str, Query]]]  # by curve: x, operation, query


def curve(x: str, points: Points) -> dict[str, Any]:
    """Returns points (x, nanoseconds) and the exponent of a power law, by least squares."""
    logs = np.log(np.array(points))
    exponent = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0]) if len(points) > 1 else 0.0
    return {"x": x, "points": points, "exponent": round(exponent, 3)}


def conjunctions(data: Data) -> list[Query]:
    """Returns one to five equalities of frequent values."""
    names = ("country", "device", "browser", "os", "utm_source")
    clauses = tuple(equals(data, name) for name in names)
    return [Query(clauses[:count]) for count in range(1, 6)]


def at_each_size(data: Data) -> Tasks:
    """Returns the tasks that are measured at every size."""
    many, rows = conjunctions(data), float(data.rows)
    outside = Query((equals(data, "os"), equals(data, "utm_source")))
    return {
        **{f"count, {n} equalities": [(rows, "count", many[n - 1])] for n in (1, 3, 5)},
        "count, 2 equalities outside the key": [(rows, "count", outside)],
        "page of 100, 1 equality": [(rows, "page", many[0])],
        "page of 100, 5 equalities": [(rows, "page", many[4])],
    }


def closest(data: Data, share: float) -> tuple[float, Query]:
    """Returns the value of any column whose rows come closest to a share of all; its share."""

    def share_of(clause: Clause) -> float:
        code = data.code(clause.column, clause.values[0])
        return float(data.counts(clause.column)[code] / data.rows)

    clauses = [with_share(data, name, share) for name in NAMES]
    best = min(clauses, key=lambda clause: abs(np.log(share_of(clause) / share)))
    return share_of(best), Query((best,))


def at_largest(data: Data) -> Tasks:
    """Returns the tasks of the largest size."""
    found: Tasks = {}
    first = conjunctions(data)[0]
    offsets = [offset for offset in OFFSETS if offset < data.counts("country").max()]
    for task in ("count", "page"):
        values = [closest(data, share) for share in SHARES]
        found[f"{task} against selectivity"] = [(x, task, query) for x, query in values]
        found[f"{task} against conditions"] = [
            (float(n), task, query) for n, query in enumerate(conjunctions(data), 1)
        ]
    found["page against offset"] = [
        (float(offset), "page", replace(first, page=offset // 100 + 1)) for offset in offsets
    ]
    return found


def measure(build: Path, driver: Path, most_rows: int) -> dict[str, Any]:
    """Returns all curves, up to a number of rows."""
    dimensions = tuple(d for d in DIMENSIONS if d.name in NAMES)
    sizes = [size for size in SIZES if size <= most_rows]
    points: dict[str, Points] = {}

    def run(program: LineProcess, tasks: Tasks, suffix: str = "") -> None:
        for name, entries in tasks.items():
            for x, operation, query in entries:
                contender = program.contender(f"{operation} {query.text()}")
                repetitions = calibrate(contender)
                times = [contender.time(repetitions) / repetitions for _ in range(SAMPLES)]
                points.setdefault(name + suffix, []).append((x, round(statistics.median(times))))

    for rows in sizes:
        program = LineProcess(driver)
        data = generate(build / "data", rows, dimensions, mapped=True)
        program.ask(f"load {data.folder}")
        learn(program, data)
        run(program, at_each_size(data), " against rows")
        if rows == sizes[-1]:
            run(program, at_largest(data))
        program.close()
    curves = {name: curve(name.rpartition(" against ")[2], found) for name, found in points.items()}
    return {"rows": sizes[-1], "dimensions": list(NAMES), "curves": curves}
