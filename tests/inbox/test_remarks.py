"""What is said of a task is evidence as its decisions are: a link of the same chain, exported, never taken back."""

import json
import subprocess
import sys
from zipfile import ZipFile

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError, IntegrityError

from accounts.models import User
from lib.refusals import Conflict
from tasks_inbox.actions import comments, deciding
from tasks_inbox.actions.decision import Decision
from tasks_inbox.evidence.exports import export
from tasks_inbox.evidence.verifying import verify_chain
from tasks_inbox.models import EvidenceHead, HeldDecision, TaskComment, TaskDecision
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, member
from tests.inbox.persons import Person

pytestmark = pytest.mark.django_db

EVIDENCE = (
    "runs_historyevent",
    "runs_runseal",
    "tasks_inbox_taskdecision",
    "tasks_inbox_taskcomment",
    "tasks_inbox_evidencehead",
)


def sent(client, path, fields):
    """What a page says to a form that a program sent, which has read nothing."""
    more = "&".join(f"{name}={value}" for name, value in fields.items())
    answer = client.generic("POST", path, more, "application/x-www-form-urlencoded")
    answer = client.get(answer.url) if answer.status_code == 302 else answer
    return answer.content.decode()


ONCE = {"outcome": "approved"}
DOORS = {
    "rest": lambda ann, client, task: ann.sends(f"tasks/{task.pk}/complete", ONCE).content,
    "rest, undoable": lambda ann, client, task: (
        ann.sends(f"tasks/{task.pk}/complete", ONCE | {"undoable": True}).content
    ),
    "rest, many": lambda ann, client, task: (
        ann.sends("tasks/bulk", ONCE | {"action": "decide", "ids": [str(task.pk)]}).content
    ),
    "rest, back": lambda ann, client, task: (
        ann.sends(f"tasks/{task.pk}/return", {"comment": "Look.", "to": "bob"}).content
    ),
    "page": lambda ann, client, task: sent(client, f"/inbox/{task.pk}/decide", ONCE),
    "page, many": lambda ann, client, task: sent(client, "/inbox/bulk/do", ONCE | {"ids": task.pk}),
    "page, back": lambda ann, client, task: sent(
        client, f"/inbox/{task.pk}/return", {"back_why": "Look.", "back_to": "bob"}
    ),
}
"""Each way to decide a task by a door that can say what was read, without saying it."""


@pytest.fixture
def spoken():
    """A task of which something was said, asked and answered before somebody decided it."""
    ann, bob = member("ann"), member("bob", "admin")
    task = asked(approval())
    comments.add_comment(ann, task.pk, "Größe\u2028 passt <b>nicht</b>.")
    comments.ask(ann, task.pk, "Which account?")
    comments.answer(bob, task.pk, "The second one.")
    decide(ann, task)
    return task


def faults():
    return list(verify_chain(make.a_tenant().pk))


def test_comments_questions_and_answers_are_links_of_the_chain_with_decisions(spoken):
    said = list(TaskComment.unsafe_all_tenants.order_by("seq"))
    assert [(one.seq, one.kind) for one in said] == [(1, "said"), (2, "asked"), (3, "answered")]
    decision = TaskDecision.unsafe_all_tenants.get()
    records = [json.loads(one.record) for one in [*said, decision]]
    digests = ["0" * 64, *(one.digest for one in said)]
    assert [record["previous"] for record in records] == digests
    assert decision.seq == 4
    assert EvidenceHead.unsafe_all_tenants.get().digest == decision.digest
    assert faults() == []


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ("UPDATE tasks_inbox_taskcomment SET text = 'Yes.' WHERE seq = 2", {2}),
        ("UPDATE tasks_inbox_taskcomment SET by = 'bob' WHERE seq = 2", {2}),
        ("UPDATE tasks_inbox_taskcomment SET kind = 'said' WHERE seq = 3", {3}),
        ("UPDATE tasks_inbox_taskcomment SET at = at + interval '1 microsecond' WHERE seq = 1", {1}),
        ("UPDATE tasks_inbox_taskcomment SET record = replace(record, 'Which', 'What') WHERE seq = 2", {2}),
        ("DELETE FROM tasks_inbox_taskcomment WHERE seq = 2", {2, 3}),
        ("DELETE FROM tasks_inbox_taskcomment WHERE seq = 1", {1, 2}),
        ("UPDATE tasks_inbox_evidencehead SET seq = 2", {0, 3, 4}),
        (
            "INSERT INTO tasks_inbox_taskcomment (id, tenant_id, shard, run_id, task_id, by, text, kind, at)"
            " SELECT gen_random_uuid(), tenant_id, shard, run_id, task_id, by, 'I agree.', kind, now() + interval '1 h'"
            " FROM tasks_inbox_taskcomment WHERE seq = 1",
            {0},
        ),
    ],
)
def test_whatever_is_changed_in_what_was_said_is_found(spoken, change, where):
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE tasks_inbox_taskcomment DISABLE TRIGGER USER")
            cursor.execute(change)
        assert {fault.seq for fault in faults()} >= where
        transaction.set_rollback(True)


@pytest.mark.parametrize(
    "act", ["UPDATE tasks_inbox_taskcomment SET text = ''", "DELETE FROM tasks_inbox_taskcomment"]
)
def test_nobody_takes_back_what_was_said(spoken, act):
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(act)


