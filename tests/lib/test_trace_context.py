"""W3C Trace Context: what is valid is kept as it is, all else is as if it were not there."""

import time

import pytest

from lib import trace_context
from lib.trace_context import Trace, parse

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_a_valid_one_is_kept_as_it_is():
    trace = parse(PARENT, "vendor=1,other=2")
    assert trace == Trace(PARENT, "vendor=1,other=2")
    assert (trace.id, trace.span, trace.flags) == (PARENT[3:35], PARENT[36:52], 1)
    assert trace.headers() == {"traceparent": PARENT, "tracestate": "vendor=1,other=2"}
    assert parse(PARENT).headers() == {"traceparent": PARENT}


@pytest.mark.parametrize(
    "parent",
    [
        None,
        "",
        PARENT[:-1],
        PARENT + "0",
        PARENT.upper(),
        "01" + PARENT[2:],
        "ff" + PARENT[2:],
        PARENT.replace("-", "_"),
        PARENT.replace("0af7", "0ag7"),
        PARENT.replace("b7ad", "b7 d"),
        "00-" + "0" * 32 + PARENT[35:],
        PARENT[:36] + "0" * 16 + "-01",
        PARENT[:-2] + "é1",
        f"{PARENT}, {PARENT}",
        "0" * 55,
    ],
)
def test_what_is_not_valid_is_not_there(parent):
    assert parse(parent, "vendor=1") is None


@pytest.mark.parametrize(
    "state", ["", "x", "=1", "a=1\n", "a=é", "a=" + "1" * 511, ",".join(f"a{n}=1" for n in range(33))]
)
def test_a_state_that_is_not_simple_is_left_out(state):
    assert parse(PARENT, state) == Trace(PARENT)


def test_whatever_comes_is_read_at_once():
    began = time.perf_counter()
    parse("0" * 10_000_000, "a" * 10_000_000)
    parse(PARENT, "," * 512)
    assert time.perf_counter() - began < 0.5


def test_calls_are_told_of_it_while_it_holds():
    assert trace_context.headers() == {}
    token = trace_context.begin(Trace(PARENT))
    assert trace_context.headers() == {"traceparent": PARENT}
    trace_context.end(token)
    assert trace_context.headers() == {}
