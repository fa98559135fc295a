"""What apps above provide to `workflows`: they register it in their `AppConfig.ready`."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from accounts.principal import Principal
from engine.problems import Problem
from lib.forms.fields import Form
from lib.json import Json
from lib.ports import Port
from workflows.models import Workflow


@dataclass(frozen=True, slots=True)
class LastRun:
    """A run's input, and by node what its steps gave and were given; what is very large is left out."""

    run_id: str
    at: datetime
    business_key: str | None
    created_by: str
    input: Json
    outputs: Mapping[str, Json]
    inputs: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class KeptEntries:
    """What somebody typed into a form and did not send: `kind` of the input, the entries by the names of their fields,
    and when.
    """

    kind: str
    entries: Mapping[str, str]
    at: datetime


@dataclass(frozen=True, slots=True)
class Earlier:
    """What somebody kept, if anything, and when they started the workflow last."""

    kept: KeptEntries | None = None
    started_at: datetime | None = None


class OwnStarts(Protocol):
    """What somebody did before with the form that starts a workflow, and the input that they gave last."""

    def earlier(self, who: Principal, workflow: Workflow) -> Earlier: ...

    def last_input(self, who: Principal, workflow: Workflow) -> Json: ...


@dataclass(frozen=True, slots=True)
class Trigger:
    """Something that starts runs or is a signal to them: its name, what it does in words, and whether it is on; when it
    last refused to, and why; and the path of its page, for who may open it. `kind`: what it is, in a word. `starts`:
    whether it starts runs.
    """

    name: str
    does: str
    is_on: bool
    refused_at: datetime | None = None
    refused_why: str = ""
    path: str = ""
    kind: str = "Webhook"
    starts: bool = True


CALENDAR_PINS: Final = Port[Callable[[int, int, Mapping[str, Json]], Mapping[str, int | None]]]()
"""For a tenant, a folder and a definition: the ids of the calendars that it names, None for those that it can't use.
They stay what they are until the transaction ends.
"""
EXAMPLES: Final = Port[Callable[[Principal], None]]()
"""Makes what comes with the examples, once they are published, for who made these."""
JUDGES: Final = Port[Callable[[int, Sequence[Mapping[str, Json]]], list[list[Problem]]]]()
"""For a tenant and definitions of our own dialect: the problems of each, such as people who do not exist."""
LAST_RUNS: Final = Port[Callable[[Workflow], LastRun | None]]()
"""The last run of a workflow, a test run too."""


class OpenRuns(Protocol):
    """How many open runs each version of a workflow has, by its id; `movable`: that may go on with another version."""

    def __call__(self, workflow: Workflow, *, movable: bool) -> Mapping[int, int]: ...


OPEN_RUNS: Final = Port[OpenRuns]()
OWN_STARTS: Final = Port[OwnStarts]()
PIPELINE_FORMS: Final = Port[Callable[[Mapping[str, Json]], bool]]()
"""Whether the pipeline form can show a definition."""
TRIGGERS: Final = Port[Callable[[Principal, Workflow], Sequence[Trigger]]]()
"""The triggers of a workflow which somebody may see."""


def pinned_calendars(
    tenant: int, folder: int, native: Mapping[str, Json]
) -> tuple[dict[str, int], list[str]]:
    """The ids of the calendars that a definition of this folder names, and the names of those that it can't use."""
    ids = {name: id_ for pin in CALENDAR_PINS for name, id_ in pin(tenant, folder, native).items()}
    calendars = {name: id_ for name, id_ in sorted(ids.items()) if id_ is not None}
    return calendars, sorted(ids.keys() - calendars.keys())


def judged(tenant: int, native: Mapping[str, Json]) -> list[Problem]:
    """The problems that apps above find in a definition in which the engine has found no error."""
    return judged_each(tenant, [native])[0]


def judged_each(tenant: int, natives: Sequence[Mapping[str, Json]]) -> list[list[Problem]]:
    """As `judged`, in each of several definitions, with as many statements as for one."""
    judgements = [judge(tenant, natives) for judge in JUDGES]
    return [[problem for judgement in judgements for problem in judgement[at]] for at in range(len(natives))]


def last_run(workflow: Workflow) -> LastRun | None:
    """The last run of the workflow, if there is one."""
    return next((run for reader in LAST_RUNS if (run := reader(workflow)) is not None), None)


FILE_FIELDS: Final = Port[Callable[[Principal, Form | None], None]]()
"""Name the files in the fields of a start form."""


def name_files(who: Principal, form: Form | None) -> None:
    """Say of fields with files what these are called; what can't be used any more is empty again."""
    for name in FILE_FIELDS:
        name(who, form)


def earlier(who: Principal, workflow: Workflow) -> Earlier:
    """What somebody did before with this workflow's form."""
    starts = OWN_STARTS.first
    return Earlier() if starts is None else starts.earlier(who, workflow)


def last_input(who: Principal, workflow: Workflow) -> Json:
    """The input of the run of this workflow that somebody started last; None where there is none."""
    starts = OWN_STARTS.first
    return None if starts is None else starts.last_input(who, workflow)


def triggers_of(who: Principal, workflow: Workflow) -> list[Trigger]:
    """The triggers of a workflow which somebody may see."""
    return [trigger for triggers in TRIGGERS for trigger in triggers(who, workflow)]


def open_runs(workflow: Workflow, *, movable: bool = False) -> Counter[int]:
    """How many open runs each version has, by its id; `movable`: that may go on with another version."""
    totals: Counter[int] = Counter()
    for count in OPEN_RUNS:
        totals.update(count(workflow, movable=movable))
    return totals
