"""The native dialect: the shape of a definition (docs/definitions.md). What it means is checked in `validate`."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from engine.catalogue import Json
from engine.durations import length_fault
from engine.limits import RESULT_ROWS, STEP_VARIABLES, WORKING_DAYS

NODE_ID = r"^[A-Za-z_][A-Za-z0-9_\-]{0,255}$"
WORKFLOW_NAME = r"^[A-Za-z0-9_:\-]{1,256}$"
QUEUE_NAME = r"^[A-Za-z0-9_.:\-]{1,256}$"
VARIABLE_NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,63}$"
DAY = 86_400
TEN_YEARS = 3_650 * DAY

Name = Annotated[str, Field(pattern=WORKFLOW_NAME)]
Id = Annotated[str, Field(pattern=NODE_ID)]
TypeName = Annotated[str, Field(min_length=1)]
Title = Annotated[str, Field(max_length=200)]
VariableName = Annotated[str, Field(pattern=VARIABLE_NAME)]
CalendarName = Annotated[str, Field(min_length=1, max_length=128)]
Seconds = Annotated[int, Field(ge=1, le=TEN_YEARS)]


def _duration(text: str) -> str:
    if fault := length_fault(text):
        raise ValueError(fault)
    return text


Duration = Annotated[str, AfterValidator(_duration)]


ResultLabel = Annotated[str, Field(min_length=1, max_length=200)]
ResultRows = Annotated[dict[ResultLabel, Json], Field(min_length=1, max_length=RESULT_ROWS)]


class Shape(BaseModel):
    """Unknown fields are refused and nothing is converted; null stands for "not given"."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _field(title: str, help: str, widget: str | None = None, **limits: Any) -> Any:
    """An optional field with its title and help; `widget` is what a form shows for it (`x-widget`)."""
    extra: JsonDict | None = {"x-widget": widget} if widget else None
    return Field(None, title=title, description=help, json_schema_extra=extra, **limits)


class Retry(Shape):
    """A retry policy of its own; what is not given comes from the default policy."""

    max_retries: int | None = _field(
        "How often", "How many times it is retried after the first failure.", ge=0, le=100
    )
    base_seconds: float | None = _field(
        "First pause", "How long to wait before the first retry.", ge=0, le=DAY, allow_inf_nan=False
    )
    factor: float | None = _field(
        "Growth",
        "Each pause is this many times as long as the one before.",
        ge=1,
        le=100,
        allow_inf_nan=False,
    )
    lost_leases: int | None = _field(
        "Lost leases",
        "How often its lease may be lost without using up a retry: for workers that send no heartbeat.",
        ge=0,
        le=100,
    )
    max_seconds: float | None = _field(
        "Longest pause", "No pause gets longer than this.", ge=0, le=30 * DAY, allow_inf_nan=False
    )
    jitter: float | None = _field(
        "Spread",
        "Lengthens each pause by chance, up to this share of it, so that many retries don't come at once.",
        ge=0,
        le=1,
        allow_inf_nan=False,
    )
    non_retryable: list[Annotated[str, Field(min_length=1, max_length=100)]] | None = _field(
        "Never retry",
        "Error codes that are never retried, besides ValidationError, InvalidInputError and "
        "NonRetryableError.",
        max_length=100,
    )


class NOf(Shape):
    """A join that fires at the k-th taken edge."""

    n_of: int = Field(
        ge=1, title="How many", description="How many of the paths that lead here must be taken."
    )


class BoundaryTimer(Shape):
    """A timer on a waiting or running step; `to` is the edge taken when it fires. One of the two times is given."""

    after_seconds: Seconds | None = _field(
        "After", "How long after the step's turn came; give this or a length."
    )
    duration: Duration | None = _field(
        "Length", "The same as P3D (three days) or PT2H (two hours), or 2 business days.", "duration"
    )
    calendar: CalendarName | None = _field(
        "Working calendar",
        "Whose business days count. Empty: the default calendar.",
        "calendar",
    )
    interrupting: bool | None = _field(
        "Ends the step",
        "Whether the step ends when the time is up; otherwise it goes on, as for a reminder.",
    )
    to: str = Field(title="Goes to", description="The next step when the time is up.")


