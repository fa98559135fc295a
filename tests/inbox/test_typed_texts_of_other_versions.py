"""A version that a run moves to, and one from before types were kept: what was asked stays what it was, and goes on."""

import pytest

from engine.value_types import OUTER
from lib.reader import reading_as
from runs.models import Run, StepExecution
from tasks_inbox.actions import rounds
from tasks_inbox.evidence import exports, readable
from tasks_inbox.evidence.verifying import verify_chain
from tests import factories as make
from tests.inbox.asking import again, decide, member, read, task_of
from tests.inbox.test_evidence_export import faults
from tests.inbox.test_typed_texts import (
    ASK,
    EXPENSE,
    GERMAN,
    GIVEN,
    asked,
    corrected,
    definition,
    read_by,
    task_rows_of,
)
from workflows import unnumbered
from workflows.models import WorkflowVersion

THEN = {
    "id": "then",
    "type": "human.approval",
    "params": {"title": 'Book {{ steps.ask.output.facts["Amount"] }}?', "facts": {}},
}


@pytest.fixture
def people():
    """Who started the run, and one who may decide."""
    return member("ria", "viewer"), member("bob")


def untyped():
    """The expense of the tests, of an input without a schema: none of its values has a type."""
    return {**definition(), "input_schema": {"type": "object"}}


def more(**changed):
    """A later version that also asks whether to book the amount."""
    ask = {"id": "ask", "type": "human.approval", "params": {**ASK, **changed}}
    return make.graph([ask, THEN], ["ask>then"], input_schema=EXPENSE)


def test_a_question_that_is_open_while_its_run_moves_stays_as_it_was_asked(people):
    task = asked()
    make.migrate(str(task.run_id), make.newer(str(task.run_id), more()))
    make.work()
    (same,) = task_rows_of()
    assert (same.pk, same.title) == (task.pk, "Pay 1234.50 EUR for a *train* of 2027-01-31?")
    task = corrected(people, same)
    assert read_by(GERMAN, task)[0] == "Pay 617,25\u00a0EUR for a *train* of 31.01.2027?"
    step = StepExecution.unsafe_all_tenants.get(run_id=task.run_id, node="ask")
    assert step.waiting["task"]["facts"] == task.facts
    decide(people[1], task, "approved")
    make.work()
    (then,) = task_rows_of()
    assert then.title == "Book 617.25 EUR?"
    assert [*verify_chain(task.tenant_id)] == []
    text = exports.export(people[1], task.run_id, "json").content.decode()
    assert faults(text) == []
    with reading_as(GERMAN):
        assert [part.title for part in readable.parts_of(text).parts][:2] == [
            "Pay 1234.50 EUR for a *train* of 2027-01-31?",
            "Pay 617.25 EUR for a *train* of 2027-01-31?",
        ]


def test_a_question_asked_without_types_is_corrected_by_a_version_with_them(people):
    ria, bob = people
    (run,) = make.start(untyped(), GIVEN, by="ria")
    make.work()
    task = task_of(run)
    assert task.title == "Pay 1234.5 for a *train* of 2027-01-31?"
    make.migrate(run, make.newer(run, more()))
    make.work()
    rounds.return_task(bob, task.pk, comment="Half of it.", seen=read(bob, task))
    rounds.send_again(ria, task.pk, facts={"Amount": 617.25})
    task = again(task)
    # What was asked keeps its own types: its text and its fact say the same.
    assert task.title == "Pay 617.25 for a *train* of 2027-01-31?"
    assert [fact.get("type") for fact in task.facts if fact["label"] == "Amount"] == [None]
    decide(bob, task, "approved")
    make.work()
    (then,) = task_rows_of()
    assert then.title == "Book 617.25 EUR?"


INNER = {
    "id": "ask",
    "type": "human.approval",
    "params": {
        "title": 'Pay {{ facts["Price"] }} of {{ input.amount }}?',
        "facts": {"Price": "{{ item.price }}"},
    },
}
EACH = {
    "id": "each",
    "type": "map",
    "params": {"items": "{{ input.items }}", "max_concurrency": 1, "body": {"steps": [INNER]}},
}
TWO = GIVEN | {"items": [{"price": 0.1}, {"price": 2}]}


def from_before_types(run):
    """The run of an item as a release made it that knew no types: its version has none of what is outside."""
    part = WorkflowVersion.unsafe_all_tenants.get(pk=run.version_id)
    assert OUTER in part.definition
    before = {key: value for key, value in part.definition.items() if key != OUTER}
    old = unnumbered.keep(part.workflow, before, part.published_by_id)
    Run.unsafe_all_tenants.filter(pk=run.pk).update(version_id=old)


@pytest.mark.parametrize("moves", [False, True], ids=["stays", "moves"])
def test_items_asked_before_and_after_an_upgrade_are_both_decided(people, moves):
    whole = make.graph([EACH], [], input_schema=EXPENSE)
    (run,) = make.start(whole, TWO, by="ria")
    make.work()
    (task,) = task_rows_of()
    assert task.title == "Pay 0.10 EUR of 1234.50 EUR?"
    from_before_types(Run.unsafe_all_tenants.get(pk=task.run_id))
    if moves:
        make.migrate(run, make.newer(run, make.graph([EACH, "after"], ["each>after"], input_schema=EXPENSE)))
    decide(people[1], task, "approved")
    make.work()
    (task,) = task_rows_of()
    assert task.title == "Pay 2.00 EUR of 1234.50 EUR?"
    assert OUTER in Run.unsafe_all_tenants.get(pk=task.run_id).version.definition
    decide(people[1], task, "rejected", comment="No.")
    make.work()
    assert make.run(run).status == "COMPLETED"
    step = StepExecution.unsafe_all_tenants.get(run_id=run, node="each", index=None)
    assert make.statuses(run) == dict.fromkeys(("each", "after") if moves else ("each",), "COMPLETED")
    assert [one["outcome"] for one in step.output["results"]] == ["approved", "rejected"]
