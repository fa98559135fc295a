"""Every door that takes a body computes no more than its share for shapes that are made to slow it down: 4 and 16 times
the size may take little more than 4 and 16 times the CPU, and nothing takes as long as a request may (docs/security.md,
"Budgets of work").
"""

import gc
import logging
import time
from collections.abc import Callable, Iterator, Mapping

import orjson
import pytest
from django.conf import settings

from tests.api.authorisation_bodies import BODIES
from tests.api.authorisation_matrix import MATRIX, address
from tests.api.test_authorisation import API_DOORS
from tests.families import shown
from tests.growth.schemas import SCHEMAS

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

DOORS = sorted((name, method) for name, method, _ in API_DOORS if method in ("POST", "PUT", "PATCH"))
SIZES = (250, 1_000, 4_000)
ALLOWED, FLOOR_SECONDS = 1.6, 0.04
"""Of the growth; what is shorter is noise."""
ROUNDS = 3


def _nested(size: int) -> object:
    value: object = "x"
    for _ in range(min(size, 60)):
        value = {"a": value}
    return [value] * (size // 60 + 1)


def _definition(size: int) -> object:
    nodes = [{"id": f"n{at}", "type": "noop"} for at in range(size // 20)]
    edges = [{"from": f"n{at}", "to": f"n{at + 1}"} for at in range(len(nodes) - 1)]
    return {"name": "ours", "nodes": nodes, "edges": edges}


def _schema(name: str) -> Callable[[int], object]:
    return lambda size: {"name": "ours", "nodes": [], "edges": [], "input_schema": SCHEMAS[name](size // 20)}


SHAPES: Mapping[str, Callable[[int], object]] = {
    "words": lambda size: "a b. " * size,
    "braces": lambda size: "{{ a." * size,
    "newlines": lambda size: "```" + "\n" * size,
    "one sign": lambda size: "\\" * size,
    "list": lambda size: [*range(size)],
    "objects": lambda size: [{"a": at, "b": [at]} for at in range(size)],
    "names": lambda size: {f"k{at}": at for at in range(size)},
    "nested": _nested,
    "definition": _definition,
    **{f"schema {name}": _schema(name) for name in [*SCHEMAS][:6]},
}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Nothing is logged meanwhile: that takes time that no shape causes."""
    logging.disable()
    gc.disable()
    yield
    gc.enable()
    logging.disable(logging.NOTSET)


def sent(api, name: str, method: str, body: object) -> Callable[[], float]:
    """What sends a body, and gives how long that computes."""
    path, raw = address(name, **api.ids), orjson.dumps(body)

    def send() -> float:
        began = time.thread_time()
        answer = api.generic(method, path, raw, content_type="application/json", **MATRIX[name].headers)
        assert answer.status_code < 500, (name, answer.content[:300])
        return time.thread_time() - began

    return send


def grows(api, name: str, method: str, field: str, shape: str) -> str | None:
    """What is wrong with how a door's work grows with a shape in a field of its body."""
    body = BODIES.get((name, method), {})
    small, middle, large = (
        min(send() for _ in range(ROUNDS))
        for send in (sent(api, name, method, {**body, field: SHAPES[shape](size)}) for size in SIZES)
    )
    if large > settings.HANDOFF_REQUEST_CPU_SECONDS:
        return f"{field} {shape}: {large:.1f} s"
    is_steep = middle > 4 * ALLOWED * max(small, FLOOR_SECONDS) or large > 16 * ALLOWED * max(
        small, FLOOR_SECONDS
    )
    return f"{field} {shape}: {small:.3f}, {middle:.3f}, {large:.3f} s" if is_steep else None


def first_answers(api, name: str, method: str, field: str) -> list[str]:
    """The shapes that a field may hold, as far as a door reads them at all: what is refused at once says nothing."""
    quick = sent(api, name, method, {**BODIES.get((name, method), {}), field: None})()
    return [
        shape
        for shape in SHAPES
        if sent(api, name, method, {**BODIES.get((name, method), {}), field: SHAPES[shape](SIZES[-1])})()
        > quick + FLOOR_SECONDS
    ]


def fields_of(name: str, method: str) -> list[str]:
    """The fields that a door's good body has, and the one that most take."""
    return [*BODIES.get((name, method), {}), "definition" if "workflow" in name else "input"]


@pytest.mark.parametrize(("name", "method"), shown(DOORS, 10))
def test_a_door_grows_with_what_it_is_sent(ours, name, method):
    steep = [
        found
        for field in dict.fromkeys(fields_of(name, method))
        for shape in first_answers(ours, name, method, field)
        if (found := grows(ours, name, method, field, shape))
    ]
    assert steep == []
