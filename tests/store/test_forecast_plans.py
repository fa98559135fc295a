"""Lists in the order of forecasts walk an index: a page reads no more of many open runs than of few."""

import pytest
from django.db import connection
from django.test import RequestFactory

from accounts.queries import command_principal
from runs.access import readable
from runs.models import Run
from runs.reading import queries
from runs.reading.orders import page_in_order
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

OPEN = 20_000
FILL = """
INSERT INTO runs_run (id, tenant_id, workflow_id, version_id, shard, status, priority, input, open_sinks, root_id,
                      created_by)
SELECT md5('run' || g)::uuid, %(tenant)s, %(workflow)s, %(version)s, 0, 'RUNNING', 0, '{}', 1, md5('run' || g)::uuid,
       'test'
  FROM generate_series(1, %(open)s) g;
INSERT INTO runs_forecast (run_id, tenant_id, p50, p90, risk, made_at)
SELECT md5('run' || g)::uuid, %(tenant)s, now() + g * interval '1 minute', now() + g * interval '2 minutes',
       CASE WHEN g %% 2 = 0 THEN g::float8 / %(open)s END, now()
  FROM generate_series(1, %(open)s) g WHERE g %% 100 <> 0
"""
PAGE = 50


@pytest.fixture
def _sound():
    """The tables hold what this test wrote, and not what Handoff does."""


@pytest.mark.parametrize("order", ["likely", "risk"])
@pytest.mark.parametrize("role", ["admin", "viewer"])
def test_a_page_of_many_open_runs_reads_few(order, role):
    version = make.a_version(make.chain("noop"))
    of = {"tenant": version.tenant_id, "workflow": version.workflow_id, "version": version.pk, "open": OPEN}
    with connection.cursor() as cursor:
        cursor.execute(FILL, of)
        cursor.execute("ANALYZE runs_run, runs_forecast, workflows_workflow")
    tenant, who = version.tenant_id, command_principal(make.a_member("vera", role).username, "default")
    runs = queries.runs_of(tenant, within=readable(Run.objects.for_tenant(tenant), who))

    def page(address="/runs/"):
        request = RequestFactory().get(address)
        return page_in_order(runs, request, tenant, order, limit=PAGE, cursor=request.GET.get("cursor"))

    before = fetched()
    second = page(page().next)
    assert len(second.rows) == PAGE
    assert fetched() - before < 20 * PAGE


def fetched() -> int:
    """How many rows of the large tables this transaction has read."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables"
            " WHERE relname IN ('runs_run', 'runs_forecast')"
        )
        return int(cursor.fetchone()[0])
