"""Messages that nobody has taken are found without reading the runs, however many there are."""

import json
from dataclasses import replace
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.principal import Reach
from accounts.roles import READ
from lib.uuid7 import uuid7
from runs.models import Run, Signal
from runs.reading.messages import unread_signals
from tests.people import People
from tests.store.test_list_plans import runs_read, tenant
from workflows.models import Workflow

__all__ = ["tenant"]
pytestmark = [pytest.mark.django_db, pytest.mark.slow]
SIGNALS = 30


@pytest.mark.parametrize("is_shut", [True, False])
def test_only_the_runs_of_signals_are_looked_up(tenant, is_shut):
    runs = Run.objects.for_tenant(tenant).order_by("id").values_list("id", "root_id")[:SIGNALS]
    Signal.unsafe_all_tenants.bulk_create(
        Signal(
            id=uuid7(),
            tenant_id=tenant,
            run_id=run,
            root_id=root,
            shard=0,
            signal_id=str(uuid4()),
            name="x",
            payload={},
            sent_by="a",
        )
        for run, root in runs
    )
    folder = Workflow.objects.for_tenant(tenant).values_list("folder_id", flat=True).first()
    reach = Reach.of([(folder + 1 if is_shut else folder, [READ])])
    who = replace(People().principal("operator", "default"), tenant_id=tenant, reach=reach)
    with CaptureQueriesContext(connection) as captured:
        found = unread_signals(who, 50)
    assert len(found) == (0 if is_shut else SIGNALS)
    with connection.cursor() as cursor:
        statement = captured.captured_queries[-1]["sql"]
        ((explained,),) = cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}").fetchall()
    plan = explained[0] if isinstance(explained, list) else json.loads(explained)[0]
    assert runs_read(plan["Plan"]) <= 2 * SIGNALS
