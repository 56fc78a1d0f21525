# SPDX-License-Identifier: MIT
"""Draws which of some requests each algorithm admits: limiters.py FILE.

The requests are asked of the library itself, with a limit of four in ten seconds.
"""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, get_args
from xml.etree import ElementTree as ET

import sluice

LIMIT, WINDOW = 4, 10.0
TIMES = (1, 2, 8, 9, 9.5, 10.5, 11, 11.5, 12, 13.5, 16, 18, 18.5, 19, 21, 22)  # seconds
START = datetime(2026, 11, 22, tzinfo=UTC)  # where windows begin that are aligned to the clock
Algorithm = Literal["fixed_window", "sliding_window", "sliding_log", "gcra"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)
SECONDS, SCALE, LEFT, TOP, ROW = 24, 26, 130, 30, 44
STYLE = """
text { font: 13px sans-serif; fill: #333 }
line { stroke: #999 } .window { stroke-dasharray: 4 3 }
.admitted { fill: #1a7f37 } .refused { fill: none; stroke: #cf222e; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd } .admitted { fill: #3fb950 } .refused { stroke: #ff7b72 }
}
"""


def admitted(algorithm: Algorithm) -> list[bool]:
    """Returns an algorithm's decisions on the requests of one client."""
    limiter = sluice.RateLimiter(LIMIT, WINDOW, algorithm=algorithm)
    moments = (START + timedelta(seconds=seconds) for seconds in TIMES)
    return [limiter.check("client", now=moment).allowed for moment in moments]


def element(within: ET.Element, tag: str, text: str = "", **attributes: object) -> ET.Element:
    """Adds an element."""
    named = {
        name.strip("_"): f"{value:g}" if isinstance(value, float) else str(value)
        for name, value in attributes.items()
    }
    child = ET.SubElement(within, tag, named)
    child.text = text
    return child


def draw_row(picture: ET.Element, number: int, algorithm: Algorithm) -> None:
    """Draws a time line, with a dot for each request."""
    y = TOP + number * ROW
    allowed = admitted(algorithm)
    element(picture, "text", algorithm, x=0, y=y + 4)
    element(
        picture, "text", f"{sum(allowed)} of {len(allowed)}", x=LEFT + SECONDS * SCALE + 12, y=y + 4
    )
    element(picture, "line", x1=LEFT, y1=y, x2=LEFT + SECONDS * SCALE, y2=y)
    for seconds, is_admitted in zip(TIMES, allowed, strict=True):
        kind = "admitted" if is_admitted else "refused"
        dot = element(picture, "circle", cx=LEFT + seconds * SCALE, cy=y, r=6, class_=kind)
        element(dot, "title", f"{algorithm}: {kind} at {seconds:g} s")


def draw() -> str:
    """All algorithms, one below another."""
    height = TOP + len(ALGORITHMS) * ROW + 10
    width = LEFT + SECONDS * SCALE + 80
    picture = ET.Element(
        "svg",
        {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {height}", "role": "img"},
    )
    element(
        picture, "title", f"Which requests pass where {LIMIT} are admitted in {WINDOW:g} seconds"
    )
    element(picture, "style", STYLE)
    for seconds in range(0, SECONDS + 1, int(WINDOW)):
        x = LEFT + seconds * SCALE
        element(picture, "line", x1=x, y1=TOP - 12, x2=x, y2=height - 26, class_="window")
        element(picture, "text", f"{seconds} s", x=x - 8, y=height - 8)
    for number, algorithm in enumerate(ALGORITHMS):
        draw_row(picture, number, algorithm)
    ET.indent(picture)
    return ET.tostring(picture, encoding="unicode") + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(), encoding="utf-8")
