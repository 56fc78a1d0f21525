# SPDX-License-Identifier: MIT
"""Expressions and masks of the tests and types of columns take the rows that matches() takes."""

import operator
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any, TypeAlias
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sluice import Column, ListQuery

Tree: TypeAlias = dict[str, Any]

SIZES = ("small", "medium", "Large", "an 'XL'")
LINES = (
    Column("sku", is_nullable=True, collation="ignore_case"),
    Column("count", "integer", is_nullable=True),
)
SCHEMA = [
    Column("id"),
    Column("name", is_nullable=True),
    Column("city", is_nullable=True, collation="ignore_case"),
    Column("tags", is_list=True, is_nullable=True, collation="ignore_case"),
    Column("seats", "integer", is_nullable=True),
    Column("ports", "integer", is_list=True, is_nullable=True),
    Column("score", "real", is_nullable=True),
    Column("due", "date", is_nullable=True),
    Column("token", "uuid", is_nullable=True),
    Column("tokens", "uuid", is_list=True, is_nullable=True),
    Column("size", "choice", is_nullable=True, choices=SIZES),
    Column("sizes", "choice", is_list=True, is_nullable=True, choices=SIZES),
    Column("lines", "records", is_nullable=True, columns=LINES),
]

TEXTS = (
    *(
        "",
        "a",
        "A",
        "ab",
        "aB",
        "abab",
        "%",
        "_",
        "a%b_",
        "\\",
        "[a]*?",
        "'",
        '"',
        "\x00",
        "a\x00b",
    ),
    *("İ", "i", "\u0131", "ß", "ss", "\u017f", "s", "K", "k", "\u212a", "é", "e\u0301", "É"),
    *("\U0001f600", "\uffff"),
)
NUMBERS = (-(2**63), -5, 0, 7, 80, 2**63 - 1)
REALS = (-1.5, -0.0, 0.0, 0.1, 1e300, 5e-324, float("nan"), float("inf"), 2.0**53)
BOUNDS_OF_REALS = tuple(real for real in REALS if abs(real) < float("inf"))
DAYS = (date(1, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(2024, 2, 29), date(9999, 12, 31))
TOKENS = tuple(map(str, (UUID(int=0), UUID(int=2**128 - 1), UUID(int=0xABCDEF))))
VALUES: dict[str, tuple[Any, ...]] = {
    "text": TEXTS,
    "integer": NUMBERS,
    "real": REALS,
    "date": DAYS,
    "uuid": (*TOKENS, *(token.upper() for token in TOKENS)),
    "choice": (*SIZES, "none of them"),
}
ARROW_TYPES = {
    "text": pa.string(),
    "integer": pa.int64(),
    "real": pa.float64(),
    "date": pa.date32(),
    "uuid": pa.string(),
    "choice": pa.string(),
    "records": pa.list_(pa.struct({"sku": pa.string(), "count": pa.int64()})),
}


class RandomTests:
    """Rows and conditions on them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, column: Column) -> Any:  # noqa: ANN401
        """A value, or None."""
        if column.is_nullable and self.random.random() < 0.2:
            return None
        if column.type == "records":
            return [self.record(column) for _ in range(self.random.randrange(4))]
        if column.is_list:
            items = self.random.choices((*VALUES[column.type], None), k=self.random.randrange(5))
            return items[1:] if self.random.random() < 0.5 else items
        return self.random.choice(VALUES[column.type])

    def record(self, column: Column) -> dict[str, Any] | None:
        if self.random.random() < 0.2:
            return None
        return {inner.name: self.value(inner) for inner in column.columns}

    def row(self, number: int) -> dict[str, Any]:
        return {**{column.name: self.value(column) for column in SCHEMA}, "id": f"r{number}"}

    def leaf(self, column: Column) -> Tree:
        """A condition with any test of a column."""
        few = [
            self.random.choice(self.accepted(column)) for _ in range(1 + self.random.randrange(3))
        ]
        tests: list[Tree] = []
        if column.is_nullable:
            tests.append({"is_null": self.random.random() < 0.5})
        if column.type == "records":
            inner = self.tree(column.columns, 1)
            return {"column": column.name, **self.random.choice([*tests, {"any": inner}])}
        if column.type != "real":
            texts = [str(value) for value in few]
            tests += [{self.random.choice(["any_of", "none_of"]): texts}]
            if column.is_list:
                tests += [{"all_of": texts}] * 2
        if column.type == "text":
            tests += [{name: few} for name in ("contains", "starts_with", "ends_with")]
        if column.type in ("text", "integer", "real", "date", "choice") and not column.is_list:
            tests += [self.bounds(column)] * (2 if column.collation == "exact" else 0)
        collation = {} if column.collation == "exact" else {"collation": column.collation}
        return {"column": column.name, **self.random.choice(tests), **collation}

    def accepted(self, column: Column) -> tuple[Any, ...]:
        """Values that conditions may have."""
        return {"choice": SIZES, "real": BOUNDS_OF_REALS}.get(
            column.type, VALUES.get(column.type, ("",))
        )

    def bounds(self, column: Column) -> Tree:
        def bound() -> Any:  # noqa: ANN401
            value = self.random.choice(self.accepted(column))
            return str(value) if column.type == "date" else value

        lower = {self.random.choice(["gt", "gte"]): bound()}
        upper = {self.random.choice(["lt", "lte"]): bound()}
        return self.random.choice([lower, upper, {**lower, **upper}])

    def tree(self, columns: Sequence[Column], depth: int) -> Tree:
        if depth == 0 or self.random.random() < 0.3:
            return self.leaf(self.random.choice(columns))
        kind = self.random.choice(["all", "any", "not"])
        if kind == "not":
            return {"not": self.tree(columns, depth - 1)}
        return {kind: [self.tree(columns, depth - 1) for _ in range(2)]}

    def queries(self, count: int, columns: list[Column] | None = None) -> Iterator[ListQuery]:
        for _ in range(count):
            yield ListQuery.from_tree({"where": self.tree(columns or SCHEMA, 2)}, SCHEMA)


ROWS = [RandomTests(71).row(0), *map(RandomTests(72).row, range(1, 200))]


def arrow_type(column: Column) -> pa.DataType:
    kind = ARROW_TYPES[column.type]
    return pa.list_(kind) if column.is_list else kind


TABLE = pa.Table.from_pylist(ROWS, pa.schema({c.name: arrow_type(c) for c in SCHEMA}))
FRAME = pl.DataFrame(TABLE)


def check(query: ListQuery, taken: list[bool]) -> None:
    assert taken == [query.matches(row) for row in ROWS], query.tree()["where"]


# --- Expressions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("is_typed", [False, True])
def test_polars_takes_the_rows_of_every_test(is_typed: bool) -> None:
    for query in RandomTests(73).queries(400):
        expression = query.to_polars(schema=FRAME.schema if is_typed else None)
        mask = FRAME.with_columns(taken=expression)["taken"]
        assert mask.null_count() == 0
        check(query, mask.to_list())
        check(query, FRAME.lazy().with_columns(taken=expression).collect()["taken"].to_list())


@pytest.mark.parametrize("is_typed", [False, True])
def test_pyarrow_takes_the_rows_of_every_test_but_those_of_items(is_typed: bool) -> None:
    plain = [column for column in SCHEMA if not column.is_list and column.type != "records"]
    for query in RandomTests(74).queries(400, plain):
        wanted = query.to_pyarrow(schema=TABLE.schema if is_typed else None)
        ids = TABLE.filter(wanted)["id"].to_pylist()
        check(query, [row["id"] in ids for row in ROWS])
    for name in ("tags", "ports", "lines"):
        for is_null in (True, False):
            query = ListQuery.from_tree({"where": {"column": name, "is_null": is_null}}, SCHEMA)
            ids = TABLE.filter(query.to_pyarrow(schema=TABLE.schema))["id"].to_pylist()
            check(query, [row["id"] in ids for row in ROWS])


def taken(column: Column, test: Tree, values: pa.Array | pl.Series, is_typed: bool) -> list[bool]:
    """The rows of a column that its expression takes; polars for a series, pyarrow for an array."""
    query = ListQuery.from_tree({"where": {"column": "x", **test}}, [column])
    if isinstance(values, pl.Series):
        frame = pl.DataFrame({"x": values})
        expression = query.to_polars(schema=frame.schema if is_typed else None)
        return frame.with_columns(taken=expression)["taken"].to_list()
    table = pa.table({"x": values, "row": range(len(values))})
    wanted = query.to_pyarrow(schema=table.schema if is_typed else None)
    rows = table.filter(wanted)["row"].to_pylist()
    return [row in rows for row in range(len(values))]


TOKEN = UUID(int=5)
REAL = Column("x", "real", is_nullable=True)
DATE = Column("x", "date", is_nullable=True)
CHOICE = Column("x", "choice", is_nullable=True, choices=("small", "large", "huge"))
CHOICES = Column("x", "choice", is_list=True, choices=("small", "large", "huge"))
UUIDS = Column("x", "uuid", is_nullable=True)
F32 = np.array([0.1, 0.2, np.nan], np.float32)
WHOLE = [0, 1, 2**60 + 1, None]
NAMES = ["small", "large", None]
ENUM = pl.Enum(["small", "large"])
DATES = [date(1969, 12, 31), date(9999, 12, 31), None]
ABOVE = {"gt": 0.1}


@pytest.mark.parametrize(
    ("column", "test", "values", "expected"),
    [
        (REAL, ABOVE, pl.Series(F32), [True, True, False]),
        (REAL, ABOVE, pl.Series(WHOLE), [False, True, True, False]),
        (REAL, {"is_null": True}, pl.Series(F32), [False, False, True]),
        (REAL, ABOVE, pa.array(F32), [True, True, False]),
        (REAL, ABOVE, pa.array(F32).cast(pa.float16()), [False, True, False]),
        (REAL, ABOVE, pa.array(F32).dictionary_encode(), [True, True, False]),
        (REAL, ABOVE, pa.array(WHOLE), [False, True, True, False]),
        (REAL, {"is_null": True}, pa.array(F32), [False, False, True]),
        (REAL, {"is_null": True}, pa.array(WHOLE), [False, False, False, True]),
        (DATE, {"gte": "0000-01-01"}, pl.Series(DATES), [True, True, False]),
        (DATE, {"gt": "1969-12-31"}, pa.array(DATES, pa.date64()), [False, True, False]),
        (DATE, {"none_of": ["9999-12-31"]}, pa.array(DATES, pa.date64()), [True, False, True]),
        (DATE, {"lt": "9999-12-31"}, pa.array(DATES).dictionary_encode(), [True, False, False]),
        (CHOICE, {"gt": "small"}, pl.Series(NAMES, dtype=pl.Categorical), [False, True, False]),
        (CHOICE, {"lte": "huge"}, pl.Series(NAMES, dtype=ENUM), [True, True, False]),
        (CHOICE, {"none_of": ["huge"]}, pl.Series(NAMES, dtype=ENUM), [True] * 3),
        (CHOICE, {"gt": "small"}, pa.array(NAMES).dictionary_encode(), [False, True, False]),
        (CHOICES, {"any_of": ["huge", "large"]}, pl.Series([NAMES, ["small"]]), [True, False]),
        (
            CHOICES,
            {"all_of": ["small"]},
            pl.Series([NAMES, NAMES[1:2], []], dtype=pl.List(ENUM)),
            [True, False, False],
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_typed", [False, True])
def test_expressions_take_columns_of_other_types(
    column: Column, test: Tree, values: pa.Array | pl.Series, expected: list[bool], is_typed: bool
) -> None:
    assert taken(column, test, values, is_typed) == expected


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([TOKEN.bytes, bytes(16), None]),
        pa.array([TOKEN.bytes, bytes(16), None], pa.binary(16)),
        pa.array([TOKEN.bytes, bytes(16), None], pa.uuid()),
    ],
    ids=["polars", "pyarrow", "arrow.uuid"],
)
def test_expressions_take_uuids_of_16_bytes_if_they_know_the_type(values: pa.Array) -> None:
    token = [str(TOKEN).upper()]
    assert taken(UUIDS, {"any_of": token}, values, is_typed=True) == [True, False, False]
    assert taken(UUIDS, {"none_of": token}, values, is_typed=True) == [False, True, True]
    assert taken(UUIDS, {"is_null": True}, values, is_typed=True) == [False, False, True]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (REAL, "floats or integers"),
        (DATE, "dates"),
        (UUIDS, "UUIDs, texts or 16 bytes"),
        (CHOICE, "texts"),
    ],
)
def test_pyarrow_refuses_columns_of_other_types(column: Column, expected: str) -> None:
    query = ListQuery.from_tree({"where": {"column": "x", "is_null": False}}, [column])
    with pytest.raises(TypeError, match=f"^x: expected {expected}, not bool$"):
        query.to_pyarrow(schema=pa.schema({"x": pa.bool_()}))


# --- Masks ---------------------------------------------------------------------------------------

OBJECTS = {column.name: [row[column.name] for row in ROWS] for column in SCHEMA}
TABLES: dict[str, Callable[[], Any]] = {
    "pyarrow": lambda: TABLE,
    "batches": lambda: pa.Table.from_batches(TABLE.to_batches(max_chunksize=70)),
    "large": lambda: pa.table({name: large(TABLE[name]) for name in TABLE.column_names}),
    "polars": lambda: FRAME,
    "lazy": lambda: FRAME.lazy(),
    "pandas": lambda: TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "columns": lambda: {name: TABLE[name] for name in TABLE.column_names},
    "objects": lambda: OBJECTS,
    "arrays": lambda: {
        column.name: values if column.is_list or column.columns else np.array(values, object)
        for column, values in zip(SCHEMA, OBJECTS.values(), strict=True)
    },
}


def large(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column with offsets of 64 bits, dictionaries and dates in milliseconds."""
    if pa.types.is_date32(column.type):
        return column.cast(pa.date64())
    if pa.types.is_string(column.type) or pa.types.is_float64(column.type):
        return column.dictionary_encode()
    if pa.types.is_list(column.type):
        return column.cast(pa.large_list(column.type.value_type))
    return column


@pytest.mark.parametrize("kind", TABLES)
def test_a_mask_has_the_rows_of_every_test(kind: str) -> None:
    table = TABLES[kind]()
    for query in RandomTests(75).queries(300):
        check(query, query.mask(table).tolist())


UUID_LISTS = Column("x", "uuid", is_list=True)
PORTS = Column("x", "integer", is_list=True)
WORDS = Column("x", is_list=True)
NAME = Column("x", is_nullable=True)
LISTS = [[1, 2], [None], [], None]


@pytest.mark.parametrize(
    ("column", "test", "values", "expected"),
    [
        (REAL, ABOVE, np.array([0.05, 0.2, np.nan]), [False, True, False]),
        (REAL, {"is_null": True}, np.array([0.05, np.nan]), [False, True]),
        (REAL, ABOVE, [0, 1, None, float("nan")], [False, True, False, False]),
        (REAL, ABOVE, pa.array(F32).cast(pa.float16()), [False, True, False]),
        (REAL, ABOVE, pa.array(F32), [True, True, False]),
        (REAL, {"gte": 2.0**60}, pa.array(WHOLE), [False, False, True, False]),
        (
            DATE,
            {"gt": "1969-12-31"},
            np.array(["1969-12-31", "1970-01-01", "NaT"], "M8[D]"),
            [False, True, False],
        ),
        (DATE, {"none_of": ["9999-12-31"]}, DATES, [True, False, True]),
        (DATE, {"lte": "1969-12-31"}, ["1969-12-31", "1970-01-01"], [True, False]),
        (DATE, {"lte": "1969-12-31"}, pa.array(["1969-12-31", "1970-01-01"]), [True, False]),
        (UUIDS, {"any_of": [str(TOKEN)]}, [TOKEN, str(TOKEN).upper(), None], [True, True, False]),
        (
            UUIDS,
            {"none_of": [str(TOKEN)]},
            pa.array([TOKEN.bytes, None], pa.binary(16)),
            [False, True],
        ),
        (UUIDS, {"any_of": [str(TOKEN)]}, pa.array([TOKEN.bytes, None], pa.uuid()), [True, False]),
        (UUIDS, {"any_of": [str(TOKEN)]}, pl.Series([TOKEN.bytes, None]), [True, False]),
        (UUIDS, {"none_of": [str(TOKEN)]}, pl.Series([TOKEN.bytes, bytes(16)]), [False, True]),
        (
            UUID_LISTS,
            {"any_of": [str(TOKEN)]},
            pl.Series([[TOKEN.bytes, bytes(16)], [bytes(16)], None]).to_arrow(),
            [True, False, False],
        ),
        (
            UUID_LISTS,
            {"all_of": [str(TOKEN)]},
            pa.array([[TOKEN.bytes], []], pa.list_(pa.binary(16))),
            [True, False],
        ),
        (PORTS, {"all_of": ["1", "2"]}, LISTS, [True, False, False, False]),
        (
            PORTS,
            {"all_of": ["1", "2"]},
            pa.array(LISTS, pa.list_(pa.uint8())),
            [True, False, False, False],
        ),
        (
            PORTS,
            {"any_of": ["2"]},
            pa.array([[1, 2], None], pa.list_(pa.int32(), 2)),
            [True, False],
        ),
        (PORTS, {"none_of": ["2"]}, pa.array(LISTS), [False, True, True, True]),
        (PORTS, {"is_null": True}, pa.array(LISTS), [False, False, False, True]),
        (PORTS, {"is_null": True}, LISTS, [False, False, False, True]),
        (
            CHOICE,
            {"gt": "small"},
            pa.array(["large", "none", None]).dictionary_encode(),
            [True, False, False],
        ),
        (
            WORDS,
            {"contains": ["%"]},
            pa.array([["a", "5%"], ["5"], [None], []]),
            [True, False, False, False],
        ),
        (NAME, {"starts_with": [""]}, pa.nulls(2), [False, False]),
        (NAME, {"is_null": True}, pa.nulls(2), [True, True]),
    ],
)
def test_masks_take_columns_of_other_types(
    column: Column,
    test: Tree,
    values: Any,  # noqa: ANN401
    expected: list[bool],
) -> None:
    query = ListQuery.from_tree({"where": {"column": "x", **test}}, [column])
    negated = ListQuery.from_tree({"where": {"not": {"column": "x", **test}}}, [column])
    for table in (
        [{"x": values}]
        if isinstance(values, list | np.ndarray)
        else [{"x": values}, pa.table({"x": values})]
    ):
        assert query.mask(table).tolist() == expected
        assert negated.mask(table).tolist() == [not is_taken for is_taken in expected]


WHOLE_NUMBER = Column("x", "integer", is_nullable=True)
WHOLE_VALUES = (0, 1, 2, 5, 127, 128, 255, 2**24 + 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1)
COMPARED: dict[str, Callable[[float, float], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}


def arrays_of(dtype: np.dtype[Any]) -> list[np.ndarray[Any, Any]]:
    """Numbers that a dtype has: as they are, byte-swapped, strided, misaligned and unwritable."""
    if dtype.kind == "f":
        plain = np.array([*REALS, float("-inf"), 2.0, -2.0], np.float64).astype(dtype)
    else:
        limits = np.iinfo(dtype)
        numbers = [sign * number for number in WHOLE_VALUES for sign in (1, -1)]
        plain = np.array([n for n in numbers if limits.min <= n <= limits.max], dtype)
    frozen = plain.copy()
    frozen.flags.writeable = False
    shifted = np.frombuffer(b"\0" + plain.tobytes(), np.uint8)[1:].view(dtype)
    return [plain, plain.astype(dtype.newbyteorder()), plain[::-2], frozen, shifted, plain[:0]]


@pytest.mark.parametrize("code", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"])
@pytest.mark.filterwarnings("ignore:overflow")
def test_arrays_of_numbers_answer_as_their_items(code: str) -> None:
    column = REAL if code[0] == "f" else WHOLE_NUMBER
    reals, wholes = [-2.0, -0.0, 0.1, 2.0, 65504.0, 1e300], [-128, 0, 2, 2**53 + 1]
    bounds: list[Any] = reals if column is REAL else wholes
    for array in arrays_of(np.dtype(code)):
        items = array.tolist()
        for name, holds in COMPARED.items():
            for bound in bounds:
                query = ListQuery.from_tree({"where": {"column": "x", name: bound}}, [column])
                assert query.mask({"x": array}).tolist() == [holds(item, bound) for item in items]
        if column is WHOLE_NUMBER:
            wanted = ["5", "-1", str(2**63 - 1)]
            query = ListQuery.from_tree({"where": {"column": "x", "none_of": wanted}}, [column])
            assert query.mask({"x": array}).tolist() == [str(item) not in wanted for item in items]
        else:
            query = ListQuery.from_tree({"where": {"column": "x", "is_null": True}}, [column])
            assert query.mask({"x": array}).tolist() == [item != item for item in items]


def test_arrays_of_integers_are_compared_as_reals_too() -> None:
    query = ListQuery.from_tree({"where": {"column": "x", "gte": 2.0**53}}, [REAL])
    array = np.array([2**53 - 1, 2**53, -(2**62)])
    assert query.mask({"x": array}).tolist() == [False, True, False]
    assert query.mask({"x": np.ma.array(array, mask=[False, True, False])}).tolist() == [False] * 3
    with pytest.raises(TypeError, match="x: column 'x', row 0: expected float or int, not bool"):
        query.mask({"x": np.array([True])})


@pytest.mark.parametrize(
    ("column", "test", "values", "error", "text"),
    [
        (REAL, ABOVE, ["1"], TypeError, "x: column 'x', row 0: expected float or int"),
        (REAL, ABOVE, pa.array(["1"]), TypeError, "x: column 'x': expected floats, integers"),
        (
            DATE,
            {"lt": "2026-08-21"},
            ["2026-02-30"],
            ValueError,
            "x: column 'x', row 0: expected a day",
        ),
        (
            DATE,
            {"lt": "2026-08-21"},
            pa.array(["2026-02-30"]),
            ValueError,
            "x: column 'x', row 0: expected a day",
        ),
        (
            DATE,
            {"lt": "2026-08-21"},
            pa.array([1]),
            TypeError,
            "x: column 'x': expected dates, text such",
        ),
        (
            UUIDS,
            {"any_of": [str(TOKEN)]},
            pa.array([1]),
            TypeError,
            "x: column 'x': expected text, 16 bytes",
        ),
        (
            PORTS,
            {"all_of": ["1"]},
            pa.array([1]),
            TypeError,
            "x: column 'x': expected lists, not int64",
        ),
        (PORTS, {"all_of": ["1"]}, [1], TypeError, "x: column 'x', row 0: expected a list"),
    ],
)
def test_masks_refuse_columns_of_other_types(
    column: Column,
    test: Tree,
    values: Any,  # noqa: ANN401
    error: type[Exception],
    text: str,
) -> None:
    query = ListQuery.from_tree({"where": {"column": "x", **test}}, [column])
    with pytest.raises(error, match=f"^{text}"):
        query.mask({"x": values})