RetryChoice = Retry | Literal["seed", "minutes", "llm", "none"]
RETRY_HELP = "How often and after which pauses the step is retried when it fails."
TIMEOUT_HELP = "An attempt that takes longer is ended and counts as failed."
LEASE_HELP = "How long a worker may be silent before the step is given to another one."


class Compensation(Shape):
    """The step that undoes a completed one."""

    type: TypeName = Field(title="Type", description="What kind of step undoes it.")
    name: Id | None = _field(
        "Name for workers", "The activity that workers of /v1 read, such as refund_payment. Empty: the id."
    )
    title: Title | None = _field("Title", "What people read instead of the id.")
    params: dict[str, Json] | None = _field("Settings of the type", "What this kind of step needs.", "group")
    retry: RetryChoice | None = _field("Retries", RETRY_HELP, "retry")
    timeout_seconds: Seconds | None = _field("Time limit", TIMEOUT_HELP)
    lease_seconds: int | None = _field("Silence allowed", LEASE_HELP, ge=1, le=DAY)
    queue: str | None = _field("Queue", "Where workers look for it.", pattern=QUEUE_NAME)


class Node(Shape):
    """One step."""

    id: Id = Field(title="Id", description="What expressions call the step; it is unique in the workflow.")
    type: TypeName = Field(title="Type", description="What kind of step it is.")
    title: Title | None = _field("Title", "What people read instead of the id.")
    params: dict[str, Json] | None = _field("Settings of the type", "What this kind of step needs.", "group")
    input: dict[str, Json] | str | None = _field(
        "Input", "The step's input. Empty: the output of the step before it.", "code"
    )
    join: Literal["any_taken", "all", "any"] | NOf | None = _field(
        "Starts when",
        "Where several paths meet: once all are decided and one is taken, when all are taken, at the first, or at "
        "a number of them.",
        "join",
    )
    boundary_timers: list[BoundaryTimer] | None = _field(
        "Timers", "What happens when the step takes too long: another path, or a reminder."
    )
    set_vars: (
        Annotated[dict[VariableName, Json], Field(max_length=STEP_VARIABLES)]
        | Annotated[str, Field(min_length=1)]
        | None
    ) = _field(
        "Sets variables",
        "Variables of the run that it sets when it completes, by name, such as {{ output.price }}; or one expression "
        "that gives an object of them, such as {{ output }}.",
        "code",
    )
    allow_no_match: bool | None = _field(
        "May lead nowhere", "It is not an error if none of the conditions after it holds."
    )
    compensate: Compensation | None = _field(
        "Undo", "The step that undoes this one when the run fails later."
    )
    compensate_on_unknown: bool | None = _field(
        "Undo when in doubt", "Undo it even if it is unknown whether it was done. Empty: yes."
    )
    secrets: list[str] | dict[str, str] | None = _field("Secrets", "Has no effect yet.", "code")
    retry: RetryChoice | None = _field("Retries", RETRY_HELP, "retry")
    timeout_seconds: Seconds | None = _field("Time limit", TIMEOUT_HELP)
    schedule_to_start_seconds: Seconds | None = _field(
        "Must begin within", "If no worker begins it within this time, it fails for good."
    )
    lease_seconds: int | None = _field("Silence allowed", LEASE_HELP, ge=1, le=DAY)
    queue: str | None = _field(
        "Queue", "Where workers look for it. Empty: the default of its type.", pattern=QUEUE_NAME
    )
    priority: int | None = _field(
        "Priority", "Higher goes first. Empty: the priority of the run.", ge=-1000, le=1000
    )
    on_error: Literal["fail", "continue", "branch", "ask"] | None = _field(
        "If it fails for good",
        "The run fails, it goes on anyway, it takes the connections for errors, or somebody is asked what to do.",
    )


