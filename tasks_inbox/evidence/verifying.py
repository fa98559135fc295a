"""Whether decisions are what was written down when they were made: every link of a chain, what leans on it, and the
history of their runs."""

import json
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import islice
from uuid import UUID

from django.db.models import QuerySet

from engine.catalogue import Json
from lib.stored_json import StoredDecoder
from runs.integrity.compare import Difference
from runs.integrity.verify import verify
from tasks_inbox.evidence.ledger import FIRST, digest_of, shown_hash
from tasks_inbox.models import EvidenceHead, ManualTask, TaskComment, TaskDecision
from tasks_inbox.store import statements, task_files

BATCH = 500
RUNS = 50
_Link = tuple[TaskDecision | TaskComment, ManualTask | None]
_SAID = ("seq", "task", "run", "round", "outcome", "data", "comment", "on_behalf_of")
_OWN = ("seq", "round", "outcome", "data", "comment", "on_behalf_of", "by", "ended_with", "at", "groups")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at this place of the chain (0: at its end)."""

    seq: int
    what: str


def verify_chain(tenant: int) -> Iterator[Fault]:
    """Everything that is wrong with the decisions of a tenant as it stands now; in batches, however many there are."""
    head = EvidenceHead.objects.for_tenant(tenant).first()
    end, last = (head.seq, head.digest) if head else (0, FIRST)
    digest, expected = FIRST, 1
    # What is written meanwhile is for the next time; what stands behind the end and belongs to nobody is found below.
    decisions = TaskDecision.objects.for_tenant(tenant).filter(seq__lte=end).order_by("seq")
    remarks = TaskComment.objects.for_tenant(tenant).filter(seq__lte=end).order_by("seq").iterator(BATCH)
    links: list[Iterator[_Link]] = [_with_tasks(decisions), ((row, None) for row in remarks)]
    for row, task in merge(*links, key=lambda link: link[0].seq or 0):
        if row.seq != expected:
            yield Fault(expected, f"is missing: the next one is {row.seq}")
        yield from _of_remark(row, digest) if isinstance(row, TaskComment) else _of_link(row, digest, task)
        digest, expected = row.digest or FIRST, (row.seq or 0) + 1
    if (expected - 1, digest) != (end, last):
        yield Fault(
            0,
            f"the chain should end at {end} with {last[:12]}…, it ends at {expected - 1} with {digest[:12]}…",
        )
    for seq, problem in statements.loose_ends(tenant):
        yield Fault(seq, problem)


def verify_histories(tenant: int) -> Iterator[Difference]:
    """Everything that is wrong with the runs in which somebody of a tenant decided: seals, history, rows."""
    run_ids = TaskDecision.objects.for_tenant(tenant).order_by("run_id").values_list("run_id", flat=True)
    after = UUID(int=0)
    while runs := list(run_ids.filter(run_id__gt=after).distinct()[:RUNS]):
        yield from verify([str(run) for run in runs])
        after = runs[-1]


def _with_tasks(rows: QuerySet[TaskDecision]) -> Iterator[_Link]:
    iterator = rows.iterator(BATCH)
    while batch := list(islice(iterator, BATCH)):
        tasks = ManualTask.objects.for_tenant(batch[0].tenant_id).in_bulk({row.task_id for row in batch})
        yield from ((row, tasks.get(row.task_id)) for row in batch)


def _of_link(row: TaskDecision, previous: str, task: ManualTask | None) -> Iterator[Fault]:
    if digest_of(row.record) != row.digest:
        yield Fault(row.seq, "its record is not what its digest says")
    try:
        fields: Json = json.loads(row.record, cls=StoredDecoder)
        expected = {name: fields[name] for name in _SAID}
        expected |= {"previous": fields["previous"], "by": fields["by"]["username"]}
        expected |= {"ended_with": fields["quorum"]["outcome"], "at": datetime.fromisoformat(fields["at"])}
        # Records have not always said for which groups they count.
        has_groups = "counts_for" in fields["quorum"] or "groups" not in fields["quorum"]
        expected |= {"groups": fields["quorum"].get("counts_for", [])} if has_groups else {}
        if task is not None and _shown_hash(task, row.round) != fields["shown_sha256"]:
            yield Fault(row.seq, "its task asks otherwise than was shown")
    except (ValueError, KeyError, TypeError):
        yield Fault(row.seq, "its record can't be read")
        return
    yield from _of_files(row, fields.get("files", ()))
    actual = {name: getattr(row, name) for name in _OWN} | {"previous": previous}
    actual |= {"task": str(row.task_id), "run": str(row.run_id)}
    for name, value in expected.items():
        if actual[name] != value:
            yield Fault(row.seq, f"its record has another {name}")


def _of_remark(row: TaskComment, previous: str) -> Iterator[Fault]:
    """A comment, a question or an answer against its record."""
    seq, record = row.seq or 0, row.record or ""
    if digest_of(record) != row.digest:
        yield Fault(seq, "its record is not what its digest says")
    try:
        fields: Json = json.loads(record)
        expected = {
            name: fields[name] for name in ("seq", "previous", "run", "task", "remark", "kind", "text")
        }
        expected |= {"by": fields["by"]["username"], "at": datetime.fromisoformat(fields["at"])}
    except (ValueError, KeyError, TypeError):
        yield Fault(seq, "its record can't be read")
        return
    actual = {"seq": seq, "previous": previous, "run": str(row.run_id), "task": str(row.task_id)}
    actual |= {"remark": str(row.pk), "kind": row.kind, "text": row.text, "by": row.by, "at": row.at}
    for name, value in expected.items():
        if actual[name] != value:
            yield Fault(seq, f"its record has another {name}")


def _shown_hash(task: ManualTask, number: int) -> str:
    """What was shown of a task in one of its rounds."""
    was = copy(task)
    was.round = number
    if number != task.round:
        earlier: dict[str, Json] = next((one for one in task.earlier if one["round"] == number), {})
        was.facts = earlier.get("facts")
        for name in ("title", "instructions", "outcomes"):
            setattr(was, name, earlier.get(name, getattr(task, name)))
    return shown_hash(was)


def _of_files(row: TaskDecision, files: Json) -> Iterator[Fault]:
    """The files of a record against what is kept of them, byte by byte."""
    rows = task_files.files_held(row.tenant_id, [file["id"] for file in files]) if files else {}
    for file in files:
        if rows.get(file["id"]) != file | {"found": file["sha256"]}:
            yield Fault(row.seq, f"its file {file['name']} is not what its record says")
