"""`now()` is the moment in which the step began: the same wherever the step asks, and another one in each attempt."""

import pytest

from runs.kernel.graphs import graph_of
from runs.maintenance import due
from tests import factories as make

pytestmark = pytest.mark.django_db

NOW = "{{ now() }}"
TELLS = {"type": "transform", "params": {"set": {"at": NOW, "same": "{{ [now(), now()] }}"}}}
NINE, TEN, ELEVEN = "2031-01-01T09:00:00Z", "2031-01-01T10:00:00Z", "2031-01-01T11:00:00Z"
AN_HOUR = 3600.0
STEADY = {"max_retries": 3, "base_seconds": 2, "factor": 2, "max_seconds": 300, "jitter": 0}


def rendered(step):
    return graph_of(step.version_id).step(step.node, step.index).render(step.scope)


def test_its_edges_and_variables_have_the_moment_in_which_it_began_and_the_next_step_its_own(clock):
    early = {"from": "a", "to": "early", "when": f"now() < timestamp('{TEN}')"}
    late = {"from": "a", "to": "late", "when": f"now() >= timestamp('{TEN}')"}
    run_id = make.start(
        make.graph(
            [
                {"id": "a", "set_vars": {"began": NOW}},
                {"id": "early", **TELLS},
                "late",
            ],
            [early, late],
        )
    )[0]
    step = make.claimed()[0]
    clock.advance(AN_HOUR)
    make.complete(step)

    assert make.statuses(run_id) == {"a": "COMPLETED", "early": "COMPLETED", "late": "SKIPPED"}
    assert make.run(run_id).output == {"at": TEN, "same": [TEN, TEN]}
    assert make.steps(run_id)["a"].started_at.isoformat() == "2031-01-01T09:00:00+00:00"


@pytest.mark.parametrize("seen", [True, False])
def test_a_step_that_waits_began_before_it_waited(clock, seen):
    ask = {"id": "ask", "type": "signal", "params": {"name": "go"}, "set_vars": {"began": NOW}}
    when = f"now() == timestamp('{NINE if seen else ELEVEN}')"
    run_id = make.start(
        make.graph([ask, {"id": "b", **TELLS}, "c"], [{"from": "ask", "to": "b", "when": when}, "ask>c"])
    )[0]
    make.work()
    clock.advance(2 * AN_HOUR)
    make.send(run_id, "go")
    make.work()

    assert make.statuses(run_id)["b"] == ("COMPLETED" if seen else "SKIPPED")
    if seen:
        assert make.steps(run_id)["b"].output["at"] == ELEVEN


def test_a_retry_is_an_attempt_of_its_own(clock):
    make.start(make.graph([{"id": "a", "retry": STEADY, "params": {"x": NOW}}], []))
    first = make.claimed()[0]
    assert rendered(first) == {"x": NINE}
    clock.advance(1)
    assert rendered(first) == {"x": NINE}
    make.fail(first, retryable=True)
    clock.advance(AN_HOUR)
    due.hint()
    assert rendered(make.claimed()[0]) == {"x": "2031-01-01T10:00:01Z"}


def test_items_of_a_map_and_rounds_of_a_loop_have_their_own(clock):
    body = {"steps": [{"id": "ask", "type": "signal", "params": {"name": "go"}}, {"id": "tell", **TELLS}]}
    again = {"id": "again", "type": "loop", "params": {"body": body, "until": f"now() > timestamp('{TEN}')"}}
    run_id = make.start(make.graph([again], []))[0]
    make.work()
    for _ in range(2):
        clock.advance(AN_HOUR)
        make.send(str(make.children_of(run_id)[-1].pk), "go")
        make.work()
    assert [part.output["at"] for part in make.children_of(run_id)] == [TEN, ELEVEN]
    assert make.run(run_id).status == "COMPLETED"

    each = make.start(make.mapped(TELLS), {"items": [1, 2]})[0]
    make.work()
    assert make.run(each).output["results"] == [{"at": ELEVEN, "same": [ELEVEN, ELEVEN]}] * 2


def test_the_output_and_joins_of_a_run_tell_the_time_too(clock):
    join = {"id": "j", "input": {"at": NOW}}
    definition = make.graph(["a", "b", join], ["a>j", "b>j"], output={"ended": NOW})
    run_id = make.start(definition)[0]
    first, second = make.claimed()
    make.complete(first)
    clock.advance(AN_HOUR)
    make.complete(second)
    assert make.steps(run_id)["j"].input == {"at": TEN}
    clock.advance(AN_HOUR)
    make.work()
    assert make.run(run_id).output == {"ended": ELEVEN}


def test_only_who_tells_the_time_is_asked_for_it():
    plain = make.a_version(make.graph([{"id": "a", "params": {"x": "{{ run.now }}"}}], []))
    assert graph_of(plain.pk).nodes["a"].reads.tells_time is False
    timed = make.a_version(make.graph([{"id": "a"}, {"id": "b", **TELLS}], ["a>b"]))
    assert graph_of(timed.pk).nodes["a"].reads.tells_time is True
