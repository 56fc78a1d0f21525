# SPDX-License-Identifier: MIT
"""Import errors of optional packages."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def explained(package: str) -> Iterator[None]:
    """Adds to an ImportError how to install the package."""
    try:
        yield
    except ImportError as error:
        if error.name and error.name.partition(".")[0] != package:
            raise
        message = f"{package} is not installed: pip install 'sluice[{package}]'"
        raise ImportError(message, name=package) from error
