"""The list of runs, the home page and messages with 100,000 runs: no statement reads a hot table from end to end."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from accounts.principal import Reach
from accounts.queries import member_principal
from accounts.roles import READ
from lib.uuid7 import uuid7
from runs import access
from runs.models import Run, Signal
from runs.reading import counting, queries, search
from runs.reading.lists import page_of_runs
from runs.reading.messages import unread_signals
from runs.reading.orders import NEWEST
from runs.reading.search import Wanted, search_page
from tests import factories as make
from tests.people import People
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

RUNS = 100_000
SIGNALS = 30
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
# One a minute: most completed, some failed, cancelled or open, half of them with a business key.
FILL = f"""
WITH r AS (
    INSERT INTO runs_run (id, tenant_id, workflow_id, version_id, shard, status, priority, input, open_sinks, root_id,
                          created_by, created_at, completed_at, business_key)
    SELECT id, %(tenant)s, (%(workflows)s::bigint[])[1 + g %% 10], %(version)s, 0, status, 0,
           jsonb_build_object('text', repeat(md5(g::text) || ' ', 20)), 1, id, 'test', at,
           CASE WHEN status <> 'RUNNING' THEN at END, CASE WHEN g %% 2 = 0 THEN 'order-' || g END
      FROM (SELECT g, at, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000'
                           || substr(md5(g::text), 1, 16))::uuid AS id,
                   CASE WHEN g %% 100 = 0 THEN 'FAILED' WHEN g %% 100 < 3 THEN 'RUNNING'
                        WHEN g %% 100 = 7 THEN 'CANCELLED' ELSE 'COMPLETED' END AS status
              FROM generate_series(1, {RUNS}) g,
                   LATERAL (SELECT %(begin)s::timestamptz + g * interval '1 minute' AS at) t) x
    RETURNING id, status)
INSERT INTO runs_stepexecution (id, tenant_id, run_id, version_id, shard, node, type, queue, priority, status, attempt,
                                lease_seconds)
SELECT md5('step' || id)::uuid, %(tenant)s, id, %(version)s, 0, 'a', 'noop', 'default', 0,
       CASE status WHEN 'RUNNING' THEN 'QUEUED' ELSE status END, 1, 30
  FROM r
"""
FILTERS = {
    "nothing": {},
    "at work": {"statuses": ["RUNNING", "PAUSED", "FAILING", "CANCELLING", "COMPENSATING"]},
    "waiting": {"status": "WAITING"},
    "failed": {"status": "FAILED"},
    "completed": {"status": "COMPLETED"},
    "cancelled": {"status": "CANCELLED"},
    "a workflow": {"workflow": "wf"},
    "a workflow of few": {"workflow": "rare"},
    "an unknown workflow": {"workflow": "none"},
    "a workflow's failures": {"workflow": "wf", "status": "FAILED"},
    "days long ago": {
        "created_after": BEGIN + timedelta(days=3),
        "created_before": BEGIN + timedelta(days=4),
    },
    "a key": {"q": "order-4711"},
    "many keys": {"q": "order"},
    "nothing's text": {"q": "no such text"},
    "a text of failures": {"q": "order-500", "status": "FAILED"},
    "the beginning of an id": {"q": "019b79"},
}


@pytest.fixture(scope="module")
def tenant(django_db_setup, django_db_blocker) -> Iterator[int]:
    """A tenant with all these runs, in a transaction around that of each test."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield with_many_runs()
        transaction.set_rollback(True)


