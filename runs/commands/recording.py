"""Test cases made of runs: what went in, what the outside answered, and the way that the run went."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from accounts.principal import Principal
from accounts.roles import RUNS_READ
from engine.catalogue import Json
from engine.graph import Graph, Node
from lib.refusals import Conflict, Missing
from runs.access import guard_run
from runs.kernel.graphs import compiled
from runs.kernel.plan import PASSED
from runs.models import Run
from runs.reading.inner_steps import inner_steps, steps_of_items
from runs.reading.presentation import found_run
from runs.reading.run_view import RunView, StepView
from runs.reading.stored import WHOLE, Bounds
from steps.stub import STUB_TYPE
from workflows.limits import CASE_BYTES
from workflows.models import TestCase, WorkflowVersion
from workflows.trials.case_runs import Case, Subject, run_cases
from workflows.trials.cases import create_case

Row = dict[str, Json]

# What is larger fits into no case.
EXAMPLES = Bounds(0, CASE_BYTES, 4 * 1024 * 1024)
ANSWERS = {"output", "error"}

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
    expected, outer = _expected(run), _stubs(graph.steps, run["steps"])
    case_body = {"input": run["input"], "stubs": outer, "expect": expected}
    within = case_body | {"stubs": _of_items(principal.tenant_id, run_id, graph, outer)}
    if within["stubs"] is not None and not _differences(version, principal, within):
        case_body = within
    elif "output" in _differences(version, principal, case_body):
        # It reads the time, its id or something else that is another one each time.
        del expected["output"]
    return create_case(principal, workflow, case_name=name, reason=reason, **case_body)


def _is_beyond(node: Row) -> bool:
    return bool(node["type"] == STUB_TYPE and node["params"].get("why") == "outside")


def _stubs(nodes: Mapping[str, Node], steps: Iterable[StepView]) -> dict[str, Json]:
    """What the outside answered, and what somebody said in place of a step."""
    stubs: dict[str, Json] = {}
    for step in steps:
        node = step["node"]
        if step["undoes"] or not _is_answered(nodes[node], step):
            continue
        if step["status"] == "COMPLETED" or step["cause"] == PASSED:
            stubs[node] = {"output": step["output"]}
        elif step["status"] == "FAILED" and step["error"]:
            stubs[node] = {"error": {key: str(step["error"].get(key, "")) for key in ("code", "message")}}
    return stubs


def _of_items(tenant_id: int, run_id: UUID, graph: Graph, outer: Row) -> Row | None:
    """The stubs `outer` with what the outside answered the steps of containers in place of what these gave: a case has
    one answer for all items, that for the first. None where that isn't known.
    """
    nodes = {step.id: step for _, step in steps_of_items(graph)}
    rows = inner_steps(tenant_id, run_id, EXAMPLES)
    containers = {one.counted.container for one in rows}
    stubs: Row = {node: stub for node, stub in outer.items() if node not in containers}
    for one in rows:
        example = one.first or one.failed
        if example is None or one.counted.node in containers:
            continue
        step = example.step
        if _is_answered(nodes[one.counted.node], step) and step.get("truncated", {}).keys() & ANSWERS:
            return None
        stubs |= _stubs(nodes, [step])
    return stubs if containers else None


def _is_answered(node: Node, step: StepView) -> bool:
    """Whether the outside, or somebody, said what the step gives."""
    return _is_outside(node) or step["cause"] == PASSED


def _is_outside(node: Node) -> bool:
    return node.type == STUB_TYPE or node.kind not in ("inline", "engine")


def _expected(run: RunView) -> dict[str, Json]:
    done = [
        step["node"]
        for step in run["steps"]
        if (step["status"] == "COMPLETED" or step["cause"] == PASSED) and not step["undoes"]
    ]
    expect = {"status": _ENDED_AS[run["status"]], "path": done}
    return expect | ({"output": run["output"]} if run["status"] == "COMPLETED" else {})


def _differences(version: WorkflowVersion, principal: Principal, case_body: Row) -> set[str]:
    """In what the case gives something else than the run did, with the definition that the run had."""
    name = version.workflow.name
    subject = Subject(version.definition, name, principal.tenant_slug, {}, is_valid=True)
    (result,) = run_cases(subject, [Case(0, "", case_body["input"], case_body["stubs"], case_body["expect"])])
    return {one.what for one in result.differences}
