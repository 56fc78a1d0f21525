# SPDX-License-Identifier: MIT
"""List requests, errors and limits in FastAPI applications.

```
app = FastAPI()
sluice.fastapi.install(app, errors="problem")
limit = sluice.fastapi.RateLimit(sluice.RateLimiter(100, 60))

@app.get("/orders", dependencies=[Depends(limit)])
async def list_orders(query: Annotated[Orders, sluice.fastapi.Query(Orders)]) -> list[Order]: ...
```
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from inspect import Parameter, Signature
from typing import Annotated, Any, Generic, cast

from sluice import starlette as _starlette
from sluice._asgi_limits import pass_gate
from sluice._envelopes import Envelope, Envelopes, InvalidQueryError
from sluice._errors import ApiError
from sluice._expressions.missing import explained
from sluice._gate import Gate, WithoutKey
from sluice._list_requests import Query as _Query
from sluice._list_requests import read_request
from sluice._sluice import Decision, RateLimiter
from sluice.limits import Address, Key

with explained("fastapi"):
    import fastapi
    from fastapi import Depends, FastAPI, Request, Response
    from fastapi.encoders import jsonable_encoder
    from fastapi.exceptions import RequestValidationError
    from fastapi.params import Depends as Dependency
    from pydantic import BaseModel, WithJsonSchema

__all__ = ["Page", "Query", "RateLimit", "install", "now"]


def install(app: FastAPI, errors: Envelope = "sluice", docs_url: str = "") -> None:
    """Makes an application answer errors in one envelope, with rate-limit headers on all answers.

    The OpenAPI document describes the envelope for routes that are added afterwards.

    Args:
        app: An application without routes.
        errors: The envelope of errors: 'sluice', 'detail' as in FastAPI, 'problem' for RFC 9457,
            the guideline 'odata', 'aip' or 'scim', or a function of all errors that returns the
            body, or a status and the body.
        docs_url: The prefix of links to the errors' documentation.
    """
    _starlette.install(app, errors, docs_url)
    envelopes = Envelopes(errors, docs_url)

    async def answer_invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        invalid = InvalidQueryError([_to_error(detail) for detail in error.errors()])
        return _starlette.to_response(envelopes, invalid)

    app.add_exception_handler(RequestValidationError, answer_invalid)
    app.router.responses.update(envelopes.responses().items())


class Page(_starlette.Page):
    """An answer with a page of a list: an array, with Link headers to adjacent pages.

    Rows may have any type that FastAPI can serialize. Pydantic models write themselves, as in other
    answers of FastAPI.
    """

    def render(self, content: Sequence[object]) -> bytes:
        """Returns the body of the answer."""
        if not all(issubclass(kind, BaseModel) for kind in {*map(type, content)}):
            return super().render(jsonable_encoder(content))
        models = cast(Sequence[BaseModel], content)
        return f"[{','.join([row.model_dump_json(by_alias=True) for row in models])}]".encode()


class RateLimit:
    """Counts the requests of each key to the routes that depend on it.

    install() adds the headers of the limits to all answers.

    ```
    limit = sluice.fastapi.RateLimit(sluice.RateLimiter(100, 60))

    @app.get("/orders", dependencies=[Depends(limit)])
    ```
    """

    def __init__(
        self, limiter: RateLimiter, *, key: Key | None = None, without_key: WithoutKey = "share"
    ) -> None:
        """Creates a dependency; for the arguments see sluice.asgi.RateLimit."""
        self._gate = Gate(limiter, key or Address(), without_key)

    async def __call__(self, request: Request) -> Decision | None:
        """Counts a request and returns the decision; raises if it is refused."""
        with _starlette.answering(request):
            return await pass_gate(self._gate, request.scope)


async def now() -> datetime:
    """Returns the time that relative times refer to: tests override this dependency."""
    return datetime.now(UTC)


def Query(query_class: type[_Query], *, strict: bool = True) -> Dependency:  # noqa: N802
    """Annotates an endpoint's argument as the request's query.

    The application's document includes its parameters; parameters that the route reads itself are
    not part of the query. install() sets the envelope of errors.

    Args:
        query_class: The query class of the endpoint.
        strict: False ignores unknown parameters; they are errors by default.
    """
    read: Dependency = Depends(_Reader(query_class, strict))
    return read


class _Reader(Generic[_Query]):
    """Parses queries. FastAPI documents its signature and passes the values unvalidated."""

    def __init__(self, query_class: type[_Query], strict: bool) -> None:
        self._class = query_class
        self._strict = strict
        documented = query_class.openapi_parameters()
        self._names = {parameter["name"] for parameter in documented}
        self._read_by_others: dict[int, tuple[object, frozenset[str]]] = {}  # by id of a dependant
        self.__signature__ = _signature(documented)

    async def __call__(self, request: Request, now: datetime, **_: object) -> _Query:
        text = request.scope["query_string"]
        with _starlette.answering(request):
            return read_request(self._class, text, now, self._strict, self._others(request))

    def _others(self, request: Request) -> frozenset[str]:
        """Returns the parameters that FastAPI reads in addition."""
        dependant = getattr(request.scope.get("route"), "dependant", None)
        kept = self._read_by_others.get(id(dependant))
        if kept is None:
            kept = dependant, frozenset(_query_names(dependant) - self._names)
            self._read_by_others[id(dependant)] = kept
        return kept[1]


def _query_names(dependant: Any) -> set[str]:  # noqa: ANN401 (FastAPI's own, or None)
    """Returns the names of the query parameters of an endpoint and all its dependencies."""
    if dependant is None:
        return set()
    names: set[str] = set().union(*map(_names_of, dependant.query_params))
    return names.union(*map(_query_names, dependant.dependencies))


def _names_of(param: Any) -> set[str]:  # noqa: ANN401 (FastAPI's own)
    """Returns the names that a query parameter of FastAPI reads: several if it is a model."""
    model = param.field_info.annotation
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        return {param.alias}
    names = set()
    for name, field in model.model_fields.items():
        alias = field.validation_alias
        names.add(alias if isinstance(alias, str) else field.alias or name)
    return names


def _signature(documented: list[dict[str, Any]]) -> Signature:
    """Returns the signature of a dependency: the request, the time, and the query's parameters."""
    request = Parameter("request", Parameter.KEYWORD_ONLY, annotation=Request)
    clock = Annotated[datetime, Depends(now)]
    present = Parameter("now", Parameter.KEYWORD_ONLY, annotation=clock)
    return Signature([request, present, *map(_parameter, range(len(documented)), documented)])


def _parameter(number: int, documented: dict[str, Any]) -> Parameter:
    """Returns an argument that FastAPI documents as described and accepts with any value."""
    query = fastapi.Query(
        alias=documented["name"],
        title=documented["name"],
        description=documented.get("description"),
        deprecated=documented.get("deprecated"),
        openapi_examples=documented.get("examples"),
    )
    schema = documented["schema"]
    is_required = documented.get("required", False)
    return Parameter(
        f"parameter_{number}",
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if is_required else schema.get("default"),
        annotation=Annotated[Any, WithJsonSchema(schema), query],
    )


def _to_error(invalid: dict[str, Any]) -> ApiError:
    """Converts an error of FastAPI, without the input."""
    param = ".".join(map(str, invalid["loc"][1:]))
    code = "bad_request" if invalid["type"] == "missing" else "unprocessable_entity"
    return ApiError(f"{param}: {invalid['msg']}", code=code, rule=invalid["type"], param=param)
