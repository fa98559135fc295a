"""Bodies of containers that are more than a step: several steps, a step that waits, a run of a workflow."""

import pytest

from runs.kernel.refused import RunRefused
from runs.reading.queries import open_runs_by_version, runs_of
from tests import factories as make
from tests.store.watching import watching
from workflows.unnumbered import version_of_part

pytestmark = pytest.mark.django_db

SQUARE = {"id": "square", "type": "transform", "params": {"set": {"value": "{{ item * item }}"}}}
TELL = {
    "id": "tell",
    "type": "transform",
    "params": {
        "set": {
            "text": "{{ string(index) }}: {{ string(item) }} squared is {{ string(steps.square.output.value) }}",
            "by": "{{ input.by }}",
            "rate": "{{ steps.rate.output.rate }}",
            "run": "{{ run.id }}",
        }
    },
}


def with_rate(body, **params):
    """A map `each` over `input.items` behind a step `rate`, whose output its body can read."""
    rate = {"id": "rate", "type": "transform", "params": {"set": {"rate": 7}}}
    each = {"id": "each", "type": "map", "params": {"items": "{{ input.items }}", "body": body, **params}}
    return make.graph([rate, each], ["rate>each"])


def test_several_steps_for_each_item_see_the_item_and_what_was_before_the_map():
    run_id = make.start(with_rate({"steps": [SQUARE, TELL]}), {"items": [2, 3], "by": "ada"})[0]
    make.work()

    results = make.run(run_id).output["results"]
    assert [one["text"] for one in results] == ["0: 2 squared is 4", "1: 3 squared is 9"]
    assert {(one["by"], one["rate"], one["run"]) for one in results} == {("ada", 7, run_id)}


def test_what_a_part_does_not_read_it_is_not_given():
    run_id = make.start(with_rate({"steps": [SQUARE]}), {"items": [2]})[0]
    make.work()
    assert [part.input for part in make.children_of(run_id)] == [{"item": 2, "index": 0}]


def test_steps_of_a_body_may_branch_and_meet_again():
    steps = [
        {"id": "large", "type": "decision"},
        {"id": "yes", "type": "transform", "params": {"set": {"said": "large"}}},
        {"id": "no", "type": "transform", "params": {"set": {"said": "small"}}},
        {"id": "end", "type": "noop"},
    ]
    edges = [
        {"from": "large", "to": "yes", "when": "item > 10"},
        {"from": "large", "to": "no", "default": True},
        {"from": "yes", "to": "end"},
        {"from": "no", "to": "end"},
    ]
    run_id = make.start(with_rate({"steps": steps, "edges": edges}), {"items": [5, 50]})[0]
    make.work()
    assert make.run(run_id).output["results"] == [{"no": {"said": "small"}}, {"yes": {"said": "large"}}]


def test_a_step_that_waits_is_a_run_of_its_own_for_each_item():
    body = {"type": "signal", "params": {"name": "done_{{ string(item) }}"}}
    run_id = make.start(with_rate(body), {"items": [1, 2]})[0]
    make.work()
    first, second = make.children_of(run_id)
    assert [make.statuses(str(part.pk)) for part in (first, second)] == [{"step": "WAITING"}] * 2
    make.send(str(second.pk), "done_2", {"n": 2})
    make.send(str(first.pk), "done_1", {"n": 1})
    make.work()
    assert make.run(run_id).output["results"] == [{"n": 1}, {"n": 2}]


def test_a_run_of_a_workflow_for_each_item_is_given_the_item():
    child = make.graph(["x"], []) | {"name": "child"}
    make.VersionFactory(workflow__tenant=make.a_tenant(), workflow__draft_definition=child)
    run_id = make.start(with_rate({"workflow": "child"}), {"items": [{"n": 1}, {"n": 2}]})[0]
    make.work()
    assert make.run(run_id).output["results"] == [{"n": 1}, {"n": 2}]
    assert [part.is_part for part in make.children_of(run_id)] == [False, False], (
        "they are runs like any other"
    )


