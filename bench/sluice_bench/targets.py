# SPDX-License-Identifier: MIT
"""What the project wants to reach, and what a run reached of it."""

from dataclasses import dataclass
from typing import Any

COLUMNAR = ("DuckDB", "chDB", "polars", "pyarrow")
COUNTS = (
    *("1 equality", "3 equalities", "5 equalities", "IN of 4", "rare value"),
    *("1 equality in 7 of 90 days", "3 equalities in 7 of 90 days"),
)
FLAGS = (
    *("count of 1 equality", "count of 5 equalities", "count in 7 of 90 days"),
    *("page of 100", "40 parameters", "error envelope"),
)


@dataclass(frozen=True)
class Target:
    """A bound on a cell: nanoseconds at most, a rate at least, or times the best of some peers."""

    cell: str
    ns: float = 0.0
    rate: float = 0.0
    ratio: float = 0.0
    peers: tuple[str, ...] = ()
    share: float = 0.0  # of the read bandwidth

    def text(self) -> str:
        """The bound in words."""
        if self.ns:
            return f"at most {self.ns:,.0f} ns"
        if self.rate:
            return f"at least {self.rate:,.0f} a second"
        if self.share:
            return f"at least {self.share:.0%} of the read bandwidth"
        return f"{self.ratio:.3g} times the best of {', '.join(self.peers)}"


TARGETS = (
    *(Target(f"count: {name}", ratio=100, peers=COLUMNAR) for name in COUNTS),
    *(Target(f"count: {name}", ratio=10, peers=("NumPy",)) for name in COUNTS),
    Target("count: metadata", rate=1e9),
    Target("count: metadata, raw JSON", rate=1e9 / 80),
    *(Target(f"page: {n} of 1 equality", ratio=100, peers=("DuckDB", "chDB")) for n in (100, 1000)),
    *(Target(f"page: {n} of 1 equality", ratio=30, peers=("SQLite",)) for n in (100, 1000)),
    Target("page: 100 of 1 equality", ns=20_000),
    Target("page: 1000 of 1 equality", ns=150_000),
    Target("validate: 40 parameters", ns=1_000),
    Target("validate: 6 parameters", ns=150),
    *(Target(f"validate: {n} parameters", ratio=100, peers=("pydantic",)) for n in (6, 40)),
    *(Target(f"validate: {n} parameters", ratio=30, peers=("zod",)) for n in (6, 40)),
    *(
        Target(f"validate: {n} parameters, from Python", ratio=10, peers=("pydantic",))
        for n in (6, 40)
    ),
    Target("limit: 1 hot key", ns=20),
    Target("limit: 1e6 random keys", ns=250),
    *(
        Target(f"limit: {keys}{how}", ratio=ratio, peers=("limits", "pyrate-limiter"))
        for keys in ("1 hot key", "1e6 random keys")
        for how, ratio in (("", 100), (", from Python", 20))
    ),
    *(
        Target(f"mask: {kind}", ratio=5, peers=("pyarrow", "polars"))
        for kind in ("texts", "dictionary")
    ),
    Target("JSON: page of 1000", rate=4),
    Target(
        "JSON: page of 1000",
        ratio=5,
        peers=("orjson", "msgspec", "rapidjson", "yyjson", "nlohmann"),
    ),
    Target("JSON: error envelope", ns=100),
    Target("scan: set of 16 codes, sse2", share=0.5),
    Target("scan: set of 16 codes, avx2", share=0.75),
    Target("scan: set of 16 codes, avx512bw", share=0.9),
    Target("scan: set of 16 codes, avx512vbmi", share=0.9),
    *(Target(f"flags: {task}", ratio=1 / 1.1, peers=("-march=native",)) for task in FLAGS),
    Target("ingest: NDJSON folder", rate=5e5),
    Target("append: parsed clicks", rate=1e6),
)


def reached(target: Target, cell: dict[str, Any]) -> float | None:
    """What a cell reached of a target's kind; None where it has no such figure."""
    if target.ns:
        return float(cell["ns"]["median"])
    if target.rate:
        return float(cell["rate"]["per_second"]) if "rate" in cell else None
    peers = ("read",) if target.share else target.peers
    ratios = [cell["peers"][peer]["ratio"]["median"] for peer in peers if has_ratio(cell, peer)]
    return min(ratios) if ratios else None


def has_ratio(cell: dict[str, Any], peer: str) -> bool:
    """Whether a peer took part."""
    return "ratio" in cell["peers"].get(peer, {})


def judge(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each target that a run has a figure for, and whether it is met."""
    known = {cell["name"]: cell for cell in cells}
    judged = []
    for target in TARGETS:
        cell = known.get(target.cell)
        value = None if cell is None else reached(target, cell)
        if value is None:
            continue
        bound = target.ns or target.rate or target.ratio or target.share
        met = value <= bound if target.ns else value >= bound
        judged.append({"cell": target.cell, "target": target.text(), "reached": value, "met": met})
    return judged
