"""What a person is asked: the params of human.approval and human.form (R-142, R-146, R-149)."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, StringConstraints, field_validator, model_validator
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from engine.catalogue import Json
from engine.holes import has_holes
from engine.json_schema import any_properties, schema_faults
from engine.limits import WORKING_DAYS
from steps.base import Params, WholeNumber, not_blank, widget
from steps.limits import ASKED_NAMES, TASK_TITLE_CHARACTERS
from steps.wait import TEN_YEARS, as_seconds

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=150)]
Names = Annotated[list[Name], Field(max_length=ASKED_NAMES)]
Role = Literal["approver", "operator", "requester", "admin"]
"""The roles that may decide tasks at all (`tasks:decide`)."""
Seconds = Annotated[
    int | float,
    Field(gt=0, le=TEN_YEARS.total_seconds(), allow_inf_nan=False, json_schema_extra=widget("seconds")),
    BeforeValidator(as_seconds),
]
PEOPLE: JsonDict = {"x-names": "people"}
GROUPS: JsonDict = {"x-names": "groups"}
"""Of a field with usernames, or with names of groups: a form offers those that there are."""
Share = Annotated[str, StringConstraints(pattern=r"^(100|[1-9][0-9]?)%$")]


class Candidates(Params):
    """Who may decide: whoever one of these names."""

    users: Names | None = Field(
        None, title="People", description="Who may decide, by username.", json_schema_extra=PEOPLE
    )
    groups: Names | None = Field(
        None, title="Groups", description="Groups whose members may decide.", json_schema_extra=GROUPS
    )
    roles: list[Role] | None = Field(
        None,
        max_length=10,
        title="Roles",
        description="Everybody with one of these roles may decide.",
    )
    manager_of: Name | None = Field(
        None,
        title="The manager of",
        description="A username, such as {{ run.created_by }}, whose manager may decide.",
    )
    expr: Name | Names | None = Field(
        None,
        title="By expression",
        description="An expression that gives a username or a list of usernames.",
        json_schema_extra=widget("text"),
    )

    @model_validator(mode="before")
    @classmethod
    def _names_somebody(cls, value: Any) -> Any:
        # An expression that finds nobody must not open the task to everybody.
        if isinstance(value, dict) and not any(value.values()):
            raise ValueError(
                "names nobody: give users, groups, roles, manager_of or expr, or leave candidates out"
            )
        return value


class Choice(Params):
    """One way in which the task can end."""

    name: str = Field(
        pattern=r"^[A-Za-z_][A-Za-z0-9_\-]{0,63}$",
        title="Name",
        description="The outcome's name, which connections branch on.",
    )
    label: str = Field(min_length=1, max_length=80, title="Button", description="The text on its button.")
    require_comment: bool = Field(False, title="Needs a reason", description="Whether a comment is required.")
    require: list[Name] | None = Field(
        None,
        max_length=50,
        title="Needs these fields",
        description="Fields of the form that must be filled in for this outcome.",
    )
    sign: bool = Field(
        False,
        title="Needs a signature",
        description="Whether the person who decides must enter their password again.",
    )
    meaning: Literal["approve", "reject", "neutral"] | None = Field(
        None,
        title="What it says",
        description="Whether it says yes, no or neither to whoever asked. Left out, its name decides: no if it begins "
        "with reject, refus, declin or den, else yes.",
    )


class Quorum(Params):
    """How many must agree, where one person's decision is not enough."""

    need: Annotated[int, Field(strict=True, ge=1, le=ASKED_NAMES)] | Literal["all"] | Share | None = Field(
        None,
        title="How many",
        description="A number, all, or a share of those who may decide, such as 50%.",
    )
    groups: dict[Name, Annotated[int, Field(strict=True, ge=1, le=ASKED_NAMES)]] | None = Field(
        None,
        max_length=20,
        title="Of each group",
        description="How many of each group must agree, such as 2 of Legal and 1 of Finance.",
    )
    rule: Literal["veto", "majority"] = Field(
        "veto",
        title="Who prevails",
        description="Veto: one vote for any outcome but the first decides at once. Majority: the first outcome with "
        "enough votes wins.",
    )

    @model_validator(mode="after")
    def _is_one(self) -> "Quorum":
        if (self.need is None) == (not self.groups):
            raise PydanticCustomError("quorum", "needs either need or groups")
        if self.groups and self.rule == "majority":
            raise PydanticCustomError("quorum", "of groups is decided by veto: leave rule out")
        return self


