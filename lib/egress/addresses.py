"""What an IP address really stands for, and whether it is anybody's on the public internet."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_MAPPED = ip_network("::ffff:0:0/96")
_COMPATIBLE = ip_network("::/96")
_NAT64 = ip_network("64:ff9b::/96")
_UNICAST = ip_network("2000::/3")
_RELAYS = ip_network("192.88.99.0/24")

# Refused whatever an operator allows: nothing that a workflow has business with lives there.
_NEVER = {
    network: why
    for why, networks in {
        "a link-local address, where clouds hand out credentials": ["169.254.0.0/16", "fe80::/10"],
        "a metadata service, where clouds hand out credentials": [
            "fd00:ec2::254/128",
            "fd20:ce::254/128",
            "168.63.129.16/32",
            "192.0.0.192/32",
        ],
        "an address of a carrier's network (100.64.0.0/10)": ["100.64.0.0/10"],
        "a multicast address": ["224.0.0.0/4", "ff00::/8"],
        "not the address of a single machine": ["0.0.0.0/8", "::/128", "255.255.255.255/32"],
    }.items()
    for network in map(ip_network, networks)
}


def meant(address: Address) -> tuple[Address, ...]:
    """The addresses that a packet to `address` ends up at: those that IPv6 forms carry inside, else itself.

    IPv4-mapped and -compatible, NAT64, 6to4 and Teredo (its server and its client); docs/security.md, "Egress client".
    """
    if isinstance(address, IPv4Address):
        return (address,)
    if address.teredo is not None:
        return address.teredo
    if address.sixtofour is not None:
        return (address.sixtofour,)
    # `::` and `::1` are themselves.
    if address in _MAPPED or address in _NAT64 or (address in _COMPATIBLE and int(address) > 1):
        return (IPv4Address(int(address) & 0xFFFF_FFFF),)
    return (address,)


def never(address: Address) -> str | None:
    """Why nothing may ever be sent to `address`; None where something may."""
    return next((why for network, why in _NEVER.items() if address in network), None)


def is_public(address: Address) -> bool:
    """Whether this is somebody's on the internet; `address` carries no other inside."""
    if isinstance(address, IPv6Address):
        # Python's own list lacks what was never given out.
        return address in _UNICAST and address.is_global
    return address.is_global and not address.is_multicast and address not in _RELAYS


def literal(host: str) -> Address | None:
    """The address that `host` spells, None where it is a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None
