"""`/metrics`: who may read it, whether its figures are true, and whether what is made of them exists."""

import json
import re
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
import yaml
from django.conf import settings
from django.db import OperationalError, connection
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.parser import text_string_to_metric_families

from config import duties, figures
from integrations.broker import kafka, relay
from integrations.grpc import meters as rpc_meters
from runs.models import Timer
from runs.store import hot
from runs.store.jobs import Offer, claim_jobs
from runs.workers.drain import Drain
from runs.workers.tasks import tick
from tests import factories as make
from tests.store.watching import watching
from tests.timing import clock

__all__ = ["clock"]

MONITORING = Path(__file__).parents[2] / "docs" / "monitoring"
TOKEN = "a-token-of-sixteen-characters-or-more"
# What PromQL has of its own in the expressions of the dashboard and the alerts.
WORDS = {"absent", "by", "histogram_quantile", "max", "min", "offset", "or", "rate", "sum"}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def scrape(client, monkeypatch):
    """All figures as Prometheus reads them: (name, label) → value."""
    monkeypatch.setenv("HANDOFF_METRICS_TOKEN", TOKEN)

    def read():
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.status_code == 200, answer.content
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(answer.content.decode())
            for sample in family.samples
        }

    return read


@pytest.fixture
def other():
    """What another connection does, for as long as a block takes: then it is undone."""

    @contextmanager
    def doing(statement):
        info = connection.connection.info
        with psycopg.connect(info.dsn, password=info.password) as wire:
            wire.execute(statement)
            yield
            wire.rollback()

    return doing


def grown(before, after):
    return {key: value - before.get(key, 0) for key, value in after.items() if value != before.get(key, 0)}


