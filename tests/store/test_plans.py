"""Every statement is valid on the migrated schema, and none of them reads a hot table from end to end."""

import json
import re

import psycopg
import pytest
from django.db import connection, transaction

from runs.store import hot
from tests.statements import texts
from tests.store.watching import HOT, numbered, plan

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ROWS = 50_000
FILL = f"""
INSERT INTO runs_run (id, tenant_id, workflow_id, version_id, shard, status, priority, input, open_sinks, root_id,
                      created_by, completed_at)
SELECT md5('run' || g)::uuid, g % 50, 1, 1, 0, CASE WHEN g % 10 = 0 THEN 'RUNNING' ELSE 'COMPLETED' END, 0, '{{}}', 1,
       md5('run' || g)::uuid, 'test', CASE WHEN g % 10 = 0 THEN NULL ELSE now() END
  FROM generate_series(1, {ROWS}) g;
INSERT INTO runs_stepexecution (id, tenant_id, run_id, version_id, shard, node, type, queue, priority, status,
                                lease_seconds, worker, lease_expires_at)
SELECT md5('step' || g)::uuid, g % 50, md5('run' || g)::uuid, 1, 0, 'a', 'noop', 'default', 0,
       CASE g % 10 WHEN 0 THEN 'QUEUED' WHEN 1 THEN 'RUNNING' ELSE 'COMPLETED' END, 30, 'w' || g % 7, now()
  FROM generate_series(1, {ROWS}) g;
INSERT INTO runs_stepjoin (tenant_id, run_id, shard, node, arrived, taken)
SELECT g % 50, md5('run' || g)::uuid, 0, 'z', 1, '{{}}' FROM generate_series(1, {ROWS}) g;
INSERT INTO runs_deadletter (id, tenant_id, run_id, step_id, node, error, attempts)
SELECT md5('step' || g)::uuid, g % 50, md5('run' || g)::uuid, md5('step' || g)::uuid, 'a', '{{}}', 1
  FROM generate_series(1, {ROWS}) g;
INSERT INTO runs_historyevent (tenant_id, run_id, shard, ordinal, type, node, xid, payload, created_at)
SELECT g % 50, md5('run' || g)::uuid, 0, 1, 'STEP_COMPLETED', 'a', 1, '{{}}', now() FROM generate_series(1, {ROWS}) g;
INSERT INTO runs_runkey (tenant_id, workflow_id, business_key, run_id)
SELECT g % 50, 1, 'key' || g, md5('run' || g)::uuid FROM generate_series(1, {ROWS}) g;
"""
TIMERS = f"""
INSERT INTO runs_timer (id, tenant_id, run_id, shard, step_id, node, kind, fire_at, status)
SELECT md5('timer' || g)::uuid, g % 50, md5('run' || g)::uuid, 0, md5('step' || g)::uuid, 'a', 'wait',
       now() + g * interval '1 second', CASE WHEN g % 5 = 0 THEN 'PENDING' ELSE 'FIRED' END
  FROM generate_series(1, {ROWS}) g;
"""
TOLD = f"""
INSERT INTO dispatch_outbox (tenant_id, step_id, run_id, queue, epoch, due_at, published_at)
SELECT g % 50, md5('step' || g)::uuid, md5('run' || g)::uuid, 'mine', 0, now() + interval '5 minutes', now()
  FROM generate_series(1, {ROWS}) g;
"""


ASIDE = TOLD.replace("published_at)", "tries)").replace("now()\n", "10\n")


@pytest.mark.parametrize("name", sorted(texts()))
def test_every_statement_can_be_prepared_on_the_migrated_schema(name):
    """Every named statement is planned by a real server: a misspelt column fails here."""
    wire = connection.cursor().connection.pgconn
    answer = wire.prepare(b"", numbered(name).encode())
    assert answer.status == psycopg.pq.ExecStatus.COMMAND_OK, answer.error_message.decode()


def scanned(name):
    """The hot tables that the plan of a statement reads from end to end."""
    return re.findall(rf"Seq Scan on ({'|'.join(HOT)})\b", plan(name))


@pytest.fixture(scope="module")
def filled(django_db_setup, django_db_blocker):
    """So many rows of each, in a transaction around that of each test."""
    with django_db_blocker.unblock(), transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(FILL)
        # Once for all: each test looks at its end whether all of them are met.
        connection.check_constraints()
        yield
        transaction.set_rollback(True)


