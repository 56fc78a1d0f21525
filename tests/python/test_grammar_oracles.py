# SPDX-License-Identifier: MIT
"""Random expressions, which other libraries parse and a plain loop over their trees answers.

SLUICE_TEST_SERVERS=1 asks for it; SLUICE_ORACLE_TEXTS says how many texts of each grammar.
"""

import os
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Literal, TypeAlias

import pytest

import sluice
from sluice import Column

pytestmark = pytest.mark.servers

# An operator and its arguments, as CQL2's JSON has them, `contains` and its kin besides.
Tree: TypeAlias = dict[str, Any]
Row: TypeAlias = dict[str, Any]
Grammar: TypeAlias = Literal["odata", "cql2", "scim"]

TEXTS = int(os.environ.get("SLUICE_ORACLE_TEXTS", "300"))
COLUMNS = [
    Column("name", is_nullable=True),
    Column("city", is_nullable=True),
    Column("total", "integer", is_nullable=True),
    Column("paid", "boolean", is_nullable=True),
]
HOSTILE = (None, "", "a", "A", "b", "it's", '"', "\\", "%", "_", "a%b", "axb", "é", "東京", "or")
NUMBERS = (None, -5, 0, 1, 7, 2**53)
PARTS = ("contains", "startswith", "endswith")
BEYOND = "'\"()[]%_\\,;: ax5é"


def hostile_rows() -> list[Row]:
    random = Random(5)
    return [
        {
            "name": random.choice(HOSTILE),
            "city": random.choice(HOSTILE),
            "total": random.choice(NUMBERS),
            "paid": random.choice((None, True, False)),
        }
        for _ in range(40)
    ]


def holds(tree: Tree, row: Row) -> bool:
    """The meaning of a condition: the missing meets isNull, and what is not met by a value."""
    op, args = tree["op"], tree["args"]
    if op == "not":
        return not holds(args[0], row)
    if op in ("and", "or"):
        return (all if op == "and" else any)(holds(of, row) for of in args)
    value = row[args[0]["property"]]
    if op == "isNull":
        return value is None
    if op == "<>":
        return value is None or bool(value != args[1])
    if value is None:
        return False
    tests: dict[str, Callable[[Any], bool]] = {
        "=": lambda right: value == right,
        "<": lambda right: value < right,
        "<=": lambda right: value <= right,
        ">": lambda right: value > right,
        ">=": lambda right: value >= right,
        "in": lambda right: value in right,
        "between": lambda right: right <= value <= args[2],
        "like": lambda right: is_like(value, right),
        "contains": lambda right: right in value,
        "startswith": lambda right: value.startswith(right),
        "endswith": lambda right: value.endswith(right),
    }
    return tests[op](args[1])


def is_like(text: str, pattern: str) -> bool:
    """Matches a pattern of SQL, which a backslash escapes."""
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(is_like(text[at:], pattern[1:]) for at in range(len(text) + 1))
    start = 1 if pattern[0] == "\\" and len(pattern) > 1 else 0
    return text[:1] == pattern[start] and is_like(text[1:], pattern[start + 1 :])


# --- Texts -----------------------------------------------------------------------------------


