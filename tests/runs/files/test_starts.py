"""A start uses the files that its input names; each belongs to one tree of runs (docs/files.md)."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.queries import member_principal
from lib.forms.schema_forms import SchemaForms
from lib.refusals import Conflict, Invalid, Missing
from runs.commands import replay
from runs.commands.named_starts import check_start
from runs.commands.starts import NewRun, Terms, start_runs
from runs.files import store, trees, uploads
from runs.files.models import FileUse, StoredFile, StoredFileContent
from runs.kernel.refused import RunRefused
from runs.maintenance import files as duty
from runs.models import Run
from tests import factories as make
from tests.inbox.asking import member
from tests.runs.files.odd import PDF, PNG
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

RECEIPT = {
    "type": "object",
    "properties": {
        "receipt": {"type": "string", "format": "file", "x-accept": [".pdf"], "x-max-bytes": 1000},
        "more": {
            "type": "array",
            "items": {"type": "object", "properties": {"scan": {"type": "string", "format": "file"}}},
        },
    },
}
FLOW = make.chain("noop", input_schema=RECEIPT)


def upload(who, content=PDF, name="a.pdf"):
    return uploads.upload(who, name=name, content=content)["id"]


def start(who, *inputs, definition=FLOW, version=None, **more):
    version = version or make.a_version(definition).pk
    terms = Terms(who.tenant_id, version, who.username, is_test=more.pop("is_test", False))
    items = [NewRun(one, **more) for one in inputs]
    return [one.id for one in start_runs(terms, items)]


def refused(who, *inputs, **more):
    with pytest.raises(RunRefused) as found:
        start(who, *inputs, **more)
    return found.value.code, found.value.field


def readable(run_id, file):
    tenant = Run.unsafe_all_tenants.get(pk=run_id).tenant_id
    return file in trees.files_of_run(tenant, run_id, [file]) and trees.content_of(tenant, file) == PDF


@pytest.fixture
def ann():
    return member("ann", "operator")


def test_a_start_uses_an_upload_once_and_only_its_uploaders(ann):
    file = upload(ann)
    (run_id,) = start(ann, {"receipt": file})
    assert readable(run_id, file)
    assert StoredFile.unsafe_all_tenants.get(pk=file).expires_at is None
    assert refused(ann, {"receipt": file}) == ("file_used", "input.receipt")
    other = upload(member("bob", "operator"))
    assert refused(ann, {"receipt": other}) == ("no_such_file", "input.receipt")
    for none in ("none", str(uuid4())):
        assert refused(ann, {"receipt": none}) == ("no_such_file", "input.receipt")


def test_what_the_schema_does_not_accept_is_refused_and_stays_usable(ann):
    text, large = upload(ann, b"text", "a.txt"), upload(ann, PDF + bytes(1000))
    assert refused(ann, {"receipt": text}) == ("bad_file", "input.receipt")
    assert refused(ann, {"receipt": large}) == ("bad_file", "input.receipt")
    (run_id,) = start(ann, {"more": [{"scan": upload(ann)}, {"scan": text}]})
    assert trees.files_of_run(ann.tenant_id, run_id, [text])
    assert uploads.unused(ann, [large])


def test_each_item_of_a_bulk_start_has_its_own_file(ann):
    first, second = upload(ann), upload(ann)
    assert refused(ann, {"receipt": first}, {"receipt": first}) == ("file_used", "items[1].input.receipt")
    assert len(start(ann, {"receipt": first}, {"receipt": second})) == 2


def test_a_bulk_start_asks_for_files_as_often_as_a_single_one(ann):
    version, trips = make.a_version(FLOW).pk, []
    start(ann, {}, version=version)
    for count in (1, 20):
        inputs = [{"receipt": upload(ann), "more": [{"scan": upload(ann)}]} for _ in range(count)]
        with watching() as seen:
            start(ann, *inputs, version=version)
        trips.append(seen.trips)
    assert trips[0] == trips[1]


def test_the_form_of_an_input_is_filled_once(ann, monkeypatch):
    count, filled = [], SchemaForms.filled
    monkeypatch.setattr(SchemaForms, "filled", lambda *some: count.append(some) or filled(*some))
    person = {"type": "string", "format": "person"}
    schema = {**RECEIPT, "properties": {**RECEIPT["properties"], "who": person}}
    definition = make.chain("noop", input_schema=schema)
    start(ann, *[{"receipt": upload(ann), "who": "ann"} for _ in range(3)], definition=definition)
    assert len(count) == 3


def test_the_same_start_again_gives_the_same_run(ann):
    version, file = make.a_version(FLOW).pk, upload(ann)
    (first,) = start(ann, {"receipt": file}, version=version, business_key="A-1")
    assert start(ann, {"receipt": file}, version=version, business_key="A-1") == [first]


def test_a_test_run_leaves_an_upload_for_the_next_start(ann, clock):
    file = upload(ann)
    (tried,) = start(ann, {"receipt": file}, is_test=True)
    start(ann, {"receipt": file}, is_test=True)
    assert readable(tried, file)
    clock.advance(90_000)
    duty.forget()
    assert readable(tried, file)


def test_what_starts_again_and_again_carries_no_file(ann):
    version = make.a_version(FLOW)
    name = version.workflow.name
    check_start(ann.tenant_id, name, NewRun({}))
    with pytest.raises(RunRefused) as found:
        check_start(ann.tenant_id, name, NewRun({"receipt": upload(ann)}))
    assert (found.value.code, found.value.field) == ("file_used_once", "input.receipt")


def test_an_upload_expires_with_its_bytes(ann, clock):
    file = upload(ann)
    clock.advance(timedelta(hours=23).total_seconds())
    duty.forget()
    assert uploads.unused_file(ann, file)[1] == PDF
    clock.advance(7200)
    assert refused(ann, {"receipt": file}) == ("file_used", "input.receipt")
    with pytest.raises(Missing):
        uploads.unused_file(ann, file)
    duty.forget()
    assert not StoredFileContent.unsafe_all_tenants.exists()
    assert not StoredFile.unsafe_all_tenants.exists()


@pytest.mark.parametrize(
    "limit",
    [("PERSON_UNUSED_FILES", 1), ("PERSON_UNUSED_BYTES", len(PDF)), ("TENANT_UNUSED_BYTES", len(PDF))],
)
def test_too_many_unused_files_are_refused(ann, monkeypatch, limit):
    monkeypatch.setattr(store, *limit)
    file = upload(ann)
    with pytest.raises(Conflict) as found:
        upload(ann)
    assert (found.value.code, found.value.field) == ("too_many_files", "file")
    start(ann, {"receipt": file})
    assert upload(ann)


def test_a_scan_may_refuse_an_upload(ann, settings):
    settings.HANDOFF_FILE_SCAN = "false"
    with pytest.raises(Invalid) as found:
        upload(ann)
    assert (found.value.code, found.value.field) == ("refused_by_scan", "file")


def test_a_child_run_has_the_files_of_its_tree(ann):
    child = make.a_version(FLOW)
    step = {"id": "a", "type": "subworkflow", "input": {"receipt": "{{ input.receipt }}"}}
    parent = make.graph([{**step, "params": {"workflow": child.workflow.name}}], [], input_schema=RECEIPT)
    file = upload(ann)
    (run_id,) = start(ann, {"receipt": file}, definition=parent)
    make.work()
    below = Run.unsafe_all_tenants.get(parent_id=run_id)
    assert (make.run(run_id).status, below.status) == ("COMPLETED", "COMPLETED")
    assert readable(below.pk, file)


def test_a_run_that_follows_or_repeats_another_shares_its_files(ann):
    after = make.a_version(FLOW)
    file = upload(ann)
    first = make.chain("noop", input_schema=RECEIPT, next_workflow=after.workflow.name)
    (run_id,) = start(ann, {"receipt": file}, definition=first)
    make.work()
    follower = Run.unsafe_all_tenants.get(follows=run_id)
    again = replay.rerun(ann.tenant_id, run_id, "a", by="bob").id
    assert readable(follower.pk, file)
    assert readable(again, file)
    assert StoredFileContent.unsafe_all_tenants.count() == 1
    with transaction.atomic():
        archive(run_id, follower.pk)
        assert readable(again, file)
        archive(again)
        for table in (StoredFile, StoredFileContent, FileUse):
            assert not table.unsafe_all_tenants.exists()
        transaction.set_rollback(True)


def archive(*runs):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL handoff.archiving = 'on'")
        cursor.execute("DELETE FROM runs_run WHERE id = ANY (%s::uuid[])", [[str(run) for run in runs]])
        cursor.execute("SET LOCAL handoff.archiving = 'off'")


def test_nobody_changes_or_deletes_a_file_that_a_run_uses(ann):
    file = upload(ann)
    start(ann, {"receipt": file})
    for statement in (
        "UPDATE files_storedfile SET name = 'x' WHERE id = %s",
        "DELETE FROM files_storedfile WHERE id = %s",
        "UPDATE files_storedfilecontent SET content = 'x' WHERE id = %s",
        "DELETE FROM files_storedfilecontent WHERE id = %s",
    ):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, [file])


def test_another_tenants_file_is_none(ann):
    stranger = make.MembershipFactory(tenant=make.TenantFactory(slug="theirs"), role="operator")
    from_there = uploads.upload(member_of(stranger), name="a.pdf", content=PDF)["id"]
    assert refused(ann, {"receipt": from_there}) == ("no_such_file", "input.receipt")
    assert trees.content_of(ann.tenant_id, from_there) is None


def member_of(seat):
    return member_principal(seat.tenant_id, seat.user.username, "session")


def test_a_preview_is_there_for_what_a_browser_may_render(ann):
    picture, pdf = upload(ann, PNG, "a.png"), upload(ann)
    (run_id,) = start(ann, {"more": [{"scan": picture}, {"scan": pdf}]})
    views = trees.described(ann.tenant_id, run_id, [picture, pdf, "none"], lambda id: f"/x/{id}")
    assert set(views) == {picture, pdf}
    assert views[picture].is_picture
    assert views[pdf].preview_url == f"/x/{pdf}?show=yes"
