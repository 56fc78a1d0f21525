# SPDX-License-Identifier: MIT
"""Compares list endpoints of frameworks: the programs of examples/comparison, one GET /orders each.

    python bench/frameworks.py

sends each the same random questions, in the words that it has for them, and looks at every order to
know the answer; it counts lines, features and wrong rows, measures a request, and writes its part
of docs/comparison.md. It needs the packages of the tests, .ci/requirements.txt.
"""

import asyncio
import importlib
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
from wsgiref.util import setup_testing_defaults

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "examples" / "comparison"
PAGE = ROOT / "docs" / "comparison.md"
sys.path.append(str(PROGRAMS))

from shop import FIRST, ORDERS  # noqa: E402
from sluice_bench.asgi import call_asgi  # noqa: E402
from sluice_bench.report import fill_page, table  # noqa: E402

QUESTIONS, SEED = 300, 7
CUSTOMERS = ("c1", "c2", "c3", "O'Hara, Ltd")
LOOP = asyncio.new_event_loop()


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


def draw_questions() -> list[Question]:
    """Draws questions about few enough orders for one page."""
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


# --- Questions in the words of each program ------------------------------------------------------

Parameters = Mapping[str, object]


def write_sluice(q: Question) -> Parameters:
    """Writes a question to with_sluice."""
    escaped = ",".join(customer.replace(",", r"\,") for customer in q.customers)
    return {
        "status": ",".join(q.statuses),
        "customer": f"-{escaped}" if escaped and q.is_excluded else escaped,
        "total[gte]": q.least,
        "total[lte]": q.most,
        "start": f"{q.first.isoformat()}Z",
        "end": f"{q.last.isoformat()}Z",
        "limit": 100,
    }


def write_fastapi_filter(q: Question) -> Parameters:
    """Writes a question to with_fastapi_filter."""
    parameters = {
        "status__in": ",".join(q.statuses),
        f"customer_id__{'not_in' if q.is_excluded else 'in'}": ",".join(q.customers),
        "total__gte": q.least,
        "total__lte": q.most,
        "created_at__gte": q.first.isoformat(),
        "created_at__lte": q.last.isoformat(),
        "size": 100,
    }
    return {name: value for name, value in parameters.items() if value != ""}


def write_odata(q: Question) -> Parameters:
    """Writes a question to with_odata."""

    def one_of(column: str, values: list[str]) -> str:
        equals = (f"{column} eq '" + value.replace("'", "''") + "'" for value in values)
        return f"({' or '.join(equals)})"

    parts = [f"total ge {q.least}", f"total le {q.most}"]
    parts += [f"created_at ge {q.first.isoformat()}", f"created_at le {q.last.isoformat()}"]
    if q.statuses:
        parts.append(one_of("status", q.statuses))
    if q.customers:
        parts.append("not " * q.is_excluded + one_of("customer_id", q.customers))
    return {"$filter": " and ".join(parts), "$top": 100}


def write_django_filter(q: Question) -> Parameters:
    """Writes a question to with_django_filter."""
    return {
        "status": ",".join(q.statuses),
        "customer_not" if q.is_excluded else "customer": ",".join(q.customers),
        "total_min": q.least,
        "total_max": q.most,
        "created_after": q.first.isoformat(),
        "created_before": q.last.isoformat(),
        "limit": 100,
    }


# --- Programs ------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """A program's answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def call_wsgi(app: Any, path: str, query: str) -> Answer:  # noqa: ANN401
    """Returns the answer of a WSGI application; each request is another client's."""
    environ = {"PATH_INFO": path, "QUERY_STRING": query, "REMOTE_ADDR": str(time.monotonic_ns())}
    setup_testing_defaults(environ)
    started: list[Any] = []
    chunks = app(environ, lambda status, headers, _=None: started.extend((status, headers)))
    headers = {name.lower(): value for name, value in started[1]}
    return Answer(int(started[0].split()[0]), headers, b"".join(chunks))


class Program(NamedTuple):
    """A program, how a question is written for it, and where its answer has the rows."""

    module: str
    built_with: str
    write: Callable[[Question], Parameters]
    rows: str  # member of its answer; empty: the answer itself

    def get(self, parameters: Parameters, path: str = "/orders") -> Answer:
        """Returns the answer to a request; each is another client's."""
        app, query = importlib.import_module(self.module).app, urlencode(parameters)
        if "Django" in self.built_with:
            return call_wsgi(app, path, query)
        key = (b"x-api-key", str(time.monotonic_ns()).encode())
        return Answer(*LOOP.run_until_complete(call_asgi(app, path, query, key)))

    def lines(self) -> int:
        """Returns the number of lines that are code."""
        text = (PROGRAMS / f"{self.module}.py").read_text()
        return sum(bool(re.match(r"\s*[^\s#\"]", line)) for line in text.splitlines())

    def wrong_rows(self, questions: list[Question]) -> int:
        """Counts the rows that it returns and shouldn't, or should and doesn't."""
        wrong = 0
        for question in questions:
            answer = self.get(self.write(question))
            body = json.loads(answer.body) if answer.status == 200 else []
            rows = body[self.rows] if body and self.rows else body
            wanted = {order["id"] for order in ORDERS if question.wants(order)}
            wrong += len({row["id"] for row in rows} ^ wanted)
        return wrong

    def microseconds(self, question: Question) -> float:
        """Returns the CPU time of a request, whatever else the machine does."""
        parameters = self.write(question)
        begin = time.process_time()
        self.get(parameters)
        return (time.process_time() - begin) * 1e6


