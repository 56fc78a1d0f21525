# SPDX-License-Identifier: MIT
"""Random texts of each grammar, beside other libraries.

SLUICE_TEST_SERVERS=1 asks for it; SLUICE_ORACLE_TEXTS says how many texts of each grammar.
"""

import os

import pytest
from grammar_oracles import ORACLES, Comparison, Grammar, MissingError, lines_of

pytestmark = pytest.mark.servers

TEXTS = int(os.environ.get("SLUICE_ORACLE_TEXTS", "600"))


@pytest.mark.parametrize("grammar", ORACLES)
def test_another_library_accepts_the_same_texts_and_selects_the_same_rows(grammar: Grammar) -> None:
    try:
        comparison = Comparison(grammar)
    except MissingError as missing:
        pytest.skip(str(missing))
    comparison.run(TEXTS)
    assert comparison.unexplained == [], "\n".join(lines_of(comparison))
    assert comparison.counts["accepted by both"] >= TEXTS * 2 // 5
    assert comparison.counts["refused by both"] >= TEXTS // 10
