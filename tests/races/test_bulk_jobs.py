"""Bulk jobs while others have the same runs: requests that wait, operators at once, versions that change."""

import time
from contextlib import contextmanager

import pytest
from django.db import transaction
from django.test import Client

from operations.bulk import service, work
from operations.bulk.letters import begin_letters
from operations.bulk.limits import ITEM_ATTEMPTS, WAITED_SECONDS
from operations.bulk.models import DECIDE, BulkItem
from operations.bulk.rights import Actors
from operations.bulk.tasks import begin_tasks
from runs.commands import dead_letters, operators
from runs.models import DeadLetter, Run
from tasks_inbox.actions.bulk import BulkCommand
from tasks_inbox.models import ManualTask, TaskDecision
from tests import factories as make
from tests.inbox.approving import ASK, PAY, WAYS
from tests.inbox.asking import approval, member, task_of
from tests.races.staging import Actor, holding, me

ALL = 60.0
"""Seconds for whatever a bulk job has left, also on a busy machine."""


def dead(count, **node):
    """Open dead letters, one for each run, the oldest first."""
    make.start(make.graph([{"id": "a", "retry": "none", **node}], []), *[{}] * count)
    make.fail(*make.claimed())
    return list(DeadLetter.unsafe_all_tenants.filter(resolution=None).order_by("-id")[:count])[::-1]


def client_of(role):
    client = Client()
    client.force_login(make.a_member("olga", role))
    return client


@contextmanager
def locked(run):
    """Somebody has the run until the block ends."""

    def hold():
        with transaction.atomic():
            Run.unsafe_all_tenants.select_for_update().get(pk=run)
            me().halt()

    actor = Actor(hold).until_halted()
    yield
    actor.end()


def results(job):
    rows = BulkItem.unsafe_all_tenants.filter(job_id=job.pk).order_by("id")
    return list(rows.values_list("result", "code"))


def reviewed(client):
    """The dry run that retries all open dead letters."""
    client.post("/operations/dead-letters/together", {"verb": "retry", "all": "1"})
    return service.jobs_of(DeadLetter.unsafe_all_tenants.first().tenant_id).first()


@pytest.mark.parametrize("which", [0, 2])
def test_a_request_puts_an_item_off_whose_run_is_locked_and_does_the_others(which):
    letters, olga = dead(3), client_of("operator")
    dry = reviewed(olga)
    with locked(letters[which].run_id):
        began = time.monotonic()
        page = olga.post(f"/bulk-jobs/{dry.pk}/go", {"reason": "it is back"}, follow=True)
        assert time.monotonic() - began < 2 * WAITED_SECONDS
        job = service.jobs_of(dry.tenant_id).first()
        left = ("pending", "")
        assert results(job) == [left if place == which else ("done", "") for place in range(3)]
        assert "2 of 3 dead letters retried" in page.text
        tries = BulkItem.unsafe_all_tenants.filter(job_id=job.pk, result="pending").values_list(
            "tries", flat=True
        )
        assert list(tries) == [1]
    work.work(ALL, job.pk)
    assert results(job) == [left if place == which else ("done", "") for place in range(3)]
    work.work(ALL)
    assert results(job) == [("done", "")] * 3


def test_a_request_waits_for_many_locked_runs_no_longer_than_for_one():
    letters, olga = dead(ITEM_ATTEMPTS), client_of("operator")
    dry = reviewed(olga)

    def hold():
        with transaction.atomic():
            runs = Run.unsafe_all_tenants.filter(pk__in=[letter.run_id for letter in letters])
            list(runs.order_by("pk").select_for_update())
            me().halt()

    actor = Actor(hold).until_halted()
    began = time.monotonic()
    olga.post(f"/bulk-jobs/{dry.pk}/go", {"reason": "it is back"})
    assert time.monotonic() - began < 2 * WAITED_SECONDS
    job = service.jobs_of(dry.tenant_id).first()
    assert results(job) == [("pending", "")] * ITEM_ATTEMPTS
    actor.end()
    work.work(ALL)
    assert results(job) == [("done", "")] * ITEM_ATTEMPTS


def begun(verb, name):
    """A job of an operator that does this to all open dead letters, reviewed before."""
    who = member(name, "operator")
    dry, _ = begin_letters(who, verb, dry_run=True)
    work.work(ALL, dry.pk)
    return service.go(who, dry.pk, reason=verb)


