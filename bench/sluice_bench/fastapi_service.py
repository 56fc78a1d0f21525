# SPDX-License-Identifier: MIT
"""A subset of GET /events as one writes it in Python: clicks, filters, window, page.

A database of events.py holds the rows; FastAPI, pydantic and limits serve them. Run as a module,
it serves over TLS by uvicorn, in one process without an access log:

    python -m sluice_bench.fastapi_service DuckDB TABLES CERTIFICATE KEY
"""

import hashlib
import socket
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import limits
import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from pydantic import ValidationError

from .events import DATABASES, FILTERED, EventDatabase
from .queries import Clause, Query
from .validation import parse_by_pydantic

KEY = hashlib.sha256(b"key").digest()
LIMIT = 100_000_000  # a minute: never reached here


def milliseconds(moment: datetime | None) -> int | None:
    """Returns a time since 1970; a naive one is UTC."""
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(aware.timestamp() * 1000)


def make_app(service: EventDatabase, keys: set[bytes]) -> FastAPI:
    """Makes the application; `keys` are the SHA-256 of bearer tokens."""
    app = FastAPI(openapi_url=None)
    limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
    item = limits.RateLimitItemPerMinute(LIMIT)

    async def parameters(request: Request) -> Query:
        try:
            query = parse_by_pydantic(request.url.query)
        except ValidationError as error:
            details = error.errors(include_url=False, include_context=False)
            raise HTTPException(422, details) from None
        values = {name: getattr(query, name) for name in FILTERED}
        clauses = [Clause(name, v.values, v.excludes) for name, v in values.items() if v]
        start, end = milliseconds(query.start), milliseconds(query.end)
        return Query(tuple(clauses), start, end, page=query.page, limit=query.limit)

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


def main(name: str, tables: str, certificate: str, key: str, *_: str) -> None:
    """Serves over TLS on a free port; prints what sluice's servers print."""
    listener = socket.create_server(("127.0.0.1", 0))
    app = make_app(DATABASES[name](Path(tables), 1), {KEY})
    print(f"certificate: {certificate}, self-signed")
    print(f"serving: https://127.0.0.1:{listener.getsockname()[1]} until Ctrl-C", flush=True)
    files = {"ssl_certfile": certificate, "ssl_keyfile": key}
    quiet = {"access_log": False, "log_level": "warning"}
    server = uvicorn.Server(uvicorn.Config(app, loop="uvloop", http="httptools", **files, **quiet))
    server.run(sockets=[listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