class Edge(Shape):
    """One edge; at most one of branch, when, default and on says when it is taken."""

    source: str = Field(alias="from", title="From", description="The step that it comes from.")
    target: str = Field(alias="to", title="To", description="The step that it leads to.")
    branch: str | None = _field(
        "Branch", "Taken if the step ends with this outcome, its output's branch.", min_length=1
    )
    when: str | None = _field(
        "Condition", "Taken if this expression is true, such as output.amount > 1000.", "expression"
    )
    default: bool | None = _field("Otherwise", "Taken if no other condition of the step holds.")
    on: Literal["error"] | None = _field("On failure", "Taken if the step fails for good.")

    @property
    def conditions(self) -> list[str]:
        """Which of the four are used."""
        fields = {"branch": self.branch, "when": self.when, "default": self.default, "on": self.on}
        return [name for name, value in fields.items() if value]

    @property
    def is_conditional(self) -> bool:
        """Whether it may be dead although its source completed."""
        return bool(self.conditions)


class RequestTerms(Shape):
    """What requesters are told of the workflow, and what they get of a run."""

    category: Annotated[str, Field(min_length=1, max_length=60)] | None = _field(
        "Category", "By which the catalogue of requests groups the workflow, such as Travel."
    )
    result: ResultRows | Annotated[str, Field(min_length=1, max_length=10_000)] | None = _field(
        "What the requester gets",
        "Values of the run by their labels, such as {{ steps.pay.output.amount }}, or one text in Markdown; shown when "
        "the run has completed.",
        "pairs",
    )
    result_order: Annotated[list[ResultLabel], Field(max_length=RESULT_ROWS)] | None = _field(
        "Order of the labels", "The labels in the order in which they are shown; others follow."
    )


class Definition(Shape):
    """A whole workflow."""

    name: Name = Field(title="Name", description="The name in URLs and programs; it can't be changed.")
    nodes: list[Node] = Field(min_length=1, title="Steps", description="What is to be done.")
    edges: list[Edge] | None = _field("Connections", "What leads from one step to another.")
    title: Title | None = _field("Title", "What people read.")
    description: Annotated[str, Field(max_length=10_000)] | None = _field(
        "Description", "What the workflow is for.", "textarea"
    )
    metadata: Json = _field(
        "Metadata", "For your own use; sample_input in it prefills the start form.", "code"
    )
    input_schema: dict[str, Json] | None = _field(
        "Input", "What a run needs to start. An input that doesn't fit is refused.", "schema"
    )
    sla_seconds: Seconds | None = _field("Deadline of a run", "How long a run should take at most.")
    sla_working_days: Annotated[int, Field(ge=1, le=WORKING_DAYS)] | None = _field(
        "Deadline in working days", "In working days; overrides the seconds."
    )
    sla_calendar: CalendarName | None = _field(
        "Calendar of the deadline", "Defines the working days. Empty: the default calendar.", "calendar"
    )
    sla_pauses: Literal[False, True, "waiting"] | None = _field(
        "Which time counts",
        "Whether the deadline stands still while the run is paused, or also while it only waits.",
    )
    on_failure: Literal["stop", "finish_others"] | None = _field(
        "When a step has failed for good",
        "The run stops at once, or its other branches finish before it fails.",
    )
    compensation: Literal["sequential", "parallel"] | None = _field(
        "Order of undoing",
        "What was done is undone one by one, the last first, or branches are undone at the same time.",
    )
    business_key: str | None = _field(
        "Business key",
        "Identifies a run, such as {{ input.order_id }}: two starts with the same key are one run.",
        "template",
    )
    output: Json = _field("Result", "The run's output. Empty: the output of its last step.", "code")
    next_workflow: Name | None = _field(
        "Next workflow",
        "When a run has completed, a run of this workflow starts with its output.",
        "workflow",
    )
    request: RequestTerms | None = _field(
        "Request", "The category in the catalogue of requests, and what the requester gets.", "group"
    )
