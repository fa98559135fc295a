"""What is shown of a run and of its steps: REST, OpenAPI, the list of runs and a run's page follow from these rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, NotRequired, TypedDict

from django.db.models import TextChoices

from engine.catalogue import Json
from engine.statuses import RunStatus, StepStatus
from lib.api.typed_rows import Id, notes_of
from runs.models import StartedFrom

PENDING: Final = "PENDING"
WAITING: Final = "WAITING"
SHOWN_STATUSES: Final = (PENDING, WAITING)
"""Statuses that no run has but which runs are shown with, by the state of their steps."""
RUN_STATUSES: Final = [*SHOWN_STATUSES, *(str(status.value) for status in RunStatus)]
STEP_STATUSES: Final = [PENDING, *(str(status.value) for status in StepStatus)]


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these values."""

    options: Sequence[str]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of `show_runs` that is shown as it is.

    With a label it is a fact of a run's page and a column of the list. By one that has choices runs can be filtered.
    """

    label: str = ""
    choices: type[TextChoices] | None = None

    @property
    def values(self) -> Sequence[str]:
        """What it may hold; nothing where that is anything."""
        return self.choices.values if self.choices else ()

    @property
    def options(self) -> Sequence[tuple[str, str]]:
        """What it may hold, each with its words."""
        return self.choices.choices if self.choices else ()

    def words(self, value: Json) -> str:
        """A value as people read it."""
        return "" if value is None else dict(self.options).get(value, str(value))

    def phrase(self, value: Json) -> str:
        """What a filter by this value is called: `started from Page`."""
        return f"{self.label.lower()} {self.words(value)}"


Verbs = Annotated[list[str], "What its state allows now; your scopes decide what you may do."]
Truncated = Annotated[
    dict[str, int],
    "Payloads too large for this response (they are null): their names, and their sizes in bytes as "
    "stored. They are complete at `/runs/{run_id}` for a run's, `/runs/{run_id}/steps?node=…` for a step's.",
]
Unreadable = Annotated[
    dict[str, str],
    "Payloads that are kept beside the database and are missing or changed there, or can't be reached "
    "now (they are null): their names, and why.",
]
ItemIndex = Annotated[int | None, "Of an item or round: its number, from 0."]


class ForecastView(TypedDict):
    """When a run will probably be done."""

    p50: Annotated[datetime, "Half of such runs are done by then."]
    p90: Annotated[datetime, "Nine of ten such runs are done by then."]


class PlaceView(TypedDict):
    """A step that leads down to a child run."""

    node: Annotated[str, "The step."]
    index: ItemIndex


class WaitView(TypedDict):
    """Open steps of a run, or of runs below it, that wait for the same, and where the first of them is."""

    run: Annotated[Id, "The run of the step."]
    node: str
    index: ItemIndex
    place: Annotated[list[PlaceView], "The steps that lead from the root run down to the step itself."]
    title: Annotated[str | None, "null where you may not read its workflow."]
    waiting_for: str
    count: Annotated[int, "How many such steps there are."]


class VariableView(TypedDict):
    """A variable of a run."""

    value: Annotated[Json, "null if it is left out for its size."]
    set_by: Annotated[str, "The step that set it last."]
    index: Annotated[int | None, "For a container: which of its items set it."]
    set_at: datetime
    overlaps: Annotated[list[str], "Steps that had set it and don't come before that one."]
    truncated: NotRequired[Annotated[int, "Its size in bytes, if it is left out."]]


class WaitingView(TypedDict):
    """What a WAITING step waits for."""

    kind: str
    name: str | None
    until: datetime | None


class ItemCountsView(TypedDict):
    """How many items a step has, and how many of them have begun, ended and failed; `rounds`: it is a loop."""

    total: int
    begun: int
    ended: int
    failed: int
    rounds: bool


class StepView(TypedDict):
    """A step of a run; nodes that are not decided yet are PENDING."""

    id: Id | None
    node: str
    undoes: Annotated[str | None, "The node whose effect this step undoes."]
    index: int | None
    type: str
    title: str
    status: Annotated[str, OneOf(STEP_STATUSES)]
    attempt: int
    max_attempts: int
    retries_remaining: Annotated[
        int, "How many attempts are left after the last one that began, or after the first."
    ]
    input: Json
    output: Json
    error: Json
    error_message: Annotated[
        str | None,
        "`Moved to DLQ after N retries` for a step that is a dead letter, else the message of its `error`.",
    ]
    progress: Annotated[Json, "The progress that its worker last reported."]
    queue: Annotated[str | None, "The queue whose workers do it; null before its turn."]
    worker: Annotated[str | None, "Who has it, or had it last."]
    lease_expires_at: Annotated[datetime | None, "For a RUNNING step."]
    last_heartbeat_at: Annotated[
        datetime | None, "When its worker last sent a heartbeat; null before the first."
    ]
    queued_at: datetime | None
    started_at: datetime | None
    completed_at: datetime | None
    duration_ms: float | None
    waiting_for: str | None
    waiting: WaitingView | None
    next_attempt_at: datetime | None
    kept_from: Annotated[Id | None, "The step of the earlier run that is kept here."]
    cause: Annotated[str | None, "Why it was cancelled or skipped; `operator`: somebody skipped it."]
    child_run: Annotated[Id | None, "For a step that runs a workflow: the last run that it started."]
    items: Annotated[ItemCountsView | None, "For a step with items or rounds."]
    verbs: Verbs
    truncated: NotRequired[Truncated]
    unreadable: NotRequired[Unreadable]


REQUIRED_OF_STEP: Final = [name for name in StepView.__annotations__ if name in StepView.__required_keys__]
"""What each step has, in its order."""


class ExampleView(StepView):
    """A step of one of the items, and the item's place."""

    run_id: Annotated[Id, "The run with the item's steps: they are complete there."]
    places: Annotated[list[int], "The item's place, after those of the items around it."]


