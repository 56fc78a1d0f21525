# SPDX-License-Identifier: MIT
"""Generates the stub of the extension module from the compiled module.

`python bindings/make_stubs.py` writes it; with --check it only checks that it is up to date. The
declarations are written where C++ binds the members; see declarations.hpp.
"""

import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ClassMethodDescriptorType
from typing import Any

from sluice import _sluice

STUB = Path(__file__).parent / "python/sluice/_sluice.pyi"

PRELUDE = """\
# SPDX-License-Identifier: MIT
# Made by make_stubs.py of the compiled module.
# mypy: disable-error-code="overload-overlap"
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from os import PathLike
from typing import (
    Any, ClassVar, Literal, Never, Protocol, Self, SupportsFloat, SupportsIndex, TypeAlias, TypeVar,
    final, overload,
)

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import sqlalchemy as sa
from django.db.models import Q
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from sluice._column import Column
from sluice._errors import ApiError
from sluice._window import Window
from sluice.sql import Place, Statement

_Flag: TypeAlias = bool | np.bool_
_Time: TypeAlias = str | date | TimeExpression  # each datetime is a date
# Values are str, bool, numbers, datetime, date, UUID, members of an Enum, Filter, MetadataQuery,
# TimeExpression, Cursor or None, or lists, tuples or sets of them.
_Pairs: TypeAlias = Mapping[str, object] | Iterable[tuple[str, object]]
_QueryString: TypeAlias = str | bytes | _Pairs
_Headers: TypeAlias = Mapping[str, str] | Iterable[tuple[str | bytes, str | bytes]]
_Progress: TypeAlias = Callable[[int, int], object]
_Runner: TypeAlias = Callable[[str, dict[str, Any]], bytes | None]
_State: TypeAlias = dict[str, Any]
_Storage: TypeAlias = Literal["prepared", "native", "function"]
_Bound = TypeVar("_Bound", bound=BoundQuery)

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

_Arrow: TypeAlias = _ArrowStream | _ArrowArray
_Table: TypeAlias = _Arrow | pl.LazyFrame | ds.Dataset | ds.Scanner

__version__: str
"""

NEVER_MADE = "def __init__(self, *args: Never, **kwargs: Never) -> None: ..."
NO_HASH = "__hash__: ClassVar[None]  # type: ignore[assignment]"
IS_BASE = 1 << 10  # Py_TPFLAGS_BASETYPE
SINCE_3_12 = "if sys.version_info >= (3, 12):"


def make_stub() -> str:
    """Returns the stub of the module."""
    return formatted(PRELUDE + "\n".join(module_lines()) + "\n")


def module_lines() -> Iterator[str]:
    """Yields constants, functions and classes, each kind in the order of binding."""
    members = {name: value for name, value in vars(_sluice).items() if not name.startswith("_")}
    for name, value in members.items():
        if isinstance(value, int | float):
            yield f"{name}: {type(value).__name__}"
    for declaration in vars(_sluice)["_declarations"].values():
        yield from member_lines(_sluice, declaration)
    for value in members.values():
        if inspect.isclass(value):
            yield from class_lines(value)


def class_lines(kind: type) -> Iterator[str]:
    """Yields a class: its constructor, which is declared under its name, and its members."""
    yield "@disjoint_base" if kind.__flags__ & IS_BASE else "@final"
    yield f"class {kind.__name__}:"
    yield from indented(docstring(kind))
    declarations = dict(vars(kind)["_declarations"])
    yield from indented(constructor(kind, declarations.pop(kind.__name__, "")))
    for declaration in declarations.values():
        yield from indented(member_lines(kind, declaration))
    for name, member in vars(kind).items():
        if inspect.isfunction(member) or isinstance(member, classmethod):
            yield from indented(python_lines(name, member))
    if kind.__hash__ is None:
        yield from indented([NO_HASH])


