"""The egress client as most tests want it: loopback is allowed, names are resolved as a test says."""

import socket
from pathlib import Path

import pytest

from lib.egress import Egress, EgressRules, allowances

CERTIFICATE = Path(__file__).parent / "certificates" / "service.pem"


class Names:
    """Stands where getaddrinfo does: a name's answers in turn, the last one again and again."""

    def __init__(self, **answers):
        self.answers = {name.replace("_", "."): list(turns) for name, turns in answers.items()}
        self.asked = []

    def __call__(self, host, port, **_):
        self.asked.append(host)
        turns = self.answers.get(host)
        if turns is None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        addresses = turns.pop(0) if len(turns) > 1 else turns[0]
        return [
            (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
            for each in addresses
        ]


@pytest.fixture
def ask():
    """One request, with everything that a test doesn't care for filled in."""

    def ask(url, method="GET", *, allow="127.0.0.0/8,::1/128", headers=None, content=None, **more):
        bounds = {
            "timeout_seconds": more.pop("timeout_seconds", 5),
            "max_bytes": more.pop("max_bytes", 100_000),
            "follow_redirects": more.pop("follow_redirects", 0),
        }
        client = Egress(EgressRules(allow=allowances(allow), **more))
        return client.request(method, url, headers=headers or {}, content=content, **bounds)

    return ask
