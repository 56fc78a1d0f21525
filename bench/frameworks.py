# SPDX-License-Identifier: MIT
"""Compares list endpoints of frameworks: the programs of examples/comparison, one GET /orders each.

    python bench/frameworks.py
    python bench/frameworks.py --times

sends each the same random questions, in the words that it has for them, and looks at every order to
know the answer; it counts lines, features and wrong rows, and writes its part of
docs/comparison.md. With --times it prints the processor time of a request, without server and
client: of questions that all programs answer alike, in turns. It needs the packages of the tests,
.ci/requirements.txt.
"""

import asyncio
import importlib
import random
import re
import sys
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode
from wsgiref.util import setup_testing_defaults

import httpx

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "examples" / "comparison"
PAGE = ROOT / "docs" / "comparison.md"
sys.path.append(str(PROGRAMS))

from shop import FIRST, ORDERS  # noqa: E402
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


# --- How a question is written for a program -----------------------------------------------------

Write = Callable[[Any], dict[str, object]]


def write_by_names(names: str) -> Write:
    """Writes lists with commas between values, by the names of a program's parameters."""
    statuses, customers, excluded, least, most, first, last, limit = names.split()

    def write(q: Question) -> dict[str, object]:
        name = excluded if q.is_excluded else customers
        lists = {statuses: ",".join(q.statuses), name: ",".join(q.customers)}
        bounds = {least: q.least, most: q.most, limit: 100}
        times = {first: q.first.isoformat(), last: q.last.isoformat()}
        return {**{key: text for key, text in lists.items() if text}, **bounds, **times}

    return write


def write_sluice(q: Question) -> dict[str, object]:
    """Writes a question to with_sluice, which has escapes and one name for exclusions."""
    customers = [customer.replace(",", r"\,") for customer in q.customers]
    if customers and q.is_excluded:
        customers[0] = f"-{customers[0]}"
    names = "status customer customer total[gte] total[lte] start end limit"
    return write_by_names(names)(q._replace(customers=customers))


def write_odata(q: Question) -> dict[str, object]:
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


# --- Programs ------------------------------------------------------------------------------------


class Program(NamedTuple):
    """A program, how a question is written for it, and where its answer has the rows."""

    module: str
    built_with: str
    write: Write
    rows: str  # member of its answer; empty: the answer itself
    path: str = "/orders"

    def get(self, query: str, path: str = "") -> httpx.Response:
        """Returns the answer to a request; each is another client's."""
        app, stranger = importlib.import_module(self.module).app, f"{time.monotonic_ns()}"
        target = f"http://localhost{path or self.path}?{query}"
        if "Django" in self.built_with:
            with httpx.Client(transport=httpx.WSGITransport(app, remote_addr=stranger)) as client:
                return client.get(target)

        async def get() -> httpx.Response:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
                return await client.get(target, headers={"X-API-Key": stranger})

        return LOOP.run_until_complete(get())

    def lines(self) -> int:
        """Returns the number of lines that are code."""
        text = (PROGRAMS / f"{self.module}.py").read_text()
        return sum(bool(re.match(r"\s*[^\s#\"]", line)) for line in text.splitlines())

    def ids(self, query: str) -> list[str]:
        """Returns the ids of the rows that answer a request; none if it is refused."""
        answer = self.get(query)
        body = answer.json() if answer.status_code == 200 else []
        return [row["id"] for row in (body[self.rows] if body and self.rows else body)]

    def wrong_rows(self, questions: list[Any], rows: list[dict[str, Any]] = ORDERS) -> int:
        """Counts the rows that it returns and shouldn't, or should and doesn't."""
        wrong = 0
        for question in questions:
            wanted = {str(row["id"]) for row in rows if question.wants(row)}
            wrong += len({*self.ids(urlencode(self.write(question), doseq=True))} ^ wanted)
        return wrong

    def answer(self, query: str) -> None:
        """Answers a request as its server would have it answered."""
        app, stranger = importlib.import_module(self.module).app, f"{time.monotonic_ns()}"
        if "Django" in self.built_with:
            environ: dict[str, Any] = {"PATH_INFO": self.path, "REMOTE_ADDR": stranger}
            environ["QUERY_STRING"] = query
            setup_testing_defaults(environ)
            environ["HTTP_HOST"] = "localhost"
            b"".join(app(environ, lambda *_: None))
            return
        names = {"host": "localhost", "x-api-key": stranger}
        scope = {
            **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1"},
            **{"method": "GET", "scheme": "http", "path": self.path},
            **{"raw_path": self.path.encode()},
            **{"root_path": "", "query_string": query.encode(), "client": (stranger, 1)},
            **{"server": ("localhost", 80)},
            "headers": [(name.encode(), value.encode()) for name, value in names.items()],
        }

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_: dict[str, object]) -> None: ...

        LOOP.run_until_complete(app(scope, receive, send))


