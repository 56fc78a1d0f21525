# SPDX-License-Identifier: MIT
"""A search box: FastAPI and SQLAlchemy, with the indexes that serve it in PostgreSQL."""

from collections.abc import Iterator
from typing import Annotated

import sqlalchemy as sa
from fastapi import Depends, FastAPI, Request, Response
from fastapi.testclient import TestClient
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import sluice
import sluice.fastapi
import sluice.sqlalchemy


class Base(DeclarativeBase):
    """The models of the yard."""


def trigrams(name: str) -> sa.Index:
    """The index of the parts of a column's texts in lower case; needs CREATE EXTENSION pg_trgm."""
    lowered = sa.text(f'lower({name} COLLATE "C") gin_trgm_ops')
    index = sa.Index(f"boxes_{name}", lowered, postgresql_using="gin")
    return index.ddl_if(dialect="postgresql")


class BoxModel(Base):
    """A container."""

    __tablename__ = "boxes"
    id: Mapped[int] = mapped_column(primary_key=True)
    reference: Mapped[str]
    container: Mapped[str | None]
    __table_args__ = (trigrams("reference"), trigrams("container"))


SOUGHT = (
    sluice.Column("reference", collation="ignore_case"),
    sluice.Column("container", collation="ignore_case", is_nullable=True),
)


class Boxes(sluice.ListQuery, model=BoxModel):
    """Containers in a yard."""

    search = sluice.search(*SOUGHT, name="q")
    order = sluice.sort("reference")
    page = sluice.page(default=2)


engine = sa.create_engine(
    "sqlite://", connect_args={"check_same_thread": False}, poolclass=sa.StaticPool
)
app = FastAPI()
sluice.fastapi.install(app)


def session_of_request() -> Iterator[Session]:
    with Session(engine) as session:
        yield session


@app.get("/boxes")
def list_boxes(
    query: Annotated[Boxes, sluice.fastapi.Query(Boxes)],
    session: Annotated[Session, Depends(session_of_request)],
    request: Request,
    response: Response,
) -> list[str]:
    page = sluice.sqlalchemy.page(session, query, BoxModel, request.url.path)
    response.headers.update(page.headers)
    return [box.reference for box in page.rows]


Base.metadata.create_all(engine)
with Session(engine) as session:
    boxes = [("MSCU-1", "reefer"), ("hlxu-2", None), ("MSCU-3", "tank"), ("TRLU-4", "Tank 100%")]
    session.add_all(BoxModel(reference=reference, container=of) for reference, of in boxes)
    session.commit()

client = TestClient(app)
for text in ("mscu", "TANK", "100%", "hlxu reefer", ""):
    answer = client.get("/boxes", params={"q": text})
    print(f"{text!r:14}", answer.json(), "next" in answer.links)
