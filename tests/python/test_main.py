# SPDX-License-Identifier: MIT
"""The commands: sample data, and a server over HTTPS."""

import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from api_keys import bearer, make_key
from serving import Server, serving

from sluice import __main__ as command
from sluice import _certificate, _progress

LOG_LINE = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z 127\.0\.0\.1 %s \d+\.\d\dms [0-9a-f]{32}$"

WRONG_ARGUMENTS = [
    # words, what standard error says
    ([], "the following arguments are required"),
    (["fly"], "invalid choice: 'fly'"),
    (["sample"], "required: DIR"),
    (["sample", "d", "--events", "-1"], "expected a whole number from 0 to"),
    (["sample", "d", "--events", "1e3"], "expected a whole number from 0 to"),
    (["sample", "d", "--events", "²"], "expected a whole number from 0 to"),
    (["sample", "d", "--seed", str(2**64)], "expected a whole number from 0 to"),
    (["sample", "d", "--now", "2026-08-21"], "expected a time such as 2026-08-21T02:30:15Z"),
    (["sample", "d", "--now", "soon"], "expected a time such as 2026-08-21T02:30:15Z"),
    (["serve"], "one of the arguments --data --store is required"),
    (["serve", "--data", "d", "--port", "65536"], "expected a whole number from 0 to 65535"),
    (["serve", "--data", "d", "--token", "to ken"], "cannot be sent as a bearer token"),
    (["serve", "--data", "d", "--token", ""], "cannot be sent as a bearer token"),
    (["serve", "--data", "d", "--token", "a", "--token-file", "f"], "give one of them"),
    (["serve", "--data", "d", "--token-file", "/nowhere"], "/nowhere: No such file"),
    (["serve", "--data", "d", "--token-file", "/dev/null"], "/dev/null: cannot be sent as a"),
    (["serve", "--data", "d", "--metrics", "0"], "unrecognized arguments: --metrics"),
    (["serve", "--data", "d", "--certfile", "c"], "give both or neither"),
    (["serve", "--data", "d", "--keyfile", "k"], "give both or neither"),
    (
        ["serve", "--data", "d", "--behind-proxy", "--certfile", "c", "--keyfile", "k"],
        "--behind-proxy serves plain HTTP",
    ),
    (["serve", "--data", "d", "--behind-proxy", "--host", "0.0.0.0"], "to other machines"),
    (["serve", "--data", "d", "--behind-proxy", "--host", "example.com"], "to other machines"),
]


