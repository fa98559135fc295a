"""The params of a step as they are computed from what is recorded, for people who look; secrets are masked.

Nothing keeps what an attempt was given: what its expressions read stands in the run, and gives the same again unless
something of it has changed since.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from engine.catalogue import Json
from engine.errors import ExpressionError, OutOfTime
from engine.graph import Node
from engine.statuses import StepStatus
from lib.masking import masked
from runs.kernel import scopes
from runs.kernel.graphs import BrokenVersion, graph_of, shown_or_none
from runs.models import RunVariable, StepExecution
from runs.store import hot
from runs.store.attempts import ClaimedStep, claimed_of

SECONDS = 2.0
"""So long expressions may take here."""
_UNBEGUN = frozenset({StepStatus.QUEUED, StepStatus.SKIPPED})
_ANOTHER_TIME = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Rendered:
    """The params of a step; `why_not`: why there are none. `changed`: why these may not be what its attempt was given,
    so that they are as they would be computed now.
    """

    params: Json = None
    why_not: str = ""
    changed: str = ""


def has_params(version_id: int, node: str) -> bool:
    """Whether a step of this name of a version is given params."""
    version = shown_or_none(version_id)
    step = None if version is None else version.graph.steps.get(node)
    return step is not None and bool(not step.params.is_static or step.params.render({}))


def rendered_params(tenant: int, run_id: UUID, node: str, index: int | None = None) -> Rendered | None:
    """The params of a step that there is; None where there is none yet, and nobody knows its input."""
    rows = StepExecution.objects.for_tenant(tenant).filter(run_id=run_id, node=node, index=index)
    row = rows.only("id", "status", "started_at").first()
    if row is None:
        return None
    [columns] = hot.job_facts(tenant=tenant, steps=[str(row.id)])
    step, _ = claimed_of(columns)
    scopes.load([step])
    if step.unreadable is not None:
        return Rendered(why_not=str(step.unreadable))
    try:
        kind = graph_of(step.version_id).step(node, index)
        params = _computed(kind, step.scope)
        changed = _changed(tenant, row, kind, step, params)
    except (BrokenVersion, ExpressionError, KeyError) as error:
        return Rendered(why_not=f"They can't be computed: {error}")
    return Rendered(masked(params), changed=changed)


def _computed(kind: Node, scope: dict[str, Json]) -> dict[str, Json]:
    params: dict[str, Json] = kind.render(scope, deadline())
    return params


def _changed(tenant: int, row: StepExecution, kind: Node, step: ClaimedStep, params: Json) -> str:
    """Why an attempt may have been given others."""
    if row.status in _UNBEGUN or row.started_at is None:
        return "it has not begun"
    reads = kind.params.refs
    later: dict[str, Json] = {"run_id": step.run_id}
    if "vars" in reads.names:
        variables = RunVariable.objects.for_tenant(tenant).filter(**later, set_at__gt=row.started_at)
        if variables.exists():
            return "variables of the run were set since"
    if reads.steps or reads.every_step:
        others = StepExecution.objects.for_tenant(tenant).filter(**later, completed_at__gt=row.started_at)
        if not reads.every_step:
            others = others.filter(node__in=reads.steps)
        if others.exclude(id=row.id).exists():
            return "steps that they read have ended since"
    if "run" in reads.names:
        other_time = step.scope | {"run": step.scope["run"] | {"now": _ANOTHER_TIME}}
        if _computed(kind, other_time) != params:
            return "they read the time"
    return ""


def deadline() -> Callable[[], None]:
    """A check for expressions that are computed for people who look, or for what they will see: raises OutOfTime."""
    ends = time.monotonic() + SECONDS

    def check() -> None:
        if time.monotonic() > ends:
            raise OutOfTime("it takes too long")

    return check
