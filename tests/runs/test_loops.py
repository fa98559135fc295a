"""Loops: one round after another, each with what the one before gave, until a condition ends it."""

import pytest

from runs.models import Run, RunKey, RunMessage
from runs.workers.drain import Drain
from tests import factories as make

pytestmark = pytest.mark.django_db

PLUS = {"type": "transform", "params": {"set": {"n": "{{ item.n + input.step }}"}}}


def looped(body=None, **params):
    """A loop named `again` that adds `input.step` to `n`, and a step `after` it."""
    again = {"id": "again", "type": "loop", "params": {"body": body or PLUS, **params}}
    return make.graph([again, "after"], ["again>after"])


def begun(definition, **given):
    """A run of it, worked off as far as it goes."""
    run_id = make.start(definition, {"n": 0, "step": 1, **given})[0]
    make.work()
    return run_id


@pytest.mark.parametrize(
    ("ends", "n"),
    [
        ({"while": "output.n < 3"}, 3),
        ({"until": "output.n >= 4"}, 4),
        ({"count": 5}, 5),
        ({"count": 5, "until": "iteration == 2"}, 2),
        ({"while": "output.n < input.most"}, 6),
    ],
)
def test_it_goes_on_until_what_it_says(ends, n):
    run_id = begun(looped(**ends), most=6)
    assert make.run(run_id).output == {"n": n}
    assert [child.input["n"] for child in make.children(run_id, "again")] == [*range(n)]


def test_its_first_round_is_given_what_the_step_says():
    run_id = begun(looped(input={"n": "{{ input.step * 100 }}"}, count=1))
    assert make.run(run_id).output == {"n": 101}


@pytest.mark.parametrize("count", [0, "{{ input.rounds }}"])
@pytest.mark.parametrize("body", [PLUS, {"steps": [{"id": "plus", **PLUS}]}])
def test_a_loop_of_no_rounds_gives_its_first_input(body, count):
    assert make.run(begun(looped(body, count=count), rounds=0)).output == {"n": 0, "step": 1, "rounds": 0}
    run_id = begun(looped(body, count=count, input={"n": 7}), rounds=0)
    assert make.run(run_id).output == {"n": 7}
    assert make.children(run_id, "again") == []


def test_a_loop_of_no_rounds_inside_a_map():
    inner = {"steps": [{"id": "again", "type": "loop", "params": {"body": PLUS, "count": "{{ item }}"}}]}
    each = {"id": "each", "type": "map", "params": {"items": [0, 0], "body": inner}}
    run_id = begun(make.graph([each], []))
    assert make.run(run_id).output == {"results": [0, 0]}


def test_a_round_may_be_several_steps_or_wait():
    body = {"steps": [{"id": "ask", "type": "signal", "params": {"name": "go"}}, {"id": "plus", **PLUS}]}
    run_id = begun(looped(body, count=2))
    for _ in range(2):
        part = str(make.children_of(run_id)[-1].pk)
        make.send(part, "go")
        make.work()
    assert make.run(run_id).output == {"n": 2}


def test_a_round_that_fails_fails_the_loop_and_resumed_it_goes_on_there():
    body = {"type": "transform", "params": {"set": {"n": "{{ item.n + 1 }}", "x": "{{ 6 / (item.n - 2) }}"}}}
    run_id = begun(looped(body, count=4))
    step = make.steps(run_id)["again"]
    assert (step.status, step.error["code"], step.error["details"]["round"]) == ("FAILED", "RoundFailed", 3)

    make.resume(run_id)
    make.work()
    assert make.steps(run_id)["again"].error["details"]["round"] == 3
    assert [child.index for child in make.children(run_id, "again")] == [0, 1, 2]


def test_a_loop_without_an_end_fails_at_its_bound():
    run_id = begun(looped(**{"while": "true"}, max_iterations=4))
    assert make.steps(run_id)["again"].error["code"] == "TooManyRounds"


def test_a_condition_that_can_not_be_computed_fails_the_loop():
    run_id = begun(looped(**{"while": "output.none < 3"}))
    error = make.steps(run_id)["again"].error
    assert (error["code"], "after round 1" in error["message"]) == ("ExpressionError", True)


def test_a_paused_loop_stands_still_between_rounds():
    run_id = make.start(looped({"type": "noop"}, count=3), {"n": 0})[0]
    make.work("engine")
    (first,) = make.claimed()
    make.pause(run_id)
    make.complete(first, output={"n": 1})
    make.work()
    assert [child.status for child in make.children(run_id, "again")] == ["COMPLETED", "QUEUED"]
    make.unpause(run_id)
    make.work()
    assert make.run(run_id).output == {"n": 1}


