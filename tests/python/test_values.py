# SPDX-License-Identifier: MIT
"""Values that Python users have: each is read as what it is, or refused with what is accepted."""

import enum
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from conftest import NOW

import sluice
from sluice import ApiError, EventsQuery, Filter, MetadataQuery, TagsQuery


class Country(enum.StrEnum):
    US = "US"


class Land(str, enum.Enum):  # noqa: UP042 (not the same: its str() is Land.US)
    US = "US"


class Count(enum.IntEnum):
    TWO = 2


TOKEN = UUID("0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E")


class Plain(enum.Enum):
    US = "US"
    COMMA = "a,b"
    DAY = date(2026, 8, 21)
    TOKEN = TOKEN
    PAIR = (1, 2)
    NONE = None


class Comma(enum.StrEnum):
    COMMA = "a,b"


class Nothing:
    """No value; its text, which names tests, is the same in each process."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = Nothing()
IST = timezone(timedelta(hours=5, minutes=30))

TEXTS = [
    # value, the text of the parameter
    ("US", "US"),
    (np.str_("US"), "US"),
    (Country.US, "US"),
    (Land.US, "US"),
    (Filter.parse("-US,CA"), "-US,CA"),
    (MetadataQuery.parse("metadata['a']=1"), "metadata['a']:1"),
    (True, "true"),
    (np.bool_(False), "false"),
    (2, "2"),
    (Count.TWO, "2"),
    (Plain.US, "US"),
    (Plain.DAY, "2026-08-21"),
    (Plain.TOKEN, "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e"),
    (TOKEN, "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e"),
    (np.int64(2), "2"),
    (np.uint8(200), "200"),
    (np.array(2), "2"),
    (2.5, "2.5"),
    (np.float32(2.5), "2.5"),
    (np.float64(2.5), "2.5"),
    (Decimal("2.50"), "2.50"),
    (Decimal("1E+2"), "1E+2"),
    (NOW, "2026-08-21T02:30:15.123Z"),
    (NOW.astimezone(IST), "2026-08-21T02:30:15.123Z"),
    (pd.Timestamp(NOW), "2026-08-21T02:30:15.123Z"),
    (datetime(2026, 8, 21, 2, 30), "2026-08-21T02:30:00.000"),
    (date(2026, 8, 21), "2026-08-21"),
    (np.datetime64("2026-08-21"), "2026-08-21"),
    (np.datetime64("2026-08-21T02:30:15.123"), "2026-08-21T02:30:15.123"),
]

LISTS = [
    # values of one parameter, their texts
    (["US", "CA"], ["US", "CA"]),
    (("US", "CA"), ["US", "CA"]),
    ({"US", "CA", "FR"}, ["CA", "FR", "US"]),
    (frozenset({"US", "CA"}), ["CA", "US"]),
    (np.array(["US", "CA"]), ["US", "CA"]),
    (pd.Series(["US", "CA"]), ["US", "CA"]),
    ([Filter.parse("US"), Country.US, None, 5], ["US", "US", "5"]),
    ([], []),
]

REFUSED: list[tuple[object, type[Exception], str]] = [
    (b"US", TypeError, "expected str, bool, a number, datetime"),
    (NOTHING, TypeError, "not Nothing"),
    (Fraction(1, 2), TypeError, "not Fraction"),
    (timedelta(1), TypeError, "not datetime.timedelta"),
    (1j, TypeError, "not complex"),
    (time(2, 30), TypeError, "not datetime.time"),
    (Plain.PAIR, TypeError, "not tuple"),
    (Plain.NONE, ValueError, "missing"),
    ([["US"]], TypeError, "not list"),
    ({"US": 1}, TypeError, "not dict"),
    (float("nan"), ValueError, "missing, expected None to leave it out"),
    (np.float32("nan"), ValueError, "missing"),
    (pd.NA, ValueError, "missing"),
    (pd.NaT, ValueError, "missing"),
    (np.datetime64("NaT"), ValueError, "missing"),
    (Decimal("NaN"), ValueError, "missing"),
    (float("inf"), ValueError, "expected a finite number"),
    (Decimal("-Infinity"), ValueError, "expected a finite number"),
    (datetime(2026, 10, 25, 2, 30, fold=1), ValueError, "a naive datetime, expected an aware one"),
]


@pytest.mark.parametrize(("value", "text"), TEXTS, ids=lambda value: f"{type(value)} {value}")
def test_values_are_read_as_their_text(value: object, text: str) -> None:
    assert sluice.parse_query_string(sluice.to_query_string({"name": value})) == [("name", text)]
    assert sluice.parse_query_string(sluice.to_query_string([("n", [value])])) == [("n", text)]


@pytest.mark.parametrize(("values", "texts"), LISTS, ids=lambda value: str(type(value)))
def test_lists_repeat_their_parameter(values: object, texts: list[str]) -> None:
    pairs = sluice.parse_query_string(sluice.to_query_string({"name": values}))
    assert pairs == [("name", text) for text in texts]


@pytest.mark.parametrize(("value", "kind", "message"), REFUSED, ids=lambda value: str(value))
def test_what_is_no_value_is_refused_by_name(
    value: object, kind: type[Exception], message: str
) -> None:
    for values in ({"country": value}, {"country": ["US", value]}):
        for read in (
            EventsQuery.parse,
            EventsQuery.errors,
            TagsQuery.parse,
            sluice.to_query_string,
        ):
            with pytest.raises(kind, match=f"country: .*{message}"):
                read(values)


class Every(sluice.ListQuery):
    """A parameter of each kind with values of Python."""

    status = sluice.filter(choices=Country)
    names = sluice.filter()
    tokens = sluice.filter(type="uuid")
    days = sluice.filter(type="date")
    seats = sluice.filter(type="integer")
    ids = sluice.texts()
    note = sluice.text()
    part = sluice.contains()
    words = sluice.search("note")
    size = sluice.choice([Plain.US, Plain.COMMA])
    vip = sluice.boolean()
    is_open = sluice.is_null(column=sluice.Column("closed", "time", is_nullable=True))
    number = sluice.integer(operators=("=", ">="))
    total = sluice.decimal(operators=("=", "<"))
    load = sluice.real(operators=("=", "<"))
    due = sluice.date(operators=("=", "<"))
    paid = sluice.time(operators=(">=", "<="))
    token = sluice.uuid()
    created = sluice.window()
    page = sluice.page()


KINDS: list[tuple[str, object, str]] = [
    # parameter, value, the text that means the same
    ("status", [Country.US], "US"),
    ("names", Plain.COMMA, "a\\,b"),
    ("names", Comma.COMMA, "a\\,b"),
    ("names", ["-a", Plain.COMMA, TOKEN, 5, 2.5, True], f"\\-a,a\\,b,{TOKEN},5,2.5,true"),
    ("names", "a,b", "a,b"),
    ("tokens", TOKEN, str(TOKEN)),
    ("tokens", [TOKEN, Plain.TOKEN], f"{TOKEN},{TOKEN}"),
    ("days", [date(2026, 8, 22), Plain.DAY], "2026-08-22,2026-08-21"),
    ("days", np.datetime64("2026-08-21"), "2026-08-21"),
    ("seats", {5, 7}, "5,7"),
    ("seats", [Count.TWO, np.int64(3), -1], "2,3,\\-1"),
    ("ids", [TOKEN, Plain.US, 5], f"{TOKEN},US,5"),
    ("note", Plain.COMMA, "a,b"),
    ("note", TOKEN, str(TOKEN)),
    ("part", Country.US, "US"),
    ("words", Plain.US, "US"),
    ("size", Plain.US, "US"),
    ("vip", True, "true"),
    ("vip", np.bool_(False), "false"),
    ("is_open", False, "false"),
    ("number", 5, "5"),
    ("number", 5.0, "5"),
    ("number[gte]", Count.TWO, "2"),
    ("number[gte]", np.uint8(7), "7"),
    ("total", Decimal("10.50"), "10.50"),
    ("total[lt]", 10, "10"),
    ("total[lt]", 0.1, "0.1"),
    ("load", 0.1, "0.1"),
    ("load[lt]", Decimal("1E+2"), "100"),
    ("load[lt]", np.float32(0.5), "0.5"),
    ("due", date(2026, 8, 21), "2026-08-21"),
    ("due[lt]", Plain.DAY, "2026-08-21"),
    ("paid[gte]", NOW, "2026-08-21T02:30:15.123Z"),
    ("paid[lte]", date(2026, 8, 21), "2026-08-21"),
    ("paid[lte]", pd.Timestamp(NOW), "2026-08-21T02:30:15.123Z"),
    ("token", TOKEN, str(TOKEN)),
    ("token", [TOKEN], str(TOKEN)),
    ("start", datetime(2026, 8, 1), "2026-08-01T00:00:00"),
    ("interval", Plain.US, ""),
    ("limit", 5, "5"),
    ("number", True, ""),
    ("token", 5, ""),
    ("due", NOW, ""),
    ("is_open", 1, ""),
]


@pytest.mark.parametrize(("name", "value", "text"), KINDS)
def test_each_kind_takes_the_values_of_python(name: str, value: object, text: str) -> None:
    if not text:
        with pytest.raises(ApiError) as refused:
            Every.parse({name: value}, now=NOW)
        assert refused.value.param == name
        return
    query = Every.parse({name: value}, now=NOW)
    assert query == Every.parse({name: text}, now=NOW)
    assert Every.parse([(name, value)], now=NOW) == query
    assert not Every.errors({name: value}, now=NOW)


def test_times_of_python_come_to_the_window_that_they_mean() -> None:
    def window(zone: str = "UTC", **times: object) -> tuple[datetime | None, datetime]:
        query = EventsQuery.parse({**times, "timezone": zone}, now=NOW)
        return query.start, query.end

    aware = datetime(2026, 8, 1, 12, 30, 15, 999_999, IST)
    assert window(start=aware)[0] == datetime(2026, 8, 1, 7, 0, 15, 999_000, UTC)
    naive = datetime(2026, 8, 1, 12, 30)
    assert window(start=naive)[0] == naive.replace(tzinfo=UTC)
    assert window("Asia/Tokyo", start=naive)[0] == datetime(2026, 8, 1, 3, 30, tzinfo=UTC)
    day = date(2026, 8, 1)
    tokyo = datetime(2026, 7, 31, 15, tzinfo=UTC)
    assert window("Asia/Tokyo", start=day, end=day) == (
        tokyo,
        tokyo + timedelta(days=1, milliseconds=-1),
    )
    assert window(start=pd.Timestamp("2026-08-01", tz="UTC"))[0] == datetime(2026, 8, 1, tzinfo=UTC)
    assert window(start=np.datetime64("2026-08-01"))[0] == datetime(2026, 8, 1, tzinfo=UTC)


def test_numbers_of_other_libraries_count() -> None:
    query = EventsQuery.parse({"limit": np.int64(50), "page": Decimal(2), "root": np.bool_(True)})
    assert (query.limit, query.page, query.root) == (50, 2, True)
    assert sluice.check_events_limit(np.int64(5)) == 5
    assert sluice.check_variant_percentage(Decimal("12.5")) == 12.5
    limiter = sluice.RateLimiter(np.int64(1), np.float32(60))
    assert [limiter.check("a", cost=np.int8(1)).allowed for _ in range(2)] == [True, False]


def test_sets_are_filters_that_are_the_same_in_every_run() -> None:
    assert str(Filter({"US", "CA", "FR", "DE"})) == "CA,DE,FR,US"
    assert EventsQuery.parse({"country": {"US", "CA"}}).country == Filter(["CA", "US"])


@pytest.mark.parametrize("strict", [1, 0, "yes", None, np.int64(1)])
def test_flags_are_bools(strict: bool) -> None:
    for read in (EventsQuery.parse, EventsQuery.errors, TagsQuery.parse, TagsQuery.errors):
        with pytest.raises(TypeError, match="strict: expected bool, not"):
            read("", strict=strict)
    with pytest.raises(TypeError, match="excludes: expected bool, not"):
        Filter(["US"], excludes=strict)


def test_flags_may_be_of_numpy() -> None:
    with pytest.raises(ApiError):
        EventsQuery.parse("nothing=1", strict=np.bool_(True))
    assert len(EventsQuery.errors("nothing=1", strict=np.bool_(True))) == 1
    assert len(TagsQuery.errors("nothing=1", strict=True)) == 1
    assert Filter(["US"], excludes=np.bool_(True)).excludes


METADATA = [
    # value, a right side that it equals
    ("pro", "pro"),
    (Country.US, "US"),
    (np.str_("pro"), "pro"),
    (True, "true"),
    (np.bool_(True), "true"),
    (5, "5.0"),
    (np.int64(5), "5"),
    (np.uint64(2**64 - 1), "18446744073709551615"),
    (5.5, "5.5"),
    (np.float32(5.5), "5.5"),
    (np.float32(0.1), "0.10000000149011612"),
    (Decimal("10.00"), "10"),
    (Decimal("0.1000000000000000000000001"), "0.1000000000000000000000001"),
    (Decimal("1E+3"), "1000"),
]
MISSING = [None, float("nan"), np.float32("nan"), Decimal("NaN"), pd.NA, pd.NaT]


@pytest.mark.parametrize(("value", "text"), METADATA, ids=str)
def test_metadata_is_compared_by_its_value(value: object, text: str) -> None:
    assert MetadataQuery.parse(f"metadata['k']:'{text}'").matches({"k": value})
    assert not MetadataQuery.parse(f"metadata['k']!='{text}'").matches({"k": value})
    assert MetadataQuery.parse(f"metadata['k']['0']:'{text}'").matches({"k": [value]})


@pytest.mark.parametrize("value", [*MISSING, {}, [], (), {"a": 1}, ["x"]], ids=str)
def test_missing_metadata_equals_nothing(value: object) -> None:
    assert not MetadataQuery.parse("metadata['k']:x").matches({"k": value})
    assert MetadataQuery.parse("metadata['k']!=x").matches({"k": value})


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        *((value, TypeError) for value in (b"x", NOTHING, NOW, {1}, Fraction(1), np.array([1]))),
        *((value, ValueError) for value in (float("inf"), -np.inf, Decimal("Infinity"))),
    ],
    ids=str,
)
def test_what_json_lacks_is_refused(value: object, kind: type[Exception]) -> None:
    query = MetadataQuery.parse("metadata['k']!=x")
    with pytest.raises(kind, match="metadata: expected"):
        query.matches({"k": value})
    with pytest.raises(kind, match="metadata: expected"):
        MetadataQuery.parse("metadata['k']['deeper']!=x").matches({"k": value})
    assert query.matches({"other": value})  # nobody asks


def test_documents_are_json() -> None:
    query = MetadataQuery.parse("metadata['k']['1']>9.99999999999999999999")
    for text in ('{"k": [0, 1e1]}', ' {"k":[0,10.000]} ', '{"k": 1, "k": [0, 10]}'):
        assert query.matches(text)
        assert query.matches(text.encode())
    assert not query.matches("null")
    for text in ("", "pro", "{'k': 1}", '{"k": NaN}', '{"k": 1', '{"k": 1} {}'):
        with pytest.raises(ApiError):
            query.matches(text)
