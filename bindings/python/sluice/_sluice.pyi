# SPDX-License-Identifier: MIT
# Made by make_stubs.py of the compiled module.
# mypy: disable-error-code="overload-overlap"
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from os import PathLike
from typing import (
    Any,
    ClassVar,
    Literal,
    Never,
    Protocol,
    Self,
    SupportsFloat,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    final,
    overload,
)

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import sqlalchemy as sa
from django.db.models import Q
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from sluice._column import Column
from sluice._errors import ApiError
from sluice._window import Window
from sluice.sql import Place, Statement

_Flag: TypeAlias = bool | np.bool_
_Time: TypeAlias = str | date | TimeExpression  # each datetime is a date
# Values are str, bool, numbers, datetime, date, UUID, members of an Enum, Filter, MetadataQuery,
# TimeExpression, Cursor or None, or lists, tuples or sets of them.
_Pairs: TypeAlias = Mapping[str, object] | Iterable[tuple[str, object]]
_QueryString: TypeAlias = str | bytes | _Pairs
_Headers: TypeAlias = Mapping[str, str] | Iterable[tuple[str | bytes, str | bytes]]
_Progress: TypeAlias = Callable[[int, int], object]
_Runner: TypeAlias = Callable[[str, dict[str, Any]], bytes | None]
_State: TypeAlias = dict[str, Any]
_Storage: TypeAlias = Literal["prepared", "native", "function"]
_Bound = TypeVar("_Bound", bound=BoundQuery)

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

_Arrow: TypeAlias = _ArrowStream | _ArrowArray
_Table: TypeAlias = _Arrow | pl.LazyFrame | ds.Dataset | ds.Scanner

__version__: str
FILTER_MAX_VALUES: int
FILTER_MAX_BYTES: int
QUERY_MAX_LENGTH: int
BULK_MAX_ITEMS: int
PAGE_SIZE_MAX: int
EVENTS_LIMIT_MAX: int
TEST_VARIANTS_MIN: int
TEST_VARIANTS_MAX: int
VARIANT_PERCENTAGE_MIN: int
VARIANT_PERCENTAGE_MAX: int

def set_loader(load: Callable[[str], Any]) -> None:
    """Sets the function that loads objects of the Python package by their names.

    Args:
        load: Returns the object of a name; called once for a name, on first use.
    """

def http_status(code: str) -> int:
    """The HTTP status of an error code.

    Args:
        code: str, one of the codes of an error response.

    Returns:
        int.

    Raises:
        ApiError: The code is unknown.

    Example:
        >>> sluice.http_status("rate_limit_exceeded")
        429
    """

def error_body(code: str, message: str, docs_url: str = "") -> str:
    """The JSON body of an error response.

    Args:
        code: str, one of the codes of an error response.
        message: str, for people.
        docs_url: str, the address in front of the documentation's path.

    Returns:
        str, a JSON object.

    Raises:
        ApiError: The code is unknown.

    Example:
        >>> import json
        >>> json.loads(sluice.error_body("not_found", "No such path."))["error"]["message"]
        'No such path.'
    """

def parse_query_string(text: str | bytes) -> list[tuple[str, str]]:
    """The parameters of a query string, decoded as application/x-www-form-urlencoded.

    Args:
        text: str or bytes; one '?' in front is skipped. Nothing is refused: what isn't UTF-8 becomes
            U+FFFD.

    Returns:
        A list of pairs of str, name and value, in the order of the text.

    Example:
        >>> sluice.parse_query_string("country=US%2CCA&city=S%C3%A3o+Paulo")
        [('country', 'US,CA'), ('city', 'São Paulo')]
    """

def to_query_string(pairs: _QueryString) -> str:
    """The query string of a mapping or of pairs.

    Args:
        pairs: Names (str) with values: str, bool, int, float, Decimal, datetime, date, UUID, a member
            of an Enum with such a value, a NumPy scalar, a Filter, MetadataQuery, TimeExpression or
            Cursor, or a list, tuple or set of these, which repeats the name. A str is text as a URL has
            it; numbers and items of a list are values of a filter, whose commas, backslashes and
            leading '-' are escaped. None leaves the name out. An aware datetime is written in UTC to
            the millisecond, a naive one as a local time, which the request's `timezone` places.

    Returns:
        str.

    Raises:
        TypeError: A value is of another type.
        ValueError: A number is not finite, or a time is missing (NaT) or ambiguous (fold=1).

    Example:
        >>> sluice.to_query_string({"country": ["US", "CA"], "root": True, "start": None})
        'country=US&country=CA&root=true'
    """

_Collation: TypeAlias = Literal["exact", "ignore_case", "subdivision", "url"]
_COLLATIONS: Mapping[_Collation, tuple[bool, str, str]]
_Test: TypeAlias = Literal[
    "any_of",
    "none_of",
    "all_of",
    "contains",
    "starts_with",
    "ends_with",
    "bounds",
    "is",
    "any",
    "matches",
    "is_null",
]
_ColumnType: TypeAlias = Literal[
    "text",
    "integer",
    "decimal",
    "time",
    "boolean",
    "json",
    "real",
    "date",
    "uuid",
    "choice",
    "records",
]
_COLUMN_TYPES: tuple[_ColumnType, ...]
_TESTS: Mapping[_Test, tuple[tuple[str, ...], tuple[_ColumnType, ...], tuple[_ColumnType, ...]]]

def equal(row: str, value: str, collation: _Collation = "exact") -> bool:
    """Returns True if a row's text equals one value of a filter.

    Args:
        row: str, the row's text.
        value: str, a value of a filter.
        collation: As for Filter.matches().

    Returns:
        bool.

    Raises:
        ApiError: The collation is unknown.

    Example:
        >>> sluice.equal("US-CA", "ca", "subdivision"), sluice.equal("ca", "US-CA", "subdivision")
        (True, False)
    """

_Edge: TypeAlias = Literal["start", "end"]

def resolve_window(
    interval: str | None = None,
    *,
    start: _Time | None = None,
    end: _Time | None = None,
    timezone: str | None = None,
    now: datetime | None = None,
) -> Window:
    """Resolves a request's interval, start, end and timezone to a window of time.

    Args:
        interval: The length of the window, back from its end, if there is no start: a count of 'min',
            'h', 'd', 'w', 'mo' or 'y', such as '6h'; 'mtd', 'qtd' or 'ytd', the month, quarter or year
            to date; 'all', without limit, above too unless there is an end. '24h' by default.
        start: A text for TimeExpression.parse(), or a TimeExpression, datetime or date: the first
            moment. It wins over interval.
        end: Like start: the last moment; now by default, and none with 'all'.
        timezone: The IANA zone in which days and local times are read; UTC by default.
        now: An aware datetime; the present by default.

    Returns:
        A Window.

    Raises:
        ApiError: An argument can't be read, or the window starts after its end; the error names the
            argument.

    Example:
        >>> from datetime import datetime, timezone
        >>> now = datetime(2026, 8, 21, 2, 30, tzinfo=timezone.utc)
        >>> str(sluice.resolve_window("mtd", timezone="Europe/Paris", now=now).start)
        '2026-07-31 22:00:00+00:00'
    """

def write_page_headers(
    query: object,
    path: str,
    shown: SupportsIndex,
    ends: object,
    has_more: _Flag | None,
    total: SupportsIndex | None,
) -> dict[str, str]:
    """Writes the headers of a page; see sluice.pages.page_headers()."""

def link_header(
    url: str,
    *,
    page: SupportsIndex | None = None,
    has_next: _Flag = False,
    before: Cursor | str | None = None,
    after: Cursor | str | None = None,
    max_size: SupportsIndex = 2816,
    offset: SupportsIndex | None = None,
    limit: SupportsIndex = 100,
    names: Mapping[str, str | None] = {},
) -> str:
    """The value of a Link header, which leads from a page of a list to those beside it.

    Its relations are first, prev and next, if there are such pages. They keep the request's other
    parameters. If the header would be too long, its first relations are left out.

    Args:
        url: The address of the request, with its query string. Its parameters page, offset and cursor
            are replaced.
        page: The number of the page, from 1, if pages have numbers.
        has_next: True if there is a page after it.
        before: The cursor of the page before, if pages have cursors; None if there is none.
        after: The cursor of the page after.
        max_size: The most bytes of the header, an int.
        offset: The number of rows before the page, if pages have offsets.
        limit: The number of rows on a page, for offsets.
        names: Names of the parameters page, offset and cursor, as for sluice.page(); None for one that
            the list lacks.

    Returns:
        str.

    Raises:
        TypeError: There are several of a number, an offset and a cursor.
        ValueError: The address has a character that no address has, or page, offset or limit is too
            small.

    Example:
        >>> sluice.link_header("/orders?limit=9&page=1", page=1, has_next=True)
        '</orders?limit=9&page=1>; rel="first", </orders?limit=9&page=2>; rel="next"'
    """

_Algorithm: TypeAlias = Literal["sliding_window", "fixed_window", "sliding_log", "gcra"]

def decide(
    state: _State | None,
    limit: SupportsIndex,
    window_seconds: SupportsFloat,
    now: datetime,
    algorithm: _Algorithm = "sliding_window",
    cost: SupportsIndex = 1,
) -> tuple[Decision, _State]:
    """Decides on a request of one client, whose state you keep.

    It counts nothing itself: the same arguments always give the same answer. Pass the state that
    it returned last for the client. After two windows without a request, None means the same.

    Args:
        state: The client's last state, of the same algorithm; None for a new client.
            A dict of int, and of lists of them for 'sliding_log': as JSON has it.
        limit: The number of requests that a window admits, an int of at least 1.
        window_seconds: The length of a window, a number of seconds, read to the millisecond.
        now: An aware datetime.
        algorithm: As for RateLimiter.
        cost: The number of requests it counts as, an int.

    Returns:
        A Decision and the next state. A refused request leaves the state as it was.

    Raises:
        ApiError: The limit or the window is out of range, or the algorithm is unknown.
        TypeError: The state isn't a dict, or holds something else than int.
        ValueError: The state is that of another algorithm, or has numbers beyond 64 bits.

    Example:
        >>> from datetime import datetime, timezone
        >>> now = datetime(2026, 8, 21, 2, 30, tzinfo=timezone.utc)
        >>> decision, state = sluice.decide(None, 5, 60, now, "fixed_window")
        >>> decision.remaining, state
        (4, {'latest': 1787279400000, 'used': 1})
    """

_OnError: TypeAlias = Literal["local", "refuse", "allow"]
REDIS_SCRIPT: str
REDIS_SCRIPT_SHA1: str
_Dialect: TypeAlias = Literal["sqlite", "duckdb", "postgresql", "clickhouse", "mariadb"]
_DIALECTS: tuple[_Dialect, ...]

def ddl(
    schema: Iterable[Column], dialect: _Dialect, table: str, *, metadata: _Storage = "prepared"
) -> list[str]:
    """The statements that make a table for to_sql(), with keys and indexes.

    Its columns are called as in the schema, with _ for dots. Times are milliseconds since 1970, lists
    of SQLite JSON texts, decimals their order_key(), and prepared metadata is in two columns whose
    names end in _text and _num. In SQLite and PostgreSQL no text may hold NUL. In MariaDB lists and
    prepared metadata are JSON, and an id has at most 255 characters.

    Args:
        schema: The columns, such as query.schema.
        dialect: As for to_sql().
        table: The name of the table.
        metadata: As for to_sql().

    Returns:
        A list of str.

    Raises:
        ApiError: The database has no such storage, or the table or a column can't have its name: it is
            empty, has a NUL, begins with sluice_ or is another's but for case.
        ValueError: A name is not one of the accepted ones.

    Example:
        >>> sluice.sql.ddl([sluice.Column("id")], "duckdb", "tags")
        ['CREATE TABLE "tags" ("id" VARCHAR NOT NULL, PRIMARY KEY ("id"))']
    """

def prepare(json: str | bytes) -> tuple[dict[str, str], dict[str, str]]:
    """The two maps that a table stores of JSON, so that any database compares it exactly.

    Both are by JSON pointer. One has texts: strings, the words of booleans and, for groups by a path,
    numbers as they are written, at "=" and their pointer. The other has the order keys of numbers, and
    of strings that read as numbers.

    Args:
        json: A JSON text.

    Returns:
        The texts and the numbers, two dicts of str to str.

    Raises:
        ApiError: The text isn't JSON.

    Example:
        >>> sluice.sql.prepare('{"plan": "pro", "seats": {"used": 12}}')
        ({'/plan': 'pro', '=/seats/used': '12'}, {'/seats/used': '211212'})
    """

