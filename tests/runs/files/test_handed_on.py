"""A file of a task that a run of another tree takes over: shared, and kept when the first run is archived."""

import pytest
from django.db import connection, transaction

from runs.commands.starts import NewRun, Terms, start_runs
from runs.files import trees
from runs.files.models import StoredFileContent
from runs.models import Run
from tasks_inbox.forms import files
from tests import factories as make
from tests.inbox.asking import approval, decide, member, task_of
from tests.runs.files.odd import PDF
from tests.runs.files.test_starts import FLOW, RECEIPT
from tests.store.watching import watching

pytestmark = pytest.mark.django_db


def test_a_run_that_follows_has_the_file_of_a_task_also_when_that_is_archived():
    after = make.a_version(FLOW)
    definition = approval(type="human.form", form=RECEIPT)
    value = "{{ steps.ask.output.data.receipt }}"
    end = {"id": "end", "type": "transform", "params": {"set": {"receipt": value}}}
    definition = {
        **definition,
        "nodes": [definition["nodes"][0], end],
        "edges": [{"from": "ask", "to": "end"}],
        "next_workflow": after.workflow.name,
    }
    (run_id,) = make.start(definition, {"amount": 1})
    make.work()
    task, ann = task_of(run_id), member("ann")
    file = str(files.attach(ann, task.pk, name="a.pdf", content=PDF).pk)
    decide(ann, task, outcome="submitted", data={"receipt": file})
    make.work()
    assert make.run(run_id).status == "COMPLETED", make.run(run_id).error
    follower = Run.unsafe_all_tenants.get(follows=run_id)
    assert follower.input == {"receipt": file}
    assert file in trees.files_of_run(ann.tenant_id, follower.pk, [file])
    assert not StoredFileContent.unsafe_all_tenants.exists()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL handoff.archiving = 'on'")
        cursor.execute("DELETE FROM tasks_inbox_taskfilecontent")
        cursor.execute("DELETE FROM tasks_inbox_taskfile")
        cursor.execute("DELETE FROM runs_run WHERE id = %s", [run_id])
        assert file in trees.files_of_run(ann.tenant_id, follower.pk, [file])
        assert trees.content_of(ann.tenant_id, file) == PDF
        transaction.set_rollback(True)


def test_many_starts_take_files_over_in_as_many_statements_as_one():
    ann = member("ann")
    version, trips = make.a_version(FLOW).pk, []
    attached = []
    for run_id in make.start(approval(type="human.form", form=RECEIPT), *[{"amount": n} for n in range(7)]):
        make.work()
        attached.append((run_id, str(files.attach(ann, task_of(run_id).pk, name="a.pdf", content=PDF).pk)))
    for some in (attached[:1], attached[1:2], attached[2:]):
        items = [NewRun({"receipt": file}, files_of=run_id) for run_id, file in some]
        with watching() as seen:
            started = start_runs(Terms(ann.tenant_id, version, "ann"), items)
        trips.append(seen.trips)
        for one, (_, file) in zip(started, some, strict=True):
            assert file in trees.files_of_run(ann.tenant_id, one.id, [file])
    assert trips[1] == trips[2]
