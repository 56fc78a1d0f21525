# SPDX-License-Identifier: MIT
"""A certificate for localhost, for development: made once and kept."""

import fcntl
import os
import ssl
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

_VALID = timedelta(days=90)
_SPARE = timedelta(days=1)  # a certificate that ends sooner is made anew

# This machine, seen from itself.
_NAMES = ("localhost", "127.0.0.1", "::1")


class CertificateFiles(NamedTuple):
    """Where a certificate and its key lie, in PEM."""

    certificate: Path
    key: Path


def development_certificate() -> CertificateFiles:
    """The certificate made before; a new one where there is none, or it ends within a day.

    Raises:
        OSError: The folder for it can't be written.
        ModuleNotFoundError: trustme is missing.
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
    with _opened(folder) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def _are_usable(files: CertificateFiles) -> bool:
    """Whether they are a certificate and its key, for a day more, the key for its owner only."""
    try:
        is_private = files.key.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO) == 0
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*files)
    except OSError:
        return False
    return is_private and not _ends_soon(files.certificate)


def _ends_soon(certificate: Path) -> bool:
    from cryptography import x509

    end = x509.load_pem_x509_certificate(certificate.read_bytes()).not_valid_after_utc
    return end < datetime.now(UTC) + _SPARE


def _make(files: CertificateFiles) -> None:
    """Makes a new key and its certificate, and replaces the files at once.

    The authority that signs it signs nothing else: its key is forgotten here, so that to trust it
    is to trust this certificate only.
    """
    import trustme

    authority = trustme.CA(organization_name="sluice, for development")
    made = authority.issue_cert(*_NAMES, not_after=datetime.now(UTC) + _VALID)
    chain = [*made.cert_chain_pems, authority.cert_pem]
    folder = files.key.parent
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        written = CertificateFiles(Path(temporary) / "certificate", Path(temporary) / "key")
        _write(written.key, made.private_key_pem.bytes(), 0o600)
        _write(written.certificate, b"".join(pem.bytes() for pem in chain), 0o644)
        written.key.replace(files.key)
        written.certificate.replace(files.certificate)
    with _opened(folder) as descriptor:
        os.fsync(descriptor)


def _write(path: Path, content: bytes, mode: int) -> None:
    """Writes a new file so that it outlives a crash of the machine."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
