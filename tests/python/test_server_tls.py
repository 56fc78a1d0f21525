# SPDX-License-Identifier: MIT
"""TLS of the C++ server: what it agrees to, and the certificate that it makes for development."""

import ssl
import stat
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import http_cases
import pytest
from cpp_server import Server, Start, head, needs_server, refusal

pytestmark = needs_server


@pytest.fixture(scope="module")
def rsa_server(server_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose certificate would do for key exchanges that it is not to agree to."""
    folder = tmp_path_factory.mktemp("rsa")
    files = ("-keyout", str(folder / "key"), "-out", str(folder / "certificate"))
    command = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", *files)
    subprocess.run(command, capture_output=True, check=True)
    certificate = ("--certfile", str(folder / "certificate"), "--keyfile", str(folder / "key"))
    running = Server(folder, "--data", str(server_data), *certificate)
    yield running
    assert running.stop() == 0


def agree(server: Server, *options: str, typed: str = "") -> "subprocess.CompletedProcess[str]":
    """Runs the openssl command's client with these options."""
    place = f"127.0.0.1:{server.port}"
    return subprocess.run(
        ("openssl", "s_client", "-connect", place, *options),
        input=typed,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


@pytest.mark.parametrize(
    ("options", "agreed"),
    [
        ("-tls1_3 -groups X25519", True),
        ("-tls1_3 -groups P-256", True),
        ("-tls1_3 -groups P-384", True),
        ("-tls1_3 -groups P-521", False),
        ("-tls1_3 -groups X448", False),
        ("-tls1_3 -groups ffdhe2048", False),
        ("-tls1_3 -groups ffdhe8192", False),
        ("-tls1_2 -groups P-256", True),
        ("-tls1_2 -groups P-521", False),
        ("-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256", True),
        ("-tls1_2 -cipher ECDHE-RSA-AES256-GCM-SHA384", True),
        ("-tls1_2 -cipher ECDHE-RSA-CHACHA20-POLY1305", True),
        ("-tls1_2 -cipher ECDHE-RSA-AES128-SHA256", False),  # CBC
        ("-tls1_2 -cipher ECDHE-RSA-AES256-SHA", False),
        ("-tls1_2 -cipher AES128-GCM-SHA256", False),  # RSA key exchange
        ("-tls1_2 -cipher AES256-SHA", False),
        ("-tls1_2 -cipher DHE-RSA-AES128-GCM-SHA256", False),  # a finite field
        ("-tls1_2 -cipher DHE-RSA-CHACHA20-POLY1305", False),
        ("-tls1_1 -cipher ALL:@SECLEVEL=0", False),
    ],
)
def test_only_fast_and_safe_algorithms_are_agreed_on(
    rsa_server: Server, options: str, agreed: bool
) -> None:
    handshake = agree(rsa_server, *options.split())
    assert (handshake.returncode == 0) == agreed, handshake.stdout + handshake.stderr


def test_a_session_is_not_negotiated_again(rsa_server: Server) -> None:
    handshake = agree(rsa_server, "-tls1_2", typed="R\n")
    assert "RENEGOTIATING" in handshake.stdout + handshake.stderr
    assert "no renegotiation" in handshake.stderr


def test_plain_http_gets_no_answer(server: Server) -> None:
    with server.plain_socket() as plain:
        plain.sendall(head("/tags"))
        assert b"HTTP" not in http_cases.read_all(plain)


def test_the_certificate_made_here_is_for_this_machine_only(server: Server) -> None:
    for name in ("localhost", "127.0.0.1", "::1"):
        with server.tls().wrap_socket(server.plain_socket(), server_hostname=name) as connection:
            shown = connection.getpeercert()
        assert shown is not None
        left = ssl.cert_time_to_seconds(str(shown["notAfter"])) - time.time()
        assert 89 < left / 86_400 <= 90
    with (
        server.plain_socket() as plain,
        pytest.raises(ssl.SSLCertVerificationError, match="not valid for"),
    ):
        server.tls().wrap_socket(plain, server_hostname="example.com")
    assert f"--cacert '{server.certificate}'" in server.output()


def test_the_certificate_made_here_is_kept(start: Start) -> None:
    first = start()
    certificate = first.certificate.read_bytes()
    assert stat.S_IMODE(first.key.stat().st_mode) == 0o600
    assert "PRIVATE" not in certificate.decode()
    assert sorted(file.name for file in first.key.parent.iterdir()) == [
        "localhost.cert.pem",
        "localhost.key.pem",
    ]
    assert first.stop() == 0
    again = start()
    assert again.certificate.read_bytes() == certificate
    assert again.ask("/tags").status == 200


@pytest.mark.parametrize("fault", ["no key", "no certificate", "another's", "open to all", "cut"])
def test_a_certificate_that_is_no_good_is_made_anew(
    start: Start, tmp_path: Path, fault: str
) -> None:
    first = start()
    certificate = first.certificate.read_bytes()
    first.stop()
    if fault == "no key":
        first.key.unlink()
    elif fault == "no certificate":
        first.certificate.unlink()
    elif fault == "another's":
        (tmp_path / "other").mkdir()
        other = start(folder=tmp_path / "other")
        other.key.rename(first.key)
    elif fault == "open to all":
        first.key.chmod(0o644)
    else:
        first.certificate.write_bytes(certificate[:100])
    again = start()
    assert again.certificate.read_bytes() != certificate
    assert stat.S_IMODE(again.key.stat().st_mode) == 0o600
    assert again.ask("/tags").status == 200


def test_servers_that_start_at_once_make_one_certificate(start: Start) -> None:
    with ThreadPoolExecutor(4) as starting:
        servers = list(starting.map(lambda _: start(), range(4)))
    assert [server.ask("/tags").status for server in servers] == [200] * 4


def test_a_certificate_of_ones_own(start: Start, tmp_path: Path) -> None:
    server = start()
    files = ("--certfile", str(server.certificate), "--keyfile", str(server.key))
    (tmp_path / "other").mkdir()
    other = start(*files, folder=tmp_path / "other")
    assert not other.state.exists()
    assert "for development" not in other.output()
    other.certificate = server.certificate
    assert other.ask("/tags").status == 200


def test_a_certificate_that_can_not_be_used(
    start: Start, server_data: Path, tmp_path: Path
) -> None:
    server = start()
    (tmp_path / "other").mkdir()
    other = start(folder=tmp_path / "other")
    missing = tmp_path / "missing.pem"
    for certificate, key, named in (
        (missing, server.key, missing),
        (server.certificate, missing, missing),
        (server.certificate, other.key, other.key),
        (server.key, server.key, server.key),
    ):
        files = ("--certfile", str(certificate), "--keyfile", str(key))
        code, printed = refusal("--data", str(server_data), "--token", "t", "--port", "0", *files)
        assert code == 1
        assert printed.startswith(f"server: {named}: ")


def test_a_place_for_the_certificate_is_needed(server_data: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    options = ("--data", str(server_data), "--token", "t", "--port", "0")
    code, printed = refusal(*options, XDG_STATE_HOME=str(taken))
    assert (code, "give --certfile and --keyfile" in printed) == (1, True)
    code, printed = refusal(*options, XDG_STATE_HOME="relative", HOME="")
    assert (code, "neither XDG_STATE_HOME nor HOME is set" in printed) == (1, True)
