# SPDX-License-Identifier: MIT
"""A progress bar for long work on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

_SECONDS_WITHOUT = 0.5  # shorter work shows no bar


@contextmanager
def progress_bar(unit: str) -> Iterator[Callable[[int, int], None]]:
    """Yields a function that updates the bar, which is shown if stderr is a terminal.

    The bar is erased at the end, so that the next output starts on a clean line.
    """
    bar = _Bar(disable=None, leave=False, delay=_SECONDS_WITHOUT, unit=unit, unit_scale=True)

    def update(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    with bar:
        yield update


class _Bar(tqdm):  # type: ignore[type-arg]  # generic only in stubs
    monitor_interval = 0  # no monitor thread