class Expressions:
    """Random expressions of a grammar."""

    def __init__(self, grammar: Grammar, seed: int) -> None:
        self.grammar = grammar
        self.random = Random(seed)

    def text(self, depth: int = 3) -> str:
        choice = self.random.random()
        if depth > 0 and choice < 0.4:
            word = self.random.choice((" and ", " or "))
            parts = [self.text(depth - 1) for _ in range(self.random.randrange(2, 4))]
            # scim2-filter-parser reads AND and OR from left to right, without precedence.
            is_bare = self.grammar != "scim" and self.random.random() < 0.5
            return word.join(part if is_bare else f"({part})" for part in parts)
        if depth > 0 and choice < 0.55:
            return f"not ({self.text(depth - 1)})"
        return self.condition()

    def condition(self) -> str:
        name = self.random.choice(("name", "city", "total", "paid"))
        equal, unequal, *bounds = {
            "odata": ("eq", "ne", "gt", "ge", "lt", "le"),
            "scim": ("eq", "ne", "gt", "ge", "lt", "le"),
            "cql2": ("=", "<>", ">", ">=", "<", "<="),
        }[self.grammar]
        if self.random.random() < 0.15:
            return self.presence(name)
        if name == "paid":
            return f"paid {equal} {self.random.choice(('true', 'false'))}"
        if name == "total":
            op = self.random.choice((equal, unequal, *bounds))
            # scim2-filter-parser has no negative and no long numbers.
            numbers = (1, 7) if self.grammar == "scim" else NUMBERS[1:]
            return f"total {op} {self.random.choice(numbers)}"
        if self.random.random() < 0.4:
            return self.part(name)
        if self.grammar != "scim" and self.random.random() < 0.3:
            # odata-query has no lists of one value.
            least = 2 if self.grammar == "odata" else 1
            values = ",".join(self.quoted() for _ in range(self.random.randrange(least, 4)))
            return f"{name} in ({values})"
        return f"{name} {self.random.choice((equal, unequal))} {self.quoted()}"

    def presence(self, name: str) -> str:
        if self.grammar == "scim":
            return f"{name} pr"
        if self.grammar == "cql2":
            return f"{name} is {self.random.choice(('', 'not '))}null"
        return f"{name} {self.random.choice(('eq', 'ne'))} null"

    def part(self, name: str) -> str:
        if self.grammar == "odata":
            return f"{self.random.choice(PARTS)}({name},{self.quoted()})"
        if self.grammar == "scim":
            return f"{name} {self.random.choice(('co', 'sw', 'ew'))} {self.quoted()}"
        text = str(self.random.choice(HOSTILE[1:]))
        escaped = "".join("\\" + byte if byte in "%_\\" else byte for byte in text)
        before, after = self.random.choice((("%", "%"), ("", "%"), ("%", "")))
        return f"{name} like {self.quoted(before + escaped + after)}"

    def quoted(self, text: str | None = None) -> str:
        value = text if text is not None else str(self.random.choice(HOSTILE[1:]))
        if self.grammar == "scim":
            # scim2-filter-parser has no quotes in texts, and keeps backslashes.
            return '"' + value.replace('"', "").replace("\\", "\\\\") + '"'
        return "'" + value.replace("'", "''") + "'"

    def mutilated(self, text: str) -> str:
        """A text with a character more, less or another."""
        at = self.random.randrange(len(text))
        kept = self.random.randrange(2)
        return str(text[:at] + self.random.choice(("", *BEYOND)) + text[at + kept :])


# --- Oracles: each parses a text to a tree, or raises an exception of any kind -----------------


def of_odata(text: str) -> Tree:
    ast = pytest.importorskip("odata_query.ast")
    grammar = pytest.importorskip("odata_query.grammar")

    ops = {
        ast.Eq: "=",
        ast.NotEq: "<>",
        ast.Lt: "<",
        ast.LtE: "<=",
        ast.Gt: ">",
        ast.GtE: ">=",
        ast.In: "in",
    }

    def value_of(node: Any) -> Any:  # noqa: ANN401
        if isinstance(node, ast.List):
            return [value_of(item) for item in node.val]
        if isinstance(node, ast.Boolean):
            return node.val.lower() == "true"
        return int(node.val) if isinstance(node, ast.Integer) else node.val

    def tree_of(node: Any) -> Tree:  # noqa: ANN401
        if isinstance(node, ast.BoolOp):
            op = "and" if isinstance(node.op, ast.And) else "or"
            return {"op": op, "args": [tree_of(node.left), tree_of(node.right)]}
        if isinstance(node, ast.UnaryOp):
            return {"op": "not", "args": [tree_of(node.operand)]}
        if isinstance(node, ast.Call):
            name, right = node.args
            return {"op": node.func.name, "args": [{"property": name.name}, value_of(right)]}
        left = {"property": node.left.name}
        if isinstance(node.right, ast.Null):
            missing = {"op": "isNull", "args": [left]}
            is_equal = isinstance(node.comparator, ast.Eq)
            return missing if is_equal else {"op": "not", "args": [missing]}
        return {"op": ops[type(node.comparator)], "args": [left, value_of(node.right)]}

    return tree_of(grammar.ODataParser().parse(grammar.ODataLexer().tokenize(text)))


def of_cql2(text: str) -> Tree:
    cql2 = pytest.importorskip("cql2")
    tree: Tree = cql2.parse_text(text).to_json()
    return tree


