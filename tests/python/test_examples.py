# SPDX-License-Identifier: MIT
"""The Python examples print what they say."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

FIRST_LOOK = """\
[True, False, True]
country filter_dash 3
"""

QUICKSTART = """\
True False [True, False, True]
400 filter_dash country 3 3
US,-CA
   ^^^
True
True 1 None
True 0 None
False 0 61
True ['click', 'click']
401 Bearer
"""

MASKS = """\
[ True False  True]
[
  false,
  true,
  false
]
"""

GROUPS = """\
US 2 26990
None 1 700
DE 1 10
1792792800000 1
1792879200000 2
1792969200000 0
[{'country': 'US', 'count': 2, 'revenue': 26990}, {'country': None, 'count': 1, 'revenue': 700}, \
{'country': 'DE', 'count': 1, 'revenue': 10}]
"""

SQL = """\
['o3', 'o2']
(3,)
(lower("status"::text COLLATE "C") = ANY($1::text[]) AND (("metadata_text" IS NOT NULL AND \
"metadata_text" @> jsonb_build_object($2::text, $3::text)) OR ($4::text <> '' AND NOT \
(("metadata_text" ->> $2::text) IS NOT NULL) AND ("metadata_num" IS NOT NULL AND "metadata_num" @> \
jsonb_build_object($2::text, $4::text)))))
[['open', 'paid'], '/plan', 'pro', '']
"""

FRAMES = """\
('country', 'seats')
['b', 'c']
['b', 'c']
['b', 'c'] [False, True, True, False]
['b', 'c']
['b', 'c']
"""

OBJECTS = """\
['o4', 'o3'] 3 True
['o1'] ['first', 'prev']
['o4', 'o3']
[True, False, True, True]
True
"""

SEARCH_BOX = """\
'mscu'         ['MSCU-1', 'MSCU-3'] False
'TANK'         ['MSCU-3', 'TRLU-4'] False
'100%'         ['TRLU-4'] False
'hlxu reefer'  ['MSCU-1', 'hlxu-2'] False
''             ['MSCU-1', 'hlxu-2'] True
"""

SQLITE_STORE = """\
['lead_5', 'lead_2'] of 3
['lead_1'] of 3 None
['lead_5', 'lead_2', 'lead_1']
"""

VALUES = """\
[False, True]
False
True True 2 False
True
{'path': ['plan'], 'equal': 'pro'}
yesterday 2026-08-19 15:00:00+00:00
2026-07-31 22:00:00+00:00 2026-08-21 02:30:00+00:00
</orders?limit=9&page=1>; rel="first", </orders?limit=9&page=2>; rel="next"
('sale', 'tag_7') False True
True 1 {"latest": 1787279400000, "backlog": 30000, "fraction": 0}
True 0 {"latest": 1787279400000, "backlog": 60000, "fraction": 0}
False 0 {"latest": 1787279400000, "backlog": 60000, "fraction": 0}
"""

PYDANTIC_FIELDS = """\
True {"country":"-US,CA","since":"7 days ago"}
filter_dash - '-' before a single item (at byte 3), exclude the whole list with one leading '-', \
or escape it as '\\-'
country string - a value, a list `a,b`, or all but `-a,b`
"""

DECLARED_ORDERS = """\
('open', 'paid') 10 2026-10-01 00:00:00+00:00 100
422 filter_value status: not an accepted value (did you mean 'open'?), expected open, paid or \
void
400 number_malformed total[gte]: not a number, expected a number such as 10.50
422 number_too_small limit: too small, expected a whole number from 1 to 1000
[]
True
['status', 'customer', 'total[gte]', 'total[lte]', 'interval', 'start', 'end', 'timezone', \
'order', 'page', 'limit', 'cursor', 'count']
"""

NULL_VALUES = """\
{"column": "country", "any_of": ["US"]} ['a']
{"column": "country", "none_of": ["US"]} ['b']
{"column": "seats", "lt": 9} ['a']
{"not": {"column": "seats", "lt": 9}} ['b']
"""

LIMITERS = """\
sliding_window [True, True, False, True, False, True]
fixed_window [True, True, False, True, True, False]
sliding_log [True, True, False, False, False, True]
gcra [True, True, False, False, False, True]
"""

EXISTING_TABLE = """\
[('o2', 'paid'), ('o3', 'open')]
"""

SQLALCHEMY_MODELS = """\
['o1', 'o3'] 3 True
['o4'] ['first', 'prev']
['o2', 'o4']
"""

SQLALCHEMY_ASYNC = """\
['paid 4.99', 'open 3.99'] 4
['paid 1.99', 'open 0.99'] 4
['void 5.99', 'open 3.99']
422 status: not an accepted value, expected open, paid or void
"""

SQLMODEL_ORDERS = """\
['box 3', 'box 5'] False
['box 6', 'box 5', 'box 4'] True
['box 1', 'box 3', 'box 5'] False
"""

OWN_RULES = """\
9783161484100
isbn: not a value of this type, expected thirteen digits
isbn: a wrong check digit (at byte 16), expected an ISBN-13
price[gte]: more than its upper bound, give a smaller one
"""

DUCKDB_PARQUET = """\
status=paid,open [(3,)]
['3', '2']
['1']
label=gift&total[gte]=11 [(1,)]
['3']
end=2026-08-21&order=total [(3,)]
['1', '2']
['3']
"""

ODATA_FASTAPI = """\
[4, 2] 3
[1] False
400
400 $filter
['$filter: unknown column, expected one of the documented names', '$top: not a number, expected a \
whole number of at least 0']
"""

PARAMETER_NAMES = """\
[{'column': 'price', 'gte': '10'}, {'column': 'status', 'any_of': ['new', 'used']}, \
{'column': 'brand', 'none_of': ['acme']}]
{'column': 'price', 'direction': 'desc'}
(SortKey(name='title', descending=True),) 20
</books?sort=title&order=down&p=3>; rel="next"
{'price__gte': ['price__gte: not a number, expected a number such as 10.50'], \
'after': ['after: not a cursor, take it from a Link header as it is']}
"""

PRINTED = {"first_look": FIRST_LOOK, "frames": FRAMES, "masks": MASKS}
PRINTED |= {"declared_orders": DECLARED_ORDERS, "own_rules": OWN_RULES}
PRINTED |= {"parameter_names": PARAMETER_NAMES}
PRINTED |= {"pydantic_fields": PYDANTIC_FIELDS, "values": VALUES}
PRINTED |= {"concepts/null_values": NULL_VALUES, "concepts/limiters": LIMITERS}
PRINTED |= {"existing_table": EXISTING_TABLE, "sqlalchemy_models": SQLALCHEMY_MODELS}
PRINTED |= {"sqlalchemy_async": SQLALCHEMY_ASYNC, "sqlmodel_orders": SQLMODEL_ORDERS}
PRINTED |= {"quickstart": QUICKSTART, "sql": SQL, "sqlite_store": SQLITE_STORE}
PRINTED |= {"duckdb_parquet": DUCKDB_PARQUET, "odata_fastapi": ODATA_FASTAPI}
GROUPS_FASTAPI = """\
[{"country":"US","count":2,"sum_cents":26990},{"country":null,"count":1,"sum_cents":700},\
{"country":"DE","count":1,"sum_cents":10}]
[{"created.day":"2026-10-23T22:00:00Z","count":1},{"created.day":"2026-10-24T22:00:00Z","count":2},\
{"created.day":"2026-10-25T23:00:00Z","count":0},{"created.day":"2026-10-26T23:00:00Z","count":1}]
[{"average_cents":1000.0}]
{"country":[{"value":"US","count":2},{"value":"DE","count":1}],\
"device":[{"value":"desktop","count":1},{"value":"phone","count":1}]}
{"error":{"code":"unprocessable_entity","message":"groupBy: not one of the accepted values \
(did you mean 'country'?), expected country, device, created, created.hour, created.day, \
created.week, created.month, created.quarter or created.year",\
"doc_url":"/api-reference/errors#unprocessable-entity"}}
"""
PRINTED |= {"groups_fastapi": GROUPS_FASTAPI}
PRINTED |= {"groups": GROUPS, "objects": OBJECTS, "search_box": SEARCH_BOX}


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_prints_what_it_says(name: str) -> None:
    program = EXAMPLES / f"{name}.py"
    done = subprocess.run((sys.executable, program), capture_output=True, text=True, check=True)
    assert done.stdout == PRINTED[name]


def test_every_example_is_run() -> None:
    # In test_clickhouse.py, test_sql.py, test_redis.py, test_openapi_tools.py.
    elsewhere = {"clickhouse", "postgresql_store", "shared_limits", "schemathesis_hooks"}
    elsewhere |= {"mariadb_table", "postgresql_table"}  # in test_sql.py
    elsewhere.add("postgresql_analytics")  # in test_group_parameters.py
    elsewhere.add("tutorial")  # in test_readme.py
    assert {path.stem for path in EXAMPLES.glob("*.py")} == (
        {name for name in PRINTED if "/" not in name} | elsewhere
    )
