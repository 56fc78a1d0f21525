# SPDX-License-Identifier: MIT
"""Modules for frameworks beyond the examples: envelopes, strictness, the present."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, NamedTuple, Self

import django_settings  # noqa: F401 (before models)
import flask
import httpx
import litestar
import pytest
from django.conf import settings
from fastapi import Depends, FastAPI, HTTPException, Query
from fastapi.encoders import jsonable_encoder
from litestar.di import NamedDependency
from pydantic import BaseModel, Field
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized

import sluice
import sluice.django
import sluice.fastapi
import sluice.flask
import sluice.litestar
import sluice.starlette

NOW = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
ENVELOPES = ("sluice", "detail", "problem")


class Orders:
    """A query of sluice.api in a class that says what it takes."""

    def __init__(self, query: sluice.EventsQuery) -> None:
        self.query = query

    @classmethod
    def parse(cls, query_string: bytes, now: datetime | None = None, strict: bool = False) -> Self:
        return cls(sluice.EventsQuery.parse(query_string, now, strict))

    @classmethod
    def errors(
        cls, query_string: bytes, now: datetime | None = None, strict: bool = False
    ) -> list[sluice.ApiError]:
        return sluice.EventsQuery.errors(query_string, now, strict)

    @classmethod
    def openapi_parameters(cls) -> list[dict[str, Any]]:
        paths = json.loads(sluice.api.openapi_document())["paths"]
        parameters: list[dict[str, Any]] = paths["/events"]["get"]["parameters"]
        return parameters

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self.query, name)


class Needy(Orders):
    """A list that has to be asked for."""

    @classmethod
    def openapi_parameters(cls) -> list[dict[str, Any]]:
        return [{"name": "domain", "in": "query", "required": True, "schema": {"type": "string"}}]


class Answer(NamedTuple):
    status: int
    content_type: str
    body: Any
    headers: Mapping[str, str] = {}


Get = Callable[[str], Answer]


def options_of(strict: bool | None) -> dict[str, Any]:
    """The options of a reader; None leaves the default."""
    return {} if strict is None else {"strict": strict}


def ask(app: Any, target: str) -> Answer:  # noqa: ANN401
    """Returns an ASGI application's answer."""

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
            return await client.get(target)

    answer = asyncio.run(send())
    return Answer(answer.status_code, answer.headers["content-type"], answer.json(), answer.headers)


CLOSED = {"WWW-Authenticate": "Basic"}


def make_fastapi(errors: Any, strict: bool | None, now: datetime | None = NOW) -> Get:  # noqa: ANN401
    app = FastAPI()
    options = options_of(strict)
    sluice.fastapi.install(app, errors)
    if now:
        app.dependency_overrides[sluice.fastapi.now] = lambda: now

    @app.get("/orders")
    async def list_orders(
        query: Annotated[Orders, sluice.fastapi.Query(Orders, **options)],
    ) -> str:
        return str(query.end.isoformat())

    @app.get("/teapot")
    async def teapot() -> None:
        raise HTTPException(418, "no coffee")

    @app.get("/closed")
    async def closed() -> None:
        raise HTTPException(401, "no key", CLOSED)

    return lambda target: ask(app, target)


def make_starlette(errors: Any, strict: bool | None, now: datetime | None = NOW) -> Get:  # noqa: ANN401
    @sluice.starlette.reads(Orders, **options_of(strict), now=(lambda: now) if now else None)
    def list_orders(request: Request, query: Orders) -> JSONResponse:
        return JSONResponse(query.end.isoformat())

    def teapot(request: Request) -> JSONResponse:
        raise HTTPException(418, "no coffee")

    def closed(request: Request) -> JSONResponse:
        raise HTTPException(401, "no key", CLOSED)

    routes = {"/orders": list_orders, "/teapot": teapot, "/closed": closed}
    app = Starlette(routes=[Route(*route) for route in routes.items()])
    sluice.starlette.install(app, errors)
    return lambda target: ask(app, target)


def make_litestar(errors: Any, strict: bool | None, now: datetime | None = NOW) -> Get:  # noqa: ANN401
    orders = sluice.litestar.Query(Orders, **options_of(strict), now=(lambda: now) if now else None)

    @litestar.get("/orders", dependencies={"orders": orders}, media_type="application/json")
    async def list_orders(orders: NamedDependency[Orders]) -> str:
        return json.dumps(orders.end.isoformat())

    @litestar.get("/teapot")
    async def teapot() -> None:
        raise litestar.exceptions.HTTPException("no coffee", status_code=418)

    @litestar.get("/closed")
    async def closed() -> None:
        raise litestar.exceptions.HTTPException("no key", status_code=401, headers=CLOSED)

    app = litestar.Litestar([list_orders, teapot, closed], plugins=[sluice.litestar.Errors(errors)])
    return lambda target: ask(app, target)