class TestGoingOnAsNew:
    """A loop whose history has grown long goes on as a new run (R-013)."""

    @pytest.fixture(autouse=True)
    def short(self, settings):
        settings.HANDOFF_CONTINUE_AFTER_EVENTS = 15

    def chain_of(self, run_id):
        """The runs of a chain, the first first."""
        return list(Run.unsafe_all_tenants.filter(root_id=run_id).order_by("id"))

    def test_it_is_one_loop_over_several_runs(self):
        run_id = begun(looped(count=50))
        chain = self.chain_of(run_id)
        assert [run.status for run in chain] == ["CONTINUED"] * (len(chain) - 1) + ["COMPLETED"]
        assert len(chain) > 1
        assert chain[-1].output == {"n": 50}
        rounds = [[child.index for child in make.children(str(run.pk), "again")] for run in chain]
        assert [index for each in rounds for index in each] == [*range(50)]

    def test_what_was_done_before_is_kept(self):
        first = {"id": "first", "type": "transform", "params": {"set": {"n": 100}}}
        again = {"id": "again", "type": "loop", "params": {"body": PLUS, "count": 25}}
        last = {
            "id": "last",
            "type": "transform",
            "params": {"set": {"sum": "{{ steps.first.output.n + prev.n }}"}},
        }
        definition = make.graph([first, again, last], ["first>again", "again>last"])
        run_id = begun(definition)
        *_, newest = self.chain_of(run_id)
        assert newest.pk != run_id
        assert newest.output == {"sum": 225}
        assert make.steps(str(newest.pk))["first"].kept_from is not None

    def test_its_business_key_stands_for_the_newest(self):
        definition = looped(count=25) | {"business_key": "{{ input.key }}"}
        run_id = begun(definition, key="A-1")
        *_, newest = self.chain_of(run_id)
        assert RunKey.unsafe_all_tenants.get(business_key="A-1").run_id == newest.pk

    def test_a_child_goes_on_and_its_parent_waits_for_the_newest(self):
        body = {"steps": [{"id": "again", "type": "loop", "params": {"body": {**PLUS}, "count": 45}}]}
        each = {"id": "each", "type": "map", "params": {"items": [{"n": 0}], "body": body}}
        run_id = begun(make.graph([each], []))
        assert make.run(run_id).output == {"results": [{"n": 45}]}
        assert len(make.children_of(run_id)) > 1

    def test_a_signal_to_the_first_run_is_the_newest_ones(self):
        again = {"id": "again", "type": "loop", "params": {"body": PLUS, "count": 25}}
        ask = {"id": "ask", "type": "signal", "params": {"name": "go"}}
        run_id = begun(make.graph([again, ask], ["again>ask"]))
        assert make.run(run_id).status == "CONTINUED"
        make.send(run_id, "go", {"yes": True})
        make.work()
        assert self.chain_of(run_id)[-1].output == {"yes": True}

    def test_it_stays_while_something_else_is_open(self):
        again = {"id": "again", "type": "loop", "params": {"body": PLUS, "count": 30}}
        ask = {"id": "ask", "type": "signal", "params": {"name": "go"}}
        run_id = begun(make.graph([again, ask], []))
        assert make.statuses(run_id) == {"again": "COMPLETED", "ask": "WAITING"}

    def test_paused_meanwhile_it_goes_on_in_itself(self):
        run_id = make.start(looped({"type": "noop"}, count=30), {"n": 7})[0]
        make.work("engine")
        # One drain takes a second at most.
        while not RunMessage.unsafe_all_tenants.exists():
            assert Drain("default").run()
        assert RunMessage.unsafe_all_tenants.get().kind == "continue"
        make.pause(run_id)
        make.work()
        assert make.children(run_id, "again")[-1].held
        make.unpause(run_id)
        make.work()
        assert make.run(run_id).output == {"n": 7}
        assert [one.pk for one in self.chain_of(run_id)] == [make.run(run_id).pk]

    def test_a_part_still_sees_what_is_around_it(self):
        """What a kept step leads to may depend on a step outside."""
        first = {"id": "first", "type": "noop"}
        again = {"id": "again", "type": "loop", "params": {"body": {"type": "noop"}, "count": 25}}
        edges = [
            {"from": "first", "to": "again", "when": "steps.rate.output.n == 7"},
            {"from": "again", "to": "last"},
        ]
        body = {"steps": [first, again, {"id": "last", "type": "noop"}], "edges": edges}
        each = {"id": "each", "type": "map", "params": {"items": [{"n": 1}], "body": body}}
        rate = {"id": "rate", "type": "transform", "params": {"set": {"n": 7}}}
        run_id = begun(make.graph([rate, each], ["rate>each"]))
        assert len(make.children_of(run_id)) > 1
        assert make.run(run_id).output == {"results": [{"n": 1}]}

    def test_where_the_new_run_is_refused_it_goes_on_in_itself(self):
        definition = looped({"type": "noop"}, count=30) | {"business_key": "{{ input.key }}"}
        run_id = make.start(definition, {"n": 7, "key": "A-1"})[0]
        other = make.start(definition, {"n": 7, "key": "A-2"})[0]
        RunKey.unsafe_all_tenants.filter(business_key="A-2").delete()
        RunKey.unsafe_all_tenants.filter(business_key="A-1").update(run_id=other)
        make.pause(other)
        make.work()
        assert make.run(run_id).status == "COMPLETED"
        assert [one.pk for one in self.chain_of(run_id)] == [make.run(run_id).pk]
