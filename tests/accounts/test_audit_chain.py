"""The audit log's chain: records of one transaction, their places, and what a check finds."""

import json
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.utils import timezone

from accounts import audit, folders
from accounts.audit import chain
from accounts.models import AuditLink, AuditRecord
from tests.people import People

pytestmark = pytest.mark.django_db


def records(tenant: str = "ours") -> list[AuditRecord]:
    return list(AuditRecord.objects.for_tenant(People().tenant(tenant).pk).order_by("pk"))


def tampered(statement: str, params: list[object] | None = None) -> None:
    """As the owner of the tables, past the triggers."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in ("auditrecord", "auditlink"):
            cursor.execute(f"ALTER TABLE accounts_{table} DISABLE TRIGGER USER")
        cursor.execute(statement, params or [])
        for table in ("auditrecord", "auditlink"):
            cursor.execute(f"ALTER TABLE accounts_{table} ENABLE TRIGGER USER")


def faults(tenant: str = "ours") -> list[tuple[int, str]]:
    return [(fault.seq, fault.what) for fault in chain.verify(People().tenant(tenant).pk)]


@pytest.fixture
def admin():
    return People().principal("admin")


@pytest.fixture
def five(admin):
    """Five records of a tenant that are in its chain, oldest first."""
    for number in range(5):
        audit.change(admin, "test.change", f"thing {number}", after={"number": number})
    assert chain.link() >= 5
    return records()


def test_records_get_places_and_the_chain_holds(five):
    links = AuditLink.objects.for_tenant(five[0].tenant_id).order_by("seq")
    assert [(link.seq, link.record_id) for link in links] == [(n, row.pk) for n, row in enumerate(five, 1)]
    assert faults() == []
    assert chain.link() == 0


def test_a_record_says_who_what_from_where_and_why(admin):
    audit.change(
        admin, "test.change", "thing", before={"a": 1, "b": 2}, after={"a": 1, "b": 3}, reason="asked"
    )
    (row,) = records()
    assert (row.by, row.via, row.token, row.act, row.target) == (
        "admin-of-ours",
        "token",
        admin.token,
        "test.change",
        "thing",
    )
    assert (json.loads(row.before), json.loads(row.after), row.reason) == ({"b": 2}, {"b": 3}, "asked")


def test_a_change_that_is_undone_leaves_nothing(admin):
    def change() -> None:
        folders.create_folder(admin, "Finance", [])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        transaction.atomic(change)()
    assert records() == []


@pytest.mark.parametrize(
    ("column", "value"),
    [("reason", "another"), ("before", "{}"), ("by", "somebody"), ("at", "2020-01-01T00:00:00Z")],
)
def test_a_changed_record_is_found(five, column, value):
    tampered(f"UPDATE accounts_auditrecord SET {column} = %s WHERE id = %s", [value, five[2].pk])
    assert faults() == [
        (3, "its record is not what its digest says: it was changed, or is in another's place")
    ]


def test_a_missing_record_is_found(five):
    tampered("DELETE FROM accounts_auditrecord WHERE id = %s", [five[2].pk])
    assert faults() == [(3, "its record is missing")]


def test_a_record_that_is_missing_with_its_place_is_found(five):
    tampered("DELETE FROM accounts_auditlink WHERE record_id = %s", [five[2].pk])
    tampered("DELETE FROM accounts_auditrecord WHERE id = %s", [five[2].pk])
    assert faults() == [(3, "is missing: the next one is 4")]


def test_a_missing_end_is_found(five):
    tampered("DELETE FROM accounts_auditlink WHERE record_id = %s", [five[4].pk])
    tampered("DELETE FROM accounts_auditrecord WHERE id = %s", [five[4].pk])
    assert faults() == [(0, "the chain should end at 5, it ends at 4")]


def test_a_missing_beginning_is_found(five):
    tampered("DELETE FROM accounts_auditlink WHERE record_id = %s", [five[0].pk])
    tampered("DELETE FROM accounts_auditrecord WHERE id = %s", [five[0].pk])
    assert faults() == [(1, "the first records are missing, and no closing record says so")]


def test_records_in_another_order_are_found(five):
    tampered(
        "UPDATE accounts_auditlink SET record_id = CASE record_id WHEN %s THEN -1 ELSE %s END"
        " WHERE record_id IN (%s, %s)",
        [five[1].pk, five[1].pk, five[1].pk, five[2].pk],
    )
    tampered("UPDATE accounts_auditlink SET record_id = %s WHERE record_id = -1", [five[2].pk])
    assert [seq for seq, _ in faults()] == [2, 3]


def test_a_record_that_was_kept_out_of_the_chain_is_found(five, admin):
    audit.change(admin, "test.change", "hidden")
    tampered("DELETE FROM accounts_auditpending")
    (row,) = [row for row in records() if row.target == "hidden"]
    assert faults() == [(0, f"record {row.pk} is not in the chain")]


def test_links_behind_the_end_are_found(five):
    tampered(
        "UPDATE accounts_audithead SET seq = 4, digest = (SELECT digest FROM accounts_auditlink WHERE seq = 4)"
    )
    assert faults() == [(5, "stands behind the end of the chain")]


def test_tenants_have_chains_of_their_own(five):
    audit.change(People().principal("admin", "theirs"), "test.change", "theirs")
    tampered("UPDATE accounts_auditrecord SET target = 'x' WHERE id = %s", [five[0].pk])
    assert faults("theirs") == []
    assert [row.target for row in records("theirs")] == ["theirs"]
    assert len(faults()) == 1


@pytest.mark.parametrize("table", ["accounts_auditrecord", "accounts_auditlink"])
@pytest.mark.parametrize("act", ["UPDATE {} SET tenant_id = tenant_id", "DELETE FROM {}", "TRUNCATE {}"])
def test_the_tables_are_append_only(five, table, act):
    def change() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(act.format(table))

    with pytest.raises(DatabaseError, match="append-only"):
        transaction.atomic(change)()


def grown_old(rows: list[AuditRecord], days: int) -> None:
    """As if these had been written so many days ago, and chained then."""
    at = timezone.now() - timedelta(days=days)
    tampered("UPDATE accounts_auditrecord SET at = %s WHERE id = ANY (%s)", [at, [row.pk for row in rows]])
    tampered("INSERT INTO accounts_auditpending SELECT id, tenant_id FROM accounts_auditrecord")
    tampered("DELETE FROM accounts_auditlink")
    tampered("DELETE FROM accounts_audithead")
    chain.link()


def test_old_records_go_and_a_closing_record_says_which(five):
    grown_old(five[:3], 400)
    digest = bytes(AuditLink.objects.for_tenant(five[0].tenant_id).get(seq=3).digest)
    assert chain.close(365) == 3
    assert chain.close(365) == 0
    assert faults() == []
    kept = records()
    assert [row.act for row in kept] == ["test.change", "test.change", "audit.close"]
    said = json.loads(kept[-1].after)
    assert (said["first"], said["last"], said["count"], said["digest"]) == (1, 3, 3, digest.hex())


@pytest.mark.parametrize(("days", "kept"), [(0, 5), (1, 3), (365, 3), (500, 5)])
def test_the_duty_keeps_to_the_setting_and_to_thirty_days(five, settings, days, kept):
    grown_old(five[:2], 400)
    settings.HANDOFF_AUDIT_DAYS = days
    chain.keep()
    assert len([row for row in records() if row.act == "test.change"]) == kept
    assert faults() == []


def test_all_records_may_go_and_the_chain_goes_on(five, admin):
    grown_old(five, 400)
    assert chain.close(365) == 5
    assert faults() == []
    audit.change(admin, "test.change", "later")
    assert faults() == []
    links = AuditLink.objects.for_tenant(five[0].tenant_id).order_by("seq")
    assert [link.seq for link in links] == [6, 7]


def test_a_closing_record_with_another_digest_is_found(five):
    grown_old(five[:3], 400)
    chain.close(365)
    (row,) = [row for row in records() if row.act == "audit.close"]
    other = json.dumps(json.loads(row.after) | {"last": 2})
    tampered("UPDATE accounts_auditrecord SET after = %s WHERE id = %s", [other, row.pk])
    assert (1, "the first records are missing, and no closing record says so") in faults()


def test_young_records_stay_whatever_is_asked(five):
    with pytest.raises(DatabaseError, match="30 days"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT accounts_audit_close(%s, now() - interval '29 days', 1000)", [five[0].tenant_id]
        )
    assert chain.close(0) == 0
    assert len(records()) == 5


def test_the_command_says_what_differs(five, capsys):
    call_command("verify_audit", "--tenant", "ours")
    assert "ours: audit records end at 5 with " in capsys.readouterr().err
    tampered("UPDATE accounts_auditrecord SET reason = 'x' WHERE id = %s", [five[2].pk])
    with pytest.raises(CommandError, match="audit records differ"):
        call_command("verify_audit", "--tenant", "ours")
    assert "ours audit record 3: its record is not what its digest says" in capsys.readouterr().out


@pytest.mark.django_db(transaction=True)
def test_changes_at_the_same_time_wait_for_nobody_and_all_get_places():
    admin, together = People().principal("admin"), Barrier(4)

    def change(number: int) -> None:
        try:
            with transaction.atomic():
                audit.change(admin, "test.change", f"thing {number}")
                # All are in their transactions at once: nobody holds what another one needs.
                together.wait(10)
            chain.link()
        finally:
            connection.close()

    threads = [Thread(target=change, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert faults() == []
    assert sorted(row.target for row in records()) == [f"thing {number}" for number in range(4)]
    assert AuditLink.objects.for_tenant(admin.tenant_id).count() == 4


@pytest.mark.django_db(transaction=True)
def test_what_commits_late_gets_a_later_place():
    admin, begun, done = People().principal("admin"), Barrier(2), Barrier(2)

    def slow() -> None:
        try:
            with transaction.atomic():
                audit.change(admin, "test.change", "slow")
                begun.wait(10)
                done.wait(10)
        finally:
            connection.close()

    thread = Thread(target=slow)
    thread.start()
    begun.wait(10)
    with transaction.atomic():
        audit.change(admin, "test.change", "quick")
    assert chain.link() == 1
    done.wait(10)
    thread.join(20)
    assert faults() == []
    by_place = dict(
        AuditLink.objects.for_tenant(admin.tenant_id).order_by("seq").values_list("seq", "record_id")
    )
    names = {row.pk: row.target for row in records()}
    assert [names[by_place[seq]] for seq in (1, 2)] == ["quick", "slow"]