FASTAPI_FILTER = "fastapi-filter + fastapi-pagination + slowapi"
FASTAPI_FILTER_NAMES = (
    "status__in customer_id__in customer_id__not_in total__gte total__lte created_at__gte"
    " created_at__lte size"
)
DJANGO = "Django REST framework + django-filter"
DJANGO_NAMES = "status customer customer_not total_min total_max created_after created_before limit"
PEERS = (
    Program("with_sluice", "FastAPI + sluice", write_sluice, ""),
    Program("with_fastapi_filter", FASTAPI_FILTER, write_by_names(FASTAPI_FILTER_NAMES), "items"),
    Program("with_odata", "FastAPI + odata-query", write_odata, ""),
    Program("with_django_filter", DJANGO, write_by_names(DJANGO_NAMES), "results"),
)

# --- Features ------------------------------------------------------------------------------------

REFUSED = "^4(00|22) "
# A pattern of answers that show a feature, and the query or path of the request to each program;
# "" asks for the list as it is, None says that a program has no such request.
FEATURES: Mapping[str, tuple[str, *tuple[str | None, ...]]] = {
    "values with commas": (
        "O'Hara",
        r"customer=O'Hara\, Ltd",
        "customer_id__in=O'Hara, Ltd",
        "$filter=customer_id eq 'O''Hara, Ltd'",
        "customer=O'Hara, Ltd",
    ),
    "times in words": (
        *("customer_id", "start=1 year ago", "created_at__gte=1 year ago", None),
        "created_after=1 year ago",
    ),
    "several sort keys": (
        *("^200 ", "order=-total,created", "order_by=-total,created_at"),
        *("$orderby=total desc,created_at", "order=-total,created_at"),
    ),
    "the total of all pages": ("2000", "count=true", "", "$count=true", ""),
    "links to other pages": ("page=2|cursor=", "", "", "", ""),
    "pages by cursor": ("cursor=", "", "", "", ""),
    "all errors at once": (
        f"{REFUSED}(?=.*status)(?=.*total)",
        "status=lost&total[gte]=many",
        "status__in=lost&total__gte=many",
        "$filter=status eq 'lost' and total ge 'many'",
        "status=lost&total_min=many",
    ),
    "unknown parameters refused": (REFUSED, *["colour=red"] * 4),
    "parameters in OpenAPI": ("total", *["/openapi.json"] * 3, None),
    "limits in headers": ("x-ratelimit-remaining", "", "", "", ""),
}
HEADERS = ("x-total-count", "link", "x-ratelimit-remaining")


def has_feature(program: Program, pattern: str, request: str | None) -> bool:
    """Returns true if the answer of a program shows a feature."""
    if request is None:
        return False
    is_path = request.startswith("/")
    answer = program.get("", request) if is_path else program.get(urlencode(parse_qsl(request)))
    headers = [f"{name}: {answer.headers[name]}" for name in HEADERS if name in answer.headers]
    shown = f"{answer.status_code} {answer.text} {' '.join(headers)}"
    return bool(re.search(pattern, shown, re.DOTALL))


def facts(questions: list[Question]) -> list[list[str]]:
    """Returns the rows of the table."""
    rows = [
        ["lines of code", *(str(program.lines()) for program in PEERS)],
        ["wrong rows", *(f"{program.wrong_rows(questions):,}" for program in PEERS)],
    ]
    for feature, (pattern, *requests) in FEATURES.items():
        shown = (has_feature(p, str(pattern), r) for p, r in zip(PEERS, requests, strict=True))
        rows.append([feature, *("yes" if is_shown else "no" for is_shown in shown)])
    return rows


def processor_times(turns: int = 10) -> dict[str, float]:
    """Returns the milliseconds of a request by program: medians of turns."""
    questions = draw_questions()
    alike = [one for one in questions if not any(peer.wrong_rows([one]) for peer in PEERS)]
    print(f"{len(alike)} of {len(questions)} questions, which all answer alike")
    texts = {peer: [urlencode(peer.write(one)) for one in alike] for peer in PEERS}
    times: dict[str, list[float]] = {peer.built_with: [] for peer in PEERS}
    for _ in range(turns):
        for peer, queries in texts.items():
            begin = time.process_time_ns()
            for query in queries:
                peer.answer(query)
            spent = time.process_time_ns() - begin
            times[peer.built_with].append(spent / len(queries) / 1e6)
    return {name: median(spent) for name, spent in times.items()}


def main() -> int:
    """Writes the table or prints times, or with --check fails if the table isn't true."""
    if sys.argv[1:] == ["--times"]:
        for name, milliseconds in processor_times().items():
            print(f"{name:46} {milliseconds:6.2f} ms")
        return 0
    text = table(["", *(program.built_with for program in PEERS)], facts(draw_questions()))
    if sys.argv[1:] == ["--check"]:
        return 0 if text in PAGE.read_text() else print(text) or 1
    fill_page(PAGE, "frameworks", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
