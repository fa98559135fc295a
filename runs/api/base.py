"""What the runs' views share: what a service refuses becomes an answer, and a run is found within its tenant."""

from typing import Any
from uuid import UUID

from rest_framework.response import Response

from accounts.api.base import ApiView
from lib.refusals import Conflict, Missing
from runs.commands.job_leases import StaleToken, UnknownJob
from runs.kernel.refused import RunRefused
from runs.models import Run
from runs.reading import queries
from runs.reading.inner_steps import inner_steps
from runs.reading.presentation import found_run


class RunsApiView(ApiView):
    """A view over runs."""

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, RunRefused):
            exc = exc.as_refusal()
        elif isinstance(exc, UnknownJob):
            exc = Missing("There is no such job.")
        elif isinstance(exc, StaleToken):
            exc = Conflict(str(exc), code="stale_token")
        return super().handle_exception(exc)

    def shown(self, run_id: UUID | str) -> dict[str, Any]:
        """The tenant's run as it is shown now; a test run with the steps within its containers. Raises Missing."""
        row = found_run(self.principal.tenant_id, run_id)
        if row["test"]:
            row["inner_steps"] = [one.as_dict() for one in inner_steps(self.principal.tenant_id, run_id)]
        return row

    def find_run(self, run_id: UUID) -> Run:
        """The tenant's run. Raises Missing."""
        run = queries.get_run_for(self.principal.tenant_id, run_id)
        if run is None:
            raise Missing("There is no such run.")
        return run
