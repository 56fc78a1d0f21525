#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mutation testing: small faults are put into the sources, and the tests nearest to them must fail.

    python3 tests/mutate.py                        300 mutants of seed 2
    python3 tests/mutate.py --only limiter -v      the share of the parts named `limiter`
    python3 tests/mutate.py --count 0              only whether the tables below are true

Each mutant is one edit of one line, drawn with a seed from all edits that a table makes of the
sources of a part; each part of the library has the same share of them, and draws for itself, so
that the parts can be run one by one. A part's tests are run against the mutant, the source's own
first: of headers compiled with it, where memory is at stake with the address and undefined
behaviour sanitizers; of the Python package with a copy of it; of the bindings with the module built
anew.
A mutant that does not compile is replaced by the next one drawn.

    compiled? --no--> a static assertion fails? --yes--> killed, else drawn again
        | yes
    a test fails, crashes or hangs? --yes--> killed
        | no
    listed in tests/mutants_alive.txt as the same program? --yes--> equivalent, else SURVIVED

Exit codes: 0 at most 3 % survived, 1 more did, 2 a name in the tables is wrong, or the tests fail
without any mutant.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "include" / "sluice"
BINDINGS = ROOT / "bindings"
PACKAGE = BINDINGS / "python" / "sluice"
TESTS = ROOT / "tests"
ALIVE = TESTS / "mutants_alive.txt"
MOST_SURVIVORS = 0.03
# Processor time, so that a busy machine kills nothing: tests take some seconds of it, and one that
# takes this much is a loop without end. One that waits for ever takes none.
CPU_SECONDS = 120
SECONDS = 600
BYTES = 4 << 30  # a loop without end that allocates must not fill the machine
# What most tests include and no mutant changes, compiled once.
PREFIX = """\
#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <simdjson.h>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>
"""

_STATEMENT = (
    r"^(\s+)(?!return|throw|using|static|const|break|continue)"
    r"[\w.>*\[\]-]+(\(.*\)| [+|&-]?= .*);$"
)
# What clang-format leaves between blanks is an operator; `<` of templates has none around it.
EDITS = [
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r" \+= ", " -= "),
    (r" -= ", " += "),
    (r" \* ", " + "),
    (r" / ", " * "),
    (r" % ", " / "),
    (r" & ", " | "),
    (r" \| ", " & "),
    (r"\+\+(?=\w)", "--"),
    (r"--(?=\w)", "++"),
    (r"std::min\b", "std::max"),
    (r"std::max\b", "std::min"),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"\bif \((?=[^)]*\) \w)", "if (!"),
    (r"(?<=[(\[ ])!(?=\w)", ""),
    (r"(?<=[ ([{])0(?=[;,) \]}])", "1"),
    (r"(?<=[ ([{])1(?=[;,) \]}])", "2"),
    (r"(?<=[ ([{])(\d{2,})(?=[;,) \]}])", r"\g<1> - 1"),
    (_STATEMENT, r"\1;"),
]


PYTHON_EDITS = [
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" and ", " or "),
    (r" or ", " and "),
    (r" is not None", " is None"),
    (r" is None", " is not None"),
    (r"(?<=[(\[ ])not (?!in\b)", ""),
    (r"(?<!for \w) in (?=[\w(\[{]+[:)\]]?$)", " not in "),
    (r"\bif (?=[^:]*:$)", "if not "),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r" // ", " * "),
    (r"\bmin\(", "max("),
    (r"\bmax\(", "min("),
    (r"\bTrue\b", "False"),
    (r"\bFalse\b", "True"),
    (r"(?<=[ (\[:])0(?=[,:)\] ]|$)", "1"),
    (r"(?<=[ (\[:])1(?=[,:)\] ]|$)", "2"),
    (r"(?<=[ (\[])(\d{2,})(?=[,:)\] ]|$)", r"\g<1> - 1"),
    (r"^(\s+)return (?!None$)\w.*$", r"\1return None"),
    (r"^(\s+)raise \w.*$", r"\1pass"),
    (r"^(\s+)[\w.\[\]]+\(.*\)$", r"\1pass"),
]


