"""What is asked of one run, at whichever door; who asks was let pass for it before."""

from uuid import UUID

from accounts.principal import Principal
from lib.api.serializers import Parsed
from lib.refusals import Missing
from runs.commands import lifecycle
from runs.models import Run
from runs.reading import queries
from runs.reading.inner_steps import inner_steps
from runs.reading.presentation import found_run
from runs.reading.run_view import RunView


def find_run(principal: Principal, run_id: UUID) -> Run:
    """The tenant's run. Raises Missing."""
    run = queries.get_run_for(principal.tenant_id, run_id)
    if run is None:
        raise Missing("There is no such run.")
    return run


def shown(principal: Principal, run_id: UUID | str) -> RunView:
    """The tenant's run as it is shown now; a test run with the steps within its containers. Raises Missing."""
    row = found_run(principal.tenant_id, run_id, who=principal)
    if row["test"]:
        row["inner_steps"] = [one.as_dict() for one in inner_steps(principal.tenant_id, run_id)]
    return row


def cancel(principal: Principal, run_id: UUID, payload: Parsed) -> RunView:
    """Cancel an open run; gives it as it is shown then. Raises Missing and RunRefused."""
    run = find_run(principal, run_id)
    lifecycle.cancel_runs(
        run.tenant_id,
        [str(run.id)],
        by=principal.username,
        reason=payload.get("reason", ""),
        compensate=payload["compensate"],
    )
    return shown(principal, run_id)
