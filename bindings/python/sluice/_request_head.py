# SPDX-License-Identifier: MIT
"""What a server takes as the head of a request, and what it refuses before anything else."""

import re
from typing import NamedTuple

MAX_METHOD = 32  # bytes
MAX_TARGET = 65_536  # bytes
MAX_FIELDS = 8_192  # bytes of all header fields
MAX_FIELD_COUNT = 64
MAX_BODY = 65_536  # bytes, which are read and dropped
MAX_HEAD = MAX_METHOD + MAX_TARGET + MAX_FIELDS + 64

LINE_END = b"\r\n"
HEAD_END = b"\r\n\r\n"

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_HEAD = re.compile(
    rb"(?P<method>%b) (?P<target>[!-~\x80-\xff]+) HTTP/1\.(?P<minor>[01])\r\n"
    rb"(?P<fields>(?:%b:[^\r\n\0]*\r\n)*)\r\n" % (_TOKEN, _TOKEN)
)
_HOST = re.compile(rb"(?:[A-Za-z0-9\-._~%!$&'()*+;=]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")
_LENGTH = re.compile(rb"[0-9]{1,20}")


class Refusal(NamedTuple):
    """Why a request is answered by no application."""

    status: int
    message: str


MALFORMED = Refusal(400, "malformed HTTP, expected an HTTP/1.1 request")
TARGET_TOO_LONG = Refusal(414, f"target: too long, expected at most {MAX_TARGET} bytes")
FIELDS_TOO_LARGE = Refusal(
    431, f"headers: too large, expected at most {MAX_FIELD_COUNT} of together {MAX_FIELDS} bytes"
)
BODY_TOO_LARGE = Refusal(413, f"body: too large, expected at most {MAX_BODY} bytes")


def check_head(received: bytes) -> Refusal | None:
    """Why the bytes of a request are refused, as far as they have come.

    ```
    request-line = method SP target SP "HTTP/1." ( "0" / "1" ) CRLF
    head         = request-line *( name ":" value CRLF ) CRLF
    ```
    RFC 9112 leaves bare line feeds and folded fields to the server: they are refused.
    """
    end = received.find(HEAD_END)
    head = received if end < 0 else received[: end + len(HEAD_END)]
    return _check_size(head) or (_check_whole(head) if end >= 0 else None)


def fields_of(begun: bytes) -> list[tuple[bytes, bytes]]:
    """The header fields of a head, as far as they have come and whatever is wrong with it."""
    lines = begun.partition(HEAD_END)[0].split(LINE_END)[1 : MAX_FIELD_COUNT + 1]
    pairs = (line.partition(b":") for line in lines)
    return [(name.lower(), value.strip(b" \t")) for name, _, value in pairs]


def _check_size(head: bytes) -> Refusal | None:
    line_end = head.find(LINE_END)
    line = len(head) if line_end < 0 else line_end
    if line > MAX_METHOD + len(b"  HTTP/1.1") + MAX_TARGET:
        return TARGET_TOO_LONG
    if len(head) - line > len(LINE_END) + MAX_FIELDS + len(LINE_END):
        return FIELDS_TOO_LARGE
    return None


def _check_whole(head: bytes) -> Refusal | None:
    parts = _HEAD.fullmatch(head)
    if not parts or len(parts["method"]) > MAX_METHOD:
        return MALFORMED
    if len(parts["target"]) > MAX_TARGET:
        return TARGET_TOO_LONG
    lines = parts["fields"].split(LINE_END)[:-1]
    if len(lines) > MAX_FIELD_COUNT:
        return FIELDS_TOO_LARGE
    return _check_fields(lines, is_old=parts["minor"] == b"0")


def _check_fields(lines: list[bytes], *, is_old: bool) -> Refusal | None:
    """Looks for what says whose request this is and where it ends; h11 does the rest."""
    values: dict[bytes, list[bytes]] = {}
    for line in lines:
        name, _, value = line.partition(b":")
        values.setdefault(name.lower(), []).append(value.strip(b" \t"))
    hosts = values.get(b"host", [])
    lengths = values.get(b"content-length", [])
    is_chunked = b"transfer-encoding" in values
    if len(hosts) != 1 and not (is_old and not hosts):
        return MALFORMED
    if not all(map(_HOST.fullmatch, hosts)) or (is_chunked and (lengths or is_old)):
        return MALFORMED
    if any(_LENGTH.fullmatch(length) and int(length) > MAX_BODY for length in lengths):
        return BODY_TOO_LARGE
    return None
