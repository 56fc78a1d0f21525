# SPDX-License-Identifier: MIT
"""Runs SQL statements on ClickHouse servers through clickhouse-connect."""

import functools
import logging
import os
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import clickhouse_connect
from clickhouse_connect.driver import Client
from clickhouse_connect.driver.exceptions import ClickHouseError
from clickhouse_connect.driver.httputil import get_pool_manager
from urllib3.exceptions import TimeoutError as HTTPTimeoutError

PASSWORD_VARIABLE = "SLUICE_STORE_PASSWORD"
FORM = "clickhouse://[user[:password]@]host[:port][,host[:port]…][/database]"
_PORTS = {"clickhouse": 8_123, "clickhouses": 8_443}
_URL = re.compile(
    r"(?P<scheme>clickhouses?)://(?:(?P<user>[^:@/]*)(?::(?P<password>[^@/]*))?@)?"
    r"(?P<hosts>[^@/?#]+)(?:/(?P<database>[^/?#]*))?"
)
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(?::(?P<port>[0-9]{1,5}))?")
# Error codes of ClickHouse for a wrong user or password, which other servers would refuse, too.
_REFUSED = {192, 193, 194, 497, 516}
_LOGGER = logging.getLogger("sluice")


class StoreError(Exception):
    """A failure of a ClickHouse server, described without credentials."""


@dataclass(frozen=True)
class Place:
    """The location and login of ClickHouse: one server, or several interchangeable ones."""

    hosts: tuple[tuple[str, int], ...]
    database: str = "default"
    user: str = "default"
    password: str = field(default="", repr=False)
    secure: bool = False
    ca_file: Path | None = None  # CA bundle, PEM; None: the system's

    @classmethod
    def parse(cls, url: str, ca_file: Path | None = None) -> "Place":
        """Parses a URL; the password may be in the environment instead.

        Raises:
            ValueError: The URL is malformed, which the message says without quoting it; or the CA
                file has no certificates, or the URL is without TLS.
        """
        read = _URL.fullmatch(url)
        hosts = [_HOST.fullmatch(host) for host in read["hosts"].split(",")] if read else []
        if not read or None in hosts:
            raise ValueError(f"expected {FORM}, or clickhouses:// for TLS")
        default = _PORTS[read["scheme"]]
        named = [(host["name"].strip("[]"), int(host["port"] or default)) for host in hosts if host]
        if any(port > 65_535 for _, port in named):
            raise ValueError("expected ports up to 65535")
        password = read["password"] and unquote(read["password"])
        if password is None:
            password = os.environ.get(PASSWORD_VARIABLE, "")
        secure = read["scheme"] == "clickhouses"
        if ca_file:
            _check_authorities(ca_file, secure)
        return cls(
            hosts=tuple(named),
            database=unquote(read["database"] or "default"),
            user=unquote(read["user"] or "default"),
            password=password,
            secure=secure,
            ca_file=ca_file,
        )


def _check_authorities(file: Path, secure: bool) -> None:
    """Raises ValueError if a CA file has no certificates, or has no use without TLS."""
    if not secure:
        raise ValueError("expected clickhouses:// with --store-ca")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    except OSError as error:
        reason = getattr(error, "reason", None) or error.strerror
        raise ValueError(f"{file}: {reason}") from None