def order_key(number: str) -> str:
    """A text for a JSON number: such texts are ordered as the numbers are, whatever their digits.

    Args:
        number: A JSON number, such as '10.50'.

    Returns:
        A str; equal numbers have equal ones.

    Raises:
        ApiError: The text isn't a number.

    Example:
        >>> sluice.sql.order_key("9.5") < sluice.sql.order_key("10") == sluice.sql.order_key("1e1")
        True
    """

def declare_rule(name: str, code: str, problem: str, advice: str) -> None:
    """Keeps a rule of the program until the process ends.

    Args:
        name: As programs compare it.
        code: The error code.
        problem: The first half of a message.
        advice: The second half.

    Raises:
        ValueError: A text is invalid, or another rule has this name.
    """

def rule_error(rule: str, param: str | None, offset: int, length: int) -> ApiError:
    """The error of a rule that was declared.

    Args:
        rule: Its name.
        param: The parameter at fault, or None.
        offset: The first byte at fault in its value.
        length: The number of bytes at fault.
    """

_Grammar: TypeAlias = Literal["aip160", "odata", "rsql", "cql2", "scim", "postgrest", "cql2-json"]
_GRAMMARS: tuple[_Grammar, ...]

def parse_expression(
    grammar: _Grammar,
    text: str,
    schema: Iterable[Column],
    names: Mapping[str, str] | None = None,
    searched: Iterable[str] = (),
) -> dict[str, Any]:
    """Reads an expression in the grammar of a guideline.

    Args:
        grammar: 'aip160', 'odata' ($filter), 'rsql', 'cql2' (text), 'cql2-json', 'scim' or 'postgrest' (or).
        text: The expression, of at most 10,000 bytes. A blank one is every row.
        schema: The columns.
        names: The names that clients may use, and the columns of the schema that they stand for, such
            as {'createTime': 'created'}; by default every column, by its name.
        searched: Columns of texts in which AIP-160 searches words without a field.

    Returns:
        A tree for ListQuery.from_tree(): a dict with the conditions under "where".

    Raises:
        ApiError: The text isn't an expression, or names a column that isn't there; the error says where.
        ValueError: The grammar or a column in names or searched is unknown.

    Example:
        >>> total = sluice.Column("total", "decimal")
        >>> sluice.grammars.parse_expression("odata", "total gt 5", [total])
        {'where': {'column': 'total', 'gt': '5'}}
    """

def guideline_error_answer(
    form: str, errors: Iterable[tuple[int, str, str, str]], domain: str
) -> tuple[int, str, bytes]:
    """Returns the status, media type and body of an answer with errors, in the form of a guideline.

    Args:
        form: 'odata', 'aip' or 'scim'.
        errors: Errors as status, rule, message and parameter ('' for none); at least one.
        domain: The name of the service, for AIP-193.

    Raises:
        ValueError: The form is unknown, or there is no error.
    """

