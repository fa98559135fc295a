"""Files of tasks: never changed, limited, scanned, and part of the evidence (docs/security.md, "Files")."""

import json
import sys
from hashlib import sha256
from io import BytesIO
from subprocess import run
from zipfile import ZipFile

import pytest
from django.db import IntegrityError, connection, transaction

from lib.refusals import Conflict, Invalid, Missing, NotAllowed
from runs.files.limits import FILE_BYTES
from tasks_inbox.actions import bulk, holding, rounds
from tasks_inbox.actions.decision import Decision
from tasks_inbox.duties import settling
from tasks_inbox.eligibility.standing import standing
from tasks_inbox.evidence import exports, ledger, presentation
from tasks_inbox.evidence.verifying import verify_chain
from tasks_inbox.forms import files
from tasks_inbox.forms.form import form_of
from tasks_inbox.models import TaskDecision, TaskFile, TaskFileContent
from tasks_inbox.reading import task_rows
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, member, read, task_of
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

PDF = b"%PDF-1.7 contract"
FORM = {
    "type": "object",
    "properties": {
        "contract": {"type": "string", "format": "file", "x-accept": [".pdf"], "x-max-bytes": 100},
        "more": {
            "type": "array",
            "items": {"type": "object", "properties": {"scan": {"type": "string", "format": "file"}}},
        },
    },
}


def add(who, task, content=PDF, name="a.pdf"):
    return files.attach(who, task.pk, name=name, content=content)


def sql(statement, *params):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, params)


def test_a_file_is_kept_as_it_is_with_what_it_is_and_by_whom():
    task, ann = asked(), member("ann")
    file = add(ann, task)
    assert (file.name, file.media_type, file.size, file.by) == ("a.pdf", "application/pdf", len(PDF), "ann")
    assert file.sha256 == sha256(PDF).hexdigest()
    assert files.content_of(file) == PDF
    with pytest.raises(Missing):
        files.file_of(ann, asked().pk, file.pk)


def test_who_only_looks_adds_nothing_but_who_started_the_run_does():
    task = asked()
    with pytest.raises(NotAllowed):
        add(member("vic", "viewer"), task)
    assert add(member(task_starter(task), "viewer"), task).pk


def task_starter(task):
    with connection.cursor() as cursor:
        cursor.execute("SELECT created_by FROM runs_run WHERE id = %s", [task.run_id])
        return cursor.fetchone()[0]


def test_what_is_empty_too_large_or_too_many_is_refused(monkeypatch):
    task, ann = asked(), member("ann")
    for content, code in ((b"", "empty"), (b"x" * (FILE_BYTES + 1), "file_too_large")):
        with pytest.raises(Invalid) as refused:
            add(ann, task, content)
        assert (refused.value.code, refused.value.field) == (code, "file")
    monkeypatch.setattr(files, "TASK_FILES", 2)
    first = add(ann, task)
    add(ann, task)
    with pytest.raises(Conflict):
        add(ann, task)
    files.withdraw(ann, task.pk, first.pk)
    assert add(ann, task).pk


@pytest.mark.parametrize(
    ("command", "passes"), [("true", True), ("false", False), ("grep -q contract", True)]
)
def test_a_scan_may_refuse_a_file(settings, command, passes):
    settings.HANDOFF_FILE_SCAN = command
    task, ann = asked(), member("ann")
    if passes:
        assert add(ann, task).pk
        return
    with pytest.raises(Invalid) as refused:
        add(ann, task)
    assert refused.value.code == "refused_by_scan"


def test_a_scan_that_is_missing_lets_nothing_pass(settings):
    settings.HANDOFF_FILE_SCAN = "/nowhere/scan"
    with pytest.raises(Invalid):
        add(member("ann"), asked())


