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

SQL = """\
['o3', 'o2']
(3,)
(lower("status" COLLATE "C") = ANY($1::text[]) AND (("metadata_text" IS NOT NULL AND \
"metadata_text" @> jsonb_build_object($2::text, $3::text)) OR (NOT (("metadata_text" ->> \
$2::text) IS NOT NULL) AND ("metadata_num" IS NOT NULL AND "metadata_num" @> \
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

SQLITE_STORE = """\
['lead_5', 'lead_2'] of 3
['lead_1'] of 3 None
['lead_5', 'lead_2', 'lead_1']
"""

PRINTED = {"first_look": FIRST_LOOK, "frames": FRAMES, "masks": MASKS}
PRINTED |= {"quickstart": QUICKSTART, "sql": SQL, "sqlite_store": SQLITE_STORE}


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_prints_what_it_says(name: str) -> None:
    program = EXAMPLES / f"{name}.py"
    done = subprocess.run((sys.executable, program), capture_output=True, text=True, check=True)
    assert done.stdout == PRINTED[name]


def test_every_example_is_run() -> None:
    # In test_clickhouse.py, test_sql.py, test_redis.py.
    elsewhere = {"clickhouse", "postgresql_store", "shared_limits"}
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(PRINTED) | elsewhere
