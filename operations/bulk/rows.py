"""The items of a bulk job as its page names them: runs, dead letters or tasks, each with its address; and as a CSV."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from django.urls import reverse

from accounts.principal import Principal
from lib.csv_lines import MARK, csv_lines
from lib.typed_values import plain_text
from operations.bulk.models import LETTERS, TASKS, BulkItem, BulkJob
from runs.access import readable_letters
from runs.models import Run
from runs.reading import operations, queries
from runs.web.listing import brief_rows
from tasks_inbox.eligibility import identity, seeing
from tasks_inbox.forms.texts import title_of
from tasks_inbox.limits import BULK_FACTS
from tasks_inbox.models import ManualTask
from tasks_inbox.store import queries as task_queries
from workflows import titles

_TITLES = ("Run", "Dead letter or task", "Result", "Code", "Step", "Why", "At")


@dataclass(frozen=True, slots=True)
class Name:
    """The name of an item; `workflow`: where the name does not say it; `facts`: by which it is told from others."""

    text: str
    workflow: str = ""
    facts: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """An item with its address and its name; without a name to those who may not see what it is about."""

    item: BulkItem
    address: str
    name: Name | None = None

    @property
    def id(self) -> UUID:
        """By which an item without a name is told from the others."""
        return self.item.target_id or self.item.run_id


def address(job: BulkJob, item: BulkItem) -> str:
    """The page of what an item is about: of a task, otherwise of the run."""
    if job.subject == TASKS and item.target_id is not None:
        return reverse("task", args=[item.target_id])
    return reverse("run", args=[item.run_id])


def rows(who: Principal, job: BulkJob, items: Sequence[BulkItem]) -> list[Row]:
    """The items of a page; so many statements whatever their number."""
    read = {LETTERS: _letters, TASKS: _tasks}.get(job.subject, _runs)
    names = read(who, items)
    return [Row(item, address(job, item), names.get(item.target_id or item.run_id)) for item in items]


def csv_file(items: Iterable[BulkItem]) -> Iterator[str]:
    """The results as a CSV file, a line for each item."""
    yield MARK
    yield from csv_lines(chain([_TITLES], map(_cells, items)))


def _cells(item: BulkItem) -> Sequence[object]:
    done_at = item.done_at and item.done_at.isoformat()
    return item.run_id, item.target_id, item.result, item.code, item.node, item.message, done_at


def _runs(who: Principal, items: Sequence[BulkItem]) -> Mapping[UUID, Name]:
    briefs = brief_rows(who, [item.run_id for item in items])
    return {UUID(row["id"]): Name(row["called"]) for row in briefs if row["called"]}


def _letters(who: Principal, items: Sequence[BulkItem]) -> Mapping[UUID, Name]:
    rows = queries.dead_letters_of(who.tenant_id).filter(pk__in=[item.target_id for item in items])
    letters = list(readable_letters(rows, who))
    places = operations.places_of(who.tenant_id, [(letter.run_id, letter.node) for letter in letters])
    runs = Run.objects.for_tenant(who.tenant_id).filter(pk__in=[letter.run_id for letter in letters])
    keys = dict(runs.values_list("pk", "business_key"))
    titles.learn(who.tenant_id, {place.workflow for place in places.values()})
    names = {}
    for letter in letters:
        place = places.get((letter.run_id, letter.node))
        facts = [("Key", keys.get(letter.run_id) or ""), ("Error", str(letter.error.get("code", "")))]
        texts = [(label, text) for label, text in facts if text]
        names[letter.pk] = Name(place.title if place else letter.node, place.workflow if place else "", texts)
    return names


def _tasks(who: Principal, items: Sequence[BulkItem]) -> Mapping[UUID, Name]:
    tasks = ManualTask.objects.for_tenant(who.tenant_id).filter(pk__in=[item.target_id for item in items])
    visible_tasks = list(seeing.visible(identity.who_is(who), task_queries.placed(who.tenant_id, tasks)))
    workflows = task_queries.workflows_of(who.tenant_id, visible_tasks)
    titles.learn(who.tenant_id, {one.name for one in workflows.values()})
    return {
        task.pk: Name(title_of(task), workflows[task.workflow_id].name, _facts(task))
        for task in visible_tasks
    }


def _facts(task: ManualTask) -> list[tuple[str, str]]:
    return [(fact["label"], plain_text(fact["value"], fact.get("type"))) for fact in task.facts[:BULK_FACTS]]
