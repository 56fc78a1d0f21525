# SPDX-License-Identifier: MIT
"""Clients' keys: by a header, and by the address behind trusted proxies."""

import ipaddress
import random

import pytest

from sluice.limits import Address, Client, Header

PROXIES = ("10.0.0.0/8", "fd00::/8")


def client(address: str | None, **headers: str) -> Client:
    held = {name.replace("_", "-"): value for name, value in headers.items()}
    return Client(address, lambda name: held.get(name.lower()), None)


ADDRESSES = [
    # the connection's, X-Forwarded-For, the key
    ("203.0.113.9", None, "203.0.113.9"),
    ("203.0.113.9", "6.6.6.6", "203.0.113.9"),  # not from a proxy
    ("10.0.0.1", None, "10.0.0.1"),
    ("10.0.0.1", "", "10.0.0.1"),
    ("10.0.0.1", "203.0.113.9", "203.0.113.9"),
    ("10.0.0.1", "203.0.113.9:4711", "203.0.113.9"),
    ("10.0.0.1", "6.6.6.6, 203.0.113.9", "203.0.113.9"),
    ("10.0.0.1", "6.6.6.6 ,203.0.113.9 , 10.0.0.2", "203.0.113.9"),
    ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),  # a client among the proxies
    ("10.0.0.1", "junk, 203.0.113.9", "203.0.113.9"),
    ("10.0.0.1", "203.0.113.9, junk", "10.0.0.1"),
    ("10.0.0.1", "203.0.113.9, junk, 10.0.0.2", "10.0.0.2"),
    ("10.0.0.1", "unknown", "10.0.0.1"),
    ("10.0.0.1", "203.0.113.9,", "10.0.0.1"),
    ("10.0.0.1", "010.1.1.1", "10.0.0.1"),  # octal or not: no address
    ("::ffff:10.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"),
    ("fd00::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
    ("fd00::1", "[2001:db8:1:2::7]:443", "2001:db8:1:2::/64"),
    ("fd00::1", "[2001:db8:1:2::7]", "2001:db8:1:2::/64"),
    ("fd00::1%eth0", "203.0.113.9", "203.0.113.9"),
    ("2001:db8:1:2:3::", None, "2001:db8:1:2::/64"),
    ("::1", None, "::/64"),
    (None, "203.0.113.9", None),  # a socket without addresses
    ("", "203.0.113.9", None),
    ("testclient", None, None),
]


@pytest.mark.parametrize(("address", "forwarded", "key"), ADDRESSES)
def test_the_first_untrusted_address_from_the_right_is_the_client(
    address: str | None, forwarded: str | None, key: str | None
) -> None:
    headers = {} if forwarded is None else {"x_forwarded_for": forwarded}
    assert Address(PROXIES)(client(address, **headers)) == key
    assert Address(PROXIES, "forwarded")(client(address, **headers)) == (
        Address(PROXIES)(client(address))
    )


FORWARDED = [
    ("for=203.0.113.9", "203.0.113.9"),
    ('For="203.0.113.9:80";proto=https', "203.0.113.9"),
    ('proto=https;by=10.0.0.1; FOR="[2001:db8:1:2::7]:4711"', "2001:db8:1:2::/64"),
    ("for=6.6.6.6, for=203.0.113.9, for=10.0.0.2", "203.0.113.9"),
    ("for=203.0.113.9, for=_hidden", "10.0.0.1"),
    ("for=203.0.113.9, for=unknown, for=10.0.0.2", "10.0.0.2"),
    ("for=203.0.113.9, proto=https", "10.0.0.1"),
    ("xfor=203.0.113.9", "10.0.0.1"),
    ('for="6.6.6.6, for=203.0.113.9', "203.0.113.9"),  # a quote that the client left open
    ('for="6.6.6.6, for="[2001:db8:1:2::7]"', "2001:db8:1:2::/64"),
    ("", "10.0.0.1"),
]


@pytest.mark.parametrize(("forwarded", "key"), FORWARDED)
def test_forwarded_is_read_alike(forwarded: str, key: str) -> None:
    caller = client("10.0.0.1", forwarded=forwarded, x_forwarded_for="6.6.6.6")
    assert Address(PROXIES, "forwarded")(caller) == key


def test_what_a_client_writes_never_counts() -> None:
    """Whatever stands left of what the proxies added, the key is the client's address."""
    draw = random.Random(7)
    pieces = ["6.6.6.6", "10.0.0.9", "for=", '"', ",", ";", " ", "[::1]", "junk", "%", ":80"]
    for header, added in (
        ("x-forwarded-for", "203.0.113.9, 10.0.0.2"),
        ("forwarded", 'for="203.0.113.9:99", for=10.0.0.2'),
    ):
        key = Address(PROXIES, "forwarded" if header == "forwarded" else "x-forwarded-for")
        for _ in range(2_000):
            written = "".join(draw.choices(pieces, k=draw.randrange(8)))
            text = f"{written}, {added}"
            caller = client("10.0.0.1", **{header.replace("-", "_"): text})
            assert key(caller) == "203.0.113.9", text


def test_a_network_of_ipv6_is_one_client() -> None:
    draw = random.Random(7)
    for _ in range(200):
        bits = draw.getrandbits(128)
        address = ipaddress.IPv6Address(bits)
        if address.ipv4_mapped is None:
            network = ipaddress.ip_network((bits >> 64 << 64, 64))
            assert Address()(client(str(address))) == str(network)


REFUSED = [
    (("10.0.0.0/33",), "x-forwarded-for"),
    (("proxy.example",), "x-forwarded-for"),
    (("10.0.0.1/8",), "x-forwarded-for"),
    ((), "x-real-ip"),
]


@pytest.mark.parametrize(("trusted", "header"), REFUSED)
def test_what_is_no_network_or_header_is_refused(trusted: tuple[str], header: str) -> None:
    with pytest.raises(ValueError, match=r"expected|does not appear|has host bits"):
        Address(trusted, header)  # type: ignore[arg-type]


def test_networks_are_a_list() -> None:
    with pytest.raises(TypeError, match=r"trusted: expected a list of networks, such as \['10\."):
        Address("10.0.0.0/8")


def test_a_header_is_kept_as_its_hash() -> None:
    key = Header("X-API-Key")
    one, two = (key(client(None, x_api_key=value)) for value in ("secret", "other"))
    assert one
    assert two
    assert one != two
    assert "secret" not in one
    assert key(client("10.0.0.1")) is None
    assert key(client("10.0.0.1", x_api_key="")) is None
