# SPDX-License-Identifier: MIT
"""A model for each type of column in each ORM, its rows, and requests for them."""

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import django_settings  # noqa: F401 (before models)
import sqlalchemy as sa
from django.contrib.postgres.fields import ArrayField
from django.db import models
from sqlalchemy.dialects import postgresql

import sluice


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"
    HUGE = "huge"


class Grade(enum.Enum):
    B = 2
    A = 1


class Guid(sa.TypeDecorator[UUID]):
    """A UUID in any database, as the manual of SQLAlchemy has it."""

    impl = sa.CHAR
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> Any:  # noqa: ANN401
        is_native = dialect.name == "postgresql"
        return dialect.type_descriptor(postgresql.UUID() if is_native else sa.CHAR(32))

    def process_bind_param(self, value: UUID | None, dialect: sa.Dialect) -> Any:  # noqa: ANN401
        return value if value is None or dialect.name == "postgresql" else value.hex

    def process_result_value(self, value: Any, _: sa.Dialect) -> UUID | None:  # noqa: ANN401
        return value if value is None or isinstance(value, UUID) else UUID(value)


class InUtc(sa.TypeDecorator[datetime]):
    """A time in UTC without its zone."""

    impl = sa.DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _: sa.Dialect) -> datetime | None:
        return value and value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, _: sa.Dialect) -> datetime | None:
        return value and value.replace(tzinfo=UTC)


class Shouted(sa.TypeDecorator[str]):
    """A text that is kept in upper case; a condition compares what is kept."""

    impl = sa.String(20)
    cache_ok = True

    def process_bind_param(self, value: str | None, _: sa.Dialect) -> str | None:
        return value and value.upper()

    def process_result_value(self, value: str | None, _: sa.Dialect) -> str | None:
        return value and value.lower()


Test = tuple[str, Callable[[Any], bool]]


@dataclass(frozen=True)
class Case:
    """A type of a column in the ORMs, None where one has none, and what is asked of it."""

    alchemy: Any
    django: Callable[[], Any] | None
    values: tuple[Any, ...]
    parameter: Callable[[], Any]
    requests: tuple[Test, ...]
    databases: tuple[str, ...] = ("sqlite", "postgresql", "mariadb")
    python: Any = None  # the annotation of a field of SQLModel


def among(*wanted: object) -> Callable[[Any], bool]:
    return lambda value: value in wanted


