# SPDX-License-Identifier: MIT
"""Reads random texts of each grammar by sluice and by another library.

    python tests/python/grammar_oracles.py --texts 20000

Half of the texts are mutilated. Both sides have to accept or refuse each, and rows that a text
selects are those of a plain evaluation of the other library's tree. The table has the number of
texts that both accepted, that both refused, that only sluice refused for a name, a type or an
operator (the others know no columns), and that differ for a reason in EXPLAINED, which are listed
with their numbers. odata-query, cql2 and scim2-filter-parser are packages of Python; aip-go and
rsql-parser are asked by tests/grammars/oracles/, which need the commands go, and mvn and java.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple, TypeAlias

from grammar_texts import (
    NUMBERS,
    TEXTS,
    Aip160Texts,
    Cql2JsonTexts,
    Cql2Texts,
    OdataTexts,
    RsqlTexts,
    ScimTexts,
    Texts,
)

import sluice
from sluice import Column

# An operator and its arguments, as CQL2's JSON has them, a name as {"property": name}, or a value.
Tree: TypeAlias = Any
Row: TypeAlias = dict[str, Any]
Grammar: TypeAlias = Literal["aip160", "odata", "rsql", "cql2", "cql2-json", "scim"]

PROGRAMS = Path(__file__).parents[1] / "grammars/oracles"
COLUMNS = [
    Column("name", is_nullable=True),
    Column("city", is_nullable=True),
    Column("total", "integer", is_nullable=True),
    Column("paid", "boolean", is_nullable=True),
    Column("tags", is_list=True, is_nullable=True),
]
SEARCHED = ["name"]  # by words alone, in AIP-160


def hostile_rows() -> list[Row]:
    random = Random(5)
    return [
        {
            "name": random.choice((None, *TEXTS)),
            "city": random.choice((None, *TEXTS)),
            "total": random.choice((None, *NUMBERS)),
            "paid": random.choice((None, True, False)),
            "tags": random.choice((None, [], random.choices(TEXTS, k=random.randrange(1, 4)))),
        }
        for _ in range(40)
    ]


# --- The meaning of a tree -----------------------------------------------------------------------


def holds(tree: Tree, row: Row) -> bool:
    """Evaluates a condition: the missing meets isNull, and what is not met by a value."""
    if isinstance(tree, bool):
        return tree
    if "property" in tree:
        return row[tree["property"]] is True
    op, args = tree["op"], tree["args"]
    if op == "not":
        return not holds(args[0], row)
    if op in ("and", "or"):
        return (all if op == "and" else any)(holds(part, row) for part in args)
    value = row[args[0]["property"]]
    if op == "isNull":
        return value is None
    if op in ("any", "all"):
        every = {"any": any, "all": all}[op]
        return every(holds(args[2], {args[1]: item}) for item in value or ())
    if op == "<>":
        return not holds({"op": "=", "args": args}, row)
    if value is None:
        return False
    if op == "a_contains":
        return set(args[1]) <= set(value)
    items = value if isinstance(value, list) else [value]
    return any(COMPARISONS[op](item, *args[1:]) for item in items)


def is_like(text: str, pattern: str) -> bool:
    """Matches a pattern of SQL, which a backslash escapes."""
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(is_like(text[at:], pattern[1:]) for at in range(len(text) + 1))
    start = 1 if pattern[0] == "\\" and len(pattern) > 1 else 0
    return text[:1] == pattern[start] and is_like(text[1:], pattern[start + 1 :])


COMPARISONS: dict[str, Callable[..., bool]] = {
    "=": lambda left, right: left == right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "in": lambda left, right: left in right,
    "a_overlaps": lambda left, right: left in right,
    "between": lambda left, low, high: low <= left <= high,
    "like": is_like,
    "contains": lambda left, right: right in left,
    "startswith": lambda left, right: left.startswith(right),
    "endswith": lambda left, right: left.endswith(right),
}


def node(op: str, *args: Any) -> Tree:  # noqa: ANN401
    return {"op": op, "args": list(args)}


def typed(name: str, text: str) -> Any:  # noqa: ANN401
    """Returns a value of a column from its text."""
    if name == "total":
        return int(text)
    return {"true": True, "false": False}[text] if name == "paid" else text


def starred(op: str, name: str, text: str) -> Tree:
    """Returns a comparison with a text, of which stars at the ends stand for any text."""
    left = {"property": name}
    if name in ("total", "paid") or "*" not in (text[:1], text[-1:]):
        return node(op, left, typed(name, text))
    is_open = text.startswith("*"), text.endswith("*") and len(text) > 1
    kinds = {(True, True): "contains", (True, False): "endswith", (False, True): "startswith"}
    return node(kinds[is_open], left, text[is_open[0] : len(text) - is_open[1]])


# --- Oracles -------------------------------------------------------------------------------------


class MissingError(Exception):
    """Says why a library can't be asked."""


