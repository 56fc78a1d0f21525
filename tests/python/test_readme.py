"""The README shows what the examples are, and what the parameter tables say."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def examples(pattern: str) -> list[str]:
    """The texts of examples, without their license lines."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob(pattern))
    return [text.split("\n", 1)[1] for text in texts]


@pytest.mark.parametrize(("language", "pattern"), [("cpp", "*.cpp"), ("python", "*.py")])
def test_every_block_is_an_example(language: str, pattern: str) -> None:
    assert blocks(language)
    for block in blocks(language):
        assert block in examples(pattern)


def test_the_two_commands_exist() -> None:
    for command in blocks("sh")[:2]:
        assert (ROOT / command.split()[1]).is_file()


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
    headers = ("limits.hpp", "request_rules.hpp")
    code = "".join((ROOT / "examples" / "server" / name).read_text("utf-8") for name in headers)
    found = re.search(rf"(milliseconds|size_t) {constant}(?: = |{{)([\d']+)", code)
    assert found
    limit = int(found[2].replace("'", "")) // (1000 if found[1] == "milliseconds" else 1)
    stated = re.search(rf"^\| {row} \| ([\d,]+)( s| bytes)? \|$", SECURITY, re.MULTILINE)
    assert stated
    assert int(stated[1].replace(",", "")) == limit


@pytest.mark.skipif("SLUICE_EXAMPLES" not in os.environ, reason="needs the built examples")
def test_the_parameters_are_those_of_the_tables() -> None:
    program = Path(os.environ["SLUICE_EXAMPLES"]) / "parameters"
    tables = subprocess.run([program], capture_output=True, check=True, text=True).stdout
    assert tables in README
