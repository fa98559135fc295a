"""How many open runs use each version of a workflow; apps above say so in their `AppConfig.ready`."""

from collections import Counter
from collections.abc import Callable, Mapping

from workflows.models import Workflow

Count = Callable[[Workflow], Mapping[int, int]]
_COUNTS: list[Count] = []


def counts_open_runs(count: Count) -> Count:
    """Registers a function that gives, for a workflow, how many open runs each version has, by the version's id."""
    _COUNTS.append(count)
    return count


def open_runs(workflow: Workflow) -> Counter[int]:
    """How many open runs each version has, by its id; 0 where nobody knows of any."""
    totals: Counter[int] = Counter()
    for count in _COUNTS:
        totals.update(count(workflow))
    return totals
