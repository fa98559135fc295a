"""What Handoff tells Prometheus: the names are here, the numbers come from the store and from the processes.

Nothing here names a tenant: the labels are queues, statuses, duties and reasons, and there are few of each.
"""

import contextlib
from collections.abc import Iterator, Mapping

import psycopg
from django.conf import settings
from django.db import DatabaseError
from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, UnknownMetricFamily
from prometheus_client.registry import Collector

from config.database import patience
from config.dispatch_environment import KAFKA
from engine.statuses import RUN_ENDED, RunStatus, StepStatus
from integrations.broker.events import GROUPS, TOPICS
from integrations.broker.standing import is_led
from integrations.broker.store import outbox_standing
from lib import process_metrics
from runs.kernel.dispatch import BUILT_IN_QUEUES
from runs.limits import COUNTED_ROWS
from runs.reading.readiness import QUEUES
from runs.store import meters
from runs.store.metrics import QueueCounts, State, count_queues, count_state, oldest_of
from tasks_inbox.store.statements import count_open

_DATABASE_SECONDS = 5.0
_PROCESSED = (StepStatus.COMPLETED, StepStatus.FAILED)


class Figures(Collector):
    """Everything that `/metrics` gives, gathered anew each time: four statements, with a broker five, and the counters
    of the processes.
    """

    def collect(self) -> Iterator[Metric]:
        """Every figure. Raises nothing for a database that is away or slow: then its figures are missing."""
        families: list[Metric] = []
        with contextlib.suppress(DatabaseError, psycopg.Error), patience.at_most(_DATABASE_SECONDS):
            families = [*_of_database()]
        yield _gauge(
            "handoff_database_up", "Whether the figures of the database could be read.", bool(families)
        )
        yield from families
        counted = [*process_metrics.collected()]
        yield from counted
        yield from _as_older_engines(counted)


def _of_database() -> Iterator[Metric]:
    queues = count_queues(BUILT_IN_QUEUES)
    ages, lateness = oldest_of(sorted(queues))
    yield from _of_queues(queues, ages)
    yield from _of_state(count_state(), lateness)
    yield _gauge("handoff_tasks_open", "Tasks of people that are open.", count_open(COUNTED_ROWS))
    if settings.HANDOFF_BROKER:
        yield from _of_outbox(ages)


def _of_queues(queues: Mapping[str, QueueCounts], ages: Mapping[str, float]) -> Iterator[Metric]:
    """How long each queue is, by itself and, for an older engine's dashboards, all of them together (R-199)."""
    ready = {queue: counts.ready for queue, counts in queues.items()}
    running = {queue: counts.running for queue, counts in queues.items()}
    oldest = {queue: max(0.0, ages.get(queue, 0.0)) for queue in queues}
    yield _each("handoff_queue_ready", "Steps that could be claimed now.", "queue", ready)
    yield _each("handoff_queue_oldest_seconds", "How long the oldest of them waits.", "queue", oldest)
    yield _each("handoff_steps_running", "Steps that somebody has in hand.", "queue", running)
    yield _gauge("Workflows_QueuedSteps", "As handoff_queue_ready, of all queues.", sum(ready.values()))


def _of_state(state: State, lateness: float) -> Iterator[Metric]:
    """Runs, timers (their lateness is watched, R-123), letters, repairs, workers and duties."""
    runs = {str(status): state.runs.get(status, 0) for status in RunStatus if status not in RUN_ENDED}
    workers = {**dict.fromkeys(QUEUES, 0), **state.workers}
    yield _each("handoff_runs_open", "Runs that are not over.", "status", runs)
    yield _gauge("handoff_timers_pending", "Timers that have not fired.", state.pending_timers)
    yield _gauge("handoff_timers_overdue", "Timers that should have fired.", state.overdue_timers)
    yield _gauge("handoff_timer_lateness_seconds", "How late the oldest of them is.", lateness)
    yield _gauge("handoff_dead_letters_open", "Failures that nobody has resolved.", state.open_letters)
    yield _each("handoff_workers", "Worker processes that were seen lately.", "queue", workers)
    yield _each("handoff_duty_age_seconds", "Since a periodic duty was done last.", "duty", state.duties)
    yield CounterMetricFamily("handoff_repairs", "Runs that were found stuck; must stay 0.", state.repairs)


def _of_outbox(ages: Mapping[str, float]) -> Iterator[Metric]:
    """What waits to be published, and how long jobs wait for consumers; only where there is a broker (R-201)."""
    standing = outbox_standing(COUNTED_ROWS)
    waiting, oldest = standing["waiting"], standing["oldest_seconds"] or 0.0
    yield _gauge("handoff_outbox_waiting", "Events of jobs that are to be published.", waiting)
    yield _gauge("handoff_outbox_oldest_seconds", "How long the oldest of them waits.", oldest)
    yield _gauge("workflow_engine_dispatch_outbox_backlog", "As handoff_outbox_waiting.", waiting)
    yield _gauge(
        "handoff_outbox_failing",
        "Those that could not be published, and are tried again.",
        standing["failing"],
    )
    yield _gauge("handoff_outbox_aside", "Of these, those that were set aside.", standing["aside"])
    yield _gauge(
        "handoff_outbox_untaken", "Events that were published, and no consumer has taken.", standing["told"]
    )
    # By the lease: a relay that is killed, or hangs, could not say that it leads no more.
    yield _gauge(
        "workflow_engine_dispatch_relay_leader", "Whether a relay publishes (R-201).", is_led(standing)
    )
    if settings.HANDOFF_BROKER == KAFKA:
        lag = GaugeMetricFamily(
            "workflow_engine_kafka_consumer_lag_seconds",
            "How long the oldest job waits that consumers of a topic could have.",
            labels=["topic", "group"],
        )
        for queue in sorted(ages.keys() - {*BUILT_IN_QUEUES}):
            lag.add_metric([f"{TOPICS}{queue}", f"{GROUPS}{queue}"], max(0.0, ages[queue]))
        yield lag


def _as_older_engines(counted: list[Metric]) -> Iterator[Metric]:
    """The counters by the names of two older engines (R-199, R-200, R-201), with the same numbers.

    Two of the names end otherwise than the names of counters do, so they come without a type.
    """
    values = {
        (sample.name, *sample.labels.values()): sample.value
        for metric in counted
        for sample in metric.samples
    }
    finished = {status: values.get(("handoff_steps_finished_total", status), 0.0) for status in meters.ENDED}
    processed = sum(finished[status] for status in _PROCESSED)
    conflicts = values.get(("handoff_claim_empty_total", meters.CONTENDED), 0.0)
    yield UnknownMetricFamily("Workflows_ProcessedSteps", "Steps that completed or failed.", processed)
    yield UnknownMetricFamily("Workflows_FailedSteps", "Steps that failed.", finished[StepStatus.FAILED])
    yield CounterMetricFamily(
        "workflow_engine_job_lock_conflicts", "Polls that found only what others had locked.", conflicts
    )
    if settings.HANDOFF_BROKER:
        failed = sum(value for (name, *_), value in values.items() if name == "handoff_outbox_failed_total")
        published = CounterMetricFamily(
            "workflow_engine_dispatch_relay_publish", "Events that went to the broker.", labels=["result"]
        )
        published.add_metric(["success"], values.get(("handoff_outbox_published_total",), 0.0))
        published.add_metric(["error"], failed)
        yield published


def _gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, help_text, value)


def _each(name: str, help_text: str, label: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(name, help_text, labels=[label])
    for key, value in sorted(values.items()):
        family.add_metric([key], value)
    return family
