"""The README shows what the examples are, and what the parameter tables say."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


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


@pytest.mark.skipif("SLUICE_EXAMPLES" not in os.environ, reason="needs the built examples")
def test_the_parameters_are_those_of_the_tables() -> None:
    program = Path(os.environ["SLUICE_EXAMPLES"]) / "parameters"
    tables = subprocess.run([program], capture_output=True, check=True, text=True).stdout
    assert tables in README
