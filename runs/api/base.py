"""What the runs' views share: what a service refuses becomes an answer, and a run is found within its tenant."""

from uuid import UUID

from rest_framework.response import Response

from accounts.api.base import ApiView
from lib.refusals import Conflict, Missing
from runs.api import run_calls
from runs.commands.job_leases import StaleToken, UnknownJob
from runs.kernel.refused import RunRefused
from runs.models import Run
from runs.reading.run_view import RunView


class RunsApiView(ApiView):
    """A view over runs."""

    def handle_exception(self, exc: Exception) -> Response:
        return super().handle_exception(refusal_of(exc))

    def shown(self, run_id: UUID | str) -> RunView:
        """The tenant's run as it is shown now; a test run with the steps within its containers. Raises Missing."""
        return run_calls.shown(self.principal, run_id)

    def find_run(self, run_id: UUID) -> Run:
        """The tenant's run. Raises Missing."""
        return run_calls.find_run(self.principal, run_id)


def refusal_of(error: Exception) -> Exception:
    """What a service refuses, as every door says it; any other exception as it is."""
    if isinstance(error, RunRefused):
        return error.as_refusal()
    if isinstance(error, UnknownJob):
        return Missing("There is no such job.")
    if isinstance(error, StaleToken):
        return Conflict(str(error), code="stale_token")
    return error
