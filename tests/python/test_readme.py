# SPDX-License-Identifier: MIT
"""README.md and docs/ show what runs: examples, lines that the tests follow, facts of the code."""

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from textwrap import dedent, indent

import pytest

import sluice
from sluice import __main__ as command
from sluice._sluice import access_line

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
# Of the examples in a language.
SUFFIXES = {"cpp": "cpp", "python": "py", "typescript": "ts", "javascript": "js"}
TESTED_BELOW = {"docs/reference/errors.md": "json", "docs/performance.md": "sh"}
TESTED_BELOW |= {"docs/reference/server.md": "json", "docs/how-to/deploy.md": "json"}
TESTED_BELOW |= {"docs/reference/command.md": "text", "docs/how-to/explorer.md": "text"}
TESTED_BELOW |= {"docs/reference/grammars.md": "", "docs/reference/query-tree.md": ""}  # no code
TESTED_BELOW |= {"docs/architecture.md": "text"}  # drawings
TESTED_BELOW |= {"docs/how-to/cpp-store.md": "json"}
TESTED_BELOW |= {"docs/how-to/openapi.md": "sh"}  # in test_openapi_tools.py
TESTED_BELOW |= {"docs/index.md": "sh"}
PRINTS = {
    "concepts/cursors": "concepts/cursors",
    "concepts/query-plans": "concepts/plans",
    "concepts/time-windows": "concepts/windows",
    "tutorial": "tutorial",
}
TESTED_BELOW |= {f"docs/{page}.md": "text" for page in PRINTS}
README_COMMANDS = {"bash examples/demo.sh\n", "bash tests/run.sh\n"}


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)


def blocks(name: str) -> list[tuple[str, str]]:
    """The code blocks of a page, each with its language; those of tabs are indented."""
    return [(language, dedent(code)) for _, language, code in FENCE.findall(text_of(name))]


def shown(language: str, *names: str) -> list[str]:
    """The blocks in a language of some pages."""
    return [code for name in names for kind, code in blocks(name) if kind == language]


def examples(suffix: str) -> list[str]:
    """The texts of examples, without their license lines."""
    files = (ROOT / "examples").rglob(f"*.{suffix}")
    return [path.read_text(encoding="utf-8").split("\n", 1)[1] for path in files]


def is_part(block: str, program: str) -> bool:
    """Returns true if a block is whole lines of a program, at any indentation."""
    return any(f"\n{indent(block, ' ' * n)}" in f"\n{program}" for n in (0, 4, 8, 12))


@pytest.mark.parametrize("language", SUFFIXES)
def test_every_block_is_part_of_an_example(language: str) -> None:
    pages = [name for name in NAMES if name != "docs/tutorial.md"]
    assert shown(language, *pages)
    programs = examples(SUFFIXES[language])
    for block in shown(language, *pages):
        assert any(is_part(block, program) for program in programs), block


def test_every_parameter_function_has_an_example() -> None:
    kinds = ("text", "value", "list", "window", "page", "expression", "aggregate")
    headers = [ROOT / "include/sluice/params" / f"{kind}.hpp" for kind in kinds]
    code = "".join(header.read_text(encoding="utf-8") for header in headers)
    functions = set(re.findall(r"constexpr auto (\w+_params?)\(", code))
    assert len(functions) > 20
    page = text_of("docs/reference/cpp-parameters.md")
    described = re.findall(
        r"^### (\w+)\n\n.*?^```cpp\nsluice::(\w+)\W", page, re.DOTALL | re.MULTILINE
    )
    assert all(title == function for title, function in described)
    assert {title for title, _ in described} == functions


def test_the_steps_of_the_tutorial_are_its_program() -> None:
    steps = shown("python", "docs/tutorial.md")
    _, _, program = text_of("examples/tutorial.py").split('"""', 2)
    assert len(steps) == 1 + 7
    assert re.split(r"\n{2,}", "\n\n".join(steps).strip()) == re.split(r"\n{2,}", program.strip())


