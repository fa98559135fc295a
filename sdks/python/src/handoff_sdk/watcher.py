"""The events of a worker; `metrics.py` counts them for Prometheus."""


class Watcher:
    """Receives the events of a worker, on its event loop: methods must not block. This one ignores them."""

    def poll_succeeded(self, jobs: int, seconds: float) -> None:
        """A poll returned this many jobs after this time; with a broker, a claim of jobs."""

    def poll_failed(self) -> None:
        """A poll got no response or a retryable error."""

    def job_started(self, node: str) -> None:
        """A job was started."""

    def job_ended(self, node: str, result: str, seconds: float) -> None:
        """A job is no longer held; `seconds` is how long it was.

        `result`: `completed`, `failed`, `released`, `late` (reported, but another worker had the job) or
        `unreported`.
        """

    def report_sent(self, verb: str, jobs: int) -> None:
        """One call reported this many jobs; `verb` is `complete`, `fail` or `heartbeat`."""

    def report_retried(self, verb: str) -> None:
        """A call that reports results is about to be retried; `verb` is `complete` or `fail`."""