def make_flask(errors: Any, strict: bool | None, now: datetime | None = NOW) -> Get:  # noqa: ANN401
    app = flask.Flask("shop")
    sluice.flask.install(app, errors)

    @app.get("/orders")
    def list_orders() -> flask.Response:
        query = sluice.flask.read(Orders, **options_of(strict), now=now)
        return flask.jsonify(query.end.isoformat())

    @app.get("/teapot")
    def teapot() -> str:
        flask.abort(418, "no coffee")

    @app.get("/closed")
    def closed() -> str:
        raise Unauthorized("no key", www_authenticate=WWWAuthenticate("basic"))

    def get(target: str) -> Answer:
        answer = app.test_client().get(target)
        [kind] = answer.headers.getlist("content-type")
        return Answer(answer.status_code, kind, answer.get_json(True), dict(answer.headers))

    return get


def make_django(errors: Any, strict: bool | None, now: datetime | None = NOW) -> Get:  # noqa: ANN401
    from django.http import HttpRequest, HttpResponse, JsonResponse
    from django.test import RequestFactory

    def view(request: HttpRequest) -> HttpResponse:
        query = sluice.django.read(Orders, request, **options_of(strict), now=now)
        return JsonResponse(query.end.isoformat(), safe=False)

    def get(target: str) -> Answer:
        request = RequestFactory().get(target)
        settings.SLUICE_ERRORS = errors
        middleware = sluice.django.ErrorMiddleware(view)
        middleware.process_request(request)
        tell = middleware.process_exception
        try:
            answer = view(request)
        except sluice.ApiError as error:
            answer = tell(request, error)
        response = httpx.Response(answer.status_code, content=answer.content)
        return Answer(answer.status_code, answer.headers["content-type"], response.json())

    return get


MAKERS = {
    "fastapi": make_fastapi,
    "starlette": make_starlette,
    "litestar": make_litestar,
    "flask": make_flask,
    "django": make_django,
}
everywhere = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
Make = Callable[..., Get]


@everywhere
@pytest.mark.parametrize("errors", ENVELOPES)
def test_errors_are_told_in_the_envelope_of_the_application(make: Make, errors: Any) -> None:  # noqa: ANN401
    get = make(errors, False)
    wrong = Orders.errors(b"country=USA&limit=0")
    assert len(wrong) == 2
    status, content_type, body, _ = get("/orders?country=USA&limit=0")
    assert status == wrong[0].status
    if errors == "sluice":
        assert content_type == "application/json; charset=utf-8"
        assert body["error"]["message"] == wrong[0].message
    elif errors == "detail":
        assert content_type == "application/json"
        assert [detail["msg"] for detail in body["detail"]] == [error.message for error in wrong]
    else:
        assert content_type == "application/problem+json"
        assert [detail["detail"] for detail in body["errors"]] == [error.message for error in wrong]


@pytest.mark.parametrize("name", ["fastapi", "starlette", "litestar", "flask"])
@pytest.mark.parametrize(("target", "status"), [("/nowhere", 404), ("/teapot", 418)])
def test_what_the_framework_refuses_is_told_in_it_too(name: str, target: str, status: int) -> None:
    answer = MAKERS[name]("problem", False)(target)
    assert answer.content_type == "application/problem+json"
    assert (answer.status, answer.body["status"]) == (status, status)
    if status == 418:
        assert answer.body["detail"] == "no coffee"


@pytest.mark.parametrize("name", ["fastapi", "starlette", "litestar", "flask"])
def test_headers_of_what_the_framework_refuses_are_kept(name: str) -> None:
    answer = MAKERS[name]("detail", False)("/closed")
    assert (answer.status, answer.content_type) == (401, "application/json")
    assert httpx.Headers(answer.headers)["www-authenticate"].strip() == "Basic"
    assert answer.body == {"detail": "no key"}


