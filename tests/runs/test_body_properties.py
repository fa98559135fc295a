"""Random containers within containers: what the database makes of them is what they come to in memory."""

import random

import pytest

from tests import factories as make
from tests.families import shown
from workflows.trials.case_runs import Case, Subject, run_cases

pytestmark = pytest.mark.django_db

QUICK = range(4)
SOAK = range(1000, 1200)
RUNS = 10


def an_expression(dice: random.Random) -> str:
    """Something of a number, which now and then can't be computed."""
    return dice.choice(("item + 1", "item * 2", "index", "10 / item", "item - input.n", "item % 7"))


def a_step(dice: random.Random, id: str) -> dict:
    """A step that makes a number of its item."""
    return {"id": id, "type": "transform", "params": {"set": {"n": f"{{{{ {an_expression(dice)} }}}}"}}}


def a_body(dice: random.Random, name: str, depth: int) -> dict:
    """One step, some in a chain or beside each other, or a container."""
    kind = dice.choice(("one", "chain", "wide", "inner"))
    if kind == "one":
        step = a_step(dice, "x")
        return {"type": step["type"], "params": step["params"]}
    if kind == "inner" and depth:
        return {"steps": [a_container(dice, f"{name}_in", depth - 1)]}
    steps = [a_step(dice, f"{name}_{place}") for place in range(dice.randint(1, 3))]
    return {"steps": steps, "edges": []} if kind == "wide" else {"steps": steps}


def a_container(dice: random.Random, name: str, depth: int) -> dict:
    """A map over some numbers, which tolerates some failures or takes them as they come, or a loop."""
    body = a_body(dice, name, depth)
    on_error = {"on_error": "continue"} if dice.random() < 0.5 else {}
    if dice.random() < 0.3:
        number = {"type": "transform", "params": {"set": {"n": "{{ item.n + 1 }}"}}}
        ends = dice.choice(({"count": 3}, {"while": "output.n < 4"}, {"until": "iteration == 2"}))
        params = {"input": {"n": dice.randint(0, 5)}, "body": number, **ends}
        return {"id": name, "type": "loop", "params": params, **on_error}
    items = [dice.randint(-1, 3) for _ in range(dice.randint(0, 5))]
    tolerated = dice.choice((0, 1, "40%", "100%"))
    params = {
        "items": items,
        "body": body,
        "max_concurrency": dice.randint(1, 4),
        "tolerate_failures": tolerated,
    }
    return {"id": name, "type": "map", "params": params, **on_error}


def without_runs(value):
    """A value without what names a run: in memory there is none. Messages say the same."""
    if isinstance(value, dict):
        return {
            key: without_runs(one)
            for key, one in value.items()
            if key not in ("run", "status", "node", "details")
        }
    return [without_runs(one) for one in value] if isinstance(value, list) else value


BOTH = make.graph(
    [
        {
            "id": "each",
            "type": "map",
            "on_error": "continue",
            "params": {
                "items": [5, 2, 0, 1],
                "max_concurrency": 1,
                "body": {
                    "steps": [
                        {
                            "id": "part",
                            "type": "transform",
                            "params": {"set": {"n": "{{ 10 / item }}"}},
                            "set_vars": {"last": "{{ output.n }}"},
                        }
                    ]
                },
            },
        },
        {"id": "end", "type": "noop", "set_vars": {"seen": "{{ vars.last }}"}},
    ],
    ["each>end"],
    output="{{ vars }}",
)


def test_what_items_had_set_when_their_container_fails_stays_in_memory_and_in_the_database():
    (result,) = run_cases(Subject(BOTH, "graph", "default", {}, is_valid=True), [Case(1, "one", {})])
    (run_id,) = make.start(BOTH, {})
    make.work()
    assert make.steps(run_id)["each"].status == "FAILED"
    assert make.run(run_id).output == result.output == {"last": 5, "seen": 5}


def check(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(RUNS):
        first, second = a_container(dice, "one", 2), a_container(dice, "two", 1)
        definition = make.graph([first, second], dice.choice(([], ["one>two"])))
        given = {"n": dice.randint(0, 3)}
        (expected,) = run_cases(
            Subject(definition, "graph", "default", {}, is_valid=True), [Case(1, "one", given)], seconds=60.0
        )
        run_id = make.start(definition, given)[0]
        make.work()
        run = make.run(run_id)
        assert run.status == expected.status, (seed, definition, run.error, expected.error)
        if run.status == "COMPLETED":
            assert without_runs(run.output) == without_runs(expected.output), (seed, definition)


@pytest.mark.parametrize("seed", shown(QUICK, 1))
def test_what_containers_come_to_is_what_they_come_to_in_memory(seed):
    check(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", SOAK)
def test_many_containers_come_to_what_they_come_to_in_memory(seed):
    check(seed)
