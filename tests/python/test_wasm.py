# SPDX-License-Identifier: MIT
"""The npm package of bindings/wasm: made, weighed, installed, and compared with Python.

With SLUICE_TEST_SERVERS=1, where tests/wasm is installed (npm ci).
"""

import gzip
import json
import os
import subprocess
import sys
import tarfile
import zoneinfo
from pathlib import Path

import pytest
from client_server import COMMANDS, TOKEN, serving
from differences import Run
from tested_table import TestedTable
from typescript_engine import typescript

import sluice

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "tests" / "wasm"
MOST_BYTES = 279_000  # of the tarball
MOST_ZIPPED = 234_000  # of sluice.wasm
SEED, COUNT = 11, 300

pytestmark = pytest.mark.servers


def run(*command: str | Path, cwd: Path = TOOLS, **variables: str | Path) -> str:
    """Returns the output of a command."""
    settings = {name: str(value) for name, value in variables.items()}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("npm")
    run(ROOT / ".ci" / "wasm", folder)
    [archive] = folder.glob("*.tgz")
    return archive


@pytest.fixture(scope="module")
def package(tarball: Path) -> Path:
    """The package, installed from its tarball into an empty folder."""
    folder = tarball.parent / "empty"
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
    run("npm", "install", "--offline", "--no-audit", "--no-fund", tarball, cwd=folder)
    return folder / "node_modules" / "@sluice" / "sluice"


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns Python's answers."""
    path = tmp_path_factory.mktemp("cases") / "cases.json"
    path.write_text(run(sys.executable, "expected.py", str(SEED), str(COUNT)), encoding="utf-8")
    return path


def test_the_package_holds_what_it_says_and_is_small(tarball: Path) -> None:
    with tarfile.open(tarball) as files:
        names = {file.name.removeprefix("package/") for file in files}
    assert {"package.json", "LICENSE", "README.md"} < names
    assert {"dist/index.js", "dist/index.d.ts", "dist/sluice.wasm"} < names
    assert tarball.stat().st_size <= MOST_BYTES


def test_the_module_is_small(package: Path) -> None:
    module = (package / "dist" / "sluice.wasm").read_bytes()
    assert len(gzip.compress(module, 9)) <= MOST_ZIPPED


def test_the_version_is_the_librarys(package: Path) -> None:
    manifest = json.loads((package / "package.json").read_text(encoding="utf-8"))
    assert f"VERSION {manifest['version']}\n" in (ROOT / "CMakeLists.txt").read_text(
        encoding="utf-8"
    )
    assert "dependencies" not in manifest


def test_it_works_in_node(package: Path) -> None:
    files = sorted(TOOLS.glob("*.test.mjs"))
    run("node", "--expose-gc", "--test", *files, SLUICE_PACKAGE=package)


def test_matches_answers_random_classes_as_a_loop(package: Path) -> None:
    with typescript(package) as engines:
        run_of_engines = Run(engines)
        difference = run_of_engines.first_difference(TestedTable.of(5), 2_000, seed=5)
        assert difference is None, str(difference)
        assert run_of_engines.refusing() == []


DENO = TOOLS / "node_modules" / "@deno" / "linux-x64-glibc" / "deno"


@pytest.mark.parametrize("host", ["node", "chromium"])
def test_it_answers_as_python_does(package: Path, cases: Path, host: str) -> None:
    assert json.loads(run("node", "compare.mjs", host, cases, SLUICE_PACKAGE=package)) == []


@pytest.mark.skipif(not DENO.exists(), reason="npm has Deno for other machines only")
def test_it_answers_as_python_does_in_deno(package: Path, cases: Path, tmp_path: Path) -> None:
    allowed = ("--no-config", "--no-remote", "--allow-read", "--allow-env")
    words = (DENO, "run", *allowed, "compare.mjs", "node", cases)
    printed = run(*words, SLUICE_PACKAGE=package, DENO_DIR=tmp_path, DENO_NO_UPDATE_CHECK="1")
    assert json.loads(printed) == []


def compile_types(package: Path, *names: str) -> None:
    """Returns the errors of tsc in files beside the installed package."""
    options = ["--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"]
    tsc = TOOLS / "node_modules" / ".bin" / "tsc"
    run(tsc, *options, "--exactOptionalPropertyTypes", *names, cwd=package.parents[2])


