# SPDX-License-Identifier: MIT
"""The keys by which `RateLimit` of each framework counts requests.

```
limiter = sluice.RateLimiter(100, 60)
key = sluice.limits.Header("X-API-Key")
app = sluice.asgi.RateLimit(app, limiter, key=key)
```
"""

import ipaddress
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, TypeAlias

__all__ = ["Address", "Client", "Header", "Key"]

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_IPV6_HOST_BITS = 64  # a client may use any address of its /64 network, which counts as one
_FOR = re.compile(r"(?:^|;)\s*for=\"?([^\";]*)\"?", re.IGNORECASE)
_WITH_PORT = re.compile(r"\[(.*)\](?::\d+)?|([^:]*):\d+")


@dataclass(frozen=True)
class Client:
    """The sender of a request.

    Attributes:
        address: The address of the connection, or None if it has none.
        header: Returns the value of a header by name, in any case; None if it is missing.
        request: The framework's request: the ASGI scope or the WSGI environment.
    """

    address: str | None
    header: Callable[[str], str | None]
    request: Any


Key: TypeAlias = Callable[[Client], str | None]


class Header:
    """Counts by the value of a header, such as an API key. Requests without it have no key.

    Only a hash of the value is stored, because it may be a credential.

    Attributes:
        missing: The first half of the message for requests without the header.
    """

    def __init__(self, name: str) -> None:
        """Counts by the header of this name."""
        self._name = name
        self.missing = f"no {name} header"

    def __call__(self, client: Client) -> str | None:
        """Returns the key of a request; None without the header."""
        value = client.header(self._name)
        return sha256(value.encode()).hexdigest() if value else None


class Address:
    """Counts by the client's address; IPv6 addresses by their /64 network.

    If the connection comes from a trusted proxy, the header names the client. It is read from the
    right, where proxies append, up to the first address that is not trusted; earlier addresses may
    be forged by the client.

    ```
    X-Forwarded-For: 6.6.6.6, 203.0.113.9, 10.0.0.2      from 10.0.0.1, trusted: 10.0.0.0/8
                              ^^^^^^^^^^^ the client
    ```
    """

    def __init__(
        self,
        trusted: Iterable[str] = (),
        header: Literal["x-forwarded-for", "forwarded"] = "x-forwarded-for",
    ) -> None:
        """Counts by addresses behind proxies of trusted networks.

        Args:
            trusted: Networks or addresses of proxies, such as '10.0.0.0/8'; none by default.
            header: The header that these proxies write. Clients may forge the other one.

        Raises:
            TypeError: The networks are a single text.
            ValueError: A network or the header is invalid.
        """
        if header not in ("x-forwarded-for", "forwarded"):
            raise ValueError("header: expected x-forwarded-for or forwarded")
        if isinstance(trusted, str):
            raise TypeError(f"trusted: expected a list of networks, such as [{trusted!r}]")
        self._trusted = [ipaddress.ip_network(network) for network in trusted]
        self._header = header

    def __call__(self, client: Client) -> str | None:
        """Returns the key of a request; None if the connection has no IP address."""
        address = _to_address(client.address or "")
        if address is None:
            return None
        hops = (client.header(self._header) or "").split(",")
        while self._is_trusted(address) and hops:
            before = _to_address(self._named_in(hops.pop()))
            if before is None:  # hidden or malformed: only the proxy is known
                break
            address = before
        return _to_key(address)

    def _is_trusted(self, address: _Address) -> bool:
        return any(address in network for network in self._trusted)

    def _named_in(self, hop: str) -> str:
        """Returns the address in an item of the header; empty if it has none."""
        if self._header == "x-forwarded-for":
            return hop
        match = _FOR.search(hop)
        return match[1] if match else ""


def _to_address(text: str) -> _Address | None:
    """Parses an address with or without a port; None if it is invalid."""
    text = text.strip()
    match = _WITH_PORT.fullmatch(text)
    try:
        address = ipaddress.ip_address((match[1] or match[2]) if match else text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _to_key(address: _Address) -> str:
    if address.version == 4:
        return str(address)
    network = int(address) >> _IPV6_HOST_BITS << _IPV6_HOST_BITS
    return f"{ipaddress.IPv6Address(network)}/{128 - _IPV6_HOST_BITS}"
