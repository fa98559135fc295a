"""From where a token may be used: networks, written as addresses or in CIDR notation."""

from collections.abc import Iterable, Sequence
from ipaddress import ip_address, ip_network

from accounts.limits import NETWORK_CHARACTERS, TOKEN_NETWORKS
from lib.client_address import Network
from lib.refusals import Invalid


def written(texts: Iterable[str]) -> list[str]:
    """Networks as they are kept, each once. Raises Invalid for what is none, or too many of them."""
    networks = list(dict.fromkeys(str(_network(text)) for text in texts))
    if len(networks) > TOKEN_NETWORKS:
        raise Invalid(f"At most {TOKEN_NETWORKS} addresses and networks are allowed.", field="allowed_ips")
    return networks


def holds(networks: Sequence[str], address: str) -> bool:
    """Whether a client at this address is in one of the networks; one whose address is unknown is in none."""
    try:
        client = ip_address(address)
    except ValueError:
        return False
    return any(client in ip_network(network) for network in networks)


def within(networks: Sequence[str], others: Sequence[str]) -> bool:
    """Whether all that these networks hold is held by one of the others each."""
    return all(any(_is_part(ip_network(one), ip_network(other)) for other in others) for one in networks)


def _is_part(one: Network, other: Network) -> bool:
    # Of one kind: networks of IPv4 and of IPv6 can't be compared.
    return one.version == other.version and one.subnet_of(other)  # type: ignore[arg-type]


def _network(text: str) -> Network:
    try:
        # An address of one interface is nothing that a client has here.
        if len(text) > NETWORK_CHARACTERS or "%" in text:
            raise ValueError
        return ip_network(text.strip())
    except ValueError:
        message = f"{text[:NETWORK_CHARACTERS]} is not an address or a network such as 10.1.0.0/16 or 2001:db8::/32."
        raise Invalid(message, field="allowed_ips") from None