@dataclass(frozen=True)
class Part:
    """Sources of one part of the library, and the tests nearest to them."""

    name: str
    sources: Sequence[str]
    tests: Sequence[str]
    kind: str = "headers"  # or "python", or "bindings"
    sanitized: bool = False
    level: str = "-O0"  # of optimisation; the quickest but where tests compute much
    servers: bool = False  # the tests marked `servers` run too

    def source_files(self) -> list[Path]:
        """The files to mutate."""
        places = {
            "headers": (HEADERS, ".hpp"),
            "python": (PACKAGE, ".py"),
            "bindings": (BINDINGS, ".cpp"),
        }
        folder, suffix = places[self.kind]
        return [folder / f"{name}{suffix}" for name in self.sources]

    def test_files(self, nearest_to: Path | None = None) -> list[Path]:
        """The files of tests, a source's own before the others."""
        stem = nearest_to.stem.strip("_").removeprefix("register_") if nearest_to else ""
        if self.kind == "headers":
            files = [TESTS / f"{name}.cpp" for name in self.tests]
        else:
            files = [TESTS / "python" / f"test_{name}.py" for name in self.tests]
        return sorted(files, key=lambda file: file.stem.removeprefix("test_") != stem)


PARTS = [
    Part(
        "filter",
        ["filters/filter", "filters/values", "filters/matcher", "filters/collation"],
        ["filters/filter", "filters/collation", "allocations"],
    ),
    Part(
        "query string",
        ["base/query_string"],
        ["base/query_string"],
        sanitized=True,
    ),
    Part(
        "binding",
        [
            "params/bind",
            "params/row",
            "params/table",
            "params/values",
            "params/text",
            "params/value",
            "params/list",
            "params/named_values",
            "errors/choice",
            "query/page",
            "params/uuid",
        ],
        [
            "params/bind",
            "query/page",
            "params/values",
            "params/list",
            "params/named_values",
            "params/openapi",
        ],
    ),
    Part(
        "declared tables",
        [
            "params/runtime/declaration",
            "params/runtime/rows",
            "params/runtime/table",
            "base/name_index",
        ],
        ["params/runtime/table", "params/bind"],
    ),
    Part(
        "patterns",
        ["params/openapi"],
        [
            "params/openapi",
            "params/list",
            "params/named_values",
            "params/bind",
            "params/runtime/table",
        ],
    ),
    Part(
        "guideline errors",
        ["params/guideline_errors"],
        ["params/guideline_errors"],
    ),
    Part(
        "list query",
        [
            "query/where",
            "query/where_builder",
            "query/bounds",
            "query/cursor",
            "query/list_query",
            "query/json_writer",
        ],
        ["query/where", "query/where_builder", "query/cursor", "params/list"],
    ),
    Part(
        "metadata expression",
        [
            "metadata/query",
            "metadata/expression",
            "metadata/detail/parser",
            "metadata/detail/scanner",
            "metadata/detail/tree",
        ],
        ["metadata/query"],
    ),
    Part("AIP-160", ["grammars/aip160"], ["grammars/aip160"]),
    Part("OData", ["grammars/odata"], ["grammars/odata"]),
    Part("RSQL", ["grammars/rsql"], ["grammars/rsql"]),
    Part(
        "CQL2",
        ["grammars/cql2", "grammars/cql2_json", "grammars/detail/cql2_operation"],
        ["grammars/cql2", "grammars/cql2_json"],
    ),
    Part("SCIM", ["grammars/scim"], ["grammars/scim"]),
    Part("PostgREST", ["grammars/postgrest"], ["grammars/postgrest"]),
    Part("grammars' orders", ["grammars/order"], ["grammars/order"]),
    Part(
        "grammars",
        [
            "grammars/columns",
            "grammars/grammar",
            "grammars/detail/condition_maker",
            "grammars/detail/expression_reader",
            "grammars/detail/expression_text",
            "grammars/detail/expression_writer",
            "grammars/detail/joined_tests",
            "grammars/detail/list_items",
            "grammars/detail/name_writer",
            "grammars/detail/named_column",
            "grammars/detail/text_scanner",
            "grammars/detail/value_reader",
        ],
        [
            "grammars/columns",
            "grammars/grammar",
            "grammars/limits",
            "grammars/names",
            "grammars/odata",
            "grammars/rsql",
        ],
    ),
    Part("numbers", ["base/decimal"], ["base/decimal"]),
    Part(
        "texts",
        ["base/ascii", "base/unicode", "filters/matcher"],
        ["base/ascii", "base/unicode", "filters/matcher"],
        sanitized=True,
    ),
    Part("times", ["time/instant", "time/detail/time_digits"], ["time/instant"]),
    Part("time expressions", ["time/expression"], ["time/expression"]),
    Part(
        "windows",
        ["time/interval", "time/window", "time/zone"],
        ["time/interval", "time/window", "time/zone"],
    ),
    Part(
        "envelopes",
        ["errors/envelope", "errors/error"],
        ["errors/envelope", "errors/error", "allocations"],
    ),
    Part(
        "messages",
        ["errors/message", "errors/rules", "base/near_miss"],
        ["errors/message", "errors/rules", "errors/error", "base/near_miss", "custom_rule"],
    ),
    Part(
        "algorithms",
        [
            "rate_limit/algorithms",
            "rate_limit/decision",
            "rate_limit/policy",
            "rate_limit/sliding_log",
        ],
        [
            "rate_limit/oracle",
            "rate_limit/algorithms",
            "rate_limit/decision",
            "rate_limit/policy",
            "rate_limit/sliding_log",
        ],
    ),
    Part("rate headers", ["rate_limit/headers"], ["rate_limit/headers", "allocations"]),
    Part(
        "keyed limiter",
        [
            "rate_limit/keyed_limiter",
            "base/memory",
            "rate_limit/detail/limiter_table",
        ],
        [
            "rate_limit/keyed_limiter",
            "base/memory",
            "rate_limit/detail/limiter_table",
        ],
        sanitized=True,
    ),
    Part(
        "blocks",
        [
            "store/plan/block_scanner",
            "store/plan/block_condition",
            "store/blocks/block_directory",
            "store/plan/block_plan",
            "store/plan/where_filter",
            "store/blocks/sealed_column",
            "store/blocks/chunk_index",
            "store/blocks/open_block",
            "store/conditions/code_set",
            "store/conditions/expression",
        ],
        [
            "store/plan/block_scanner",
            "store/blocks/block_directory",
            "store/plan/where_filter",
            "store/blocks/sealed_column",
            "store/blocks/chunk_index",
            "store/conditions/code_set",
            "store/conditions/expression",
            "store/table",
            "store/table_archive",
        ],
        level="-O1",
    ),
    Part(
        "stored metadata",
        [
            "store/documents/conditions",
            "store/documents/document_matcher",
            "metadata/lookup",
            "metadata/matcher",
            "store/documents/columns",
            "store/documents/shredder",
            "metadata/detail/json_path_walk",
        ],
        [
            "store/documents/conditions",
            "store/documents/document_matcher",
            "metadata/matcher",
            "metadata/lookup",
        ],
        sanitized=True,
    ),
    Part(
        "planner",
        [
            "store/plan/block_plan",
            "store/numbers/number_ranges",
            "store/plan/scan",
            "store/conditions/scan_budget",
        ],
        [
            "store/plan/scan",
            "store/numbers/number_ranges",
            "store/conditions/scan_budget",
            "store/plan/block_scanner",
            "store/documents/conditions",
        ],
        level="-O1",
    ),
    Part(
        "projection",
        [
            "store/blocks/count_cube",
            "store/blocks/count_projection",
            "store/blocks/count_unit",
            "store/projection/count_cube_builder",
            "store/projection/count_unit_builder",
            "store/projection/projected_count",
            "store/projection/unit_counter",
        ],
        [
            "store/blocks/count_cube",
            "store/blocks/count_projection",
            "store/blocks/count_unit",
            "store/select",
        ],
        sanitized=True,
        level="-O1",
    ),
    Part(
        "selected rows",
        [
            "store/columns/stored_columns",
            "store/columns/column_values",
            "store/search/page_sorter",
            "store/search/part_sorter",
            "store/numbers/number_ranges",
            "store/search/row_order",
            "store/search/list_search",
            "store/select",
        ],
        [
            "store/select",
            "store/search/part_sorter",
            "store/search/row_order",
            "store/numbers/number_ranges",
        ],
        sanitized=True,
    ),
    Part(
        "query json",
        [
            "query/json_reader",
            "query/detail/condition_reader",
            "query/detail/json_members",
            "query/json_writer",
        ],
        ["query/json_reader", "query/where"],
        sanitized=True,
    ),
    Part(
        "dictionary",
        [
            "store/texts/dictionary",
            "store/texts/code_table",
            "store/texts/text_list",
            "base/text_hasher",
        ],
        [
            "store/texts/dictionary",
            "store/texts/code_table",
            "store/texts/text_list",
            "base/text_hasher",
        ],
        sanitized=True,
    ),
    Part(
        "archives",
        [
            "store/texts/archive",
            "store/blocks/sealed_block",
            "store/texts/stored_array",
            "store/texts/text_list",
        ],
        ["store/texts/archive", "store/table_archive", "store/texts/dictionary"],
        sanitized=True,
    ),
    Part(
        "handler",
        [
            "reference/handler",
            "reference/service/route",
            "reference/service/cors",
            "reference/service/error_page",
            "reference/service/entity_tag",
            "reference/service/lists",
            "reference/service/request",
            "reference/service/routes",
        ],
        [
            "reference/service/cors",
            "reference/service/error_page",
            "reference/service/entity_tag",
            "reference/service/lists",
            "reference/service/openapi",
            "reference/handler",
        ],
    ),
    Part(
        "documents",
        [
            "reference/service/openapi",
            "reference/service/detail/openapi_responses",
        ],
        ["reference/service/openapi"],
    ),
    Part(
        "access logs",
        [
            "reference/service/access_log",
            "reference/service/access_log",
            "reference/service/request_id",
        ],
        ["reference/service/access_log", "reference/service/request_id"],
    ),
    Part(
        "short lists",
        ["reference/lists/record_rows", "reference/lists/record_search"],
        ["reference/lists/record_search", "reference/lists/links"],
    ),
    Part(
        "keys",
        ["reference/service/key_ring", "reference/service/key_file"],
        ["reference/service/key_ring", "reference/service/key_file"],
    ),
    Part(
        "masks",
        [
            "arrow/filter_mask",
            "arrow/text_column",
            "arrow/code_column",
            "arrow/time_mask",
            "arrow/number_mask",
            "arrow/row_bits",
            "arrow/value_mask",
        ],
        [
            "arrow/filter_mask",
            "arrow/time_mask",
            "arrow/number_mask",
            "arrow/row_bits",
            "arrow/value_mask",
        ],
        sanitized=True,
    ),
    Part(
        "statements",
        [
            "sql/compile",
            "sql/ddl",
            "sql/mapping",
            "sql/place",
            "sql/prepare",
            "sql/statement",
            "sql/detail/metadata_writer",
            "sql/detail/fragments",
            "sql/detail/text_writer",
            "sql/detail/part_writer",
            "sql/detail/list_writer",
            "sql/detail/jsonb_filter",
            "sql/detail/record_filter",
        ],
        ["sql/compile", "sql/column_tests", "sql/prepare"],
    ),
    Part("cursors", ["query/cursor", "query/list_query"], ["query/cursor", "params/list"]),
    Part(
        "python pages",
        ["pages", "_list_requests"],
        ["pages", "models", "framework_modules", "frameworks"],
        "python",
    ),
    Part(
        "python declarations",
        [
            "_declared/conditions",
            "_declared/list_query",
            "_declared/lists",
            "_declared/models",
            "_declared/parameter",
            "_declared/rule",
            "_declared/single",
            "_declared/values",
        ],
        ["declared", "models", "values", "pages"],
        "python",
    ),
    Part(
        "aggregates",
        [
            "query/aggregate_query",
            "query/aggregate_reader",
            "query/aggregate_result",
            "query/aggregate_writer",
            "query/aggregation",
            "params/aggregate",
            "sql/aggregate",
        ],
        ["query/aggregation", "query/aggregate_reader", "params/aggregate", "sql/aggregate"],
    ),
    Part(
        "python groups",
        [
            "groups",
            "_declared/groups",
            "_applied/groups",
            "_expressions/grouped",
            "_expressions/polars_groups",
            "_expressions/pyarrow_groups",
        ],
        ["group_parameters", "group_models", "group_sameness", "lazy_groups"],
        "python",
    ),
    Part(
        "python expressions",
        [
            "_expressions/bounds",
            "_expressions/django",
            "_expressions/nesting",
            "_expressions/polars",
            "_expressions/pyarrow",
            "_expressions/sqlalchemy",
            "_expressions/visitor",
        ],
        ["frames", "models"],
        "python",
    ),
    Part(
        "python limits",
        ["limits", "_shared", "_redis_clients", "_envelopes"],
        ["rate_limit", "client_keys", "limited_apps", "redis", "envelopes"],
        "python",
        servers=True,
    ),
    Part(
        "python applications",
        ["asgi", "wsgi", "fastapi", "starlette", "litestar", "flask", "django", "rest_framework"],
        ["asgi", "framework_modules", "limited_apps", "mounts", "frameworks"],
        "python",
    ),
    Part(
        "binding of values",
        ["convert", "values", "row_values", "declared_values", "json_text", "python_row"],
        ["declared", "values", "parse_arguments", "matches", "masks", "filter"],
        "bindings",
    ),
    Part(
        "binding of lists",
        ["register_list_query", "register_pages", "list_queries", "query_sql", "register_sql"],
        ["declared", "pages", "sql"],
        "bindings",
    ),
]


