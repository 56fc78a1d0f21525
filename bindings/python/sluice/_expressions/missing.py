# SPDX-License-Identifier: MIT
"""What an import of a package that isn't installed says."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def explained(package: str) -> Iterator[None]:
    """Adds to an ImportError how the package is installed."""
    try:
        yield
    except ImportError as error:
        if error.name and error.name.partition(".")[0] != package:
            raise
        message = f"{package} is not installed: pip install 'sluice[{package}]'"
        raise ImportError(message, name=package) from error
