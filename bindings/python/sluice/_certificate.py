# SPDX-License-Identifier: MIT
"""A development certificate for localhost, created once and shared with the C++ server."""

import fcntl
import os
import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

_VALID = timedelta(days=90)
_SPARE = timedelta(days=1)  # a certificate that expires sooner is replaced

# The names of this machine for local connections.
_NAMES = ("localhost", "127.0.0.1", "::1")


def development_certificate() -> tuple[Path, Path]:
    """Returns the PEM files of a certificate and its key; creates them unless valid ones exist.

    Raises:
        OSError: The folder can't be written.
        ModuleNotFoundError: trustme is missing.
    """
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    folder = (state if state.is_absolute() else Path.home() / ".local" / "state") / "sluice"
    folder.mkdir(parents=True, exist_ok=True)
    certificate, key = folder / "localhost.cert.pem", folder / "localhost.key.pem"
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # servers that start together create it once
        if not _are_usable(certificate, key):
            _make(certificate, key)
    finally:
        os.close(descriptor)
    return certificate, key


def _are_usable(certificate: Path, key: Path) -> bool:
    """Returns true if the files match, stay valid for _SPARE, and only the owner reads the key."""
    from cryptography import x509

    try:
        is_private = key.stat().st_mode & 0o077 == 0
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
        end = x509.load_pem_x509_certificate(certificate.read_bytes()).not_valid_after_utc
    except (OSError, ValueError):
        return False
    return is_private and end >= datetime.now(UTC) + _SPARE


def _make(certificate: Path, key: Path) -> None:
    """Creates a key and its certificate, and replaces the files.

    The key of the signing authority is discarded, so that it signs nothing else and trusting it
    only means trusting this certificate.
    """
    import trustme

    authority = trustme.CA(organization_name="sluice, for development")
    issued = authority.issue_cert(*_NAMES, not_after=datetime.now(UTC) + _VALID)
    chain = [*issued.cert_chain_pems, authority.cert_pem]
    with tempfile.TemporaryDirectory(dir=key.parent) as temporary:  # private to its owner
        new_key, new_certificate = Path(temporary) / "key", Path(temporary) / "certificate"
        new_key.touch(0o600)
        new_key.write_bytes(issued.private_key_pem.bytes())
        new_certificate.write_bytes(b"".join(pem.bytes() for pem in chain))
        new_key.replace(key)
        new_certificate.replace(certificate)
