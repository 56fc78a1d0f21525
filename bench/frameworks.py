# SPDX-License-Identifier: MIT
"""Compares list endpoints of frameworks: the programs of examples/comparison, one GET /orders each.

    python bench/frameworks.py

asks each the same random questions, in the words that it has for them, and looks at every order to
know the answer; it counts lines, features and wrong rows, measures a request, and writes its part
of docs/comparison.md. It needs the packages of the tests, .ci/requirements.txt.
"""

import asyncio
import importlib
import io
import json
import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "examples" / "comparison"
PAGE = ROOT / "docs" / "comparison.md"
sys.path.append(str(PROGRAMS))

from shop import FIRST, ORDERS  # noqa: E402
from sluice_bench.measuring import call_asgi  # noqa: E402

QUESTIONS, SEED = 300, 7
CUSTOMERS = ("c1", "c2", "c3", "O'Hara, Ltd")


class Question(NamedTuple):
    """A request, in nobody's syntax."""

    statuses: list[str]
    customers: list[str]
    is_excluded: bool  # all customers but these
    least: int
    most: int
    first: datetime
    last: datetime

    def wants(self, order: Mapping[str, Any]) -> bool:
        """Returns true if an order is in the list; one without a customer is in none."""
        return (
            (not self.statuses or order["status"] in self.statuses)
            and (not self.customers or (order["customer_id"] in self.customers) != self.is_excluded)
            and self.least <= order["total"] <= self.most
            and self.first <= order["created_at"] <= self.last
        )


