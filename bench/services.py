# SPDX-License-Identifier: MIT
"""Compares services over a table of PostgreSQL: the fleet's programs of examples/comparison.

    python bench/services.py
    python bench/services.py --times [--rows 1000000]

sends each the same random questions of 12 parameters about 5,000 vehicles, in the words that it
has for them, and looks at every vehicle to know the answer; it writes its part of
docs/comparison.md. With --times it prints the processor time of pages of many vehicles, of the
server and of the program without HTTP, in turns with statements by hand, whose rows all must
return. It needs PostgreSQL and the packages of the tests, .ci/requirements.txt.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import psycopg
from frameworks import PAGE, Program
from psycopg.rows import dict_row
from sluice_bench.measuring import check_equal, processor_ns, take_turns
from sluice_bench.report import fill_page, table
from sql_engines import postgresql_place  # sluice_bench finds it

FIRST, FEW, QUESTIONS, SEED = datetime(2016, 1, 1, tzinfo=UTC), 5_000, 100, 7
Row = Mapping[str, Any]


class Question(NamedTuple):
    """A request, in nobody's syntax."""

    fuels: list[str]
    brands: list[str]
    depots: list[str]
    is_excluded: bool  # all brands and depots but these
    seats: int
    least: int
    most: int
    first: datetime
    last: datetime
    inspected: date | None
    available: bool | None
    equipment: list[str]
    plan: str | None

    def wants(self, row: Row) -> bool:
        """Returns true if a vehicle is in the list."""
        return (
            (not self.fuels or row["fuel"] in self.fuels)
            and (not self.brands or (row["brand"] in self.brands) != self.is_excluded)
            and (not self.depots or (str(row["depot"]) in self.depots) != self.is_excluded)
            and row["seats"] >= self.seats
            and self.least <= row["price"] <= self.most
            and self.first <= row["registered"] <= self.last
            and (
                self.inspected is None
                or (row["inspected"] is not None and row["inspected"] >= self.inspected)
            )
            and self.available in (None, row["available"])
            and (not self.equipment or not {*self.equipment}.isdisjoint(row["equipment"]))
            and self.plan in (None, (row["details"] or {}).get("plan"))
        )


def draw_questions(rows: list[dict[str, Any]]) -> list[Question]:
    """Draws questions about at least one vehicle, and few enough for a page."""
    draw = random.Random(SEED)
    depots = sorted({str(row["depot"]) for row in rows})
    questions: list[Question] = []
    while len(questions) < QUESTIONS:
        first = FIRST + timedelta(hours=draw.randrange(400))
        day = date(2026, 1, 1) + timedelta(days=draw.randrange(200))
        question = Question(
            draw.sample(("petrol", "diesel", "electric"), draw.randrange(3)),
            draw.sample(("Audi", "Citroën", "Rolls, Royce"), draw.randrange(3)),
            draw.sample(depots, draw.choice((0, 0, 3, 12))),
            draw.random() < 0.5,
            draw.randrange(6),
            least := draw.randrange(5_000),
            least + draw.randrange(9_000),
            first,
            first + timedelta(hours=draw.randrange(400)),
            draw.choice((None, None, day)),
            draw.choice((None, True, False)),
            draw.choice(([], [], ["gps"], [f"e{draw.randrange(500)}" for _ in range(90)])),
            draw.choice((None, None, None, f"p{draw.randrange(50)}")),
        )
        if 1 <= sum(map(question.wants, rows)) <= 100:
            questions.append(question)
    return questions


# --- How a question is written for a program -----------------------------------------------------

Name = Callable[[str, str], str]  # of a column and of its test


def write_by(name_of: Name, limit: str, has_repeated_lists: bool = False) -> Any:  # noqa: ANN401
    """Writes a question with a parameter for each column and test."""

    def write(q: Question) -> dict[str, object]:
        unlike = "not" if q.is_excluded else "in"
        values: dict[tuple[str, str], object] = {
            ("fuel", "in"): ",".join(q.fuels),
            ("brand", unlike): ",".join(q.brands),
            ("depot", unlike): ",".join(q.depots),
            ("seats", "gte"): q.seats,
            ("price", "gte"): q.least,
            ("price", "lte"): q.most,
            ("registered", "gte"): q.first.isoformat(),
            ("registered", "lte"): q.last.isoformat(),
            ("inspected", "gte"): q.inspected or "",
            ("available", "is"): "" if q.available is None else str(q.available).lower(),
            ("equipment", "in"): q.equipment if has_repeated_lists else ",".join(q.equipment),
            ("details", "plan"): q.plan or "",
        }
        written = {name_of(*key): value for key, value in values.items() if value not in ("", [])}
        return {**written, limit: 100}

    return write


