"""Variables of a run: who sets them, which one counts, and what becomes of them when a run goes on (R-064, H-35)."""

import pytest

from runs.commands import job_reports, jobs
from runs.kernel.refused import RunRefused
from runs.models import RunVariable
from tests import factories as make

pytestmark = pytest.mark.django_db


def node(name, kind="noop", **fields):
    return {"id": name, "type": kind, **fields}


def variables(run_id):
    """What counts, by name."""
    rows = RunVariable.unsafe_all_tenants.filter(run_id=run_id).order_by("place")
    return {row.name: row.value for row in rows}


def told(run_id):
    """Who set what, and whom they overtook."""
    return [
        (event.node, sorted(event.payload["set"]), event.payload.get("overlaps"))
        for event in make.events(run_id, "VARIABLES_SET")
    ]


def polled(*queues):
    found = jobs.poll(tenant=make.a_tenant().pk, worker="w", queues=queues, max_jobs=10)
    return {job.step.node: job for job in found}


def done(job, output=None, **variables):
    return job_reports.complete(
        tenant=job.step.tenant_id,
        job=job.step.id,
        lease_token=job.lease_token,
        output=output,
        variables=variables,
    )


def begun(definition, run_input=None):
    run_id = make.start(definition, run_input or {})[0]
    make.work()
    return run_id


def test_what_a_step_sets_is_there_for_all_that_comes_later():
    chain = make.graph(
        [
            node("price", "transform", params={"set": {"n": 7}}, set_vars={"price": "{{ output.n }}"}),
            node("between"),
            node("pay", input={"due": "{{ vars.price * 2 }}"}),
        ],
        ["price>between", "between>pay"],
    )
    run_id = begun(chain)

    assert make.steps(run_id)["pay"].input == {"due": 14}
    assert variables(run_id) == {"price": 7}
    assert told(run_id) == [("price", ["price"], None)]


def test_its_own_edges_and_the_run_s_output_see_it():
    definition = make.graph(
        [node("a", set_vars={"size": "{{ input.size }}"}), node("big"), node("small")],
        [
            {"from": "a", "to": "big", "when": "vars.size > 3"},
            {"from": "a", "to": "small", "when": "vars.size <= 3"},
        ],
        output={"size": "{{ vars.size }}"},
    )
    run_id = begun(definition, {"size": 5})

    assert make.statuses(run_id)["small"] == "SKIPPED"
    assert make.run(run_id).output == {"size": 5}


def test_nothing_stands_behind_the_end_of_a_run_whose_last_step_sets_something():
    run_id = begun(make.graph([node("a", set_vars={"x": 1})], []))
    assert make.history(run_id)[-2:] == ["VARIABLES_SET a", "RUN_COMPLETED"]


def test_a_step_whose_variable_cannot_be_computed_fails_and_sets_none():
    run_id = begun(make.graph([node("a", set_vars={"x": "{{ output.nothing }}", "y": 1})], []))

    assert make.run(run_id).status == "FAILED"
    assert make.steps(run_id)["a"].error["code"] == "ExpressionError"
    assert variables(run_id) == {}


def test_what_one_step_sets_is_at_most_64_kib():
    run_id = begun(
        make.graph([node("a", set_vars={"x": "{{ input.text }}", "y": "{{ input.text }}"})], []),
        {"text": "x" * 40_000},
    )
    assert make.steps(run_id)["a"].error["code"] == "BadOutput"


BESIDE = make.graph(
    [
        node("start"),
        node("left", "job", queue="outside"),
        node("right", "job", queue="outside"),
        node("end", "transform", params={"set": {"price": "{{ vars.price }}"}}),
    ],
    ["start>left", "start>right", "left>end", "right>end"],
)


@pytest.mark.parametrize(("first", "last"), [("left", "right"), ("right", "left")])
def test_of_two_beside_one_another_the_later_counts_and_history_says_so(first, last):
    run_id = begun(BESIDE)
    given = polled("outside")
    done(given[first], price=1, only=first)
    done(given[last], price=2)

    assert make.run(run_id).output == {"price": 2}
    assert variables(run_id) == {"price": 2, "only": first}
    assert told(run_id) == [(first, ["only", "price"], None), (last, ["price"], {"price": [first]})]


def test_two_that_end_in_one_transaction_are_told_apart():
    definition = make.graph(
        [node("start"), node("left", set_vars={"x": 1}), node("right", set_vars={"x": 2})],
        ["start>left", "start>right"],
    )
    run_id = begun(definition)

    assert variables(run_id)["x"] == 2
    assert [overlaps for _, _, overlaps in told(run_id)] == [None, {"x": ["left"]}]


def test_one_that_comes_behind_another_overtakes_nobody():
    run_id = begun(
        make.graph([node("a", set_vars={"x": 1}), node("b", set_vars={"x": "{{ vars.x + 1 }}"})], ["a>b"])
    )

    assert variables(run_id) == {"x": 2}
    assert told(run_id) == [("a", ["x"], None), ("b", ["x"], None)]


def test_what_a_lost_lease_would_have_set_does_not_count(clock):
    run_id = begun(make.graph([node("a", "job", queue="outside")], []))
    old = polled("outside")["a"]
    clock.advance(10_000)
    make.leases_lost()
    clock.advance(10)
    new = polled("outside")["a"]

    assert not done(old, price=1).applied
    assert done(new, price=2).applied
    assert variables(run_id) == {"price": 2}