def parse_order(
    grammar: _Grammar, text: str, schema: Iterable[Column], names: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Reads the sort keys of a list.

    The forms are $orderby of OData, order_by of AIP-132, sort of RSQL, sortby of OGC's APIs, sortBy of
    SCIM, and order of PostgREST.

    Args:
        grammar: As for parse_expression().
        text: Sort keys with commas between them. A blank text isn't an order.
        schema: The columns.
        names: As for parse_expression().

    Returns:
        The "order" of a tree for ListQuery.from_tree().

    Raises:
        ApiError: The text isn't an order, or names a column that has none; the error says where.
        ValueError: As for parse_expression().

    Example:
        >>> total = sluice.Column("total", "decimal")
        >>> sluice.grammars.parse_order("odata", "total desc", [total])
        [{'column': 'total', 'direction': 'desc'}]
    """

def write_expression(
    grammar: _Grammar,
    tree: Mapping[str, Any],
    schema: Iterable[Column],
    names: Mapping[str, str] | None = None,
) -> str:
    """Writes the conditions of a query as an expression, which parse_expression() reads as the same tree.

    Args:
        grammar: As for parse_expression().
        tree: A query, as ListQuery.tree() returns it.
        schema: The columns.
        names: As for parse_expression().

    Raises:
        ApiError: The grammar can't say a condition, or the tree isn't one.
        ValueError: As for parse_expression().

    Example:
        >>> total = sluice.Column("total", "decimal")
        >>> tree = sluice.grammars.parse_expression("odata", "total gt 5", [total])
        >>> sluice.grammars.write_expression("rsql", tree, [total])
        'total=gt=5'
    """

def aggregate(
    rows: Iterable[object],
    tree: Mapping[str, Any],
    schema: Iterable[Column],
    columns: Mapping[str, str | None] | None = None,
) -> list[dict[str, Any]]:
    """Groups and measures rows: counts, exact sums, averages, least, largest and distinct values.

    Rows without a value in a column are a group, None. If a bucket of time is the only group, every
    bucket is there, those without rows too.

    Args:
        rows: Mappings or other objects, as matches() of a query takes them.
        tree: A dict with "where", the conditions of a query's tree(); "group_by", a list of
            {"column": name}, with "path" of a JSON column, or with "bucket" (hour, day, week, month,
            quarter, year) and "zone" of a time; "measures", a list of {"measure": "count"}, or of sum,
            min, max, average, count_distinct or approx_count_distinct with a "column"; "order", a list
            of {"measure": name} or {"group": name} with a "direction", asc or desc; "limit", 1 to
            10,000. "as" names a group or a measure. All are optional.
        schema: The columns.
        columns: Other names by the columns of the schema, as for matches().

    Returns:
        A list of dicts, with a member for every group and measure. Decimals are Decimal, times
        aware datetimes.

    Raises:
        ApiError: The tree isn't one, there are more than 1,000,000 groups, or a sum of decimals has more
            than 10,000 digits.
        TypeError: A value is of a type that can't be compared exactly; the message names its column.
        ValueError: A row has no such column, or a value can't be read.

    Example:
        >>> orders = [{"country": "US", "total": "19.90"}, {"country": "US", "total": 7}]
        >>> columns = [sluice.Column("country"), sluice.Column("total", "decimal")]
        >>> sums = [{"measure": "sum", "column": "total"}]
        >>> tree = {"group_by": [{"column": "country"}], "measures": sums}
        >>> sluice.groups.aggregate(orders, tree, columns)
        [{'country': 'US', 'sum_total': Decimal('26.9')}]
    """

def facet_tree(
    tree: Mapping[str, Any], schema: Iterable[Column], column: str, values: int = 10
) -> dict[str, Any]:
    """Creates the tree of a facet: the most frequent values of a column.

    They are counted under the conditions of a list query on other columns. An answer may have missing
    values too, which are none of the facet's, so the tree has one group more.

    Args:
        tree: The tree() of a query.
        schema: The columns.
        column: The name of the facet's column.
        values: The number of values, 1 to 100.

    Returns:
        A tree for aggregate() and aggregate_sql(), with the measure count.

    Raises:
        ApiError: The tree isn't one, the column has no groups, or there are too many values.
        ValueError: The schema lacks the column.

    Example:
        >>> columns = [sluice.Column("country"), sluice.Column("device")]
        >>> tree = {"where": {"column": "country", "any_of": ["US"]}}
        >>> sluice.groups.facet_tree(tree, columns, "country")["where"]
        {'all': []}
    """

def aggregate_sql(
    tree: Mapping[str, Any],
    schema: Iterable[Column],
    dialect: _Dialect,
    table: str,
    *,
    columns: Mapping[str, str | tuple[str, str] | Place] | None = None,
    metadata: _Storage = "prepared",
) -> Statement:
    """An aggregate query as one SQL statement, which returns the answer of aggregate().

    Its rows have the values of the groups, then the measures: times in milliseconds since 1970,
    decimals that the table has as texts as their order_key(). The starts of time buckets are
    parameters, so the conditions have to set a first and a last time.

    Args:
        tree: As for aggregate().
        schema: As for aggregate().
        dialect: As for to_sql() of a query, like the arguments that follow.
        table: The table, quoted as a name unless there are columns.
        columns: SQL of columns that aren't as ddl() makes them.
        metadata: The storage of JSON.

    Returns:
        A Statement.

    Raises:
        ApiError: The tree isn't one, or the database can't answer it: it groups by items of a list or
            by a path, or sums decimals that are texts.
        ValueError: A name is not one of the accepted ones.

    Example:
        >>> tree = {"measures": [{"measure": "count"}]}
        >>> sluice.groups.aggregate_sql(tree, [sluice.Column("id")], "duckdb", "tags").parameters
        [1000]
    """

def check_bulk_size(items: SupportsIndex) -> int:
    """Checks how many items a bulk creation has: an int from 1 to 100.

    Args:
        items: An int.

    Returns:
        The number itself.

    Raises:
        ApiError: It is out of bounds.

    Example:
        >>> sluice.api.check_bulk_size(100)
        100
    """

def check_page_size(size: SupportsIndex) -> int:
    """Checks the size of a page: an int from 1 to 100.

    Args:
        size: An int.

    Returns:
        The number itself.

    Raises:
        ApiError: It is out of bounds.
    """

def check_events_limit(limit: SupportsIndex) -> int:
    """Checks how many events a page has: an int from 1 to 1,000.

    Args:
        limit: An int.

    Returns:
        The number itself.

    Raises:
        ApiError: It is out of bounds.
    """

def check_test_variants(variants: SupportsIndex) -> int:
    """Checks how many variants an A/B test has: an int from 2 to 4.

    Args:
        variants: An int.

    Returns:
        The number itself.

    Raises:
        ApiError: It is out of bounds.
    """

def check_variant_percentage(percentage: SupportsFloat) -> float:
    """Checks the share of an A/B variant: a number of per cent from 10 to 90.

    Args:
        percentage: A number.

    Returns:
        The number itself, a float.

    Raises:
        ApiError: It is out of bounds.
    """

def check_query_length(query: str) -> int:
    """Checks the length of a metadata expression: at most 10,000 UTF-16 code units.

    Args:
        query: str.

    Returns:
        The length, an int.

    Raises:
        ApiError: It is too long.

    Example:
        >>> sluice.api.check_query_length("metadata['plan']:🙂")
        19
    """

def plan_limits(name: str) -> dict[str, int | None]:
    """The requests that a plan admits.

    Args:
        name: 'free', 'pro', 'business', 'advanced' or 'enterprise'.

    Returns:
        A dict with 'per_minute' and 'analytics_per_second', both int, or None if there is none or
        the workspace sets it.

    Raises:
        ApiError: The plan is unknown.

    Example:
        >>> sluice.api.plan_limits("business")
        {'per_minute': 1200, 'analytics_per_second': 4}
    """

def write_sample(
    folder: str | PathLike[str],
    events: int = 20000,
    seed: int = 1,
    now: datetime | None = None,
    progress: _Progress | None = None,
) -> dict[str, int]:
    """Writes a folder of sample records that end now.

    Args:
        folder: str or path, created if it is missing.
        events: The number of events, an int.
        seed: An int from 0 to 2**64 - 1; the same seed and now give the same files.
        now: An aware datetime; the present by default.
        progress: A callable that takes the events written and their total, or None.

    Returns:
        A dict of the number of records by kind.

    Raises:
        ApiError: A file can't be written, or an argument is out of bounds.
    """

def openapi_document(base_url: str = "/") -> str:
    """The OpenAPI 3.1 document of the reference service, as its server answers GET /openapi.json.

    Args:
        base_url: The server's address, such as 'https://api.example.com'.

    Returns:
        A JSON object, a str.

    Example:
        >>> import json
        >>> sorted(json.loads(sluice.api.openapi_document())["paths"])[0]
        '/analytics'
    """

def bearer_token(header: str) -> str | None:
    """The token of an Authorization header.

    Args:
        header: The header's value, a str.

    Returns:
        str, or None if the header is malformed.
    """

def parse_origins(text: str) -> list[str]:
    """Reads the origins whose pages may read answers.

    Args:
        text: '*' for all, or origins such as 'https://app.example' with commas between them.

    Returns:
        A list of str, as for Handler.

    Raises:
        ApiError: One isn't an origin as browsers send it.
    """

def request_id(headers: _Headers) -> str | None:
    """Returns the id of a request from its header X-Request-Id.

    Args:
        headers: A mapping or pairs of str or bytes.

    Returns:
        str, or None if there is none that a log can repeat.
    """

def access_line(
    form: Literal["text", "json"],
    time: datetime,
    client: str,
    method: str,
    target: str | bytes,
    route: str,
    status: SupportsIndex,
    size: SupportsIndex,
    seconds: float,
    request_id: str,
) -> str:
    """Returns the line of a server's log for a request.

    Args:
        form: 'text' or 'json'.
        time: The time at which it came, an aware datetime.
        client: Its address.
        method: Such as 'GET'.
        target: Path and query string.
        route: The label of the request; see ResolvedRequest.
        status: The status of the answer; 0 if there was no answer.
        size: The bytes of the answer's body.
        seconds: The time that it took, a float.
        request_id: Its id.

    Returns:
        str, with the line's end.
    """

def clickhouse_tables(cluster: str | None = None) -> list[str]:
    """Returns the statements that create the tables of events and records in ClickHouse, if missing.

    Args:
        cluster: The name of a cluster over whose shards the rows are spread, or None for one server;
            with a name they run on all nodes.

    Returns:
        A list of str.
    """

def load_clickhouse(
    store: EventStore, run: _Runner, progress: _Progress | None = None
) -> dict[str, int]:
    """Adds what a store has to the tables of clickhouse_tables(). Releases the GIL.

    Events and other records that the tables have already aren't added again: a load that broke off
    continues from there, and one that is repeated adds nothing.

    Args:
        store: An EventStore.
        run: As for Handler.
        progress: A callable that takes the events compared and their total, or None.

    Returns:
        A dict: events in the store; added, those of them that were new or have changed; records, the
        tags, domains, folders, customers and links that were.

    Raises:
        ApiError: A statement had no answer; what was added before stays.
    """

@final
class Filter:
    """An advanced filter: rows whose value is one of a list, or all others.

    `value in f` is f.matches(value), len(f) how many values it has; without any it is false and every
    row passes.

    Args:
        values: Any iterable of str, at most 1,000 and 10,000 bytes of text in all. Empty texts are
            dropped; nothing left means no filter.
        excludes: True for the rows whose value is none of the list.

    Raises:
        ApiError: There are too many values, or they are too long.

    Example:
        >>> f = sluice.Filter(["US", "CA"], excludes=True)
        >>> f, len(f), "FR" in f
        (Filter.parse('-US,CA'), 2, True)
    """
    def __init__(self, values: Iterable[str] = (), excludes: _Flag = False) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @classmethod
    def parse(cls, text: str) -> Filter:
        """Reads the text of a filter: 'US,CA' is any of the two, '-US,CA' none of them.

        A comma, a leading dash and a backslash that belong to a value have a backslash before them.

        Raises:
            ApiError: The text isn't a filter, or passes its limits.

        Example:
            >>> sluice.Filter.parse("-US,CA").matches("FR")
            True
        """
    @property
    def excludes(self) -> bool:
        """True if the filter keeps the rows that equal none of its values: bool."""
    @property
    def values(self) -> tuple[str, ...]:
        """The values in their order, without escapes: a tuple of str."""
    def matches(self, value: str | None, collation: _Collation = "exact") -> bool:
        """Returns True if a row with this value passes.

        Args:
            value: str, or None for a row without a value, which an exclusion keeps.
            collation: How values are compared:
                'exact': the same bytes
                'ignore_case': the same but for ASCII case
                'subdivision': ISO 3166-2 without case; 'CA' equals 'US-CA' too
                'url': a value without '?' equals a URL with any query string

        Returns:
            bool.

        Raises:
            ApiError: The collation is unknown.

        Example:
            >>> sluice.Filter.parse("us").matches("US", "ignore_case")
            True
        """
    def __contains__(self, value: str | None, /) -> bool: ...
    def __len__(self, /) -> int: ...
    @overload
    def mask(self, array: NDArray[Any], collation: _Collation = "exact") -> NDArray[np.bool_]:
        """Tests many values at once; rows without a value pass if the filter excludes.

        A row without a value is None, NaN, pandas.NA, NaT or null. A list, tuple, set or array in a row
        matches by any of its items.

        Args:
            array: Arrow data (pyarrow, polars, pandas: whatever has __arrow_c_stream__ or
                __arrow_c_array__) of text, bytes, dictionaries of them, or lists, read in place and
                without the GIL; a NumPy array; or any other iterable of str.
            collation: As for matches().

        Returns:
            A Mask for Arrow data, a NumPy array of bool of the same shape for a NumPy array, else a list
            of bool.

        Raises:
            TypeError: A row isn't a text; the message names it, counted from 0.
            ValueError: Arrow data breaks the rules of its interface.
            ApiError: The collation is unknown.

        Example:
            >>> sluice.Filter.parse("-US").mask(["US", "CA", None])
            [False, True, True]
        """
    @overload
    def mask(self, array: _Arrow, collation: _Collation = "exact") -> Mask: ...
    @overload
    def mask(self, array: Iterable[Any], collation: _Collation = "exact") -> list[bool]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __str__(self, /) -> str: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def __get_pydantic_json_schema__(schema: object, handler: object) -> dict[str, Any]: ...
    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> dict[str, Any]: ...

@final
class TimeExpression:
    """A time as a client wrote it, not yet resolved by zone and clock.

    Made by parse().
    """
    def __init__(self, *args: Never, **kwargs: Never) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @classmethod
    def parse(cls, text: str) -> TimeExpression:
        """Reads a time in any of the forms that list APIs accept.

        Args:
            text: RFC 3339; 10 or 13 digits, the seconds or milliseconds since 1970; a date such as
                2026-08-21, or a date and time without an offset; 'now', 'today', 'yesterday', 'tomorrow';
                '3 days ago'; 'last' or 'this' with 'week', 'month', 'quarter' or 'year'.

        Raises:
            ApiError: The text isn't a time; the error says where, and what was probably meant.

        Example:
            >>> sluice.TimeExpression.parse("3 DAYS ago")
            TimeExpression.parse('3 days ago')
        """
    def resolve(
        self, now: datetime | None = None, edge: _Edge = "start", timezone: str = "UTC"
    ) -> datetime:
        """The moment that the expression means.

        Args:
            now: An aware datetime, which times such as 'yesterday' count from; the present by default.
            edge: Of a day or a named period 'start' is the first moment and 'end' the last millisecond;
                any other form is one moment.
            timezone: The IANA zone in which days and local times are read. A local time that its clocks
                skip moves on by the gap; one that comes twice is the first.

        Returns:
            An aware datetime in UTC.

        Raises:
            ApiError: The moment lies outside the years 0001 to 9999, the zone is unknown, or the edge is
                none.

        Example:
            >>> from datetime import datetime, timezone
            >>> now = datetime(2026, 8, 21, 2, 30, tzinfo=timezone.utc)
            >>> str(sluice.TimeExpression.parse("yesterday").resolve(now, timezone="Asia/Tokyo"))
            '2026-08-19 15:00:00+00:00'
        """
    @property
    def is_absolute(self) -> bool:
        """True if it doesn't depend on the current time: an instant, a date or a date and time."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __str__(self, /) -> str: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def __get_pydantic_json_schema__(schema: object, handler: object) -> dict[str, Any]: ...
    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> dict[str, Any]: ...

@final
class Cursor:
    """A place in an ordered list, just after or just before a row.

    A page continues there, whatever was added to the list meanwhile. Made by parse() from a request's
    parameter cursor, or from the result of cursor_beside().
    """
    def __init__(self, *args: Never, **kwargs: Never) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @classmethod
    def parse(cls, text: str) -> Cursor:
        """Reads the text of a cursor.

        Raises:
            ApiError: The text isn't a cursor, or was changed.

        Example:
            >>> text = sluice.api.TagsQuery.parse("").cursor_beside(["sale", "tag_7"])
            >>> sluice.Cursor.parse(text).keys
            ('sale', 'tag_7')
        """
    @property
    def is_before(self) -> bool:
        """True if the page ends there, False if it begins there: bool."""
    @property
    def keys(self) -> tuple[str | None, ...]:
        """The row's sort keys as texts, None for one that is null: a tuple of str or None.

        A text that is too long for a cursor is cut to its beginning.
        """
    @property
    def query_mark(self) -> int:
        """A mark of the order and the filters that the cursor was made for, an int of 32 bits."""
    @property
    def repeat(self) -> int:
        """The number of rows with the same keys before the row: int, 0 if no two rows have the same."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __str__(self, /) -> str: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def __get_pydantic_json_schema__(schema: object, handler: object) -> dict[str, Any]: ...
    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> dict[str, Any]: ...

@final
class MetadataQuery:
    """A filter by metadata: an expression over nested keys.

    Made by parse().
    """
    def __init__(self, *args: Never, **kwargs: Never) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @classmethod
    def parse(cls, text: str) -> MetadataQuery:
        """Reads an expression such as metadata['plan']:pro AND metadata['seats'] > 5.

        Args:
            text: str of at most 10,000 UTF-16 code units. A blank one matches everything.

        Raises:
            ApiError: The text isn't an expression; the error says where.

        Example:
            >>> sluice.MetadataQuery.parse("metadata['plan']=pro")
            MetadataQuery.parse("metadata['plan']:pro")
        """
    def matches(self, metadata: object) -> bool:
        """Returns True if the expression holds for a row's metadata.

        Args:
            metadata: JSON as json.loads returns it, or a whole JSON document as str or bytes; None is a row
                without metadata. Numbers may also be Decimal or NumPy's. NaN, pandas.NA and NaT are
                values that are missing.

        Returns:
            bool.

        Raises:
            ApiError: A document isn't JSON.
            TypeError: A value at a path of the expression isn't JSON.
            ValueError: A number at a path of the expression is infinite.

        Example:
            >>> seats = sluice.MetadataQuery.parse("metadata['seats'] > 5")
            >>> seats.matches({"seats": 12}), seats.matches('{"seats": 3}')
            (True, False)
        """
    def tree(self, /) -> dict[str, Any]:
        """The expression as dicts, lists and str, as the tree of a query has it under 'matches'.

        A condition has the keys of its path, and a text under 'equal', 'not_equal', 'gt', 'gte', 'lt' or
        'lte'; around conditions are {'all': [...]}, {'any': [...]} and {'not': ...}. A blank expression is
        {'all': []}.

        Returns:
            A dict.

        Example:
            >>> sluice.MetadataQuery.parse("NOT metadata['plan']:pro").tree()
            {'not': {'path': ['plan'], 'equal': 'pro'}}
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __str__(self, /) -> str: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def __get_pydantic_json_schema__(schema: object, handler: object) -> dict[str, Any]: ...
    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> dict[str, Any]: ...

@final
class Decision:
    """The decision on a request, with the values of its rate-limit headers.

    Args:
        allowed: bool.
        limit: The number of requests that a window admits, an int.
        remaining: The number that would still be admitted now, an int.
        reset: The time of X-RateLimit-Reset, an int of seconds since 1970 in UTC.
        retry_after: The seconds after which a refused client is admitted, an int, or None.

    Example:
        >>> sluice.Decision(allowed=True, limit=5, remaining=4, reset=60).headers()["x-ratelimit-reset"]
        '60'
    """
    def __new__(
        cls,
        *,
        allowed: bool,
        limit: int,
        remaining: int,
        reset: int,
        retry_after: int | None = None,
    ) -> Self: ...
    @property
    def allowed(self) -> bool:
        """True if the request passes: bool."""
    @property
    def limit(self) -> int:
        """The number of requests that a window admits: int."""
    @property
    def remaining(self) -> int:
        """The number that would still be admitted now: int."""
    @property
    def reset(self) -> int:
        """The time of X-RateLimit-Reset: int, in seconds since 1970 in UTC, rounded up."""
    @property
    def retry_after(self) -> int | None:
        """The seconds after which a refused client is admitted: int, at least 1, or None.

        None when it passes, and for a cost above the limit, which never does.
        """
    def headers(self, /) -> dict[str, str]:
        """The headers of an answer.

        These are X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset, and Retry-After unless
        retry_after is None.

        Returns:
            A dict of str to str.
        """
    def __reduce__(self, /) -> tuple[Any, ...]: ...

@final
class RedisRequest:
    """A request for Redis, from RedisLimiter.begin()."""
    def __init__(self, *args: Never, **kwargs: Never) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @property
    def keys(self) -> list[bytes]:
        """The keys of the script: a list of bytes."""
    @property
    def arguments(self) -> list[bytes]:
        """The arguments of the script: a list of bytes."""
    @property
    def packed(self) -> bytes:
        """The command that runs the script, as it is sent: bytes."""

@final
class RedisLimiter:
    """Decisions that processes share through Redis, but for the connections.

    Args:
        algorithm: As for RateLimiter.
        on_error: As for RateLimiter.
        nodes: As for RateLimiter.
        prefix: As for RateLimiter.
    """
    def __init__(
        self, algorithm: _Algorithm, on_error: _OnError, nodes: SupportsIndex, prefix: str
    ) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def begin(
        self,
        key: str,
        policies: Iterable[tuple[int, int]],
        now: datetime | None = None,
        cost: SupportsIndex = 1,
    ) -> Decision | RedisRequest:
        """Returns a decision, or the request for Redis that it needs.

        Args:
            key: The client, a str.
            policies: Limits with their windows in milliseconds, pairs of int.
            now: An aware datetime; the clock of Redis by default.
            cost: The number of requests it counts as, an int.

        Returns:
            A Decision or a RedisRequest.

        Raises:
            ApiError: Redis can't count a policy exactly.
        """
    def finish(self, request: RedisRequest, reply: object) -> Decision:
        """Decides by the reply of Redis.

        Args:
            request: The request that begin() returned.
            reply: The reply of Redis, bytes.

        Returns:
            A Decision.

        Raises:
            ApiError: The reply isn't one of the script.
        """
    def fail(self, request: RedisRequest) -> Decision:
        """Decides by on_error after a failure of Redis; the third in a row keeps requests from it.

        Args:
            request: The request that failed.

        Returns:
            A Decision.
        """
    def fall_back(self, request: RedisRequest) -> Decision:
        """Decides by on_error without a request to Redis.

        Args:
            request: The request that was not sent.

        Returns:
            A Decision.
        """

@final
class RateLimiter:
    """Admits up to a limit of requests in a window, by key. For any number of threads.

    Always true, even without keys; len() is the number of keys it holds. With a storage all processes
    count together, in Redis, by the arguments after it.

    Args:
        limit: The number of requests that a window admits, an int of at least 1.
        window_seconds: The length of a window, a number of seconds, read to the millisecond.
        algorithm: 'sliding_window', 'fixed_window', 'sliding_log' or 'gcra'.
        max_keys: The most keys to remember, an int; the longest unused are forgotten first.
        seed: The seed for the hashes of keys, an int from 0 to 2**64 - 1; None draws one at
            random, once for the process.
        storage: The URL of Redis: redis://, rediss://, unix://, redis+cluster:// or
            redis+sentinel://. Needs redis: pip install 'sluice[redis]'.
        also: Further limits with their windows in seconds. A request is counted under all of them or,
            if one refuses it, under none; the decision is that of the strictest.
        on_error: The decision while Redis fails: 'local' counts limit / nodes in this process,
            'refuse' and 'allow' count nothing.
        nodes: The number of processes that share the limits, an int.
        prefix: The prefix of keys in Redis, a str. Limiters of the same prefix, algorithm and window
            share their counters.
        deadline_ms: The milliseconds to wait for a connection, and for an answer, an int.

    Raises:
        ApiError: The limit, window, algorithm or on_error is invalid, or the limit times the window in
            milliseconds is beyond 2**53, which Redis doesn't count exactly.
        ValueError: The storage isn't a URL of Redis.

    Example:
        >>> limiter = sluice.RateLimiter(1, 60)
        >>> limiter.check("a").allowed, limiter.check("a").allowed, limiter.check("b").allowed
        (True, False, True)
    """
    def __init__(
        self,
        limit: SupportsIndex,
        window_seconds: SupportsFloat,
        algorithm: _Algorithm = "sliding_window",
        *,
        max_keys: int = 100000,
        seed: int | None = None,
        storage: str | None = None,
        also: Iterable[tuple[SupportsIndex, SupportsFloat]] = (),
        on_error: _OnError = "local",
        nodes: SupportsIndex = 1,
        prefix: str = "sluice",
        deadline_ms: SupportsIndex = 100,
    ) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def check(self, key: str, now: datetime | None = None, cost: SupportsIndex = 1) -> Decision:
        """Decides on a request, and counts it if it passes.

        Args:
            key: The client, a str.
            now: An aware datetime; the current time by default, by the storage's clock if there is one.
            cost: The number of requests it counts as, an int. One above the limit never passes, so that its
                decision has no retry_after.

        Returns:
            A Decision.
        """
    def acheck(
        self, key: str, now: datetime | None = None, cost: SupportsIndex = 1
    ) -> Awaitable[Decision]:
        """Decides on a request as check() does, without holding up the event loop.

        Args:
            key: As for check().
            now: As for check(); the clock of Redis by default, if there is a storage.
            cost: As for check().

        Returns:
            An awaitable Decision.
        """
    def aclose(self) -> Awaitable[None]:
        """Closes the connections that acheck() has opened to the storage in this event loop.

        Returns:
            An awaitable None.
        """
    def peek(self, key: str, now: datetime | None = None, cost: SupportsIndex = 1) -> Decision:
        """Returns what check() would, without counting. TypeError for a limiter with a storage.

        Args:
            key: As for check().
            now: As for check().
            cost: As for check().

        Returns:
            A Decision.
        """
    def forget(self, key: str) -> bool:
        """Forgets what a key has used. TypeError for a limiter with a storage.

        Args:
            key: A str.

        Returns:
            True if the key was known: bool.
        """
    def __len__(self, /) -> int: ...
    def __bool__(self, /) -> Literal[True]: ...
    def __repr__(self, /) -> str: ...

@final
class Mask:
    """The rows that pass, as bits.

    NumPy takes it as an array of bool (numpy.asarray), Arrow libraries as a boolean array
    (pyarrow.array, polars.from_arrow), both without a copy. It is a collections.abc.Sequence of bool,
    so that a frame of polars filters by it. The mask methods of Filter and of queries return it.
    """
    def __init__(self, *args: Never, **kwargs: Never) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def count(self, value: bool = True) -> int:
        """The number of rows that pass, or that don't if `value` is False."""
    def index(self, value: bool) -> int:
        """The index of the first row that passes, or that doesn't if `value` is False.

        Raises:
            ValueError: There is none.
        """
    def tolist(self, /) -> list[bool]:
        """The rows as a list of bool."""
    def __len__(self, /) -> int: ...
    def __getitem__(self, row: int, /) -> bool: ...
    def __iter__(self, /) -> Iterator[bool]: ...
    def __eq__(self, other: object, /) -> bool: ...
    if sys.version_info >= (3, 12):
        def __buffer__(self, flags: int, /) -> memoryview: ...
    def __repr__(self, /) -> str: ...
    def __arrow_c_schema__(self, /) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]

