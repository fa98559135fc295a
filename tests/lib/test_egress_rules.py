"""Where requests may go, whatever spelling or name leads there (docs/security.md, "Egress client")."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.egress import EgressRefused, EgressRules, Server, allowances
from lib.egress.addresses import meant
from tests.lib.conftest import Names

EVERYTHING = "0.0.0.0/0,::/0"


def passes(rules, address, port=443):
    try:
        rules.check("name.test", ip_address(address), port)
    except EgressRefused:
        return False
    return True


@pytest.mark.parametrize("address", ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "64:ff9b::101:101"])
@pytest.mark.parametrize("port", [80, 443])
def test_public_addresses_may_be_reached_at_the_ports_of_the_web(address, port):
    assert passes(EgressRules(), address, port)


@pytest.mark.parametrize("port", [1, 22, 25, 81, 5432, 6379, 8080, 65535])
def test_other_ports_of_public_addresses_may_not(port):
    with pytest.raises(EgressRefused, match=r"only at 80 and 443") as refused:
        EgressRules().check("name.test", ip_address("1.1.1.1"), port)
    assert refused.value.allowance == f"1.1.1.1/32:{port}"
    assert passes(EgressRules(allow=allowances(refused.value.allowance)), "1.1.1.1", port)


PRIVATE = [
    "127.0.0.1",
    "127.8.9.10",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "240.0.0.1",
    "192.88.99.1",
    "::1",
    "fc00::1",
    "fd12:3456::1",
    "2001:db8::1",
    "100::1",
    "fec0::1",
    "5f00::1",
    "4000::1",
    "64:ff9b:1::a00:1",
    "2001:2::1",
]
NEVER = [
    "169.254.169.254",
    "169.254.170.2",
    "169.254.0.1",
    "fe80::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "168.63.129.16",
    "192.0.0.192",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "224.0.0.1",
    "239.255.255.255",
    "ff02::1",
    "ff0e::1",
    "0.0.0.0",
    "0.1.2.3",
    "::",
    "255.255.255.255",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_what_is_not_public_may_be_reached_only_where_an_operator_allows_it(address):
    with pytest.raises(EgressRefused, match="not a public address") as refused:
        EgressRules().check("name.test", ip_address(address), 443)
    rules = EgressRules(allow=allowances(refused.value.allowance))
    assert passes(rules, address, 443)
    assert not passes(rules, address, 444)


@pytest.mark.parametrize("address", NEVER)
def test_some_addresses_are_never_reached_whatever_is_allowed(address):
    with pytest.raises(EgressRefused) as refused:
        EgressRules(allow=allowances(EVERYTHING)).check("name.test", ip_address(address), 80)
    assert refused.value.allowance is None


def mapped(address):
    return IPv6Address(f"::ffff:{address}")


def compatible(address):
    return IPv6Address(int(address))


def nat64(address):
    return IPv6Address(int(IPv6Address("64:ff9b::")) | int(address))


def sixtofour(address):
    return IPv6Address((0x2002 << 112) | (int(address) << 80) | 1)


def teredo_client(address):
    server = int(IPv4Address("65.54.227.120"))
    return IPv6Address((0x20010000 << 96) | (server << 64) | (int(address) ^ 0xFFFF_FFFF))


def teredo_server(address):
    client = int(IPv4Address("1.1.1.1"))
    return IPv6Address((0x20010000 << 96) | (int(address) << 64) | (client ^ 0xFFFF_FFFF))


FORMS = [mapped, nat64, sixtofour, teredo_client, teredo_server]


@pytest.mark.parametrize("form", FORMS)
@given(address=st.ip_addresses(v=4))
def test_an_address_inside_another_is_judged_as_itself(form, address):
    assert passes(EgressRules(), form(address)) == passes(EgressRules(), address)


@pytest.mark.parametrize("form", [*FORMS, compatible])
@pytest.mark.parametrize("address", ["169.254.169.254", "100.64.0.1", "224.0.0.1"])
def test_what_is_never_reached_is_not_reached_inside_another_either(form, address):
    assert not passes(EgressRules(allow=allowances(EVERYTHING)), form(IPv4Address(address)), 80)


@pytest.mark.parametrize("form", FORMS)
def test_an_allowed_private_address_stays_allowed_inside_another(form):
    rules = EgressRules(allow=allowances("10.0.0.0/8:443"))
    assert passes(rules, form(IPv4Address("10.1.2.3")))
    assert not passes(rules, form(IPv4Address("192.168.1.1")))


@given(address=st.ip_addresses(v=6))
def test_no_random_address_outside_of_global_unicast_passes(address):
    unicast = int(address) >> 125 == 1
    assert unicast or meant(address) != (address,) or not passes(EgressRules(), address)


class TestOwnServers:
    """Web, database and Redis of the system itself."""

    def test_one_on_loopback_is_reached_by_no_address_of_this_machine(self):
        rules = EgressRules(allow=allowances(EVERYTHING), deny=(Server("127.0.0.1", 5432),))
        for address in ("127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1", "::ffff:127.1.2.3"):
            assert not passes(rules, address, 5432)
            assert passes(rules, address, 5433)

    def test_one_that_listens_everywhere_is_reached_by_no_address_of_this_machine(self):
        rules = EgressRules(allow=allowances(EVERYTHING), deny=(Server("0.0.0.0", 5432),))
        assert not passes(rules, "127.0.0.1", 5432)

    def test_one_elsewhere_is_denied_by_its_address_and_by_its_name(self):
        names = Names(db_internal=[["10.0.0.5", "fd00::5"]])
        for host in ("10.0.0.5", "db.internal"):
            rules = EgressRules(
                allow=allowances("10.0.0.0/8,fd00::/8"), deny=(Server(host, 5432),), resolver=names
            )
            assert not passes(rules, "10.0.0.5", 5432)
            assert not passes(rules, "::ffff:10.0.0.5", 5432)
            assert passes(rules, "10.0.0.6", 5432)
            assert passes(rules, "10.0.0.5", 80)
        assert not passes(rules, "fd00::5", 5432)

    def test_one_whose_name_is_not_known_now_denies_its_port_everywhere(self):
        rules = EgressRules(
            allow=allowances("10.0.0.0/8"), deny=(Server("db.internal", 5432),), resolver=Names()
        )
        assert not passes(rules, "10.0.0.5", 5432)
        assert passes(rules, "10.0.0.5", 5433)


class TestAllowances:
    @pytest.mark.parametrize(
        ("entry", "network", "port"),
        [
            ("10.0.0.0/8", "10.0.0.0/8", None),
            ("10.1.2.3", "10.1.2.3/32", None),
            ("10.1.2.3:8080", "10.1.2.3/32", 8080),
            (" 10.1.2.0/24:8080 ", "10.1.2.0/24", 8080),
            ("fd00::/8", "fd00::/8", None),
            ("fd00::/8:443", "fd00::/8", 443),
            ("[fd00::]/8:443", "fd00::/8", 443),
            ("[fd00::/8]:443", "fd00::/8", 443),
            ("[::1]:11434", "::1/128", 11434),
            ("::1", "::1/128", None),
        ],
    )
    def test_an_entry_is_a_network_with_or_without_a_port(self, entry, network, port):
        [allowance] = allowances(entry)
        assert (str(allowance.network), allowance.port) == (network, port)

    def test_entries_are_separated_by_commas_and_none_is_nothing(self):
        assert len(allowances("10.0.0.0/8, 192.168.0.0/16:80,")) == 2
        assert allowances("") == allowances(" , ") == ()

    @pytest.mark.parametrize(
        "entry",
        [
            "localhost",
            "intranet:80",
            "10.0.0.5/8",
            "10.0.0.0/33",
            "10.0.0.0/8:0",
            "10.0.0.0/8:65536",
            "10.0.0.0/8:http",
            "10.0.0.0/8:",
            "10.0.0.1:٣",
            "300.1.1.1",
            "[::1:80",
            "http://10.0.0.1",
            "10.0.0.0/8:80:90",
            "*",
        ],
    )
    def test_what_is_none_is_refused_by_name(self, entry):
        with pytest.raises(ValueError, match="`") as refused:
            allowances(f"10.0.0.0/8,{entry}")
        assert f"`{entry}`" in str(refused.value)