class Level(Params):
    """Whom else the task asks when nobody has decided for so long."""

    after_seconds: Seconds = Field(title="After", description="How long after the task was opened.")
    users: Names | None = Field(
        None,
        title="People",
        description="Who may decide from then on, by username.",
        json_schema_extra=PEOPLE,
    )
    groups: Names | None = Field(
        None,
        title="Groups",
        description="Groups whose members may decide from then on.",
        json_schema_extra=GROUPS,
    )
    roles: list[Role] | None = Field(
        None,
        max_length=10,
        title="Roles",
        description="Everybody with one of these roles may decide from then on.",
    )
    manager_of: Name | None = Field(
        None,
        title="The manager of",
        description="A username, such as {{ run.created_by }}, whose manager by then may decide from then on.",
    )

    @model_validator(mode="after")
    def _names_somebody(self) -> "Level":
        if not (self.users or self.groups or self.roles or self.manager_of):
            raise PydanticCustomError("nobody", "names nobody: give users, groups, roles or manager_of")
        return self


class HumanParams(Params):
    """What the person is asked, who may decide, and what there is to choose from; `usual` unless `outcomes` says it."""

    usual: ClassVar[tuple[str, ...]] = ()

    title: str = Field(
        min_length=1,
        max_length=TASK_TITLE_CHARACTERS,
        title="Question",
        description="What is asked, such as Refund {{ input.amount }} to Ann?",
    )
    instructions: str | None = Field(
        None,
        max_length=20_000,
        title="Instructions",
        description="What the person should know or check before they decide; Markdown.",
        json_schema_extra=widget("textarea"),
    )
    facts: dict[str, Json] | None = Field(
        None, max_length=50, title="Facts", description="The information they need, as label and value."
    )
    facts_order: Names | None = Field(
        None,
        title="Order of the facts",
        description="Labels of facts in the order in which they are shown; the others come after them.",
    )
    facts_schema: dict[str, dict[str, Json]] | None = Field(
        None,
        max_length=50,
        title="Types of the facts",
        description="JSON Schemas of facts whose type can’t be known from what they read, by label: "
        "format, x-currency, titles of choices.",
    )
    amendable: Names | None = Field(
        None,
        title="Correctable facts",
        description="Labels of facts that can be corrected when the task is returned for changes; "
        "what was decided upon is in the output’s facts.",
    )
    candidates: Candidates | None = Field(
        None,
        title="Who may decide",
        description="People, groups or roles. Empty: everybody who may decide tasks and whom the folder lets read or "
        "decide.",
    )
    exclude: Names | None = Field(
        None,
        title="Who may not",
        description="Usernames of people who may not decide, even where something else names them.",
        json_schema_extra=PEOPLE,
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
    due_seconds: Seconds | None = Field(
        None,
        title="Deadline",
        description="How soon it should be decided, from when it is asked.",
    )
    due_working_days: Annotated[WholeNumber, Field(ge=1, le=WORKING_DAYS)] | None = Field(
        None,
        title="Deadline in working days",
        description="Or in how many working days of the calendar; without one the default calendar counts.",
    )
    on_timeout: Name | None = Field(
        None,
        title="At the deadline",
        description="The outcome if nobody has decided by the deadline. Empty: the task stays open.",
    )
    calendar: Name | None = Field(
        None,
        title="Working calendar",
        description="Deadline, reminders and escalation count the working hours of this calendar. Empty: all hours.",
        json_schema_extra=widget("calendar"),
    )
    follow_up_seconds: Seconds | None = Field(
        None,
        title="Follow-up",
        description="When to follow up: whoever has claimed it is reminded, or else those who may decide.",
    )
    reminders: list[Seconds] | None = Field(
        None,
        max_length=20,
        title="Reminders",
        description="How long after the task is opened those who may decide are reminded.",
    )
    escalation: list[Level] | None = Field(
        None,
        max_length=10,
        title="Escalation",
        description="Who else is asked when nobody decides in time, level by level.",
    )
    priority: WholeNumber = Field(
        0,
        ge=-1000,
        le=1000,
        title="Urgency",
        description="Which task to look at first: higher is more urgent.",
    )
    quorum: Annotated[int, Field(strict=True, ge=1, le=ASKED_NAMES)] | Quorum = Field(
        1,
        title="How many decide",
        description="How many must agree on the first outcome.",
        json_schema_extra=widget("quorum"),
    )
    undo_seconds: Annotated[int, Field(strict=True, ge=0, le=60)] | None = Field(
        None,
        title="Time to take it back",
        description="How many seconds a decision on the page can be undone before it counts; 0: it counts at once.",
    )
    exclude_requester: bool = Field(
        False,
        title="Not who started the run",
        description="Four eyes: who started the run may not decide.",
    )
    exclude_deciders: bool = Field(
        False,
        title="Not who decided before",
        description="Four eyes: who has decided another step of the run may not decide this one.",
    )

    covers: Names | None = Field(
        None,
        min_length=1,
        title="Steps that it covers",
        description="Ids of the steps that do what is decided here. Empty: those that follow, up to the next question.",
    )

    @field_validator("covers")
    @classmethod
    def _named(cls, covers: list[str] | None) -> list[str] | None:
        if has_holes(covers):
            raise PydanticCustomError("holes", "names its steps as they are: take no expressions")
        return covers

    _not_blank = field_validator("title")(not_blank)

    @field_validator("outcomes")
    @classmethod
    def _differ(cls, outcomes: list[Choice] | None) -> list[Choice] | None:
        names = [outcome.name for outcome in outcomes or ()]
        if len(set(names)) < len(names):
            raise PydanticCustomError("same_outcome", "names an outcome twice")
        return outcomes

    @field_validator("facts_schema")
    @classmethod
    def _are_schemas(cls, schemas: dict[str, Json] | None) -> dict[str, Json] | None:
        for label, schema in (schemas or {}).items():
            for path, fault in schema_faults(schema, label):
                message = f"{path}: {fault}"
                raise PydanticCustomError("no_schema", "is no JSON Schema: {fault}", {"fault": message})
        return schemas

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

    @model_validator(mode="after")
    def _fits_together(self) -> "HumanParams":
        properties = None if has_holes(self.form) else any_properties(self.form or {})
        for outcome in self.outcomes or ():
            unknown = [
                name for name in outcome.require or () if properties is not None and name not in properties
            ]
            if unknown:
                raise PydanticCustomError(
                    "unknown_field",
                    "has an outcome, {outcome}, that needs a field that the form has not: {field}",
                    {"outcome": outcome.name, "field": unknown[0]},
                )
        if self.due_seconds is not None and self.due_working_days is not None:
            raise PydanticCustomError(
                "two_deadlines", "has due_seconds and due_working_days: give one of the two"
            )
        if self.on_timeout is not None and self.due_seconds is None and self.due_working_days is None:
            raise PydanticCustomError("no_deadline", "has on_timeout but no due_seconds: say when")
        names = [outcome.name for outcome in self.outcomes or ()] or self.usual
        if self.on_timeout is not None and names and self.on_timeout not in names:
            raise PydanticCustomError(
                "unknown_outcome",
                "has no outcome {outcome}, which on_timeout names",
                {"outcome": self.on_timeout},
            )
        by_label = (
            ("amendable", self.amendable),
            ("facts_order", self.facts_order),
            ("facts_schema", [*(self.facts_schema or {})]),
        )
        for name, labels in by_label:
            unknown = [label for label in labels or () if label not in (self.facts or {})]
            if unknown and not has_holes([labels, list(self.facts or ())]):
                raise PydanticCustomError(
                    "unknown_fact",
                    "has no fact {fact}, which {name} names",
                    {"fact": unknown[0], "name": name},
                )
        candidates = self.candidates
        if (
            isinstance(self.quorum, Quorum)
            and self.quorum.groups
            and candidates
            and not has_holes(candidates.groups)
        ):
            missing = [
                name
                for name in self.quorum.groups
                if name.casefold() not in map(str.casefold, candidates.groups or ())
            ]
            if missing:
                raise PydanticCustomError(
                    "quorum", "counts a group that candidates does not ask: {group}", {"group": missing[0]}
                )
        return self
