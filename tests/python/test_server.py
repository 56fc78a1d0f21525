# SPDX-License-Identifier: MIT
"""The C++ server: its answers, output and reasons not to start."""

import contextlib
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from cpp_server import (
    CITY,
    FAST,
    LONG_PAGE,
    SERVER,
    TOKEN,
    Server,
    Start,
    ask,
    click,
    folder_of,
    head,
    keys_json,
    needs_server,
    records,
    refusal,
    statuses,
)

pytestmark = needs_server

# --- Answers ---------------------------------------------------------------------------------


def test_an_answer_takes_one_send(server: Server, tmp_path: Path) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("no strace")
    calls, requests = tmp_path / "calls", 200
    page = "/events?interval=all&limit=2"
    with contextlib.closing(server.connect()) as connection:
        ask(connection, page, FAST)
        command = [strace, "-f", "-c", "-o", str(calls), "-p", str(server.process.pid)]
        with subprocess.Popen(command, stderr=subprocess.PIPE) as counting:
            assert counting.stderr is not None
            if b"attached" not in counting.stderr.readline():
                pytest.skip("strace can't attach to another process")
            for _ in range(requests):
                assert ask(connection, page, FAST).status == 200
            counting.send_signal(signal.SIGINT)
    rows = [line.split() for line in calls.read_text().splitlines()]
    counts = {row[-1]: int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit()}
    assert counts.get("sendto", 0) + counts.get("sendmsg", 0) == requests


def test_a_page_of_clicks(server: Server) -> None:
    answer = server.ask("/events?interval=all&browser=Firefox&limit=2")
    assert answer.status == 200
    assert [row["click"]["id"] for row in answer.json()] == ["click_0002", "click_0001"]
    assert answer.json()[0]["click"]["city"] == CITY
    assert answer["content-type"] == "application/json; charset=utf-8"
    assert answer["content-length"] == str(len(answer.body))
    assert answer["cache-control"] == "private"
    assert answer["vary"] == "authorization, accept-encoding"
    assert re.fullmatch(r'"[0-9a-f]{32}"', answer["etag"])
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", answer["date"])
    assert answer["x-ratelimit-limit"] == "1000000"
    assert not answer.has("connection")


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("/events?interval=all&event=leads", "größer"),
        ("/events?interval=all&event=sales", "Zoë"),
        ("/tags?search=%C3%BCN", "Ünïcode"),
    ],
)
def test_other_lists(server: Server, target: str, shown: str) -> None:
    answer = server.ask(target)
    assert answer.status == 200
    assert shown in answer.body.decode()
    assert len(answer.json()) == 1


def test_a_target_goes_to_the_handler_as_it_was_sent(server: Server) -> None:
    for url, count in (
        ("https://example.com/?a=1", 3),  # a second `?`
        ("https://example.com/%3Fa%3D1", 3),
        ("https://example.com/%253Fa=1", 0),  # decoded once
        ("https://example.com/?a=1#top", 0),
    ):
        answer = server.ask(f"/events?interval=all&limit=10&url={url}")
        assert (answer.status, len(answer.json())) == (200, count), url
    assert server.ask(f"/events?interval=all&city={quote('x' * 10_000)}").json() == []
    [raw] = server.send(head("/tags?search=ü", "Connection: close"))
    assert "Ünïcode" in raw.body.decode()


def test_head_is_get_without_the_body(server: Server) -> None:
    with contextlib.closing(server.connect()) as connection:
        for target in ("/tags", "/events?interval=all", "/events?limit=x", "/nothing"):
            whole = ask(connection, target)
            bare = ask(connection, target, method="HEAD")
            assert bare.body == b""
            assert bare.status == whole.status
            assert bare["content-length"] == str(len(whole.body)) != "0"
            vary = {"date", "link", "x-ratelimit-remaining", "x-ratelimit-reset", "x-request-id"}
            kept = [[h for h in a.headers if h[0] not in vary] for a in (whole, bare)]
            assert kept[0] == kept[1]


def test_a_page_that_the_client_has_is_not_sent_again(server: Server) -> None:
    with contextlib.closing(server.connect()) as connection:
        tag = ask(connection, "/tags")["etag"]
        answer = ask(connection, "/tags", headers={"If-None-Match": tag})
        assert (answer.status, answer.body, answer["etag"]) == (304, b"", tag)
        assert not answer.has("content-length")
        assert ask(connection, "/tags").status == 200


