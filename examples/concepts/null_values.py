# SPDX-License-Identifier: MIT
"""A row without a value meets exclusions and no other condition."""

import json

import sluice

rows = {"a": {"country": "US", "seats": 5}, "b": {"country": None, "seats": None}}
schema = [
    sluice.Column("country", is_nullable=True),
    sluice.Column("seats", "integer", is_nullable=True),
]
CONDITIONS: list[dict[str, object]] = [
    {"column": "country", "any_of": ["US"]},
    {"column": "country", "none_of": ["US"]},
    {"column": "seats", "lt": 9},
    {"not": {"column": "seats", "lt": 9}},
]
for condition in CONDITIONS:
    query = sluice.ListQuery.from_tree({"where": condition}, schema)
    kept = [name for name, row in rows.items() if query.matches(row)]
    print(json.dumps(condition), kept)
