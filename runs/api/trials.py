"""The routes that try a draft out: test runs, and test cases made of runs."""

from collections.abc import Mapping

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_START, WORKFLOWS_READ, WORKFLOWS_WRITE
from engine.catalogue import Json
from lib.api.serializers import body
from runs.api import trial_serializers as t
from runs.api.base import RunsApiView
from runs.commands.recording import record_case
from runs.commands.trials import StepInput, start_trial
from workflows.api.case_serializers import CaseSerializer
from workflows.trials.rewrite import TrialOptions


class TrialsView(RunsApiView):
    """Test runs."""

    scopes = {"POST": RUNS_START}

    @extend_schema(request=t.StartTrial, responses={201: t.TrialSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Starts a test run of the draft: side effects are left out unless `live`, and nothing waits."""
        self.principal.require(WORKFLOWS_READ)
        payload = body(t.StartTrial, request)
        trial = start_trial(self.principal, name, _read_options(payload), **_rest(payload))
        row = self.shown(trial.run) | {"stubbed": [one.as_dict() for one in trial.stubbed]}
        return Response(row, status=201, headers={"Location": f"/api/v1/runs/{trial.run}"})


class RecordCaseView(RunsApiView):
    """Recording."""

    scopes = {"POST": WORKFLOWS_WRITE}

    @extend_schema(request=t.RecordCase, responses={201: CaseSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Makes a test case from a run that ended: its input, outside responses as stubs, its path and output."""
        payload = body(t.RecordCase, request)
        optional = {"reason": payload.get("reason")}
        case = record_case(self.principal, name, payload["run_id"], payload["name"], **optional)
        headers = {"Location": f"/api/v1/workflows/{name}/test-cases/{case.pk}"}
        return Response(CaseSerializer(case).data, status=201, headers=headers)


def _read_options(body: Mapping[str, Json]) -> TrialOptions:
    live = body.get("live", [])
    return TrialOptions(
        pins=body.get("pins", {}),
        until=body.get("until"),
        only=body.get("only"),
        live=frozenset() if live == "all" else frozenset(live),
        outcomes=body.get("outcomes", {}),
    )


def _rest(body: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "value": body.get("input", {}),
        "definition": body.get("definition"),
        "own_pins": "pins" not in body,
        "all_live": body.get("live") == "all",
        "step_input": StepInput(body["step_input"]) if "step_input" in body else None,
    }
