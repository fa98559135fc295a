"""What a worker tells whoever watches it; `metrics.py` counts it for Prometheus."""


class Watcher:
    """Hears of what a worker does, on its event loop: nothing here may block. By itself it does nothing."""

    def polled(self, jobs: int, seconds: float) -> None:
        """A poll was answered with so many jobs, after so many seconds. Of jobs that events told of, their claim."""

    def not_polled(self) -> None:
        """A poll had no answer, or was refused for now."""

    def begun(self, node: str) -> None:
        """A job was begun."""

    def ended(self, node: str, result: str, seconds: float) -> None:
        """A job is no longer held, after so many seconds.

        `result`: `completed`, `failed`, `given_back`, `late` (it was told and did not count) or `untold`.
        """

    def told(self, verb: str, jobs: int) -> None:
        """So many results were told in one call; `verb` is `complete`, `fail` or `heartbeat`."""

    def retried(self, verb: str) -> None:
        """A call that told of results is about to be made again; `verb` is `complete` or `fail`."""