@everywhere
def test_unknown_parameters_are_errors_unless_it_is_lenient(make: Make) -> None:
    assert make("problem", False)("/orders?colour=red").status == 200
    for strict in (True, None):
        refused = make("problem", strict)("/orders?colour=red")
        assert refused.status == 400
        assert refused.body["detail"].startswith("colour: unknown parameter")


def _fastapi_alone() -> Get:
    app = FastAPI()

    @app.get("/orders")
    async def list_orders(
        query: Annotated[Orders, sluice.fastapi.Query(Orders)], verbose: bool = False
    ) -> bool:
        return verbose

    return lambda target: ask(app, target)


def _starlette_alone() -> Get:
    @sluice.starlette.reads(Orders)
    def list_orders(request: Request, query: Orders) -> JSONResponse:
        return JSONResponse(None)

    app = Starlette(routes=[Route("/orders", list_orders)])

    def get(target: str) -> Answer:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)

        async def send() -> httpx.Response:
            async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
                return await client.get(target)

        answer = asyncio.run(send())
        return Answer(answer.status_code, answer.headers["content-type"], answer.text)

    return get


def _litestar_alone() -> Get:
    @litestar.get("/orders", dependencies={"orders": sluice.litestar.Query(Orders)})
    async def list_orders(orders: NamedDependency[Orders]) -> str:
        return "[]"

    app = litestar.Litestar([list_orders])
    return lambda target: ask(app, target)


def _flask_alone() -> Get:
    app = flask.Flask("shop")

    @app.get("/orders")
    def list_orders() -> str:
        sluice.flask.read(Orders)
        return "[]"

    def get(target: str) -> Answer:
        answer = app.test_client().get(target)
        return Answer(answer.status_code, answer.headers["content-type"], answer.get_data(True))

    return get


WITHOUT_INSTALL = {
    "fastapi": _fastapi_alone,
    "starlette": _starlette_alone,
    "litestar": _litestar_alone,
    "flask": _flask_alone,
}


@pytest.mark.parametrize("make", WITHOUT_INSTALL.values(), ids=WITHOUT_INSTALL)
def test_wrong_requests_are_no_failures_of_an_application_without_install(
    make: Callable[[], Get],
) -> None:
    get = make()
    assert get("/orders?limit=1").status == 200
    for query, status in {"limit=0": 422, "limit=x": 400, "colour=red": 400}.items():
        answer = get(f"/orders?{query}")
        assert answer.status == status
        assert query.partition("=")[0] + ": " in json.dumps(answer.body)


def test_django_without_the_middleware_answers_bad_requests() -> None:
    from django.core.exceptions import BadRequest
    from django.test import RequestFactory

    for query in ("limit=0", "colour=red"):
        with pytest.raises(BadRequest, match=query.partition("=")[0]):
            sluice.django.read(Orders, RequestFactory().get(f"/orders?{query}"))


def test_parameters_that_an_endpoint_reads_besides_are_known() -> None:
    get = _fastapi_alone()
    answer = get("/orders?verbose=true&limit=1")
    assert (answer.status, answer.content_type, answer.body) == (200, "application/json", True)
    assert get("/orders?verbos=true").status == 400


def test_starlette_reads_a_request_without_a_route() -> None:
    request = Request({"type": "http", "query_string": b"colour=red"})
    assert sluice.starlette.read(Orders, request, strict=False, now=NOW).end == NOW
    with pytest.raises(sluice.ApiError, match=r"^colour: unknown parameter"):
        sluice.starlette.read(Orders, request)


@everywhere
def test_times_count_from_the_present_that_is_given(make: Make) -> None:
    assert make("problem", False)("/orders").body == NOW.isoformat()


@everywhere
def test_without_one_it_is_the_clocks(make: Make) -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    end = make("problem", False, None)("/orders").body
    assert before <= datetime.fromisoformat(end) <= datetime.now(UTC)


def test_a_missing_parameter_is_told_by_fastapi_in_the_envelope() -> None:
    app = FastAPI()
    sluice.fastapi.install(app, "problem")

    @app.get("/")
    async def list_(query: Annotated[Needy, sluice.fastapi.Query(Needy)], size: int = 1) -> str:
        return str(query.domain)

    parameters = app.openapi()["paths"]["/"]["get"]["parameters"]
    assert {parameter["name"]: parameter["required"] for parameter in parameters} == {
        "domain": True,
        "size": False,
    }
    assert ask(app, "/?domain=a").body == "a"
    missing, wrong = ask(app, "/"), ask(app, "/?domain=a&size=large")
    assert (missing.status, missing.body["detail"]) == (400, "domain: Field required")
    assert (wrong.status, wrong.body["errors"][0]["param"]) == (422, "size")
    assert "large" not in str(wrong.body)


