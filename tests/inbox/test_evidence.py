"""Decisions can be proven: whatever is changed in them afterwards is found, and names outlive their users."""

import json
from hashlib import sha256

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.utils import IntegrityError

from accounts.models import User
from runs.maintenance import seals
from tasks_inbox.evidence.verifying import verify_chain
from tasks_inbox.models import EvidenceHead, ManualTask, TaskDecision
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, member

FORM = {"type": "object", "properties": {"limit": {"type": "number"}, "note": {"type": "string"}}}


@pytest.fixture
def three():
    """Three decisions, of which two are of one task; nothing is wrong with them."""
    ann, bob = member("ann"), member("bob")
    task = asked(approval(quorum=2, form=FORM))
    decide(ann, task, data={"limit": 2.50, "note": "Größe\u2028"}, comment="Fine.")
    decide(bob, task, data={"limit": 1e22})
    decide(ann, asked(), "rejected", comment="No.")
    assert list(verify_chain(make.a_tenant().pk)) == []
    return list(TaskDecision.unsafe_all_tenants.order_by("seq"))


def tamper(statement: str, *params) -> set[int]:
    """Change something behind the back of the product; gives the places at which that is found, and changes it back."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            for table in ("tasks_inbox_taskdecision", "runs_historyevent"):
                cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            cursor.execute(statement, params)
        found = {fault.seq for fault in verify_chain(make.a_tenant().pk)}
        transaction.set_rollback(True)
    return found


def test_a_record_says_all_there_is_and_hashes_to_its_digest(three):
    told = [json.loads(one.record) for one in three]
    assert [one["seq"] for one in told] == [1, 2, 3]
    assert [one["previous"] for one in told] == ["0" * 64, three[0].digest, three[1].digest]
    assert [sha256(one.record.encode()).hexdigest() for one in three] == [one.digest for one in three]
    first = told[0]
    assert (first["by"]["username"], first["meaning"], first["comment"]) == ("ann", "Approve", "Fine.")
    assert first["quorum"] == {"need": 2, "have": 1, "rule": "veto", "may": 2, "outcome": None}
    assert told[1]["quorum"]["outcome"] == "approved"
    assert (first["workflow"]["version"], first["requester"]) == (1, "test")


@pytest.mark.parametrize(
    "column",
    [
        "record",
        "digest",
        "comment",
        "outcome",
        "by",
        "data",
        "round",
        "ended_with",
        "task_id",
        "run_id",
        "at",
        "groups",
    ],
)
def test_whatever_is_changed_in_a_decision_is_found(three, column):
    changed = {
        "record": "overlay(record placing 'X' from 40 for 1)",
        "digest": "overlay(digest placing 'g' from 3 for 1)",
        "data": "jsonb_build_object('limit', 2.51, 'note', data->'note')",
        "round": "2",
        "ended_with": "'approved'",
        "at": "at + interval '1 microsecond'",
        "groups": "'{legal}'",
        "task_id": "gen_random_uuid()",
        "run_id": "gen_random_uuid()",
    }.get(column, f"{column} || '.'")
    where = " WHERE seq = 1"
    assert 1 in tamper(f"UPDATE tasks_inbox_taskdecision SET {column} = {changed}{where}")


def test_every_single_byte_of_a_record_counts(three):
    record = three[1].record
    for at in range(0, len(record), 37):
        other = record[:at] + chr(ord(record[at]) ^ 1) + record[at + 1 :]
        assert 2 in tamper("UPDATE tasks_inbox_taskdecision SET record = %s WHERE seq = 2", other), at


def test_what_was_taken_away_put_in_or_decided_otherwise_is_found(three):
    assert tamper("DELETE FROM tasks_inbox_taskdecision WHERE seq = 2") >= {2, 3}
    assert tamper("DELETE FROM tasks_inbox_taskdecision WHERE seq = 3") == {0}
    assert tamper("UPDATE tasks_inbox_evidencehead SET seq = 2") >= {0, 3}
    assert tamper("UPDATE tasks_inbox_manualtask SET decided_by = 'cat' WHERE outcome = 'rejected'") == {3}
    assert tamper("UPDATE tasks_inbox_manualtask SET outcome = 'rejected' WHERE outcome = 'approved'") == {2}
    assert tamper("DELETE FROM runs_historyevent WHERE type = 'TASK_VOTED'") == {1}
    for key, value in (
        ("outcome", "approved"),
        ("by", "cat"),
        ("on_behalf_of", "cat"),
        ("evidence", "0" * 64),
    ):
        changed = (
            "UPDATE runs_historyevent SET payload = payload || jsonb_build_object(%s, %s) WHERE type = %s"
        )
        assert tamper(changed, key, value, "TASK_COMPLETED") - {0, 2} == {3}, key
    assert list(verify_chain(make.a_tenant().pk)) == []


def test_the_last_decision_is_missed_also_where_the_end_of_the_chain_was_moved_before_it(three):
    found = tamper(
        "WITH gone AS (DELETE FROM tasks_inbox_taskdecision WHERE seq = 3)"
        " UPDATE tasks_inbox_evidencehead SET seq = 2, digest = %s",
        three[1].digest,
    )
    assert found == {0}


@pytest.mark.parametrize(
    "changed",
    [
        "data = '{\"limit\": 3}'",
        "decided_for = 'cat'",
        "decided_at = decided_at + interval '1 microsecond'",
        "round = 2",
        "title = title || '!'",
        'facts = \'[{"label": "Amount", "value": 1}]\'',
        "outcomes = jsonb_set(outcomes, '{0,label}', '\"No\"')",
    ],
)
def test_a_task_says_of_its_decision_what_its_record_says(three, changed):
    assert tamper(f"UPDATE tasks_inbox_manualtask SET {changed} WHERE outcome = 'rejected'") == {3}


def test_history_of_runs_in_which_somebody_decided_is_what_was_sealed(three, capsys):
    make.work()
    seals.seal()
    call_command("verify_audit")
    for changed in (
        "type = 'STEP_SKIPPED'",
        "payload = payload || '{\"x\": 1}'",
        "created_at = now()",
        "xid = 1",
    ):
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("ALTER TABLE runs_historyevent DISABLE TRIGGER USER")
                cursor.execute(f"UPDATE runs_historyevent SET {changed} WHERE type = 'TASK_OPENED'")
            with pytest.raises(CommandError):
                call_command("verify_audit")
            transaction.set_rollback(True)
        assert f"default run {three[0].run_id} seal of life 1: digest" in capsys.readouterr().out
    call_command("verify_audit")


def test_nobody_changes_a_decision_by_an_ordinary_statement(three):
    for statement in (
        "UPDATE tasks_inbox_taskdecision SET comment = ''",
        "DELETE FROM tasks_inbox_taskdecision",
    ):
        with (
            pytest.raises(IntegrityError, match="append-only"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)


def test_a_user_who_is_gone_stays_named(three):
    User.objects.filter(username="ann").delete()
    assert {one.by for one in TaskDecision.unsafe_all_tenants.all()} == {"ann", "bob"}
    assert "ann" in ManualTask.unsafe_all_tenants.values_list("decided_by", flat=True)
    assert list(verify_chain(make.a_tenant().pk)) == []


def test_the_command_says_what_is_wrong_and_exits_with_it(three, capsys):
    call_command("verify_audit", tenant="default")
    assert f"default: decisions end at 3 with {three[2].digest}" in capsys.readouterr().err
    EvidenceHead.unsafe_all_tenants.update(seq=2)
    with pytest.raises(CommandError) as failed:
        call_command("verify_audit")
    assert failed.value.returncode == 1
    assert "default decision 3: it stands behind the end of the chain" in capsys.readouterr().out
    EvidenceHead.unsafe_all_tenants.update(seq=3)
    with pytest.raises(CommandError, match="There is no tenant 'x'"):
        call_command("verify_audit", tenant="x")
