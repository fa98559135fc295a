"""Who is at the other end of a request that proxies may have passed on."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

Network = IPv4Network | IPv6Network
_Address = IPv4Address | IPv6Address

MOST_HOPS = 20
_FORWARDED_FOR: Final = "x-forwarded-for"
_OF_PROXIES: Final = (_FORWARDED_FOR, "forwarded", "x-real-ip", "x-forwarded-host", "via")
_NEIGHBOURS = 64
"""An IPv6 customer has a /64 at least: what is counted by address is counted by that."""


def client_address(remote: str, forwarded: str, trusted: Sequence[Network]) -> str:
    """The address nearest to us that is no trusted proxy's: `remote` is who is connected, `forwarded` the values of
    X-Forwarded-For, of which only what a trusted proxy wrote is believed.
    """
    nearest = remote
    for hop in [remote, *reversed(forwarded.rsplit(",", MOST_HOPS)[-MOST_HOPS:])]:
        address = _parsed(hop)
        if address is None:
            return nearest
        nearest = str(address)
        if not _is_in(address, trusted):
            return nearest
    return nearest


def is_on_this_machine(remote: str, headers: Mapping[str, str], trusted: Sequence[Network]) -> bool:
    """Whether a client is: `remote` is who is connected, `headers` are what it says, by their names in lower case.

    What a proxy passes on that nobody trusts is not, nor what a page of another machine has a browser of this one say.
    """
    peer, forwarded = _parsed(remote), headers.get(_FORWARDED_FOR)
    is_passed_on = any(name in headers for name in _OF_PROXIES)
    if peer is None or (is_passed_on and (forwarded is None or not _is_in(peer, trusted))):
        return False
    # A proxy that says `unknown`, or nothing, hides who it passes on.
    if is_passed_on and not all(map(_parsed, (forwarded or "").split(","))):
        return False
    if not _is_loopback(client_address(remote, forwarded or "", trusted)):
        return False
    try:
        return "origin" not in headers or _is_loopback(urlsplit(headers["origin"]).hostname or "")
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    address = _parsed(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def _is_in(address: _Address, networks: Sequence[Network]) -> bool:
    return any(address.version == net.version and address in net for net in networks)


def neighbourhood(address: str) -> str:
    """What failures from an address are counted by: an IPv4 address, an IPv6 /64, any other text as it is."""
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, _NEIGHBOURS), strict=False))
    return address if parsed is None else str(parsed)


@lru_cache(4_096)
def _parsed(text: str) -> _Address | None:
    """An address as proxies write it: with a port, in brackets, quoted; IPv4 in IPv6 is IPv4. None for none."""
    text = text.strip()[:100].strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