def with_many_runs() -> int:
    """A tenant with runs of ten workflows, and the oldest three of another."""
    versions = [make.a_version(make.chain("noop")) for _ in range(10)]
    workflow, rare = versions[0].workflow, make.a_version(make.chain("noop")).workflow
    for one, name in ((workflow, "wf"), (rare, "rare")):
        Workflow.objects.for_tenant(one.tenant_id).filter(pk=one.pk).update(name=name)
    with connection.cursor() as cursor:
        of = {"workflows": [version.workflow_id for version in versions], "version": versions[0].pk}
        cursor.execute(FILL, {"tenant": workflow.tenant_id, **of, "begin": BEGIN})
        ended = Run.objects.for_tenant(workflow.tenant_id).filter(status="COMPLETED").order_by("id")
        Run.objects.for_tenant(workflow.tenant_id).filter(pk__in=ended.values("pk")[:3]).update(
            workflow_id=rare.pk
        )
        # Of all tables: what earlier tests left in others decides plans, too.
        cursor.execute("ANALYZE")
    return workflow.tenant_id


def first_page(tenant: int, q: str = "", **asked) -> None:
    """Read the first page of the list."""
    request, within = RequestFactory().get("/runs/", {"q": q}), Run.objects.for_tenant(tenant)
    page_of_runs(tenant, request, asked | {"q": q}, within, order=NEWEST, limit=50, cursor=None)


def plan_of(statement: str) -> dict:
    """How the database has done a statement."""
    with connection.cursor() as cursor:
        ((explained,),) = cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}").fetchall()
    return (explained if isinstance(explained, list) else json.loads(explained))[0]["Plan"]


def test_every_filter_reads_few_runs(tenant):
    """For a page, which aims at 100 ms; where keys and inputs are looked through, at 300."""
    read, scanned = {}, {}
    for name, asked in FILTERS.items():
        with CaptureQueriesContext(connection) as captured:
            first_page(tenant, **asked)
        plans = [plan_of(one["sql"]) for one in captured.captured_queries]
        read[name] = sum(map(runs_read, plans))
        scanned[name] = [table for plan in plans for table in scanned_by(plan) if table != "runs_workflow"]
    assert {
        name: count for name, count in read.items() if count > (50_000 if "q" in FILTERS[name] else 3_000)
    } == {}
    # Parts of keys are looked for in an index; where most keys hold the text, reading the runs may be as good.
    assert {name for name, tables in scanned.items() if tables} <= {"many keys", "nothing's text"}


def scanned_by(plan: dict) -> list[str]:
    """The tables of runs that a plan reads from end to end."""
    own = [plan["Relation Name"]] if plan["Node Type"] == "Seq Scan" else []
    return [name for name in own if name.startswith("runs_")] + [
        name for part in plan.get("Plans", ()) for name in scanned_by(part)
    ]


def runs_read(plan: dict) -> float:
    """How many rows of runs a plan has read, whether they fitted or not."""
    own = 0.0
    if plan.get("Relation Name") == "runs_run":
        names = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck")
        own = plan["Actual Loops"] * sum(plan.get(name, 0) for name in names)
    return own + sum(runs_read(part) for part in plan.get("Plans", ()))


@pytest.mark.parametrize("is_shut", [True, False])
def test_what_tabs_count_reads_little_more_than_it_counts(tenant, client, monkeypatch, is_shut):
    monkeypatch.setattr(counting, "COUNTED", 2_000)
    client.force_login(make.MembershipFactory(role="operator").user)
    if is_shut:  # To find none of them is most work.
        Workflow.objects.for_tenant(tenant).update(folder=make.FolderFactory(name="Locked"))
    with CaptureQueriesContext(connection) as captured:
        answer = client.get("/runs/counts", headers={"HX-Request": "true"})
    counts = {tab["key"]: str(tab["count"]) for tab in answer.context["tabs"]}
    told = (
        {"all": "0", "open": "0", "mine": "0"} if is_shut else {"all": "2000+", "open": "2000", "mine": "0"}
    )
    assert {key: counts[key] for key in told} == told
    (union,) = [one["sql"] for one in captured.captured_queries if "UNION ALL" in one["sql"]]
    parts = union.count("UNION ALL") + 1
    assert runs_read(plan_of(union)) <= parts * 2_100


WANTED = Wanted("no such", ["no such"])