def test_nobody_changes_a_file_and_only_who_added_it_takes_it_back_before_a_decision():
    task, ann, bob = asked(approval(quorum=2)), member("ann"), member("bob")
    first, second = add(ann, task), add(ann, task, b"text", "b.txt")
    with pytest.raises(NotAllowed):
        files.withdraw(bob, task.pk, first.pk)
    files.withdraw(ann, task.pk, first.pk)
    assert not TaskFileContent.unsafe_all_tenants.filter(pk=first.pk).exists()
    assert TaskFile.unsafe_all_tenants.get(pk=first.pk).withdrawn_by == "ann"
    with pytest.raises(Missing):
        files.withdraw(ann, task.pk, first.pk)
    decide(bob, task)
    with pytest.raises(Conflict):
        files.withdraw(ann, task.pk, second.pk)
    for statement in (
        "UPDATE tasks_inbox_taskfile SET name = 'x' WHERE id = %s",
        "UPDATE tasks_inbox_taskfile SET withdrawn_at = now(), withdrawn_by = 'x' WHERE id = %s",
        "DELETE FROM tasks_inbox_taskfile WHERE id = %s",
        "UPDATE tasks_inbox_taskfilecontent SET content = 'x' WHERE id = %s",
        "DELETE FROM tasks_inbox_taskfilecontent WHERE id = %s",
    ):
        with pytest.raises(IntegrityError):
            sql(statement, second.pk)


def test_nothing_is_added_to_a_task_that_is_decided():
    task, ann = asked(), member("ann")
    decide(ann, task)
    with pytest.raises(Conflict):
        add(ann, task)


def test_a_field_holds_a_file_of_its_task_of_a_kind_and_size_that_it_takes():
    task, ann = asked(approval(form=FORM)), member("ann")
    good, large = str(add(ann, task).pk), str(add(ann, task, PDF * 10).pk)
    text, foreign = str(add(ann, task, b"text", "a.txt").pk), str(add(ann, asked()).pk)
    for bad in (large, text, foreign, "none"):
        with pytest.raises(Invalid) as refused:
            decide(ann, task, data={"contract": bad})
        assert refused.value.field == "data.contract"
    with pytest.raises(Invalid) as refused:
        decide(ann, task, data={"contract": good, "more": [{"scan": good}, {"scan": foreign}]})
    assert refused.value.field == "data.more[1].scan"
    assert decide(ann, task, data={"contract": good}).data == {"contract": good}


def test_what_was_typed_where_a_file_belongs_is_nothing():
    form = form_of(FORM, {"data.contract": "[object File]"})
    assert (form.data, form.fields[0].text) == ({}, "")


def decided_with_a_file():
    task, ann = asked(approval(form=FORM)), member("ann")
    file = add(ann, task, name="Contract für Ann.pdf")
    decide(ann, task, data={"contract": str(file.pk)})
    return task, file


def test_its_hash_is_in_the_record_and_a_changed_byte_is_found():
    task, file = decided_with_a_file()
    (row,) = TaskDecision.unsafe_all_tenants.filter(task_id=task.pk)
    (told,) = json.loads(row.record)["files"]
    assert (told["id"], told["sha256"], told["by"]) == (str(file.pk), sha256(PDF).hexdigest(), "ann")
    assert list(verify_chain(task.tenant_id)) == []
    for damage in (
        "UPDATE tasks_inbox_taskfilecontent SET content = 'x' WHERE id = %s",
        "UPDATE tasks_inbox_taskfile SET name = 'x' WHERE id = %s",
        "DELETE FROM tasks_inbox_taskfilecontent WHERE id = %s",
    ):
        with transaction.atomic():
            sql(f"ALTER TABLE {damage.split()[damage.startswith('DELETE') + 1]} DISABLE TRIGGER USER")
            with connection.cursor() as cursor:
                cursor.execute(damage, [file.pk])
            assert [fault.seq for fault in verify_chain(task.tenant_id)] == [row.seq]
            transaction.set_rollback(True)


def test_it_lies_beside_the_evidence_and_the_script_finds_a_changed_byte(tmp_path):
    task, file = decided_with_a_file()
    admin = member("root", "admin")
    zipped = exports.export(admin, task.run_id, "zip").content
    ZipFile(BytesIO(zipped)).extractall(tmp_path)
    (beside,) = (tmp_path / "files").iterdir()
    assert (beside.name, beside.read_bytes()) == (f"{file.pk}-Contract für Ann.pdf", PDF)
    assert "Contract für Ann.pdf" in (tmp_path / "evidence.html").read_text()

    def check():
        command = [sys.executable, "-I", "verify.py", "evidence.json"]
        return run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (check().returncode, "were checked, too" in check().stdout) == (0, True)
    beside.write_bytes(PDF.replace(b"c", b"k", 1))
    assert (check().returncode, "is not what its record says" in check().stdout) == (1, True)
    beside.unlink()
    assert check().returncode == 1
    (tmp_path / "files").rmdir()
    assert (check().returncode, "no files beside it" in check().stdout) == (0, True)


