"""One thing done with many tasks: each by itself, as if it were done alone, with its own answer.

Claiming, assigning and snoozing are for any tasks. Deciding is for tasks of one type, by an outcome that asks for
nothing of its own: each decision is checked, held back, counted and written down as evidence separately.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import partial
from uuid import UUID

from django.db.models import QuerySet

from accounts.guards import note
from accounts.principal import Principal
from accounts.roles import TASKS_ASSIGN, TASKS_DECIDE, TASKS_READ
from engine.catalogue import Json
from lib.reader import number_text
from lib.refusals import Conflict, Invalid, Missing, Refusal
from lib.typed_values import amount_text, exact
from lib.uuid7 import uuid7
from runs.kernel.refused import RunRefused
from runs.models import Run
from runs.ports import BulkResult, record_bulk
from tasks_inbox.actions import assignment, deciding, holding, notes
from tasks_inbox.actions.decision import Decision, data_faults, require_seen
from tasks_inbox.eligibility import identity, seeing
from tasks_inbox.eligibility.standing import Standing, standing
from tasks_inbox.evidence import presentation
from tasks_inbox.forms.texts import title_of
from tasks_inbox.limits import BULK_TASKS
from tasks_inbox.models import FOR_OPERATORS, ManualTask
from tasks_inbox.reading import listing
from tasks_inbox.reading.sources import View, parts_of
from tasks_inbox.store import queries

CLAIM, ASSIGN, SNOOZE, DECIDE, UNDO = "claim", "assign", "snooze", "decide", "undo"
ACTIONS = (CLAIM, ASSIGN, SNOOZE, DECIDE, UNDO)
DONE, REFUSED = "done", "refused"
HELD = "It counts in a moment, unless it is undone."


@dataclass(frozen=True, slots=True)
class BulkCommand:
    """What is to be done: with `assignee`, `until`, or an `outcome`, one `comment` for all, and what was `seen`.

    `undoable`: decisions that can be undone are held back, the others count at once.
    """

    action: str
    assignee: str = ""
    until: datetime | None = None
    outcome: str = ""
    comment: str = ""
    seen: Mapping[str, str] = field(default_factory=dict)
    undoable: bool = False
    reason: str | None = None


def act(principal: Principal, ids: Iterable[UUID], command: BulkCommand) -> list[dict[str, Json]]:
    """Do it with each of these tasks; what became of each, in their order: `{id, title, result, code, message,
    held_until}`, the last of a decision that counts then and can be undone.

    Raises Forbidden, and Invalid for too many tasks and for what can't be done with these together.
    """
    principal.require(TASKS_ASSIGN if command.action == ASSIGN else TASKS_DECIDE)
    unique_ids = list(dict.fromkeys(ids))
    if not 0 < len(unique_ids) <= BULK_TASKS:
        raise Invalid(f"Name 1 to {BULK_TASKS} tasks.", code="bad_count", field="ids")
    who = identity.who_is(principal)
    tasks = {task.pk: task for task in _named(who, unique_ids)}
    for id in tasks:
        note("task_id", TASKS_READ, id)
    if command.action == DECIDE:
        check_one_type(list(tasks.values()), command.outcome)
        for id in tasks:
            require_seen(command.seen.get(str(id)))
    taker = (
        assignment.assignee_of(principal.tenant_id, command.assignee) if command.action == ASSIGN else None
    )
    many = _Many(principal, tasks, who if command.action in (CLAIM, DECIDE) else None, taker)
    if command.action != DECIDE or not command.undoable:
        return [_result(many, id, _WAYS[command.action], command) for id in unique_ids]
    hold = partial(_hold, batch := UUID(uuid7()))
    held_ids = [id for id, task in tasks.items() if holding.seconds_to_undo(task, command.outcome)]
    results = [_result(many, id, hold if id in held_ids else _decide, command) for id in unique_ids]
    until = holding.count_together(principal, batch) if held_ids else {}
    return [row | {"held_until": until.get(row["id"])} for row in results]


def recorded(
    principal: Principal, command: BulkCommand, results: Sequence[Mapping[str, Json]]
) -> UUID | None:
    """The bulk job that keeps these results of `act`, of more than one task; None where nothing keeps them."""
    tasks = ManualTask.objects.for_tenant(principal.tenant_id).filter(pk__in=[one["id"] for one in results])
    runs = dict(tasks.values_list("pk", "run_id")) if len(results) > 1 else {}
    rows = [
        BulkResult(
            runs[one["id"]],
            one["id"],
            one["result"],
            one["code"] or "",
            HELD if one["held_until"] else one["message"],
        )
        for one in results
        if one["id"] in runs
    ]
    return record_bulk(principal, command.action, rows, reason=command.reason or "")


def _named(who: identity.Who, ids: Sequence[UUID]) -> QuerySet[ManualTask]:
    """Those of these tasks that they may see."""
    tasks = ManualTask.objects.for_tenant(who.tenant_id).filter(pk__in=ids)
    return seeing.visible(who, queries.placed(who.tenant_id, tasks))


def found_by(principal: Principal, view: View, text: str) -> list[UUID]:
    """The tasks that a search finds in a view of who asks, the most urgent first. Raises Invalid for too many."""
    who = identity.who_is(principal)
    parts = listing.found(who, parts_of(who, view=view), text)
    ids = list(
        dict.fromkeys(id for rows in parts for id in rows.values_list("pk", flat=True)[: BULK_TASKS + 1])
    )
    if len(ids) > BULK_TASKS:
        raise Invalid(
            f"This finds more than {BULK_TASKS} tasks: search for fewer.", code="too_many", field="filter"
        )
    return ids


def check_one_type(tasks: Sequence[ManualTask], outcome: str | None = None) -> None:
    """Lets pass tasks that may be decided together, by this outcome. Raises Invalid that says why not."""
    if any(task.kind in FOR_OPERATORS for task in tasks):
        raise Invalid("Failed compensations are settled one by one.", code="not_one_type", field="ids")
    runs = {task.run_id for task in tasks}
    if not tasks:
        return
    versions = set(
        Run.objects.for_tenant(tasks[0].tenant_id).filter(pk__in=runs).values_list("version_id", flat=True)
    )
    if len(versions) > 1 or len({task.node for task in tasks}) > 1:
        message = (
            "These tasks are of several types: only tasks of one step of one version can be decided together."
        )
        raise Invalid(message, code="not_one_type", field="ids")
    for task in tasks:
        if outcome is not None and outcome not in {one["name"] for one in outcomes_of(task)}:
            message = "This outcome needs its own input, or does not exist: decide them one by one."
            raise Invalid(message, code="not_in_bulk", field="outcome")


def outcomes_of(task: ManualTask) -> list[dict[str, Json]]:
    """The outcomes by which a task may be decided together with others: they need no field and no signature."""
    if task.form is not None and data_faults(task, {}):
        return []
    return [one for one in task.outcomes if not one.get("require") and not one.get("sign")]


def review(principal: Principal, ids: Sequence[UUID]) -> dict[str, Json]:
    """These tasks as they are shown before all are decided: what is seen of each, outcomes, and sums of numbers.

    Raises Invalid where they can't be decided together.
    """
    principal.require(TASKS_DECIDE)
    tasks = list(_named(identity.who_is(principal), ids[:BULK_TASKS]).order_by("pk"))
    if not tasks:
        raise Invalid("Choose some tasks first.", code="bad_count", field="ids")
    check_one_type(tasks)
    hashes = presentation.hashes_of(tasks, principal.username)
    return {
        "tasks": [{"task": task, "seen": hashes[task.pk]} for task in tasks],
        "outcomes": outcomes_of(tasks[0]),
        "sums": _sums(tasks),
    }


def _sums(tasks: Sequence[ManualTask]) -> list[tuple[str, str]]:
    """The sum of each fact that is a number in all of these tasks, exact; amounts of each currency apart."""
    sums: dict[str, dict[str, list[Decimal]]] = {}
    counts: Counter[str] = Counter()
    for task in tasks:
        for fact in task.facts:
            number = exact(fact["value"])
            if number is not None:
                counts[fact["label"]] += 1
                currency = str((fact.get("type") or {}).get("x-currency") or "")
                sums.setdefault(fact["label"], {}).setdefault(currency, []).append(number)
    return [
        (label, " + ".join(_sum_text(sum(numbers), currency) for currency, numbers in amounts.items()))
        for label, amounts in sums.items()
        if counts[label] == len(tasks)
    ]


def _sum_text(number: Decimal | int, currency: str) -> str:
    total = Decimal(number)
    return amount_text(total, currency) if currency else number_text(f"{total.normalize():f}")


@dataclass(frozen=True, slots=True)
class _Many:
    """Who asks, the tasks that they may see, as they were read at once, and to whom they are given: each is asked of
    again behind its lock.
    """

    principal: Principal
    tasks: Mapping[UUID, ManualTask]
    who: identity.Who | None
    taker: assignment.Assignee | None = None

    def standing(self, id: UUID) -> Standing:
        """How they stand to one of them."""
        return standing(self.principal, self.tasks[id], self.who)


def _result(many: _Many, id: UUID, do: "_Way", command: BulkCommand) -> dict[str, Json]:
    task = many.tasks.get(id)
    row: dict[str, Json] = {"id": id, "title": title_of(task) if task else "", "code": None, "message": ""}
    row["held_until"] = None
    try:
        if task is None:
            raise Missing("There is no such task.")
        do(many, id, command)
    except (Refusal, RunRefused) as refusal:
        return row | {"result": REFUSED, "code": refusal.code, "message": refusal.message}
    return row | {"result": DONE}


_Way = Callable[[_Many, UUID, BulkCommand], object]


def _claim(many: _Many, id: UUID, command: BulkCommand) -> None:
    assignment.claim(many.principal, many.standing(id), reason=command.reason)


def _assign(many: _Many, id: UUID, command: BulkCommand) -> None:
    assignment.assign_task(many.principal, id, many.taker or command.assignee, reason=command.reason)


def _snooze(many: _Many, id: UUID, command: BulkCommand) -> None:
    notes.snooze_task(many.principal, id, until=command.until, reason=command.reason)


def _decide(many: _Many, id: UUID, command: BulkCommand) -> None:
    deciding.decide(many.principal, many.standing(id), _decision(id, command))


def _hold(batch: UUID, many: _Many, id: UUID, command: BulkCommand) -> None:
    holding.hold(many.principal, many.standing(id), _decision(id, command), batch=batch)


def _decision(id: UUID, command: BulkCommand) -> Decision:
    shown_hash = command.seen.get(str(id))
    return Decision(command.outcome, comment=command.comment, seen=shown_hash, reason=command.reason)


def _undo(many: _Many, id: UUID, command: BulkCommand) -> None:
    was = holding.undo_decision(many.principal, id, reason=command.reason)
    if was["refused"]:
        raise Conflict(f"It did not count: {was['refused']}", code="nothing_to_undo")


_WAYS: Mapping[str, _Way] = {
    CLAIM: _claim,
    ASSIGN: _assign,
    SNOOZE: _snooze,
    DECIDE: _decide,
    UNDO: _undo,
}