@dataclass(frozen=True)
class Mutant:
    """One line of a source, changed."""

    source: Path
    line: int  # from 1
    before: str
    after: str

    def text(self) -> str:
        """The source with the changed line."""
        lines = self.source.read_text(encoding="utf-8").splitlines()
        lines[self.line - 1] = self.after
        return "\n".join(lines) + "\n"

    def __str__(self) -> str:
        """One line: the place, and what was changed into what."""
        place = self.source.relative_to(ROOT)
        return f"{place}:{self.line}: {self.before.strip()}  =>  {self.after.strip()}"


@dataclass(frozen=True)
class Equivalent:
    """A mutant that is known to be the same program."""

    source: str  # below HEADERS or ROOT
    before: str
    after: str

    def path(self) -> Path:
        """The file that it changes."""
        header = HEADERS / self.source
        return header if header.exists() else ROOT / self.source

    def stands(self) -> bool:
        """Returns true if its source still has the line that it changes."""
        lines = code_lines(self.path()) if self.path().exists() else {}
        return any(code.strip() == self.before for code in lines.values())

    def is_of(self, mutant: Mutant) -> bool:
        """Returns true if a mutant makes this change."""
        changed = (mutant.source, mutant.before.strip(), mutant.after.strip())
        return changed == (self.path(), self.before, self.after)


