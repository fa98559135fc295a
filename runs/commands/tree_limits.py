"""How many runs a run may start, directly and through others: how deep, how many at a time, how many in all.

Exact, though starts in a tree seldom wait for one another (docs/engine.md, "Child runs"): each counts in one of several
slots, and whoever comes near a limit locks all of them.
"""

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from runs.store import tree_counts
from runs.store.child_runs import Beginner
from runs.store.tree_counts import SLOTS, Counts, TreeCountRow


class Start(NamedTuple):
    """A run that `origin` wants to start; `is_awaited`: by a step, of a workflow, and not what follows or a part."""

    origin: Beginner
    is_awaited: bool
    is_child: bool = True


class Full(NamedTuple):
    """Why a run can't be started: the code, and a sentence."""

    reason: str
    message: str


class _NearLimit(Exception):
    """What others are starting at the moment may matter."""


def admit(starts: Sequence[Start]) -> list[Full | None]:
    """Count the runs that are to start, and say of each why it can't, in a transaction that starts the others."""
    verdicts = [_too_deep(start) for start in starts]
    rest = [start for start, verdict in zip(starts, verdicts, strict=True) if verdict is None]
    if not rest or _counted_in_slots(rest):
        return verdicts
    exact = iter(_counted_exactly(rest))
    return [verdict or next(exact) for verdict in verdicts]


def give_back(starts: Sequence[Start]) -> None:
    """Count no more what was counted in this transaction, and could not be started."""
    if starts:
        tree_counts.count_runs(_rows(starts, -1))


def _too_deep(start: Start) -> Full | None:
    most = settings.HANDOFF_TREE_DEPTH
    if not start.is_child or start.origin.depth < most:
        return None
    message = f"Runs may start one another at most {most:,} levels deep (HANDOFF_TREE_DEPTH)."
    return Full("too_deep", f"{message} Check whether a workflow starts itself.")


def _counted_in_slots(starts: Sequence[Start]) -> bool:
    """Whether they are far enough from every limit, and counted; nothing has changed where they are not.

    Each slot is locked by one transaction at a time, which starts no more than its share, so the others start no more
    than the other shares together.
    """
    counts, trees = _totals(starts)
    runs, most_open = settings.HANDOFF_TREE_RUNS, settings.HANDOFF_TREE_OPEN_RUNS
    if any(n > _share(runs) for n in counts.values()) or any(n > _share(most_open) for n in trees.values()):
        return False
    try:
        with transaction.atomic():
            tree_counts.count_runs(_rows(starts, 1))
            seen = _seen(counts, trees)
            # Its own runs are counted already, and not open yet.
            near = [_is_near(seen.started[count], runs) for count in counts]
            near += [_is_near(seen.open[tree] + n, most_open) for tree, n in trees.items()]
            if any(near):
                raise _NearLimit
    except _NearLimit:
        return False
    return True


def _counted_exactly(starts: Sequence[Start]) -> list[Full | None]:
    """Count those that may start while nobody else starts any in their trees."""
    counts, trees = _totals(starts)
    tree_counts.lock_counts({(start.origin.tenant, start.origin.counting_tree) for start in starts})
    seen = _seen(counts, trees)
    started, is_open = Counter(seen.started), Counter(seen.open)
    verdicts: list[Full | None] = []
    for start in starts:
        count, tree = start.origin.counting_tree, start.origin.tree
        if started[count] >= settings.HANDOFF_TREE_RUNS:
            verdicts.append(_too_many())
        elif start.is_awaited and is_open[tree] >= settings.HANDOFF_TREE_OPEN_RUNS:
            verdicts.append(_too_many_open())
        else:
            verdicts.append(None)
            started[count] += 1
            is_open[tree] += start.is_awaited
    allowed = [start for start, verdict in zip(starts, verdicts, strict=True) if verdict is None]
    if allowed:
        tree_counts.count_runs(_rows(allowed, 1))
    return verdicts


def _totals(starts: Iterable[Start]) -> tuple[Counter[str], Counter[str]]:
    """How many there are by count, and how many that are awaited by tree."""
    counts = Counter(start.origin.counting_tree for start in starts)
    return counts, Counter(start.origin.tree for start in starts if start.is_awaited)


def _seen(counts: Counter[str], trees: Counter[str]) -> Counts:
    return tree_counts.tree_counts(counts, trees, most=settings.HANDOFF_TREE_OPEN_RUNS)


def _share(limit: int) -> int:
    """How many runs a transaction may start without a look at what others start."""
    return limit // (2 * SLOTS)


def _is_near(seen: int, limit: int) -> bool:
    return seen + (SLOTS - 1) * _share(limit) > limit


def _rows(starts: Iterable[Start], sign: int) -> list[TreeCountRow]:
    # All that one run starts is in one slot: its row is locked anyway.
    keys = Counter(
        (start.origin.tenant, start.origin.counting_tree, _slot(start.origin.id)) for start in starts
    )
    return [
        {"tenant_id": tenant, "tree_id": tree, "slot": slot, "runs": sign * n}
        for (tenant, tree, slot), n in keys.items()
    ]


def _slot(run: str) -> int:
    return zlib.crc32(run.encode()) % SLOTS


def _too_many_open() -> Full:
    most = settings.HANDOFF_TREE_OPEN_RUNS
    message = f"{most:,} runs are open below the topmost run, the most allowed (HANDOFF_TREE_OPEN_RUNS)."
    return Full("too_many_open", f"{message} Start fewer at a time, or resume the run when some have ended.")


def _too_many() -> Full:
    most = settings.HANDOFF_TREE_RUNS
    message = f"{most:,} runs were started below the topmost run, the most allowed (HANDOFF_TREE_RUNS)."
    return Full("too_many", f"{message} Start the rest as a run of its own.")
