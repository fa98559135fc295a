"""What processes count by themselves, for Prometheus: one sum of all processes of a machine (R-209).

Where `PROMETHEUS_MULTIPROC_DIR` names a folder as this is imported, each process counts in a file of its own there,
which is mapped into its memory: to count takes a microsecond and hardly ever a call of the system, and what an ended
process has counted stays. A process that was forked later begins its own file with its first count. Without the folder
a process tells of itself alone.

Whoever starts the processes makes the folder, and empties it before: counters begin anew then, as Prometheus expects.
"""

import os
from bisect import bisect_left
from collections import Counter as Counted
from collections.abc import Iterable, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, disable_created_metrics
from prometheus_client.multiprocess import MultiProcessCollector

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

disable_created_metrics()  # type: ignore[no-untyped-call]
_own = CollectorRegistry()


class Batches(Histogram):
    """A histogram that is told of many values at once: a hundred cost what one costs, and not two microseconds each."""

    def observe_all(self, values: Sequence[float]) -> None:
        """Observe each of the values, as `observe` does."""
        if len(values) == 1:
            self.observe(values[0])
        elif values:
            self._sum.inc(sum(values))
            for place, times in Counted(bisect_left(self._upper_bounds, value) for value in values).items():
                self._buckets[place].inc(times)


def counter(name: str, help_text: str, **labels: Sequence[str]) -> Counter:
    """A counter; of one with a label (its values are given) each value is there from the start, with 0."""
    metric = Counter(name, help_text, list(labels), registry=_own)
    for label, values in labels.items():
        for value in values:
            metric.labels(**{label: value})
    return metric


def histogram(name: str, help_text: str, buckets: Sequence[float], labels: Sequence[str] = ()) -> Batches:
    """A histogram with buckets up to each of these bounds."""
    return Batches(name, help_text, list(labels), registry=_own, buckets=tuple(buckets))


def latest_gauge(name: str, help_text: str, labels: Sequence[str]) -> Gauge:
    """A gauge of which what was set last counts, whichever process did: for what one process of a machine has."""
    return Gauge(name, help_text, list(labels), registry=_own, multiprocess_mode="mostrecent")


def are_shared() -> bool:
    """Whether the processes of this machine share a folder, so that all of their counts can be summed."""
    return bool(os.environ.get(VARIABLE))


def collected() -> Iterable[Metric]:
    """What all processes of this machine have counted, or this one where they share no folder."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return _own.collect()
    together = CollectorRegistry()
    MultiProcessCollector(together, path=folder)  # type: ignore[no-untyped-call]
    return together.collect()