def equivalents() -> list[Equivalent]:
    """Reads tests/mutants_alive.txt: paragraphs of a source, `- line`, `+ line` and reason."""
    text = re.sub(r"^#.*\n", "", ALIVE.read_text(), flags=re.MULTILINE)
    known = []
    for paragraph in filter(None, text.strip().split("\n\n")):
        source, before, after, _reason = paragraph.split("\n", 3)
        known.append(Equivalent(source, before.removeprefix("- "), after.removeprefix("+ ")))
    return known


def _is_text(node: ast.AST) -> bool:
    """Returns true for texts of a Python source."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, bytes))
    return isinstance(node, ast.JoinedStr)


def _is_for_type_checkers(node: ast.AST) -> bool:
    """Returns true for protocols and overloads of a Python source, which nothing runs."""
    if isinstance(node, ast.ClassDef):
        return any(ast.unparse(base) == "Protocol" for base in node.bases)
    if isinstance(node, ast.FunctionDef):
        return any(ast.unparse(decorator) == "overload" for decorator in node.decorator_list)
    return False


def code_lines(source: Path) -> dict[int, str]:
    """The lines of a source without comments, by their number, but those of texts and of types."""
    text = source.read_text(encoding="utf-8")
    if source.suffix == ".py":
        texts = {
            line
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.expr | ast.stmt)
            and (_is_text(node) or _is_for_type_checkers(node))
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }
        comment = " #"
    else:
        texts, comment = set(), "//"
    lines = {at: line.split(comment)[0].rstrip() for at, line in enumerate(text.splitlines(), 1)}
    return {at: code for at, code in lines.items() if at not in texts and code}


def mutants_of(source: Path) -> Iterator[Mutant]:
    """All edits of a source's code, but those that Python can't parse."""
    edits = PYTHON_EDITS if source.suffix == ".py" else EDITS
    for number, code in code_lines(source).items():
        if not code.startswith(" ") or "static_assert" in code or '"' in code or "import " in code:
            continue
        for pattern, replacement in edits:
            for match in re.finditer(pattern, code):
                after = code[: match.start()] + match.expand(replacement) + code[match.end() :]
                mutant = Mutant(source, number, code, after)
                if source.suffix != ".py" or _is_program(mutant.text()):
                    yield mutant


def _is_program(text: str) -> bool:
    """Returns true if Python can parse a text."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def drawn(part: Part, seed: int) -> list[Mutant]:
    """The mutants of a part in a random order that no other part has a say in."""
    mutants = [mutant for path in part.source_files() for mutant in mutants_of(path)]
    random.Random(f"{seed} {part.name}").shuffle(mutants)
    return mutants


