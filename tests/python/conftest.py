# SPDX-License-Identifier: MIT
"""Shared fixtures: records, a store and a handler over them, and a key to it."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from api_keys import make_key
from cpp_server import server, server_data, server_keys, start  # noqa: F401 (fixtures)

import sluice

NOW = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
SHARED_DATA = Path(__file__).parents[2].parent / "shared" / "data"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leaves out what is marked `servers`, where nobody asks for it."""
    if os.environ.get("SLUICE_TEST_SERVERS") == "1":
        return
    for item in items:
        if item.get_closest_marker("servers"):
            item.add_marker(pytest.mark.skip(reason="SLUICE_TEST_SERVERS=1 asks for it"))


@pytest.fixture(scope="session")
def now() -> datetime:
    """A present that comes after all records."""
    return NOW


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample of 3,000 events that end at `now`."""
    folder = tmp_path_factory.mktemp("sample")
    sluice.write_sample(folder, 3_000, seed=7, now=NOW)
    return folder


@pytest.fixture(scope="session")
def data_folder(sample_folder: Path) -> Path:
    """The real data set where it is there, else the sample."""
    return SHARED_DATA if SHARED_DATA.is_dir() else sample_folder


@pytest.fixture(scope="session")
def store(data_folder: Path) -> sluice.EventStore:
    return sluice.EventStore.load(data_folder)


@pytest.fixture(scope="session")
def token() -> str:
    """A token with all permissions that no rate limit stops."""
    return "tok_everything"


@pytest.fixture(scope="session")
def keys(token: str) -> list[dict[str, Any]]:
    return [make_key(token)]


@pytest.fixture
def handler(store: sluice.EventStore, keys: list[dict[str, Any]]) -> sluice.Handler:
    return sluice.Handler(store, keys)
