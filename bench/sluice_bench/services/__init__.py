# SPDX-License-Identifier: MIT
"""The same subset of GET /events over SQL engines: clicks, filters, window, page."""

from importlib import import_module
from pathlib import Path

from ..cell import Missing
from ..context import lacks
from .base import EventService

# Module, class, and the package without which it is missing.
SERVICES = {
    "DuckDB": ("duckdb_events", "DuckdbEvents", "duckdb"),
    "SQLite": ("sqlite_events", "SqliteEvents", "sqlite3"),
}


def service_class(name: str) -> type[EventService] | Missing:
    """The class of a service, unless its engine isn't installed."""
    module, class_name, package = SERVICES[name]
    missing = lacks(package)
    if missing:
        return missing
    service: type[EventService] = getattr(import_module(f".{module}", __name__), class_name)
    return service


def about() -> dict[str, dict[str, str]]:
    """What each service is, as the JSON file holds it."""
    found: dict[str, dict[str, str]] = {}
    for name in SERVICES:
        service = service_class(name)
        found[f"{name}, events"] = (
            {"missing": service.reason}
            if isinstance(service, Missing)
            else {"version": service.version, "settings": service.settings}
        )
    missing = lacks("fastapi") or lacks("limits")
    found["FastAPI"] = {"missing": missing.reason} if missing else fastapi_settings()
    return found


def fastapi_settings() -> dict[str, str]:
    """The framework over either service."""
    import fastapi

    settings = (
        "asynchronous endpoint and dependencies, pydantic for the parameters, limits in memory,"
        " SHA-256 of key and page; served by uvicorn with uvloop and httptools, one worker, no"
        " access log"
    )
    return {"version": fastapi.__version__, "settings": settings}


def open_service(name: str, tables: Path, threads: int) -> EventService | Missing:
    """A service over the tables of a folder, unless its engine isn't installed."""
    service = service_class(name)
    return service if isinstance(service, Missing) else service(tables, threads)