def is_there(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is not None and test(value)


TOKENS = tuple(UUID(int=number << 100) for number in (1, 2, 3))
DAYS = tuple(date(2026, 8, day) for day in (1, 15, 31))
TIMES = tuple(datetime(2026, 8, day, 12, 30, 15, tzinfo=UTC) for day in (1, 15, 31))
AMOUNTS = tuple(map(Decimal, ("19.99", "-5.00", "0.10", "1000.00")))
FROM: Any = (">=", "<")
ABOVE: Any = (">",)
LISTS: tuple[Any, ...] = (["a", "b"], [], ["b"])
IN_A_LIST: tuple[Test, ...] = (
    ("x=a", is_there(lambda value: "a" in value)),
    ("x=-b,c", lambda value: value is None or not {*value} & {"b", "c"}),
)
MINUTES = tuple(at.replace(tzinfo=None) for at in TIMES)

CASES: Mapping[str, Case] = {
    "text": Case(
        sa.String(20),
        lambda: models.CharField(max_length=20, null=True),
        ("ann", "Ann", "b%", ""),
        sluice.filter,
        (("x=ann", among("ann")), ("x=-ann,b%25", lambda value: value not in ("ann", "b%"))),
        python=str,
    ),
    "long text": Case(
        sa.Text(),
        lambda: models.TextField(null=True),
        ("100%", "100", "a_b", "axb"),
        sluice.contains,
        (("x=%25", among("100%")), ("x=_", among("a_b"))),
    ),
    "integer": Case(
        sa.Integer(),
        lambda: models.IntegerField(null=True),
        (-1, 0, 7),
        lambda: sluice.integer(operators=FROM),
        (("x[gte]=0", among(0, 7)), ("x[lt]=7", among(-1, 0)), ("x[gte]=2147483648", among())),
        python=int,
    ),
    "float": Case(
        sa.Float(),
        lambda: models.FloatField(null=True),
        (-1.5, 0.25, 2.0),
        lambda: sluice.real(operators=FROM),
        (("x[gte]=0.25", among(0.25, 2.0)), ("x[lt]=1e-9", among(-1.5))),
        python=float,
    ),
    "numeric": Case(
        sa.Numeric(10, 2),
        lambda: models.DecimalField(max_digits=10, decimal_places=2, null=True),
        AMOUNTS,
        lambda: sluice.decimal(operators=FROM),
        (
            ("x[gte]=19.99", among(AMOUNTS[0], AMOUNTS[3])),
            ("x[lt]=0.105", among(AMOUNTS[1], AMOUNTS[2])),
        ),
        python=Decimal,
    ),
    "boolean": Case(
        sa.Boolean(),
        lambda: models.BooleanField(null=True),
        (True, False),
        sluice.boolean,
        (("x=true", among(True)), ("x=false", among(False))),
        python=bool,
    ),
    "date": Case(
        sa.Date(),
        lambda: models.DateField(null=True),
        DAYS,
        lambda: sluice.date(operators=FROM),
        (("x[gte]=2026-08-15", among(*DAYS[1:])), ("x[lt]=2026-08-15", among(DAYS[0]))),
        python=date,
    ),
    "time": Case(
        sa.DateTime(timezone=True),
        lambda: models.DateTimeField(null=True),
        TIMES,
        lambda: sluice.time(operators=FROM),
        (
            ("x[gte]=2026-08-15T12:30:15Z", lambda at: at is not None and at >= TIMES[1]),
            ("x[lt]=2026-08-15", lambda at: at is not None and at < TIMES[1]),
        ),
        python=datetime,
    ),
    "uuid": Case(
        sa.Uuid(),
        lambda: models.UUIDField(null=True),
        TOKENS,
        sluice.uuid,
        ((f"x={str(TOKENS[1]).upper()}", among(TOKENS[1])), (f"x={UUID(int=9)}", among())),
        python=UUID,
    ),
    "uuids": Case(
        sa.Uuid(native_uuid=False),
        None,
        TOKENS,
        sluice.filter,
        ((f"x=-{TOKENS[0]}", lambda value: value != TOKENS[0]),),
    ),
    "guid": Case(Guid(), None, TOKENS, sluice.uuid, ((f"x={TOKENS[2]}", among(TOKENS[2])),)),
    "enum by name": Case(
        sa.Enum(Size, name="size_by_name"),
        None,
        tuple(Size),
        lambda: sluice.filter(choices=Size),
        (("x=small,huge", among(Size.SMALL, Size.HUGE)), ("x=-small", lambda x: x != Size.SMALL)),
        python=Size,
    ),
    "enum by value": Case(
        sa.Enum(Size, name="size_by_value", values_callable=lambda kind: [m.value for m in kind]),
        None,
        tuple(Size),
        lambda: sluice.choice(Size, type="choice", operators=FROM),
        (("x[gte]=large", among(Size.LARGE, Size.HUGE)), ("x[lt]=large", among(Size.SMALL))),
    ),
    "enum of text": Case(
        sa.Enum(Size, name="size_of_text", native_enum=False, length=20),
        None,
        tuple(Size),
        lambda: sluice.choice(Size),
        (("x=large", among(Size.LARGE)),),
    ),
    "enum of numbers": Case(
        sa.Enum(Grade, name="grade"),
        None,
        tuple(Grade),
        sluice.filter,
        (("x=A", among(Grade.A)), ("x=-A", lambda grade: grade != Grade.A)),
    ),
    "enum of names": Case(
        sa.Enum("draft", "open", "done", name="state"),
        lambda: models.CharField(
            max_length=9, null=True, choices=[(name, name) for name in ("draft", "open", "done")]
        ),
        ("draft", "open", "done"),
        lambda: sluice.choice(("draft", "open", "done"), type="choice", operators=ABOVE),
        (("x[gt]=draft", among("open", "done")),),
    ),
    "json": Case(
        sa.JSON(none_as_null=True),
        lambda: models.JSONField(null=True),
        ({"plan": "pro"}, {"plan": "free"}, {}),
        sluice.metadata,
        (("x=metadata['plan']:pro", among({"plan": "pro"})),),
        ("sqlite", "postgresql"),
    ),
    "jsonb": Case(
        postgresql.JSONB(none_as_null=True),
        None,
        ({"plan": "pro", "n": 5}, {"plan": "free", "n": 7}, {}),
        sluice.metadata,
        (("x=metadata['n']>5", among({"plan": "free", "n": 7})),),
        ("postgresql",),
    ),
    "list in json": Case(
        sa.JSON(),
        lambda: models.JSONField(null=True),
        LISTS,
        lambda: sluice.filter(column=sluice.Column("x", is_list=True, is_nullable=True)),
        IN_A_LIST,
    ),
    "array": Case(
        sa.ARRAY(sa.Text()),
        lambda: ArrayField(models.TextField(), null=True),
        LISTS,
        sluice.filter,
        IN_A_LIST,
        ("postgresql",),
    ),
    "array of numbers": Case(
        sa.ARRAY(sa.Integer()),
        lambda: ArrayField(models.IntegerField(), null=True),
        ([80, 443], [], [8080]),
        lambda: sluice.filter(type="integer"),
        (
            ("x=80", is_there(lambda value: 80 in value)),
            ("x=80,9999999999", is_there(lambda value: 80 in value)),
            ("x=9999999999", among()),
        ),
        ("postgresql",),
    ),
    "array of UUIDs": Case(
        sa.ARRAY(sa.Uuid()),
        lambda: ArrayField(models.UUIDField(), null=True),
        ([UUID(int=1), UUID(int=2)], [], [UUID(int=3)]),
        sluice.filter,
        ((f"x={UUID(int=2)}", is_there(lambda value: UUID(int=2) in value)),),
        ("postgresql",),
    ),
    "variant": Case(
        sa.JSON().with_variant(sa.ARRAY(sa.Text()), "postgresql"),
        None,
        LISTS,
        lambda: sluice.filter(column=sluice.Column("x", is_list=True, is_nullable=True)),
        IN_A_LIST,
    ),
    "decorated time": Case(
        InUtc(),
        None,
        TIMES,
        lambda: sluice.time(operators=FROM),
        (("x[gte]=2026-08-15T12:30:15Z", lambda at: at is not None and at >= TIMES[1]),),
    ),
    "decorated text": Case(
        Shouted(),
        None,
        ("ann", "bob"),
        sluice.filter,
        (("x=ANN", among("ann")), ("x=ann", among())),
    ),
    "time without zone": Case(
        sa.DateTime(),
        None,
        MINUTES,
        lambda: sluice.time(operators=FROM),
        (("x[gte]=2026-08-15T12:30:15Z", lambda at: at is not None and at >= MINUTES[1]),),
    ),
}


def rows_of(case: Case) -> list[dict[str, Any]]:
    """A row a value, and one without any."""
    return [{"number": n, "x": value} for n, value in enumerate((*case.values, None), start=10)]


def expected_of(case: Case, test: Callable[[Any], bool]) -> list[int]:
    return [row["number"] for row in rows_of(case) if test(row["x"])]


def query_class_of(model: Any, case: Case) -> Any:  # noqa: ANN401
    """The class of a list of a model."""
    members = {"x": case.parameter(), "page": sluice.page()}
    return type("Things", (sluice.ListQuery.of(model),), members)


def names_with(has: Callable[[Case], object]) -> Iterable[str]:
    return [name for name, case in CASES.items() if has(case)]
