# SPDX-License-Identifier: MIT
"""Django's settings for all tests: a process has them once. Import this before models."""

import django
import pytest
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["related_shop"],
    REST_FRAMEWORK={"UNAUTHENTICATED_USER": None},
    USE_TZ=True,
)
django.setup()

from django.db import connections  # noqa: E402 (after setup)


def add_postgresql(request: pytest.FixtureRequest, host: str, user: str, name: str) -> str:
    """Adds a PostgreSQL database under an alias of its own, and closes it after the test.

    A process keeps the connection of an alias, whatever its settings become.
    """
    alias = f"postgresql_{len(connections.databases)}"
    connections.databases[alias] = {
        **connections.databases["default"],
        **{"ENGINE": "django.db.backends.postgresql", "NAME": name, "HOST": host, "USER": user},
    }
    request.addfinalizer(connections[alias].close)
    return alias


def add_mariadb(request: pytest.FixtureRequest, socket: str) -> str:
    """Adds a MariaDB database under an alias of its own, and closes it after the test."""
    import pymysql

    pymysql.install_as_MySQLdb()
    alias = f"mariadb_{len(connections.databases)}"
    connections.databases[alias] = {
        **connections.databases["default"],
        **{"ENGINE": "django.db.backends.mysql", "NAME": "tests", "HOST": socket, "USER": "root"},
        "OPTIONS": {"charset": "utf8mb4"},
    }
    request.addfinalizer(connections[alias].close)
    return alias
