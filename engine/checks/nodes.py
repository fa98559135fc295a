"""Rules about single nodes: their type, params, queue and deadlines."""

from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from engine.catalogue import BODY, Json, StepSpec
from engine.checks.outline import Outline, OutlineNode, did_you_mean
from engine.problems import Problem, error, quoted, shape_problems, warning

BUILT_IN_QUEUES = frozenset({"default", "blocking", "engine", "ticks"})
RESERVED_QUEUES = frozenset({"engine", "ticks"})


def types(outline: Outline) -> Iterator[Problem]:
    """Every type is in the catalogue, a compensation's too."""
    for item in outline.nodes:
        if item.has_type:
            yield from _type(outline, item.node.type, f"{item.field}.type", item.id)
        if item.node.compensate:
            yield from _type(outline, item.node.compensate.type, f"{item.field}.compensate.type", item.id)
            yield from _no_container(
                outline, item.node.compensate.type, f"{item.field}.compensate.type", item.id
            )


def params(outline: Outline) -> Iterator[Problem]:
    """Params as the type wants them; of values with `{{ }}` only later can tell."""
    for item in outline.nodes:
        if item.spec:
            yield from params_problems(item.spec, item.node.params or {}, f"{item.field}.params", item.id)
        undo = item.node.compensate
        spec = outline.catalogue.get(undo.type) if undo else None
        if undo and spec:
            yield from params_problems(spec, undo.params or {}, f"{item.field}.compensate.params", item.id)


def params_problems(
    spec: StepSpec, values: Mapping[str, Json], field: str, node: str | None
) -> Iterator[Problem]:
    """What is wrong with the params of one step."""
    try:
        spec.params_model.model_validate(values)
    except ValidationError as failure:
        body = spec.body(values)
        is_empty = isinstance(body, Mapping) and body.get("steps") == []
        for problem in shape_problems(failure, values, field, code="bad_params", holes=True):
            if is_empty and node is not None and problem.field == f"{field}.{BODY}.steps":
                yield error(
                    "no_steps", problem.field, f"{quoted(node)} has no steps yet: add one in it.", node
                )
            else:
                yield error(problem.code, problem.field, problem.message, node)
    for finding in spec.findings(values):
        place = f"{field}.{finding.path}"
        message = f"{quoted(place)}: {finding.message}." if finding.code == "bad_params" else finding.message
        yield (error if finding.severity == "error" else warning)(finding.code, place, message, node)


def times(outline: Outline) -> Iterator[Problem]:
    """Times that mean nothing where they stand, each with what does it instead."""
    for item in outline.nodes:
        if item.spec is None:
            continue
        if item.node.timeout_seconds is not None:
            yield from _timeout(item.spec, f"{item.field}.timeout_seconds", item.id, undoes=False)
        if item.node.boundary_timers and item.spec.kind == "engine":
            message = f"{quoted(item.id)} completes at once: its boundary_timers never fire."
            yield warning("without_effect", f"{item.field}.boundary_timers", message, item.id)
        if item.node.schedule_to_start_seconds is not None and item.spec.kind == "engine":
            message = f"{quoted(item.id)} completes at once: it never waits for a worker to begin it."
            yield warning("without_effect", f"{item.field}.schedule_to_start_seconds", message, item.id)
        if item.node.on_error == "ask" and item.spec.kind == "engine":
            message = f"A retry of {quoted(item.id)} would fail the same way, so its failure fails the run."
            yield warning("without_effect", f"{item.field}.on_error", message, item.id)
        undo = item.node.compensate
        spec = outline.catalogue.get(undo.type) if undo else None
        if undo is None or spec is None:
            continue
        if undo.timeout_seconds is not None:
            field = f"{item.field}.compensate.timeout_seconds"
            yield from _timeout(spec, field, item.id, undoes=True)
        if spec.takes_signals and (undo.params or {}).get("on_timeout") in ("continue", "branch"):
            message = (
                f"The compensation of {quoted(item.id)} has no connections: if its signal doesn't come in time, a "
                "person handles it, whatever on_timeout says."
            )
            yield warning("without_effect", f"{item.field}.compensate.params.on_timeout", message, item.id)


