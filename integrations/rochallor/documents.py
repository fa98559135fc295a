"""Definitions of rochallor as messages and as the JSON documents that they are everywhere else."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.catalogue import Json
from integrations.grpc.structs import fill_struct, fill_value, object_of, value_of
from integrations.rochallor.branches import in_order_of_need, may_overlap, ordered
from lib.refusals import Invalid

_TEXTS_OF_STEP: Final = {
    "name": "name",
    "description": "description",
    "next_step": "nextStep",
    "join_step": "joinStep",
    "job_type": "jobType",
    "delegate_class": "delegateClass",
}
_OF_DEFINITION: Final = {
    "name": "name",
    "description": "description",
    "auto_start_next_workflow": "autoStartNextWorkflow",
    "next_workflow_id": "nextWorkflowId",
}
STEP_TYPE, TIMER_TYPE = "STEP_TYPE_", "BOUNDARY_EVENT_TYPE_"


def document_of(definition: Any, warnings: list[str]) -> dict[str, Json]:
    """The document that a WorkflowDefinition says; `warnings` gets a sentence where the order of branches may matter.

    Raises Invalid where what is set can have no order.
    """
    document: dict[str, Json] = {"id": definition.id}
    document |= {key: value for field, key in _OF_DEFINITION.items() if (value := getattr(definition, field))}
    document["steps"] = [_step(one, f"steps[{at}]", warnings) for at, one in enumerate(definition.steps)]
    if definition.HasField("metadata"):
        document["metadata"] = object_of(definition.metadata)
    return document


def _step(step: Any, place: str, warnings: list[str]) -> dict[str, Json]:
    fields: dict[str, Json] = {"id": step.id, "type": enum_text(step, "type", STEP_TYPE)}
    fields |= {key: value for field, key in _TEXTS_OF_STEP.items() if (value := getattr(step, field))}
    if step.parallel_next_steps:
        fields["parallelNextSteps"] = list(step.parallel_next_steps)
    if step.conditional_next_steps:
        fields["conditionalNextSteps"] = _branches(dict(step.conditional_next_steps), place, warnings)
    if step.transformations:
        values = {name: value_of(value) for name, value in step.transformations.items()}
        fields["transformations"] = _transformations(values, place)
    if step.retry_count:
        fields["retryCount"] = step.retry_count
    if step.boundary_events:
        fields["boundaryEvents"] = [
            {
                "type": enum_text(timer, "type", TIMER_TYPE),
                "duration": timer.duration,
                "interrupting": timer.interrupting,
                "targetStepId": timer.target_step_id,
            }
            for timer in step.boundary_events
        ]
    return fields


def _branches(branches: dict[str, str], place: str, warnings: list[str]) -> dict[str, str]:
    if (both := may_overlap([*branches])) is not None:
        warnings.append(
            f"{place}.conditional_next_steps: {both[0]!r} and {both[1]!r} may hold at once, and a map has no order."
            " They are asked by their text, `true` last; upload it over REST for an order of your own."
        )
    return {condition: branches[condition] for condition in ordered(branches)}


def _transformations(values: dict[str, Json], place: str) -> dict[str, Json]:
    order = in_order_of_need({name: str(value) for name, value in values.items()})
    if order is None:
        message = "Some of these see each other, and a map has no order: upload it over REST."
        raise Invalid(message, code="no_order", field=f"{place}.transformations")
    return {name: values[name] for name in order}


def fill_definition(target: Any, definition_id: str, version: int, document: Mapping[str, Json]) -> None:
    """Have a WorkflowDefinition say this version of a definition."""
    target.id, target.version = definition_id, version
    for field, key in _OF_DEFINITION.items():
        if document.get(key):
            setattr(target, field, document[key])
    fill_struct(target.metadata, document.get("metadata"))
    for step in document.get("steps", ()):
        _fill_step(target.steps.add(), step)


def _fill_step(target: Any, step: Mapping[str, Json]) -> None:
    target.id = step["id"]
    set_enum(target, "type", STEP_TYPE, str(step.get("type")))
    for field, key in _TEXTS_OF_STEP.items():
        if step.get(key):
            setattr(target, field, step[key])
    target.parallel_next_steps.extend(step.get("parallelNextSteps", ()))
    target.conditional_next_steps.update(step.get("conditionalNextSteps", {}))
    for name, value in step.get("transformations", {}).items():
        fill_value(target.transformations[name], value)
    target.retry_count = step.get("retryCount", 0)
    for timer in step.get("boundaryEvents", ()):
        event = target.boundary_events.add()
        set_enum(event, "type", TIMER_TYPE, str(timer.get("type")))
        event.duration, event.interrupting = timer["duration"], timer["interrupting"]
        event.target_step_id = timer["targetStepId"]


def enum_text(message: Any, field: str, prefix: str) -> str:
    """What an enum's value is called without its prefix; empty for UNSPECIFIED and for numbers that are none."""
    kind = message.DESCRIPTOR.fields_by_name[field].enum_type
    value = kind.values_by_number.get(getattr(message, field))
    text = "" if value is None else str(value.name).removeprefix(prefix)
    return "" if text == "UNSPECIFIED" else text


def set_enum(message: Any, field: str, prefix: str, text: str) -> None:
    """Have an enum say this; UNSPECIFIED where it has no such value."""
    value = message.DESCRIPTOR.fields_by_name[field].enum_type.values_by_name.get(f"{prefix}{text}")
    setattr(message, field, 0 if value is None else value.number)


Fill = Callable[[Any, Any], None]


def fill_all(items: Any, values: Sequence[Any], fill: Fill) -> None:
    """Have a repeated field say each of these."""
    for value in values:
        fill(items.add(), value)