GZIP = {"Accept-Encoding": "br;q=0.9, gzip"}


@pytest.mark.parametrize("target", ["/events?interval=all&limit=20", LONG_PAGE, "/tags"])
def test_large_pages_are_compressed_for_those_who_take_gzip(server: Server, target: str) -> None:
    with contextlib.closing(server.connect()) as connection:
        plain = ask(connection, target)
        small = len(plain.body) < 1_024
        answer = ask(connection, target, headers=GZIP)
        assert answer.has("content-encoding") is not small
        for headers in (plain, answer):
            assert ("accept-encoding" in headers["vary"]) is not small
        if small:
            return
        assert gzip.decompress(answer.body) == plain.body
        assert answer["content-length"] == str(len(answer.body))
        assert len(answer.body) < len(plain.body) / 2
        assert answer["etag"] == f"W/{plain['etag']}"
        bare = ask(connection, target, method="HEAD", headers=GZIP)
        assert (bare["content-encoding"], bare["etag"]) == ("gzip", answer["etag"])
        for tag, how in ((answer["etag"], GZIP), (plain["etag"], {}), (answer["etag"], {})):
            kept = ask(connection, target, headers={"If-None-Match": tag, **how})
            assert (kept.status, kept.body) == (304, b"")
            assert kept["etag"] == (answer if how else plain)["etag"]
            assert "accept-encoding" in kept["vary"]


def test_answers_are_whole_whatever_ranges_the_client_takes(server: Server) -> None:
    page = server.ask("/tags").body
    for ranges in ("bytes=0-4", "bytes=0-0,2-3", "bytes=" + "0-0," * 1_900 + "0-0", "no range"):
        answer = server.ask("/tags", headers={"Range": ranges, "Accept-Encoding": "gzip, br"})
        assert (answer.status, answer.body) == (200, page)
        assert not answer.has("content-encoding")
        assert not answer.has("accept-ranges")


def test_an_error_says_what_and_where(server: Server) -> None:
    status, code, message = server.ask("/events?country=US,-CA").error()
    assert (status, code) == (400, "bad_request")
    assert message.startswith("country: '-' before a single item (at byte 3), ")
    assert server.ask("/events?limit=1001").error()[:2] == (422, "unprocessable_entity")


@pytest.mark.parametrize("target", ["/", "/Events", "/events/", "/events%20", "//events", "/t?x"])
def test_another_path_is_not_found(server: Server, target: str) -> None:
    assert server.ask(target).error()[:2] == (404, "not_found")


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get", "CONNECT"]
)
def test_another_method_is_not_found(server: Server, method: str) -> None:
    assert server.ask("/tags", method=method).error()[:2] == (404, "not_found")
    assert server.ask("*", method=method).error()[:2] == (404, "not_found")


ENCODED = f"%{ord(FAST[0]):02x}{FAST[1:]}"  # a key only to who decodes header fields


@pytest.mark.parametrize("token", [None, "", "nobody", "tok_expired", f"{FAST} {FAST}", ENCODED])
def test_who_has_no_key_is_not_let_in(server: Server, token: str | None) -> None:
    answer = server.ask("/tags", token)
    assert answer.error()[:2] == (401, "unauthorized")
    assert answer["www-authenticate"] == "Bearer"


def test_two_authorizations_are_none(server: Server) -> None:
    twice = f"Authorization: Bearer {FAST}"
    assert statuses(server.send(head("/tags", twice, "Connection: close"))) == [401]


def test_a_key_has_a_plan_permissions_and_a_workspace(server: Server) -> None:
    assert server.ask("/events", "tok_free").error()[:2] == (403, "forbidden")
    assert server.ask("/tags", "tok_free").status == 200
    assert server.ask("/events", "tok_tags").error()[:2] == (403, "forbidden")
    assert server.ask("/tags", "tok_tags").status == 200
    assert server.ask("/tags", "tok_elsewhere").json() == []
    assert server.ask("/events?interval=all", "tok_elsewhere").json() == []


