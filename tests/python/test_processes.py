# SPDX-License-Identifier: MIT
"""Interpreters that begin, end and nest, in a process alone."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

START = """
import sys, threading, time
import sluice
store = sluice.EventStore.load(sys.argv[1])
query = sluice.EventsQuery.parse("interval=all&limit=1000")
handler = sluice.Handler(store, [])
rows = ["US", None] * 50_000

class Endless:
    def __len__(self):
        while True:
            pass
"""

BODIES = {
    "page": "store.page(query)",
    "count": "store.count(query)",
    "load": "sluice.EventStore.load(sys.argv[1], progress=lambda done, total: None)",
    "handle": "handler.handle('GET', '/events', {})",
    "mask": "query.mask({'timestamp': [0] * 100_000})",
    "call": "query.mask({'timestamp': Endless()})",  # Python, called by C++ that holds objects
    "filter": "sluice.Filter.parse('US').mask(rows)",
    "parse": "sluice.EventsQuery.parse('interval=7d&timezone=Europe/Paris')",
}

END = """
def work():
    while True:
        {body}

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
"""

# The main thread waits for standard input after the interpreter's end: before and after the end of
# what the module and its libraries made, while the other threads go on.
HELD = """
import ctypes
library = ctypes.CDLL(None)
{early}library.__cxa_atexit(library.getchar, None, None)
import sluice
{late}library.__cxa_atexit(library.getchar, None, None)
"""

SUBINTERPRETER = """
import {module} as interpreters
{imported}
identity = interpreters.create()
interpreters.run_string(identity, {inner!r})
interpreters.destroy(identity)
import sluice
print(sluice.Filter.parse("US"))
"""

INNER = """
import sys
sys.path[:] = {path!r}
try:
    import sluice
except ImportError:
    pass
else:
    raise AssertionError("imported")
"""


def run(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_process_ends_while_daemon_threads_work(body: str, sample_folder: Path) -> None:
    for _ in range(3):
        run(START + END.format(body=body), str(sample_folder))


@pytest.mark.parametrize("held", ["before", "after"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_threads_may_outlive_the_interpreter(body: str, held: str, sample_folder: Path) -> None:
    early, late = ("", "# ") if held == "after" else ("# ", "")
    code = HELD.format(early=early, late=late) + START + END.format(body=body)
    command = [sys.executable, "-c", code, str(sample_folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(1)
        _, errors = process.communicate(b"\n", timeout=60)
    assert (process.returncode, errors) == (0, b"")


@pytest.mark.parametrize("imported", ["", "import sluice"])
def test_subinterpreters_are_refused_and_leave_the_main_one_alone(imported: str) -> None:
    module = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    inner = INNER.format(path=sys.path)
    code = SUBINTERPRETER.format(module=module, imported=imported, inner=inner)
    assert run(code) == "US\n"
