"""The route by which an open run goes on with another version of its workflow."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_OPERATE
from engine.migrating import Misfit
from lib.api.serializers import body
from runs.api import move_serializers as m
from runs.api.base import RunsApiView
from runs.api.serializers import RunSerializer
from runs.commands import migration
from runs.commands.new_times import NewTime
from runs.kernel.graphs import shown
from workflows.queries import get_version

_RUN_OR_CHECKED = PolymorphicProxySerializer(
    component_name="MigratedRun",
    serializers=[RunSerializer, m.CheckedSerializer],
    resource_type_field_name=None,
)


class RunMigrateView(RunsApiView):
    """Moving a run to another version."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=m.MigrateRun, responses=_RUN_OR_CHECKED)
    def post(self, request: Request, run_id: UUID) -> Response:
        """Moves an open run to another version: 200 the run; 409 `does_not_fit` names the step and `problems`.

        Completed work stays and steps in progress go on; their times count from when they began, as the version has
        them. Open runs of items are moved with it, all or none. With `dry_run` nothing is changed: 200 `{ok, problems,
        begins, times, parts}`.
        """
        payload, run = body(m.MigrateRun, request), self.find_run(run_id)
        version = get_version(run.tenant_id, shown(run.version_id).workflow, payload["version"]).pk
        if payload["dry_run"]:
            checked = migration.check_run(run.tenant_id, str(run.id), version)
            return Response(
                {
                    "ok": checked.ok,
                    "problems": [_placed(one) for one in checked.problems],
                    "begins": list(checked.begins),
                    "times": [_placed(one) for one in checked.times],
                    "parts": checked.parts,
                }
            )
        terms = {"by": self.principal.username, "reason": payload.get("reason", "")}
        migration.migrate_run(run.tenant_id, str(run.id), version, **terms)
        return Response(self.shown(run_id))


def _placed(one: Misfit | NewTime) -> dict[str, Any]:
    return asdict(one) | {"place": [{"node": node, "index": index} for node, index in one.place]}