def test_more_requests_than_the_plan_admits(server: Server) -> None:
    assert server.ask("/tags", TOKEN)["x-ratelimit-limit"] == "1200"
    with contextlib.closing(server.connect()) as connection:
        answers = (ask(connection, "/events", TOKEN) for _ in range(50))
        refused = next(answer for answer in answers if answer.status != 200)
        assert refused.error()[:2] == (429, "rate_limit_exceeded")
        assert refused["x-ratelimit-limit"] == "4"
        assert refused["x-ratelimit-remaining"] == "0"
        assert int(refused["x-ratelimit-reset"]) >= int(time.time())
        assert int(refused["retry-after"]) >= 1
        time.sleep(int(refused["retry-after"]))
        assert ask(connection, "/events", TOKEN).status == 200


# --- The log ---------------------------------------------------------------------------------


def test_each_request_is_a_line_of_the_log(server: Server) -> None:
    mark = f"mark={time.monotonic_ns()}"
    server.ask(f"/tags?search={mark}&page=2")
    server.ask(f"/tags?search={mark}", method="HEAD")
    server.ask(f"/tags?api_key=sec{mark}&sec{mark}&ids={mark}&&page", "tok_wrong-secret")
    hostile = head(f"/ta\\gsé?search={mark}\x1b[31m", "Connection: close")
    server.send(hostile.replace(b"\x1b", b"\xff"))
    server.send(head(f"/tags?ids={mark}" + "y" * 2_000, "Connection: close"))
    server.wait_for(rf"ids={mark}y+\.\.\. ")
    lines = [line for line in server.output().splitlines() if mark in line]
    when = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z 127\.0\.0\.1"
    expected = [
        rf"GET /tags\?search={mark}&page=2 200 2",
        rf"HEAD /tags\?search={mark} 200 0",
        rf"GET /tags\?\*\*\*&\*\*\*&ids={mark}&\*\*\*&page 401 \d+",
        rf"GET /ta\\x5cgs\\xc3\\xa9\?search={mark}\\xff\[31m 404 \d+",
        rf"GET /tags\?ids={mark}y+\.\.\. 200 2",
    ]
    assert len(lines) == len(expected), lines
    for line, pattern in zip(lines, expected, strict=True):
        assert re.fullmatch(rf"{when} {pattern} \d+\.\d\dms [0-9a-f]{{32}}", line), line
        assert len(line) < 1_200


def test_no_credentials_are_printed(server: Server) -> None:
    for token in (TOKEN, FAST, "tok_unknown"):
        server.ask("/tags", token)
        server.ask(f"/tags?token={token}")
        server.ask(f"/tags?{token}")
    server.ask("/tags?search=last")
    server.wait_for("search=last ")
    assert "tok_" not in server.output()


# --- Behind a proxy --------------------------------------------------------------------------


def has_ipv6() -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as six:
        six.bind(("::1", 0))
        return True
    return False


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1.2.3", "::1"])
def test_behind_a_proxy_the_client_has_to_come_over_https(start: Start, host: str) -> None:
    if host == "::1" and not has_ipv6():
        pytest.skip("no IPv6 here")
    server = start("--behind-proxy", "--host", host)
    assert server.url.startswith("http://")
    assert not server.state.exists()
    address = server.url.removeprefix("http://").rpartition(":")[0].strip("[]")
    for scheme, status in (("https", 200), ("HTTPS", 200), ("http", 403), ("", 403), (None, 403)):
        headers = {} if scheme is None else {"X-Forwarded-Proto": scheme}
        connection = http.client.HTTPConnection(address, server.port, timeout=20)
        with contextlib.closing(connection):
            assert ask(connection, "/tags", headers=headers).status == status, scheme
    assert server.stop() == 0


def test_over_https_nobody_is_asked_for_the_scheme(server: Server) -> None:
    assert server.ask("/tags", headers={"X-Forwarded-Proto": "http"}).status == 200


# --- The start -------------------------------------------------------------------------------


