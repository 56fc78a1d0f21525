# SPDX-License-Identifier: MIT
"""A list request in TypeScript, beside zod, valibot and programs by hand, each in its own Node."""

import shutil
import subprocess
import sys
from collections.abc import Iterator

from .context import Context
from .environment import BUILD, PEERS, ROOT
from .measuring import Cell, LineProcess, Missing, Source

SOURCE = ROOT / "bench" / "peers" / "typescript.mjs"
PROGRAM = BUILD / "peers" / "typescript.mjs"  # beside the packages that it imports
COMPILER = ROOT / "tests" / "wasm" / "node_modules" / ".bin" / "tsc"
# By operation, the name of its row, the interface, and the peers that have it.
OPERATIONS = {
    "parse": ("9 parameters", "parse", ("zod", "valibot", "by hand")),
    "errors": ("errors of 3 parameters", "errors", ("zod", "valibot", "by hand")),
    "matches": ("a row", "matches", ("by hand",)),
    "filter": ("a filter", "Filter.matches", ("by hand",)),
    "decide": ("a rate limit", "decide", ("by hand",)),
    "sql": ("SQL of 6 conditions", "toSql", ("by hand",)),
    "window": ("a window", "resolveWindow", ("by hand",)),
}


def package() -> str:
    """Makes the npm package, and returns its folder."""
    folder = BUILD / "npm"
    archive = subprocess.check_output([ROOT / ".ci" / "wasm", folder], text=True).strip()
    subprocess.run(["tar", "-xzf", archive], cwd=folder, check=True)
    return str(folder / "package")


def cells(_: Context) -> Iterator[Cell]:
    """Yields the calls of a list request, if what makes the package is installed."""
    if not COMPILER.exists():
        print("typescript: run SLUICE_TEST_SERVERS=1 bash .ci/setup", file=sys.stderr)
        return
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(SOURCE, PROGRAM)
    _, built, _ = PEERS["node"]
    ours = LineProcess("node", PROGRAM, "sluice", package())
    peers: dict[str, Source] = {
        name: LineProcess("node", PROGRAM, name.removeprefix("by "))
        if built.exists() or name == "by hand"
        else Missing("not built")
        for name in ("zod", "valibot", "by hand")
    }
    for operation, (name, what, known) in OPERATIONS.items():
        chosen = {peer: peers[peer] for peer in known}
        yield Cell(f"typescript: {name}", what, operation, ours, chosen)
    for source in (ours, *peers.values()):
        if isinstance(source, LineProcess):
            source.close()
