"""Test cases made of runs: what went in, what the outside answered, and the way that the run went."""

from collections.abc import Iterable
from uuid import UUID

from accounts.principal import Principal
from accounts.roles import RUNS_READ
from engine.catalogue import Json
from engine.graph import Graph
from lib.refusals import Conflict, Missing
from runs.access import guard_run
from runs.kernel.graphs import compiled
from runs.kernel.plan import PASSED
from runs.models import Run
from runs.reading.presentation import WHOLE, found_run
from steps.stub import STUB_TYPE
from workflows.models import TestCase, WorkflowVersion
from workflows.trials.case_runs import Case, Subject, run_cases
from workflows.trials.cases import create_case

Row = dict[str, Json]

_ENDED_AS = {"COMPLETED": "COMPLETED", "FAILED": "FAILED", "COMPENSATED": "FAILED"}


def record_case(
    principal: Principal, workflow: str, run_id: UUID, name: str, *, reason: str | None = None
) -> TestCase:
    """Make a test case of a run of the workflow that ended.

    Raises Missing, and Conflict for a run that has not ended by itself, a test of a part, or what `create_case` raises.
    """
    principal.require(RUNS_READ)
    guard_run(principal, RUNS_READ, run_id)
    run = found_run(principal.tenant_id, run_id, WHOLE)
    if run["workflow"] != workflow:
        raise Missing("The workflow has no such run.")
    if run["status"] not in _ENDED_AS:
        message = f"The run is {run['status']}: a test case is made of one that completed or failed."
        raise Conflict(message, code="not_ended")
    version = WorkflowVersion.with_tests.for_tenant(principal.tenant_id).get(
        pk=Run.objects.for_tenant(principal.tenant_id).values_list("version_id", flat=True).get(pk=run_id)
    )
    graph = compiled(version.pk).graph
    if any(_is_beyond(node) for node in version.definition["nodes"]):
        raise Conflict("This tested a part of the workflow: record a whole run.", code="not_whole")
    case_body = {"input": run["input"], "stubs": _stubs(graph, run["steps"]), "expect": _expected(run)}
    if not _gives_the_same(version, principal, case_body):
        # It reads the time, its id or something else that is another one each time.
        del case_body["expect"]["output"]
    return create_case(principal, workflow, case_name=name, reason=reason, **case_body)


def _is_beyond(node: Row) -> bool:
    return bool(node["type"] == STUB_TYPE and node["params"].get("why") == "outside")


def _stubs(graph: Graph, steps: Iterable[Row]) -> dict[str, Json]:
    """What the outside answered, and what somebody said in place of a step."""
    stubs: dict[str, Json] = {}
    for step in steps:
        node = step["node"]
        if step["undoes"] or not (_is_outside(graph, node) or step["cause"] == PASSED):
            continue
        if step["status"] == "COMPLETED" or step["cause"] == PASSED:
            stubs[node] = {"output": step["output"]}
        elif step["status"] == "FAILED" and step["error"]:
            stubs[node] = {"error": {key: str(step["error"].get(key, "")) for key in ("code", "message")}}
    return stubs


def _is_outside(graph: Graph, name: str) -> bool:
    node = graph.nodes[name]
    return node.type == STUB_TYPE or node.kind not in ("inline", "engine")


def _expected(run: Row) -> dict[str, Json]:
    done = [
        step["node"]
        for step in run["steps"]
        if (step["status"] == "COMPLETED" or step["cause"] == PASSED) and not step["undoes"]
    ]
    expect = {"status": _ENDED_AS[run["status"]], "path": done}
    return expect | ({"output": run["output"]} if run["status"] == "COMPLETED" else {})


def _gives_the_same(version: WorkflowVersion, principal: Principal, case_body: dict[str, Json]) -> bool:
    """Whether the case gives the run's output with the definition that the run had."""
    if "output" not in case_body["expect"]:
        return True
    name = version.workflow.name
    subject = Subject(version.definition, name, principal.tenant_slug, {}, is_valid=True)
    (result,) = run_cases(subject, [Case(0, "", case_body["input"], case_body["stubs"], case_body["expect"])])
    return all(one.what != "output" for one in result.differences)