@pytest.mark.usefixtures("filled")
class TestAtFiftyThousandRows:
    @pytest.mark.parametrize("analyzed", [False, True], ids=["never analyzed", "analyzed"])
    def test_no_statement_reads_a_hot_table_from_end_to_end(self, analyzed):
        if analyzed:
            with connection.cursor() as cursor:
                for table in HOT:
                    cursor.execute(f"ANALYZE {table}")

        assert {name: found for name in texts() if (found := scanned(name))} == {}

    def test_a_signal_finds_the_waits_of_a_tree_by_its_name(self):
        """Whatever else waits in the tree is not read."""
        assert "step_signal_of_tree" in plan("signal_waits")

    def test_seals_and_the_stuck_check_walk_what_is_to_be_sealed_and_what_is_open(self):
        with connection.cursor() as cursor:
            cursor.execute(TIMERS)
            for table in ("runs_run", "runs_stepexecution", "runs_timer"):
                cursor.execute(f"ANALYZE {table}")

        assert "run_unsealed" in plan("lock_unsealed")
        assert "run_open" in plan("open_runs")
        assert "run_open_in_tree" in plan("tree_counts")
        assert "timer_due" in plan("overdue_timers")
        for name in ("stuck_among", "overdue_timers"):
            assert "Seq Scan on runs_" not in plan(name), name

    def test_the_claim_walks_the_ready_index_and_the_sweep_the_running_one(self):
        """H-11: what backs off is not mixed with what has failed, and what is leased is found, too."""
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE runs_stepexecution")

        assert "step_ready" in plan("claim")
        assert "step_running" in plan("expired")
        assert "step_ready" in plan("claim_jobs")
        assert "Sort" not in plan("claim_jobs").split("CTE picked")[0], "also of those of some folders"
        assert "Sort" not in plan("claim").split("CTE taken")[0], "a backlog must not be sorted at each claim"

    def test_what_was_published_and_is_not_due_again_is_not_walked(self):
        with connection.cursor() as cursor:
            cursor.execute(TOLD)
            cursor.execute("ANALYZE dispatch_outbox")

        assert re.search(r"using outbox_again .*\n *Index Cond: \(due_at <= ", plan("resend_events"))
        assert "step_ready" in plan("add_missing_events")

    def test_what_was_set_aside_is_not_looked_through_by_what_is_published(self):
        with connection.cursor() as cursor:
            cursor.execute(ASIDE)
            cursor.execute("ANALYZE dispatch_outbox")

        assert "outbox_failing" in plan("due_events")
        assert "outbox_aside" not in plan("due_events")
        assert "Seq Scan on dispatch_outbox" not in plan("retry_aside")

    @pytest.mark.parametrize("analyzed", [False, True], ids=["never analyzed", "analyzed"])
    def test_a_page_of_runs_sums_up_once_and_not_once_for_each_run(self, analyzed):
        if analyzed:
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE runs_run; ANALYZE runs_stepexecution")
        with connection.cursor() as cursor:
            cursor.execute("SELECT id FROM runs_run WHERE tenant_id = 7 LIMIT 100")
            page = [str(run) for (run,) in cursor.fetchall()]
        assert loops_of_sums(page) == {1}


def loops_of_sums(page):
    """How often each sum is made while a page of runs of the tenant 7 is read."""
    asked = {
        "tenant": 7, "runs": page, "own": 4096, "each": 4096, "total": 2**22, "apart": False, "node": None,
        "items": False, "indexes": None, "variables": False, "begin_runs": [], "containers": [], "loops": [],
        "silent": 8.0, "external": [], "over": None, "now": None,
    }  # fmt: skip
    cursor = psycopg.Cursor(connection.connection)
    text = f"EXPLAIN (ANALYZE, FORMAT JSON) {hot.SQL.texts['show_runs']}"
    ((explained,),) = cursor.execute(text.encode(), asked).fetchall()
    top = explained[0] if isinstance(explained, list) else json.loads(explained)[0]

    def nodes(node):
        yield node
        for part in node.get("Plans", ()):
            yield from nodes(part)

    assert top["Plan"]["Actual Rows"] == len(page)
    # Of what was made at all: the waits of runs with a deadline are not, where no run has one.
    return {int(one["Actual Loops"]) for one in nodes(top["Plan"]) if one["Node Type"] == "Aggregate"} - {0}