def test_a_cancelled_run_leaves_no_open_door():
    task, ann = asked(), member("ann")
    file = add(ann, task)
    make.cancel(str(task.run_id))
    with pytest.raises(Conflict):
        files.withdraw(ann, task.pk, file.pk)


def what(who, task):
    """The hash of what they are shown."""
    return task_rows.whole_row(standing(who, task), "refunds")["shown_hash"]


def refused(do, *args, **more):
    with pytest.raises(Conflict) as found:
        do(*args, **more)
    assert found.value.code == "task_changed"
    return found.value.message


def test_a_file_that_others_add_or_take_back_is_looked_at_before_one_decides():
    task, ann, bob = asked(), member("ann"), member("bob")
    empty = what(ann, task)
    assert empty == ledger.shown_hash(task), "without files it is what it has always been"
    first = add(bob, task)
    said = refused(decide, ann, task, seen=empty)
    assert said == "What you saw has changed: “a.pdf” was added by bob. Look again before you decide."
    assert refused(rounds.return_task, ann, task.pk, comment="Why?", to="bob", seen=empty) == said
    one = what(ann, task)
    second = add(bob, task, b"other", "b.pdf")
    files.withdraw(bob, task.pk, first.pk)
    assert "“b.pdf” was added by bob, “a.pdf” was taken back by bob." in refused(decide, ann, task, seen=one)
    files.withdraw(bob, task.pk, second.pk)
    assert what(ann, task) == empty, "what was added and taken back in between changes nothing"
    assert "was changed while you looked" in refused(decide, ann, task, seen="0" * 64)
    assert decide(ann, task, seen=empty).status == "COMPLETED"


def test_ones_own_files_change_nothing_of_what_one_was_shown():
    task, ann, bob = asked(), member("ann"), member("bob")
    seen = what(ann, task)
    add(ann, task)
    assert what(ann, task) == seen != what(bob, task)
    assert decide(ann, task, seen=seen).status == "COMPLETED"
    (row,) = TaskDecision.unsafe_all_tenants.all()
    record = json.loads(row.record)
    assert (record["shown_sha256"], [one["name"] for one in record["files"]]) == (seen, ["a.pdf"])


def test_each_vote_stands_for_the_files_that_there_were():
    task, ann, bob = asked(approval(quorum=2)), member("ann"), member("bob")
    mine, theirs = what(ann, task), what(bob, task)
    decide(ann, task, seen=mine)
    add(ann, task)
    assert "“a.pdf” was added by ann" in refused(decide, bob, task, seen=theirs)
    assert decide(bob, task, seen=what(bob, task)).status == "COMPLETED"
    rows = TaskDecision.unsafe_all_tenants.order_by("seq")
    assert [len(json.loads(one.record).get("files", ())) for one in rows] == [0, 1]
    assert list(verify_chain(task.tenant_id)) == []


def test_what_was_held_back_does_not_count_where_a_file_came_meanwhile(clock):
    task, ann, bob = asked(approval(undo_seconds=10)), member("ann"), member("bob")
    holding.hold_decision(ann, task.pk, Decision("approved", seen=read(ann, task)))
    add(ann, task, name="own.pdf")
    add(bob, task)
    clock.advance(60)
    settling.tick()
    (left,) = holding.held_of(ann)
    assert "“a.pdf” was added by bob" in left.refused
    holding.hold_decision(ann, task.pk, Decision("approved", seen=read(ann, task)))
    add(ann, task, name="more.pdf")
    clock.advance(60)
    settling.tick()
    make.work()
    assert decided(task) == ("COMPLETED", [])


def decided(task):
    task.refresh_from_db()
    return task.status, holding.held_of(member("ann"))


def test_tasks_that_are_decided_together_are_each_looked_at_again():
    ann, bob = member("ann"), member("bob")
    runs = make.start(approval(), *[{"amount": 1}] * 3)
    make.work()
    tasks = [task_of(run) for run in runs]
    told = bulk.review(ann, [task.pk for task in tasks])["tasks"]
    add(bob, tasks[1])
    seen = {str(one["task"].pk): one["seen"] for one in told}
    wanted = bulk.BulkCommand(bulk.DECIDE, outcome="approved", seen=seen)
    results = bulk.act(ann, [task.pk for task in tasks], wanted)
    assert [one["code"] for one in results] == [None, "task_changed", None]
    with watching() as seen:
        presentation.hashes_of(tasks, "ann")
    assert seen.trips == 1