def test_help() -> None:
    ended = subprocess.run([SERVER, "--help"], capture_output=True, text=True, check=True)
    options = (
        *("data", "host", "port", "certfile", "keyfile", "behind-proxy", "keys"),
        *("token", "token-file", "deadline", "threads", "cors", "log", "metrics"),
        *("max-connections", "max-connections-per-address"),
        *("handshake-timeout", "head-timeout", "idle-timeout", "write-timeout"),
        *("answer-rate", "answer-bytes", "answer-bytes-per-key", "metrics-host", "version"),
    )
    assert all(f"\n  --{option} " in ended.stdout for option in options)
    assert all(len(line) < 100 for line in ended.stdout.splitlines())
    assert "SLUICE_TOKEN" in ended.stdout
    assert "Exit codes: 0 stopped, 1 not started, 2 wrong arguments." in ended.stdout


A_PORT = "--port: expected a number from 0 to 65535"
A_BEARER_TOKEN = "--token: cannot be sent as a bearer token, expected one or more letters, "
ELSEWHERE = "--behind-proxy: plain HTTP to other machines, expected a --host such as 127.0.0.1, "
A_DAY = "--idle-timeout: expected a number from 0.001 to 86400"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("", "--data is missing, expected a folder"),
        ("--data", "--data: 1 required FOLDER missing"),
        ("--data=", "--data: 1 required FOLDER missing"),
        ("--data . --data .", "--data: At Most 1 required but received 2"),
        ("--data . --token", "--token: 1 required TOKEN missing"),
        ("--dta .", "unknown option --dta"),
        ("--data . --tokn=sec", "unknown option --tokn"),
        ("--data . --behind-proxy=yes", "--behind-proxy: expected networks such as 10.0.0.0/8"),
        ("--data . sec", "a word that belongs to no option"),
        ("--data . -p", "unknown option -p"),
        ("--data . --port 65536", A_PORT),
        ("--data . --port -1", A_PORT),
        ("--data . --port 1x", A_PORT),
        ("--data . --port=", "--port: 1 required PORT missing"),
        ("--data . --token sec:ret", A_BEARER_TOKEN),
        ("--data . --token=", "--token: 1 required TOKEN missing"),
        ("--data . --token-file f --token sec", "--token-file excludes --token"),
        ("--data . --token-file /none", "--token-file: /none: No such file or directory"),
        ("--data . --token-file /dev/null", "--token-file: /dev/null: empty"),
        ("--data . --certfile c", "--certfile requires --keyfile"),
        ("--data . --keyfile k", "--keyfile requires --certfile"),
        ("--data . --behind-proxy --host 0.0.0.0", ELSEWHERE),
        ("--data . --behind-proxy --host ::", ELSEWHERE),
        ("--data . --behind-proxy --host 10.0.0.1", ELSEWHERE),
        ("--data . --behind-proxy --host 127.0.0.1.x", ELSEWHERE),
        ("--data . --behind-proxy --certfile c --keyfile k", "--certfile excludes --behind-proxy"),
        ("--data . --threads 0", "--threads: expected a number from 1 to 1000000"),
        ("--data . --threads 1.5", "--threads: expected a number from 1 to 1000000"),
        ("--data . --max-connections 0", "--max-connections: expected a number from 1 to 1000000"),
        ("--data . --deadline -1", "--deadline: expected a number from 0 to 86400000"),
        ("--data . --idle-timeout nan", A_DAY),
        ("--data . --idle-timeout 0", A_DAY),
        ("--data . --log xml", "--log: xml not in {text,json}"),
        ("--data . --metrics 65536", "--metrics: expected a number from 0 to 65535"),
    ],
)
def test_wrong_arguments(options: str, problem: str) -> None:
    code, printed = refusal(*options.split())
    assert code == 2
    assert printed.startswith(f"server: {problem}")
    assert printed.endswith("\nTry 'server --help'.\n")
    assert "sec" not in printed