class TestAccess:
    def test_without_a_token_of_its_own_there_is_no_such_page(self, client, monkeypatch):
        monkeypatch.delenv("HANDOFF_METRICS_TOKEN", raising=False)
        assert client.get("/metrics").status_code == 404
        assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404

    @pytest.mark.parametrize(
        "given", ["", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}é"]
    )
    def test_another_token_is_refused(self, client, monkeypatch, given):
        monkeypatch.setenv("HANDOFF_METRICS_TOKEN", TOKEN)
        answer = client.get("/metrics", headers={"Authorization": given})
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert b"handoff_" not in answer.content

    def test_it_is_only_read(self, client, monkeypatch):
        monkeypatch.setenv("HANDOFF_METRICS_TOKEN", TOKEN)
        assert client.post("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 405


class TestState:
    def test_what_is_open_is_counted(self, scrape):
        make.start(make.chain("noop"), {}, {}, {})
        make.start(make.graph([{"id": "job", "type": "job", "queue": "presses"}], []))
        make.claimed(limit=1)
        hot.worker_seen(worker="w", queue="default", host="here", pid=1)

        found = scrape()

        assert found["handoff_database_up",] == 1
        assert found["handoff_queue_ready", "default"] == 2
        assert found["handoff_queue_ready", "blocking"] == 0
        assert found["handoff_queue_ready", "presses"] == 1
        assert found["handoff_steps_running", "default"] == 1
        assert found["handoff_queue_oldest_seconds", "default"] >= 0
        assert found["handoff_runs_open", "RUNNING"] == 4
        assert found["handoff_runs_open", "PAUSED"] == 0
        assert (found["handoff_workers", "default"], found["handoff_workers", "engine"]) == (1, 0)
        assert found["Workflows_QueuedSteps",] == 3

    def test_timers_and_how_late_they_are(self, scrape):
        make.start(make.graph([{"id": "w", "type": "wait", "params": {"seconds": 3600}}], []))
        Drain("engine").run()
        Drain("default").run()
        assert (scrape()["handoff_timers_pending",], scrape()["handoff_timers_overdue",]) == (1, 0)

        with connection.cursor() as cursor:
            cursor.execute("UPDATE runs_timer SET fire_at = clock_timestamp() - interval '40 s'")
        late = scrape()
        assert (late["handoff_timers_pending",], late["handoff_timers_overdue",]) == (1, 1)
        assert 40 <= late["handoff_timer_lateness_seconds",] < 60
        assert Timer.unsafe_all_tenants.count() == 1

    def test_letters_that_are_open(self, scrape):
        make.start(make.chain("noop"))
        make.fail(*make.claimed())
        found = scrape()
        assert found["handoff_dead_letters_open",] == 1
        assert found["handoff_repairs_total",] == 0

    def test_it_takes_four_statements_whatever_there_is(self, scrape):
        make.start(make.chain("noop"), *[{}] * 20)
        with watching() as told:
            scrape()
        assert sorted(told.named) == ["count_open", "count_queues", "count_state", "standing"]

    def test_a_database_that_is_away_is_told_beside_what_processes_know(self, scrape, monkeypatch):
        def away(_):
            raise OperationalError("away")

        monkeypatch.setattr(figures, "count_queues", away)
        found = scrape()
        assert found["handoff_database_up",] == 0
        assert ("handoff_queue_ready", "default") not in found
        assert ("handoff_claims_total",) in found


class TestCounters:
    def test_claims_and_what_ended(self, scrape):
        before = scrape()
        make.start(make.chain("noop"), {}, {}, {})
        make.complete(*make.claimed(limit=2))
        make.fail(*make.claimed())

        more = grown(before, scrape())

        assert more["handoff_claims_total",] == 2
        assert (more["handoff_claim_batch_size_count",], more["handoff_claim_batch_size_sum",]) == (2, 3)
        assert more["workflow_engine_job_poll_latency_seconds_count",] == 3
        assert more["handoff_steps_finished_total", "COMPLETED"] == 2
        assert more["handoff_steps_finished_total", "FAILED"] == 1
        assert (more["Workflows_ProcessedSteps",], more["Workflows_FailedSteps",]) == (3, 1)

    def test_what_the_engine_decides_by_itself_has_ended_too(self, scrape):
        before = scrape()
        good = {"id": "good", "type": "transform", "params": {"set": {"n": "{{ input.n + 1 }}"}}}
        bad = {"id": "bad", "type": "transform", "params": {"set": {"n": "{{ prev.n / 0 }}"}}}
        make.start(make.graph(["first", good, bad], ["first>good", "good>bad"]), {"n": 1})
        make.complete(*make.claimed(), output={"n": 1})

        more = grown(before, scrape())

        assert more["handoff_steps_finished_total", "COMPLETED"] == 2
        assert more["handoff_steps_finished_total", "FAILED"] == 1

    def test_a_step_that_is_tried_again_has_not_ended_and_was_locked_before(self, scrape, clock):
        make.start(make.chain("noop"))
        before = scrape()
        make.fail(*make.claimed(), retryable=True)
        clock.advance(3600)
        assert make.claimed()

        more = grown(before, scrape())

        assert ("handoff_steps_finished_total", "FAILED") not in more
        assert more["workflow_engine_job_poll_latency_seconds_count",] == 1

    def test_a_poll_that_finds_nothing_is_told_from_one_that_finds_what_others_have(self, scrape, other):
        before = scrape()
        assert hot.claim(queue="default", worker="w", cursor=0, limit=9) == []
        make.start(make.chain("noop"))
        with other("SELECT id FROM runs_stepexecution FOR UPDATE"):
            assert hot.claim(queue="default", worker="w", cursor=0, limit=9) == []

        more = grown(before, scrape())

        assert more["handoff_claim_empty_total", "empty"] == 1
        assert more["handoff_claim_empty_total", "contended"] == 1
        assert more["workflow_engine_job_lock_conflicts_total",] == 1

    def test_so_are_polls_for_jobs(self, scrape, other):
        run = make.start(make.graph([{"id": "job", "type": "job", "queue": "presses"}], []))[0]
        tenant = make.steps(run)["job"].tenant_id
        before = scrape()
        poll = {"tenant": tenant, "queues": ["presses"], "offers": [Offer("w", 0, b"x")]}
        with other("SELECT id FROM runs_stepexecution FOR UPDATE"):
            assert claim_jobs(**poll, alone=True) == []
            assert claim_jobs(**poll, alone=False) == []
        assert len(claim_jobs(**poll, alone=False)) == 1
        assert claim_jobs(**poll, alone=False) == []

        more = grown(before, scrape())

        assert more["handoff_claim_empty_total", "contended"] == 1
        assert more["handoff_claim_empty_total", "empty"] == 1
        assert more["handoff_claims_total",] == 1


class TestWhatIsMadeOfThem:
    @pytest.fixture
    def names(self, scrape, monkeypatch):
        """What `/metrics` gives after a run of a workflow, and a round of duties, with a broker and calls of gRPC."""
        make.start(make.chain("noop", "noop"))
        Drain("default").run()
        duties.register()
        tick("timers")
        monkeypatch.setattr(settings, "HANDOFF_BROKER", "kafka")
        return {name for name, *_ in scrape()} | {*uncounted()}

    def expressions(self):
        board = json.loads((MONITORING / "dashboard.json").read_text())
        yield from (target["expr"] for panel in board["panels"] for target in panel["targets"])
        rules = yaml.safe_load((MONITORING / "alerts.yml").read_text())
        yield from (rule["expr"] for group in rules["groups"] for rule in group["rules"])

    def test_each_name_in_dashboard_and_alerts_is_given(self, names):
        used = {name for expression in self.expressions() for name in named(expression)}
        assert used - names == set()
        assert len(used) > 15

    def test_each_alert_says_what_is_wrong_and_how_bad_it_is(self):
        rules = yaml.safe_load((MONITORING / "alerts.yml").read_text())
        for rule in rules["groups"][0]["rules"]:
            assert rule["annotations"].keys() == {"summary", "description"}, rule["alert"]
            assert rule["labels"]["severity"] in ("critical", "warning", "info")

    def test_panels_have_places_of_their_own(self):
        panels = json.loads((MONITORING / "dashboard.json").read_text())["panels"]
        assert len({panel["id"] for panel in panels}) == len(panels)
        assert len({(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}) == len(panels)


def named(expression):
    """The names of metrics in an expression of PromQL: what is no label, no range, no number and no word of its own."""
    plain = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)|\boffset \w+", " ", expression)
    return set(re.findall(r"\b[a-zA-Z_]\w*", plain)) - WORDS


def uncounted():
    """The names of what the processes of gRPC and of a broker would count, by labels that nothing has yet."""
    ends = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
    for module in (kafka, relay, rpc_meters):
        for metric in vars(module).values():
            if isinstance(metric, MetricWrapperBase):
                (family,) = metric.collect()
                yield from (f"{family.name}{end}" for end in ends[family.type])