class Workshop(ABC):
    """A copy of a part's sources that mutants are put into, and tests run against."""

    def __init__(self, copies: Path, of: Path) -> None:
        """`copies` is the folder with the copies of what is below `of`."""
        self._copies, self._of = copies, of

    def outcome(self, tests: Sequence[Path], mutant: Mutant | None = None) -> str:
        """`killed`, `alive` or, if it does not compile, `void`."""
        if mutant is None:
            return self._tried(tests)
        copy = self._copies / mutant.source.relative_to(self._of)
        copy.write_text(mutant.text(), encoding="utf-8")
        try:
            return self._tried(tests)
        finally:
            # Not with the old time: what is built of it has to be built again.
            copy.write_text(mutant.source.read_text(encoding="utf-8"), encoding="utf-8")

    @abstractmethod
    def _tried(self, tests: Sequence[Path]) -> str:
        """Runs the tests until one fails."""


def _passes(command: Sequence[str], limits: Sequence[str], variables: dict[str, str]) -> bool:
    """Returns true if a program of tests ends well within its limits."""
    try:
        return not subprocess.run(
            ["prlimit", *limits, *command],
            capture_output=True,
            timeout=SECONDS,
            cwd=ROOT,
            env={**os.environ, **variables},
        ).returncode
    except subprocess.TimeoutExpired:
        return False


