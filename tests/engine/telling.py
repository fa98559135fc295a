"""What can be said of a run's end, in one form for the reference, the core in memory and the database."""

from collections.abc import Mapping

from engine.catalogue import Json
from engine.graph import compile_graph
from engine.outcomes import Completed, Failed, Interrupted, Outcome
from engine.ports import RULES
from engine.simulate import FinalState, simulate
from steps.catalogue import EXECUTABLE
from tests.engine import reference
from tests.engine.strategies import THEN, Case, Order, Pick

Told = dict[str, Json]


def play(case: Case, pick: Pick, rules: int = RULES) -> FinalState:
    """The run as the core plays it in memory, by the rules of its version."""
    script = {name: _outcome(name, *ending) for name, ending in case.script.items()}
    rung = {name: dict.fromkeys(targets, _moment(name)) for name, targets in case.rung.items()}
    return simulate(compile_graph(case.definition, EXECUTABLE, rules), case.run_input, script, pick, rung)


def _outcome(name: str, kind: str, value: Json) -> Outcome:
    if kind == "interrupted":
        return Interrupted(value, _moment(name))
    return Completed(value) if kind == "completed" else Failed(value)


def _moment(name: str) -> Json:
    return {**THEN, "timer_of": name}


def read(case: Case, order: Order, rules: int = RULES) -> reference.Final:
    """The run as the page tells it."""
    return reference.interpret(
        case.definition,
        case.run_input,
        case.script,
        order.pick(),
        case.rung,
        case.lost,
        case.cancel_at,
        rules,
    )


def plain(value: Json) -> Json:
    """`value` with errors cut down to their codes, and without the time: these are not the reference's business."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "fired_at" in value:
        value = value | THEN
    cut = {"code": value["error"]["code"]} if "code" in (value.get("error") or {}) else None
    return {key: cut if key == "error" and cut else plain(item) for key, item in value.items()}


def told_by_core(state: FinalState) -> Told:
    """What the core says."""
    return {
        "status": str(state.status),
        "output": plain(state.output),
        "steps": {
            name: step_told(str(step.status), step.input, step.output, step.error)
            for name, step in state.steps.items()
        },
        "taken": {(name, target) for name, step in state.steps.items() for target in step.taken},
        "variables": state.variables,
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
        "variables": final.variables,
    }


def wrong_joins(case: Case, told: Told) -> list[str]:
    """Nodes that were skipped though enough edges into them were taken, or whose input isn't what these carry.

    Holds in any order and with any batches; which of too many taken edges come first is left open.
    """
    return [
        node["id"]
        for node in case.definition["nodes"]
        if node["id"] in told["steps"] and not _is_right(case, node, told)
    ]


def _is_right(case: Case, node: Mapping[str, Json], told: Told) -> bool:
    status, given, _ = told["steps"][node["id"]]
    sources, join = case.sources_of(node["id"]), node.get("join", "any_taken")
    taken = {source for source, target in told["taken"] if target == node["id"]}
    least = join["n_of"] if isinstance(join, dict) else len(sources) if join == "all" else 1
    if status == "SKIPPED":
        return len(taken) < least
    if len(sources) < 2 or "input" in node:
        return True
    enough = len(given) == least or (join == "any_taken" and given.keys() == taken)
    brought = all(given[name] in _brought(case, told, name, node["id"]) for name in given)
    return enough and given.keys() <= taken and brought


def _brought(case: Case, told: Told, name: str, target: str) -> list[Json]:
    """What the edge from `name` to `target` may bring; a step that failed as it started had no timers."""
    status, _, result = told["steps"][name]
    if status == "CANCELLED":
        return [_moment(name)]
    output = {"error": {"code": result}} if status == "FAILED" else result
    return [output, _moment(name)] if target in case.rung.get(name, ()) else [output]


def step_told(status: str, given: Json, output: Json, error: Json) -> tuple[str, Json, Json]:
    """Of a step: its status, its input, and what it gave or why it failed."""
    result = {"COMPLETED": plain(output), "FAILED": error and error["code"]}.get(status)
    return status, plain(given), result