class ClickHouse:
    """Runs statements on the first server that answers, within a deadline.

    All statements may run twice: queries, CREATE IF NOT EXISTS, and rows that replace others with
    the same key. Failed statements are therefore repeated on the next server, unless the user was
    refused.
    """

    def __init__(self, place: Place, deadline: float = 5.0, at_once: int = 16) -> None:
        """Stores the settings; connects on first use.

        Args:
            place: The servers.
            deadline: Seconds per statement, for all servers and the wait for a free slot.
            at_once: The number of slots: statements that run at a time.
        """
        self._place = place
        for other in ("clickhouse_connect", "urllib3"):  # their messages may contain statements
            logging.getLogger(other).setLevel(logging.CRITICAL)
        self._deadline = deadline
        self._clients: dict[tuple[str, int], Client] = {}
        self._lock = threading.Lock()
        self._first = 0  # the server to try first; advances after a failure
        self._at_once = at_once
        self._slots = threading.BoundedSemaphore(at_once)

    def __call__(self, text: str, parameters: dict[str, Any]) -> bytes | None:
        """Returns the answer to a statement; logs a failure and returns None. For Handler."""
        try:
            return self.run(text, parameters)
        except StoreError as error:
            _LOGGER.error("the store does not answer: %s", error)
            return None

    def run(self, text: str, parameters: dict[str, Any] | None = None) -> bytes:
        """Returns the body of the answer to a statement.

        Args:
            text: SQL, with parameters such as {p1:String}.
            parameters: Their values, by name.

        Raises:
            StoreError: No server answered.
        """
        end = time.monotonic() + self._deadline
        return self._run_until(end, lambda: self._run_on_any(end, text, parameters))

    def _run_until(self, end: float, work: Callable[[], bytes]) -> bytes:
        """Runs work on a thread, and stops waiting for it at `end`, a time of time.monotonic().

        The thread may run longer, because name lookups can't be cancelled; it then keeps its slot.
        """
        if not self._slots.acquire(timeout=max(0, end - time.monotonic())):
            raise StoreError("too many statements at a time")
        outcome = Future[bytes]()

        def run() -> None:
            try:
                outcome.set_result(work())
            except Exception as error:
                outcome.set_exception(error)
            finally:
                self._slots.release()

        threading.Thread(target=run, name="store", daemon=True).start()
        try:
            return outcome.result(max(0, end - time.monotonic()))
        except TimeoutError as error:
            if outcome.done():  # raised by the work itself
                raise
            hosts = ", ".join(f"{name} port {port}" for name, port in self._place.hosts)
            raise StoreError(f"{hosts}: no answer in time") from error

    def _run_on_any(self, end: float, text: str, parameters: dict[str, Any] | None) -> bytes:
        """Tries all servers, beginning after the last one that failed, until one answers."""
        hosts = self._place.hosts
        failures = []
        for at in range(self._first, self._first + len(hosts)):
            host = hosts[at % len(hosts)]
            left = end - time.monotonic()
            if left <= 0:
                break
            try:
                return self._run_on(host, left, text, parameters)
            except (ClickHouseError, OSError) as error:
                failures.append(_what_failed(host, error))
                self._first = (at + 1) % len(hosts)
                if getattr(error, "code", None) in _REFUSED:
                    break
        raise StoreError("; ".join(failures) or "no time is left")

    def run_everywhere(self, text: str) -> None:
        """Runs a statement on every server.

        Raises:
            StoreError: It failed on one of them.
        """
        for host in self._place.hosts:
            run = functools.partial(self._run_on, host, self._deadline, text, None)
            try:
                self._run_until(time.monotonic() + self._deadline, run)
            except (ClickHouseError, OSError) as error:
                raise StoreError(_what_failed(host, error)) from None

    def _run_on(
        self, host: tuple[str, int], seconds: float, text: str, parameters: dict[str, Any] | None
    ) -> bytes:
        client = self._client(host, seconds)
        # The answer is sent once it is complete, so that the status is reliable.
        settings = {"wait_end_of_query": 1, "max_execution_time": max(1, round(seconds))}
        return client.raw_query(text, parameters or None, settings)

    def _client(self, host: tuple[str, int], seconds: float) -> Client:
        """Returns the client of a server; all threads share it."""
        with self._lock:
            client = self._clients.get(host)
        if client is None:
            client = self._connect(host, seconds)
            with self._lock:
                client = self._clients.setdefault(host, client)
        return client

    def _connect(self, host: tuple[str, int], seconds: float) -> Client:
        place = self._place
        ca_file = str(place.ca_file) if place.ca_file else None
        return clickhouse_connect.get_client(
            host=host[0],
            port=host[1],
            database=place.database,
            username=place.user,
            password=place.password,
            secure=place.secure,
            connect_timeout=max(1, round(min(seconds, self._deadline / 2))),
            send_receive_timeout=max(1, round(self._deadline)),
            autogenerate_session_id=False,  # statements run on several threads
            query_retries=0,  # another server is tried instead
            pool_mgr=get_pool_manager(maxsize=self._at_once, ca_cert=ca_file),
        )


def _what_failed(host: tuple[str, int], error: Exception) -> str:
    """Describes a failure without credentials and values of the statement."""
    return f"{host[0]} port {host[1]}: {_reason(error)}"


def _reason(error: Exception) -> str:
    """Returns ClickHouse's error code, or the cause of a failed connection, in words."""
    if code := getattr(error, "code", None):
        name = getattr(error, "name", None)
        return f"error {code} of ClickHouse" + (f", {name}" if name else "")
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted: {cause.verify_message}"
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    is_late = any(isinstance(cause, TimeoutError | HTTPTimeoutError) for cause in causes)
    return "no answer in time" if is_late else type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yields an error and its causes, also those that libraries only pass as arguments."""
    yield error
    for cause in (error.__cause__, error.__context__, *error.args):
        if isinstance(cause, BaseException):
            yield from _causes(cause)
