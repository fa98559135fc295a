"""Who is behind proxies: only what a trusted one wrote is believed."""

from ipaddress import ip_network

import pytest

from lib.client_address import client_address, neighbourhood

TRUSTED = (ip_network("10.0.0.0/8"), ip_network("::1/128"))


@pytest.mark.parametrize(
    ("remote", "forwarded", "client"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "203.0.113.5", "192.0.2.1"),
        ("10.0.0.1", "203.0.113.5", "203.0.113.5"),
        ("10.0.0.1", "198.51.100.1, 203.0.113.5", "203.0.113.5"),
        ("10.0.0.1", "203.0.113.5,10.0.0.2", "203.0.113.5"),
        ("10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3"),
        ("10.0.0.1", "203.0.113.5, junk", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.5, junk, 10.0.0.2", "10.0.0.2"),
        ("::1", '"[2001:db8::1]:443"', "2001:db8::1"),
        ("::ffff:10.0.0.1", "::ffff:203.0.113.5", "203.0.113.5"),
        ("10.0.0.1", "203.0.113.5:51000", "203.0.113.5"),
        ("", "203.0.113.5", ""),
        ("10.0.0.1", ",".join(["10.0.0.2"] * 200_000), "10.0.0.2"),
    ],
)
def test_the_client_is_the_nearest_that_is_no_trusted_proxy(remote, forwarded, client):
    assert client_address(remote, forwarded, TRUSTED) == client


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("", ""),
        ("signature 7", "signature 7"),
    ],
)
def test_failures_are_counted_by_network(address, counted):
    assert neighbourhood(address) == counted