def name_fastapi_filter(column: str, test: str) -> str:
    """Names a parameter of fleet_fastapi_filter."""
    if column == "details":
        return "plan"
    return column if column in ("available", "equipment") else f"{column}__{suffix(test)}"


def suffix(test: str) -> str:
    """Returns the lookup of a test in fastapi-filter."""
    return "not_in" if test == "not" else test


def name_django_filter(column: str, test: str) -> str:
    """Names a parameter of fleet_django_filter."""
    if column == "details":
        return "plan"
    is_time = column in ("registered", "inspected")
    ends = {"gte": "after", "lte": "before"} if is_time else {"gte": "min", "lte": "max"}
    end = {**ends, "not": "not"}.get(test)
    return f"{column}_{end}" if end else column


def write_sluice(q: Question) -> dict[str, object]:
    """Writes a question to the programs of sluice."""
    brands = [brand.replace(",", r"\,") for brand in q.brands]
    names = {("registered", "gte"): "start", ("registered", "lte"): "end"}

    def name_of(column: str, test: str) -> str:
        known = names.get((column, test))
        return known or (f"{column}[{test}]" if test in ("gte", "lte") else column)

    written: dict[str, object] = write_by(name_of, "limit")(q._replace(brands=brands))
    for column in ("brand", "depot"):
        if q.is_excluded and column in written:
            written[column] = f"-{written[column]}"
    return {**written, "details": f"metadata['plan']:{q.plan}"} if q.plan else written


PATH = "/vehicles"
PROGRAMS = (
    Program("fleet_sqlalchemy", "FastAPI, asyncio + sluice", write_sluice, "", PATH),
    Program("fleet_sqlmodel", "FastAPI, SQLModel + sluice", write_sluice, "", PATH),
    Program(
        "fleet_fastapi_filter",
        "FastAPI, asyncio + fastapi-filter + fastapi-pagination",
        write_by(name_fastapi_filter, "size", has_repeated_lists=True),
        "items",
        PATH,
    ),
    Program("fleet_rest", "Django REST framework + sluice", write_sluice, "", PATH),
    Program(
        "fleet_django_filter",
        "Django REST framework + django-filter",
        write_by(name_django_filter, "limit"),
        "results",
        "/filtered/vehicles",
    ),
)

HEADS = ["", *(program.built_with for program in PROGRAMS)]

# --- Times ---------------------------------------------------------------------------------------


class Case(NamedTuple):
    """A page: its name, the condition by hand, and the requests for it."""

    name: str
    where: str
    requests: Mapping[str, str]  # by module; "" for those of sluice
    is_counted: bool = False  # by all; both peers count at each request

    def request(self, program: Program) -> str:
        """Returns the request to a program."""
        return self.requests.get(program.module, self.requests[""])


def requests(sluice: str, fastapi_filter: str, django_filter: str) -> Mapping[str, str]:
    """Returns the requests of a case by module."""
    return {
        "": sluice,
        "fleet_fastapi_filter": f"{fastapi_filter}&size=20".lstrip("&"),
        "fleet_django_filter": django_filter,
    }


RANGE = "fuel = 'petrol' AND price BETWEEN 100 AND 200"
OF_RANGE = (
    "fuel=petrol&price[gte]=100&price[lte]=200",
    "fuel__in=petrol&price__gte=100&price__lte=200",
    "fuel=petrol&price_min=100&price_max=200",
)
GPS = "equipment && ARRAY['e7']"
CASES = (
    Case("first page", "true", requests("", "", "")),
    Case("enum and numeric", RANGE, requests(*OF_RANGE)),
    Case(
        "enum and numeric, total", RANGE, requests(f"{OF_RANGE[0]}&count=true", *OF_RANGE[1:]), True
    ),
    Case("text[]", GPS, requests(*["equipment=e7"] * 3)),
    Case("text[], total", GPS, requests("equipment=e7&count=true", *["equipment=e7"] * 2), True),
)


