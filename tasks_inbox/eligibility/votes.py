"""The votes of a task: who has decided what in its round, and what that comes to together with one more."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.names import key_of
from engine.catalogue import Json
from tasks_inbox.eligibility.electors import elector_named, electors_of
from tasks_inbox.eligibility.quorum import Elector, Verdict, Vote, needs_several, verdict
from tasks_inbox.models import RETURNED, ManualTask, TaskDecision


@dataclass(frozen=True, slots=True)
class Tally:
    """How the votes stand; `groups` are those of the last one that the quorum counts."""

    verdict: Verdict
    groups: tuple[str, ...]


def rows_of(task: ManualTask) -> list[TaskDecision]:
    """What was decided in the task's round, in its order."""
    rows = TaskDecision.objects.for_tenant(task.tenant_id).filter(task_id=task.pk, round=task.round)
    return list(rows.order_by("seq"))


def count(task: ManualTask, by: str, on_behalf_of: str | None, outcome: str) -> Tally:
    """How the votes stand with this one, which nobody has written down yet."""
    names = [one["name"] for one in task.outcomes]
    if not needs_several(task.quorum):
        own = Vote(Elector(key_of(on_behalf_of or by)), outcome)
        return Tally(Verdict(outcome, True, verdict(None, names, [own], ()).state), ())
    elector = elector_named(task, on_behalf_of or by)
    result = _verdict(task, [*_votes(task), Vote(elector, outcome)], electors_of(task), by)
    group_keys = {key_of(name) for name in (task.quorum.get("groups") or ())}
    return Tally(result, tuple(sorted(elector.groups & group_keys)))


def ended(task: ManualTask, outcome: str) -> Tally:
    """How the votes stand where time has decided."""
    return Tally(Verdict(outcome, True, _verdict(task, _votes(task), electors_of(task)).state), ())


def returned(task: ManualTask) -> Tally:
    """Where somebody returned the task: that counts for nothing."""
    return Tally(Verdict(None, True, _verdict(task, _votes(task), electors_of(task)).state), ())


def standing(
    task: ManualTask, electors: Sequence[Elector], rows: Sequence[TaskDecision] | None = None
) -> Verdict:
    """How the votes of a task stand, and whether its quorum can be reached by `electors`, who may decide it now.
    `rows`: what was decided in its round, where that is known.
    """
    return _verdict(task, _votes(task, rows), electors)


def rows_by_task(tenant_id: int, tasks: Iterable[ManualTask]) -> dict[UUID, list[TaskDecision]]:
    """As `rows_of`, of many tasks of which several decide, in one statement."""
    rounds = {task.pk: task.round for task in tasks if needs_several(task.quorum)}
    rows: dict[UUID, list[TaskDecision]] = {pk: [] for pk in rounds}
    if rounds:
        decisions = TaskDecision.objects.for_tenant(tenant_id).filter(task_id__in=rounds)
        for row in decisions.order_by("seq"):
            if row.round == rounds[row.task_id]:
                rows[row.task_id].append(row)
    return rows


def summary_of(tally: Tally) -> dict[str, Json]:
    """How the votes stand, for the record; where groups are counted, for which of them this one counts."""
    groups = {"counts_for": list(tally.groups)} if "groups" in tally.verdict.state else {}
    return dict(tally.verdict.state) | groups | {"outcome": tally.verdict.outcome}


def decisions_of(task: ManualTask) -> list[dict[str, Json]]:
    """Each decision of the round as a step's output has it."""
    return [
        {
            "by": row.by,
            "outcome": row.outcome,
            "comment": row.comment,
            "at": row.at.isoformat(),
            "data": row.data,
        }
        | ({"on_behalf_of": row.on_behalf_of} if row.on_behalf_of else {})
        for row in rows_of(task)
    ]


def _votes(task: ManualTask, rows: Sequence[TaskDecision] | None = None) -> list[Vote]:
    return [
        Vote(Elector(key_of(row.on_behalf_of or row.by), frozenset(row.groups)), row.outcome)
        for row in (rows_of(task) if rows is None else rows)
        if row.outcome != RETURNED
    ]


def _verdict(
    task: ManualTask, votes: list[Vote], electors: Sequence[Elector], by: str | None = None
) -> Verdict:
    """What these votes come to; `by` gives the last of them."""
    # Who has decided in somebody's place decides no more, also where they are asked themselves now.
    spent = {*task.voted, key_of(by or "")}
    rest = [one for one in electors if one.key not in spent]
    return verdict(task.quorum, [one["name"] for one in task.outcomes], votes, rest, _named(task, spent))


def _named(task: ManualTask, spent: Collection[str]) -> list[str]:
    """The keys of those of whom all, or a share, must agree yet: nobody replaced them, and nothing bars them since.

    Who has decided counts by their vote, or has given somebody else's.
    """
    excluded_keys = {*task.exclude, *spent}
    return [
        one["key"] for one in task.named or () if "replaced_by" not in one and one["key"] not in excluded_keys
    ]
