"""human.approval and human.form: a person decides, or fills in a form; no worker is held meanwhile (R-142, R-146)."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from engine.catalogue import Json
from engine.errors import ExpressionError, StepError
from engine.holes import has_holes
from engine.json_schema import schema_faults
from engine.typed_texts import FACTS, TypedParams
from engine.value_types import reduced
from steps.asking import Candidates, Choice, HumanParams, Quorum
from steps.base import StepContext, StepType, storable
from steps.limits import TASK_BYTES
from steps.waiting import for_person


class Decision(BaseModel):
    """What was decided, by whom and when; `branch` is the outcome again, for the edges.

    `on_behalf_of` is there only where who was asked had handed the task to who decided, `decisions` only where
    several decide, `facts` only where some may be corrected.
    """

    model_config = ConfigDict(extra="forbid")

    outcome: str
    data: Json
    by: str = Field(examples=["somebody"], json_schema_extra={"format": "person"})
    at: str = Field(examples=["2026-01-01T00:00:00Z"], json_schema_extra={"format": "date-time"})
    comment: str
    branch: str
    on_behalf_of: str | None = Field(None, json_schema_extra={"format": "person"})
    decisions: list[Json] | None = Field(
        None, description="Where several decide: what each of them decided, the last one last."
    )
    facts: dict[str, Json] | None = Field(
        None, description="Where facts may be corrected: what they were as it was decided, by label."
    )


APPROVED_OR_NOT = (
    Choice(name="approved", label="Approve"),
    Choice(name="rejected", label="Reject", require_comment=True),
)
SUBMITTED = (Choice(name="submitted", label="Submit"),)


class ApprovalParams(HumanParams):
    """What an approval asks."""

    usual = tuple(outcome.name for outcome in APPROVED_OR_NOT)


class FormParams(HumanParams):
    """What a form asks for."""

    usual = tuple(outcome.name for outcome in SUBMITTED)


def _asks(kind: str, context: StepContext, usual: tuple[Choice, ...]) -> Json:
    params: HumanParams = context.params
    task = {
        "kind": kind,
        "title": params.title,
        "instructions": params.instructions or "",
        "facts": [_fact(context, label, value) for label, value in _in_order(params)],
        "outcomes": [outcome.model_dump(exclude_none=True) for outcome in params.outcomes or usual],
        "form": params.form,
        "candidates": _candidates(params),
        "exclude": _once(params.exclude or []),
        "exclude_requester": params.exclude_requester,
        "exclude_deciders": params.exclude_deciders,
        "quorum": _quorum(params.quorum),
        "priority": params.priority,
        "due_seconds": params.due_seconds,
        "clock": _clock(params, usual),
        "undo_seconds": params.undo_seconds,
    }
    if params.calendar is not None:
        task["calendar"] = params.calendar
    if params.due_working_days is not None:
        task["due_working_days"] = params.due_working_days
    task |= _texts(context.typed, task)
    storable(task, "task", code="BadParams", max_bytes=TASK_BYTES)
    return for_person(task)


def _in_order(params: HumanParams) -> list[tuple[str, Json]]:
    """The facts as they are shown: a stored definition keeps no order of keys."""
    facts = params.facts or {}
    labels = dict.fromkeys([*(params.facts_order or ()), *facts])
    return [(label, facts[label]) for label in labels if label in facts]


def _fact(context: StepContext, label: str, value: Json) -> dict[str, Json]:
    params: HumanParams = context.params
    may_change = {"may_change": True} if label in (params.amendable or ()) else {}
    schema = (params.facts_schema or {}).get(label)
    known = context.typed.type_at(FACTS, label) if context.typed else None
    kind = known if schema is None else reduced(schema)
    return {"label": label, "value": value, **may_change, **({"type": kind} if kind else {})}


def _texts(typed: TypedParams | None, task: Mapping[str, Json]) -> dict[str, Json]:
    """The texts of a task that read typed values or its facts, in parts."""
    if typed is None:
        return {}
    try:
        parts = {name: typed.parts_at(name) for name in ("title", "instructions")}
        labels = [typed.parts_at("outcomes", at, "label") for at in range(len(task["outcomes"]))]
        texts = {name: one for name, one in parts.items() if one}
        by_outcome = {
            outcome["name"]: one for outcome, one in zip(task["outcomes"], labels, strict=True) if one
        }
        if not texts and not by_outcome:
            return {}
        scope = typed.scope_of([*texts.values(), *by_outcome.values()])
    except ExpressionError as error:
        raise StepError("BadParams", f"A text of the step can't be computed: {error}") from None
    return {"texts": {**texts, "outcomes": by_outcome, "scope": scope}}


def _candidates(params: HumanParams) -> dict[str, Json]:
    candidates = params.candidates or Candidates.model_construct()
    by_expr = [candidates.expr] if isinstance(candidates.expr, str) else candidates.expr or []
    counted_groups = params.quorum.groups if isinstance(params.quorum, Quorum) else None
    by_name = {
        "users": _once([*(candidates.users or []), *by_expr]),
        "groups": _once(candidates.groups or list(counted_groups or ())),
        "roles": _once(candidates.roles or []),
    }
    return by_name | ({"manager_of": candidates.manager_of} if candidates.manager_of else {})


def _clock(params: HumanParams, usual: tuple[Choice, ...]) -> list[Json]:
    """What happens while nobody decides, in its order. Raises StepError for an outcome that there is not."""
    moments: list[Json] = [{"after": seconds, "do": "remind"} for seconds in params.reminders or ()]
    if params.follow_up_seconds is not None:
        moments.append({"after": params.follow_up_seconds, "do": "remind", "follow_up": True})
    for number, level in enumerate(params.escalation or (), 1):
        asks = level.model_dump(exclude_none=True, exclude={"after_seconds"})
        moments.append({"after": level.after_seconds, "do": "escalate", "level": number, "to": asks})
    if params.on_timeout is not None:
        if params.on_timeout not in {outcome.name for outcome in params.outcomes or usual}:
            message = f"`params.on_timeout`: there is no outcome {params.on_timeout}."
            raise StepError("BadParams", message, details={"field": "params.on_timeout"})
        moments.append({"after": params.due_seconds, "do": "end", "outcome": params.on_timeout})
    # When so many working days are over is known once it is asked.
    return sorted(moments, key=lambda moment: (moment["after"] is None, moment["after"]))


def _quorum(quorum: int | Quorum) -> Json:
    return (
        {"need": quorum, "rule": "veto"} if isinstance(quorum, int) else quorum.model_dump(exclude_none=True)
    )


def who_decides(params: Mapping[str, Json]) -> tuple[Json, Json]:
    """Whom params name, `{users, groups, roles}`, and how many of them must agree.

    Neither `candidates` nor `quorum` may have expressions in them; whatever else there is doesn't matter.
    """
    values = {name: params[name] for name in ("candidates", "quorum") if name in params}
    model = HumanParams.model_validate({"title": "?", **values})
    return _candidates(model), _quorum(model.quorum)


def _once(names: list[Any]) -> list[str]:
    return list(dict.fromkeys(names))


def approval(context: StepContext) -> Json:
    """What an approval waits for. Raises StepError BadParams for a task that can't be kept."""
    return _asks("approval", context, APPROVED_OR_NOT)


