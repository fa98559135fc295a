"""Versions in use in which a refusal goes on as an approval would, with their open runs, until they are replaced."""

from collections import Counter
from dataclasses import dataclass
from typing import TypedDict

from engine.statuses import RUN_ENDED, RunStatus
from runs.models import Run
from workflows.limits import OPEN_RUNS_COUNTED
from workflows.versions.carried import Carried, carried_anywhere


class CarriedRow(TypedDict):
    """A version in use in which a refusal goes on: after which steps, and how many runs of it are open."""

    tenant_id: int
    workflow_id: int
    workflow: str
    called: str
    version: int
    steps: list[str]
    open: int


@dataclass(frozen=True, slots=True)
class InUse:
    """A version that new runs take, or that has open runs; of very many open runs the newest are counted."""

    version: Carried
    open_runs: int


def in_use(most_read: int | None = None) -> tuple[list[InUse], bool]:
    """Those of all tenants, and whether definitions are left that were not read yet."""
    versions, is_cut = carried_anywhere(most_read)
    counts = _open_runs(versions) if versions else Counter()
    every = [InUse(one, counts[one.version_id]) for one in versions]
    return [one for one in every if one.version.is_latest or one.open_runs], is_cut


def rows_of(versions: list[InUse]) -> list[CarriedRow]:
    """What an alert says of each."""
    return [
        {
            "tenant_id": one.version.tenant_id,
            "workflow_id": one.version.workflow_id,
            "workflow": one.version.workflow,
            "called": one.version.title or one.version.workflow,
            "version": one.version.number,
            "steps": list(one.version.steps),
            "open": one.open_runs,
        }
        for one in versions
    ]


def _open_runs(versions: list[Carried]) -> Counter[int]:
    runs = Run.unsafe_all_tenants.filter(
        tenant_id__in={one.tenant_id for one in versions},
        workflow_id__in={one.workflow_id for one in versions},
        version_id__in=[one.version_id for one in versions],
        status__in=sorted(set(RunStatus) - RUN_ENDED),
        is_test=False,
        is_part=False,
    )
    return Counter(runs.values_list("version_id", flat=True)[:OPEN_RUNS_COUNTED])
