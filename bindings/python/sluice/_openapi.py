# SPDX-License-Identifier: MIT
"""The OpenAPI document of a declared endpoint, for `python -m sluice openapi`."""

import importlib
import inspect
import json
import re
import sys
from operator import attrgetter
from types import ModuleType
from typing import Any, Protocol

from sluice.api import openapi_document


class Declared(Protocol):
    """A class with parameters, such as a subclass of sluice.ListQuery."""

    __name__: str
    __module__: str

    def openapi_parameters(self) -> list[dict[str, Any]]:
        """Returns the parameters of an OpenAPI 3.1 operation."""
        ...


class DeclarationError(ValueError):
    """No class with parameters at a place; the message says what is accepted."""


def find_declared(place: str) -> Declared:
    """Returns the class at `module:Class`.

    Raises:
        DeclarationError: There is no such class.
    """
    module_name, _, name = place.partition(":")
    if not module_name or not name:
        raise DeclarationError(f"{place!r}: expected MODULE:CLASS, such as shop.api:Orders")
    module = _import(module_name)
    try:
        member = attrgetter(name)(module)
    except AttributeError:
        raise DeclarationError(
            f"{place}: not in the module, expected {_classes_of(module)}"
        ) from None
    if not _is_declared(member):
        raise DeclarationError(f"{place}: declares no parameters, expected {_classes_of(module)}")
    declared: Declared = member
    return declared


def document_of(declared: Declared, url: str = "/", path: str | None = None) -> dict[str, Any]:
    """Returns an OpenAPI 3.1 document with a single operation, GET, with the parameters of a class.

    Args:
        declared: The class.
        url: The server's URL.
        path: The path of the operation; by default the class's name in lower case, with dashes.
    """
    name = declared.__name__
    about = inspect.cleandoc(declared.__doc__ or "") or f"A list of {name}."
    shared = json.loads(openapi_document())["components"]
    operation = {
        "operationId": f"list{name}",
        "summary": about.partition("\n")[0],
        "description": about,
        "tags": [name],
        "parameters": declared.openapi_parameters(),
        "responses": {"200": _PAGE} | {status: {"$ref": ref} for status, ref in _REFUSALS.items()},
    }
    return {
        "openapi": "3.1.0",
        "info": _info_of(declared, about),
        "servers": [{"url": url}],
        "tags": [{"name": name, "description": about}],
        "security": [],
        "paths": {path or _path_of(name): {"get": operation}},
        "components": {
            "responses": {
                _name_of(ref): _without_headers(shared["responses"][_name_of(ref)])
                for ref in _REFUSALS.values()
            },
            "schemas": {schema: shared["schemas"][schema] for schema in ("Error", "ErrorDetail")},
        },
    }


_REFUSALS = {
    "400": "#/components/responses/BadRequest",
    "422": "#/components/responses/UnprocessableEntity",
}
_PAGE = {
    "description": "A page of the list.",
    "content": {"application/json": {"schema": {"type": "array", "items": {"type": "object"}}}},
}


def _name_of(reference: str) -> str:
    """Returns the last part of a JSON reference."""
    return reference.rpartition("/")[2]


def _without_headers(response: dict[str, Any]) -> dict[str, Any]:
    """Returns a response of the reference service without its additional headers."""
    return {key: value for key, value in response.items() if key != "headers"}


def _info_of(declared: Declared, about: str) -> dict[str, Any]:
    version = getattr(sys.modules.get(declared.__module__), "__version__", None)
    return {
        "title": declared.__name__,
        "version": version if isinstance(version, str) else "0.0.0",
        "description": about,
        "contact": {"name": declared.__module__},
        "license": {"name": "not stated", "identifier": "NOASSERTION"},
    }


def _path_of(name: str) -> str:
    """Returns `/order-items` for `OrderItems`."""
    return "/" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def _import(name: str) -> ModuleType:
    """Imports a module of the current folder or of an installed package.

    Raises:
        DeclarationError: It failed, for whatever reason.
    """
    if "" not in sys.path:  # for scripts, sys.path has their folder instead of the current one
        sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except Exception as error:  # modules may raise anything
        raise DeclarationError(
            f"{name}: can't be imported ({type(error).__name__}: {error}), "
            "expected a module of this folder or of what is installed"
        ) from error


def _is_declared(member: object) -> bool:
    return isinstance(member, type) and callable(getattr(member, "openapi_parameters", None))


def _classes_of(module: ModuleType) -> str:
    """Describes the suitable classes of a module."""
    names = sorted(
        name
        for name, member in vars(module).items()
        if _is_declared(member) and member.__module__ == module.__name__
    )
    if not names:
        return "a subclass of sluice.ListQuery; the module defines none"
    return " or ".join(names)