def test_a_page_of_a_search_reads_no_more_than_its_part_of_the_runs(tenant, monkeypatch):
    monkeypatch.setattr(search, "RUNS_A_PAGE", 500)
    read = {}
    for asked in ({}, {"status": "COMPLETED"}, {"workflow": "wf"}):
        found, request = queries.runs_of(tenant, **asked), RequestFactory().get("/runs/", {"q": "no such"})
        page, _ = search_page(found, request, WANTED, limit=50)
        page, _ = search_page(found, request, WANTED, limit=50, cursor=cursor_in(page.next))
        for towards in ("next", "previous"):
            cursor = cursor_in(getattr(page, towards))
            with CaptureQueriesContext(connection) as captured:
                search_page(found, request, WANTED, limit=50, cursor=cursor)
            (end,) = [one["sql"] for one in captured.captured_queries if "ROW_NUMBER" in one["sql"]]
            read[*asked, towards] = runs_read(plan_of(end))
    # Once to find the last of them and once to measure them; of one workflow in ten most are passed over.
    assert {
        name: count for name, count in read.items() if count > (10_000 if "workflow" in name else 1_100)
    } == {}


def cursor_in(address: str | None) -> str:
    """The cursor of the page behind an address."""
    return parse_qs(urlsplit(address).query)["cursor"][0]


def test_the_home_page_reads_few_runs_also_for_those_who_may_read_the_half_of_them(tenant):
    read = {}
    admin = make.MembershipFactory(role="admin")
    folder = make.FolderFactory(name="Locked")
    rows = Workflow.objects.for_tenant(tenant).order_by("pk")
    rows.filter(pk__in=list(rows.values_list("pk", flat=True)[:5])).update(folder=folder)
    viewer = make.MembershipFactory(role="viewer")
    # Those that are open or failed are of the workflows in the other folder: to find none of them is most work.
    for seat, counts in ((admin, (5, 5, 5)), (viewer, (5, 0, 0))):
        who = member_principal(tenant, seat.user.username, "session")
        with CaptureQueriesContext(connection) as captured:
            last, open_now, failed = queries.at_a_glance(who, 5)
        assert (len(last), len(open_now), len(failed)) == counts
        read[seat.role] = sum(runs_read(plan_of(one["sql"])) for one in captured.captured_queries)
    assert max(read.values()) < 10_000


@pytest.fixture
def reads_few(tenant):
    """Who may read only the three oldest of 100,000 runs: of the one workflow in the folder that they reach."""
    others = Workflow.objects.for_tenant(tenant).exclude(name="rare")
    others.update(folder=make.FolderFactory(name="Locked"))
    return make.MembershipFactory(role="viewer").user


def test_who_may_read_few_runs_has_few_read(reads_few, client):
    client.force_login(reads_few)
    read = {}
    for path in (
        "/runs/",
        "/runs/?status=FAILED",
        "/runs/?q=order",
        "/",
        "/api/v1/runs",
        "/api/v1/runs?workflow=wf",
    ):
        with CaptureQueriesContext(connection) as captured:
            assert client.get(path).status_code == 200
        read[path] = sum(
            runs_read(plan_of(one["sql"]))
            for one in captured.captured_queries
            if one["sql"].startswith("SELECT")
        )
    assert {path: count for path, count in read.items() if count > 1_000} == {}


def test_where_too_many_workflows_may_be_read_to_name_them_the_runs_are_the_same(
    tenant, reads_few, monkeypatch
):
    who = member_principal(tenant, reads_few.username, "session")
    named = {run.pk for run in access.readable_runs(who)}
    monkeypatch.setattr(access, "NAMED_WORKFLOWS", 0)
    assert {run.pk for run in access.readable_runs(who)} == named
    assert len(named) == 3


@pytest.mark.parametrize("is_shut", [True, False])
def test_only_the_runs_of_signals_are_looked_up(tenant, is_shut):
    """Messages that nobody has taken are found without reading the runs."""
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
    assert runs_read(plan_of(captured.captured_queries[-1]["sql"])) <= 2 * SIGNALS