EXAMPLES = {
    "first_look.ts": ["true", "country filter_dash 3", "limit number_too_small 0"],
    "parameter_names.ts": [
        "10 [ 'new', 'used' ] [ { name: 'price', descending: true } ] 40",
    ],
    "declared_orders.ts": [
        "[ 'open', 'paid' ] 10 2026-10-01T00:00:00.000Z 100",
        "true 1 undefined",
        "false 0 30",
    ],
    "grouped_orders.ts": [
        '[{"country":"US","count":2,"sum_cents":26990},{"country":null,"count":1,"sum_cents":700},'
        '{"country":"DE","count":1,"sum_cents":10}]',
        '[{"created.day":"2026-10-23T22:00:00.000Z","count":1},'
        '{"created.day":"2026-10-24T22:00:00.000Z","count":2},'
        '{"created.day":"2026-10-25T23:00:00.000Z","count":0},'
        '{"created.day":"2026-10-26T23:00:00.000Z","count":1}]',
        '{"country":[{"value":"US","count":2},{"value":"DE","count":1}],'
        '"device":[{"value":"desktop","count":1},{"value":"phone","count":1}]}',
        '[{"device":"desktop","max_cents":25000},{"device":"phone","max_cents":1990}]',
    ],
    "own_rules.ts": [
        "9783161484100",
        "value_malformed isbn: not a value of this type, expected thirteen digits",
        "check_digit isbn: a wrong check digit (at byte 16), expected an ISBN-13",
        "reversed_range price[gte]: more than its upper bound, give a smaller one",
    ],
    "fetch_sales.ts": [],  # a function; what it calls is asked of servers below
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_compile_and_run(package: Path, name: str) -> None:
    folder = package.parents[2]
    (folder / name).write_bytes((ROOT / "examples" / name).read_bytes())
    compile_types(package, name)
    printed = run("node", Path(name).with_suffix(".js"), cwd=folder).splitlines()
    assert [line for line in EXAMPLES[name] if line not in printed] == []


def test_types_are_inferred(package: Path) -> None:
    (package.parents[2] / "types.ts").write_bytes((TOOLS / "types.ts").read_bytes())
    compile_types(package, "types.ts")


def test_types_of_trees_have_every_test(package: Path, cases: Path) -> None:
    """Compiles each tree of the cases, whose literals may have no other members than the type."""
    trees = [
        case["tree"]
        for case in json.loads(cases.read_text(encoding="utf-8"))
        if case["kind"] == "tree" and "errors" not in case["expected"]
    ]
    tested = {case for tree in trees for case in json.dumps(tree["where"]).split('"')}
    members = {member for members, _, _ in sluice._sluice._TESTS.values() for member in members}
    assert members < tested
    lines = [f"void ({json.dumps(tree)} satisfies Partial<QueryTree>);" for tree in trees]
    types = ", ".join(json.dumps(name) for name in sluice._sluice._COLUMN_TYPES)
    lines += [
        'import type { ColumnType, QueryTree } from "@sluice/sluice";',
        f"const types = [{types}] as const;",
        "void (types satisfies readonly ColumnType[]);",
        "export const every: (typeof types)[number] = null as unknown as ColumnType;",
    ]
    (package.parents[2] / "trees.ts").write_text("\n".join(lines), encoding="utf-8")
    compile_types(package, "trees.ts")


RECORDS = {
    "Click": ["click", "click_without_trigger"],
    "ClickEvent": ["click_event"],
    "Customer": ["customer"],
    "LeadEvent": ["lead_event"],
    "Link": ["link", "link_of_defaults"],
    "SaleEvent": ["sale_event", "sale_event_of_nulls"],
    "Tag": ["tag", "tag_without_color"],
}


def golden(name: str) -> dict[str, object]:
    """A record as the library writes it, whole."""
    path = ROOT / "tests" / "data" / "golden" / f"{name}.json"
    record: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    parts = {part: golden(part) for part in ("link", "customer", "click") if part in record}
    return record | parts


def test_types_of_records_are_those_of_the_library(package: Path) -> None:
    lines = [f'import type {{ {", ".join(RECORDS)}, EventsValues }} from "@sluice/sluice";']
    for kind, names in RECORDS.items():
        lines += [f"void ({json.dumps(golden(name))} satisfies {kind});" for name in names]
    values = dict.fromkeys(sluice.EventsQuery.parameters, True)
    lines.append(f"void ({json.dumps(values)} satisfies Record<keyof EventsValues, true>);")
    (package.parents[2] / "records.ts").write_text("\n".join(lines), encoding="utf-8")
    compile_types(package, "records.ts")


def test_zones_are_those_of_the_system(package: Path) -> None:
    known = {name for name in zoneinfo.available_timezones() if name[0].isupper()} - {"Factory"}
    program = f"""import {{ load, resolveTime }} from "{package}/dist/index.js";
    await load();
    const known = (timezone) => {{
      try {{ return resolveTime("today", {{ timezone }}) !== null; }} catch {{ return false; }}
    }};
    console.log(JSON.stringify({json.dumps(sorted(known))}.filter((name) => !known(name))));"""
    # A host whose data are older lacks those that came since.
    assert len(json.loads(run("node", "--input-type=module", "-e", program))) <= 5


FETCH = """import { fetchEvents } from "%s/dist/index.js";
const [, , service, token, event, limit] = process.argv;
const query = { event, limit: Number(limit), interval: "all" };
const ids = [];
const waited = [];
const wait = async (seconds) => {
  waited.push(seconds);
  await new Promise((done) => setTimeout(done, seconds * 1000));
};
for await (const row of fetchEvents(service, query, { token, wait })) {
  ids.push(row.eventId ?? row.click.id);
}
console.log(JSON.stringify({ ids, waited }));"""


@pytest.mark.parametrize("name", COMMANDS)
def test_events_are_fetched_from_servers(
    package: Path, name: str, sample_folder: Path, tmp_path: Path
) -> None:
    if not COMMANDS[name][0]:
        pytest.skip("SLUICE_SERVER names no server")
    program = tmp_path / "fetch.mjs"
    program.write_text(FETCH % package, encoding="utf-8")
    store = sluice.EventStore.load(sample_folder)
    with serving(COMMANDS[name], sample_folder, tmp_path) as served:

        def fetch(token: str, event: str, limit: int) -> tuple[list[str], list[int]]:
            words = (served.url, token, event, str(limit))
            printed = run("node", program, *words, NODE_EXTRA_CA_CERTS=served.certificate)
            answered = json.loads(printed)
            return answered["ids"], answered["waited"]

        for event in ("clicks", "leads", "sales"):
            ids, _ = fetch(TOKEN, event, 100)
            assert len(set(ids)) == len(ids)
            assert len(ids) == store.count(sluice.EventsQuery.parse(f"event={event}&interval=all"))
        # One request a second: each page but the first is waited for.
        ids, waited = fetch("tok_slow", "sales", len(ids) // 3 + 1)
        assert len(set(ids)) == len(ids)
        assert waited
        assert set(waited) <= {1, 2}
