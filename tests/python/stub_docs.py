# SPDX-License-Identifier: MIT
"""Gives the stub of the extension module the docstrings that the module has at run time.

`python tests/python/stub_docs.py` writes them; test_docs.py fails where they differ.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from sluice import _sluice

STUB = Path(__file__).parents[2] / "bindings/python/sluice/_sluice.pyi"
WIDTH = 100

Definition: TypeAlias = ast.FunctionDef | ast.ClassDef


def with_docs(stub: str) -> str:
    """The stub with the docstrings of the module."""
    lines = stub.splitlines()
    found = sorted(definitions(ast.parse(stub)), key=lambda each: each[0].lineno, reverse=True)
    for node, member in found:
        write_doc(lines, node, inspect.cleandoc(getattr(member, "__doc__", None) or ""))
    return "\n".join(lines) + "\n"


def definitions(tree: ast.Module) -> Iterator[tuple[Definition, object]]:
    """The public classes and functions of a stub; of overloads the first."""
    for node in tree.body:
        if not isinstance(node, Definition) or not hasattr(_sluice, node.name):
            continue
        owner = getattr(_sluice, node.name)
        yield node, owner
        seen: set[str] = set()
        for member in node.body if isinstance(node, ast.ClassDef) else []:
            is_public = isinstance(member, ast.FunctionDef) and not member.name.startswith("_")
            if isinstance(member, ast.FunctionDef) and is_public and member.name not in seen:
                seen.add(member.name)
                yield member, getattr(owner, member.name)


def write_doc(lines: list[str], node: Definition, doc: str) -> None:
    """Puts a docstring in the place of the one, or of the dots, that a definition has."""
    first = node.body[0]
    indent = " " * (node.col_offset + 4)
    has_doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    at = first.lineno - 1
    if isinstance(first, ast.FunctionDef) and first.decorator_list:
        at = first.decorator_list[0].lineno - 1
    end = at
    if has_doc:
        end = first.end_lineno or at
        header = lines[at][: first.col_offset].rstrip()
        at -= 0 if header else 1
        lines[at] = header or lines[at]
        at += 1
    lines[at:end] = quoted(doc, indent)


def quoted(doc: str, indent: str) -> list[str]:
    """A docstring as lines of a source file."""
    wrapped: list[str] = []
    for line in doc.splitlines():
        margin = line[: len(line) - len(line.lstrip())]
        width = WIDTH - len(indent) - 3
        wrapped += textwrap.wrap(line, width, subsequent_indent=margin) or [""]
    quote = 'r"""' if "\\" in doc else '"""'
    if len(wrapped) == 1:
        return [f'{indent}{quote}{wrapped[0]}"""']
    rest = [indent + line if line else "" for line in wrapped[1:]]
    return [f"{indent}{quote}{wrapped[0]}", *rest, f'{indent}"""']


if __name__ == "__main__":
    STUB.write_text(with_docs(STUB.read_text()))
