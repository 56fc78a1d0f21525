# SPDX-License-Identifier: MIT
"""Whose request it is: what `RateLimit` of each framework counts requests by.

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

_IPV6_HOST_BITS = 64  # what one client may choose from: its network is one client
_FOR = re.compile(r"(?:^|;)\s*for=\"?([^\";]*)\"?", re.IGNORECASE)
_WITH_PORT = re.compile(r"\[(.*)\](?::\d+)?|([^:]*):\d+")


@dataclass(frozen=True)
class Client:
    """Who sent a request, as a server tells it.

    Attributes:
        address: The address that the connection comes from, or None where it has none.
        header: The value of a header by its name, in any case; None where it was not sent.
        request: The framework's own: the ASGI scope or the WSGI environment.
    """

    address: str | None
    header: Callable[[str], str | None]
    request: Any


Key: TypeAlias = Callable[[Client], str | None]


class Header:
    """Counts by the value of a header, such as an API key. One without a value has no key.

    Only a hash of it is kept, since it may be a credential.

    Attributes:
        missing: The first half of the message to a request without the header.
    """

    def __init__(self, name: str) -> None:
        """Counts by the header of a name."""
        self._name = name
        self.missing = f"no {name} header"

    def __call__(self, client: Client) -> str | None:
        """The key of a request."""
        value = client.header(self._name)
        return sha256(value.encode()).hexdigest() if value else None


class Address:
    """Counts by the client's address, and one of IPv6 with its /64 network.

    Where a connection comes from a trusted proxy, the header says who is before it. It is read
    from the right, as each proxy adds to the right, and up to the first address that is not
    trusted: what stands left of that one, any client may have written.

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
        """Counts by addresses behind the proxies of trusted networks.

        Args:
            trusted: Networks or addresses of proxies, such as '10.0.0.0/8'; none by default.
            header: The one that these proxies write. The other may come from any client.

        Raises:
            ValueError: A network or the header is none.
        """
        if header not in ("x-forwarded-for", "forwarded"):
            raise ValueError("header: expected x-forwarded-for or forwarded")
        self._trusted = [ipaddress.ip_network(each) for each in trusted]
        self._header = header

    def __call__(self, client: Client) -> str | None:
        """The key of a request."""
        address = _to_address(client.address or "")
        if address is None:
            return None
        hops = (client.header(self._header) or "").split(",")
        while self._is_trusted(address) and hops:
            before = _to_address(self._named_in(hops.pop()))
            if before is None:  # hidden or malformed: the proxy is all that is known
                break
            address = before
        return _to_key(address)

    def _is_trusted(self, address: _Address) -> bool:
        return any(address in network for network in self._trusted)

    def _named_in(self, hop: str) -> str:
        if self._header == "x-forwarded-for":
            return hop
        found = _FOR.search(hop)
        return found[1] if found else ""


def _to_address(text: str) -> _Address | None:
    """An address, with or without a port; None of what is none."""
    text = text.strip()
    found = _WITH_PORT.fullmatch(text)
    try:
        address = ipaddress.ip_address((found[1] or found[2]) if found else text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _to_key(address: _Address) -> str:
    if address.version == 4:
        return str(address)
    network = int(address) >> _IPV6_HOST_BITS << _IPV6_HOST_BITS
    return f"{ipaddress.IPv6Address(network)}/{128 - _IPV6_HOST_BITS}"