def form(context: StepContext) -> Json:
    """What a form waits for. Raises StepError BadParams for a task that can't be kept."""
    return _asks("form", context, SUBMITTED)


@cache
def _decision_schema() -> dict[str, Json]:
    return Decision.model_json_schema(mode="serialization")


def _output_schema(params: Mapping[str, Json], usual: tuple[Choice, ...]) -> dict[str, Json]:
    """What is known of a decision before the params are rendered: the outcomes, and what the form gives."""
    schema = _decision_schema()
    properties: dict[str, Json] = {**schema["properties"]}
    outcomes = params.get("outcomes") or [{"name": outcome.name} for outcome in usual]
    names = (
        [one.get("name") for one in outcomes if isinstance(one, dict)] if isinstance(outcomes, list) else []
    )
    if names and not has_holes(names) and all(isinstance(name, str) for name in names):
        properties |= {key: {"type": "string", "enum": names} for key in ("outcome", "branch")}
    shape = params.get("form")
    if shape is None:
        properties["data"] = {"type": "null"}
    elif isinstance(shape, dict) and not has_holes(shape) and not any(schema_faults(shape, "")):
        # References of the form are within the form: where it stands now they would lead nowhere.
        properties["data"] = {"type": "object"} if "$ref" in str(shape) else shape
    facts, amendable = params.get("facts"), params.get("amendable")
    if isinstance(facts, dict) and isinstance(amendable, list) and amendable:
        every: dict[str, Json] = {label: {} for label in facts}
        properties["facts"] = {
            "type": "object",
            "properties": every,
            "required": [*every],
            "additionalProperties": False,
        }
    return {**schema, "properties": properties}


HUMAN_APPROVAL = StepType(
    name="human.approval",
    kind="wait",
    title="Ask for an approval",
    help="Asks a person to approve or reject; the run goes on where their decision leads.",
    keywords="approval approve reject sign-off signoff sign off review consent four eyes decision user task",
    icon="user-check",
    group="people",
    example={
        "params": {
            "title": "Approve the refund of {{ input.amount }} EUR?",
            "facts": {"Order": "{{ input.order }}"},
            "candidates": {"groups": ["Finance"]},
            "due_seconds": 86_400,
        },
        "input": {"order": "A-17", "amount": 120},
    },
    params_model=ApprovalParams,
    output_model=Decision,
    output_schema_of=lambda params: _output_schema(params, APPROVED_OR_NOT),
    run=approval,
    timeout_seconds=None,
    markdown=frozenset({"instructions"}),
    asks_people=True,
    keeps_calendar=True,
    time_limit="the params due_seconds and on_timeout",
    has_side_effects=True,
)

HUMAN_FORM = StepType(
    name="human.form",
    kind="wait",
    title="Ask for data",
    help="Asks a person to fill in a form; what they enter is the output.",
    keywords="form data entry input question ask user task upload questionnaire survey details information documents",
    icon="clipboard-list",
    group="people",
    example={
        "params": {
            "title": "Which account is the refund for?",
            "form": {
                "type": "object",
                "required": ["account"],
                "properties": {"account": {"type": "string", "title": "Account"}},
            },
            "due_seconds": 86_400,
        },
        "input": {"order": "A-17"},
    },
    params_model=FormParams,
    output_model=Decision,
    output_schema_of=lambda params: _output_schema(params, SUBMITTED),
    run=form,
    timeout_seconds=None,
    markdown=frozenset({"instructions"}),
    asks_people=True,
    keeps_calendar=True,
    starter_decides=True,
    time_limit="the params due_seconds and on_timeout",
    has_side_effects=True,
)
