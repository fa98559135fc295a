"""Starting runs of a workflow by its name: what every door asks."""

from collections.abc import Sequence

from lib.gathering import Gathered
from runs.commands import starts
from runs.commands.starts import CheckedRun, IfExists, NewRun, Started, Terms
from runs.models import StartedFrom
from workflows.queries import MayPin, startable_version


def start_workflow(
    tenant: int,
    workflow: str,
    items: Sequence[NewRun],
    *,
    by: str,
    started_from: StartedFrom,
    version: int | None = None,
    may_pin: MayPin = lambda: False,
    priority: int = 0,
    sla_seconds: int | None = None,
    if_exists: IfExists = "return",
    requested_by: int | None = None,
    acts_for: str | None = None,
    filed_by: int | None = None,
) -> list[Started]:
    """Start runs of a workflow's version of this number, or of the newest that is not withdrawn, all or none.

    `may_pin`: whether `version` may be an older one. `acts_for`: the member for whom the runs act, where that is not
    `by`. `filed_by`: the user who starts them on behalf of `by`.
    Single ones that several callers start at the same time begin in one transaction. Raises Missing, Forbidden
    and Conflict where there is no such version to start, and what `start_runs` raises.
    """
    pinned = startable_version(tenant, workflow, version, may_pin=may_pin)
    terms = Terms(
        tenant,
        pinned,
        by,
        priority,
        sla_seconds,
        requested_by=requested_by,
        acts_for=acts_for,
        started_from=started_from,
        filed_by=filed_by,
    )
    requests = starts.checked(terms, items)
    if len(requests) == 1:
        return [_inserted_together((terms, if_exists), requests[0])]
    return starts.insert_checked(terms, if_exists, requests)


def _inserted_each(alike: tuple[Terms, IfExists], requests: Sequence[CheckedRun]) -> list[Started]:
    return starts.insert_checked(*alike, requests)


_inserted_together = Gathered(_inserted_each)


def check_start(tenant: int, workflow: str, item: NewRun) -> None:
    """Return if the version of a workflow that new runs take takes this now; nothing is started.

    Raises Missing and Conflict where there is no such version to start, RunRefused for an input that does not fit.
    """
    starts.check_item(startable_version(tenant, workflow), item)