@disjoint_base
class BoundQuery:
    """The base class of sluice.ListQuery."""
    @staticmethod
    def read_tree(kind: type[_Bound], tree: Mapping[str, Any], schema: Iterable[Column]) -> _Bound:
        """Reads a tree() into an instance of a subclass.

        Args:
            kind: The subclass.
            tree: As for ListQuery.from_tree().
            schema: As for ListQuery.from_tree().

        Raises:
            ApiError: The tree isn't one, or names a column that the schema lacks.
        """
    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that conditions and sort keys read, a tuple without repeats."""
    @property
    def schema(self) -> tuple[Column, ...]:
        """The columns that conditions and sort keys may be about, a tuple of Column."""
    def tree(self, /) -> dict[str, Any]:
        """The query as dicts, lists and plain values, as json.loads returns them.

        Returns:
            A dict: "where" has the conditions, "order" the sort keys, "page" or "cursor" the place;
            ListQuery.from_tree() reads it.

        Example:
            >>> query = sluice.api.TagsQuery.parse("ids=a,b&sortBy=createdAt")
            >>> query.tree()["where"]
            {'all': [{'column': 'id', 'any_of': ['a', 'b']}]}
        """
    def matches(self, obj: object, columns: Mapping[str, str | None] | None = None) -> bool:
        """Returns True if an object meets the conditions, as mask() does for a row.

        Page and order don't matter. An object without a value passes if a filter excludes, and meets
        no other test.

        Args:
            obj: A mapping by its keys, or any other object by its attributes. click.country is a key or
                attribute of this name, or country of what click is. Texts are str, or lists, tuples, sets
                or arrays of str; numbers are int or Decimal, or float if it is whole; decimals may be
                text; times are aware datetimes, numpy.datetime64, int milliseconds since 1970 or RFC 3339
                text; JSON is as json.loads returns it, or a document as text, as if missing if it isn't
                JSON. None, NaN, pandas.NA and NaT are values that are missing.
            columns: Other names by the columns of the query's schema, such as {'total': 'price'}. None as
                a name says that the conditions on the column are known to hold.

        Returns:
            bool.

        Raises:
            TypeError: A value is of a type that can't be compared exactly; the message names its column.
            ValueError: The object has no such column, a value can't be read, as a naive datetime, or the
                query has a search.

        Example:
            >>> query = sluice.api.TagsQuery.parse("ids=a,b")
            >>> [query.matches(tag) for tag in ({"id": "a"}, {"id": "c"})]
            [True, False]
        """
    def to_sql(
        self,
        dialect: _Dialect,
        table: str,
        *,
        columns: Mapping[str, str | tuple[str, str] | Place] | None = None,
        metadata: _Storage = "prepared",
        select: str = "*",
        form: Literal["page", "count", "condition"] = "page",
        keys: _Flag = True,
    ) -> Statement:
        """The query as SQL, which gives the rows that the library itself finds, in the same order.

        Its values, keys and paths are parameters, never text.

        Args:
            dialect: 'sqlite', 'duckdb', 'postgresql', 'clickhouse' or 'mariadb'.
            table: The name of the table; with columns, SQL for what comes after FROM.
            columns: SQL for columns by their names in the schema, such as {'click.country': 'geo.country'};
                for prepared metadata that of both maps, or a Place for a column of another type than ddl()
                makes. The others are as ddl() makes them. This is SQL of the program: nothing of a request
                belongs here.
            metadata: How the table has JSON: 'prepared' by sluice.sql.prepare(), 'native' as PostgreSQL's
                jsonb, or 'function' as text that sluice.sql.matches() reads, in SQLite and DuckDB.
            select: SQL for what a page has of a row.
            form: 'page', 'count' of the rows on all pages, or 'condition', to be put after a WHERE.
            keys: False for a page whose rows don't end with their sort keys, which cursor_beside() takes:
                without them it takes less time. A page before a cursor has them all the same.

        Returns:
            A Statement: text and parameters.

        Raises:
            ApiError: The database can't answer exactly; the error says what to do.
            ValueError: A name is not one of the accepted ones.

        Example:
            >>> query = sluice.api.EventsQuery.parse("country=US,CA&interval=all")
            >>> text, parameters = query.to_sql("duckdb", "clicks", form="count")
            >>> parameters[1]
            ['us', 'ca']
        """
    def cursor_beside(
        self, keys: Sequence[object], *, before: _Flag = False, metadata: _Storage = "prepared"
    ) -> str:
        """The cursor of the page after a row of to_sql(), or of the page before it.

        Args:
            keys: The row's sort keys, which are the last columns of a page's rows, or the values of a
                model: int, str, bool, Decimal, float, an aware datetime, date, UUID or None.
            before: True for the page that ends before the row.
            metadata: As for to_sql().

        Returns:
            A str, which the query's parameter cursor takes.

        Raises:
            ApiError: There are more or fewer keys than the order has, one isn't a value of its column, or
                one that isn't cut, the unique key or a decimal, is too long for a cursor (status 500); the
                error says which and what is expected.
            TypeError: A key isn't a value of a database.
            ValueError: The key of an integer is NaN or infinite, which no cursor carries.

        Example:
            >>> query = sluice.api.TagsQuery.parse("pageSize=1")
            >>> cursor = query.cursor_beside(["sale", "tag_7"])
            >>> sluice.api.TagsQuery.parse({"pageSize": 1, "cursor": cursor}).cursor == cursor
            True
        """
    def mask(
        self, table: _Table | Mapping[str, Any], columns: Mapping[str, str | None] | None = None
    ) -> Mask:
        """Returns the rows of a table that match the conditions, as a Mask.

        Page and order don't matter. Rows without a value pass if a filter excludes, and meet no other
        test.

        Args:
            table: An object with __arrow_c_stream__ or __arrow_c_array__ (pyarrow, polars, pandas, DuckDB),
                read in place and without the GIL; a lazy frame of polars, whose columns in the
                conditions are collected; a dataset or a scanner of pyarrow, read by batches; or a
                mapping of names to columns, as EventsQuery.mask() takes it. Integers may be whole floats,
                as pandas has them beside missing ones; decimals are decimals, integers, whole floats or
                text; metadata is JSON text, structs, maps, or objects as json.loads returns them.
            columns: Names of other columns by those of the schema, such as {'total': 'price'}. None as a
                name says that all rows are known to match. click.country is a column of this name, or
                field country of the struct click.

        Returns:
            A Mask.

        Raises:
            TypeError: A column is of a type that can't be compared exactly; the message names it.
            ValueError: A column is not there, or a value in it can't be read; the message names the row,
                counted from 0.

        Example:
            >>> tree = {"where": {"not": {"column": "total", "gte": "9.99"}}}
            >>> query = sluice.ListQuery.from_tree(tree, [sluice.Column("total", "decimal")])
            >>> query.mask({"total": ["9.98", 10, None]}).tolist()
            [True, False, True]
        """
    def value_of(self, place: int) -> object:
        """The value of a parameter that a subclass declares.

        Args:
            place: The place of its declaration.

        Raises:
            TypeError: The query was read from a tree, which has no parameters.
        """
    @property
    def now(self) -> datetime | None:
        """The present that times were counted from, an aware datetime in UTC; None of a query that was read from a tree."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __str__(self, /) -> str: ...
    def __repr__(self, /) -> str: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @classmethod
    def parse(
        cls, query_string: _QueryString, now: datetime | None = None, strict: _Flag = True
    ) -> Self:
        """Reads the parameters of a request.

        Args:
            query_string: str, bytes, a mapping or pairs; see to_query_string() for their values.
            now: An aware datetime, which times such as 'yesterday' count from, cut to milliseconds; the
                present by default.
            strict: False ignores parameters that the class lacks; they are errors by default.

        Raises:
            ApiError: The first thing that is wrong, in the order of the parameters.
            TypeError: A value or now is of another type.
            ValueError: now is naive.
        """
    def to_polars(
        self,
        columns: Mapping[str, str | tuple[str, ...] | pl.Expr] | None = None,
        schema: Mapping[str, pl.DataType] | None = None,
    ) -> pl.Expr:
        """Returns the conditions as an expression of polars, true or false for each row.

        It fits eager and lazy frames. Order and page aren't conditions on rows. Decimals and metadata,
        for which polars has no exact expression, are tested by a mask of each batch.

        Args:
            columns: Columns of the frame by names in the query's schema: another name, the path to a
                field of a struct, such as ('click', 'country'), or an expression. Other columns have
                the names of the schema.
            schema: The schema of the frame, such as frame.collect_schema(). Times are then compared in
                the type of their column, datetimes or Int64 milliseconds, so that files skip row groups
                by their statistics. Without it times are datetimes.

        Returns:
            polars.Expr.

        Raises:
            ImportError: polars is not installed.
            TypeError: A column of times in `schema` has another type.
            ValueError: polars has no expression for a condition; the message says for which.
        """
    def to_pyarrow(
        self,
        columns: Mapping[str, str | tuple[str, ...] | pc.Expression] | None = None,
        schema: pa.Schema | None = None,
    ) -> pc.Expression:
        """Returns the conditions as an expression of pyarrow, true or false for each row.

        Tables, datasets and scanners filter by it; row groups that their statistics rule out aren't
        read.

        Args:
            columns: As for to_polars(), with expressions of pyarrow.
            schema: The schema of the table, such as dataset.schema. Values then have the types of their
                columns. Without it times are timestamps in UTC, and decimals are refused.

        Returns:
            pyarrow.compute.Expression.

        Raises:
            ImportError: pyarrow is not installed.
            TypeError: A column of `schema` has a type that can't be compared exactly.
            ValueError: pyarrow has no expression for a condition, such as one on lists or metadata; the
                message says for which.
        """
    def where(
        self,
        table: sa.FromClause | type[Any],
        columns: Mapping[str, str | sa.ColumnElement[Any]] | None = None,
    ) -> sa.ColumnElement[bool]:
        """Returns the conditions as SQLAlchemy's, for SQLite, PostgreSQL and MariaDB.

        Values are bound parameters. Databases differ in how they compare texts: compiling the
        expression for another one fails.

        Args:
            table: A Table, another FromClause or a mapped class.
            columns: Names of the table's columns, or expressions, by names in the query's schema. Other
                columns have the names of the schema.

        Returns:
            sqlalchemy.ColumnElement.

        Raises:
            ImportError: SQLAlchemy is not installed.
            TypeError: A column has a type that can't be compared exactly.
            ValueError: The table lacks a column, or SQL has no expression for a condition; the message
                says for which.
        """
    def to_django(self, columns: Mapping[str, Any] | None = None) -> Q:
        """Returns the conditions as a Q of Django, for SQLite, PostgreSQL and MariaDB.

        Values are bound parameters. Databases differ in how they compare texts: compiling the query for
        another one fails.

        Args:
            columns: Fields by names in the query's schema: lookup paths such as link__domain, or
                expressions. Other fields have the names of the schema.

        Returns:
            django.db.models.Q.

        Raises:
            ImportError: Django is not installed.
            ValueError: SQL has no expression for a condition; the message says for which.
        """

