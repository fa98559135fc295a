"""Where requests may go: what an operator allows, what nobody may, and the ports of the rest."""

import contextlib
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import Any

from lib.egress.addresses import Address, Network, is_public, literal, meant, never
from lib.egress.errors import EgressRefused

Resolver = Callable[..., Iterable[tuple[Any, ...]]]
"""`socket.getaddrinfo`, or what a test puts in its place."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """A network that may be reached although it is private, or public but at another port; no port: at every one."""

    network: Network
    port: int | None = None

    def covers(self, address: Address, port: int) -> bool:
        """Whether `address` at `port` is meant."""
        return address in self.network and self.port in (None, port)


@dataclass(frozen=True, slots=True)
class Server:
    """A server of our own, which no request may reach by whatever name."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class EgressRules:
    """`allow` opens private networks, `deny` overrides it (docs/security.md, "Egress client")."""

    allow: tuple[Allowance, ...] = ()
    deny: tuple[Server, ...] = ()
    public_ports: frozenset[int] = frozenset({80, 443})
    connect_seconds: float = 10.0
    resolver: Resolver = field(default=socket.getaddrinfo)
    ca_file: str | None = None
    """Certificate authorities that are trusted beside the public ones and the system's."""

    def check(self, host: str, address: Address, port: int) -> None:
        """Let `address`, to which `host` resolved, pass at `port`. Raises EgressRefused."""
        for real in (address, *meant(address)):
            if why := never(real):
                raise EgressRefused(f"{_named(host, address)} is {why}.")
        for real in meant(address):
            self._check(host, real, port)

    def _check(self, host: str, address: Address, port: int) -> None:
        if any(self._is_own(server, address, port) for server in self.deny):
            raise EgressRefused(f"{_named(host, address)} at port {port} is a server of this system itself.")
        if any(allowance.covers(address, port) for allowance in self.allow):
            return
        allowance = f"{address}/{address.max_prefixlen}:{port}"
        if not is_public(address):
            message = f"{_named(host, address)} is not a public address."
            raise EgressRefused(message, allowance=allowance)
        if port not in self.public_ports:
            ports = " and ".join(map(str, sorted(self.public_ports)))
            message = f"{_named(host, address)} may not be reached at port {port}, only at {ports}."
            raise EgressRefused(message, allowance=allowance)

    def _is_own(self, server: Server, address: Address, port: int) -> bool:
        if server.port != port:
            return False
        own = literal(server.host)
        if own is not None:
            addresses: set[Address] = {own}
        else:
            try:
                addresses = set(addresses_of(self.resolver(server.host, port, type=socket.SOCK_STREAM)))
            except OSError:
                # Who can't tell where the server is can't tell that this is another one.
                return True
        ours = {real for each in addresses for real in meant(each)}
        here = any(each.is_loopback or each.is_unspecified for each in ours)
        return address in ours or (here and _is_of_this_machine(address))


def allowances(text: str) -> tuple[Allowance, ...]:
    """What a comma separated list of `CIDR` and `CIDR:port` allows. Raises ValueError, which names the entry."""
    return tuple(_allowance(entry.strip()) for entry in text.split(",") if entry.strip())


def addresses_of(answers: Iterable[tuple[Any, ...]]) -> list[Address]:
    """The addresses of what getaddrinfo answers, each once, in its order."""
    addresses = (literal(str(answer[4][0])) for answer in answers)
    return list(dict.fromkeys(address for address in addresses if address is not None))


def _allowance(entry: str) -> Allowance:
    cidr, port = _parted(entry)
    try:
        network = ip_network(cidr)
    except ValueError as error:
        raise ValueError(f"`{entry}` is neither CIDR nor CIDR:port ({error})") from None
    if port is None:
        return Allowance(network)
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
        raise ValueError(f"`{entry}` has no port from 1 to 65535")
    return Allowance(network, int(port))


def _parted(entry: str) -> tuple[str, str | None]:
    """CIDR and port. An IPv6 address without `/` is taken whole: what looks like its port is part of it."""
    if entry.startswith("[") and "]" in entry:
        inside, _, rest = entry[1:].partition("]")
        prefix, colon, port = rest.partition(":")
        return inside + prefix, port if colon else None
    address, slash, rest = entry.partition("/")
    if slash:
        prefix, colon, port = rest.partition(":")
        return f"{address}/{prefix}", port if colon else None
    address, colon, port = entry.partition(":")
    return (entry, None) if ":" in port or not colon else (address, port)


def _named(host: str, address: Address) -> str:
    return host if host == str(address) else f"{host} ({address})"


def _is_of_this_machine(address: Address) -> bool:
    if address.is_loopback or address.is_unspecified:
        return True
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    # Only addresses of this machine can be bound.
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.bind((str(address), 0))
        return True
    return False
