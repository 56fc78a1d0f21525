# SPDX-License-Identifier: MIT
"""Python's answers to many cases: the oracle of cases.mjs.

python expected.py SEED COUNT writes a JSON array: the rows of tests/data, times in every zone,
limiters, and COUNT random texts of each kind.
"""

import dataclasses
import json
import math
import random
import struct
import sys
import zoneinfo
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias
from uuid import UUID

import sluice
import sluice.groups
from sluice import _sluice
from sluice._declared.groups import measures_of

sys.path.append(str(Path(__file__).parents[1] / "python"))
from grammar_texts import TEXTS_OF, OdataTexts

DATA = Path(__file__).parents[1] / "data"
NOW = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
KEYS = (["a", "b"], [1787279415123, "é"], [None, True], ["10.5", "x"], [1], ["x" * 300, "y"])
FORMS = ("page", "count", "condition")
ERROR = ("code", "status", "rule", "param", "offset", "length", "message")
Json: TypeAlias = Any  # what JSON has a form for, and the classes that ask for it
Case: TypeAlias = dict[str, Json]
DIGITS = 2**53 - 1


class Declared(sluice.ListQuery):
    """The endpoint of cases.mjs."""

    status = sluice.filter(choices=("open", "paid", "void"), collation="ignore_case")
    number = sluice.filter(type="integer")
    ids = sluice.texts()
    customer = sluice.text(column="customer_id", prefix="cus_")
    kind = sluice.choice(("new", "old"), default="new")
    urgent = sluice.boolean()
    items = sluice.integer(minimum=1, maximum=99, default=5)
    weight = sluice.integer(operators=(">=", "<"), minimum=-DIGITS, maximum=DIGITS)
    total = sluice.decimal(operators=("=", ">=", "<=", ">"))
    seen = sluice.time(operators=(">=", "<="))
    batch = sluice.uuid()
    meta = sluice.metadata()
    search = sluice.search()
    score = sluice.real(operators=("=", ">=", "<"))
    due = sluice.date(operators=("=", ">", "<="))
    days = sluice.filter(type="date")
    size = sluice.choice(("small", "large"), type="choice", operators=("=", ">="))
    note = sluice.text(operators=(">", "<="))
    part = sluice.contains(column="title")
    head = sluice.starts_with(column="title")
    last = sluice.ends_with(column=sluice.Column("tags", is_list=True, collation="ignore_case"))
    gone = sluice.is_null(column=sluice.Column("seats", "integer", is_nullable=True))
    token = sluice.uuid(type="uuid")
    ports = sluice.filter(column=sluice.Column("ports", "integer", is_list=True))
    words = sluice.search("title", "note")
    created = sluice.window(column="created_at", default="30d")
    order = sluice.sort("created", "total", "score", "size", "id", default="-created")
    page = sluice.page(default=20, maximum=500)


class Grouped(
    sluice.ListQuery,
    columns=[sluice.Column("tags", is_list=True), sluice.Column("data", "json")],
):
    """The endpoint of cases.mjs whose requests name groups, measures and facets."""

    country = sluice.filter(column=sluice.Column("country", is_nullable=True))
    device = sluice.filter()
    cents = sluice.integer(operators=(">=", "<="), minimum=-DIGITS, maximum=DIGITS)
    total = sluice.decimal()
    due = sluice.date(operators=(">=",))
    created = sluice.window(default="30d")
    groups = sluice.group_by(
        *("country", "device", "created", "due", "tags", "data.plan"), name="groupBy", size=50
    )
    measures = sluice.measures(
        *("cents", "total", "country", "created"),
        kinds=("sum", "min", "max", "average", "count_distinct", "approx_count_distinct"),
    )
    facets = sluice.facets("country", "device", "tags", values=2)


def words(text: str) -> list[str]:
    return text.split(" ")


def milliseconds(at: datetime) -> int:
    return (at - EPOCH) // timedelta(milliseconds=1)


def plain(value: Json) -> Json:
    """A value as cases.mjs writes it."""
    if isinstance(value, datetime):
        return milliseconds(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, sluice.Filter | sluice.MetadataQuery | UUID):
        return str(value)
    if isinstance(value, Decimal):
        return str(value).replace("E+", "e").replace("E", "e")
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, sluice.PageRequest):
        members = dataclasses.asdict(value) | {"offset": value.offset}
        return {name: member for name, member in members.items() if name != "skipped"}
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value