def letters_of(job):
    """The result for each letter of a job, with how the letters were resolved."""
    items = BulkItem.unsafe_all_tenants.filter(job_id=job.pk)
    return {item.target_id: (item.result, item.code, item.message) for item in items}


def check_letters(retry, discard, letters):
    """Each letter is resolved by one of the jobs, its run goes on or not by that, and the other job says so."""
    ways = {
        "retry": (letters_of(retry), "redriven", "olga"),
        "discard": (letters_of(discard), "discarded", "otto"),
    }
    for letter in letters:
        letter.refresh_from_db()
        won, lost = ("retry", "discard") if letter.resolution == "redriven" else ("discard", "retry")
        rows, how, by = ways[won]
        assert (letter.resolution, rows[letter.pk][0]) == (how, "done")
        result, code, message = ways[lost][0][letter.pk]
        assert (result, code) == ("refused", "resolved"), message
        assert message.startswith(f"This dead letter was already {how}"), message
        assert by in message, message
        status = make.run(letter.run_id).status
        assert status == ("RUNNING" if won == "retry" else "FAILED")


@pytest.mark.parametrize(
    ("first", "second", "before"),
    [
        ("retry", "discard", "reopen_runs"),
        ("retry", "discard", "end_bulk_item"),
        ("discard", "retry", "discard_letters"),
        ("discard", "retry", "end_bulk_item"),
    ],
)
@pytest.mark.parametrize("on_error", ["fail", "ask"])
def test_of_two_jobs_over_the_same_letters_each_is_resolved_by_one(rounds, first, second, before, on_error):
    for _ in rounds[:2]:
        letters = dead(3, on_error=on_error)
        if (before, on_error) == ("reopen_runs", "ask"):
            before = "settle_questions"
        jobs = {"retry": begun("retry", "olga"), "discard": begun("discard", "otto")}
        one = Actor(lambda jobs=jobs: work._one(Actors(), jobs[first].pk), before=before).until_halted()
        other = Actor(lambda jobs=jobs: work.work(ALL, jobs[second].pk))
        other.end()
        one.end()
        work.work(ALL)
        check_letters(jobs["retry"], jobs["discard"], letters)


@pytest.mark.parametrize("on_error", ["fail", "ask"])
def test_two_jobs_over_the_same_letters_at_once(rounds, on_error):
    for _ in rounds:
        letters = dead(6, on_error=on_error)
        jobs = {"retry": begun("retry", "olga"), "discard": begun("discard", "otto")}
        for actor in [Actor(lambda: work.work(ALL)) for _ in range(4)]:
            actor.end()
        check_letters(jobs["retry"], jobs["discard"], letters)


def test_a_step_that_was_left_meanwhile_is_not_retried_by_its_letter(db, monkeypatch):
    (letter,) = dead(1, on_error="ask")
    olga, otto, retry_step = member("olga", "operator"), member("otto", "operator"), operators.retry_step

    def wait_for_otto(*args, **terms):
        # The letter was read before; the retry waits for the lock of the run that a discard has.
        assert dead_letters.discard(otto, [letter]) == [str(letter.pk)]
        retry_step(*args, **terms)

    monkeypatch.setattr(operators, "retry_step", wait_for_otto)
    answer = dead_letters.redrive(olga, [letter])
    assert answer.done == []
    (refusal,) = answer.refused.values()
    assert (refusal.code, "already discarded by otto" in refusal.message) == ("resolved", True)
    assert make.run(letter.run_id).status == "FAILED"


APPROVE = BulkCommand(DECIDE, outcome="approved", comment="All fine")


def several(count, **params):
    """So many tasks of one step, in their order."""
    run_ids = make.start(approval(facts={"Amount": "{{ input.amount }}"}, **params), *[{"amount": 1}] * count)
    make.work()
    return list(ManualTask.unsafe_all_tenants.filter(run_id__in=run_ids).order_by("pk"))


def dry_run(who, tasks, command=APPROVE):
    """A finished review of these tasks."""
    name = make.run(tasks[0].run_id).version.workflow.name
    dry = begin_tasks(who, command, f"workflow:{name}", dry_run=True)
    work.work(ALL, dry.pk)
    assert service.counts_of(dry)["able"] == len(tasks)
    return dry