def test_the_same_completion_again_sets_nothing_anew():
    run_id = begun(make.graph([node("a", "job", queue="outside")], []))
    job = polled("outside")["a"]
    assert done(job, 1, price=1).applied
    assert done(job, 1, price=5).duplicate
    assert variables(run_id) == {"price": 1}


def test_a_run_has_so_many_variables_at_most(monkeypatch):
    monkeypatch.setattr(job_reports, "RUN_VARIABLES", 2)
    begun(make.graph([node("a", "job", queue="outside"), node("b", "job", queue="outside")], ["a>b"]))
    done(polled("outside")["a"], x=1, y=2)
    with pytest.raises(RunRefused, match="at most"):
        done(polled("outside")["b"], z=3)


def test_what_completes_while_the_run_fails_sets_its_own_and_its_node_s_when_it_goes_on():
    definition = make.graph(
        [
            node("start"),
            node("slow", "job", queue="outside", set_vars={"later": "{{ output }}"}),
            node("bad", "job", queue="outside", retry="none"),
        ],
        ["start>slow", "start>bad"],
    )
    run_id = begun(definition)
    given = polled("outside")
    make.fail(given["bad"].step)
    done(given["slow"], 5, now=1)
    assert variables(run_id) == {"now": 1}

    make.resume(run_id)
    assert variables(run_id) == {"now": 1, "later": 5}


def test_a_rerun_keeps_what_was_set_before_it_and_not_what_came_later():
    definition = make.graph(
        [
            node("a", set_vars={"x": 1, "y": 1}),
            node("b", input={"x": "{{ vars.x }}"}, set_vars={"x": 2}),
            node("c"),
        ],
        ["a>b", "b>c"],
    )
    run_id = begun(definition)
    assert variables(run_id) == {"x": 2, "y": 1}

    again = make.rerun(run_id, "b")
    assert variables(again) == {"x": 1, "y": 1}
    make.work()
    assert make.steps(again)["b"].input == {"x": 1}
    assert told(again) == [("b", ["x"], None)]


def test_a_moved_run_keeps_them():
    waiting = node("wait", "signal", params={"name": "go"})
    run_id = begun(make.graph([node("a", set_vars={"x": 1}), waiting], ["a>wait"]))
    after = make.newer(
        run_id,
        make.graph(
            [node("a", set_vars={"x": 1}), waiting, node("z", input={"x": "{{ vars.x }}"})],
            ["a>wait", "wait>z"],
        ),
    )
    make.migrate(run_id, after)
    make.send(run_id, "go")
    make.work()

    assert make.steps(run_id)["z"].input == {"x": 1}
    assert len(told(run_id)) == 1


def test_each_round_of_a_loop_sees_what_the_one_before_set():
    body = {"steps": [node("count", set_vars={"sum": "{{ vars.sum + index }}"})]}
    loop = node("again", "loop", params={"body": body, "while": "vars.sum < 10"})
    definition = make.graph(
        [node("zero", set_vars={"sum": 0}), loop, node("end", input={"sum": "{{ vars.sum }}"})],
        ["zero>again", "again>end"],
    )
    run_id = begun(definition)

    assert make.steps(run_id)["end"].input == {"sum": 10}
    assert [overlaps for _, _, overlaps in told(run_id)] == [None] * 6


def test_items_of_a_map_overtake_one_another():
    body = {"steps": [node("set", "noop", set_vars={"last": "{{ item }}"})]}
    each = node("each", "map", params={"items": "{{ input.items }}", "body": body})
    run_id = begun(
        make.graph([each, node("end", input={"last": "{{ vars.last }}"})], ["each>end"]), {"items": [1, 2, 3]}
    )

    assert make.steps(run_id)["end"].input["last"] in (1, 2, 3)
    events = told(run_id)
    assert [who for who, _, _ in events] == ["each"] * 3
    assert [overlaps for _, _, overlaps in events] == [None, {"last": ["each"]}, {"last": ["each"]}]


def test_a_workflow_that_another_one_runs_keeps_its_variables_to_itself():
    inner = make.graph([node("a", set_vars={"x": 1})], []) | {"name": "inner"}
    make.VersionFactory(workflow__tenant=make.a_tenant(), workflow__draft_definition=inner)
    run_id = begun(make.graph([node("child", "subworkflow", params={"workflow": "inner"})], []))

    assert make.run(run_id).status == "COMPLETED"
    assert variables(run_id) == {}


def test_a_loop_that_goes_on_as_a_new_run_takes_them_along(settings):
    settings.HANDOFF_CONTINUE_AFTER_EVENTS = 30
    body = {"steps": [node("plus", "noop", set_vars={"n": "{{ vars.n + 1 }}"})]}
    loop = node("again", "loop", params={"body": body, "count": 45})
    definition = make.graph(
        [node("zero", set_vars={"n": 0, "kept": "yes"}), loop], ["zero>again"], output="{{ vars }}"
    )
    run_id = begun(definition)
    make.work()
    newest = make.runs_of(make.run(run_id).version)[-1]

    assert newest.pk != make.run(run_id).pk
    assert newest.output == {"n": 45, "kept": "yes"}