def test_maps_within_maps_see_their_own_items_and_what_is_outside():
    inner = {
        "id": "inner",
        "type": "map",
        "params": {
            "items": "{{ item }}",
            "body": {
                "steps": [
                    {
                        "id": "sum",
                        "type": "transform",
                        "params": {"set": {"of": "{{ item + steps.rate.output.rate + input.more }}"}},
                    }
                ]
            },
        },
    }
    run_id = make.start(with_rate({"steps": [inner]}), {"items": [[1, 2], [3]], "more": 100})[0]
    make.work()
    results = make.run(run_id).output["results"]
    assert [[one["of"] for one in each["results"]] for each in results] == [[108, 109], [110]]


def test_a_share_of_the_items_may_fail():
    body = {"type": "transform", "params": {"set": {"of": "{{ 10 / item }}"}}}
    definition = with_rate(body, tolerate_failures="25%")
    one, two = (make.start(definition, {"items": items})[0] for items in ([1, 2, 5, 0], [1, 0, 5, 0]))
    make.work()
    results = make.run(one).output["results"]
    assert [result.get("of") for result in results] == [10, 5, 2, None]
    assert results[3]["error"]["code"] == "ExpressionError"
    assert make.steps(two)["each"].error["code"] == "ItemsFailed"


def test_an_item_whose_steps_fail_counts_as_failed_and_is_nobodys_dead_letter():
    steps = [{"id": "cut", "type": "transform", "params": {"set": {"of": "{{ 10 / item }}"}}}]
    run_id = make.start(with_rate({"steps": steps}, tolerate_failures=1), {"items": [0, 5]})[0]
    make.work()
    failed, fine = make.run(run_id).output["results"]
    assert (failed["error"]["code"], fine) == ("ChildFailed", {"of": 2})
    assert [make.letters(str(part.pk)) for part in make.children_of(run_id)] == [[], []]


def test_parts_are_in_no_list_of_runs():
    run_id = make.start(with_rate({"steps": [SQUARE]}), {"items": [2, 3]})[0]
    make.work()
    assert [str(run.pk) for run in runs_of(make.a_tenant().pk)] == [run_id]
    assert len(make.children_of(run_id)) == 2


def test_parts_are_not_counted_among_the_open_runs_of_a_workflow():
    run_id = make.start(with_rate({"type": "signal", "params": {"name": "never"}}), {"items": [1, 2]})[0]
    make.work()
    version = make.run(run_id).version
    for most in (10, None):
        assert open_runs_by_version(version.workflow, most=most) == {version.pk: 1}


def test_cancelling_a_run_ends_the_steps_of_its_items():
    body = {"type": "signal", "params": {"name": "never"}}
    run_id = make.start(with_rate(body), {"items": [1, 2]})[0]
    make.work()
    make.cancel(run_id)
    make.work()
    assert make.run(run_id).status == "CANCELLED"
    assert [part.status for part in make.children_of(run_id)] == ["CANCELLED"] * 2


def test_what_failed_of_an_item_is_mended_by_the_run_that_has_it():
    steps = [{"id": "cut", "type": "transform", "params": {"set": {"of": "{{ 10 / item }}"}}}]
    run_id = make.start(with_rate({"steps": steps}), {"items": [0]})[0]
    make.work()
    (part,) = make.children_of(run_id)
    id, version = str(part.pk), part.version
    for verb in (
        lambda: make.resume(id),
        lambda: make.resume_on(id, version),
        lambda: make.rerun(id, "cut"),
    ):
        with pytest.raises(RunRefused) as refusal:
            verb()
        assert refusal.value.code == "is_part"


def test_an_item_that_waits_stays_on_the_version_of_its_run():
    run_id = make.start(with_rate({"type": "signal", "params": {"name": "never"}}), {"items": [1]})[0]
    make.work()
    (part,) = make.children_of(run_id)
    with pytest.raises(RunRefused) as refusal:
        make.migrate(str(part.pk), make.next_version(part.version.workflow, make.graph(["a"], [])))
    assert refusal.value.code == "is_part"


def test_the_version_of_a_part_is_made_once_and_then_found_by_a_statement():
    version = make.a_version(with_rate({"steps": [SQUARE]}))
    made = version_of_part(version.pk, "each")
    with watching() as wire:
        assert version_of_part(version.pk, "each") == made
    assert wire.trips == 1