class Extras(BaseModel):
    """Parameters of a route itself."""

    size: int = 1
    language: str = Field("en", alias="lang")
    zone: str = Field("UTC", validation_alias="time-zone")


@pytest.mark.parametrize("marker", [None, Query(), Depends(), sluice.fastapi.Query])
def test_fastapi_refuses_a_query_that_it_would_read_itself(marker: object) -> None:
    parcels: Any = type("Parcels", (sluice.ListQuery,), {"size": sluice.integer()})

    def list_orders(query: Any) -> None: ...  # noqa: ANN401

    annotation: Any = parcels if marker is None else Annotated[parcels, marker]
    list_orders.__annotations__["query"] = annotation
    fix = re.escape("Annotated[Parcels, sluice.fastapi.Query(Parcels)]")
    with pytest.raises(TypeError, match=f"^Parcels: .* {fix}$"):
        FastAPI().get("/orders")(list_orders)


def test_parameters_of_a_model_are_read_by_fastapi() -> None:
    app = FastAPI()
    sluice.fastapi.install(app, "problem")

    @app.get("/")
    async def list_(
        query: Annotated[Needy, sluice.fastapi.Query(Needy)], extras: Annotated[Extras, Query()]
    ) -> list[object]:
        return [str(query.domain), extras.size, extras.language, extras.zone]

    assert ask(app, "/?domain=a&size=2&lang=de&time-zone=CET").body == ["a", 2, "de", "CET"]
    for unknown in ("language", "extras", "zone"):
        refused = ask(app, f"/?domain=a&{unknown}=x")
        assert (refused.status, refused.body["errors"][0]["param"]) == (400, unknown)


class Listed(sluice.ListQuery):
    """A list in pages."""

    page = sluice.page(default=20)


class Place(BaseModel):
    """A part of a row."""

    city: str


class Row(BaseModel):
    """A row, whose names, times and decimals are written in pydantic's way."""

    order_id: str = Field(serialization_alias="orderId")
    at: datetime = NOW
    price: Decimal = Decimal("1.50")
    place: Place | None = None


class LongRow(Row):
    """A row with a field more than others of its page."""

    note: str = "größer"


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [Row(order_id='"1"')],
        [Row(order_id="2", place=Place(city="A")), LongRow(order_id="3")],
        [Row(order_id="4"), {"orderId": "5", "at": NOW}],
    ],
)
def test_rows_of_models_are_written_as_fastapi_writes_them(rows: list[object]) -> None:
    app = FastAPI()

    @app.get("/")
    async def list_(
        request: Request, query: Annotated[Listed, sluice.fastapi.Query(Listed)]
    ) -> sluice.fastapi.Page:
        return sluice.fastapi.Page(rows, query, request)

    assert ask(app, "/").body == jsonable_encoder(rows)


def test_limits_of_routes_need_install() -> None:
    app = FastAPI()
    limit = sluice.fastapi.RateLimit(sluice.RateLimiter(1, 60))

    @app.get("/", dependencies=[Depends(limit)])
    async def root() -> None: ...

    transport = httpx.ASGITransport(app)

    async def get() -> None:
        async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
            await client.get("/")

    with pytest.raises(RuntimeError, match=r"install\(app\)"):
        asyncio.run(get())


def test_a_failure_of_fastapi_has_the_headers_of_its_limit() -> None:
    app = FastAPI()
    sluice.fastapi.install(app, "detail")
    limit = sluice.fastapi.RateLimit(sluice.RateLimiter(5, 60))

    @app.get("/", dependencies=[Depends(limit)])
    async def fails() -> None:
        raise RuntimeError("secret")

    answer = ask(app, "/")
    assert answer.status == 500
    assert answer.body == {"detail": "an unexpected failure, try again later"}


MODULES = ("fastapi", "starlette", "litestar", "flask", "django", "rest_framework", "sqlalchemy")


@pytest.mark.parametrize("name", MODULES)
def test_a_framework_that_is_not_installed_is_named(name: str) -> None:
    hidden = f"import sys; sys.modules[{name!r}] = None\nimport sluice.{name}"
    done = subprocess.run((sys.executable, "-c", hidden), capture_output=True, text=True)
    assert f"pip install 'sluice[{name}]'" in done.stderr