class InnerStepView(TypedDict):
    """The state of a step within a container over all items."""

    node: str
    container: str
    counts: Annotated[dict[str, int], "How many by status."]
    total: Annotated[int | None, "How many items there are; of a loop, how many rounds have begun."]
    cut: Annotated[bool, "Whether there are more runs of items than the 2,000 that are counted."]
    undone: Annotated[int, "Of how many items it was undone."]
    first: Annotated[ExampleView | None, "The first item's, in their order, that completed."]
    failed: Annotated[ExampleView | None, "The first item's that failed."]


class RunView(TypedDict):
    """A run with its steps."""

    id: Id
    workflow: str
    version: Annotated[int | None, "null for a test run."]
    business_key: Annotated[str | None, Column()]
    status: Annotated[str, OneOf(RUN_STATUSES)]
    life: Annotated[int, Column()]
    input: Json
    output: Json
    error: Json
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    sla_seconds: int | None
    sla_deadline: datetime | None
    sla_breached: Annotated[
        bool | None, "Whether the run missed, or is past, its deadline; null without one."
    ]
    sla_counts: Annotated[str | None, Column(), "How it was counted, if in working days."]
    sla_paused_at: Annotated[datetime | None, "Since when the deadline is paused with the run."]
    deadline: Annotated[datetime | None, "As `sla_deadline`."]
    sla: Annotated[
        str | None,
        "`ok`, `warning` (open, with 80 % of its time over) or `breached`; null without a deadline.",
    ]
    forecast: Annotated[
        ForecastView | None,
        "null for a run that does not go on, and if too few runs like it have completed.",
    ]
    deadline_risk: Annotated[
        float | None, "How likely it misses its deadline, from 0 to 1; null without one or a forecast."
    ]
    waiting_for: str | None
    waits: Annotated[
        list[WaitView], "The open steps that it waits for, also in the runs below it: at most 10 groups."
    ]
    created_by: Annotated[str, Column()]
    started_from: Annotated[
        str | None, Column("Started from", StartedFrom), "null for a run from before this was recorded."
    ]
    rerun_of: Annotated[Id | None, Column(), "The run whose steps this one keeps."]
    parent_run: Annotated[Id | None, "The run one of whose steps started it."]
    parent: Annotated[Id | None, "As `parent_run`."]
    root_run: Annotated[Id, "The topmost run of its tree; for a run that no step started, the run itself."]
    place: Annotated[
        list[PlaceView],
        "The steps that lead from the root run down to this one; empty for a run that no step started.",
    ]
    continues_run: Annotated[Id | None, "The run that this one continues."]
    continued_as: Annotated[Id | None, "For a CONTINUED run: the run that continues it."]
    follows_run: Annotated[Id | None, "The run after which it was started, as its `next_workflow`."]
    traceparent: Annotated[
        str | None, "The trace in which it was started, or that it begins, in W3C Trace Context format."
    ]
    test: Annotated[bool, "Whether it is a test run, which no list shows."]
    next_workflow: Annotated[str | None, "The workflow that is started when this run has completed."]
    can_compensate: Annotated[bool, "Whether steps of its version, or of the bodies in it, can be undone."]
    variables: Annotated[
        dict[str, VariableView],
        "Its variables by name, with the step that set each last; empty in lists.",
    ]
    verbs: Verbs
    truncated: NotRequired[Truncated]
    unreadable: NotRequired[Unreadable]
    steps: list[StepView]
    inner_steps: NotRequired[
        Annotated[list[InnerStepView], "For a test run: the steps within its containers that have begun."]
    ]


COLUMNS: Final = notes_of(RunView, Column)
"""The columns of `show_runs` that are shown as they are, by name."""
LABELLED: Final = {name: column for name, column in COLUMNS.items() if column.label}
FILTERED: Final = {name: column for name, column in COLUMNS.items() if column.choices}


def facts_of(run: RunView) -> list[tuple[str, str]]:
    """The labels and words of the columns that a run's page shows."""
    row: Mapping[str, Json] = run
    return [(one.label, one.words(row[name])) for name, one in LABELLED.items() if row[name] is not None]
