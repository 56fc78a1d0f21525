# SPDX-License-Identifier: MIT
"""GET /events as one writes it in Python: FastAPI, pydantic, limits, and an SQL engine."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from pydantic import ValidationError

from ..event_tables import FILTERED
from ..queries import Clause, Query
from ..validators import pydantic_model
from .base import EventService

LIMIT = 100_000_000  # a minute: never reached here


def to_query(asked: pydantic_model.EventsQuery) -> Query:
    """The subset that the tables know."""
    values = {name: getattr(asked, name) for name in FILTERED}
    return Query(
        tuple(Clause(name, v.values, v.excludes) for name, v in values.items() if v is not None),
        milliseconds(asked.start),
        milliseconds(asked.end),
        page=asked.page,
        limit=asked.limit,
    )


def milliseconds(moment: datetime | None) -> int | None:
    """Since 1970; a naive time is one of UTC."""
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(aware.timestamp() * 1000)


async def parameters(request: Request) -> Query:
    """The query string, checked by pydantic."""
    try:
        return to_query(pydantic_model.parse(request.url.query))
    except ValidationError as error:
        raise HTTPException(422, error.errors(include_url=False, include_context=False)) from None


def make_app(service: EventService, keys: set[bytes]) -> FastAPI:
    """The application; `keys` are the SHA-256 of bearer tokens."""
    app = FastAPI(openapi_url=None)
    limiter, item = SlidingWindowCounterRateLimiter(MemoryStorage()), RateLimitItemPerMinute(LIMIT)

    async def admitted(authorization: Annotated[str, Header()] = "") -> dict[str, str]:
        key = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).digest()
        if key not in keys:
            raise HTTPException(401)
        if not limiter.hit(item, key.hex()):
            raise HTTPException(429)
        reset, remaining = limiter.get_window_stats(item, key.hex())
        return {
            "x-ratelimit-limit": str(LIMIT),
            "x-ratelimit-remaining": str(remaining),
            "x-ratelimit-reset": str(int(reset)),
        }

    @app.get("/events")
    async def events(
        query: Annotated[Query, Depends(parameters)],
        headers: Annotated[dict[str, str], Depends(admitted)],
        if_none_match: Annotated[str, Header()] = "",
    ) -> Response:
        body = service.page(query)
        etag = f'"{hashlib.sha256(body).hexdigest()}"'
        if etag == if_none_match:
            return Response(status_code=304, headers=headers | {"etag": etag})
        return Response(body, headers=headers | {"etag": etag}, media_type="application/json")

    return app


def serve(name: str, tables: Path, port: int, certificate: Path) -> None:
    """Serves over TLS by uvicorn, with uvloop and httptools, one worker, no access log."""
    import uvicorn

    from ..cell import Missing
    from . import open_service

    service = open_service(name, tables, 1)
    if isinstance(service, Missing):
        raise SystemExit(service.reason)
    uvicorn.run(
        make_app(service, {hashlib.sha256(b"key").digest()}),
        host="127.0.0.1",
        port=port,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
        ssl_certfile=certificate / "cert.pem",
        ssl_keyfile=certificate / "key.pem",
    )


if __name__ == "__main__":
    import sys

    serve(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