@final
class ParameterTable:
    """The parameters of an endpoint that a program declares.

    Built by make(), for sluice.ListQuery.
    """
    def __init__(self, *args: Never, **kwargs: Never) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @staticmethod
    def make(
        declarations: Iterable[dict[str, Any]],
        columns: Iterable[Column],
        unique: str,
        wants_empty: _Flag = True,
    ) -> ParameterTable:
        """Makes the table of some declarations.

        Args:
            declarations: Dicts of the parameters' attributes, in order.
            columns: The columns of the resource.
            unique: The column in which no two rows have the same value.
            wants_empty: False if parameters with an empty value count as absent.

        Raises:
            ValueError: A declaration is invalid; the message begins with its parameter or column.
        """
    def read(
        self,
        kind: type[_Bound],
        query_string: _QueryString,
        now: datetime | None = None,
        strict: _Flag = True,
    ) -> _Bound:
        """Reads the parameters of a request into an instance of a subclass of BoundQuery, without its checks.

        Args:
            kind: The subclass.
            query_string: As for ListQuery.parse().
            now: As for ListQuery.parse().
            strict: As for ListQuery.parse().

        Raises:
            ApiError: The first thing that is wrong.
        """
    def errors(
        self, query_string: _QueryString, now: datetime | None = None, strict: _Flag = True
    ) -> list[ApiError]:
        """All that is wrong with a request.

        Args:
            query_string: As for ListQuery.parse().
            now: As for ListQuery.parse().
            strict: As for ListQuery.parse().
        """
    def openapi(self, /) -> str:
        """The `parameters` of an OpenAPI 3.1 operation, as JSON."""
    def tests(self, /) -> list[tuple[str, _Test, str]]:
        """The conditions that a request may have: parameters, tests and columns."""
    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters in the order of the table."""

@final
class EventsQuery:
    """A request for GET /events, read and checked.

    Made by parse(). Its attributes are named after the parameters; start and end are the
    window that they resolve to.

    Attributes:
        parameters: The names of all parameters in the order of their table, a tuple of str.
    """
    def __init__(self, *args: Never, **kwargs: Never) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @classmethod
    def parse(
        cls, query_string: _QueryString, now: datetime | None = None, strict: _Flag = False
    ) -> EventsQuery:
        """Reads the parameters of a request.

        Args:
            query_string: str, bytes, a mapping or pairs; see to_query_string() for their values.
            now: An aware datetime, which times such as 'yesterday' count from, cut to milliseconds; the
                present by default.
            strict: True makes unknown parameters errors.

        Raises:
            ApiError: The first thing that is wrong, in the order of the parameters.
            TypeError: A value or now is of another type.
            ValueError: now is naive.

        Example:
            >>> query = sluice.api.EventsQuery.parse({"country": {"US", "CA"}, "limit": 50})
            >>> query.country, query.limit
            (Filter.parse('CA,US'), 50)
        """
    @staticmethod
    def errors(
        query_string: _QueryString, now: datetime | None = None, strict: _Flag = False
    ) -> list[ApiError]:
        """All that is wrong with a request.

        Args:
            query_string: As for parse().
            now: As for parse().
            strict: As for parse().

        Returns:
            A list of ApiError in the order of the parameters, empty for a good request.

        Example:
            >>> [error.param for error in sluice.api.EventsQuery.errors("limit=0&country=USA")]
            ['country', 'limit']
        """
    parameters: ClassVar[tuple[str, ...]]
    @property
    def event(self) -> Literal["clicks", "leads", "sales"]:
        """The parameter event.

        Meaning: the kind of events to list.

        Value: A str; expected clicks, leads or sales; clicks by default.
        """
    @property
    def domain(self) -> Filter | None:
        """The parameter domain.

        Meaning: domain of the short link.

        Value: A Filter, or None if it is absent.
        """
    @property
    def key(self) -> str | None:
        """The parameter key.

        Meaning: slug of the short link; needs domain.

        Value: A str, or None if it is absent.
        """
    @property
    def link_id(self) -> Filter | None:
        """The parameter linkId.

        Meaning: ID of the short link.

        Value: A Filter, or None if it is absent.
        """
    @property
    def external_id(self) -> str | None:
        """The parameter externalId.

        Meaning: your own ID of the link, after ext_.

        Value: A str, or None if it is absent; it must start with ext_.
        """
    @property
    def tenant_id(self) -> Filter | None:
        """The parameter tenantId.

        Meaning: ID of the link's tenant.

        Value: A Filter, or None if it is absent.
        """
    @property
    def tag_id(self) -> Filter | None:
        """The parameter tagId.

        Meaning: ID of a tag of the link.

        Value: A Filter, or None if it is absent.
        """
    @property
    def folder_id(self) -> Filter | None:
        """The parameter folderId.

        Meaning: ID of the link's folder.

        Value: A Filter, or None if it is absent.
        """
    @property
    def partner_tag_id(self) -> Filter | None:
        """The parameter partnerTagId.

        Meaning: ID of a tag of the link's partner.

        Value: A Filter, or None if it is absent.
        """
    @property
    def group_id(self) -> Filter | None:
        """The parameter groupId.

        Meaning: ID of the partner's group.

        Value: A Filter, or None if it is absent.
        """
    @property
    def partner_id(self) -> Filter | None:
        """The parameter partnerId.

        Meaning: ID of the link's partner.

        Value: A Filter, or None if it is absent.
        """
    @property
    def customer_id(self) -> str | None:
        """The parameter customerId.

        Meaning: ID of one customer.

        Value: A str, or None if it is absent.
        """
    @property
    def interval(self) -> Literal["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"]:
        """The parameter interval.

        Meaning: the window, counted back from end; start wins over it.

        Value: A str; expected 24h, 7d, 30d, 90d, 1y, mtd, qtd, ytd or all; 24h by default.
        """
    @property
    def start(self) -> datetime | None:
        """The parameter start.

        Meaning: first moment of the window, inclusive.

        Value: An aware datetime in UTC, or None if there is no bound.
        """
    @property
    def end(self) -> datetime:
        """The parameter end.

        Meaning: last moment of the window, inclusive.

        Value: An aware datetime in UTC; now by default.
        """
    @property
    def timezone(self) -> str:
        """The parameter timezone.

        Meaning: IANA zone in which days and local times are read.

        Value: A str; UTC by default.
        """
    @property
    def country(self) -> Filter | None:
        """The parameter country.

        Meaning: ISO 3166-1 alpha-2 code.

        Value: A Filter, or None if it is absent; expected a 2-letter country code or Unknown.
        """
    @property
    def city(self) -> Filter | None:
        """The parameter city.

        Meaning: name of the city.

        Value: A Filter, or None if it is absent.
        """
    @property
    def region(self) -> Filter | None:
        """The parameter region.

        Meaning: ISO 3166-2 code such as US-CA, or a subdivision of any country such as CA.

        Value: A Filter, or None if it is absent.
        """
    @property
    def continent(self) -> Filter | None:
        """The parameter continent.

        Meaning: code of the continent.

        Value: A Filter, or None if it is absent; expected AF, AN, AS, EU, NA, OC, SA or Unknown.
        """
    @property
    def device(self) -> Filter | None:
        """The parameter device.

        Meaning: kind of device.

        Value: A Filter, or None if it is absent.
        """
    @property
    def browser(self) -> Filter | None:
        """The parameter browser.

        Meaning: name of the browser.

        Value: A Filter, or None if it is absent.
        """
    @property
    def os(self) -> Filter | None:
        """The parameter os.

        Meaning: name of the operating system.

        Value: A Filter, or None if it is absent.
        """
    @property
    def trigger(self) -> Filter | None:
        """The parameter trigger.

        Meaning: what caused the click.

        Value: A Filter, or None if it is absent; expected qr, link or pageview.
        """
    @property
    def referer(self) -> Filter | None:
        """The parameter referer.

        Meaning: host name of the referer.

        Value: A Filter, or None if it is absent.
        """
    @property
    def referer_url(self) -> Filter | None:
        """The parameter refererUrl.

        Meaning: URL of the referer; without ? any query string.

        Value: A Filter, or None if it is absent.
        """
    @property
    def url(self) -> Filter | None:
        """The parameter url.

        Meaning: destination URL; without ? any query string.

        Value: A Filter, or None if it is absent.
        """
    @property
    def utm_source(self) -> Filter | None:
        """The parameter utm_source.

        Meaning: UTM source of the click.

        Value: A Filter, or None if it is absent.
        """
    @property
    def utm_medium(self) -> Filter | None:
        """The parameter utm_medium.

        Meaning: UTM medium of the click.

        Value: A Filter, or None if it is absent.
        """
    @property
    def utm_campaign(self) -> Filter | None:
        """The parameter utm_campaign.

        Meaning: UTM campaign of the click.

        Value: A Filter, or None if it is absent.
        """
    @property
    def utm_term(self) -> Filter | None:
        """The parameter utm_term.

        Meaning: UTM term of the click.

        Value: A Filter, or None if it is absent.
        """
    @property
    def utm_content(self) -> Filter | None:
        """The parameter utm_content.

        Meaning: UTM content of the click.

        Value: A Filter, or None if it is absent.
        """
    @property
    def root(self) -> bool | None:
        """The parameter root.

        Meaning: true: root domains only; false: other links only.

        Value: A bool, or None if it is absent.
        """
    @property
    def sale_type(self) -> Literal["new", "recurring"] | None:
        """The parameter saleType.

        Meaning: a customer's first sale on a link, or later ones; event=sales only.

        Value: A str, or None if it is absent; expected new or recurring.
        """
    @property
    def query(self) -> str | None:
        """The parameter query.

        Meaning: metadata expression; event=leads and event=sales only.

        Value: A str, or None if it is absent.
        """
    @property
    def page(self) -> int:
        """The parameter page.

        Meaning: page number from 1.

        Value: An int; expected a whole number of at least 1; 1 by default.
        """
    @property
    def limit(self) -> int:
        """The parameter limit.

        Meaning: events on a page.

        Value: An int; expected a whole number from 1 to 1000; 100 by default.
        """
    @property
    def sort_order(self) -> Literal["asc", "desc"]:
        """The parameter sortOrder.

        Meaning: order of the list.

        Value: A str; expected asc or desc; desc by default.
        """
    @property
    def sort_by(self) -> Literal["timestamp"]:
        """The parameter sortBy.

        Meaning: field that the list is ordered by.

        Value: A str; expected timestamp; timestamp by default.
        """
    @property
    def program_id(self) -> str | None:
        """The parameter programId.

        Meaning: ID of the link's program.

        Value: A str, or None if it is absent. Deprecated.
        """
    @property
    def tag_ids(self) -> Filter | None:
        """The parameter tagIds.

        Meaning: use tagId, which wins over it.

        Value: A Filter, or None if it is absent. Deprecated.
        """
    @property
    def qr(self) -> bool | None:
        """The parameter qr.

        Meaning: use trigger, which wins over it: true is qr, false is link.

        Value: A bool, or None if it is absent. Deprecated.
        """
    @property
    def order(self) -> Literal["asc", "desc"]:
        """The parameter order.

        Meaning: use sortOrder; asc in either one wins.

        Value: A str; expected asc or desc; desc by default. Deprecated.
        """
    @property
    def cursor(self) -> str | None:
        """The parameter cursor.

        Meaning: place in the list where the page begins or ends.

        Value: A str, or None if it is absent.
        """
    @property
    def count(self) -> bool:
        """The parameter count.

        Meaning: true: X-Total-Count has the number of all events.

        Value: A bool; false by default.
        """
    @property
    def now(self) -> datetime:
        """The present that the window was counted from: an aware datetime in UTC."""
    @property
    def metadata(self) -> MetadataQuery | None:
        """The parameter query as a MetadataQuery, or None."""
    @property
    def filters(self) -> dict[str, Filter]:
        """The filters of the request, with those of deprecated twins.

        A dict of parameter names to Filter.

        Example:
            >>> sluice.api.EventsQuery.parse("country=US&qr=true").filters
            {'country': Filter.parse('US'), 'trigger': Filter.parse('qr')}
        """
    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that conditions and sort keys read, a tuple without repeats."""
    @property
    def schema(self) -> tuple[Column, ...]:
        """The columns that conditions and sort keys may be about, a tuple of Column."""
    def tree(self, /) -> dict[str, Any]:
        """The query as dicts, lists and plain values, as json.loads returns them.

        Returns:
            A dict: "where" has the conditions, "order" the sort keys, "page" or "cursor" the place;
            ListQuery.from_tree() reads it.

        Example:
            >>> query = sluice.api.TagsQuery.parse("ids=a,b&sortBy=createdAt")
            >>> query.tree()["where"]
            {'all': [{'column': 'id', 'any_of': ['a', 'b']}]}
        """
    def matches(self, obj: object, columns: Mapping[str, str | None] | None = None) -> bool:
        """Returns True if an object meets the conditions, as mask() does for a row.

        Page and order don't matter. An object without a value passes if a filter excludes, and meets
        no other test.

        Args:
            obj: A mapping by its keys, or any other object by its attributes. click.country is a key or
                attribute of this name, or country of what click is. Texts are str, or lists, tuples, sets
                or arrays of str; numbers are int or Decimal, or float if it is whole; decimals may be
                text; times are aware datetimes, numpy.datetime64, int milliseconds since 1970 or RFC 3339
                text; JSON is as json.loads returns it, or a document as text, as if missing if it isn't
                JSON. None, NaN, pandas.NA and NaT are values that are missing.
            columns: Other names by the columns of the query's schema, such as {'total': 'price'}. None as
                a name says that the conditions on the column are known to hold.

        Returns:
            bool.

        Raises:
            TypeError: A value is of a type that can't be compared exactly; the message names its column.
            ValueError: The object has no such column, a value can't be read, as a naive datetime, or the
                query has a search.

        Example:
            >>> query = sluice.api.TagsQuery.parse("ids=a,b")
            >>> [query.matches(tag) for tag in ({"id": "a"}, {"id": "c"})]
            [True, False]
        """
    def to_sql(
        self,
        dialect: _Dialect,
        table: str,
        *,
        columns: Mapping[str, str | tuple[str, str] | Place] | None = None,
        metadata: _Storage = "prepared",
        select: str = "*",
        form: Literal["page", "count", "condition"] = "page",
        keys: _Flag = True,
    ) -> Statement:
        """The query as SQL, which gives the rows that the library itself finds, in the same order.

        Its values, keys and paths are parameters, never text.

        Args:
            dialect: 'sqlite', 'duckdb', 'postgresql', 'clickhouse' or 'mariadb'.
            table: The name of the table; with columns, SQL for what comes after FROM.
            columns: SQL for columns by their names in the schema, such as {'click.country': 'geo.country'};
                for prepared metadata that of both maps, or a Place for a column of another type than ddl()
                makes. The others are as ddl() makes them. This is SQL of the program: nothing of a request
                belongs here.
            metadata: How the table has JSON: 'prepared' by sluice.sql.prepare(), 'native' as PostgreSQL's
                jsonb, or 'function' as text that sluice.sql.matches() reads, in SQLite and DuckDB.
            select: SQL for what a page has of a row.
            form: 'page', 'count' of the rows on all pages, or 'condition', to be put after a WHERE.
            keys: False for a page whose rows don't end with their sort keys, which cursor_beside() takes:
                without them it takes less time. A page before a cursor has them all the same.

        Returns:
            A Statement: text and parameters.

        Raises:
            ApiError: The database can't answer exactly; the error says what to do.
            ValueError: A name is not one of the accepted ones.

        Example:
            >>> query = sluice.api.EventsQuery.parse("country=US,CA&interval=all")
            >>> text, parameters = query.to_sql("duckdb", "clicks", form="count")
            >>> parameters[1]
            ['us', 'ca']
        """
    def cursor_beside(
        self, keys: Sequence[object], *, before: _Flag = False, metadata: _Storage = "prepared"
    ) -> str:
        """The cursor of the page after a row of to_sql(), or of the page before it.

        Args:
            keys: The row's sort keys, which are the last columns of a page's rows, or the values of a
                model: int, str, bool, Decimal, float, an aware datetime, date, UUID or None.
            before: True for the page that ends before the row.
            metadata: As for to_sql().

        Returns:
            A str, which the query's parameter cursor takes.

        Raises:
            ApiError: There are more or fewer keys than the order has, one isn't a value of its column, or
                one that isn't cut, the unique key or a decimal, is too long for a cursor (status 500); the
                error says which and what is expected.
            TypeError: A key isn't a value of a database.
            ValueError: The key of an integer is NaN or infinite, which no cursor carries.

        Example:
            >>> query = sluice.api.TagsQuery.parse("pageSize=1")
            >>> cursor = query.cursor_beside(["sale", "tag_7"])
            >>> sluice.api.TagsQuery.parse({"pageSize": 1, "cursor": cursor}).cursor == cursor
            True
        """
    def mask(
        self, table: _Table | Mapping[str, Any], columns: Mapping[str, str | None] | None = None
    ) -> Mask:
        """Returns the rows of a table of events in the window that match the conditions, as a Mask.

        The events are of the query's kind. Page, limit and order don't matter. A parameter
        tests the column of its name, the window 'timestamp', query 'metadata' and root 'key'. Rows without
        a value pass if a filter excludes; one without a time is in no window.

        Args:
            table: An object with __arrow_c_stream__ or __arrow_c_array__ (pyarrow, polars, pandas, DuckDB),
                read in place and without the GIL; a lazy frame of polars, whose columns in the
                conditions are collected; a dataset or a scanner of pyarrow, read by batches; or a
                mapping of names to columns: Arrow data, NumPy arrays or any iterables. Texts are str;
                times are timestamps of any unit, in UTC if they have no zone, aware datetimes,
                int milliseconds since 1970 or RFC 3339 text; metadata is JSON text, structs, maps, or
                objects as json.loads returns them.
            columns: Names of other columns by parameter, such as {'country': 'geo'}; click.country is a
                column of this name, or field country of the struct click. None as a name says that all
                rows are known to match.

        Returns:
            A Mask.

        Raises:
            TypeError: A column is of a type that can't be compared; the message names it.
            ValueError: A column is not there, or a value in it can't be read; the message names the row,
                counted from 0.

        Example:
            >>> query = sluice.api.EventsQuery.parse("country=US&interval=all")
            >>> query.mask({"timestamp": [0, 0], "country": ["US", None]}).tolist()
            [True, False]
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __str__(self, /) -> str: ...
    def __repr__(self, /) -> str: ...
    def to_polars(
        self,
        columns: Mapping[str, str | tuple[str, ...] | pl.Expr] | None = None,
        schema: Mapping[str, pl.DataType] | None = None,
    ) -> pl.Expr:
        """Returns the conditions as an expression of polars, true or false for each row.

        It fits eager and lazy frames. Order and page aren't conditions on rows. Decimals and metadata,
        for which polars has no exact expression, are tested by a mask of each batch.

        Args:
            columns: Columns of the frame by names in the query's schema: another name, the path to a
                field of a struct, such as ('click', 'country'), or an expression. Other columns have
                the names of the schema.
            schema: The schema of the frame, such as frame.collect_schema(). Times are then compared in
                the type of their column, datetimes or Int64 milliseconds, so that files skip row groups
                by their statistics. Without it times are datetimes.

        Returns:
            polars.Expr.

        Raises:
            ImportError: polars is not installed.
            TypeError: A column of times in `schema` has another type.
            ValueError: polars has no expression for a condition; the message says for which.
        """
    def to_pyarrow(
        self,
        columns: Mapping[str, str | tuple[str, ...] | pc.Expression] | None = None,
        schema: pa.Schema | None = None,
    ) -> pc.Expression:
        """Returns the conditions as an expression of pyarrow, true or false for each row.

        Tables, datasets and scanners filter by it; row groups that their statistics rule out aren't
        read.

        Args:
            columns: As for to_polars(), with expressions of pyarrow.
            schema: The schema of the table, such as dataset.schema. Values then have the types of their
                columns. Without it times are timestamps in UTC, and decimals are refused.

        Returns:
            pyarrow.compute.Expression.

        Raises:
            ImportError: pyarrow is not installed.
            TypeError: A column of `schema` has a type that can't be compared exactly.
            ValueError: pyarrow has no expression for a condition, such as one on lists or metadata; the
                message says for which.
        """
    def where(
        self,
        table: sa.FromClause | type[Any],
        columns: Mapping[str, str | sa.ColumnElement[Any]] | None = None,
    ) -> sa.ColumnElement[bool]:
        """Returns the conditions as SQLAlchemy's, for SQLite, PostgreSQL and MariaDB.

        Values are bound parameters. Databases differ in how they compare texts: compiling the
        expression for another one fails.

        Args:
            table: A Table, another FromClause or a mapped class.
            columns: Names of the table's columns, or expressions, by names in the query's schema. Other
                columns have the names of the schema.

        Returns:
            sqlalchemy.ColumnElement.

        Raises:
            ImportError: SQLAlchemy is not installed.
            TypeError: A column has a type that can't be compared exactly.
            ValueError: The table lacks a column, or SQL has no expression for a condition; the message
                says for which.
        """
    def to_django(self, columns: Mapping[str, Any] | None = None) -> Q:
        """Returns the conditions as a Q of Django, for SQLite, PostgreSQL and MariaDB.

        Values are bound parameters. Databases differ in how they compare texts: compiling the query for
        another one fails.

        Args:
            columns: Fields by names in the query's schema: lookup paths such as link__domain, or
                expressions. Other fields have the names of the schema.

        Returns:
            django.db.models.Q.

        Raises:
            ImportError: Django is not installed.
            ValueError: SQL has no expression for a condition; the message says for which.
        """

@final
class TagsQuery:
    """A request for GET /tags, read and checked.

    Made by parse(). Its attributes are named after the parameters.

    Attributes:
        parameters: The names of all parameters in the order of their table, a tuple of str.
    """
    def __init__(self, *args: Never, **kwargs: Never) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @classmethod
    def parse(cls, query_string: _QueryString, strict: _Flag = False) -> TagsQuery:
        """Reads the parameters of a request.

        Args:
            query_string: str, bytes, a mapping or pairs; see to_query_string() for their values.
            strict: True makes unknown parameters errors.

        Raises:
            ApiError: The first thing that is wrong, in the order of the parameters.

        Example:
            >>> sluice.api.TagsQuery.parse("search=sale&pageSize=20").page_size
            20
        """
    @staticmethod
    def errors(query_string: _QueryString, strict: _Flag = False) -> list[ApiError]:
        """All that is wrong with a request.

        Args:
            query_string: As for parse().
            strict: As for parse().

        Returns:
            A list of ApiError in the order of the parameters, empty for a good request.

        Example:
            >>> [error.param for error in sluice.api.TagsQuery.errors("page=0&sortBy=size")]
            ['sortBy', 'page']
        """
    parameters: ClassVar[tuple[str, ...]]
    @property
    def sort_by(self) -> Literal["name", "createdAt"]:
        """The parameter sortBy.

        Meaning: field that the list is ordered by.

        Value: A str; expected name or createdAt; name by default.
        """
    @property
    def sort_order(self) -> Literal["asc", "desc"]:
        """The parameter sortOrder.

        Meaning: order of the list.

        Value: A str; expected asc or desc; asc by default.
        """
    @property
    def search(self) -> str | None:
        """The parameter search.

        Meaning: part of the tag's name, in any case.

        Value: A str, or None if it is absent.
        """
    @property
    def ids(self) -> tuple[str, ...]:
        """The parameter ids.

        Meaning: IDs of the tags.

        Value: A tuple of str.
        """
    @property
    def page(self) -> int:
        """The parameter page.

        Meaning: page number from 1.

        Value: An int; expected a whole number of at least 1; 1 by default.
        """
    @property
    def page_size(self) -> int:
        """The parameter pageSize.

        Meaning: tags on a page.

        Value: An int; expected a whole number from 1 to 100; 100 by default.
        """
    @property
    def cursor(self) -> str | None:
        """The parameter cursor.

        Meaning: place in the list where the page begins or ends.

        Value: A str, or None if it is absent.
        """
    @property
    def count(self) -> bool:
        """The parameter count.

        Meaning: true: X-Total-Count has the number of all tags.

        Value: A bool; false by default.
        """
    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that conditions and sort keys read, a tuple without repeats."""
    @property
    def schema(self) -> tuple[Column, ...]:
        """The columns that conditions and sort keys may be about, a tuple of Column."""
    def tree(self, /) -> dict[str, Any]:
        """The query as dicts, lists and plain values, as json.loads returns them.

        Returns:
            A dict: "where" has the conditions, "order" the sort keys, "page" or "cursor" the place;
            ListQuery.from_tree() reads it.

        Example:
            >>> query = sluice.api.TagsQuery.parse("ids=a,b&sortBy=createdAt")
            >>> query.tree()["where"]
            {'all': [{'column': 'id', 'any_of': ['a', 'b']}]}
        """
    def matches(self, obj: object, columns: Mapping[str, str | None] | None = None) -> bool:
        """Returns True if an object meets the conditions, as mask() does for a row.

        Page and order don't matter. An object without a value passes if a filter excludes, and meets
        no other test.

        Args:
            obj: A mapping by its keys, or any other object by its attributes. click.country is a key or
                attribute of this name, or country of what click is. Texts are str, or lists, tuples, sets
                or arrays of str; numbers are int or Decimal, or float if it is whole; decimals may be
                text; times are aware datetimes, numpy.datetime64, int milliseconds since 1970 or RFC 3339
                text; JSON is as json.loads returns it, or a document as text, as if missing if it isn't
                JSON. None, NaN, pandas.NA and NaT are values that are missing.
            columns: Other names by the columns of the query's schema, such as {'total': 'price'}. None as
                a name says that the conditions on the column are known to hold.

        Returns:
            bool.

        Raises:
            TypeError: A value is of a type that can't be compared exactly; the message names its column.
            ValueError: The object has no such column, a value can't be read, as a naive datetime, or the
                query has a search.

        Example:
            >>> query = sluice.api.TagsQuery.parse("ids=a,b")
            >>> [query.matches(tag) for tag in ({"id": "a"}, {"id": "c"})]
            [True, False]
        """
    def to_sql(
        self,
        dialect: _Dialect,
        table: str,
        *,
        columns: Mapping[str, str | tuple[str, str] | Place] | None = None,
        metadata: _Storage = "prepared",
        select: str = "*",
        form: Literal["page", "count", "condition"] = "page",
        keys: _Flag = True,
    ) -> Statement:
        """The query as SQL, which gives the rows that the library itself finds, in the same order.

        Its values, keys and paths are parameters, never text.

        Args:
            dialect: 'sqlite', 'duckdb', 'postgresql', 'clickhouse' or 'mariadb'.
            table: The name of the table; with columns, SQL for what comes after FROM.
            columns: SQL for columns by their names in the schema, such as {'click.country': 'geo.country'};
                for prepared metadata that of both maps, or a Place for a column of another type than ddl()
                makes. The others are as ddl() makes them. This is SQL of the program: nothing of a request
                belongs here.
            metadata: How the table has JSON: 'prepared' by sluice.sql.prepare(), 'native' as PostgreSQL's
                jsonb, or 'function' as text that sluice.sql.matches() reads, in SQLite and DuckDB.
            select: SQL for what a page has of a row.
            form: 'page', 'count' of the rows on all pages, or 'condition', to be put after a WHERE.
            keys: False for a page whose rows don't end with their sort keys, which cursor_beside() takes:
                without them it takes less time. A page before a cursor has them all the same.

        Returns:
            A Statement: text and parameters.

        Raises:
            ApiError: The database can't answer exactly; the error says what to do.
            ValueError: A name is not one of the accepted ones.

        Example:
            >>> query = sluice.api.EventsQuery.parse("country=US,CA&interval=all")
            >>> text, parameters = query.to_sql("duckdb", "clicks", form="count")
            >>> parameters[1]
            ['us', 'ca']
        """
    def cursor_beside(
        self, keys: Sequence[object], *, before: _Flag = False, metadata: _Storage = "prepared"
    ) -> str:
        """The cursor of the page after a row of to_sql(), or of the page before it.

        Args:
            keys: The row's sort keys, which are the last columns of a page's rows, or the values of a
                model: int, str, bool, Decimal, float, an aware datetime, date, UUID or None.
            before: True for the page that ends before the row.
            metadata: As for to_sql().

        Returns:
            A str, which the query's parameter cursor takes.

        Raises:
            ApiError: There are more or fewer keys than the order has, one isn't a value of its column, or
                one that isn't cut, the unique key or a decimal, is too long for a cursor (status 500); the
                error says which and what is expected.
            TypeError: A key isn't a value of a database.
            ValueError: The key of an integer is NaN or infinite, which no cursor carries.

        Example:
            >>> query = sluice.api.TagsQuery.parse("pageSize=1")
            >>> cursor = query.cursor_beside(["sale", "tag_7"])
            >>> sluice.api.TagsQuery.parse({"pageSize": 1, "cursor": cursor}).cursor == cursor
            True
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __str__(self, /) -> str: ...
    def __repr__(self, /) -> str: ...
    def to_polars(
        self,
        columns: Mapping[str, str | tuple[str, ...] | pl.Expr] | None = None,
        schema: Mapping[str, pl.DataType] | None = None,
    ) -> pl.Expr:
        """Returns the conditions as an expression of polars, true or false for each row.

        It fits eager and lazy frames. Order and page aren't conditions on rows. Decimals and metadata,
        for which polars has no exact expression, are tested by a mask of each batch.

        Args:
            columns: Columns of the frame by names in the query's schema: another name, the path to a
                field of a struct, such as ('click', 'country'), or an expression. Other columns have
                the names of the schema.
            schema: The schema of the frame, such as frame.collect_schema(). Times are then compared in
                the type of their column, datetimes or Int64 milliseconds, so that files skip row groups
                by their statistics. Without it times are datetimes.

        Returns:
            polars.Expr.

        Raises:
            ImportError: polars is not installed.
            TypeError: A column of times in `schema` has another type.
            ValueError: polars has no expression for a condition; the message says for which.
        """
    def to_pyarrow(
        self,
        columns: Mapping[str, str | tuple[str, ...] | pc.Expression] | None = None,
        schema: pa.Schema | None = None,
    ) -> pc.Expression:
        """Returns the conditions as an expression of pyarrow, true or false for each row.

        Tables, datasets and scanners filter by it; row groups that their statistics rule out aren't
        read.

        Args:
            columns: As for to_polars(), with expressions of pyarrow.
            schema: The schema of the table, such as dataset.schema. Values then have the types of their
                columns. Without it times are timestamps in UTC, and decimals are refused.

        Returns:
            pyarrow.compute.Expression.

        Raises:
            ImportError: pyarrow is not installed.
            TypeError: A column of `schema` has a type that can't be compared exactly.
            ValueError: pyarrow has no expression for a condition, such as one on lists or metadata; the
                message says for which.
        """
    def where(
        self,
        table: sa.FromClause | type[Any],
        columns: Mapping[str, str | sa.ColumnElement[Any]] | None = None,
    ) -> sa.ColumnElement[bool]:
        """Returns the conditions as SQLAlchemy's, for SQLite, PostgreSQL and MariaDB.

        Values are bound parameters. Databases differ in how they compare texts: compiling the
        expression for another one fails.

        Args:
            table: A Table, another FromClause or a mapped class.
            columns: Names of the table's columns, or expressions, by names in the query's schema. Other
                columns have the names of the schema.

        Returns:
            sqlalchemy.ColumnElement.

        Raises:
            ImportError: SQLAlchemy is not installed.
            TypeError: A column has a type that can't be compared exactly.
            ValueError: The table lacks a column, or SQL has no expression for a condition; the message
                says for which.
        """
    def to_django(self, columns: Mapping[str, Any] | None = None) -> Q:
        """Returns the conditions as a Q of Django, for SQLite, PostgreSQL and MariaDB.

        Values are bound parameters. Databases differ in how they compare texts: compiling the query for
        another one fails.

        Args:
            columns: Fields by names in the query's schema: lookup paths such as link__domain, or
                expressions. Other fields have the names of the schema.

        Returns:
            django.db.models.Q.

        Raises:
            ImportError: Django is not installed.
            ValueError: SQL has no expression for a condition; the message says for which.
        """

@final
class EventStore:
    """Links, tags, customers and events of workspaces, in memory.

    For any number of threads, also while it loads more. Always true, however few events it has; len()
    is how many there are in all workspaces.

    Args:
        workspace_id: The workspace of records that name none, a str.
    """
    def __init__(self, workspace_id: str = "ws_default") -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @staticmethod
    def load(
        folder: str | PathLike[str],
        workspace_id: str = "ws_default",
        progress: _Progress | None = None,
    ) -> EventStore:
        """A store of a folder of .ndjson files. Releases the GIL.

        Args:
            folder: str or path, as write_sample() writes one.
            workspace_id: The workspace of records that name none, a str.
            progress: A callable that takes the bytes read and their total, or None. An exception from it
                ends the load.

        Returns:
            An EventStore.

        Raises:
            ApiError: The first line that isn't a record, with file and line, or a file that can't be read.
        """
    def load_folder(self, folder: str | PathLike[str], progress: _Progress | None = None) -> int:
        """Adds the records of a folder. Releases the GIL.

        Args:
            folder: As for load().
            progress: As for load().

        Returns:
            The number of records added, an int.

        Raises:
            ApiError: As for load().
        """
    @staticmethod
    def open(file: str | PathLike[str], check: bool = True) -> EventStore:
        """A store of a snapshot that save() wrote. Releases the GIL.

        The file is mapped: its bytes are read when they are needed, and added records are in memory.

        Args:
            file: str or path.
            check: True checks all bytes first, which takes half a second for two gigabytes. Otherwise it
                takes milliseconds, and a damaged disk may make wrong answers or end the process.

        Returns:
            An EventStore.

        Raises:
            ApiError: The file can't be read, or it isn't a snapshot, another version's, cut off or damaged:
                the rule is file_unreadable, and the message says which.
        """
    def save(self, file: str | PathLike[str]) -> int:
        """Writes a snapshot, from which open() makes a store in milliseconds.

        It has what was published by now, while others load and read: none of them waits, nor does it wait
        for a load, also within the load's progress function. The file takes its name once it is whole and
        on the disk, and only its owner may read it. Releases the GIL.

        Args:
            file: str or path.

        Returns:
            The bytes of the file, an int.

        Raises:
            ApiError: The file can't be written, and the previous one stays.
        """
    def changes_since_load(self, folder: str | PathLike[str]) -> str:
        """Returns the reason why the store's records aren't those of a folder as it is now.

        A store of a snapshot knows of which folder it was, and its files as they were before they were
        loaded: sizes, times and checksums. Files are read if sizes and times can't tell. Releases the
        GIL.

        Args:
            folder: As for load().

        Returns:
            A str such as 'clicks.ndjson has changed since'; empty if it has these records, all of them, and
            no others.
        """
    def page(
        self, query: EventsQuery, workspace_id: str | None = None, deadline_ms: int = 0
    ) -> bytes:
        """Returns a query's page of events. Releases the GIL.

        Args:
            query: An EventsQuery.
            workspace_id: A str, or None for the default workspace of the store.
            deadline_ms: The milliseconds of CPU time after which the search stops, an int; 0 for none.

        Returns:
            A JSON array as UTF-8 bytes; empty if there is no such workspace.

        Raises:
            ApiError: The search took too long; the error's param and message name the condition that read
                the most.
        """
    def count(
        self, query: EventsQuery, workspace_id: str | None = None, deadline_ms: int = 0
    ) -> int:
        """Returns the number of events that a query matches on all its pages. Releases the GIL.

        Args:
            query: An EventsQuery.
            workspace_id: As for page().
            deadline_ms: As for page().

        Returns:
            int.

        Raises:
            ApiError: As for page().
        """
    def explain(
        self, query: EventsQuery, workspace_id: str | None = None, deadline_ms: int = 0
    ) -> str:
        """Explains how the store would count the events of a query, without reading any.

        Names the routes to the rows and the estimated reads of every condition. Releases the GIL.

        Args:
            query: An EventsQuery.
            workspace_id: As for page().
            deadline_ms: As for page().

        Returns:
            A str for people.

        Raises:
            ApiError: As for page().
        """
    def analyze(
        self, query: EventsQuery, workspace_id: str | None = None, deadline_ms: int = 0
    ) -> str:
        """Counts the events of a query and explains how.

        Like explain(), with the number of events counted and of those that every test compared. Releases
        the GIL.

        Args:
            query: An EventsQuery.
            workspace_id: As for page().
            deadline_ms: As for page().

        Returns:
            A str for people.

        Raises:
            ApiError: As for page().
        """
    def tags(self, query: TagsQuery, workspace_id: str | None = None) -> bytes:
        """Returns a query's page of tags. Releases the GIL.

        Args:
            query: A TagsQuery.
            workspace_id: As for page().

        Returns:
            A JSON array as UTF-8 bytes.
        """
    def stats(self, /) -> dict[str, dict[str, Any]]:
        """Returns the memory of the workspaces. Releases the GIL.

        Returns:
            A dict by workspace of dicts: total bytes, bytes mapped from a snapshot's file, counts of
            records, and the bytes of all kinds of events and their columns.
        """
    def maintain(self, /) -> bool:
        """Runs one step of background indexing.

        It indexes the last events, a few at a time, then sorts events by columns that counts often had
        conditions on together. A step takes some milliseconds, while others load and read. Releases the
        GIL.

        Returns:
            True if there was something to do: call it again then, else after a while.
        """
    def __len__(self, /) -> int: ...
    def __bool__(self, /) -> Literal[True]: ...
    def __repr__(self, /) -> str: ...
    @property
    def workspace_id(self) -> str:
        """The workspace of records that name none, a str."""

@final
class Response:
    """The answer to a request.

    Made by Handler.handle().
    """
    def __init__(self, *args: Never, **kwargs: Never) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @property
    def status(self) -> int:
        """The HTTP status, an int."""
    @property
    def headers(self) -> dict[str, str]:
        """The headers: a dict of str by lower-case name."""
    @property
    def body(self) -> bytes:
        """The body, bytes."""
    def __repr__(self, /) -> str: ...

@final
class Cancellation:
    """Ends the work on requests that were handled with it, such as those whose client has gone.

    For any thread, and for good: another request needs another one.
    """
    def __init__(
        self,
    ) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def cancel(self, /) -> None:
        """Requests the end of the work. Returns at once; the work ends soon after."""
    @property
    def is_cancelled(self) -> bool:
        """True if cancel() was called: bool."""

@final
class ResolvedRequest:
    """A request whose route and key were looked up.

    Made by Handler.resolve(). Its key stays valid for it, even if the handler's keys are replaced.
    """
    def __init__(self, *args: Never, **kwargs: Never) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    @property
    def route(self) -> str:
        """The label of the request in logs and metrics: the path of its route, or 'other', a str."""
    @property
    def key_number(self) -> int:
        """The number of the key, an int, 0 without a known key. Servers share their threads by it."""
    @property
    def is_small(self) -> bool:
        """True if the answer takes a fraction of a millisecond, so that no other thread is needed."""
    def handle(
        self, now: datetime | None = None, cancellation: Cancellation | None = None
    ) -> Response:
        """Answers the request, and charges it to the limits of its key. Releases the GIL.

        Args:
            now: An aware datetime; the present by default.
            cancellation: A Cancellation that may end a search early, or None.

        Returns:
            A Response, whatever the request.
        """

@final
class Handler:
    """Answers requests to GET /events and GET /tags over one store. For any number of threads.

    Args:
        store: An EventStore.
        keys: A list of dicts with sha256, workspaceId, plan, permissions, and optional expiresAt
            and limits.
        docs_url: The URL of the documentation of errors, a str; this server by default.
        base_url: The server's address, a str.
        cors: The origins whose pages may read answers, such as 'https://app.example': a list of str;
            '*' for all.
        behind_proxy: True trusts the X-Forwarded-Proto header of a proxy.
        strict_parameters: True makes unknown parameters errors.
        ratelimit_fields: True adds the RateLimit and RateLimit-Policy headers.
        deadline_ms: The milliseconds of CPU time after which a search for events is refused, an int; 0
            for none.
        storage: The URL of the Redis in which requests are counted with all processes that do, as for
            RateLimiter; this process counts for itself by default.
        on_error: The decision while Redis fails, as for RateLimiter.
        nodes: The number of processes that share the limits, as for RateLimiter.
        run: Runs statements of SQL on ClickHouse, which then has all events and tags instead of the
            store: a callable that takes the text and a dict of parameters, for any number of threads,
            and returns the answer as bytes, or None if there is none.

    Attributes:
        parameters: The names of the parameters of all routes, a frozenset of str.

    Raises:
        ApiError: A key or an origin is invalid.
        TypeError: An argument is of another type, or the keys aren't JSON.
    """
    def __init__(
        self,
        store: EventStore,
        keys: list[dict[str, Any]],
        *,
        docs_url: str = "",
        base_url: str = "",
        cors: Iterable[str] = (),
        behind_proxy: bool = False,
        strict_parameters: bool = False,
        ratelimit_fields: bool = False,
        deadline_ms: int = 1000,
        storage: str | None = None,
        on_error: _OnError = "local",
        nodes: SupportsIndex = 1,
        run: _Runner | None = None,
    ) -> None: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def handle(
        self,
        method: str,
        target: str | bytes,
        headers: _Headers,
        now: datetime | None = None,
        scheme: str = "https",
        cancellation: Cancellation | None = None,
        mount: str = "",
    ) -> Response:
        """Answers a request that is not resolved yet. Releases the GIL.

        Args:
            method: Such as 'GET', a str.
            target: Path and query string, str or bytes.
            headers: A mapping or pairs of str or bytes.
            now: An aware datetime; the present by default.
            scheme: 'https' or 'http'.
            cancellation: A Cancellation that may end a search early, with a response that nobody should
                wait for, or None.
            mount: The path of an application that the handler is mounted in, percent-encoded, a str: it
                stands before the target, and links start with it unless the handler has a base_url.

        Returns:
            A Response, whatever the request.
        """
    def resolve(
        self,
        method: str,
        target: str | bytes,
        headers: _Headers,
        scheme: str = "https",
        mount: str = "",
    ) -> ResolvedRequest:
        """Looks up the route and the key of a request, once for all that a server needs of them.

        Args:
            method: Such as 'GET', a str.
            target: Path and query string, str or bytes.
            headers: A mapping or pairs of str or bytes.
            scheme: 'https' or 'http'.
            mount: The path of an application that the handler is mounted in, as for handle().

        Returns:
            A ResolvedRequest, also for a request that will be refused.
        """
    def openapi(self, /) -> dict[str, Any]:
        """The OpenAPI 3.1 document of this handler, which is what it answers to GET /openapi.json.

        Returns:
            dict, as json.loads returns it.

        Example:
            >>> handler = sluice.Handler(sluice.EventStore(), [])
            >>> sorted(handler.openapi()["paths"])[0]
            '/analytics'
        """
    def replace_keys(self, keys: list[dict[str, Any]]) -> None:
        """Replaces the keys.

        Requests that are being answered keep theirs, and keys that stay keep what they have used of their
        limits. If a key is invalid, all stays as it was.

        Args:
            keys: A list of dicts, as for Handler.

        Raises:
            ApiError: A key is invalid.
            TypeError: The keys aren't JSON.
        """
    def cors_headers(self, headers: _Headers) -> dict[str, str]:
        """Returns the CORS headers for an answer of another program.

        Args:
            headers: Those of the request: a mapping or pairs of str or bytes.

        Returns:
            The headers to add to the answer: a dict of str by lower-case name.
        """
    def measure(self, /) -> list[tuple[str, str, bool, int]]:
        """Returns the metrics of limits, keys and the store.

        Returns:
            Tuples of a metric's name, its help, True if it only grows, and its value.
        """
    parameters: ClassVar[frozenset[str]]