@pytest.mark.parametrize("table", EVIDENCE)
def test_no_table_of_evidence_is_emptied_at_once(spoken, table):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with pytest.raises(DatabaseError, match="append-only"):
            cursor.execute(f"TRUNCATE {table}")
        transaction.set_rollback(True)


def test_said_twice_it_is_one_link(spoken):
    ann, task = member("cat"), asked(approval())
    first = comments.add_comment(ann, task.pk, "Once.", id="01900000-0000-7000-8000-000000000001")
    again = comments.add_comment(ann, task.pk, "Once.", id="01900000-0000-7000-8000-000000000001")
    assert (first.pk, first.seq) == (again.pk, again.seq)
    assert EvidenceHead.unsafe_all_tenants.get().seq == first.seq
    assert faults() == []


def test_of_a_task_that_is_closed_nothing_more_is_said_and_no_link_is_made(spoken):
    before = EvidenceHead.unsafe_all_tenants.get().seq
    with pytest.raises(Conflict):
        comments.add_comment(member("cat"), spoken.pk, "Too late.")
    assert EvidenceHead.unsafe_all_tenants.get().seq == before


def verified(folder):
    return subprocess.run(
        [sys.executable, "verify.py", "evidence.json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_export_has_it_and_its_verify_finds_what_was_changed(spoken, tmp_path):
    boss = member("boss", "admin")
    file = tmp_path / "evidence.zip"
    file.write_bytes(export(boss, spoken.run_id, "zip").content)
    with ZipFile(file) as packed:
        packed.extractall(tmp_path)
    found = verified(tmp_path)
    assert (found.returncode, "remarks: 3" in found.stdout) == (0, True)
    text = (tmp_path / "evidence.html").read_text()
    for expected in ("Which account?", "The second one.", "Question 2", "Answer 3", "Said by"):
        assert expected in text
    assert "&lt;b&gt;nicht" in text
    evidence = tmp_path / "evidence.json"
    whole = evidence.read_text()
    evidence.write_text(whole.replace("The second one.", "The third one.!"))
    assert verified(tmp_path).returncode == 1
    told = json.loads(whole)
    del told["remarks"][1]
    evidence.write_text(json.dumps(told, sort_keys=True, ensure_ascii=False, indent=1) + "\n")
    assert "its own digest" in verified(tmp_path).stdout


def test_a_decision_that_is_not_confirmed_as_seen_says_so():
    unconfirmed, task = asked(approval()), asked(approval())
    deciding.complete_task(member("ann"), unconfirmed.pk, Decision("approved"), confirms=False)
    decide(member("dan"), task)
    records = [json.loads(one.record) for one in TaskDecision.unsafe_all_tenants.order_by("seq")]
    assert [record["seen"] is None for record in records] == [True, False]
    boss = member("boss", "admin")
    unseen = export(boss, unconfirmed.run_id, "html").content.decode()
    seen = export(boss, task.run_id, "html").content.decode()
    assert "not confirmed as seen" in unseen
    assert "not confirmed as seen" not in seen
    assert records[1]["seen"] in seen


@pytest.mark.parametrize("door", DOORS)
def test_nobody_decides_what_they_do_not_say_to_have_read(client, settings, door):
    member("bob")
    ann, task = Person("ann"), asked(approval(undo_seconds=10))
    client.force_login(User.objects.get(username="ann"))
    answer = DOORS[door](ann, client, task)
    assert "shown_hash" in str(answer)
    assert TaskDecision.unsafe_all_tenants.count() == HeldDecision.unsafe_all_tenants.count() == 0
    settings.HANDOFF_REQUIRE_SEEN = False
    DOORS[door](ann, client, task)
    assert TaskDecision.unsafe_all_tenants.count() + HeldDecision.unsafe_all_tenants.count() == 1


def test_over_rest_a_decision_that_is_not_confirmed_names_the_field():
    ann, task = Person("ann"), asked(approval())
    for path, body in {
        f"tasks/{task.pk}/complete": ONCE,
        f"tasks/{task.pk}/return": {"comment": "Look."},
        "tasks/bulk": ONCE | {"action": "decide", "ids": [str(task.pk)]},
    }.items():
        answer = ann.sends(path, body)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error["field"]) == (400, "required", "seen"), path


@pytest.mark.parametrize("many", [1, 2])
def test_the_page_of_a_task_says_whose_decision_is_not_confirmed(client, settings, many):
    ann, bob = member("ann"), member("bob")
    task = asked(approval(quorum=many))
    settings.HANDOFF_REQUIRE_SEEN = False
    decide(ann, task, **({} if many == 2 else {"seen": None}))
    if many == 2:
        decide(bob, task, seen=None)
    client.force_login(make.a_user("ann"))
    page = client.get(f"/inbox/{task.pk}").text
    assert page.lower().count("not confirmed as seen") == 1


def test_a_decision_on_the_page_is_one_of_who_has_seen_it(client):
    member("ann")
    task = asked(approval())
    client.force_login(make.a_user("ann"))
    form = client.get(f"/inbox/{task.pk}").context
    sent = {"outcome": "approved", "seen": form["task"]["shown_hash"]}
    assert client.post(f"/inbox/{task.pk}/decide", sent).status_code in (200, 302)
    record = json.loads(TaskDecision.unsafe_all_tenants.get().record)
    assert record["seen"] == sent["seen"]
    assert "not confirmed" not in client.get(f"/inbox/{task.pk}").text
