"""A worker's numbers for Prometheus; needs `handoff-sdk[metrics]`."""

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram

from handoff_sdk.watcher import Watcher

SIZES = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000)
SECONDS = (0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800)


class Metrics(Watcher):
    """`Worker(watcher=Metrics())`; `prometheus_client.start_http_server(port)` shows them."""

    def __init__(self, registry: CollectorRegistry = REGISTRY) -> None:
        """`registry`: where they are kept; each has room for one."""
        self._jobs = Counter(
            "handoff_jobs", "Jobs that are no longer held", ["node", "result"], registry=registry
        )
        self._seconds = Histogram(
            "handoff_job_seconds",
            "How long a job was held, in seconds",
            ["node"],
            registry=registry,
            buckets=SECONDS,
        )
        self._held = Gauge("handoff_jobs_held", "Jobs that are held now", ["node"], registry=registry)
        self._polls = Counter("handoff_polls", "Polls", ["result"], registry=registry)
        self._poll_seconds = Histogram(
            "handoff_poll_seconds",
            "How long a poll took, in seconds",
            ["result"],
            registry=registry,
            buckets=SECONDS,
        )
        self._reports = Histogram(
            "handoff_reported_jobs", "Jobs that one call reported", ["verb"], registry=registry, buckets=SIZES
        )
        self._retries = Counter(
            "handoff_retries", "Calls that reported results and were retried", ["verb"], registry=registry
        )

    def poll_succeeded(self, jobs: int, seconds: float) -> None:
        """Count it."""
        result = "jobs" if jobs else "empty"
        self._polls.labels(result).inc()
        self._poll_seconds.labels(result).observe(seconds)

    def poll_failed(self) -> None:
        """Count it."""
        self._polls.labels("error").inc()

    def job_started(self, node: str) -> None:
        """Count it."""
        self._held.labels(node).inc()

    def job_ended(self, node: str, result: str, seconds: float) -> None:
        """Count it."""
        self._held.labels(node).dec()
        self._jobs.labels(node, result).inc()
        self._seconds.labels(node).observe(seconds)

    def report_sent(self, verb: str, jobs: int) -> None:
        """Count it."""
        self._reports.labels(verb).observe(jobs)

    def report_retried(self, verb: str) -> None:
        """Count it."""
        self._retries.labels(verb).inc()