def test_a_token_comes_from_a_file_the_environment_or_a_word(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("tok_file\r\nanother line\n")
    servers = {
        "tok_word": start("--token", "tok_word", SLUICE_TOKEN="tok_environment"),
        "tok_file": start("--token-file", str(file), SLUICE_TOKEN="tok_environment"),
        "tok_environment": start(SLUICE_TOKEN="tok_environment"),
    }
    for accepted, server in servers.items():
        for token in ("tok_word", "tok_file", "tok_environment"):
            assert server.ask("/tags", token).status == (200 if token == accepted else 401)
        shown = Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
        assert b"tok_" not in shown


@pytest.mark.parametrize(
    ("environment", "file", "problem"),
    [
        ("sec ret", None, "SLUICE_TOKEN: cannot be sent as a bearer token, expected "),
        ("", None, "SLUICE_TOKEN: cannot be sent as a bearer token, expected "),
        ("tok", "sec ret\n", "cannot be sent as a bearer token, expected "),
        ("tok", "\n", "cannot be sent as a bearer token, expected "),
    ],
)
def test_a_token_has_to_be_one(
    tmp_path: Path, environment: str, file: str | None, problem: str
) -> None:
    path = tmp_path / "token"
    path.write_text(file or "")
    options = [] if file is None else ["--token-file", str(path)]
    code, printed = refusal("--data", ".", *options, SLUICE_TOKEN=environment)
    assert code == 2
    assert problem in printed
    assert "sec" not in printed


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    bad = records()
    bad["clicks"] = [click(1), click(2, linkId="link_9")]
    folder = folder_of(bad, tmp_path / "data")
    behind = ("--behind-proxy", "--token", "t", "--port", "0")
    code, printed = refusal("--data", str(folder), *behind)
    assert code == 1
    assert printed == (
        f"server: {folder}/clicks.ndjson:2: linkId: names no record, load that record first\n"
    )
    with (folder / "tags.ndjson").open("a") as tags:
        tags.write("\n{]\n")
    code, printed = refusal("--data", str(folder), *behind)
    assert code == 1
    assert printed.startswith(f"server: {folder}/tags.ndjson:4: malformed JSON (at byte 1), ")
    (folder / "tags.ndjson").unlink()
    code, printed = refusal("--data", str(folder), *behind)
    assert code == 1
    assert printed.startswith(f"server: {folder}/tags.ndjson: cannot be read: No such file")
    code, printed = refusal("--data", str(folder / "none"), *behind)
    assert (code, printed) == (1, f"server: {folder}/none: no such folder\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "No such file"),
        ("", "keys: malformed JSON, expected a JSON list"),
        ("{}", "keys: malformed JSON, expected a JSON list"),
        ('[{"sha256": "secret"}]', "key 0: sha256: a value that is not accepted"),
        (keys_json().replace('"free"', '"gratis"'), "key 2: plan: not one of the accepted values"),
    ],
)
def test_bad_keys_are_named(
    server_data: Path, tmp_path: Path, text: str | None, problem: str
) -> None:
    path = tmp_path / "keys.json"
    if text is not None:
        path.write_text(text)
    code, printed = refusal("--data", str(server_data), "--behind-proxy", "--keys", str(path))
    assert code == 1
    assert printed.startswith(f"server: {path}: {problem}")
    assert "secret" not in printed


def test_a_server_without_keys_says_so(server_data: Path, tmp_path: Path) -> None:
    server = Server(tmp_path, "--data", str(server_data), "--behind-proxy")
    assert (
        "each request is answered 401: give --keys, --token-file or SLUICE_TOKEN" in server.output()
    )
    assert server.ask("/tags", headers={"X-Forwarded-Proto": "https"}).status == 401
    assert server.stop() == 0


def test_a_place_to_listen_on_has_to_be_free_and_here(start: Start, tmp_path: Path) -> None:
    port = start().port
    (tmp_path / "other").mkdir()
    for host, problem in (
        ("127.0.0.1", "Address already in use"),
        ("192.0.2.1", "Cannot assign requested address"),
    ):
        options = ("--data", str(tmp_path), "--token", "t", "--host", host, "--port", str(port))
        refused = refusal(*options, XDG_STATE_HOME=str(tmp_path / "other"))
        assert refused == (1, f"server: {host} port {port}: {problem}\n")


def test_the_server_says_what_it_serves_and_how_to_ask(server: Server) -> None:
    lines = server.output().splitlines()
    assert lines[0].startswith("loaded: 1005 events from ")
    assert lines[2] == f"serving: {server.url} until Ctrl-C"
    assert lines[3].startswith("try: curl --cacert ")
    command = lines[3].removeprefix("try: ").replace("curl", "curl -sS --noproxy '*'", 1)
    environment = os.environ | {"TOKEN": FAST}
    ran = subprocess.run(command, shell=True, env=environment, capture_output=True, check=True)
    assert len(json.loads(ran.stdout)) == 1