class HeaderWorkshop(Workshop):
    """Compiles the tests of a part against a copy of the headers, and runs them."""

    def __init__(self, folder: Path, compiler: str, part: Part) -> None:
        """Makes the copy of the headers, and compiles what all tests share."""
        super().__init__(folder / "include", ROOT / "include")
        checks = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        self._compile = [
            *(compiler, "-std=c++20", "-w", part.level, *(checks if part.sanitized else [])),
            "-D_GLIBCXX_ASSERTIONS",  # of places in arrays, vectors and spans
            *("-DUSE_OS_TZDB=1", "-DONLY_C_LOCALE=1", "-DHAS_STRING_VIEW=1"),  # as date's package
            f'-DSLUICE_TEST_DATA="{TESTS / "data"}"',
        ]
        # The sanitizer's shadow takes address space without end, so it limits itself.
        self._limits = [f"--cpu={CPU_SECONDS}", *([] if part.sanitized else [f"--as={BYTES}"])]
        self._prefix = folder / "prefix.hpp"
        self._main = folder / "main.o"
        self._program = folder / "program"
        shutil.copytree(ROOT / "include", self._copies)
        self._prefix.write_text(PREFIX)
        main = [*self._compile, "-c", str(TESTS / "main.cpp"), "-o", str(self._main)]
        prefix = ["-x", "c++-header", str(self._prefix), "-o", f"{self._prefix}.gch"]
        for command in (main, [*self._compile, *prefix]):
            subprocess.run(command, check=True)

    def _tried(self, tests: Sequence[Path]) -> str:
        """Runs one test file after the other until one fails."""
        for test in tests:
            errors = self._compiled(test)
            if errors:
                return "killed" if "static assertion" in errors else "void"
            if not self._passes():
                return "killed"
        return "alive"

    def _compiled(self, test: Path) -> str:
        """Returns the compiler's errors; empty if the test compiles."""
        options = [f"-I{self._copies}", "-include", str(self._prefix), str(test), str(self._main)]
        libraries = ["-ldate-tz", "-lsimdjson", "-lmbedcrypto", "-lpthread"]
        command = [*self._compile, *options, "-o", str(self._program), *libraries]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stderr or "no reason" if done.returncode != 0 else ""

    def _passes(self) -> bool:
        command = [str(self._program), "--minimal", "--abort-after=1"]
        variables = {
            "ASAN_OPTIONS": f"hard_rss_limit_mb={BYTES >> 20}",
            "SLUICE_SAMENESS_QUERIES": "200",
        }
        return _passes(command, self._limits, variables)


