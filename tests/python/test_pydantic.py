# SPDX-License-Identifier: MIT
"""Values as fields of pydantic's models and parameters of FastAPI's functions."""

import asyncio
import re
import subprocess
import sys
from typing import Annotated, Any

import httpx
import pytest
from fastapi import FastAPI, Query
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

import sluice
from sluice import ApiError, Cursor, Filter, MetadataQuery, TimeExpression

CURSOR = sluice.TagsQuery.parse("").cursor_beside(["sale", "tag_7"])
VALUES = [
    # class, text, canonical text
    (Filter, "-US,,CA", "-US,CA"),
    (Filter, "", ""),
    (MetadataQuery, "metadata['a'] = 1", "metadata['a']:1"),
    (TimeExpression, "YESTERDAY", "yesterday"),
    (Cursor, CURSOR, CURSOR),
]
WRONG = [
    # class, text, rule, where the error is
    (Filter, "US,-CA", "filter_dash", (3, 3)),
    (MetadataQuery, "metadata['a'] ~ 1", "query_operator", (14, 1)),
    (TimeExpression, "yesterda", "time_malformed", (0, 8)),
    (Cursor, "{0}", "cursor_malformed", (0, 3)),
]


@pytest.mark.parametrize(("kind", "text", "canonical"), VALUES)
def test_a_field_is_read_from_a_text_and_written_as_one(
    kind: Any,  # noqa: ANN401
    text: str,
    canonical: str,
) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    value = kind.parse(text)
    assert adapter.validate_python(text) == value
    assert adapter.validate_python(value) is value
    assert adapter.validate_strings(text) == value
    assert adapter.dump_python(value) is value
    assert adapter.dump_python(value, mode="json") == canonical
    written = adapter.dump_json(value)
    assert adapter.validate_json(written) == value


@pytest.mark.parametrize(("kind", "text", "rule", "place"), WRONG)
def test_an_error_has_the_rule_and_the_message_of_the_library(
    kind: Any,  # noqa: ANN401
    text: str,
    rule: str,
    place: tuple[int, int],
) -> None:
    with pytest.raises(ApiError) as refusal:
        kind.parse(text)
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(text)
    [error] = caught.value.errors()
    assert (error["type"], error["msg"]) == (rule, refusal.value.message)
    assert error["ctx"] == {
        "message": refusal.value.message,
        "code": refusal.value.code,
        "offset": place[0],
        "length": place[1],
    }
    assert refusal.value.rule == rule


@pytest.mark.parametrize("value", [5, None, ["US"], MetadataQuery.parse("")])
def test_only_texts_and_values_are_taken(value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Filter).validate_python(value)
    assert [error["type"] for error in caught.value.errors()] == ["string_type"]


class Search(BaseModel):
    country: Filter = Filter()
    since: TimeExpression | None = None
    pages: list[Cursor] = []


def test_a_model_has_them_as_it_has_others() -> None:
    search = Search.model_validate({"country": "US,CA", "since": "7 days ago", "pages": [CURSOR]})
    assert search == Search(
        country=Filter(["US", "CA"]),
        since=TimeExpression.parse("7 days ago"),
        pages=[Cursor.parse(CURSOR)],
    )
    text = search.model_dump_json()
    assert text == f'{{"country":"US,CA","since":"7 days ago","pages":["{CURSOR}"]}}'
    assert Search.model_validate_json(text) == search
    assert Search().model_dump_json() == '{"country":"","since":null,"pages":[]}'


def test_its_schema_says_what_a_text_is() -> None:
    fields = Search.model_json_schema()["properties"]
    assert fields["country"]["type"] == "string"
    assert "`a,b`" in fields["country"]["description"]
    assert fields["country"]["default"] == ""
    assert {"type": "null"} in fields["since"]["anyOf"]
    assert "7 days ago" in fields["since"]["anyOf"][0]["description"]
    assert TypeAdapter(MetadataQuery).json_schema()["maxLength"] == sluice.QUERY_MAX_LENGTH


PATTERN = TypeAdapter(Filter).json_schema()["pattern"]


@given(st.text(st.sampled_from("a,-\\é\n"), max_size=8))
def test_the_pattern_of_filters_takes_what_is_one(text: str) -> None:
    try:
        Filter.parse(text)
    except ApiError:
        assert not re.search(PATTERN, text)
    else:
        assert re.search(PATTERN, text)


# --- FastAPI ---------------------------------------------------------------------------------

app = FastAPI()
BLANK = MetadataQuery.parse("")
WEEK = TimeExpression.parse("7 days ago")


@app.get("/orders")
def orders(
    country: Annotated[Filter, Query()],
    region: Annotated[Filter | None, Query(description="where it is")] = None,
    query: Annotated[MetadataQuery, Query(alias="where")] = BLANK,
    since: TimeExpression = WEEK,
) -> dict[str, Any]:
    return {
        "taken": [code for code in ("US", "CA", "DE") if code in country],
        "region": str(region),
        "query": query.tree(),
        "since": str(since),
    }


def get(target: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.get(target)

    return asyncio.run(ask())


def test_a_parameter_of_fastapi_is_a_filter() -> None:
    values = {"country": "-US,CA", "where": "metadata['a']:1", "since": "Yesterday", "region": "x,"}
    response = get(f"/orders?{sluice.to_query_string(values)}")
    assert response.status_code == 200
    assert response.json() == {
        "taken": ["DE"],
        "region": "x",
        "query": {"path": ["a"], "equal": "1"},
        "since": "yesterday",
    }
    assert get("/orders?country=DE").json()["since"] == "7 days ago"


def test_its_errors_are_those_of_fastapi() -> None:
    response = get("/orders?country=US,-CA&where=x")
    assert response.status_code == 422
    first, second = response.json()["detail"]
    assert (first["type"], first["loc"]) == ("filter_dash", ["query", "country"])
    assert first["msg"].startswith("'-' before a single item")
    assert (second["type"], second["loc"]) == ("query_condition", ["query", "where"])
    [missing] = get("/orders").json()["detail"]
    assert (missing["type"], missing["loc"]) == ("missing", ["query", "country"])


def test_its_document_tells_what_a_filter_is() -> None:
    document = get("/openapi.json").json()
    parameters = {
        parameter["name"]: parameter
        for parameter in document["paths"]["/orders"]["get"]["parameters"]
    }
    country = parameters["country"]
    assert (country["in"], country["required"]) == ("query", True)
    assert country["schema"]["type"] == "string"
    assert country["schema"]["pattern"] == PATTERN
    assert "`a,b`" in country["schema"]["description"]
    assert parameters["region"]["description"] == "where it is"
    assert parameters["where"]["schema"]["maxLength"] == sluice.QUERY_MAX_LENGTH
    assert parameters["since"]["schema"]["default"] == "7 days ago"


def test_pydantic_is_imported_by_those_who_use_it() -> None:
    script = "import sys, sluice; sluice.Filter.parse('a'); print('pydantic' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