def _timeout(spec: StepSpec, field: str, node: str, *, undoes: bool) -> Iterator[Problem]:
    """A step that waits has no attempt that could take too long."""
    if spec.kind != "wait":
        return
    instead = spec.time_limit or ("" if undoes else "a boundary timer")
    use = f": use {instead}" if instead else ": leave it out"
    message = f"timeout_seconds has no effect on a step of the type {quoted(spec.name)}{use}."
    yield warning("without_effect", field, message, node)


def queues(outline: Outline) -> Iterator[Problem]:
    """Jobs on queues of their own, all other steps on queues that a worker of ours listens to."""
    for item in outline.nodes:
        if item.spec is None:
            continue
        queue = item.node.queue or item.spec.default_queue or item.id
        field = f"{item.field}.queue" if item.node.queue else f"{item.field}.id"
        if item.spec.kind == "external":
            if queue in BUILT_IN_QUEUES:
                message = (
                    f"External workers cannot poll the built-in queue {quoted(queue)}: name another queue."
                )
                yield error("built_in_queue", field, message, item.id)
        elif item.node.queue in RESERVED_QUEUES and item.spec.kind != "engine":
            message = f"The queue {quoted(queue)} belongs to the engine: leave queue out or name another."
            yield error("reserved_queue", field, message, item.id)
        elif queue not in BUILT_IN_QUEUES:
            message = (
                f"No built-in worker listens to {quoted(queue)}: start one that does, or leave queue out."
            )
            yield warning("unserved_queue", field, message, item.id)
        yield from _queue_of_undo(outline, item)


def _queue_of_undo(outline: Outline, item: OutlineNode) -> Iterator[Problem]:
    """A compensation that nobody could take would hold up all that is to be undone."""
    undo = item.node.compensate
    spec = outline.catalogue.get(undo.type) if undo else None
    if undo is None or spec is None or undo.queue is None:
        return
    field = f"{item.field}.compensate.queue"
    if spec.kind == "external" and undo.queue in BUILT_IN_QUEUES:
        message = f"External workers cannot poll the built-in queue {quoted(undo.queue)}: name another queue."
        yield error("built_in_queue", field, message, item.id)
    elif spec.kind != "external" and undo.queue not in BUILT_IN_QUEUES:
        message = (
            f"No built-in worker listens to {quoted(undo.queue)}: start one that does, or leave queue out."
        )
        yield warning("unserved_queue", field, message, item.id)


def deadlines(outline: Outline) -> Iterator[Problem]:
    """A person who never answers must not hold up a run unnoticed."""
    for item in outline.nodes:
        has_deadline = _has_deadline(item.node.params) or item.node.boundary_timers
        if item.spec is not None and item.spec.asks_people and not has_deadline:
            message = f"{quoted(item.id)} waits for a person without a deadline: set `due_seconds`."
            yield warning("no_deadline", f"{item.field}.params", message, item.id)
        undo = item.node.compensate
        spec = outline.catalogue.get(undo.type) if undo else None
        if undo and spec and spec.asks_people and not _has_deadline(undo.params):
            message = f"The compensation of {quoted(item.id)} waits for a person without a deadline: set `due_seconds`."
            yield warning("no_deadline", f"{item.field}.compensate.params", message, item.id)


def _has_deadline(params: Mapping[str, Json] | None) -> bool:
    return any((params or {}).get(name) for name in ("due_seconds", "due_working_days"))


def _type(outline: Outline, name: str, field: str, node: str) -> Iterator[Problem]:
    if name not in outline.catalogue:
        message = f"There is no step type {quoted(name)}{did_you_mean(name, outline.catalogue)}."
        yield error("unknown_type", field, message, node)


def _no_container(outline: Outline, name: str, field: str, node: str) -> Iterator[Problem]:
    """What undoes a step is one step: many are a workflow of their own."""
    spec = outline.catalogue.get(name)
    if spec is not None and spec.has_children:
        message = f"A step of the type {quoted(name)} can't undo another: put it in a workflow, and run that."
        yield error("bad_value", field, message, node)
