# SPDX-License-Identifier: MIT
"""Every public name says what it is: at run time, in the stub, and truly in its examples."""

import ast
import doctest
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sluice
import sluice.django
import sluice.fastapi
import sluice.flask
import sluice.grammars
import sluice.groups
import sluice.limits
import sluice.litestar
import sluice.pages
import sluice.sqlalchemy
import sluice.starlette
import sluice.wsgi

MAKE_STUBS = Path(__file__).parents[2] / "bindings/make_stubs.py"
MODULES = {
    "sluice": sluice,
    "sluice.api": sluice.api,
    "sluice.asgi": sluice.asgi,
    "sluice.django": sluice.django,
    "sluice.fastapi": sluice.fastapi,
    "sluice.flask": sluice.flask,
    "sluice.grammars": sluice.grammars,
    "sluice.groups": sluice.groups,
    "sluice.limits": sluice.limits,
    "sluice.litestar": sluice.litestar,
    "sluice.pages": sluice.pages,
    "sluice.sql": sluice.sql,
    "sluice.sqlalchemy": sluice.sqlalchemy,
    "sluice.starlette": sluice.starlette,
    "sluice.wsgi": sluice.wsgi,
}


def members_of(kind: type) -> Iterator[tuple[str, Any]]:
    for name in vars(kind):
        if not name.startswith("_"):
            member = inspect.getattr_static(kind, name)
            yield f"{kind.__name__}.{name}", getattr(member, "__func__", member)


def public_names() -> Iterator[tuple[str, Any]]:
    for module_name, module in MODULES.items():
        names = getattr(module, "__all__", None) or [n for n in vars(module) if n[0] != "_"]
        for name in names:
            member = getattr(module, name)
            is_public = getattr(member, "__module__", "").startswith("sluice")
            if inspect.isclass(member) and is_public:
                yield name, member
                yield from members_of(member)
            elif inspect.isroutine(member) and is_public:
                yield f"{module_name}.{name}", member


NAMES = dict(public_names())
CONSTANTS = [name for name in sluice.__all__ if name.isupper()]


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_a_docstring(name: str) -> None:
    member = NAMES[name]
    if "." in name and not callable(member) and not hasattr(member, "__get__"):
        owner = NAMES[name.partition(".")[0]]  # a constant, which can't have one of its own
        assert f"\n    {name.rpartition('.')[2]}: " in inspect.cleandoc(owner.__doc__)
        return
    doc = inspect.cleandoc(member.__doc__ or "")
    assert len(doc) > 10
    assert doc.splitlines()[0][-1] in ".:"
    assert "--\n" not in doc


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_told_by_the_module(name: str) -> None:
    owner = sluice.api if name in sluice.api.__all__ else sluice
    assert f"\n    {name}: " in (owner.__doc__ or "")


@pytest.mark.parametrize(
    "name",
    [
        n
        for n, member in NAMES.items()
        if inspect.isbuiltin(member) or inspect.ismethoddescriptor(member)
    ],
)
def test_docstrings_name_every_parameter(name: str) -> None:
    function = NAMES[name]
    doc = function.__doc__ or ""
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.name == "self" or parameter.name in doc


@pytest.mark.parametrize("script", ["make_stubs.py", "make_types.py"])
def test_what_is_made_of_the_compiled_module_is_up_to_date(script: str) -> None:
    checked = subprocess.run(
        [sys.executable, MAKE_STUBS.with_name(script), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("name", [n for n, member in NAMES.items() if ">>>" in str(member.__doc__)])
def test_examples_are_true(name: str) -> None:
    test = doctest.DocTestParser().get_doctest(
        inspect.cleandoc(NAMES[name].__doc__), {"sluice": sluice}, name, None, None
    )
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


DECLARED = [
    # query, parameter's attribute, its type in the stub
    (sluice.api.EventsQuery, "country", "Filter | None"),
    (sluice.api.EventsQuery, "external_id", "str | None"),
    (sluice.api.EventsQuery, "sale_type", 'Literal["new", "recurring"] | None'),
    (sluice.api.EventsQuery, "order", 'Literal["asc", "desc"]'),
    (sluice.api.EventsQuery, "root", "bool | None"),
    (sluice.api.EventsQuery, "start", "datetime | None"),
    (sluice.api.EventsQuery, "end", "datetime"),
    (sluice.api.EventsQuery, "timezone", "str"),
    (sluice.api.EventsQuery, "limit", "int"),
    (sluice.api.TagsQuery, "ids", "tuple[str, ...]"),
    (sluice.api.TagsQuery, "sort_by", 'Literal["name", "createdAt"]'),
]


@pytest.mark.parametrize(("kind", "name", "declared"), DECLARED)
def test_types_of_parameters_come_from_their_tables(kind: type, name: str, declared: str) -> None:
    stub = ast.parse((MAKE_STUBS.parent / "python/sluice/_sluice.pyi").read_text())
    [query] = [n for n in stub.body if isinstance(n, ast.ClassDef) and n.name == kind.__name__]
    [getter] = [n for n in query.body if isinstance(n, ast.FunctionDef) and n.name == name]
    assert ast.dump(getter.returns or getter) == ast.dump(ast.parse(declared, mode="eval").body)


def test_attributes_of_queries_are_told_by_their_tables() -> None:
    for kind in (sluice.api.EventsQuery, sluice.api.TagsQuery):
        for parameter in kind.parameters:
            name = "".join(f"_{char.lower()}" if char.isupper() else char for char in parameter)
            doc = inspect.getattr_static(kind, name).__doc__
            assert doc.startswith(f"The parameter {parameter}.\n\nMeaning: ")
