# SPDX-License-Identifier: MIT
"""Docstrings as the reference reads them."""

import griffe


class Examples(griffe.Extension):
    """Calls the section of examples by the name that makes its lines code."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Looks at one object of the package."""
        if obj.docstring:
            obj.docstring.value = obj.docstring.value.replace("\nExample:\n", "\nExamples:\n")