def _python() -> str:
    """The interpreter of the checkout's environment, else this one."""
    python = ROOT / ".venv" / "bin" / "python"
    return str(python) if python.exists() else sys.executable


class PythonWorkshop(Workshop):
    """Runs the tests of a part with a copy of the Python package and the installed module."""

    def __init__(self, folder: Path, _compiler: str, part: Part) -> None:
        """Makes the copy of the package."""
        super().__init__(folder / "python", BINDINGS / "python")
        self._package = self._copies
        self._variables = {"PYTHONPATH": str(self._package), "PYTHONDONTWRITEBYTECODE": "1"}
        if part.servers:
            self._variables["SLUICE_TEST_SERVERS"] = "1"
        shutil.copytree(BINDINGS / "python", self._package)
        if not list(self._package.glob("sluice/_sluice*.so")):
            shutil.copy(self._installed(), self._package / "sluice")

    @staticmethod
    def _installed() -> str:
        find = "import sluice._sluice; print(sluice._sluice.__file__)"
        result = subprocess.run([_python(), "-c", find], capture_output=True, text=True, check=True)
        return result.stdout.strip()

    def _tried(self, tests: Sequence[Path]) -> str:
        """Runs one test file after the other until one fails."""
        for test in tests:
            command = [_python(), "-m", "pytest", "-x", "-p", "no:cacheprovider", str(test)]
            if not _passes(command, [f"--cpu={CPU_SECONDS}"], self._variables):
                return "killed"
        return "alive"


class BindingWorkshop(PythonWorkshop):
    """Builds the module of a copy of the bindings, and runs the tests of a part with it."""

    def __init__(self, folder: Path, compiler: str, part: Part) -> None:
        """Makes the copy and builds it."""
        super().__init__(folder, compiler, part)
        self._copies, self._of = folder / "tree", ROOT
        for name in ("include", "bindings"):
            shutil.copytree(ROOT / name, self._copies / name)
        shutil.copy(ROOT / "CMakeLists.txt", self._copies)
        find = [_python(), "-m", "pybind11", "--cmakedir"]
        pybind11 = subprocess.run(find, capture_output=True, text=True, check=True).stdout.strip()
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "CMAKE_CXX_COMPILER": compiler,
            "CMAKE_CXX_COMPILER_LAUNCHER": "env",  # so that each file is compiled alone
            "CMAKE_CXX_FLAGS_RELEASE": "-O0 -DNDEBUG -w",
            "Python_EXECUTABLE": _python(),
            "SLUICE_BUILD_PYTHON": "ON",
            "SLUICE_INSTALL": "OFF",
            "pybind11_DIR": pybind11,
        }
        defined = [f"-D{name}={value}" for name, value in options.items()]
        self._build = folder / "build"
        folders = ["-S", str(self._copies), "-B", str(self._build)]
        configure = ["cmake", "-G", "Ninja", *folders, *defined]
        subprocess.run(configure, stdout=subprocess.DEVNULL, check=True)

    def _tried(self, tests: Sequence[Path]) -> str:
        build = ["cmake", "--build", str(self._build), "--target", "sluice_python"]
        if subprocess.run(build, capture_output=True).returncode != 0:
            return "void"
        for module in (self._build / "bindings").glob("_sluice*.so"):
            shutil.copy(module, self._package / "sluice")
        return super()._tried(tests)


WORKSHOPS: dict[str, Callable[[Path, str, Part], Workshop]] = {
    "headers": HeaderWorkshop,
    "python": PythonWorkshop,
    "bindings": BindingWorkshop,
}


