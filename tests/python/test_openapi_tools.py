# SPDX-License-Identifier: MIT
"""Other programs check the documents: Redocly and Spectral their text, Schemathesis the servers'
answers, and openapi-typescript makes a client of them.

With SLUICE_TEST_SERVERS=1, where tests/linters is installed (npm ci). SLUICE_SERVER names the C++
server; without it only the Python one is asked.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from client_server import COMMANDS, TOKEN, Served, serving
from test_openapi import KEYS, VARIATIONS
from test_openapi_command import MODULE

from sluice import EventStore, Handler
from sluice._openapi import document_of, find_declared

ROOT = Path(__file__).parents[2]
LINTERS = ROOT / "tests" / "linters"

pytestmark = pytest.mark.servers


def run(*words: object, cwd: Path, **environment: str) -> str:
    """Returns the output of a program that ends well."""
    programs = f"{LINTERS}/node_modules/.bin:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=os.environ | {"PATH": programs, "NO_COLOR": "1"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory, store: EventStore) -> list[Path]:
    """The documents of the service in its variations, and of a declared list."""
    folder = tmp_path_factory.mktemp("documents")
    (folder / "shop_linted.py").write_text(MODULE)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        declared = document_of(find_declared("shop_linted:Orders"))
    served = {name: Handler(store, KEYS, **options) for name, options in VARIATIONS.items()}
    described = {name: service.openapi() for name, service in served.items()} | {
        "declared": declared
    }
    for name, document in described.items():
        (folder / f"{name}.json").write_text(json.dumps(document, indent=1))
    return [folder / f"{name}.json" for name in described]


def test_redocly_has_nothing_to_say(documents: list[Path]) -> None:
    config = ("--config", LINTERS / "redocly.yaml")
    said = run("redocly", "lint", *config, *documents, cwd=LINTERS, REDOCLY_TELEMETRY="off")
    assert "Your API descriptions are valid" in said
    assert "warning" not in said.lower()


def test_spectral_has_nothing_to_say(documents: list[Path]) -> None:
    severity = ("--fail-severity", "hint")
    ruleset = ("--ruleset", LINTERS / "spectral.yaml")
    assert "No results" in run("spectral", "lint", *ruleset, *severity, *documents, cwd=LINTERS)


def test_a_client_in_typescript_compiles(documents: list[Path], tmp_path: Path) -> None:
    for document in documents:
        types = tmp_path / f"{document.stem}.d.ts"
        run("openapi-typescript", document, "-o", types, cwd=LINTERS)
        run("tsc", "--noEmit", "--strict", types, cwd=LINTERS)
    assert "listEvents" in (tmp_path / "plain.d.ts").read_text()


def test_the_commands_of_the_page_work(tmp_path: Path) -> None:
    (tmp_path / "spectral.yaml").write_text('extends: ["spectral:oas"]')
    page = (ROOT / "docs/how-to/openapi.md").read_text()
    [block] = re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    run("bash", "-euc", block, cwd=tmp_path, REDOCLY_TELEMETRY="off")


@pytest.fixture(scope="module", params=COMMANDS)
def served(
    request: pytest.FixtureRequest, sample_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    command = COMMANDS[request.param]
    if not command[0]:
        pytest.skip("SLUICE_SERVER names no server")
    with serving(command, sample_folder, tmp_path_factory.mktemp("described")) as started:
        yield started


@pytest.mark.parametrize("token", [TOKEN, None], ids=["with a key", "without a key"])
def test_schemathesis_finds_nothing(
    request: pytest.FixtureRequest, served: Served, token: str | None, tmp_path: Path
) -> None:
    # Fuzzing makes heads beyond 80 KiB, which uvicorn refuses in plain text.
    is_cpp = request.node.callspec.params["served"] == "c++"
    phases = "examples,coverage,fuzzing" if is_cpp else "examples,coverage"
    said = run(
        *("schemathesis", "run", f"{served.url}/openapi.json", "--tls-verify", served.certificate),
        *("--checks", "all", "--seed", 1, "--max-examples", 20, "--no-shrink"),
        *("--phases", phases if token else "coverage"),
        *(("--header", f"Authorization: Bearer {token}") if token else ()),
        cwd=tmp_path,
        PYTHONPATH=f"{ROOT}/examples:{os.environ.get('PYTHONPATH', '')}",
        SCHEMATHESIS_HOOKS="schemathesis_hooks",
    )
    counts = re.search(r"^ *(\d+) generated, (\d+) passed", said, re.MULTILINE)
    assert counts is not None, said
    assert counts[1] == counts[2]
    assert int(counts[1]) > 400