def python_lines(name: str, member: Any) -> Iterator[str]:  # noqa: ANN401
    """Yields a method that is written in Python; its annotations are strings."""
    if isinstance(member, classmethod):
        yield "@classmethod"
        member = member.__func__
    first, *others = inspect.signature(member).parameters.values()
    defaults = {
        parameter: "" if parameter.default is parameter.empty else f" = {parameter.default}"
        for parameter in others
    }
    parameters = [
        f"{parameter.name}: {parameter.annotation}{default}"
        for parameter, default in defaults.items()
    ]
    answer = member.__annotations__["return"]
    yield f"def {name}({', '.join([first.name, *parameters])}) -> {answer}:"
    yield from indented(["..."] if name.startswith("__") else docstring(member))


def constructor(kind: type, declaration: str) -> Iterator[str]:
    """Yields the declared constructor; without one, for a final class, one that can't be called."""
    if not declaration:
        yield from [] if kind.__flags__ & IS_BASE else [NEVER_MADE]
        return
    name, this, answer = "__init__", "self", "None"
    if "__init__" not in vars(kind):
        name, this, answer = "__new__", "cls", "Self"
    yield declaration.replace(f"{kind.__name__}(", f"def {name}({this}, ", 1) + f" -> {answer}: ..."


def member_lines(owner: object, declaration: str) -> Iterator[str]:
    """Yields a function or an attribute of a class or the module."""
    name = re.split(r"\W", declaration, maxsplit=1)[0]
    member = inspect.getattr_static(owner, name, None)
    if name == "__buffer__":
        yield SINCE_3_12
        yield f"    def {with_self(declaration)}: ..."
    elif isinstance(member, property) or inspect.isgetsetdescriptor(member):
        yield "@property"
        yield f"def {declaration.replace(':', '(self) ->', 1)}:"
        yield from indented(docstring(member))
    elif "(" in declaration:
        yield from function_lines(member, declaration)
    else:
        yield declaration


def function_lines(function: object, declaration: str) -> Iterator[str]:
    """Yields a function and its overloads; the first has the docstring."""
    overloads = re.split(r"\n(?=\w+\()", declaration)
    # A method of a class may be a static one whose `self` is the class.
    is_static = isinstance(function, staticmethod)
    of_class = isinstance(function, ClassMethodDescriptorType) or (
        is_static and isinstance(getattr(function.__func__, "__self__", None), type)
    )
    kind = "@classmethod" if of_class else "@staticmethod"
    doc = docstring(getattr(function, "__func__", function))
    for signature in overloads:
        if len(overloads) > 1:
            yield "@overload"
        yield from [kind] if of_class or is_static else []
        yield f"def {with_self(signature, of_class)}:"
        yield from indented(doc)
        doc = ["..."]


def with_self(signature: str, of_class: bool = False) -> str:
    """Returns a signature with its first parameter named as in Python, or added if missing."""
    shown = signature.replace("$self", "self").replace("$type", "cls")
    return shown.replace("(", "(cls, ", 1) if of_class and "(cls" not in shown else shown


def docstring(member: object) -> list[str]:
    """Returns the docstring of a public member; dots for special methods."""
    if getattr(member, "__name__", "").startswith("__"):
        return ["..."]
    doc = inspect.getdoc(member) or ""
    quote = 'r"""' if "\\" in doc else '"""'
    end = "\n" if "\n" in doc else ""
    return f'{quote}{doc}{end}"""'.splitlines()


def indented(lines: Iterable[str]) -> Iterator[str]:
    """Indents the lines of a body."""
    return (textwrap.indent(line, "    ") for line in lines)


def formatted(source: str) -> str:
    """Formats a source file like all others."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(STUB), "-"]
    done = subprocess.run(command, input=source, stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout


if __name__ == "__main__":
    if "--check" not in sys.argv:
        STUB.write_text(make_stub())
    elif STUB.read_text() != make_stub():
        sys.exit(f"{STUB} is stale: python {__file__}")
