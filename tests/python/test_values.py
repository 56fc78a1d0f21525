# SPDX-License-Identifier: MIT
"""Value types of C++ hash, order and print: no public type with `==` is left out by accident."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ["base", "errors", "filters", "time", "metadata", "query", "params", "rate_limit"]
PARTS = "part of a value, compared with it"
STATE = "state of one client, or what is computed from it"
LEFT_OUT = {
    "header": PARTS,
    "name_value": PARTS,
    "hash_seed": "a secret",
    "page_allocator": "memory",
    "packed_texts": "memory",
    "text_iterator": "an iterator",
    "iterator": "an iterator",
    "decoded_utf8": PARTS,
    "wide_integer": "a number of 128 bits, for products",
    "rule_info": "a row of a table",
    "text_part": "a row of a table",
    "any_rule": PARTS,
    "custom_value": PARTS,
    "current_time": PARTS,
    "time_ago": PARTS,
    "window_request": "several values",
    "time_zone": "a view of its database",
    "scalar": "a view of a value",
    "metadata_condition": PARTS,
    "metadata_node": PARTS,
    "column": "a row of a schema",
    "record_columns": "a view of a schema",
    "cut_key": PARTS,
    "node": PARTS,
    "leaf": PARTS,
    "basic_where": PARTS,
    "basic_record_test": PARTS,
    "bounds": PARTS,
    "text_test": PARTS,
    "all_of_test": PARTS,
    "part_test": PARTS,
    "boolean_test": PARTS,
    "null_test": PARTS,
    "list_query_error": "an error with its path; message() writes it",
    "group_key": PARTS,
    "measure": PARTS,
    "aggregate_key": PARTS,
    "aggregate_query": "without an order; to_json() writes it",
    "aggregate_row": "a row of an answer",
    "reported_error": PARTS,
    "list_page": "a caller's struct inherits it",
    "list_window": "a caller's struct inherits it",
    "sort_choice": PARTS,
    "fixed_window": STATE,
    "sliding_window": STATE,
    "gcra": STATE,
    "sliding_log": STATE,
    "entry": STATE,
    "redis_reply": STATE,
    "redis_place": "has a password",
    "redis_tls": PARTS,
    "facet": PARTS,
    "facet_value": PARTS,
    "guideline_list": "a caller's struct inherits it",
    "ordering": PARTS,
    "expression": "a caller's struct has it",
    "part": STATE,
}
COMPARED = re.compile(
    r"operator(?:==|<=>)\(\s*(?:const )?(\w+)(?:<\w+>)?&? ?(?:a|left)?,", re.MULTILINE
)
DECLARED = re.compile(r"inline constexpr bool is_value<(\w+)> = true;")


def headers() -> list[str]:
    files = [path for room in ROOMS for path in (ROOT / "include/sluice" / room).rglob("*.hpp")]
    return [path.read_text(encoding="utf-8") for path in files if "detail" not in path.parts]


def test_every_type_that_is_compared_is_a_value_or_says_why_not() -> None:
    values = {name for text in headers() for name in DECLARED.findall(text)}
    compared = {name for text in headers() for name in COMPARED.findall(text)}
    assert len(compared) > 50
    assert compared - values - {"result"} == set(LEFT_OUT)
    assert not values & set(LEFT_OUT)


def test_every_value_type_is_tried() -> None:
    values = {name for text in headers() for name in DECLARED.findall(text)}
    tried = (ROOT / "tests/base/value.cpp").read_text(encoding="utf-8")
    assert set(re.findall(r"static_assert\(is_value<(\w+)>\);", tried)) == values