class Oracle(NamedTuple):
    """Another library."""

    parse: Callable[[str], Any]  # raises an exception of any kind for a refused text
    tree: Callable[[Any], Tree]  # of what `parse` returns
    close: Callable[[], object] = lambda: None


class OdataTrees:
    """Trees of odata-query's syntax trees, which are of classes in its module `ast`."""

    def __init__(self, ast: Any) -> None:  # noqa: ANN401
        self.ast = ast
        self.ops = {ast.Eq: "=", ast.NotEq: "<>", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">"}
        self.ops |= {ast.GtE: ">=", ast.In: "in"}

    def value(self, parsed: Any) -> Any:  # noqa: ANN401
        if isinstance(parsed, self.ast.List):
            return [self.value(item) for item in parsed.val]
        if isinstance(parsed, self.ast.Boolean):
            return parsed.val.lower() == "true"
        return int(parsed.val) if isinstance(parsed, self.ast.Integer) else parsed.val

    def tree(self, parsed: Any) -> Tree:  # noqa: ANN401
        match parsed:
            case self.ast.BoolOp():
                op = "and" if isinstance(parsed.op, self.ast.And) else "or"
                return node(op, self.tree(parsed.left), self.tree(parsed.right))
            case self.ast.UnaryOp():
                return node("not", self.tree(parsed.operand))
            case self.ast.Boolean():
                return self.value(parsed)
            case self.ast.Identifier():
                return {"property": parsed.name}
            case self.ast.Call():
                name, right = parsed.args
                return node(parsed.func.name, {"property": name.name}, self.value(right))
            case self.ast.CollectionLambda():
                return self.collection(parsed)
        return self.comparison(parsed)

    def comparison(self, parsed: Any) -> Tree:  # noqa: ANN401
        left = {"property": parsed.left.name}
        if not isinstance(parsed.right, self.ast.Null):
            return node(self.ops[type(parsed.comparator)], left, self.value(parsed.right))
        missing = node("isNull", left)
        return missing if isinstance(parsed.comparator, self.ast.Eq) else node("not", missing)

    def collection(self, parsed: Any) -> Tree:  # noqa: ANN401
        owner = {"property": parsed.owner.name}
        if parsed.lambda_ is None:
            return node("any", owner, "", True)
        kind = "any" if isinstance(parsed.operator, self.ast.Any) else "all"
        variable, inner = parsed.lambda_.identifier.name, self.tree(parsed.lambda_.expression)
        return node(kind, owner, variable, inner)


def odata_query() -> Oracle:
    from odata_query import ast, grammar

    def parse(text: str) -> Any:  # noqa: ANN401
        return grammar.ODataParser().parse(grammar.ODataLexer().tokenize(text))

    return Oracle(parse, OdataTrees(ast).tree)


def cql2_text() -> Oracle:
    import cql2

    return Oracle(cql2.parse_text, cql2.Expr.to_json)


def cql2_json() -> Oracle:
    import cql2

    return Oracle(cql2.parse_json, cql2.Expr.to_json)


