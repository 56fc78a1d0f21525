# SPDX-License-Identifier: MIT
"""Shell completion for the command `sluice`."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import shtab


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Returns the completion script of a shell for a parser."""
    for action in _actions(parser):
        if action.type is Path:
            completed = shtab.FILE if action.metavar == "FILE" else shtab.DIRECTORY
            vars(action)["complete"] = completed
    return shtab.complete(parser, shell)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yields the arguments of a parser and of its subcommands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
