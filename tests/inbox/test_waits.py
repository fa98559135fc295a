"""Tasks open with the wait of their step, and none outlives it (R-142, R-143, H-32)."""

from datetime import timedelta

import pytest

from lib import named_sql
from runs.kernel.wait_kinds import register
from runs.reading.presentation import found_run
from runs.workers import drain
from tasks_inbox.lifecycle.waits import TASK
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member, task_of


def test_a_task_opens_with_all_that_the_author_said(clock):
    task = asked(
        approval(
            instructions="Look at the receipt.",
            facts={"Order": "{{ input.order }}", "Nothing": None},
            candidates={"users": ["Ann"], "groups": ["Finance"], "expr": "{{ input.managers }}"},
            exclude=["{{ input.by }}"],
            due_seconds=3600,
            priority=5,
        ),
        order="A-17",
        managers=["Bob", "Ann"],
        by="Cid",
    )
    assert (task.title, task.kind, task.status) == ("Refund 40 EUR?", "approval", "OPEN")
    assert task.facts == [{"label": "Order", "value": "A-17"}, {"label": "Nothing", "value": None}]
    assert task.candidates == {"users": ["Ann", "Bob"], "groups": ["Finance"], "roles": []}
    assert (task.audience, task.exclude) == (["user:ann", "user:bob", "group:finance"], ["cid"])
    assert (task.due_at, task.priority) == (clock.now + timedelta(hours=1), 5)
    assert [(one["name"], one["require_comment"]) for one in task.outcomes] == [
        ("approved", False),
        ("rejected", True),
    ]
    assert make.history(task.run_id)[-2:] == ["STEP_WAITING ask", "TASK_OPENED ask"]


def test_what_a_run_waits_for_is_said_in_words():
    task = asked(approval(candidates={"users": ["ann"], "groups": ["Finance"]}))
    shown = found_run(task.tenant_id, task.run_id)["waiting_for"]
    assert shown == "Ask for an approval (ask) waits for ann or the group Finance to decide “Refund 40 EUR?”"


@pytest.mark.parametrize(
    ("candidates", "words"),
    [
        (None, "for somebody to decide"),
        ({"roles": ["admin"]}, "an admin to decide"),
        ({"roles": ["admin", "requester"]}, "an admin or a requester to decide"),
        ({"users": ["a", "b", "c", "d"]}, "a, b or others to decide"),
    ],
)
def test_whoever_is_asked_is_named(candidates, words):
    task = asked(approval(**({"candidates": candidates} if candidates else {})))
    assert words in found_run(task.tenant_id, task.run_id)["waiting_for"]


@pytest.mark.parametrize(
    ("quorum", "words"),
    [
        ({"need": 1}, "ann or bob to decide “Refund 40 EUR?”"),
        (2, "ann or bob to decide “Refund 40 EUR?” (2 of them)"),
        ({"need": "all"}, "ann or bob to decide “Refund 40 EUR?” (all of them)"),
        ({"groups": {"Legal": 2, "HR": 1}}, "“Refund 40 EUR?” (1 of HR and 2 of Legal)"),
    ],
)
def test_how_many_must_agree_is_said(quorum, words):
    member("ann"), member("bob")
    named = {
        "users": ["ann", "bob"],
        "groups": list(quorum.get("groups", ())) if isinstance(quorum, dict) else [],
    }
    task = asked(approval(candidates=named, quorum=quorum))
    assert found_run(task.tenant_id, task.run_id)["waiting_for"].endswith(words)


def test_a_batch_of_tasks_opens_in_one_statement(monkeypatch):
    # However busy the machine is, the hundred are one batch.
    monkeypatch.setattr(drain, "FLUSH_SECONDS", 60)
    seen = []
    monkeypatch.setattr(named_sql, "watchers", [seen.append])
    make.start(approval(), *({"amount": n} for n in range(100)))
    make.work()
    assert ManualTask.unsafe_all_tenants.filter(status="OPEN").count() == 100
    assert seen.count("open_tasks") == seen.count("enter_waits") == 1