def scim2_filter_parser() -> Oracle:
    from scim2_filter_parser import ast, lexer, parser

    ops = {"eq": "=", "ne": "<>", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}
    ops |= {"co": "contains", "sw": "startswith", "ew": "endswith"}

    def tree_of(parsed: Any) -> Tree:  # noqa: ANN401
        if isinstance(parsed, ast.Filter):
            inner = tree_of(parsed.expr)
            return node("not", inner) if parsed.negated else inner
        if isinstance(parsed, ast.LogExpr):
            return node(parsed.op.lower(), tree_of(parsed.expr1), tree_of(parsed.expr2))
        name = parsed.attr_path.attr_name
        if parsed.value == "pr":
            return node("not", node("isNull", {"property": name}))
        value = parsed.comp_value.value
        if isinstance(value, str):
            value = typed(name, value.replace("\\\\", "\\"))
        return node(ops[parsed.value.lower()], {"property": name}, value)

    def parse(text: str) -> Any:  # noqa: ANN401
        return parser.SCIMParser().parse(lexer.SCIMLexer().tokenize(text))

    return Oracle(parse, tree_of)


def needed(*commands: str) -> None:
    for command in commands:
        if shutil.which(command) is None:
            raise MissingError(f"needs the command {command}")


class Program:
    """A program of tests/grammars/oracles/."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, text=True, encoding="utf-8", **pipes)

    def parse(self, text: str) -> Tree:
        assert self.process.stdin
        assert self.process.stdout
        print("answer parse", json.dumps(text), file=self.process.stdin, flush=True)
        verdict, _, reply = self.process.stdout.readline().partition(" ")
        assert verdict == "ok", reply
        answer = json.loads(reply)
        if "tree" not in answer:
            raise ValueError(f"refused at {answer['position']}")
        return answer["tree"]

    def close(self) -> None:
        self.process.communicate()


def built(name: str) -> Path:
    """Returns the folder of what a program is built of."""
    folder = PROGRAMS.parents[2] / "build/oracles"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


def aip_go_command() -> list[str | Path]:
    """Returns the command that reads filters by aip-go, after building it."""
    needed("go")
    target = built("aip160")
    subprocess.run(["go", "build", "-o", target, "."], cwd=PROGRAMS / "aip160", check=True)
    return [target]


def rsql_parser_command() -> list[str | Path]:
    """Returns the command that reads filters by rsql-parser, after fetching it."""
    needed("mvn", "java")
    listed = built("classpath")
    build = ["mvn", "-q", "-B", "dependency:build-classpath", f"-Dmdep.outputFile={listed}"]
    subprocess.run(build, cwd=PROGRAMS / "rsql", check=True)
    return ["java", "-cp", listed.read_text(), PROGRAMS / "rsql/Oracle.java"]


def aip_go() -> Oracle:
    ops = {"AND": "and", "FUZZY": "and", "OR": "or", "NOT": "not", "!=": "<>"}

    def text_of(parsed: Tree) -> str:
        return str(parsed["property"] if isinstance(parsed, dict) else parsed)

    def tree_of(parsed: Tree) -> Tree:
        if not isinstance(parsed, dict) or "property" in parsed:
            word = text_of(parsed)
            if parsed == {"property": "paid"}:
                return parsed
            part = re.sub(r"^\*|\*$", "", word) if parsed == word else word
            return node("contains", {"property": SEARCHED[0]}, part)
        op, args = str(ops.get(parsed["op"], parsed["op"])), parsed["args"]
        if op in ("and", "or", "not"):
            return node(op, *map(tree_of, args))
        name, right = args[0]["property"], text_of(args[1])
        if right == "*" and op in ("=", ":", "<>"):
            missing = node("isNull", args[0])
            return missing if op == "<>" else node("not", missing)
        if op == ":":
            is_text = name in ("name", "city")
            return node("contains" if is_text else "=", args[0], typed(name, right))
        if op == "<>":
            return node("not", starred("=", name, right))
        return starred(op, name, right) if op == "=" else node(op, args[0], typed(name, right))

    program = Program(aip_go_command())
    return Oracle(program.parse, tree_of, program.close)


def rsql_parser() -> Oracle:
    bounds = {"=gt=": ">", "=ge=": ">=", "=lt=": "<", "=le=": "<="}

    def tree_of(parsed: Tree) -> Tree:
        op, (first, *others) = parsed["op"], parsed["args"]
        if op in ("AND", "OR"):
            return node(op.lower(), *map(tree_of, parsed["args"]))
        name = first["property"]
        if op in ("=null=", "=notnull="):
            missing = node("isNull", first)
            return missing if op == "=null=" else node("not", missing)
        if op in bounds:
            return node(bounds[op], first, *(typed(name, text) for text in others))
        if op in ("=in=", "=out="):
            some = node("in", first, [typed(name, text) for text in others])
            return some if op == "=in=" else node("not", some)
        equal = starred("=", name, *others)
        return equal if op == "==" else node("not", equal)

    program = Program(rsql_parser_command())
    return Oracle(program.parse, tree_of, program.close)


ORACLES: dict[Grammar, tuple[str, type[Texts], Callable[[], Oracle]]] = {
    "aip160": ("aip-go", Aip160Texts, aip_go),
    "odata": ("odata-query", OdataTexts, odata_query),
    "rsql": ("rsql-parser", RsqlTexts, rsql_parser),
    "cql2": ("cql2", Cql2Texts, cql2_text),
    "cql2-json": ("cql2", Cql2JsonTexts, cql2_json),
    "scim": ("scim2-filter-parser", ScimTexts, scim2_filter_parser),
}


def load(grammar: Grammar) -> Oracle:
    """Returns the oracle of a grammar. Raises MissingError."""
    try:
        return ORACLES[grammar][2]()
    except ImportError as error:
        raise MissingError(str(error)) from error


# --- Verdicts ------------------------------------------------------------------------------------

# Rules of texts that are no expression. The others are of columns and values, which an oracle
# doesn't know.
SYNTAX = re.compile("query_(?!number)|expression_malformed")

# Texts that only one side reads, or of which the rows differ, each with the reason. A pattern is
# looked for in the text, a new line and what differs: `RULE at REST OF THE TEXT` or `refused by the
# other`.
EVERYWHERE = {
    r"^\s*\nrefused": "a blank text is every row",
    r"\n(operator_refused|expression_unsupported) at [^'\"]*(''|\"\")": (
        "no list is compared with the empty text"
    ),
    r"\nquery_operator at \s*($|\)|(and|or|AND|OR)\b)": "a column alone is boolean",
}
EXPLAINED: dict[Grammar, dict[str, str]] = {
    "aip160": {
        r"\nquery_\w+ at (AND|OR|NOT)?['\"]": "aip-go takes a quote within a word as a part of it",
        r"(\d([^\W\d]|\*)|[\w*.]-|(^|[\s(])\.|\.[\s)]|"
        r"[=:<>]\s*([:.-]|\w+:)|\w:[\s)])[^\n]*\nrefused": (
            "it ends words at digits, '-', '.' and ':'"
        ),
        r"\\\*[^\n]*\nrefused": "it knows no star in quotes that is a star",
        r"[:=]\s*(['\"])\*\1[^\n]*\nother rows": "it drops the quotes of a star",
    },
    "odata": {
        r"\nexpression_unsupported at tags/(all\(t:(?!t ne)|any\(t:t ne)": (
            "no test says that some item is another"
        ),
        r"\nexpression_unsupported at tags/\w+\(t:t in \([^)]*''[,)]": (
            "no list is compared with the empty text"
        ),
        r"\nquery_\w+ at ,|\('([^']|'')*'\)[^\n]*\nrefused": (
            "it takes lists everywhere, and ends those of one value with a comma"
        ),
        r"(^|\W)not\nquery_condition at $": "it takes words as names",
        r"\nquery_\w+ at -": "it reads arithmetic",
    },
    "rsql": {
        r"\\\*[^\n]*\nother": "rsql-parser drops the backslash of a star that is a star",
        r"\nquery_value at $": "it takes =in= without a list",
    },
    "cql2": {
        r"\n(query_\w+|expression_malformed) at ([\w.:]* ?\(|[<>=+*/%,-])|-'[^\n]*\nquery_": (
            "cql2 reads arithmetic, functions, lists, and values beside values"
        ),
        r"\nexpression_malformed at $": "it takes words as names",
        r"\n(query_\w+|expression_malformed) at (and|or|not|is|in|like|between)\w": (
            "it takes words that touch others"
        ),
        r"\nquery_\w+ at !=": "it has != for <>",
    },
    "cql2-json": {
        r'\nexpression_malformed at "op"': "cql2 takes any name as one of a function",
        r"\nquery_bracket at ,": "it takes any number of arguments",
    },
    "scim": {
        r"\\[^\n]*\n(refused|query_)": "scim2-filter-parser doesn't look at escapes",
        r"([0-9]{2}|-[0-9])[^\n]*\nrefused": "its numbers have one digit",
    },
}


class Comparison:
    """Reads random texts of a grammar by both sides, and counts the outcomes."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.oracle = load(grammar)
        self.rows = hostile_rows()
        self.counts = Counter[str]()
        self.reasons = Counter[str]()
        self.unexplained: list[str] = []

    def run(self, count: int, seed: int = 11) -> None:
        """Compares so many texts, and ends the other library."""
        texts = ORACLES[self.grammar][1](seed)
        for turn in range(count):
            text = texts.text()
            is_whole = turn % 2 == 0
            self.compare(text if is_whole else texts.mutilated(text), is_whole)
        self.oracle.close()

    def compare(self, text: str, is_whole: bool) -> None:
        """Compares what both sides make of a text; a whole one is refused by neither."""
        self.counts["texts"] += 1
        theirs, ours = self.parsed_by_other(text), self.tree_or_error(text)
        if isinstance(ours, sluice.ApiError):
            if theirs is None and not is_whole:
                self.counts["refused by both"] += 1
            elif SYNTAX.match(ours.rule) or is_whole:
                rest = text.encode()[ours.offset :].decode(errors="replace")
                self.differ(text, f"{ours.rule} at {rest}")
            else:
                self.counts["names, types"] += 1
        elif theirs is None:
            self.differ(text, "refused by the other")
        else:
            self.counts["accepted by both"] += 1
            query = sluice.ListQuery.from_tree(ours, COLUMNS)
            self.compare_rows(text, theirs, [query.matches(row) for row in self.rows])

    def parsed_by_other(self, text: str) -> Any:  # noqa: ANN401
        try:
            return self.oracle.parse(text)
        except Exception:  # each library has its own
            return None

    def tree_or_error(self, text: str) -> Tree | sluice.ApiError:
        try:
            return sluice.grammars.parse_expression(self.grammar, text, COLUMNS, None, SEARCHED)
        except sluice.ApiError as error:
            return error

    def compare_rows(self, text: str, parsed: Any, selected: list[bool]) -> None:  # noqa: ANN401
        try:
            tree = self.oracle.tree(parsed)
            expected = [holds(tree, row) for row in self.rows]
        except Exception as error:  # it reads something else
            self.differ(text, f"{error!r} of {parsed}")
            return
        self.counts["rows"] += len(expected)
        if selected != expected:
            self.differ(text, f"other rows than {tree}")

    def differ(self, text: str, how: str) -> None:
        for pattern, reason in {**EVERYWHERE, **EXPLAINED[self.grammar]}.items():
            if re.search(pattern, f"{text}\n{how}"):
                self.counts["explained"] += 1
                self.reasons[reason] += 1
                return
        self.unexplained.append(f"{text!r}: {how}")


