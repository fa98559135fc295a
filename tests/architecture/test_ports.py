"""Each port has something that is registered with it: one that has nothing is left over, or its owner is missing."""

import re
from importlib import import_module

import pytest

from lib.ports import Port
from tests.architecture.sources import PRODUCT, ROOT


def ports():
    for path in PRODUCT:
        if not re.search(r"= Port[\[(]", (ROOT / path).read_text()):
            continue
        name = path.removesuffix(".py").replace("/", ".")
        for constant, value in vars(import_module(name)).items():
            if isinstance(value, Port) and constant.isupper():
                yield f"{name}.{constant}", value


PORTS = dict(ports())


def test_ports_are_found():
    assert {
        "accounts.ports.IMPACTS",
        "workflows.ports.TRIGGERS",
        "runs.kernel.compensation.FAILED_COMPENSATIONS",
    } <= {*PORTS}


@pytest.mark.parametrize("name", sorted(PORTS))
def test_a_port_has_an_owner(name):
    assert PORTS[name].first is not None


def test_what_is_registered_twice_is_there_once():
    port = Port(1)
    port.register(2, 1)
    port.register(2)
    assert [*port] == [1, 2]
    assert Port().first is None
