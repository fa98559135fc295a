"""What a run of many children has waited is summed up with indexes, and reads rows in proportion to them."""

import json

import pytest
from django.db import connection

from runs.store import waits
from tests import factories as make
from tests.statements import texts

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

WAITING = {"sla_seconds": 100, "sla_pauses": "waiting"}
LARGEST = 10_000
CHILDREN = """
INSERT INTO runs_run (id, tenant_id, workflow_id, version_id, shard, status, priority, input, open_sinks, root_id,
                      tree_id, created_by, parent_id, created_at)
SELECT md5('child' || g)::uuid, r.tenant_id, r.workflow_id, r.version_id, 0, 'RUNNING', 0, '{{}}', 1,
       md5('child' || g)::uuid, r.id, 'test', r.id, r.created_at
  FROM generate_series({first}, {last}) g, runs_run r WHERE r.id = '{run}';
INSERT INTO runs_stepexecution (id, tenant_id, run_id, version_id, shard, node, type, queue, priority, status,
                                lease_seconds, waiting, queued_at)
SELECT md5('step' || g)::uuid, r.tenant_id, md5('child' || g)::uuid, r.version_id, 0, 's', 'signal', 'engine', 0,
       'WAITING', 30, '{{"kind": "signal"}}', r.created_at
  FROM generate_series({first}, {last}) g, runs_run r WHERE r.id = '{run}';
INSERT INTO runs_historyevent (tenant_id, run_id, shard, ordinal, type, node, xid, payload, created_at)
SELECT r.tenant_id, md5('child' || g)::uuid, 0, 1, 'STEP_WAITING', 's', 1, '{{"kind": "signal"}}',
       r.created_at + interval '1 second'
  FROM generate_series({first}, {last}) g, runs_run r WHERE r.id = '{run}';
"""


@pytest.fixture
def run_id(clock):
    found = make.start(make.graph([{"id": "s", "type": "signal", "params": {"name": "x"}}], [], **WAITING))[0]
    make.work()
    clock.advance(61)
    return found


def grown(run_id, first, last):
    """The same run with children `first` to `last`."""
    with connection.cursor() as cursor:
        cursor.execute(CHILDREN.format(run=run_id, first=first, last=last))
        cursor.execute("ANALYZE runs_run, runs_stepexecution, runs_historyevent")


def nodes_of(plan):
    yield plan
    for below in plan.get("Plans", []):
        yield from nodes_of(below)


def measured(run_id):
    """The plan that is carried out, as a list of its nodes."""
    with connection.cursor() as cursor:
        text = texts()["sla_waited_of"]
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {text}", {"run": run_id, "now": None})
        found = cursor.fetchone()[0]
    plan = json.loads(found) if isinstance(found, str) else found
    return list(nodes_of(plan[0]["Plan"]))


def rows_read(nodes):
    """How many rows the nodes of a plan have handed on or dropped, over all rounds."""
    return sum(
        (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"] for node in nodes
    )


def test_what_ten_thousand_children_wait_is_read_by_indexes_and_in_proportion(run_id):
    read = {}
    for first, last in ((1, 1000), (1001, LARGEST)):
        grown(run_id, first, last)
        nodes = measured(run_id)
        hot = [
            node
            for node in nodes
            if node.get("Relation Name", "").startswith(("runs_run", "runs_step", "runs_hist"))
        ]
        assert [node["Relation Name"] for node in hot if node["Node Type"] == "Seq Scan"] == []
        read[last] = rows_read(nodes)
    assert read[LARGEST] < 11 * read[1000]
    assert read[LARGEST] < 60 * LARGEST
    assert waits.sla_waited(run_id).total_seconds() == 60
