"""What a mail says of a task so that a decision can be prepared: facts, files, and what follows each outcome."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from accounts import people
from engine.catalogue import Json
from engine.value_types import Type
from lib.markup import file_size
from lib.masking import masked_at
from lib.typed_values import kind_of, plain_text
from runs.files.trees import FileView, described
from runs.kernel.graphs import BrokenVersion, shown
from runs.models import Run
from tasks_inbox.forms.files import files_of
from tasks_inbox.forms.texts import instructions_of, outcomes_of, people_in
from tasks_inbox.lifecycle.consequences import consequences
from tasks_inbox.limits import MAIL_FACT_CHARACTERS, MAIL_FACT_ROWS
from tasks_inbox.models import FOR_OPERATORS, ManualTask
from workflows.models import WorkflowVersion


@dataclass(frozen=True, slots=True)
class Contents:
    """What a mail says of a task, as its reader reads it.

    `facts`: labels and values, one line for each row of a table. `files`: name, size and address. `outcomes`: name,
    label and what follows.
    """

    requester: str
    instructions: str
    facts: Sequence[tuple[str, Sequence[str]]]
    files: Sequence[tuple[str, str, str]]
    outcomes: Sequence[tuple[str, str, str]]


def contents_of(task: ManualTask) -> Contents:
    """The contents for the current reader. Facts with the name of a secret are masked."""
    run = (
        Run.objects.for_tenant(task.tenant_id).filter(pk=task.run_id).only("version_id", "created_by").first()
    )
    then: Mapping[str, str] = {}
    if run is not None and task.kind not in FOR_OPERATORS:
        try:
            then = consequences(shown(run.version_id).graph, task.node, task.outcomes)
        except (BrokenVersion, WorkflowVersion.DoesNotExist):
            then = {}
    people.learn(task.tenant_id, [*people_in(task, task.facts), *([run.created_by] if run else [])])
    ids = [fact["value"] for fact in task.facts if kind_of(fact.get("type")) == "file"]

    def address(file_id: str) -> str:
        return settings.HANDOFF_URL + reverse("api-task-file", args=[task.pk, file_id])

    files = described(task.tenant_id, task.run_id, ids, address) if ids else {}
    return Contents(
        requester=run.created_by if run else "",
        instructions=instructions_of(task),
        facts=[
            (
                fact["label"],
                _file(fact["value"], files)
                or _lines(masked_at((fact["label"],), fact["value"]), fact.get("type")),
            )
            for fact in task.facts
        ],
        files=[
            (
                file.name,
                file_size(file.size),
                address(str(file.pk)),
            )
            for file in files_of(task)
        ],
        outcomes=[(one["name"], one["label"], then.get(one["name"], "")) for one in outcomes_of(task)],
    )


def _file(value: Json, files: Mapping[str, FileView]) -> list[str]:
    """A file by its name, size and address; nothing for any other value."""
    file = files.get(value) if isinstance(value, str) else None
    return [] if file is None else [f"{file.name} ({file_size(file.size)}) {file.url}"]


def _lines(value: Json, kind: Type | None) -> list[str]:
    """A value in lines, a list's entries one below the other up to a bound."""
    if isinstance(value, list) and value:
        items = (kind or {}).get("items")
        lines = [plain_text(one, items, most=MAIL_FACT_CHARACTERS) for one in value[:MAIL_FACT_ROWS]]
        return [*lines, f"and {len(value) - len(lines)} more"] if len(value) > len(lines) else lines
    return [plain_text(value, kind, most=MAIL_FACT_CHARACTERS)]
