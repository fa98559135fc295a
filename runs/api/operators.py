"""The routes by which operators mend runs: resume, rerun from a step, verbs on steps and on items."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_OPERATE
from engine.overrides import RerunWith
from lib.api.serializers import body
from lib.refusals import Missing
from runs.access import guard_item, require_rerun
from runs.api import serializers as s
from runs.api.base import RunsApiView
from runs.commands import items, operators, replay
from runs.commands.targets import ItemPlace
from runs.kernel.graphs import shown
from runs.models import Run
from runs.reading.items import number_of_items
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
            items.resume_run(run.tenant_id, str(run.id), **self.terms_of(payload))
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
            acts_for=self.principal.acts_for,
            **self.terms_of(payload),
        )
        headers = {"Location": f"/api/v1/runs/{rerun.id}"}
        return Response(self.shown(rerun.id), status=201, headers=headers)


class _StepView(_OperatorView):
    def act(
        self, request: Request, run_id: UUID, node: str, verb: str, shape: type[s.ChangeItem] = s.ChangeItem
    ) -> Response:
        """Do this to a step of the run, or to the item of it that the body names."""
        payload, run = body(shape, request), self.find_run(run_id)
        place = ItemPlace(str(run.id), node, payload.get("index"))
        check_step(run, node, payload)
        guard_item(self.principal, RUNS_OPERATE, place.run, node, place.index)
        terms = self.terms_of(payload) | {"via": self.principal.via}
        override, output = RerunWith(payload["input"]) if "input" in payload else None, payload.get("output")
        operators.act(
            run.tenant_id,
            place,
            verb,
            override=override,
            output=output,
            despite_unknown=payload.get("despite_unknown", False),
            who=self.principal,
            **terms,
        )
        return Response(self.shown(run_id))


class StepRetryView(_StepView):
    """Retrying a step or an item."""

    @extend_schema(request=s.RetryStep, responses=s.RunSerializer)
    def post(self, request: Request, run_id: UUID, node: str) -> Response:
        """Retries a step that failed or waits for its next attempt, with another input if you give one.

        With `index`: an item of a map or a round of a loop; a FAILED run is resumed by it. A compensation is the step
        `<node>:compensate`; it takes no other input.
        """
        return self.act(request, run_id, node, "retry", s.RetryStep)


class StepSkipView(_StepView):
    """Skipping a step or an item."""

    @extend_schema(request=s.SkipStep, responses=s.RunSerializer)
    def post(self, request: Request, run_id: UUID, node: str) -> Response:
        """Skips a step that failed, waits or is queued: it counts as done with the given output.

        With `index`: an item of a map or a round of a loop. A run that the step or the item waits for ends. A
        compensation, `<node>:compensate`, counts as done by hand, and the run goes on undoing.
        """
        return self.act(request, run_id, node, "skip", s.SkipStep)


class StepCancelView(_StepView):
    """Cancelling an item, or the run that a step waits for."""

    @extend_schema(request=s.ChangeItem, responses=s.RunSerializer)
    def post(self, request: Request, run_id: UUID, node: str) -> Response:
        """Cancels an item of a map or a round of a loop: it fails with `ItemCancelled`, and counts as failed.

        An item with a run of its own, or without `index` the run that a step waits for, is cancelled as any run is,
        and fails with `ChildCancelled` when that has ended.
        """
        return self.act(request, run_id, node, "cancel")


class StepPauseView(_StepView):
    """Pausing an item, or the run that a step waits for."""

    @extend_schema(request=s.ChangeItem, responses=s.RunSerializer)
    def post(self, request: Request, run_id: UUID, node: str) -> Response:
        """Pauses an item that no worker has yet, or its run; without `index` the run that a step waits for."""
        return self.act(request, run_id, node, "pause")


class StepUnpauseView(_StepView):
    """Unpausing an item, or the run that a step waits for."""

    @extend_schema(request=s.ChangeItem, responses=s.RunSerializer)
    def post(self, request: Request, run_id: UUID, node: str) -> Response:
        """Lets an item go on that was paused, or its run; without `index` the run that a step waits for."""
        return self.act(request, run_id, node, "unpause")


class StepResumeView(_StepView):
    """Resuming an item, or the run that a step waits for."""

    @extend_schema(request=s.ChangeItem, responses=s.RunSerializer)
    def post(self, request: Request, run_id: UUID, node: str) -> Response:
        """Resumes an item that failed, or without `index` the failed run of a step: what it completed stays."""
        return self.act(request, run_id, node, "resume")


def check_step(run: Run, node: str, payload: dict[str, Any]) -> None:
    """Raises Missing where the run's version has no such node, or the node no such item."""
    nodes = shown(run.version_id).graph.nodes
    if node not in nodes and node.rpartition(":")[0] not in nodes:
        raise Missing(f"The run has no node {node}.")
    if payload.get("index") is None:
        return
    if node not in nodes or nodes[node].body is None:
        raise Missing(f"{node} has no items.", field="index")
    total = number_of_items(run.tenant_id, run.id, node)
    if total is not None and payload["index"] >= total:
        raise Missing(f"{node} has only {total} item{'' if total == 1 else 's'}.", field="index")