def rounded(value: Json) -> Json:
    """JSON as JavaScript reads it: numbers as doubles."""
    if isinstance(value, dict):
        return {name: rounded(member) for name, member in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    is_large = isinstance(value, int) and abs(value) > DIGITS
    return float(value) if is_large else value


def exact(value: Json) -> Json:
    """Parameters of SQL, whose large numbers cases.mjs writes as texts."""
    if isinstance(value, dict):
        return {name: exact(member) for name, member in value.items()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    is_large = isinstance(value, int) and isinstance(rounded(value), float)
    return str(value) if is_large else value


def error_of(error: sluice.ApiError) -> Case:
    return {name: getattr(error, name) for name in ERROR}


def outcome(make: Callable[[], Json]) -> Json:
    try:
        return make()
    except sluice.ApiError as error:
        return {"errors": [error_of(error)]}


def statement_of(query: Json, dialect: Json, form: Json) -> Json:
    statement = query.to_sql(dialect, "rows", form=form)
    # Drivers of Python have another placeholder than those of JavaScript.
    text = statement.text.replace("%s", "?") if dialect == "mariadb" else statement.text
    return {"text": text, "parameters": exact(statement.parameters)}


def values_of(query: Json, names: Iterable[tuple[str, str]]) -> Case:
    return {name: rounded(plain(getattr(query, attribute))) for name, attribute in names}


def query_of(kind: Json, names: Iterable[tuple[str, str]], case: Case) -> Json:
    tail = case.get("tail", {"text": "", "times": 0})
    text, options = case["text"] + tail["text"] * tail["times"], {"strict": case["strict"]}
    if kind is not sluice.TagsQuery:  # which has no times
        options["now"] = NOW
    errors = kind.errors(text, **options)
    if errors:
        return {"errors": [error_of(error) for error in errors]}
    query = kind.parse(text, **options)
    if "tail" in case:  # a megabyte, or so
        return {"text": str(query)}
    return {
        "text": str(query),
        "values": values_of(query, names),
        "tree": rounded(query.tree()),
        "sql": [
            [outcome(lambda: statement_of(query, dialect, form)) for form in FORMS]  # noqa: B023
            for dialect in _sluice._DIALECTS
        ],
        "cursors": [
            outcome(lambda: query.cursor_beside(keys, before=len(keys) > 1))  # noqa: B023
            for keys in KEYS
        ],
        "matches": [query.matches(row) for row in case.get("rows", ())],
    }


def attribute_of(parameter: str) -> str:
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in parameter)


def of_service(kind: Json) -> list[tuple[str, str]]:
    return [(name, attribute_of(name)) for name in kind.parameters]


EVENTS, TAGS = of_service(sluice.EventsQuery), of_service(sluice.TagsQuery)
DECLARED = [(name, name) for name in Declared.places]
GROUPED = [(name, name) for name in ("groups", "measures", "facets")]


def grouped(rows: list[Case]) -> Json:
    """The rows of an answer as TypeScript has them, as JSON, which has no infinity."""

    def written(value: Json) -> Json:
        is_infinite = isinstance(value, float) and math.isinf(value)
        return None if is_infinite else exact(plain(value))

    return [{name: written(value) for name, value in row.items()} for row in rows]


def aggregate_of(groups: sluice.groups.Aggregate, rows: list[Case]) -> Json:
    def statement(dialect: Json) -> Json:
        compiled = groups.to_sql(dialect, "rows")
        text = compiled.text.replace("%s", "?") if dialect == "mariadb" else compiled.text
        return {"text": text, "parameters": exact(plain(compiled.parameters))}

    sql = [outcome(lambda: statement(dialect)) for dialect in _sluice._DIALECTS]  # noqa: B023
    return {"rows": grouped(groups.apply(rows)), "sql": sql}


def groups_of(case: Case) -> Json:
    errors = Grouped.errors(case["text"], now=NOW, strict=True)
    if errors:
        return {"errors": [error_of(error) for error in errors]}
    query = Grouped.parse(case["text"], now=NOW, strict=True)
    return {
        "text": str(query),
        "values": values_of(query, GROUPED),
        "tree": rounded(dict(query.aggregate.tree)),
        "facets": {
            name: grouped(values)
            for name, values in sluice.groups.facets(query, case["rows"]).items()
        },
        **aggregate_of(query.aggregate, case["rows"]),
    }


def filter_of(case: Case) -> Json:
    parsed = sluice.Filter.parse(case["text"])
    return {
        "text": str(parsed),
        "excludes": parsed.excludes,
        "values": list(parsed.values),
        "matches": [parsed.matches(row, case["collation"]) for row in case["rows"]],
    }


def metadata_of(case: Case) -> Json:
    parsed = sluice.MetadataQuery.parse(case["text"])
    matches = [parsed.matches(document) for document in case["documents"]]
    return {"text": str(parsed), "tree": parsed.tree(), "matches": matches}


def limit_of(case: Case) -> Json:
    state, answers = case["state"], []
    for now, cost in case["checks"]:
        at = EPOCH + timedelta(milliseconds=now)
        decision, state = sluice.decide(
            state, case["limit"], case["windowSeconds"], at, case["algorithm"], cost
        )
        answer: Case = {
            "allowed": decision.allowed,
            "remaining": decision.remaining,
            "reset": decision.reset,
        }
        answers.append(answer | {"retryAfter": decision.retry_after, "state": state})
    return answers


def times_of(case: Case) -> Json:
    def resolve(text: str, edge: Json) -> Json:
        expression = sluice.TimeExpression.parse(text)
        return milliseconds(expression.resolve(NOW, edge, case["zone"]))

    return [outcome(lambda: resolve(*arguments)) for arguments in case["texts"]]  # noqa: B023


def window_of(case: Case) -> Json:
    window = sluice.resolve_window(**case["options"], now=NOW)
    return plain(window)


def reals_of(case: Case) -> Json:
    return [str(Declared.parse({"score": text})) for text in case["texts"]]


# --- Trees of queries --------------------------------------------------------------------------

LINES = (sluice.Column("sku"), sluice.Column("count", "integer", is_nullable=True))
SIZES = ("small", "large")
TOKEN = "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e"
# Cells by the types of columns; those of lists are lists of these.
CELLS: dict[str, list[Json]] = {
    "text": ["a", "b", "xa%_", ""],
    "integer": [1, -7, DIGITS],
    "decimal": ["1", "0.5", "1e400", 7],
    "real": [0.5, -1e300, 5e-324, 3],
    "time": ["2026-08-21T00:00:00.000Z", 0, 1787279415123],
    "date": ["2026-08-21", "0001-01-01", "9999-12-31"],
    "uuid": [TOKEN.upper(), "00000000-0000-0000-0000-000000000000"],
    "choice": ["small", "large", "other"],
    "boolean": [True, False],
    "json": ['{"plan":"pro"}', '{"plan":1}', "[]"],
    "records": [
        [{"sku": "a", "count": 5}, {"sku": "b", "count": None}],
        [{"sku": "c", "count": 5}],
        [],
    ],
}
LEAVES: dict[str, Json] = {
    "any_of": None,
    "none_of": None,
    "all_of": None,
    "contains": ["a", "%_"],
    "starts_with": ["x", "A"],
    "ends_with": ["_", ""],
    "is": False,
    "is_null": False,
    "any": {
        "all": [
            {"column": "sku", "any_of": ["a"]},
            {"not": {"column": "count", "is_null": True}},
        ]
    },
    "matches": {"not": {"path": ["plan"], "equal": "pro"}},
}
BOUNDS: dict[str, tuple[Json, Json]] = {
    "text": ("a", "b"),
    "integer": (-7, 1),
    "decimal": ("0.5", "1e400"),
    "real": (-1e300, 0.5),
    "time": ("1970-01-01T00:00:00.000Z", "2026-08-21T00:00:00.000Z"),
    "date": ("0001-01-01", "2026-08-21"),
    "choice": ("small", "large"),
}


def column_of(type_: str, is_list: bool) -> sluice.Column:
    """A nullable column of a type, called like it."""
    name = f"{type_}s" if is_list else type_
    parts = {"choice": {"choices": SIZES}, "records": {"columns": LINES}}
    collation = "ignore_case" if name == "texts" else "exact"
    arguments = {"is_list": is_list, "is_nullable": True, "collation": collation}
    return sluice.Column(name, type_, **arguments, **parts.get(type_, {}))  # type: ignore[arg-type]


LISTED = {type_ for _, _, listed in _sluice._TESTS.values() for type_ in listed}
COLUMNS = [
    *(column_of(type_, is_list=False) for type_ in _sluice._COLUMN_TYPES),
    *(column_of(type_, is_list=True) for type_ in sorted(LISTED)),
]


def cells_of(column: sluice.Column) -> list[Json]:
    cells = CELLS[column.type]
    return [cells, cells[:1], [], None] if column.is_list else [*cells, None]


def leaves_of(name: str, column: sluice.Column) -> Iterator[Case]:
    """Yields conditions with a test of a column."""
    texts = [cell for cell in CELLS[column.type] if isinstance(cell, str | int)][:2]
    leaf: Case = {"column": column.name}
    if column.collation != "exact":
        leaf["collation"] = column.collation
    if name == "bounds":
        least, most = BOUNDS[column.type]
        yield leaf | {"gte": least, "lt": most}
        yield leaf | {"gt": least, "lte": most}
    else:
        yield leaf | {name: LEAVES[name] if LEAVES[name] is not None else list(map(str, texts))}


def tests_of_columns() -> Iterator[tuple[str, sluice.Column]]:
    """Yields every test with each type of column that has it."""
    for name, (_, plain, listed) in _sluice._TESTS.items():
        for column in COLUMNS:
            is_ordered = name != "bounds" or column.collation == "exact"
            if is_ordered and column.type in (listed if column.is_list else plain):
                yield name, column


WRONG_TREES: list[Json] = [
    {"where": {"column": "txt", "any_of": ["a"]}},
    {"where": {"column": "text", "any_off": ["a"]}},
    {"where": {"column": "text", "any_of": "a"}},
    {"where": {"column": "text", "any_of": ["a", 5]}},
    {"where": {"all": [{"column": "integer", "gte": 2.5}]}},
    {"where": {"all": [{"any": [{"column": "date", "gte": "2026-02-30"}]}]}},
    {"where": {"column": "choice", "gte": "other"}},
    {"where": {"column": "records", "any": {"column": "text", "any_of": ["a"]}}},
    {"where": {"column": "boolean", "contains": ["a"]}},
    {"where": {"column": "json", "matches": {"path": [], "equal": "a"}}},
    {"where": {"not": []}},
    {"order": [{"column": "text", "direction": "up"}]},
    {"page": {"number": 0, "size": 10}},
    {"cursor": {"text": "x", "size": 10}},
    {"limit": 5},
    {"where": None},
]


def tree_of(case: Case) -> Json:
    query = sluice.ListQuery.from_tree(case["tree"], [sluice.Column("id"), *COLUMNS])
    return {
        "tree": rounded(query.tree()),
        "matches": [query.matches({case["column"]: cell}) for cell in case["cells"]],
        "sql": [
            outcome(lambda: statement_of(query, dialect, "condition"))  # noqa: B023
            for dialect in _sluice._DIALECTS
        ],
    }


def aggregated(case: Case) -> Json:
    schema = (sluice.Column("id"), *COLUMNS)
    return aggregate_of(sluice.groups.Aggregate(case["tree"], schema), case["rows"])


EXPRESSION_COLUMNS = [
    sluice.Column("id"),
    sluice.Column("name", is_nullable=True),
    sluice.Column("city", is_nullable=True),
    sluice.Column("total", "integer", is_nullable=True),
    sluice.Column("paid", "boolean", is_nullable=True),
    sluice.Column("tags", is_list=True, is_nullable=True),
]


def expression_endpoint(grammar: Json) -> type[sluice.ListQuery]:
    """The endpoint of cases.mjs with a whole condition."""

    class Endpoint(sluice.ListQuery, columns=EXPRESSION_COLUMNS):
        q = sluice.expression(grammar, searched=["name"] if grammar == "aip160" else [])

    return Endpoint


EXPRESSION_ENDPOINTS = {grammar: expression_endpoint(grammar) for grammar in _sluice._GRAMMARS}


def expression_of(case: Case) -> Json:
    endpoint = EXPRESSION_ENDPOINTS[case["grammar"]]

    def answer() -> Case:
        tree = {"where": endpoint.parse({"q": case["text"]}).tree()["where"]}
        write = sluice.grammars.write_expression
        return {
            "tree": rounded(tree["where"]),
            "written": [
                outcome(lambda: write(grammar, tree, EXPRESSION_COLUMNS))  # noqa: B023
                for grammar in EXPRESSION_ENDPOINTS
            ],
        }

    return outcome(answer)


ANSWERS: dict[str, Callable[[Case], Json]] = {
    "expression": expression_of,
    "filter": filter_of,
    "metadata": metadata_of,
    "events": lambda case: query_of(sluice.EventsQuery, EVENTS, case),
    "tags": lambda case: query_of(sluice.TagsQuery, TAGS, case),
    "declared": lambda case: query_of(Declared, DECLARED, case),
    "times": times_of,
    "window": window_of,
    "limit": limit_of,
    "reals": reals_of,
    "tree": tree_of,
    "groups": groups_of,
    "aggregate": aggregated,
}


# --- Cases ---------------------------------------------------------------------------------------


def table_cases() -> Iterator[Case]:
    """The rows of tests/data."""
    for name in ("events", "tags"):
        for line in (DATA / f"{name}_query.ndjson").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            for strict in (False, True):
                case = {"kind": name, "text": row["query"], "strict": strict}
                yield case | ({"tail": row["tail"]} if "tail" in row else {})


def changes_of(zone: zoneinfo.ZoneInfo) -> Iterator[datetime]:
    """The instants at which clocks changed their offset from UTC, from 1970 to 2024.

    Before and after, hosts have different data: they keep less of the past, or know of new laws.
    """
    at, last = datetime(1970, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)
    step = timedelta(days=7)
    offset = at.astimezone(zone).utcoffset()
    while at < last:
        then = (at + step).astimezone(zone).utcoffset()
        if then != offset:
            low, high = at, at + step
            while high - low > timedelta(seconds=1):
                middle = low + (high - low) / 2
                middle = middle.replace(microsecond=0)
                same = middle.astimezone(zone).utcoffset() == offset
                low, high = (middle, high) if same else (low, middle)
            yield high
        at, offset = at + step, then


def seconds_ahead(at: datetime, zone: zoneinfo.ZoneInfo) -> int:
    ahead = at.astimezone(zone).utcoffset()
    return ahead // timedelta(seconds=1) if ahead else 0


def zone_cases() -> Iterator[Case]:
    """Local times around the changes of every zone, and days, months and years."""
    relative = ["today", "yesterday", "3 days ago", "1 year ago", "last month", "last quarter"]
    for name in sorted(zoneinfo.available_timezones() - {"Factory", "localtime"}):
        zone = zoneinfo.ZoneInfo(name)
        texts = [(word, edge) for word in relative for edge in ("start", "end")]
        marks = [NOW - timedelta(days=30 * months) for months in range(26)]  # relative times
        for at in list(changes_of(zone))[-24:]:
            local = at.astimezone(zone).replace(tzinfo=None)
            for minutes in (-121, -61, -30, -1, 0, 1, 30, 59, 60, 61, 121):
                shown = local + timedelta(minutes=minutes)
                texts.append((shown.isoformat(timespec="seconds"), "start"))
            texts += [(local.date().isoformat(), edge) for edge in ("start", "end")]
            marks += [at - timedelta(seconds=1), at]
        spelled = name if len(texts) % 2 else name.lower()
        offsets = [(milliseconds(at), seconds_ahead(at, zone)) for at in marks]
        yield {"kind": "times", "zone": spelled, "texts": texts, "offsets": offsets}


def window_cases(chance: random.Random, count: int) -> Iterator[Case]:
    intervals = words("24h 7d 30d 90d 1y mtd qtd ytd all 6h 90min 2w 18mo 5m 0d")
    times = ["now", "today", "2026-03-29", "2026-03-29T02:30", "2011-12-30", "5 hours ago", "x"]
    zones = ["UTC", "europe/paris", "Pacific/Apia", "America/New_York", "Mars/X", "GB"]
    for _ in range(count):
        choices = {"interval": intervals, "start": times, "end": times, "timezone": zones}
        options = {name: chance.choice(of) for name, of in choices.items() if chance.random() < 0.5}
        yield {"kind": "window", "options": options}


def random_text(chance: random.Random, pieces: list[str], most: int) -> str:
    return "".join(chance.choice(pieces) for _ in range(chance.randrange(most)))


FILTER = [*words("US CA us - , \\, \\- \\\\ US-CA é 😀 ? x a,b Unknown ,,"), "\0", "", " "]
PATHS = ["metadata['a']", 'metadata["b"]', "metadata['a']['b']", "metadata['é']['0']", "metadata"]
METADATA = [
    *PATHS,
    *words(": = != > >= < <= == ( ) AND OR NOT and && pro 'pro' 'p\\'' 10 10.0 1e400 -0"),
    *words("true null"),
    *" \t'\"[]😀",
]
DOCUMENTS = [
    "{}",
    '{"a":"pro"}',
    '{"a":10,"b":true}',
    '{"a":{"b":"10.0"}}',
    '{"a":null,"b":[1],"é":["x"]}',
    '{"a":"pro","a":1e400}',
    "[1]",
    '"x"',
]


def expression(chance: random.Random, depth: int = 0) -> str:
    if depth > 3 or chance.random() < 0.4:
        operator = chance.choice([":", "=", "!=", ">", ">=", "<", "<="])
        value = chance.choice(["pro", "'pro'", "10", "10.0", "true", "'p\\'q'", "1e400", "x)"])
        return f"{chance.choice(PATHS[:4])}{chance.choice(['', ' '])}{operator} {value}"
    parts = [expression(chance, depth + 1) for _ in range(chance.randrange(1, 4))]
    joined = chance.choice([" AND ", " or "]).join(parts)
    return chance.choice(["({})", "NOT {}", "{}"]).format(joined)


def expression_cases(chance: random.Random, count: int) -> Iterator[Case]:
    rows = ["US", "ca", "US-CA", "CA", "x?y", "é", "😀", "\0", "Unknown", None, ""]
    for at in range(count):
        collation = ("exact", "ignore_case", "subdivision", "url")[at % 4]
        text = random_text(chance, FILTER, 8)
        yield {"kind": "filter", "text": text, "rows": rows, "collation": collation}
        text = expression(chance) if at % 2 else random_text(chance, METADATA, 12)
        yield {"kind": "metadata", "text": text, "documents": DOCUMENTS}


def grammar_cases(seed: int, count: int) -> Iterator[Case]:
    """Expressions of each grammar, of which half are mutilated."""
    for grammar in _sluice._GRAMMARS:
        texts = TEXTS_OF.get(grammar, OdataTexts)(seed)
        for at in range(count):
            text = texts.text()
            if grammar not in TEXTS_OF:
                text = respelled(text, grammar)
            text = texts.mutilated(text) if at % 2 else text
            yield {"kind": "expression", "grammar": grammar, "text": text}


def respelled(text: str, grammar: Json) -> str:
    """A $filter in another grammar; its text, if that can't say it."""
    try:
        tree = sluice.grammars.parse_expression("odata", text, EXPRESSION_COLUMNS)
        return sluice.grammars.write_expression(grammar, tree, EXPRESSION_COLUMNS)
    except sluice.ApiError:
        return text


def pairs(chance: random.Random, names: list[str], values: list[str]) -> str:
    count = chance.randrange(5)
    return "&".join(f"{chance.choice(names)}={chance.choice(values)}" for _ in range(count))


VALUES = [
    *words("US,CA -US open,paid -void Open x 0 1 7 99 1e2 2.5 -3 true FALSE 10.50 1e-400"),
    *words("2026-08-01 today 3%20days%20ago 7d all mtd 2026-03-29T02:30 Europe/Paris Mars"),
    *words("us/pacific -created,total score,-size total,total -id asc desc name createdAt clicks"),
    *words("0.1 -1e-7 1e22 5e-324 1e999 2026-02-30 9999-12-31 small large -small a%25_"),
    *words("leads sales qr link cus_1 ext_1 new old %F0%9F%98%80 %00 %zz a%2Cb"),
    "0190c7a6-7c3e-7d3e-8f3e-0123456789AB",
    "metadata%5B'plan'%5D:pro",
    "metadata['seats']>5",
    "9223372036854775807",
    "9223372036854775808",
    "",
]
DECLARED_ROWS: list[Case] = [
    {
        "status": "OPEN",
        "number": 7,
        "ids": "x",
        "customer_id": "1",
        "kind": "new",
        "urgent": True,
        "items": 5,
        "weight": 3,
        "total": "10.5",
        "seen": "2026-08-01T00:00:00Z",
        "batch": "0190c7a6-7c3e-7d3e-8f3e-0123456789ab",
        "meta": {"plan": "pro", "seats": 12},
        "score": 0.1,
        "due": "2026-08-01",
        "days": "9999-12-31",
        "size": "large",
        "note": "qr",
        "title": "all a%_",
        "tags": ["X", "DESC"],
        "seats": 0,
        "token": "0190C7A6-7C3E-7D3E-8F3E-0123456789AB",
        "ports": [1, 7],
        "created_at": 1787279415123,
    },
    dict.fromkeys(
        words(
            "status number ids customer_id kind urgent items weight total seen batch meta "
            "score due days size note title tags seats token ports created_at"
        )
    ),
]


def request_cases(chance: random.Random, count: int) -> Iterator[Case]:
    events, tags = [name for name, _ in EVENTS], [name for name, _ in TAGS]
    of = {"events": events, "tags": tags, "declared": list(Declared.parameters)}
    for at in range(count):
        for kind, names in of.items():
            text = pairs(chance, [*names, "x", "statu"], VALUES)
            case: Case = {"kind": kind, "text": text, "strict": at % 2 == 0}
            if kind == "declared" and "search=" not in text:
                case["rows"] = DECLARED_ROWS
            yield case


MOST_LIMIT, MOST_WINDOW = 100_000_000, 366 * 86_400  # of a policy: their product exceeds 2^53


def limit_cases(chance: random.Random, count: int) -> Iterator[Case]:
    for algorithm in ("sliding_window", "fixed_window", "sliding_log", "gcra"):
        for number in range(2 * count):
            limit = chance.choice([1, 3, 100, 99_999_989, MOST_LIMIT])
            window = chance.choice([0.001, 0.5, 1, 60, MOST_WINDOW])
            at, checks = 1787279415123, []
            for _ in range(30):
                at += chance.randrange(-10, int(window * 400) + 2)
                back = chance.choice([0] * 9 + [int(window * 1500)])
                costs = [-1, 0, 1, 1, 1, 2, limit // 3 + 1, limit, limit + 1]
                checks.append((at - back, chance.choice(costs)))
            case = {"algorithm": algorithm, "limit": limit, "windowSeconds": window}
            state = foreign_state(chance, algorithm, at) if number % 2 else None
            yield {"kind": "limit", **case, "state": state, "checks": checks}


def product_cases() -> Iterator[Case]:
    """Faded counts of one below a whole number, which a product of doubles rounds up to it."""
    window = MOST_WINDOW * 1000
    start = 57 * window
    for count in range(MOST_LIMIT - 300, MOST_LIMIT):
        if math.gcd(count, window) == 1:
            rest = window - pow(count, -1, window)  # count * rest is one below a multiple
            state = {"latest": start - 1, "previous": 0, "current": count}
            case = {"algorithm": "sliding_window", "limit": MOST_LIMIT, "state": state}
            checks = [(start + window - rest, 0)]
            yield {"kind": "limit", **case, "windowSeconds": MOST_WINDOW, "checks": checks}


def foreign_state(chance: random.Random, algorithm: str, at: int) -> Json:
    """A state that no algorithm produced."""
    numbers = [0, 1, 5, -1, at, at + 10, at - 10, -(2**52), 2**52, MOST_LIMIT]
    _, members = sluice.decide(None, 1, 1, NOW, algorithm)
    if algorithm == "sliding_log":  # whose totals are modulo 2^64
        numbers = [number for number in numbers if number >= 0]
    state = {name: chance.choice(numbers) for name in members} | {"latest": at - 400}
    if algorithm == "sliding_log":
        state["entries"] = [[at - left, chance.choice(numbers)] for left in (500, 400, 10)]
    return state


def real_cases(chance: random.Random, count: int) -> Iterator[Case]:
    """Doubles of every size, the powers of two and their neighbours."""
    powers = [math.ldexp(1, exponent) for exponent in range(-1074, 1024)]
    beside = [math.nextafter(power, math.inf) for power in powers]
    drawn = [struct.unpack("<d", chance.randbytes(8))[0] for _ in range(count)]
    whole = [float(chance.getrandbits(chance.randrange(1, 80))) for _ in range(count)]
    short = [float(f"{chance.randrange(10_000)}e{chance.randrange(-30, 30)}") for _ in range(count)]
    numbers = [*powers, *beside, *filter(math.isfinite, drawn), *whole, *short, -0.0, 5e-324]
    for start in range(0, len(numbers), 500):
        texts = [repr(number) for number in numbers[start : start + 500]]
        yield {"kind": "reals", "texts": texts}


def tree_cases() -> Iterator[Case]:
    """Every test of each type of column, alone and in a tree, and trees that are refused."""
    columns = [as_column(column) for column in COLUMNS]
    shapes: list[Callable[[Json], Json]] = [
        lambda leaf: leaf,
        lambda leaf: {"not": {"any": [leaf, {"column": leaf["column"], "is_null": True}]}},
    ]
    for name, column in tests_of_columns():
        for leaf in leaves_of(name, column):
            for shape in shapes:
                order = [] if column.is_list or column.type in ("json", "records") else [column]
                tree = {
                    "where": shape(leaf),
                    "order": [{"column": key.name, "direction": "desc"} for key in order],
                    "total": True,
                }
                case = {"tree": tree, "column": column.name, "cells": cells_of(column)}
                yield {"kind": "tree", "columns": columns, **case}
    for wrong in WRONG_TREES:
        yield {"kind": "tree", "columns": columns, "tree": wrong, "column": "", "cells": []}


def as_column(column: sluice.Column) -> Case:
    """A column in the form of TypeScript."""
    return {
        "name": column.name,
        "type": column.type,
        "isList": column.is_list,
        "isNullable": column.is_nullable,
        "collation": column.collation,
        "choices": list(column.choices),
        "columns": list(map(as_column, column.columns)),
    }


NAMES = words("country device created created.day created.month due due.week tags data.plan")
MEASURES = [
    "count",
    *(f"{kind}_{of}" for kind in ("sum", "average", "min", "max") for of in ("cents", "total")),
    *words("max_created count_distinct_country approx_count_distinct_country"),
]
GROUP_ROWS: list[Case] = [
    {
        "country": ("US", "DE", None, "É")[at % 4],
        "device": ("phone", "desk")[at % 2],
        "cents": (DIGITS, 7, -3, None)[at % 4],
        "total": ("0.10", "1e400", None, "-7")[at % 4],
        "due": (f"2026-08-{at + 1:02}", None)[at % 3 == 0],
        "created": milliseconds(NOW) - at * 40_000_000,
        "tags": (["a", "b", "a"], ["b"], [], None)[at % 4],
        "data": ({"plan": "pro"}, {"plan": 7}, {"plan": None}, None)[at % 4],
    }
    for at in range(25)
]


def group_cases(chance: random.Random, count: int) -> Iterator[Case]:
    """Requests that name groups, measures, facets, their order and number; a few are wrong."""

    def some(names: list[str], most: int) -> list[str]:
        return chance.sample(names, chance.randrange(1, most))

    for _ in range(count):
        by, measured = some(NAMES, 3), some(MEASURES, 4)
        order = [chance.choice(["", "-"]) + name for name in some(by + measured, 3)]
        parts = {
            "groupBy": [*by, *(["contry"] if chance.random() < 0.05 else [])],
            "measures": [*measured, *(["sum_country"] if chance.random() < 0.05 else [])],
            "order": [*order, *(some(MEASURES, 2) if chance.random() < 0.1 else [])],
            "limit": [chance.choice(["1", "3", "10000", "0", "10001"])],
            "facets": [
                *some(["country", "device", "tags"], 3),
                *(["x"] * (chance.random() < 0.05)),
            ],
            "country": [chance.choice(["US,DE", "-US"])],
            "timezone": [chance.choice(["UTC", "Europe/Paris", "Asia/Kathmandu"])],
            "start": ["2026-08-01"],
        }
        text = "&".join(f"{k}={','.join(v)}" for k, v in parts.items() if chance.random() < 0.6)
        yield {"kind": "groups", "text": text, "rows": GROUP_ROWS}


def aggregate_cases(chance: random.Random) -> Iterator[Case]:
    """Groups by columns of every type, and all of their measures; trees that are refused."""
    columns = [as_column(column) for column in COLUMNS]
    rows = [{column.name: chance.choice(cells_of(column)) for column in COLUMNS} for _ in range(60)]
    by: Case = {"column": "integer"}
    conditions = {"column": "integer", "gte": -7}
    for column in COLUMNS:
        measured = [
            {"measure": measure, "column": column.name}
            for measure in measures_of(column)
            if measure != "approx_count_distinct"
        ]
        keys: list[Case] = [{"column": column.name}]
        if column.type == "json":
            keys = [{"column": column.name, "path": ["plan"]}]
        if column.type in ("time", "date"):
            keys += [{"column": column.name, "bucket": bucket} for bucket in ("month", "year")]
        if column.type == "records":
            keys = []
        for key in keys:
            tree = {"where": conditions, "group_by": [key], "measures": [{"measure": "count"}]}
            yield {"kind": "aggregate", "columns": columns, "tree": tree, "rows": rows[:20]}
        if measured:
            tree = {"where": {"all": []}, "group_by": [by], "measures": measured}
            yield {"kind": "aggregate", "columns": columns, "tree": tree, "rows": rows}
    wrong: list[Case] = [
        {"group_by": [{"column": "txt"}]},
        {"group_by": [{"column": "json"}]},
        {"group_by": [{"column": "text", "bucket": "day"}]},
        {"group_by": [{"column": "time", "bucket": "decade"}]},
        {"group_by": [{"column": "time", "bucket": "day", "zone": "Mars"}]},
        {"measures": [{"measure": "sum", "column": "text"}]},
        {"measures": []},
        {"order": [{"measure": "sum_integer", "direction": "asc"}]},
        {"limit": 0},
        {"groups": []},
    ]
    for tree in wrong:
        yield {
            "kind": "aggregate",
            "columns": columns,
            "tree": {"where": {"all": []}, **tree},
            "rows": [],
        }


def main() -> None:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(seed)
    cases = [
        *table_cases(),
        *zone_cases(),
        *window_cases(chance, count),
        *expression_cases(chance, count),
        *grammar_cases(seed, count),
        *request_cases(chance, count),
        *limit_cases(chance, 20),
        *product_cases(),
        *real_cases(chance, count),
        *tree_cases(),
        *group_cases(chance, count),
        *aggregate_cases(chance),
    ]
    for case in cases:
        case["expected"] = outcome(lambda: ANSWERS[case["kind"]](case))  # noqa: B023
    json.dump(cases, sys.stdout)


if __name__ == "__main__":
    main()