class Answer(NamedTuple):
    """A program's answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Peer(NamedTuple):
    """A program, and how it is asked."""

    module: str
    built_with: str
    ask: Callable[[Question], dict[str, object]]
    rows: str  # member of its answer; empty: the answer itself


def draw_questions() -> list[Question]:
    """Questions that are about few enough orders for one page."""
    draw = random.Random(SEED)
    questions = []
    while len(questions) < QUESTIONS:
        first = FIRST + timedelta(hours=draw.randrange(700))
        question = Question(
            draw.sample(("open", "paid", "void"), draw.randrange(3)),
            draw.sample(CUSTOMERS, draw.randrange(3)),
            draw.random() < 0.5,
            least := draw.randrange(500),
            least + draw.randrange(500),
            first,
            first + timedelta(hours=draw.randrange(240)),
        )
        if sum(map(question.wants, ORDERS)) <= 100:
            questions.append(question)
    return questions


# --- How each is asked ---------------------------------------------------------------------------


def ask_sluice(q: Question) -> dict[str, object]:
    """A question to with_sluice."""
    escaped = ",".join(each.replace(",", r"\,") for each in q.customers)
    return {
        "status": ",".join(q.statuses),
        "customer": f"-{escaped}" if escaped and q.is_excluded else escaped,
        "total[gte]": q.least,
        "total[lte]": q.most,
        "start": f"{q.first.isoformat()}Z",
        "end": f"{q.last.isoformat()}Z",
        "limit": 100,
    }


def ask_fastapi_filter(q: Question) -> dict[str, object]:
    """A question to with_fastapi_filter."""
    customers = "customer_id__not_in" if q.is_excluded else "customer_id__in"
    given = {
        "status__in": ",".join(q.statuses),
        customers: ",".join(q.customers),
        "total__gte": q.least,
        "total__lte": q.most,
        "created_at__gte": q.first.isoformat(),
        "created_at__lte": q.last.isoformat(),
        "size": 100,
    }
    return {name: value for name, value in given.items() if value != ""}


def ask_odata(q: Question) -> dict[str, object]:
    """A question to with_odata."""

    def one_of(column: str, values: list[str]) -> str:
        equals = (f"{column} eq '" + each.replace("'", "''") + "'" for each in values)
        return f"({' or '.join(equals)})"

    parts = [f"total ge {q.least}", f"total le {q.most}"]
    parts += [f"created_at ge {q.first.isoformat()}", f"created_at le {q.last.isoformat()}"]
    if q.statuses:
        parts.append(one_of("status", q.statuses))
    if q.customers:
        among = one_of("customer_id", q.customers)
        parts.append(f"not {among}" if q.is_excluded else among)
    return {"$filter": " and ".join(parts), "$top": 100}


def ask_django_filter(q: Question) -> dict[str, object]:
    """A question to with_django_filter."""
    return {
        "status": ",".join(q.statuses),
        "customer_not" if q.is_excluded else "customer": ",".join(q.customers),
        "total_min": q.least,
        "total_max": q.most,
        "created_after": q.first.isoformat(),
        "created_before": q.last.isoformat(),
        "limit": 100,
    }


def total(answer: Answer) -> bytes:
    """The header that counts rows."""
    return answer.headers.get("x-total-count", "").encode()


def is_refused(answer: Answer) -> bool:
    """Returns true if the request was wrong."""
    return answer.status in (400, 422)


def link(answer: Answer) -> bytes:
    """The header that leads to other pages."""
    return answer.headers.get("link", "").encode()


PEERS = [
    Peer("with_sluice", "FastAPI + sluice", ask_sluice, ""),
    Peer(
        "with_fastapi_filter",
        "fastapi-filter + fastapi-pagination + slowapi",
        ask_fastapi_filter,
        "items",
    ),
    Peer("with_odata", "FastAPI + odata-query", ask_odata, ""),
    Peer(
        "with_django_filter", "Django REST framework + django-filter", ask_django_filter, "results"
    ),
]

# By feature, how an answer and the OpenAPI document show it, and a request to each peer; None if it
# has no parameter for it.
Shows = Callable[[Answer, str], bool]
FEATURES: Mapping[str, tuple[Shows, Sequence[str | None]]] = {
    "values with commas": (
        lambda answer, _: b"O'Hara" in answer.body,
        (
            r"customer=O'Hara\, Ltd",
            "customer_id__in=O'Hara, Ltd",
            "$filter=customer_id eq 'O''Hara, Ltd'",
            "customer=O'Hara, Ltd",
        ),
    ),
    "times in words": (
        lambda answer, _: b"customer_id" in answer.body,
        ("start=1 year ago", "created_at__gte=1 year ago", None, "created_after=1 year ago"),
    ),
    "several sort keys": (
        lambda answer, _: answer.status == 200,
        (
            "order=-total,created",
            "order_by=-total,created_at",
            "$orderby=total desc,created_at",
            "order=-total,created_at",
        ),
    ),
    "the total of all pages": (
        lambda answer, _: b"2000" in answer.body + total(answer),
        ("count=true", "", "$count=true", ""),
    ),
    "links to other pages": (
        lambda answer, _: b"page=2" in answer.body + link(answer) or b"cursor=" in link(answer),
        ("",) * 4,
    ),
    "pages by cursor": (lambda answer, _: b"cursor=" in link(answer), ("",) * 4),
    "all errors at once": (
        lambda answer, _: (
            is_refused(answer) and b"status" in answer.body and b"total" in answer.body
        ),
        (
            "status=lost&total[gte]=many",
            "status__in=lost&total__gte=many",
            "$filter=status eq 'lost' and total ge 'many'",
            "status=lost&total_min=many",
        ),
    ),
    "unknown parameters refused": (lambda answer, _: is_refused(answer), ("colour=red",) * 4),
    "parameters in OpenAPI": (lambda _, document: "total" in document, ("", "", "", None)),
    "limits in headers": (
        lambda answer, _: "x-ratelimit-remaining" in answer.headers,
        ("",) * 4,
    ),
}

# --- Programs ------------------------------------------------------------------------------------


def call_by_asgi(app: Any, target: str, query: str) -> Answer:  # noqa: ANN401
    """Returns the answer of an ASGI application; each request is another client's."""
    key = (b"x-api-key", str(time.monotonic_ns()).encode())
    return Answer(*LOOP.run_until_complete(call_asgi(app, target, query, key)))


