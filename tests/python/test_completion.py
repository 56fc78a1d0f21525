# SPDX-License-Identifier: MIT
"""Completions in the shells themselves, by the scripts of `sluice completion`."""

import subprocess
from pathlib import Path

import pytest

from sluice import __main__ as command

# The words after `sluice`, the last of them begun, and what it may become.
BEGUN = [
    (["se"], ["serve"]),
    (["sample", "--ev"], ["--events"]),
    (["serve", "--keyf"], ["--keyfile"]),
    (["completion", "f"], ["fish"]),
    (["load", "--data", "fol"], ["folder"]),
    (["serve", "--token-file", "fi"], ["file"]),
    (["explore", "--par"], ["--parquet"]),
    (["explore", "--data", "fol"], ["folder"]),
    (["explore", "--parquet", "fi"], ["file"]),
]

ASK_BASH = """
source "$1"
COMP_WORDS=(sluice "${@:2}")
COMP_CWORD=$(($# - 1))
_shtab_sluice sluice "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
ASK_FISH = "source $argv[1]; complete --do-complete (string join -- ' ' sluice $argv[2..-1])"
# zsh completes on a terminal only: Tab and Enter are typed there, and the command prints its words.
ASK_ZSH = r"""
zmodload zsh/zpty
zpty asked zsh -f -i
zpty -w asked "PS1=; fpath=(${(q)1:h} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w asked 'sluice() { print -r -- "<$@[-1]>" }'
zpty -w asked "sluice ${@:2}"$'\t'
zpty -r asked said $'*\n<*>*'
print -r -- ${${said##*<}%%>*}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    return tmp_path


def ask(
    shell: str, words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    """Returns a shell's completions, in a folder, of the words after its script."""
    assert command.main(["completion", shell]) == 0
    script = folder / "_sluice"  # where zsh looks for it
    script.write_text(capsys.readouterr().out)
    shell_command = {
        "bash": ("bash", "--norc", "-c", ASK_BASH, "bash"),
        "fish": ("fish", "--no-config", "-c", ASK_FISH),
        "zsh": ("zsh", "-f", "-c", ASK_ZSH, "zsh"),
    }[shell]
    done = subprocess.run(
        (*shell_command, script, *words),
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        timeout=60,
    )
    assert done.stderr == ""
    return sorted(line.partition("\t")[0].rstrip("/") for line in done.stdout.splitlines())


# zsh shows several below the line, and puts none into it.
COMPLETIONS = [pytest.param("bash", *case) for case in BEGUN]
COMPLETIONS += [pytest.param("fish", *case, marks=pytest.mark.servers) for case in BEGUN]
COMPLETIONS += [
    pytest.param("zsh", *case, marks=pytest.mark.servers) for case in BEGUN if len(case[1]) == 1
]


@pytest.mark.parametrize(("shell", "words", "completed"), COMPLETIONS)
def test_a_begun_word_is_completed(
    shell: str,
    words: list[str],
    completed: list[str],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ask(shell, words, folder, capsys) == completed