def is_checked(name: str, language: str, code: str) -> bool:
    """Returns true if a block has a test: an example, a line of an install test, or one below."""
    if language in SUFFIXES or name == "docs/install.md":  # tests/consumer, python.install
        return True
    if name == "README.md":
        return code in README_COMMANDS or (language, code) in blocks("docs/install.md")
    if (name, language) == ("docs/how-to/deploy.md", "sh"):
        return "NAME install.server" in text_of("tests/CMakeLists.txt")
    return TESTED_BELOW.get(name) == language


@pytest.mark.parametrize("name", NAMES)
def test_every_block_is_checked(name: str) -> None:
    assert [code for language, code in blocks(name) if not is_checked(name, language, code)] == []


def test_every_way_to_install_is_followed() -> None:
    tests = text_of("tests/CMakeLists.txt")
    for title in re.findall(r"^## (.+)$", text_of("docs/install.md"), re.MULTILINE):
        if title == "Dependencies":
            continue
        way = re.sub("[ -]", "_", title.lower())
        followed = (ROOT / "tests" / "consumer" / way / "steps.sh").is_file()
        assert followed or (way == "pip" and "install_package.sh" in tests)


def test_the_readme_is_short_and_its_commands_exist() -> None:
    assert len(text_of("README.md").splitlines()) <= 200
    for line in README_COMMANDS:
        assert line in shown("sh", "README.md")
        assert (ROOT / line.split()[1]).is_file()