@dataclass
class Tally:
    """The results of a part's mutants so far."""

    part: Part
    wanted: int
    killed: int = 0
    equivalent: int = 0
    survivors: list[Mutant] = field(default_factory=list)

    @property
    def counted(self) -> int:
        """Returns the number of mutants that were tried to an end."""
        return self.killed + self.equivalent + len(self.survivors)

    def add(self, mutant: Mutant, outcome: str, known: Sequence[Equivalent]) -> str:
        """Counts one, and says what it came to."""
        if outcome == "void" or self.counted == self.wanted:
            return "void"
        if outcome == "killed":
            self.killed += 1
            return "killed"
        if any(entry.is_of(mutant) for entry in known):
            self.equivalent += 1
            return "equivalent"
        self.survivors.append(mutant)
        return "SURVIVED"

    def __str__(self) -> str:
        """A line of the table at the end."""
        figures = (self.counted, self.killed, self.equivalent, len(self.survivors))
        return "".join(f"{figure:>12}" for figure in figures) + f"  {self.part.name}"


def run(tally: Tally, options: argparse.Namespace, known: Sequence[Equivalent]) -> Path | None:
    """Tries a part's mutants until enough have compiled. Gives a test that fails without any."""
    part = tally.part
    queue = drawn(part, options.seed)
    workshop = WORKSHOPS[part.kind]
    jobs = 1 if part.kind == "bindings" else options.jobs  # their build uses all processors
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        shops = [workshop(Path(folder) / str(i), options.compiler, part) for i in range(jobs)]
        for test in part.test_files():
            if shops[0].outcome([test]) != "alive":
                return test
        while queue and tally.counted < tally.wanted:
            batch = [queue.pop() for _ in shops[: len(queue)]]
            tests = [part.test_files(nearest_to=mutant.source) for mutant in batch]
            tried = pool.map(Workshop.outcome, shops, tests, batch)
            for mutant, outcome in zip(batch, tried, strict=False):
                came_to = tally.add(mutant, outcome, known)
                if options.verbose or came_to == "SURVIVED":
                    print(f"{tally.counted}/{tally.wanted} {came_to} {mutant}", flush=True)
    return None


def tallies(count: int, only: str) -> list[Tally]:
    """The share of each part of all mutants, for the parts that have a text in their name."""
    per_part, more = divmod(count, len(PARTS))
    shares = [Tally(part, per_part + (i < more)) for i, part in enumerate(PARTS)]
    return [tally for tally in shares if tally.wanted > 0 and only in tally.part.name]


def untrue_names(known: Sequence[Equivalent]) -> list[str]:
    """The sources, tests and lines that the tables name and that aren't there."""
    files = [path for part in PARTS for path in (*part.source_files(), *part.test_files())]
    return [str(path.relative_to(ROOT)) for path in files if not path.exists()] + [
        f"{ALIVE.name}: {entry.source}: {entry.before}" for entry in known if not entry.stands()
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    option = parser.add_argument
    option("--count", type=int, default=300, help="mutants of all parts together (%(default)s)")
    option("--seed", type=int, default=2, help="another seed draws others (%(default)s)")
    option("--only", default="", help="only parts whose name has this text")
    option("--jobs", type=int, default=2, help="mutants at once (%(default)s)")
    option("--compiler", default="clang++-19", help="what compiles them (%(default)s)")
    option("-v", "--verbose", action="store_true", help="a line for each mutant")
    return parser.parse_args()


def main() -> int:
    """Runs the mutants and reports the survivors."""
    options = _options()
    known = equivalents()
    wrong = untrue_names(known)
    if wrong:
        print("not there:", *wrong, sep="\n    ", file=sys.stderr)
        return 2
    done = tallies(options.count, options.only)
    for tally in done:
        failing = run(tally, options, known)
        if failing is not None:
            print(f"fails as it is: {failing.relative_to(ROOT)}", file=sys.stderr)
            return 2
        print(tally, flush=True)
    everything = Tally(
        Part("all", [], []),
        sum(tally.wanted for tally in done),
        sum(tally.killed for tally in done),
        sum(tally.equivalent for tally in done),
        [mutant for tally in done for mutant in tally.survivors],
    )
    print(f"{'mutants':>12}{'killed':>12}{'equivalent':>12}{'survived':>12}\n{everything}")
    return int(len(everything.survivors) > MOST_SURVIVORS * everything.counted)


if __name__ == "__main__":
    sys.exit(main())