HEADS = ("texts", "accepted by both", "refused by both", "names, types", "explained", "rows")


def lines_of(comparison: Comparison) -> Iterator[str]:
    """Yields a grammar's row of the table, its reasons and what is unexplained."""
    name = ORACLES[comparison.grammar][0]
    numbers = "".join(f"{comparison.counts[head]:{len(head) + 2},}" for head in HEADS)
    yield f"{comparison.grammar:10} {name:20}{numbers}{len(comparison.unexplained):13,}"
    for reason, count in comparison.reasons.most_common():
        yield f"    {count:6,}  {reason}"
    for difference in comparison.unexplained[:20]:
        yield f"    unexplained: {difference}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--texts", type=int, default=2_000, help="how many texts of each grammar")
    parser.add_argument("--seed", type=int, default=11, help="other texts")
    parser.add_argument("--grammars", nargs="+", choices=ORACLES, default=[*ORACLES])
    options = parser.parse_args()
    print(f"{'grammar':10} {'other library':20}" + "".join(f"  {head}" for head in HEADS), end="")
    print("  unexplained")
    is_same = True
    for grammar in options.grammars:
        try:
            comparison = Comparison(grammar)
        except MissingError as missing:
            print(f"{grammar:10} {ORACLES[grammar][0]:20} {missing}")
            continue
        comparison.run(options.texts, options.seed)
        print(*lines_of(comparison), sep="\n", flush=True)
        is_same = is_same and not comparison.unexplained
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