@pytest.fixture(autouse=True, scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of this module's own for the certificate."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def server(sample_folder: Path, state: Path) -> Iterator[Server]:
    words = ("--data", str(sample_folder), "--token", "tok_1")
    with serving(state / "output", *words) as started:
        yield started


@pytest.mark.parametrize(("words", "said"), WRONG_ARGUMENTS)
def test_wrong_arguments_are_named(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(words)
    assert caught.value.code == 2
    assert said in capsys.readouterr().err


VERBS = ["serve", "load", "sample", "openapi", "explore", "translate", "completion"]


@pytest.mark.parametrize("words", [["--help"], *([verb, "--help"] for verb in VERBS)])
def test_help_is_printed(words: list[str]) -> None:
    done = subprocess.run(
        (sys.executable, "-m", "sluice", *words), capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"usage: sluice {' '.join(words[:-1])}".rstrip())
    assert done.stdout.count(".") > 0


def test_help_names_each_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--help"])
    shown = capsys.readouterr().out
    assert re.findall(r"^    (\w+)\s", shown, re.MULTILINE) == VERBS
    assert "Exit codes: 0 done, 1 not done, 2 wrong arguments, 130 interrupted." in shown


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--version"], 0),
        (["openapi"], 0),
        (["sample", "/dev/null/folder"], 1),
        (["serve", "--data", "/nowhere"], 1),
        (["fly"], 2),
        (["completion", "csh"], 2),
    ],
)
def test_the_exit_code_says_what_became_of_it(words: list[str], code: int) -> None:
    done = subprocess.run(
        (sys.executable, "-m", "sluice", *words), capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert bool(done.stderr) is (code != 0)
    assert "Traceback" not in done.stderr


def test_an_interrupted_command_says_so_by_its_code(tmp_path: Path) -> None:
    words = (sys.executable, "-m", "sluice", "sample", tmp_path / "data", "--events", "10000000")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not list(tmp_path.glob("data/*")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 130


def test_a_reader_that_has_enough_is_no_failure_of_python() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    words = (sys.executable, "-m", "sluice", "openapi")
    with os.fdopen(writer, "wb") as output:
        done = subprocess.run(words, stdout=output, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


def test_help_says_who_sees_a_token(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["serve", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "--token TOKEN the key itself; visible in ps to all users, prefer --token-file" in shown


def test_a_sample_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--events", "1000", "--seed", "3", "--now", "2026-08-21T02:30:15Z"]
    assert command.main(["sample", str(tmp_path / "a"), *words]) == 0
    assert command.main(["sample", str(tmp_path / "b"), *words]) == 0
    a, b = ({p.name: p.read_bytes() for p in (tmp_path / n).iterdir()} for n in ("a", "b"))
    assert a == b
    clicks = a["clicks.ndjson"].count(b"\n")
    assert f"  {clicks} clicks\n" in capsys.readouterr().out


def test_a_sample_that_cannot_be_written_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert command.main(["sample", str(tmp_path / "file")]) == 1
    assert "cannot be written" in capsys.readouterr().err
    assert command.main(["sample", str(tmp_path), "--events", str(2**63 - 1)]) == 2
    assert "events: too large" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("is_terminal", "seconds_without", "shown"),
    [
        (True, 0, True),
        (True, 1_000, False),
        (False, 0, False),
    ],
)
def test_long_work_shows_a_bar_on_a_terminal(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    is_terminal: bool,
    seconds_without: int,
    shown: bool,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    monkeypatch.setattr(_progress, "_SECONDS_WITHOUT", seconds_without)
    assert command.main(["sample", str(tmp_path), "--events", "5000"]) == 0
    drawn = capsys.readouterr().err
    assert (" events" in drawn) is shown
    assert drawn.strip("\r").endswith(" ") is shown  # wiped


def test_events_are_served_over_https(server: Server, sample_folder: Path) -> None:
    status, body = server.get("/events?interval=all&limit=5", **bearer("tok_1"))
    assert status == 200
    assert len(json.loads(body)) == 5
    status, body = server.get("/tags", **bearer("tok_1"))
    tags = (sample_folder / "tags.ndjson").read_text(encoding="utf-8").splitlines()
    assert (status, len(json.loads(body))) == (200, len(tags))


def test_each_request_is_a_line(server: Server) -> None:
    server.get("/tags?page=2&token=secret&search=%C3%A9", **bearer("tok_1"))
    server.printed(LOG_LINE % re.escape("GET /tags?page=2&***&search=%C3%A9 200 2"))
    server.get("/nowhere")
    server.printed(LOG_LINE % r"GET /nowhere 404 \d+")
    assert "secret" not in server.output.read_text()


def test_plain_http_is_not_answered(server: Server) -> None:
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        server.get_plain("/tags")


def test_a_client_that_does_not_trust_the_certificate_is_safe(server: Server) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        server._replace(trusted=ssl.create_default_context()).get("/tags")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_server(
    sample_folder: Path, tmp_path: Path, number: signal.Signals
) -> None:
    words = ("--data", str(sample_folder), "--token", "tok_1")
    with serving(tmp_path / "output", *words) as server:
        assert server.get("/tags", **bearer("tok_1"))[0] == 200
        server.process.send_signal(number)
        assert server.process.wait(timeout=30) == 0
        assert server.output.read_text().endswith("\nstopped\n")


@pytest.mark.parametrize("source", ["file", "environment", "both"])
def test_a_token_need_not_be_a_word(sample_folder: Path, tmp_path: Path, source: str) -> None:
    file = tmp_path / "token"
    file.write_text("tok_file\r\nanother line\n")
    words = ["--data", str(sample_folder)] + ["--token-file", str(file)] * (source != "environment")
    environment = {} if source == "file" else {"SLUICE_TOKEN": "tok_environment"}
    with serving(tmp_path / "output", *words, **environment) as server:
        statuses = [server.get("/tags", **bearer(t))[0] for t in ("tok_file", "tok_environment")]
        assert statuses == ([401, 200] if source == "environment" else [200, 401])


def test_a_bad_token_of_the_environment_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SLUICE_TOKEN", "se cret")
    with pytest.raises(SystemExit):
        command.main(["serve", "--data", "d"])
    printed = capsys.readouterr().err
    assert "SLUICE_TOKEN: cannot be sent as a bearer token" in printed
    assert "cret" not in printed


def test_requests_come_through_a_proxy(sample_folder: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps([make_key("tok_2")]))
    words = ("--data", str(sample_folder), "--behind-proxy", "--keys", str(keys))
    with serving(tmp_path / "output", *words) as server:
        for scheme, status in [("https", 200), ("http", 403)]:
            headers = bearer("tok_2") | {"x-forwarded-proto": scheme}
            assert server.get_plain("/tags", **headers)[0] == status


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--data", "{}/nowhere"], r"serve: \S+/nowhere: no such folder"),
        (["--data", "{}"], r"serve: \S+/tags\.ndjson: cannot be read"),
        (["--data", "{}", "--keys", "{}/none.json"], r"serve: \S+none\.json: No such file"),
        (["--data", "{}", "--keys", "{}/bad.json"], r"serve: \S+bad\.json: Expecting"),
        (["--data", "{}", "--keys", "{}/dict.json"], r"serve: \S+dict\.json: expected a JSON list"),
        (["--data", "{}", "--host", "192.0.2.1"], r"serve: 192\.0\.2\.1 port 0: Cannot assign"),
        (["--data", "{}", "--host", "no.invalid"], r"serve: no\.invalid port 0: "),
        (
            ["--data", "{}", "--certfile", "{}/bad.json", "--keyfile", "{}/bad.json"],
            r"serve: \S+bad\.json, \S+bad\.json: ",
        ),
    ],
)
def test_a_server_that_cannot_start_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "dict.json").write_text("{}")
    arguments = [word.replace("{}", str(tmp_path)) for word in words]
    assert command.main(["serve", "--port", "0", *arguments]) == 1
    assert re.search(said, capsys.readouterr().err)


def test_bad_records_and_keys_are_named(
    sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps([make_key("tok", plan="platinum")]))
    words = ["serve", "--port", "0", "--data", str(sample_folder), "--keys", str(keys)]
    assert command.main(words) == 1
    assert re.search(r"keys\.json: key 0: plan: not one of", capsys.readouterr().err)


def test_a_server_needs_uvicorn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for name in ("sluice._serve", "sluice._running"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert command.main(["serve", "--data", "folder"]) == 1
    assert capsys.readouterr().err == "serve: needs uvicorn: pip install 'sluice[serve]'\n"


def test_a_certificate_is_made_once_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    files = _certificate.development_certificate()
    certificate, key = files
    assert key.stat().st_mode & 0o777 == 0o600
    assert {path.name for path in (tmp_path / "sluice").iterdir()} == {f.name for f in files}
    first = certificate.read_bytes()
    assert _certificate.development_certificate() == files
    assert certificate.read_bytes() == first


@pytest.mark.parametrize("spoil", ["permissions", "content", "another key", "time"])
def test_a_certificate_that_is_no_good_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    certificate, key = _certificate.development_certificate()
    first = certificate.read_bytes()
    if spoil == "permissions":
        key.chmod(0o640)
    elif spoil == "content":
        certificate.write_text("no certificate")
    elif spoil == "another key":
        kept = key.read_bytes()
        certificate.unlink()
        _certificate.development_certificate()
        key.write_bytes(kept)
    else:
        monkeypatch.setattr(_certificate, "_SPARE", timedelta(days=91))
    _certificate.development_certificate()
    assert certificate.read_bytes() != first
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)


def test_a_certificate_needs_trustme(
    sample_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "trustme", None)
    assert command.main(["serve", "--port", "0", "--data", str(sample_folder)]) == 1
    assert "needs trustme: pip install 'sluice[serve]'" in capsys.readouterr().err
