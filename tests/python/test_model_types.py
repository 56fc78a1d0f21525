# SPDX-License-Identifier: MIT
"""The table of types of models, ORMs and databases: requests find the rows that they should."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import new_class
from typing import Any

import django_settings  # before models
import pytest
import sqlalchemy as sa
import sqlmodel
from django.db import connections, models
from model_types import CASES, Case, expected_of, names_with, query_class_of, rows_of
from sql_engines import mariadb_place, postgresql_place
from sqlalchemy.orm import DeclarativeBase, Session, mapped_column

import sluice

ROOT = Path(__file__).parents[2]
SERVERS = ("postgresql", "mariadb")
DATABASES = ("sqlite", *(pytest.param(name, marks=pytest.mark.servers) for name in SERVERS))


@pytest.fixture(scope="module")
def places() -> Iterator[dict[str, str]]:
    with postgresql_place() as postgresql, mariadb_place() as mariadb:
        yield {"postgresql": postgresql, "mariadb": mariadb}


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def engine_of(database: str, request: pytest.FixtureRequest) -> sa.Engine:
    if database == "sqlite":
        engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    elif database == "mariadb":
        socket = request.getfixturevalue("places")["mariadb"]
        at = {"unix_socket": socket, "charset": "utf8mb4"}
        engine = sa.create_engine(
            sa.URL.create("mariadb+pymysql", "root", database="tests", query=at)
        )
    else:
        import psycopg

        place = request.getfixturevalue("places")["postgresql"]
        engine = sa.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(place))
    if database == "sqlite":
        sa.event.listen(engine, "connect", lambda opened, _: sluice.sql.register(opened))
    request.addfinalizer(engine.dispose)
    return engine


def alchemy_model(case: Case) -> Any:  # noqa: ANN401
    class Base(DeclarativeBase):
        pass

    members = {
        "__tablename__": "things",
        "__module__": __name__,
        "number": mapped_column(sa.Integer(), primary_key=True, autoincrement=False),
        "x": mapped_column(case.alchemy, nullable=True),
    }
    return type("Thing", (Base,), members)


def sqlmodel_model(case: Case) -> Any:  # noqa: ANN401
    members = {
        "__module__": __name__,
        "__tablename__": "things",
        "__table_args__": {"extend_existing": True},
        "__annotations__": {"number": int, "x": case.python | None},
        "number": sqlmodel.Field(primary_key=True),
        "x": sqlmodel.Field(None, max_digits=10, decimal_places=2)
        if case.python is Decimal
        else None,
    }
    base = new_class("Base", (sqlmodel.SQLModel,), {"registry": sa.orm.registry()})
    return new_class("Thing", (base,), {"table": True}, lambda body: body.update(members))


def check_requests(case: Case, model: Any, database: str, request: pytest.FixtureRequest) -> None:  # noqa: ANN401
    """Checks the requests of a case over a model of SQLAlchemy."""
    query_class = query_class_of(model, case)
    engine = engine_of(database, request)
    with Session(engine) as session:
        model.__table__.create(session.connection())
        session.add_all(model(**row) for row in rows_of(case))
        session.flush()
        for text, test in case.requests:
            query = query_class.parse(text)
            numbers = session.scalars(sa.select(model.number).where(query.where(model)))
            assert sorted(numbers) == expected_of(case, test), text
        session.rollback()
        model.metadata.drop_all(engine)


@pytest.mark.parametrize("name", CASES)
def test_sqlalchemy_finds_the_rows(
    name: str, database: str, request: pytest.FixtureRequest
) -> None:
    case = CASES[name]
    if database not in case.databases:
        pytest.skip("the database has no such type")
    check_requests(case, alchemy_model(case), database, request)


@pytest.mark.parametrize("name", names_with(lambda case: case.python))
def test_sqlmodel_finds_the_rows(name: str, database: str, request: pytest.FixtureRequest) -> None:
    check_requests(CASES[name], sqlmodel_model(CASES[name]), database, request)


@pytest.mark.parametrize("name", names_with(lambda case: case.django))
def test_django_finds_the_rows(name: str, database: str, request: pytest.FixtureRequest) -> None:
    case = CASES[name]
    if database not in case.databases:
        pytest.skip("the database has no such type")
    assert case.django is not None
    members = {
        "__module__": __name__,
        "Meta": type("Meta", (), {"app_label": f"things_{name.replace(' ', '_')}_{database}"}),
        "number": models.IntegerField(primary_key=True),
        "x": case.django(),
    }
    model: Any = type("Thing", (models.Model,), members)
    query_class = query_class_of(model, case)
    alias = "default"
    if database == "mariadb":
        alias = django_settings.add_mariadb(request, request.getfixturevalue("places")[database])
    elif database == "postgresql":
        place = request.getfixturevalue("places")[database]
        parts = (part.partition("=")[2] for part in place.split())
        alias = django_settings.add_postgresql(request, *parts)
    with connections[alias].schema_editor() as editor:
        editor.create_model(model)
    if database == "sqlite":
        sluice.sql.register(connections[alias].connection)
    things = model._default_manager.using(alias)
    things.bulk_create(model(**row) for row in rows_of(case))
    for text, test in case.requests:
        numbers = things.filter(query_class.parse(text).to_django()).values_list(
            "number", flat=True
        )
        assert sorted(numbers) == expected_of(case, test), text


def shown_type(kind: Any) -> str:  # noqa: ANN401
    """The name of a type of SQLAlchemy, and of that which it decorates."""
    name = type(kind).__name__
    if not isinstance(kind, sa.TypeDecorator) or type(kind).__module__.startswith("sqlalchemy"):
        return f"`{name}`"
    return f"a `TypeDecorator` of `{type(kind.impl_instance).__name__}`"


def table_of_types() -> Iterator[str]:
    """The lines of the docs' table: what the tests above find in each database."""
    names = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "mariadb": "MariaDB"}
    yield f"| type | SQLAlchemy | SQLModel | Django | {' | '.join(names.values())} |"
    yield "|---" * (4 + len(names)) + "|"
    for name, case in CASES.items():
        python = f"`{case.python.__name__}`" if case.python else "-"
        if (
            case.python
            and isinstance(case.python, type)
            and case.python.__module__ == "model_types"
        ):
            python = "an `Enum`"
        django = f"`{type(case.django()).__name__}`" if case.django else "-"
        cells = ("yes" if database in case.databases else "-" for database in names)
        yield f"| {name} | {shown_type(case.alchemy)} | {python} | {django} | {' | '.join(cells)} |"


def test_the_table_of_the_docs_is_what_the_tests_find() -> None:
    page = (ROOT / "docs/reference/model-types.md").read_text()
    assert [line for line in page.splitlines() if line.startswith("|")] == [*table_of_types()]
