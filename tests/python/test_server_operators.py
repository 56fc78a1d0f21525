# SPDX-License-Identifier: MIT
"""Operation of the C++ server: reloads, proxies, readiness, metrics, modes."""

import contextlib
import os
import re
import signal
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import http_cases
import pytest
from cpp_server import SERVER, Server, Start, head, needs_server, read_answer, refusal

pytestmark = needs_server

HTTPS = "X-Forwarded-Proto: https"

# --- Certificates ----------------------------------------------------------------------------


def make_certificate(folder: Path, name: str) -> None:
    """Writes cert.pem and key.pem, for localhost and another name."""
    files = ("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"))
    names = f"subjectAltName=DNS:localhost,DNS:{name},IP:127.0.0.1"
    subprocess.run(
        (
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext", names, *files),
        ),
        check=True,
        capture_output=True,
    )
    (folder / "key.pem").chmod(0o600)


def name_of(server: Server, folder: Path) -> str:
    """The name in the certificate that a new connection gets."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with context.wrap_socket(server.plain_socket()) as connection:
        shown = ssl.DER_cert_to_PEM_cert(connection.getpeercert(binary_form=True) or b"")
    (folder / "shown.pem").write_text(shown)
    said = subprocess.run(
        ("openssl", "x509", "-noout", "-subject", "-in", str(folder / "shown.pem")),
        check=True,
        capture_output=True,
        text=True,
    )
    return said.stdout.rpartition("=")[2].strip()


def hang_up(server: Server, pattern: str) -> None:
    """Has the server read its files again, and waits for what the log says of it."""
    seen = len(re.findall(pattern, server.output(), re.MULTILINE))
    server.process.send_signal(signal.SIGHUP)
    until = time.monotonic() + 20
    while len(re.findall(pattern, server.output(), re.MULTILINE)) == seen:
        assert time.monotonic() < until, server.output()
        time.sleep(0.01)


def test_a_certificate_is_read_again_whole_or_not_at_all(start: Start, tmp_path: Path) -> None:
    make_certificate(tmp_path, "first")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    server = start("--certfile", str(cert), "--keyfile", str(key))
    assert name_of(server, tmp_path) == "first"
    context = ssl.create_default_context(cafile=cert)
    with context.wrap_socket(server.plain_socket(), server_hostname="localhost") as kept:
        copyfile(cert, tmp_path / "before.pem")
        make_certificate(tmp_path, "second")
        hang_up(server, r"^certificate: .*cert\.pem was reloaded$")
        assert name_of(server, tmp_path) == "second"
        kept.sendall(head("/tags", "Connection: close"))
        assert read_answer(kept).status == 200
    for wrong in ((tmp_path / "before.pem").read_text(), "", cert.read_text()[:300]):
        cert.write_text(wrong)  # of another key, empty, cut off
        hang_up(server, r"^certificate: .*; the previous one stays in use$")
        assert name_of(server, tmp_path) == "second"
    cert.unlink()
    hang_up(server, r"^certificate: .*No such file.*; the previous one stays in use$")
    assert name_of(server, tmp_path) == "second"


# --- Proxies ---------------------------------------------------------------------------------


@pytest.fixture
def proxied(start: Start) -> Server:
    """A server behind the proxies of 127.0.2.0/24, on all addresses of this machine."""
    return start("--behind-proxy", "127.0.2.0/24,192.0.2.0/24", "--host", "0.0.0.0")


def ask_from(server: Server, source: str, *fields: str) -> int:
    with server.plain_socket(source) as connection:
        connection.sendall(head("/tags", "Connection: close", *fields))
        return read_answer(connection).status


def test_a_proxy_of_a_trusted_network_says_who_asks(proxied: Server) -> None:
    forwarded = "X-Forwarded-For: 198.51.100.1, 203.0.113.9, 127.0.2.7"
    assert ask_from(proxied, "127.0.2.1", HTTPS, forwarded) == 200
    proxied.wait_for(r"Z 203\.0\.113\.9 GET /tags 200 ")
    assert ask_from(proxied, "127.0.2.1", "X-Forwarded-Proto: http") == 403
    assert ask_from(proxied, "127.0.2.1") == 403


def test_others_are_not_believed(proxied: Server) -> None:
    assert ask_from(proxied, "127.0.3.1", HTTPS, "X-Forwarded-For: 203.0.113.8") == 403
    proxied.wait_for(r"Z 127\.0\.3\.1 GET /tags 403 ")
    assert "203.0.113.8" not in proxied.output()


def test_only_proxies_have_no_limit_for_an_address(start: Start) -> None:
    options = ("--host", "0.0.0.0", "--max-connections-per-address", "2")
    server = start("--behind-proxy=127.0.2.0/24,192.0.2.0/24", *options)
    crowd = [server.plain_socket("127.0.2.1") for _ in range(10)]
    assert ask_from(server, "127.0.2.1", HTTPS) == 200
    crowd += [server.plain_socket("127.0.3.1") for _ in range(2)]
    assert ask_from(server, "127.0.3.1", HTTPS) == 429
    for client in crowd:
        client.close()


def wait_until_closed(server: Server) -> None:
    """Waits until nobody can connect any more."""
    with contextlib.suppress(ConnectionError):
        while True:
            server.plain_socket().close()


# --- Readiness and systemd -------------------------------------------------------------------


def test_a_server_that_stops_is_alive_and_not_ready(start: Start) -> None:
    server = start()
    assert server.ask("/readyz", None).body == b'{"status":"ok"}'
    with server.socket() as connection:
        connection.sendall(head("/readyz")[:20])
        server.wait_for("serving")
        server.process.send_signal(signal.SIGTERM)
        wait_until_closed(server)
        connection.sendall(head("/readyz")[20:] + head("/healthz"))
        answers = http_cases.answers(http_cases.read_all(connection))
    assert [answer.status for answer in answers] == [503, 200]
    assert answers[0].body == b'{"status":"stopping"}'
    assert server.process.wait(20) == 0


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.settimeout(20)
        yield manager


@pytest.mark.parametrize("is_abstract", [False, True])
def test_systemd_is_told_of_each_change(
    start: Start, listening: socket.socket, tmp_path: Path, is_abstract: bool
) -> None:
    name = f"sluice-{os.getpid()}" if is_abstract else str(tmp_path / "notify")
    listening.bind("\0" + name if is_abstract else name)
    server = start(NOTIFY_SOCKET=f"@{name}" if is_abstract else name)
    assert listening.recv(100) == b"READY=1"
    assert server.ask("/tags").status == 200
    server.process.send_signal(signal.SIGHUP)
    assert re.fullmatch(rb"RELOADING=1\nMONOTONIC_USEC=\d+", listening.recv(100))
    assert listening.recv(100) == b"READY=1"
    assert server.stop() == 0
    assert listening.recv(100) == b"STOPPING=1"


@pytest.mark.parametrize("place", ["", "relative", "/nowhere/notify", "/" + "x" * 200])
def test_a_place_that_nobody_listens_at_ends_nothing(start: Start, place: str) -> None:
    assert start(NOTIFY_SOCKET=place).ask("/tags").status == 200


# --- Metrics ---------------------------------------------------------------------------------


def metrics_of(server: Server, host: str, source: str = "127.0.0.1") -> int:
    port = int(server.wait_for(r"^metrics: http://\S+:(\d+)/metrics$"))
    with socket.create_connection((source, port), 20) as connection:
        request = f"GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        return http_cases.answers(http_cases.read_all(connection))[0].status


def test_metrics_are_not_for_pages_that_have_their_name_lead_here(start: Start) -> None:
    server = start("--metrics", "0")
    hosts = ("127.0.0.1", "localhost:80", "[::1]", "rebound.example", "localhost.example")
    assert [metrics_of(server, host) for host in hosts] == [200, 200, 200, 421, 421]


def test_metrics_can_be_shown_to_other_machines(start: Start) -> None:
    server = start("--metrics", "0", "--metrics-host", "0.0.0.0,sluice.internal")
    assert server.wait_for(r"^metrics: http://localhost:\d+/metrics$")
    assert metrics_of(server, "sluice.internal", "127.0.0.5") == 200
    assert metrics_of(server, "127.0.0.5", "127.0.0.5") == 200
    assert metrics_of(server, "rebound.example", "127.0.0.5") == 421


# --- Redis -----------------------------------------------------------------------------------


def refuse_all(listening: socket.socket, reply: bytes) -> None:
    """Answers the first command of a connection."""
    client, _ = listening.accept()
    with client:
        client.recv(1_000)
        client.sendall(reply)


def test_a_redis_that_refuses_is_named_at_the_start(server_data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        place = f"redis://:secret@127.0.0.1:{listening.getsockname()[1]}"
        answering = threading.Thread(target=refuse_all, args=(listening, b"-WRONGPASS invalid\r\n"))
        answering.start()
        options = ("--behind-proxy", "--data", str(server_data), "--limits", place)
        code, printed = refusal(*options, SLUICE_TOKEN="tok_1")
        answering.join()
    assert (code, printed) == (1, "server: --limits: Redis: WRONGPASS invalid\n")


def test_a_redis_that_is_not_there_is_named_at_the_start(start: Start) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        server = start("--limits", f"redis://127.0.0.1:{unused.getsockname()[1]}")
        server.wait_for(r"^limits: Redis: 127\.0\.0\.1: Connection refused$")
        assert server.ask("/tags").status == 200


# --- The start -------------------------------------------------------------------------------


def test_version() -> None:
    said = subprocess.run([SERVER, "--version"], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"sluice \d+\.\d+\.\d+\n", said.stdout)


@pytest.mark.parametrize(
    ("mode", "problem"),
    [
        (0o600, None),
        (0o640, None),
        (0o644, "everyone may read it"),
        (0o604, "everyone may read it"),
        (0o660, "others may write it"),
        (0o602, "others may write it"),
    ],
)
def test_files_of_keys_that_others_can_use_are_named(
    start: Start, tmp_path: Path, mode: int, problem: str | None
) -> None:
    make_certificate(tmp_path, "x")
    (tmp_path / "token").write_text("tok_in-a-file\n")
    files = [tmp_path / "token", tmp_path / "key.pem"]
    for file in files:
        file.chmod(mode)
    certificate = ("--certfile", str(tmp_path / "cert.pem"), "--keyfile", str(files[1]))
    server = start("--token-file", str(files[0]), *certificate)
    warnings = [f"{file}: {problem}, expected a mode such as 0640" for file in files]
    for warning in warnings:
        assert (warning in server.output()) == (problem is not None)