def by_hand(connection: "psycopg.Connection[dict[str, Any]]", case: Case) -> list[str]:
    """Returns the ids of a page, whose total is counted if the case says so."""
    if case.is_counted:
        connection.execute(f"SELECT count(*) FROM vehicles WHERE {case.where}").fetchone()
    order = "ORDER BY registered DESC, id DESC LIMIT 21"
    rows = connection.execute(f"SELECT * FROM vehicles WHERE {case.where} {order}").fetchall()
    return [str(row["id"]) for row in rows[:20]]


class Clock:
    """The processor times of a server's sessions and of this process."""

    def __init__(self, place: str) -> None:
        """Opens a session that finds the others."""
        self._connection = psycopg.connect(place, autocommit=True)

    def sample(self, run: Callable[[], object]) -> Callable[[], tuple[float, float]]:
        """Returns a function that repeats a call; milliseconds of the server and of the program."""
        for _ in range(6):  # also opens sessions, and prepares statements
            run()
        begin = time.perf_counter_ns()
        run()
        repetitions = max(1, int(20e6 / (time.perf_counter_ns() - begin)))
        others = "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename <> ''"
        sessions = [pid for (pid,) in self._connection.execute(others)]

        def measure() -> tuple[float, float]:
            before, begin = sum(map(processor_ns, sessions)), time.process_time_ns()
            for _ in range(repetitions):
                run()
            spent = time.process_time_ns() - begin
            served = sum(map(processor_ns, sessions)) - before
            return served / repetitions / 1e6, spent / repetitions / 1e6

        return measure


def times(place: str, pairs: int) -> list[list[str]]:
    """Returns the rows of the table of times."""
    clock, lines = Clock(place), []
    with psycopg.connect(place, autocommit=True, row_factory=dict_row) as connection:
        for case in CASES:
            runs: dict[str, Callable[[], object]] = {"": partial(by_hand, connection, case)}
            answers: dict[str, object] = {"": by_hand(connection, case)}
            for program in PROGRAMS:
                answers[program.module] = program.ids(case.request(program))
                runs[program.module] = partial(program.answer, case.request(program))
            check_equal(case.name, answers)
            spent = take_turns(pairs, {name: clock.sample(run) for name, run in runs.items()})
            medians = [[median(part) for part in zip(*of, strict=True)] for of in spent.values()]
            cells = [f"{server:.2f} + {client:.2f}" for server, client in medians]
            lines.append([case.name, *cells[1:], cells[0]])
    return lines


# --- The tables ----------------------------------------------------------------------------------


def fill(place: str, rows: int) -> list[dict[str, Any]]:
    """Makes the table; returns its first rows."""
    from fleet import TABLE

    with psycopg.connect(place, autocommit=True, row_factory=dict_row) as connection:
        connection.execute("ALTER ROLE sluice SET max_parallel_workers_per_gather = 0")
        for statement in TABLE.format(rows=rows).split(";"):
            connection.execute(statement)
        return connection.execute(f"SELECT * FROM vehicles LIMIT {FEW}").fetchall()


def facts(place: str) -> list[list[str]]:
    """Returns the lines of each program, and its wrong rows."""
    rows = fill(place, FEW)
    questions = draw_questions(rows)
    wrong = [f"{program.wrong_rows(questions, rows):,}" for program in PROGRAMS]
    lines = [f"{program.lines()}" for program in PROGRAMS]
    return [["lines of code", *lines], ["wrong rows", *wrong]]


def url_of(place: str) -> str:
    """Returns the place of a server as a URL, for FLEET."""
    host, user, database = (part.partition("=")[2] for part in place.split())
    return f"postgresql://{user}@/{database}?host={host}"


def main() -> int:
    """Writes the table or prints times, or with --check fails if the table isn't true."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", action="store_true", help="print times")
    parser.add_argument("--check", action="store_true", help="compare the table")
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=1_000_000)
    parser.add_argument("--pairs", type=int, default=11)
    options = parser.parse_args()
    with postgresql_place() as place:
        os.environ["FLEET"] = url_of(place)
        if options.times:
            fill(place, options.rows)
            print(table([*HEADS, "by hand, psycopg"], times(place, options.pairs)))
            return 0
        text = table(HEADS, facts(place))
    if options.check:
        return 0 if text in PAGE.read_text() else print(text) or 1
    fill_page(PAGE, "services", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
