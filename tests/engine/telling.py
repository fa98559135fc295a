"""What can be said of a run's end, in one form for the reference, the core in memory and the database."""

from typing import Any

from engine.decide import Completed, Failed, Outcome
from engine.graph import compile_graph
from engine.simulate import FinalState, simulate
from steps.catalogue import CATALOGUE
from tests.engine import reference
from tests.engine.strategies import Case, Order, Pick

Json = Any
Told = dict[str, Json]


def play(case: Case, pick: Pick) -> FinalState:
    """The run as the core plays it in memory."""
    script: dict[str, Outcome] = {
        name: Completed(value) if kind == "completed" else Failed(value)
        for name, (kind, value) in case.script.items()
    }
    return simulate(compile_graph(case.definition, CATALOGUE), case.run_input, script, pick)


def read(case: Case, order: Order) -> reference.Final:
    """The run as the page tells it."""
    return reference.interpret(case.definition, case.run_input, case.script, order.pick())


def plain(value: Json) -> Json:
    """`value` with errors cut down to their codes: their sentences are not the reference's business."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    cut = {"code": value["error"]["code"]} if "code" in (value.get("error") or {}) else None
    return {key: cut if key == "error" and cut else plain(item) for key, item in value.items()}


def told_by_core(state: FinalState) -> Told:
    """What the core says."""
    return {
        "status": str(state.status),
        "output": plain(state.output),
        "steps": {
            name: step_told(str(step.status), step.given, step.output, step.error)
            for name, step in state.steps.items()
        },
        "taken": {(name, target) for name, step in state.steps.items() for target in step.taken},
    }


def told_by_page(final: reference.Final) -> Told:
    """What the reference says."""
    return {
        "status": final.status,
        "output": plain(final.output),
        "steps": {
            name: step_told(step.status, step.given, step.output, step.error)
            for name, step in final.steps.items()
        },
        "taken": {link for link, taken in final.links.items() if taken},
    }


def step_told(status: str, given: Json, output: Json, error: Json) -> tuple[str, Json, Json]:
    """Of a step: its status, its input, and what it gave or why it failed."""
    result = {"COMPLETED": plain(output), "FAILED": error and error["code"]}.get(status)
    return status, plain(given), result
