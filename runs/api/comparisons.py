"""REST: two runs side by side."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_READ
from runs.api import comparison_serializers as s
from runs.api.base import RunsApiView
from runs.reading.compared import compared_runs


class RunCompareView(RunsApiView):
    """Two runs side by side."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(responses=s.ComparisonSerializer)
    def get(self, request: Request, run_id: UUID, other_id: UUID) -> Response:
        """The path of each run, how long its steps took, their inputs and outputs, and where the two first differ, in
        the order in which their steps depend on each other. The run that the address names first is the left one.
        """
        return Response(compared_runs(self.principal.tenant_id, run_id, other_id))
