"""The routes by which operators mend runs: resume, rerun from a step, try a step again, skip one."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_OPERATE
from engine.overrides import RerunWith
from lib.api.serializers import body
from lib.refusals import Missing
from runs.access import require_rerun
from runs.api import serializers as s
from runs.api.base import RunsApiView
from runs.commands import lifecycle, operators, replay
from runs.kernel.graphs import shown
from runs.models import Run
from workflows.queries import get_version


class _OperatorView(RunsApiView):
    scopes = {"POST": RUNS_OPERATE}

    def terms_of(self, payload: dict[str, Any]) -> dict[str, str]:
        """By whom and why."""
        return {"by": self.principal.username, "reason": payload.get("reason", "")}

    def version_of(self, run: Run, payload: dict[str, Any]) -> int | None:
        """The id of the version that is asked for; None for the run's own. Raises Missing."""
        own = shown(run.version_id)
        if payload.get("version") in (None, own.number):
            return None
        return get_version(run.tenant_id, own.workflow, payload["version"]).pk


class RunResumeView(_OperatorView):
    """Resuming."""

    @extend_schema(request=s.ResumeRun, responses=s.RunSerializer)
    def post(self, request: Request, run_id: UUID) -> Response:
        """Reopens a FAILED run: its failed steps run again, completed ones stay; 409 for any other.

        With `version` it goes on with another version of its workflow; 409 `does_not_fit` if that is not possible.
        """
        payload = body(s.ResumeRun, request)
        run = self.find_run(run_id)
        if (version := self.version_of(run, payload)) is None:
            lifecycle.resume_runs(run.tenant_id, [str(run.id)], **self.terms_of(payload))
        else:
            replay.resume_on(run.tenant_id, str(run.id), version, **self.terms_of(payload))
        return Response(self.shown(run_id))


class RunRerunView(_OperatorView):
    """Running again from a step."""

    @extend_schema(request=s.RerunRun, responses={201: s.RunSerializer})
    def post(self, request: Request, run_id: UUID) -> Response:
        """Starts a new run that keeps what the ended one did, approvals too, except `from_node` and what follows.

        Also needs the right to start the workflow.
        """
        require_rerun(self.principal, run_id)
        payload = body(s.RerunRun, request)
        run = self.find_run(run_id)
        rerun = replay.rerun(
            run.tenant_id,
            str(run.id),
            payload["from_node"],
            override=RerunWith(payload["input"]) if "input" in payload else None,
            version=self.version_of(run, payload),
            **self.terms_of(payload),
        )
        headers = {"Location": f"/api/v1/runs/{rerun.id}"}
        return Response(self.shown(rerun.id), status=201, headers=headers)


class StepRetryView(_OperatorView):
    """Retrying a step."""

    @extend_schema(request=s.RetryStep, responses=s.RunSerializer)
    def post(self, request: Request, run_id: UUID, node: str) -> Response:
        """Retries a step that failed or waits for its next attempt, with another input if you give one.

        A compensation is the step `<node>:compensate`; it takes no other input.
        """
        payload = body(s.RetryStep, request)
        run = self.find_run(run_id)
        check_step(run, node, payload)
        override = RerunWith(payload["input"]) if "input" in payload else None
        terms = self.terms_of(payload) | {"via": self.principal.via}
        operators.retry_step(run.tenant_id, str(run.id), node, override=override, **terms)
        return Response(self.shown(run_id))


class StepSkipView(_OperatorView):
    """Skipping a step."""

    @extend_schema(request=s.SkipStep, responses=s.RunSerializer)
    def post(self, request: Request, run_id: UUID, node: str) -> Response:
        """Skips a step that failed, waits or is queued: it counts as done with the given output.

        A compensation, `<node>:compensate`, counts as done by hand, and the run goes on undoing.
        """
        payload = body(s.SkipStep, request)
        run = self.find_run(run_id)
        check_step(run, node, payload)
        terms = self.terms_of(payload) | {"via": self.principal.via}
        operators.skip_step(run.tenant_id, str(run.id), node, payload["output"], **terms)
        return Response(self.shown(run_id))


def check_step(run: Run, node: str, payload: dict[str, Any]) -> None:
    """Raises Missing where the run's version has no such node, or the node no such item."""
    nodes = shown(run.version_id).graph.nodes
    if node not in nodes and node.rpartition(":")[0] not in nodes:
        raise Missing(f"The run has no node {node}.")
    if payload.get("index") is not None:
        raise Missing(f"{node} has no items.", field="index")
