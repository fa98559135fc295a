"""The migration of release 0.2: signals sent to child runs belong to their trees, and open waits know theirs."""

from importlib import import_module

import pytest
from django.db import connection

from lib.uuid7 import uuid7
from runs.commands.signals import NewSignal, send_signals
from runs.models import RunMessage, Signal, StepExecution
from tests import factories as make

pytestmark = pytest.mark.django_db

MIGRATION = import_module("runs.migrations.0002_release_0_2")
BODY = {"steps": [{"id": "go", "type": "signal", "params": {"name": "go"}}]}


def migrate():
    with connection.cursor() as cursor:
        cursor.execute(MIGRATION.SIGNALS)
        cursor.execute(MIGRATION.WAITS)


def as_before(child, signal_id, name):
    """A signal as it was kept for a child run before."""
    row = Signal(
        id=uuid7(), tenant_id=child.tenant_id, root_id=child.root_id, run_id=child.pk, shard=child.shard
    )
    row.signal_id, row.name, row.payload, row.sent_by = signal_id, name, signal_id, "test"
    row.save(force_insert=True)


def test_what_was_sent_to_child_runs_is_kept_for_them_and_waits_get_what_their_root_has():
    run_id = make.start(make.mapped(BODY), {"items": [1, 2]})[0]
    make.work()
    first, second = make.children_of(run_id)
    for step in StepExecution.unsafe_all_tenants.filter(waiting__kind="signal"):
        del step.waiting["tree"]
        step.save()
    as_before(first, "same", "later")
    as_before(second, "same", "later")
    as_before(make.run(run_id), "root", "go")
    migrate()

    of_children = Signal.unsafe_all_tenants.filter(name="later").order_by("pk")
    assert {str(one.root_id) for one in of_children} == {run_id}
    assert [one.child_id for one in of_children] == [first.pk, second.pk]
    assert [one.signal_id.partition(" (")[0] for one in of_children] == ["same", "same"]
    assert len({one.signal_id for one in of_children}) == 2
    assert RunMessage.unsafe_all_tenants.filter(run_id=run_id, kind="signal_wanted").count() == 2
    make.work()
    assert make.steps(str(first.pk))["go"].output == "root"
    send_signals(make.a_tenant().pk, [(run_id, NewSignal("new", "go", "new"))], by="test")
    make.work()
    assert make.steps(str(second.pk))["go"].output == "new"