PEERS = (
    Program("with_sluice", "FastAPI + sluice", write_sluice, ""),
    Program(
        "with_fastapi_filter",
        "fastapi-filter + fastapi-pagination + slowapi",
        write_fastapi_filter,
        "items",
    ),
    Program("with_odata", "FastAPI + odata-query", write_odata, ""),
    Program(
        "with_django_filter",
        "Django REST framework + django-filter",
        write_django_filter,
        "results",
    ),
)

# --- Features ------------------------------------------------------------------------------------


def is_refused(answer: Answer) -> bool:
    """Returns true if the request was wrong."""
    return answer.status in (400, 422)


def text_of(answer: Answer) -> str:
    """Returns the body and the headers about pages."""
    headers = (answer.headers.get(name, "") for name in ("x-total-count", "link"))
    return " ".join((answer.body.decode(), *headers))


# How an answer shows a feature, and the query or path of the request to each program; None if it
# has none.
FEATURES: Mapping[str, tuple[Callable[[Answer], bool], Sequence[str | None]]] = {
    "values with commas": (
        lambda answer: "O'Hara" in text_of(answer),
        (
            r"customer=O'Hara\, Ltd",
            "customer_id__in=O'Hara, Ltd",
            "$filter=customer_id eq 'O''Hara, Ltd'",
            "customer=O'Hara, Ltd",
        ),
    ),
    "times in words": (
        lambda answer: "customer_id" in text_of(answer),
        ("start=1 year ago", "created_at__gte=1 year ago", None, "created_after=1 year ago"),
    ),
    "several sort keys": (
        lambda answer: answer.status == 200,
        (
            "order=-total,created",
            "order_by=-total,created_at",
            "$orderby=total desc,created_at",
            "order=-total,created_at",
        ),
    ),
    "the total of all pages": (
        lambda answer: "2000" in text_of(answer),
        ("count=true", "", "$count=true", ""),
    ),
    "links to other pages": (
        lambda answer: bool(re.search("page=2|cursor=", text_of(answer))),
        ("",) * 4,
    ),
    "pages by cursor": (lambda answer: "cursor=" in text_of(answer), ("",) * 4),
    "all errors at once": (
        lambda answer: (
            is_refused(answer) and "status" in text_of(answer) and "total" in text_of(answer)
        ),
        (
            "status=lost&total[gte]=many",
            "status__in=lost&total__gte=many",
            "$filter=status eq 'lost' and total ge 'many'",
            "status=lost&total_min=many",
        ),
    ),
    "unknown parameters refused": (is_refused, ("colour=red",) * 4),
    "parameters in OpenAPI": (
        lambda answer: "total" in text_of(answer),
        (*("/openapi.json",) * 3, None),
    ),
    "limits in headers": (lambda answer: "x-ratelimit-remaining" in answer.headers, ("",) * 4),
}


def has_feature(name: str, program: Program) -> bool:
    """Returns true if an answer of a program shows a feature."""
    is_shown, requests = FEATURES[name]
    request = requests[PEERS.index(program)]
    if request is None:
        return False
    path = request if request.startswith("/") else "/orders"
    return is_shown(program.get(dict(parse_qsl(request)), path))


# --- The table -----------------------------------------------------------------------------------


def facts(questions: list[Question]) -> list[list[str]]:
    """Returns the rows that hold on any machine."""
    return [
        ["lines of code", *(str(program.lines()) for program in PEERS)],
        ["wrong rows", *(f"{program.wrong_rows(questions):,}" for program in PEERS)],
        *([f, *("yes" if has_feature(f, peer) else "no" for peer in PEERS)] for f in FEATURES),
    ]


def times(questions: list[Question]) -> list[str]:
    """Returns the median CPU time of a request to each program, by turns."""
    rounds = [[program.microseconds(question) for program in PEERS] for question in questions]
    medians = (statistics.median(samples) for samples in zip(*rounds, strict=True))
    return ["microseconds of CPU time a request", *(f"{round(median):,}" for median in medians)]


def main() -> int:
    """Writes the table, or with --check fails if it isn't true."""
    questions = draw_questions()
    heads, rows = ["", *(program.built_with for program in PEERS)], facts(questions)
    if sys.argv[1:] == ["--check"]:
        text = table(heads, rows)
        return 0 if text in PAGE.read_text() else print(text) or 1
    fill_page(PAGE, "frameworks", table(heads, [*rows, times(questions)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