def call_wsgi(app: Any, target: str, query: str) -> Answer:  # noqa: ANN401
    """Returns a WSGI application's answer; each request is another client's."""
    started: list[Any] = []
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": target,
        "QUERY_STRING": query,
        "SERVER_NAME": "shop",
        "SERVER_PORT": "80",
        "REMOTE_ADDR": str(time.monotonic_ns()),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
    }
    chunks = app(environ, lambda status, headers, _=None: started.extend((status, headers)))
    headers = {name.lower(): value for name, value in started[1]}
    return Answer(int(started[0].split()[0]), headers, b"".join(chunks))


LOOP = asyncio.new_event_loop()


class Program:
    """A peer's program that answers."""

    def __init__(self, peer: Peer) -> None:
        """Imports it."""
        self.peer = peer
        self._app = importlib.import_module(peer.module).app
        self._call = call_wsgi if "Django" in peer.built_with else call_by_asgi

    def get(self, given: Mapping[str, object], target: str = "/orders") -> Answer:
        """Its answer to a request."""
        return self._call(self._app, target, urlencode(given))

    def lines(self) -> int:
        """The lines of the program that are code."""
        text = (PROGRAMS / f"{self.peer.module}.py").read_text()
        return sum(bool(re.match(r"\s*[^\s#\"]", line)) for line in text.splitlines())

    def wrong_rows(self, questions: list[Question]) -> int:
        """The rows that it gives and shouldn't, and those that it should and doesn't."""
        wrong = 0
        for question in questions:
            answer = self.get(self.peer.ask(question))
            body = json.loads(answer.body) if answer.status == 200 else []
            rows = body[self.peer.rows] if body and self.peer.rows else body
            wanted = {each["id"] for each in ORDERS if question.wants(each)}
            wrong += len({row["id"] for row in rows} ^ wanted)
        return wrong

    def shown(self) -> list[str]:
        """Returns the features that its answers show."""
        document = self.get({}, "/openapi.json").body.decode()
        at = PEERS.index(self.peer)
        return [
            name
            for name, (is_shown, requests) in FEATURES.items()
            if (request := requests[at]) is not None
            and is_shown(self.get(dict(parse_qsl(request))), document)
        ]

    def microseconds(self, question: Question) -> float:
        """The CPU time that a request takes, whatever else the machine does."""
        given = self.peer.ask(question)
        began = time.process_time()
        self.get(given)
        return (time.process_time() - began) * 1e6


# --- The table -----------------------------------------------------------------------------------


def facts(programs: list[Program], questions: list[Question]) -> list[list[object]]:
    """Checks that hold for each program, whatever the machine."""
    shown = [set(each.shown()) for each in programs]
    return [
        ["lines of code", *(each.lines() for each in programs)],
        ["wrong rows", *(each.wrong_rows(questions) for each in programs)],
        *([name, *("yes" if name in each else "no" for each in shown)] for name in FEATURES),
    ]


def times(programs: list[Program], questions: list[Question]) -> list[object]:
    """Returns the time of a request in the middle of many, of the programs by turns."""
    taken = [[each.microseconds(question) for each in programs] for question in questions]
    return [
        "microseconds of CPU time a request",
        *(round(statistics.median(each)) for each in zip(*taken, strict=True)),
    ]


def lines(table: list[list[object]]) -> str:
    """A table in Markdown."""
    texts = ([f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in table)
    return "".join(f"| {' | '.join(row)} |\n" for row in texts)


def main() -> int:
    """Writes the table, or with --check only says whether it is true."""
    questions = draw_questions()
    programs = [Program(peer) for peer in PEERS]
    told = facts(programs, questions)
    page = PAGE.read_text()
    if sys.argv[1:] == ["--check"]:
        return 0 if lines(told) in page else print(lines(told)) or 1
    head: list[object] = ["", *(peer.built_with for peer in PEERS)]
    table = lines([head, ["---"] * len(head), *told, times(programs, questions)])
    before, begins, rest = page.partition("<!-- begin: bench/frameworks.py -->\n")
    _, ends, after = rest.partition("<!-- end -->\n")
    PAGE.write_text(f"{before}{begins}{table}{ends}{after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