def anchors(page: Path) -> set[str]:
    """Returns the names that a link to a page may have after the #."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", FENCE.sub("", text_of(name))):
        place, _, anchor = link.partition("#")
        target = (ROOT / name).parent / place if place else ROOT / name
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_start_page_links_every_page() -> None:
    for name in NAMES[1:]:
        if name != "docs/index.md":
            assert f"]({name.removeprefix('docs/')}" in text_of("docs/index.md")


def prose(name: str) -> list[str]:
    """The lines of a page that are neither code, tables nor pictures."""
    lines = FENCE.sub("", text_of(name)).splitlines()
    return [line for line in lines if not line.lstrip().startswith(("|", "!["))]


@pytest.mark.parametrize("name", NAMES)
def test_text_wraps_at_100(name: str) -> None:
    assert [line for line in prose(name) if len(line) > 100 and " " in line.strip()] == []


@pytest.mark.parametrize("name", NAMES)
def test_extras_are_installed_from_the_checkout(name: str) -> None:
    assert re.findall(r"pip install .?sluice\b.*", text_of(name)) == []


def test_the_files_of_the_architecture_exist() -> None:
    page = text_of("docs/architecture.md")
    named = set(re.findall(r"`((?:[\w.]+/)+(?:[\w.]+)?|\w+\.hpp)`", page))
    assert len(named) > 40
    rooms = (ROOT, ROOT / "include/sluice")
    assert [name for name in named if not any((room / name).exists() for room in rooms)] == []


def test_every_page_is_in_the_menu_of_the_site() -> None:
    menu = text_of(".mkdocs/mkdocs.yml").partition("\nnav:\n")[2]
    for name in NAMES[1:]:
        assert re.search(rf": {name.removeprefix('docs/')}$", menu, re.MULTILINE), name


def test_the_start_of_the_site_serves_by_the_demo() -> None:
    [line] = shown("sh", "docs/index.md")
    assert line.split() == ["bash", "examples/demo.sh", "--serve"]
    assert f"{line.removeprefix('bash ').strip()}  " in text_of("examples/demo.sh")


@pytest.mark.parametrize(("page", "example"), PRINTS.items())
def test_pages_show_what_their_programs_print(page: str, example: str) -> None:
    program = (sys.executable, ROOT / f"examples/{example}.py")
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    for block in shown("text", f"docs/{page}.md"):
        assert block in done.stdout
    for line in done.stdout.splitlines():
        assert line in text_of(f"docs/{page}.md")


def test_the_error_is_what_a_client_gets() -> None:
    [block] = shown("json", "docs/reference/errors.md")
    with pytest.raises(sluice.ApiError) as refused:
        sluice.EventsQuery.parse("country=US,-CA")
    assert json.loads(block) == json.loads(refused.value.to_json("https://example.com/docs"))


def test_the_codes_are_those_of_the_library() -> None:
    page = text_of("docs/reference/errors.md")
    stated = re.findall(r"^\| `(\w+)` \| (\d{3}) \|", page, re.MULTILINE)
    rules = text_of("include/sluice/errors/rule_list.hpp")
    assert stated == re.findall(r"\bCODE\((\w+), (\d{3}),", rules)


@pytest.mark.parametrize("plan", ["free", "pro", "business", "advanced"])
def test_the_limits_of_plans_are_those_of_the_library(plan: str) -> None:
    page = text_of("docs/reference/http-api.md")
    row = re.search(rf"^\| {plan} \| ([\d,]+) \| ([\d,]+|none \(403\)) \|$", page, re.MULTILINE)
    assert row
    per_minute, per_second = (
        None if cell.startswith("none") else int(cell.replace(",", "")) for cell in row.groups()
    )
    expected = {"per_minute": per_minute, "analytics_per_second": per_second}
    assert sluice.plan_limits(plan) == expected


def test_the_lines_of_completion_are_those_of_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, block = shown("text", "docs/reference/command.md")
    for line in block.splitlines():
        assert command.main(shlex.split(line.partition(">")[0])[1:]) == 0
        assert "sluice" in capsys.readouterr().out


def test_the_translations_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    block, _ = shown("text", "docs/reference/command.md")
    for entry in block.removeprefix("$ sluice ").split("$ sluice "):
        line, _, printed = entry.partition("\n")
        assert command.main(shlex.split(line)) == 0
        assert capsys.readouterr().out == f"{printed.rstrip()}\n"


def test_the_lines_of_the_explorer_are_those_of_the_command() -> None:
    [block] = shown("text", "docs/how-to/explorer.md")
    read = [command._make_parser().parse_args(shlex.split(line)[1:]) for line in block.splitlines()]
    assert [arguments.run for arguments in read] == [command._explore] * 3
    assert [bool(arguments.data or arguments.parquet or arguments.url) for arguments in read] == [
        True
    ] * 3


def test_the_keys_are_taken() -> None:
    [block] = shown("json", "docs/how-to/deploy.md")
    keys = json.loads(re.sub("<64 hex digits of the key's hash>", "0" * 64, block))
    sluice.Handler(sluice.EventStore(), keys)


def test_the_line_of_the_log_is_that_of_the_servers() -> None:
    [block] = shown("json", "docs/reference/server.md")
    [text] = re.findall(r"^`(\d{4}-.*)`$", text_of("docs/reference/server.md"), re.MULTILINE)
    entry = json.loads(block)
    time = datetime.fromisoformat(entry["time"])
    target = f"{entry['path']}?{entry['query'].replace('***', 'api_key=tok')}"
    request = (time, entry["client"], entry["method"], target, entry["route"])
    answer = (entry["status"], entry["bytes"], 0.00125, entry["request_id"])
    lines = [access_line(kind, *request, *answer) for kind in ("json", "text")]
    assert json.loads(lines[0], object_pairs_hook=list) == list(entry.items())
    assert lines[1] == f"{text}\n"


def test_the_metrics_are_those_of_the_servers() -> None:
    page = text_of("docs/reference/server.md")
    stated = dict(re.findall(r"^\| `(sluice_\w+)` \| (\w+) \|", page, re.MULTILINE))
    handler = sluice.Handler(sluice.EventStore(), [])
    measured = {name: "counter" if grows else "gauge" for name, _, grows, _ in handler.measure()}
    code = text_of("include/sluice/reference/service/metrics.hpp")
    counted, timed = re.findall(r"metric (?:requests|duration)_metric\{\s*\"(\w+)\"", code)
    assert stated == measured | {counted: "counter", timed: "histogram"}
    buckets = re.search(r"duration_buckets\{\s*([^,]+),[^}]* ([^,}]+)\}", code)
    assert buckets
    assert f"buckets from {buckets[1]} to {buckets[2]} " in page


RESULTS = {"bench/compare.py": "latest.json", "bench/engines.py": "engines.json"}


def test_the_commands_of_the_comparisons_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "".join(shown("sh", "docs/performance.md")).splitlines()
    commands = [shlex.split(line) for line in lines]
    assert {program for _, program, *_ in commands} == RESULTS.keys()
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    for python, program, *words in commands:
        assert python in ("python3", ".venv/bin/python")
        monkeypatch.setattr("sys.argv", [program, *words])
        arguments = runpy.run_path(str(ROOT / program))["arguments"]()
        assert arguments.json in (None, Path("bench/results", RESULTS[program]))


OPTIONS = re.findall(
    r"^\| `(--[a-z-]+)` \| .+ \| (\d+) \|$", text_of("docs/reference/server.md"), re.MULTILINE
)


@pytest.mark.skipif("SLUICE_SERVER" not in os.environ, reason="needs the built server")
def test_the_options_of_the_server_have_their_defaults() -> None:
    program = os.environ["SLUICE_SERVER"]
    said = subprocess.run([program, "--help"], capture_output=True, check=True, text=True).stdout
    assert len(OPTIONS) == 11
    for option, default in OPTIONS:
        assert re.search(rf"^  {option} [A-Z]+\b[^(]*\({default}\)$", said, re.MULTILINE), option


SECURITY = text_of("SECURITY.md")
DEFENCES = re.findall(r"^\| ([^|]+) \| [^|]+ \| (`tests/[^|]+`) \|$", SECURITY, re.MULTILINE)


def test_each_defence_has_its_tests() -> None:
    rows = SECURITY.partition("| attack |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(DEFENCES) == len(rows) > 10


@pytest.mark.parametrize(("attack", "tests"), DEFENCES)
def test_the_tests_of_a_defence_are_there(attack: str, tests: str) -> None:
    assert attack
    for path in tests.split():
        name = path.strip("`")
        case = r"^def test_" if name.endswith(".py") else r"\bTEST_CASE"
        assert re.search(case, text_of(name), re.MULTILINE), name


def test_what_is_fuzzed_is_stated() -> None:
    table = SECURITY.partition("| body |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\| (`[^|]+`) \|", table, re.MULTILINE)
    stated = [name.strip("`") for cell in cells for name in cell.split(", ")]
    bodies = re.findall(r'fuzz_body\{"(\w+)"', text_of("tests/fuzz/bodies.hpp"))
    assert sorted(stated) == sorted(bodies)
    for path in set(re.findall(r"`(tests/fuzz/[^`]*)`", SECURITY)):
        assert (ROOT / path).exists(), path


SERVER_HEADERS = ("limits.hpp", "request_rules.hpp")


@pytest.mark.parametrize(
    ("row", "constant"),
    [
        ("connections in all", "in_all"),
        ("connections of an address, or of a /64 network", "per_address"),
        ("TLS handshake", "handshake"),
        ("a request's head", "head"),
        ("idle between requests", "idle"),
        ("taking an answer", "write"),
        ("a request's target", "max_target"),
        ("header fields", "max_field_count"),
        ("header fields together", "max_fields"),
    ],
)
def test_the_limits_of_security_are_the_servers(row: str, constant: str) -> None:
    code = "".join(text_of(f"examples/server/{header}") for header in SERVER_HEADERS)
    match = re.search(rf"(milliseconds|size_t) {constant}(?: = |{{)([\d']+)", code)
    assert match
    limit = int(match[2].replace("'", "")) // (1000 if match[1] == "milliseconds" else 1)
    stated = re.search(rf"^\| {row} \| ([\d,]+)( s| bytes)? \|$", text_of("SECURITY.md"), re.M)
    assert stated
    assert int(stated[1].replace(",", "")) == limit


@pytest.mark.skipif("SLUICE_EXAMPLES" not in os.environ, reason="needs the built examples")
def test_the_page_of_the_store_shows_what_its_example_prints() -> None:
    program = Path(os.environ["SLUICE_EXAMPLES"]) / "referenced_rows"
    printed = subprocess.run([program, "domain=ACME.example"], capture_output=True, text=True)
    assert shown("json", "docs/how-to/cpp-store.md") == [printed.stdout]


@pytest.mark.skipif("SLUICE_EXAMPLES" not in os.environ, reason="needs the built examples")
def test_the_parameters_are_those_of_the_tables() -> None:
    program = Path(os.environ["SLUICE_EXAMPLES"]) / "parameters"
    tables = subprocess.run([program], capture_output=True, check=True, text=True).stdout
    assert tables in text_of("docs/reference/parameters.md")
