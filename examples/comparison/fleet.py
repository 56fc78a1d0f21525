# SPDX-License-Identifier: MIT
"""The vehicles that the fleet's programs list: a table of PostgreSQL, at the URL in FLEET."""

import os
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

PLACE = sa.make_url(os.environ["FLEET"])  # postgresql://sluice@/postgres?host=/run/postgresql
TABLE = """
DROP TABLE IF EXISTS vehicles; DROP TYPE IF EXISTS fuel;
CREATE TYPE fuel AS ENUM ('petrol', 'diesel', 'electric');
CREATE TABLE vehicles (id uuid PRIMARY KEY, plate text NOT NULL, depot uuid NOT NULL,
    fuel fuel NOT NULL, brand text, seats integer NOT NULL, price numeric(10, 2) NOT NULL,
    registered timestamptz NOT NULL, inspected date, available boolean NOT NULL,
    equipment text[] NOT NULL, details jsonb);
INSERT INTO vehicles SELECT md5(n::text)::uuid, 'P-' || n, md5('depot' || n % 20)::uuid,
    (ARRAY['petrol', 'diesel', 'electric'])[n % 3 + 1]::fuel,
    (ARRAY['Audi', 'Citroën', 'Rolls, Royce', NULL])[n / 3 % 4 + 1], n % 7 + 2,
    n::bigint * 7919 % 1000000 / 100.0, timestamptz '2016-01-01Z' + n * interval '5 min',
    CASE WHEN n % 5 > 0 THEN date '2026-01-01' + n % 300 END, n % 9 > 0,
    ARRAY['gps', 'e' || n % 500],
    CASE WHEN n % 11 > 0 THEN jsonb_build_object('plan', 'p' || n % 50, 'doors', n % 5) END
    FROM generate_series(1, {rows}) AS n;
CREATE INDEX ON vehicles (registered, id); CREATE INDEX ON vehicles (price, id);
CREATE INDEX ON vehicles USING gin (equipment);
ANALYZE vehicles"""


class Fuel(Enum):
    """The kinds of engines."""

    petrol = "petrol"
    diesel = "diesel"
    electric = "electric"


class Base(DeclarativeBase):
    """The base class of models."""


class VehicleModel(Base):
    """A vehicle of a rental, whose brand may be unknown."""

    __tablename__ = "vehicles"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    plate: Mapped[str]
    depot: Mapped[UUID]
    fuel: Mapped[Fuel]
    brand: Mapped[str | None]
    seats: Mapped[int]
    price: Mapped[Decimal] = mapped_column(sa.Numeric(10, 2))
    registered: Mapped[datetime] = mapped_column(sa.DateTime(timezone=True))
    inspected: Mapped[date | None]
    available: Mapped[bool]
    equipment: Mapped[list[str]] = mapped_column(postgresql.ARRAY(sa.Text))
    details: Mapped[dict[str, Any] | None] = mapped_column(postgresql.JSONB)


class Vehicle(BaseModel):
    """A vehicle in answers."""

    model_config = ConfigDict(from_attributes=True)
    id: UUID
    plate: str
    depot: UUID
    fuel: Fuel
    brand: str | None
    seats: int
    price: Decimal
    registered: datetime
    inspected: date | None
    available: bool
    equipment: list[str]
    details: dict[str, Any] | None


engine = create_async_engine(PLACE.set(drivername="postgresql+asyncpg"))
open_session = async_sessionmaker(engine, class_=AsyncSession)
