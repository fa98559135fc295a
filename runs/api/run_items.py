"""REST: the items of a container."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_READ
from lib.api.serializers import query
from lib.refusals import Missing
from runs.api import item_serializers as s
from runs.api.base import RunsApiView
from runs.reading import items
from runs.reading.presentation import step_rows
from runs.reading.stored import ONE_RUN


class RunItemsView(RunsApiView):
    """The items of a step of a run."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[s.ItemsQuery], responses=s.ItemPageSerializer)
    def get(self, request: Request, run_id: UUID) -> Response:
        """The items of a map, or the rounds of a loop, that have begun, in their order; with `status` those that stand
        there. `counts` are of all of them."""
        params = query(s.ItemsQuery, request)
        self.find_run(run_id)
        tenant, node = self.principal.tenant_id, params["node"]
        counts = items.counts_of_items(tenant, run_id, node)
        if not counts and not step_rows(tenant, run_id, node):
            raise Missing(f"The run has no node {node}.", field="node")
        grid = items.grid(
            tenant,
            run_id,
            node,
            status=params.get("status", ""),
            after=params.get("after", -1),
            most=params["limit"],
        )
        rows = items.rows(self.principal, run_id, node, [one.place for one in grid.items], ONE_RUN)
        return Response({"counts": counts, "results": rows, "after": grid.next})