def check_tasks(jobs, tasks):
    """Each task is decided once, by who has begun the job that says so; the other one reads how and by whom."""
    for task in tasks:
        (decision,) = TaskDecision.unsafe_all_tenants.filter(task_id=task.pk)
        items = {
            job.created_by: BulkItem.unsafe_all_tenants.get(job_id=job.pk, target_id=task.pk) for job in jobs
        }
        assert {by for by, item in items.items() if item.result == "done"} == {decision.by}
        for by, item in items.items():
            if by != decision.by:
                assert (item.result, item.code) == ("refused", "decided_already"), item.message
                assert item.message.startswith(f"{decision.by} already decided this: Approve"), item.message


@pytest.mark.parametrize("before", ["hold_task", "advance", "end_bulk_item"])
def test_what_another_job_has_in_hand_is_put_off_and_refused_when_it_is_decided(rounds, before):
    ann, bob = member("ann"), member("bob")
    for _ in rounds[:2]:
        tasks = several(3)
        dries = [dry_run(who, tasks) for who in (ann, bob)]
        mine, theirs = (
            service.go(who, dry.pk, reason="") for who, dry in zip((ann, bob), dries, strict=True)
        )
        with holding(lambda job=mine: work.work(ALL, job.pk), before=before):
            Actor(lambda job=theirs: work.work(ALL, job.pk)).end()
            assert results(theirs)[0] == ("pending", "")
        work.work(ALL)
        assert results(mine)[0] == ("done", "")
        check_tasks((mine, theirs), tasks)


def test_several_who_go_on_at_once_decide_each_task_once(rounds):
    people = [member(name) for name in ("ann", "bob", "cat")]
    for _ in rounds:
        tasks = several(5)
        dries = [dry_run(who, tasks) for who in people]

        def goes(who, dry):
            job = service.go(who, dry.pk, reason="")
            work.work(ALL, job.pk)
            work.work(ALL)
            return job

        actors = [
            Actor(lambda who=who, dry=dry: goes(who, dry)) for who, dry in zip(people, dries, strict=True)
        ]
        jobs = [actor.end() for actor in actors]
        work.work(ALL)
        check_tasks(jobs, tasks)


def payment(ask=(), pay=(), ways=WAYS):
    """A payment that is asked about, with parameters of the question and of what is paid."""
    asks = {**ASK, "params": {**ASK["params"], "facts": {"Amount": "{{ input.amount }}"}, **dict(ask)}}
    return make.graph([asks, {**PAY, **dict(pay)}, "no"], ways)


SWAPPED = [{**way, "to": {"pay": "no", "no": "pay"}[way["to"]]} for way in WAYS]
MOVES = {
    "nothing": (payment(), "done"),
    "another question": (payment({"title": "Send {{ input.amount }}?"}), "done"),
    "other facts": (payment({"facts": {"Country": "DE"}}), "done"),
    "several who decide": (payment({"quorum": 2}), "done"),
    "others who decide": (payment({"candidates": {"users": ["eve"]}}), "done"),
    "a deadline": (payment({"due_seconds": 3600}), "done"),
    "another payment": (payment(pay={"input": {"amount": 99_999}}), "task_changed"),
    "another queue": (payment(pay={"queue": "elsewhere"}), "done"),
    "another way": (payment(ways=SWAPPED), "task_changed"),
}
"""What a version has that the run goes on with, and what becomes of the reviewed task."""


@pytest.mark.parametrize("move", MOVES)
def test_a_job_decides_what_its_review_has_shown_though_the_run_has_moved_since(move):
    """The question stays as it was asked; what a decision would let happen now must be what was shown."""
    ann, _ = member("ann"), member("eve")
    run_ids = make.start(payment(), {"amount": 1}, {"amount": 1})
    make.work()
    moved, other = (task_of(run) for run in run_ids)
    dry = dry_run(ann, [moved, other])
    shown = BulkItem.unsafe_all_tenants.get(job_id=dry.pk, target_id=moved.pk).seen
    definition, result = MOVES[move]
    make.migrate(run_ids[0], make.newer(run_ids[0], definition))
    job = service.go(ann, dry.pk, reason="")
    work.work(ALL, job.pk)
    items = {item.target_id: item for item in BulkItem.unsafe_all_tenants.filter(job_id=job.pk)}
    assert items[other.pk].result == "done"
    if result == "done":
        assert items[moved.pk].result == "done"
        assert shown in TaskDecision.unsafe_all_tenants.get(task_id=moved.pk).record
    else:
        assert (items[moved.pk].result, items[moved.pk].code) == ("refused", result)
        assert task_of(run_ids[0]).status == "OPEN"