def of_scim(text: str) -> Tree:
    ast = pytest.importorskip("scim2_filter_parser.ast")
    lexer = pytest.importorskip("scim2_filter_parser.lexer")
    parser = pytest.importorskip("scim2_filter_parser.parser")

    ops = {"eq": "=", "ne": "<>", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}
    ops |= {"co": "contains", "sw": "startswith", "ew": "endswith"}

    def tree_of(node: Any) -> Tree:  # noqa: ANN401
        if isinstance(node, ast.Filter):
            inner = tree_of(node.expr)
            return {"op": "not", "args": [inner]} if node.negated else inner
        if isinstance(node, ast.LogExpr):
            return {"op": node.op.lower(), "args": [tree_of(node.expr1), tree_of(node.expr2)]}
        left = {"property": node.attr_path.attr_name}
        if node.value == "pr":
            return {"op": "not", "args": [{"op": "isNull", "args": [left]}]}
        value: Any = node.comp_value.value
        if isinstance(value, str):
            value = value.replace("\\\\", "\\")
        if left["property"] == "total":
            value = int(value)
        if left["property"] == "paid":
            value = value in (True, "true")
        return {"op": ops[node.value.lower()], "args": [left, value]}

    return tree_of(parser.SCIMParser().parse(lexer.SCIMLexer().tokenize(text)))


ORACLES: dict[Grammar, Callable[[str], Tree]] = {
    "odata": of_odata,
    "cql2": of_cql2,
    "scim": of_scim,
}


def answers(grammar: Grammar, text: str, rows: list[Row]) -> list[bool] | None:
    """Returns which rows meet a text, or None if it is refused."""
    try:
        tree = sluice.grammars.parse_expression(grammar, text, COLUMNS)
    except sluice.ApiError:
        return None
    query = sluice.ListQuery.from_tree(tree, COLUMNS)
    return [query.matches(row) for row in rows]


def differences(grammar: Grammar, count: int) -> Iterator[tuple[str, Any, Any]]:
    expressions, rows = Expressions(grammar, 11), hostile_rows()
    for _ in range(count):
        text = expressions.text()
        expected = [holds(ORACLES[grammar](text), row) for row in rows]
        selected = answers(grammar, text, rows)
        if selected != expected:
            yield text, expected, selected


@pytest.mark.parametrize("grammar", ORACLES)
def test_rows_are_those_of_the_tree_of_another_library(grammar: Grammar) -> None:
    assert list(differences(grammar, TEXTS)) == []


def is_accepted(grammar: Grammar, text: str) -> bool:
    try:
        ORACLES[grammar](text)
    except Exception:  # each library has its own
        return False
    return True


# Rules of texts that are no expression. The others are of columns and values, which an oracle
# doesn't know.
SYNTAX = re.compile("query_(?!number)|expression_malformed")

# Texts that only one side reads, each with the reason.
EXPLAINED: dict[Grammar, dict[str, str]] = {
    "odata": {r"^ |, *$": "space at the ends"},
    "cql2": {
        r"(?i)(and|or|not|in|like|is)[é_a-z]": "words that touch others",
        r"['\d)] *%|% *['(\d]": "% between values is arithmetic",
    },
    "scim": {
        r"\\": "escapes aren't looked at",
        r"\d\d": "numbers have one digit",
    },
}


def unlike(grammar: Grammar, count: int) -> Iterator[tuple[str, str]]:
    """Yields mutilated texts that one side accepts, and the other refuses by the syntax."""
    expressions = Expressions(grammar, 13)
    for _ in range(count):
        text = expressions.mutilated(expressions.text(1))
        if any(re.search(pattern, text) for pattern in EXPLAINED[grammar]):
            continue
        try:
            sluice.grammars.parse_expression(grammar, text, COLUMNS)
            rule = ""
        except sluice.ApiError as error:
            rule = error.rule
        if rule == "" and not is_accepted(grammar, text):
            yield text, "refused by the other"
        if SYNTAX.match(rule) and is_accepted(grammar, text):
            yield text, rule


@pytest.mark.parametrize("grammar", ORACLES)
def test_mutilated_texts_are_refused_by_both(grammar: Grammar) -> None:
    assert list(unlike(grammar, TEXTS)) == []
