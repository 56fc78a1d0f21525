# SPDX-License-Identifier: MIT
"""A certificate for localhost, for development: made once and kept."""

import fcntl
import os
import ssl
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

_DAYS_VALID = 90
_SECONDS_A_DAY = 86_400

# What the certificate is for: this machine by its three names, as a server and nothing else, so
# that to trust it is to trust nothing else.
_REQUEST = """
[req]
distinguished_name = subject
x509_extensions = extensions
prompt = no
[subject]
CN = localhost
[extensions]
subjectAltName = DNS:localhost,IP:127.0.0.1,IP:::1
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
"""


class CertificateFiles(NamedTuple):
    """Where a certificate and its key lie, in PEM."""

    certificate: Path
    key: Path


def development_certificate() -> CertificateFiles:
    """The certificate made before; a new one where there is none, or it ends within a day.

    Raises:
        OSError: The folder for it can't be written.
        RuntimeError: The openssl command is missing or fails.
    """
    folder = state_folder() / "sluice"
    folder.mkdir(parents=True, exist_ok=True)
    files = CertificateFiles(folder / "localhost.cert.pem", folder / "localhost.key.pem")
    with _locked(folder):
        if not _are_usable(files):
            _make(files)
    return files


def state_folder() -> Path:
    """Where programs keep what they make for themselves."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    return state if state.is_absolute() else Path.home() / ".local" / "state"


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Of servers that start at once, one makes the certificate."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _are_usable(files: CertificateFiles) -> bool:
    """Whether they are a certificate and its key, for a day more, the key for its owner only."""
    try:
        is_private = files.key.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO) == 0
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*files)
    except OSError:
        return False
    return is_private and not _ends_within_a_day(files.certificate)


def _ends_within_a_day(certificate: Path) -> bool:
    words = ("x509", "-checkend", str(_SECONDS_A_DAY), "-noout", "-in", str(certificate))
    return _openssl(*words).returncode != 0


def _make(files: CertificateFiles) -> None:
    """Makes a new key and its certificate, and replaces the files at once."""
    with tempfile.TemporaryDirectory(dir=files.key.parent) as name:
        made = CertificateFiles(Path(name) / "certificate", Path(name) / "key")
        request = Path(name) / "request"
        request.write_text(_REQUEST)
        done = _openssl(
            *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-days", str(_DAYS_VALID), "-config", str(request)),
            *("-keyout", str(made.key), "-out", str(made.certificate)),
        )
        if done.returncode != 0:
            raise RuntimeError(f"openssl: {done.stderr.strip()}")
        made.key.chmod(0o600)
        made.key.replace(files.key)
        made.certificate.replace(files.certificate)


def _openssl(*words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(("openssl", *words), capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise RuntimeError("openssl: no such command") from None
