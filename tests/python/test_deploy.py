# SPDX-License-Identifier: MIT
"""The examples of a deployment: what they run is taken by the C++ server, and checkers agree."""

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import trustme
from api_keys import bearer, make_key
from serving import CPP, serving

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "examples" / "deploy"
UNIT = (DEPLOY / "sluice.service").read_text()
CONTAINER = (DEPLOY / "Containerfile").read_text()


def settings(name: str) -> list[str]:
    """The values of a setting of the unit."""
    return re.findall(rf"^{name}=(.*)$", UNIT.replace("\\\n", " "), re.MULTILINE)


def unit_command() -> list[str]:
    [command] = settings("ExecStart")
    return shlex.split(command)[1:]


def container_command() -> list[str]:
    match = re.search(r"^ENTRYPOINT (\[.*\])$", CONTAINER.replace("\\\n", " "), re.MULTILINE)
    assert match
    words: list[str] = json.loads(match[1])
    return words[1:]


@pytest.fixture
def places(sample_folder: Path, tmp_path: Path) -> dict[str, str]:
    """Paths of this machine for those in the commands."""
    certificate = trustme.CA().issue_cert("127.0.0.1", "localhost")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    (tmp_path / "keys.json").write_text(json.dumps([make_key("tok_1")]))
    files = {name: str(tmp_path / name) for name in ("keys.json", "cert.pem", "key.pem")}
    return {
        **{f"/etc/sluice/{name}": path for name, path in files.items()},
        **dict.fromkeys(("/var/lib/sluice/data", "/data"), str(sample_folder)),
        **{"0.0.0.0": "127.0.0.1", "9464": "0"},
    }


@pytest.mark.parametrize("command", [CPP])
@pytest.mark.parametrize("words", [unit_command(), container_command()], ids=["unit", "container"])
def test_the_server_takes_the_commands(
    command: Sequence[str], words: list[str], places: dict[str, str], tmp_path: Path
) -> None:
    arguments = [places.get(word, word) for word in words]
    port = arguments.index("--port")
    del arguments[port : port + 2]  # it is a free one here
    with serving(tmp_path / "output", *arguments, command=command) as server:
        server.trusted.load_verify_locations(places["/etc/sluice/cert.pem"])
        server.trusted.verify_flags |= 0x80000  # X509_V_FLAG_PARTIAL_CHAIN
        assert server.get("/tags", **bearer("tok_1"))[0] == 200
        server.process.send_signal(signal.SIGHUP)
        server.printed("keys: 1 accepted")
        assert server.stop(signal.SIGTERM) == 0


def test_a_reload_and_a_stop_are_the_signals_of_the_servers() -> None:
    assert settings("ExecReload") == ["/bin/kill -HUP $MAINPID"]
    assert settings("KillSignal") == ["SIGTERM"]
    assert re.findall(r"^STOPSIGNAL (\S+)$", CONTAINER, re.MULTILINE) == ["SIGTERM"]


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that is here, as systemd looks for it."""
    path = tmp_path / "sluice.service"
    path.write_text(UNIT.replace("/usr/local/bin/sluice-server", sys.executable))
    return path


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
@pytest.mark.parametrize(
    "check", [["verify", "--man=no"], ["security", "--offline=true", "--threshold=20"]]
)
def test_systemd_finds_nothing_wrong_with_the_unit(unit: Path, check: list[str]) -> None:
    words = ("systemd-analyze", *check, str(unit))
    checked = subprocess.run(words, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert check[0] == "security" or checked.stderr == ""


def test_hadolint_finds_nothing_wrong_with_the_container_file() -> None:
    program = Path(sys.prefix, "bin", "hadolint")
    checked = subprocess.run(
        [program, DEPLOY / "Containerfile"], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stdout) == (0, "")


@pytest.mark.skipif(not shutil.which("cmake"), reason="cmake is not installed")
def test_the_container_copies_what_the_build_needs(tmp_path: Path) -> None:
    for copied in re.findall(r"^COPY (\S+) \S+$", CONTAINER, re.MULTILINE):
        place = ROOT / copied
        (shutil.copytree if place.is_dir() else shutil.copy)(place, tmp_path / copied)
    steps = r"^RUN (cmake -B /build .*?) && (.*?) && cmake --install /build --component server "
    match = re.search(steps, CONTAINER.replace("\\\n", " "), re.MULTILINE)
    assert match
    commands = [shlex.split(step.replace("/build", "build")) for step in match.groups()]
    subprocess.run(commands[0], cwd=tmp_path, capture_output=True, check=True)
    planned = subprocess.run(
        [*commands[1], "--", "-n"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert planned.stdout.rstrip().endswith("examples/server")


def test_the_container_is_built_with_what_the_project_is_built_with() -> None:
    setup = (ROOT / ".ci" / "setup").read_text()
    build = CONTAINER.partition("apt-get install -y --no-install-recommends")[2].partition("&&")[0]
    for package in build.replace("\\\n", " ").split():
        assert re.search(rf"[(\s]{re.escape(package)}[\s)]", setup), package