@pytest.mark.parametrize("given", [None, "", [], [""]])
def test_candidates_that_name_nobody_open_the_task_to_nobody(given):
    definition = approval(candidates={"expr": "{{ input.manager }}"})
    (run_id,) = make.start(definition, {"amount": 1, "manager": given})
    make.work()
    assert make.run(run_id).error["code"] == "BadParams"
    assert not ManualTask.unsafe_all_tenants.exists()


def test_what_cannot_be_kept_fails_the_step_and_nobody_elses():
    definition = approval(facts={"Long": "{{ input.long }}"})
    bad, good = make.start(definition, {"amount": 1, "long": "x" * 300_000}, {"amount": 2, "long": "x"})
    make.work()
    assert make.run(bad).error["code"] == "BadParams"
    assert task_of(good).status == "OPEN"


def test_cancelling_the_run_cancels_its_tasks():
    task = asked()
    make.cancel(str(task.run_id))
    assert again(task).status == "CANCELLED"


def test_a_run_that_fails_elsewhere_cancels_its_tasks_and_resumed_it_asks_again():
    task = asked(approval(more=[{"id": "job", "type": "job", "queue": "q"}]))
    make.fail(*make.claimed("q"))
    assert again(task).status == "CANCELLED"
    make.resume(str(task.run_id))
    make.work()
    new = task_of(task.run_id)
    assert (new.pk != task.pk, new.step_id, new.status) == (True, task.step_id, "OPEN")
    decide(member("ann"), new)
    assert make.statuses(task.run_id)["ask"] == "COMPLETED"


def test_a_boundary_timer_that_ends_the_step_cancels_its_task(clock):
    definition = approval()
    definition["nodes"].append({"id": "late", "type": "noop"})
    definition["nodes"][0]["boundary_timers"] = [{"after_seconds": 60, "interrupting": True, "to": "late"}]
    task = asked(definition)
    clock.advance(61)
    assert make.tick() == 1
    make.work()
    assert again(task).status == "CANCELLED"
    assert make.statuses(task.run_id)["late"] == "COMPLETED"


def test_a_due_date_decides_nothing(clock):
    task = asked(approval(due_seconds=60))
    clock.advance(10_000)
    assert make.tick() == 0
    assert again(task).status == "OPEN"


def test_a_run_that_ends_elsewhere_leaves_no_task():
    definition = make.graph(
        [
            {"id": "ask", "type": "human.approval", "params": {"title": "?"}},
            {"id": "a", "type": "job", "queue": "q"},
            {"id": "end", "join": "any"},
        ],
        ["ask>end", "a>end"],
    )
    task = asked(definition)
    make.complete(*make.claimed("q"))
    make.work()
    assert make.run(task.run_id).status == "COMPLETED"
    assert again(task).status == "CANCELLED"


def test_the_wait_has_one_owner():
    with pytest.raises(ValueError, match="has an owner already"):
        register("task", TASK)


def test_a_decision_behind_a_reminder_ends_the_step_and_leaves_the_reminder_as_it_is(clock):
    definition = approval()
    definition["nodes"][0]["boundary_timers"] = [{"after_seconds": 60, "interrupting": False, "to": "remind"}]
    definition["nodes"].append({"id": "remind", "type": "noop"})
    task = asked(definition)
    clock.advance(60)
    make.tick()
    decide(member("ann"), task)
    make.work()
    assert make.statuses(str(task.run_id)) == {
        "ask": "COMPLETED",
        "yes": "COMPLETED",
        "no": "SKIPPED",
        "remind": "COMPLETED",
    }
    assert make.run(str(task.run_id)).status == "COMPLETED"


def test_what_others_typed_marks_nothing_up_in_instructions():
    asks = approval(instructions="**Call** {{ input.name }} first.")
    task = asked(asks, name="[Ann](https://evil.example)")
    assert task.instructions == "**Call** \\[Ann\\](https://evil.example) first."
