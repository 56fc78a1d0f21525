# SPDX-License-Identifier: MIT
"""TLS as the server speaks it: 1.2 or later, forward secret, authenticated, and cheap to begin.

Python before 3.15 can set one group of key exchange, or leave them all; those of finite fields cost
a fifth of a second a handshake. OpenSSL reads a list of them from its configuration, once, before
Python's first use of it: so the command starts itself again with one.
"""

import os
import ssl
import sys
from pathlib import Path

_CONFIGURATION = Path(__file__).with_name("_tls.cnf")
_VARIABLE = "OPENSSL_CONF"

# An option that the configuration sets and nothing else does: it tells whether that was read.
_SSL_OP_PRIORITIZE_CHACHA = 1 << 21

_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20:@SECLEVEL=2"
_ONE_GROUP = "prime256v1"  # which every client knows


def restart_with_groups() -> None:
    """Starts this program again so that OpenSSL reads the groups.

    Not where it was told another configuration: then there is one group.
    """
    if _VARIABLE in os.environ or not sys.executable:
        return
    environment = os.environ | {_VARIABLE: str(_CONFIGURATION)}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def make_context(certfile: Path, keyfile: Path) -> ssl.SSLContext:
    """The context of a server with a certificate chain and its key, both files in PEM.

    Raises:
        OSError: One of them can't be used.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_CIPHER_SERVER_PREFERENCE
    if not context.options & _SSL_OP_PRIORITIZE_CHACHA:
        context.set_ecdh_curve(_ONE_GROUP)
    context.set_ciphers(_CIPHERS)
    # A key with a passphrase is refused rather than asked for on the terminal.
    context.load_cert_chain(certfile, keyfile, password="")
    return context
