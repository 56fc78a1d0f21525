# SPDX-License-Identifier: MIT
"""Gives the extension module the objects of this package that it uses."""

import importlib

from sluice._sluice import set_loader

_MODULES = {
    "ApiError": "sluice._errors",
    "Column": "sluice._column",
    "Place": "sluice.sql",
    "SharedLimiter": "sluice._shared",
    "Statement": "sluice.sql",
    "Window": "sluice._window",
    "to_readable": "sluice._tables",
}


def load(name: str) -> object:
    """Returns an object of the package by its name; the extension module calls it once per name."""
    return getattr(importlib.import_module(_MODULES[name]), name)


set_loader(load)
