"""human.approval and human.form: a person decides, or fills in a form; no worker is held meanwhile (R-142, R-146)."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints, field_validator, model_validator
from pydantic_core import PydanticCustomError

from engine.catalogue import Json
from engine.json_schema import schema_faults
from engine.templates import has_holes
from steps.base import Params, StepContext, StepType, WholeNumber, storable, widget
from steps.wait import TEN_YEARS
from steps.waiting import for_person

MAX_TASK_BYTES = 256 * 1024
MAX_NAMES = 200

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=150)]
Names = Annotated[list[Name], Field(max_length=MAX_NAMES)]
Role = Literal["approver", "operator", "admin"]
"""The roles that may decide tasks at all (`tasks:decide`)."""


class Candidates(Params):
    """Who may decide: whoever one of these names."""

    users: Names | None = Field(None, title="People", description="Who may decide, by username.")
    groups: Names | None = Field(None, title="Groups", description="Groups whose members may decide.")
    roles: list[Role] | None = Field(
        None,
        max_length=10,
        title="Roles",
        description="Everybody with one of these roles may decide.",
    )
    expr: Name | Names | None = Field(
        None,
        title="By expression",
        description="An expression that gives a username or a list of usernames.",
        json_schema_extra=widget("text"),
    )

    @model_validator(mode="before")
    @classmethod
    def _names_somebody(cls, given: Any) -> Any:
        # An expression that finds nobody must not open the task to everybody.
        if isinstance(given, dict) and not any(given.values()):
            raise ValueError("names nobody: give users, groups, roles or expr, or leave candidates out")
        return given


class Choice(Params):
    """One way in which the task can end."""

    name: str = Field(
        pattern=r"^[A-Za-z_][A-Za-z0-9_\-]{0,63}$",
        title="Name",
        description="The outcome's name, which edges branch on.",
    )
    label: str = Field(min_length=1, max_length=80, title="Button", description="What stands on its button.")
    require_comment: bool = Field(
        False, title="Needs a reason", description="Whether a comment must say why."
    )


class HumanParams(Params):
    """What the person is asked, who may decide, and what there is to choose from."""

    title: str = Field(
        min_length=1,
        max_length=300,
        title="Question",
        description="What is asked, such as Refund {{ input.amount }} to Ann?",
    )
    instructions: str | None = Field(
        None,
        max_length=20_000,
        title="Instructions",
        description="What the person should know or check before they decide.",
        json_schema_extra=widget("textarea"),
    )
    facts: dict[str, Json] | None = Field(
        None, max_length=50, title="Facts", description="What they need to see, as label and value."
    )
    candidates: Candidates | None = Field(
        None,
        title="Who may decide",
        description="People, groups or roles. Empty: everybody who may decide tasks.",
    )
    exclude: Names | None = Field(
        None,
        title="Who may not",
        description="Usernames of those who may not decide, whatever else is said of them.",
    )
    outcomes: list[Choice] | None = Field(
        None,
        min_length=1,
        max_length=10,
        title="Outcomes",
        description="What there is to choose from; one button each.",
    )
    form: dict[str, Json] | None = Field(
        None,
        title="Form",
        description="What the person fills in: a JSON Schema of the type object.",
        json_schema_extra=widget("schema"),
    )
    due_seconds: (
        Annotated[int | float, Field(gt=0, le=TEN_YEARS.total_seconds(), allow_inf_nan=False)] | None
    ) = Field(
        None,
        title="Deadline",
        description="How soon it should be decided, from when it is asked; nothing ends by itself.",
    )
    priority: WholeNumber = Field(
        0,
        ge=-1000,
        le=1000,
        title="Urgency",
        description="Which task to look at first: higher is more urgent.",
    )
    quorum: WholeNumber = Field(
        1, title="How many decide", description="How many must decide. So far one does: only 1 is taken."
    )

    @field_validator("title")
    @classmethod
    def _not_blank(cls, title: str) -> str:
        if not title.strip():
            raise PydanticCustomError("blank", "is empty")
        return title

    @field_validator("outcomes")
    @classmethod
    def _differ(cls, outcomes: list[Choice] | None) -> list[Choice] | None:
        names = [outcome.name for outcome in outcomes or ()]
        if len(set(names)) < len(names):
            raise PydanticCustomError("same_outcome", "names an outcome twice")
        return outcomes

    @field_validator("form")
    @classmethod
    def _is_form(cls, form: dict[str, Json] | None) -> dict[str, Json] | None:
        if form is None:
            return form
        for path, fault in schema_faults(form, ""):
            where = f"{path}: " if path else ""
            raise PydanticCustomError("no_schema", "is no JSON Schema: {fault}", {"fault": where + fault})
        if form.get("type") != "object":
            raise PydanticCustomError("no_form", "needs the type object: a form gives an object")
        return form

    @field_validator("quorum")
    @classmethod
    def _one_decides(cls, quorum: int) -> int:
        if quorum != 1:
            raise PydanticCustomError("quorum", "takes only 1 so far: one person decides a task")
        return quorum


class Decision(BaseModel):
    """What was decided, by whom and when; `branch` is the outcome again, for the edges.

    `on_behalf_of` is there only where who was asked had handed the task to who decided.
    """

    outcome: str
    data: Json
    by: str = Field(examples=["somebody"])
    at: str = Field(examples=["2026-01-01T00:00:00Z"])
    comment: str
    branch: str
    on_behalf_of: str | None = None


APPROVED_OR_NOT = (
    Choice(name="approved", label="Approve"),
    Choice(name="rejected", label="Reject", require_comment=True),
)
SUBMITTED = (Choice(name="submitted", label="Submit"),)


def _asks(kind: str, context: StepContext, usual: tuple[Choice, ...]) -> Json:
    params: HumanParams = context.params
    asked = params.candidates or Candidates.model_construct()
    by_expr = [asked.expr] if isinstance(asked.expr, str) else asked.expr or []
    task = {
        "kind": kind,
        "title": params.title,
        "instructions": params.instructions or "",
        "facts": [{"label": label, "value": value} for label, value in (params.facts or {}).items()],
        "outcomes": [outcome.model_dump() for outcome in params.outcomes or usual],
        "form": params.form,
        "candidates": {
            "users": _once([*(asked.users or []), *by_expr]),
            "groups": _once(asked.groups or []),
            "roles": _once(asked.roles or []),
        },
        "exclude": _once(params.exclude or []),
        "priority": params.priority,
        "due_seconds": params.due_seconds,
    }
    storable(task, "task", code="BadParams", max_bytes=MAX_TASK_BYTES)
    return for_person(task)


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
    given = params.get("outcomes") or [{"name": outcome.name} for outcome in usual]
    names = [one.get("name") for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    if names and not has_holes(names) and all(isinstance(name, str) for name in names):
        properties |= {key: {"type": "string", "enum": names} for key in ("outcome", "branch")}
    shape = params.get("form")
    if shape is None:
        properties["data"] = {"type": "null"}
    elif isinstance(shape, dict) and not has_holes(shape) and not any(schema_faults(shape, "")):
        # References of the form are within the form: where it stands now they would lead nowhere.
        properties["data"] = {"type": "object"} if "$ref" in str(shape) else shape
    return {**schema, "properties": properties}


HUMAN_APPROVAL = StepType(
    name="human.approval",
    kind="wait",
    title="Ask for an approval",
    help="Asks a person to approve or reject; the run goes on where their decision leads.",
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
    params_model=HumanParams,
    output_model=Decision,
    output_schema_of=lambda params: _output_schema(params, APPROVED_OR_NOT),
    run=approval,
    timeout_seconds=None,
    has_side_effects=True,
)

HUMAN_FORM = StepType(
    name="human.form",
    kind="wait",
    title="Ask for data",
    help="Asks a person to fill in a form; what they enter is the output.",
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
    params_model=HumanParams,
    output_model=Decision,
    output_schema_of=lambda params: _output_schema(params, SUBMITTED),
    run=form,
    timeout_seconds=None,
    has_side_effects=True,
)
