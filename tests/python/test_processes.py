# SPDX-License-Identifier: MIT
"""What only a process of its own can show: interpreters that begin, end and nest."""

import subprocess
import sys
from pathlib import Path

import pytest

START = """
import sys, threading, time
import sluice
store = sluice.EventStore.load(sys.argv[1])
query = sluice.EventsQuery.parse("interval=all&limit=1000")
handler = sluice.Handler(store, [])
rows = ["US", None] * 50_000
"""

BODIES = {
    "page": "store.page(query)",
    "count": "store.count(query)",
    "load": "sluice.EventStore.load(sys.argv[1], progress=lambda done, total: None)",
    "handle": "handler.handle('GET', '/events', {})",
    "mask": "query.mask({'timestamp': [0] * 100_000})",
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
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_process_ends_while_daemon_threads_work(body: str, sample_folder: Path) -> None:
    for _ in range(3):
        run(START + END.format(body=body), str(sample_folder))


@pytest.mark.parametrize("imported", ["", "import sluice"])
def test_subinterpreters_are_refused_and_leave_the_main_one_alone(imported: str) -> None:
    module = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    inner = INNER.format(path=sys.path)
    code = SUBINTERPRETER.format(module=module, imported=imported, inner=inner)
    assert run(code) == "US\n"
