"""What could not be undone becomes a task: operators and admins say what is to happen (R-136, R-140).

Opened when a compensation fails for good; closed by whatever settles it, by its own page or elsewhere.
"""

from collections.abc import Sequence
from uuid import UUID

from lib.uuid7 import uuid7
from runs.kernel import live
from runs.kernel.compensation import Failed, Settled
from runs.kernel.graphs import graph_of
from runs.store.hot import Row
from tasks_inbox.eligibility import policies, votes
from tasks_inbox.evidence import ledger
from tasks_inbox.forms import files
from tasks_inbox.store import queries, statements

RETRY, DONE, ABANDON = "retry", "done", "abandon"
RESOLUTIONS = (RETRY, DONE, ABANDON)
LABELS = {RETRY: "Try again", DONE: "It was done by hand", ABANDON: "Give it up"}
OUTCOMES = [{"name": name, "label": LABELS[name], "require_comment": False} for name in RESOLUTIONS]
CANDIDATES: Row = {"users": [], "groups": [], "roles": ["operator", "admin"]}
URGENT = 1
INSTRUCTIONS = (
    "The run waits for this: what it did before is not undone until somebody decides what should happen."
)


def open_for(failures: Sequence[Failed]) -> None:
    """Open a task for each compensation that has just failed for good, in one statement."""
    statements.open_compensation_tasks(
        [_row(one) for one in failures],
        {
            "instructions": INSTRUCTIONS,
            "outcomes": OUTCOMES,
            "candidates": CANDIDATES,
            "audience": policies.audience_of(CANDIDATES),
            "priority": URGENT,
        },
    )
    tenants = {one.tenant for one in failures}
    live.tell_inboxes(tenants)


def _row(failure: Failed) -> Row:
    graph = graph_of(failure.version)
    undo = graph.steps[failure.node]
    of = str(undo.undoes)
    undone = graph.nodes[of]
    title = undone.title
    return {
        "id": uuid7(),
        "step_id": failure.step,
        "of": of,
        "title": f"Undoing “{title}” failed",
        "undoes": of if title == of else f"{title} ({of})",
        "attempts": f"{failure.attempts} of {undo.retry.max_retries + 1}",
    }


def close_for(settlement: Settled) -> None:
    """Close the task of a compensation that was settled, whoever had claimed it, and keep who settled it how."""
    task_row = statements.hold_compensation_task(settlement.step, settlement.by)
    if task_row is None:
        return
    task, user = queries.task_of(task_row["tenant_id"], UUID(task_row["task"])), task_row["decider"] or {}
    first = task_row["on_behalf_of"]
    chain = statements.hold_chain(task.tenant_id, ledger.FIRST)
    decider = ledger.Decider(
        settlement.by, user.get("name") or settlement.by, user.get("id"), settlement.via, signed=False
    )
    record = ledger.record_of(
        task,
        task_row,
        chain,
        votes.summary_of(votes.count(task, settlement.by, first, settlement.how)),
        by=decider,
        outcome=settlement.how,
        data=None,
        comment=settlement.reason,
        files=files.evidence_of(task),
        settled_by=settlement.way,
    )
    link = {"outcome": settlement.how, "by": settlement.by, "on_behalf_of": first}
    link |= {"digest": record.digest, "at": record.at}
    row = {"id": uuid7(), "task": task.pk, "seq": record.seq, "record": record.text, "data": None}
    more = {"comment": settlement.reason, "groups": [], "ended_with": settlement.how}
    # It bars nobody: what is asked for four eyes is asked before anything is undone.
    statements.add_decision(row | link | more, keys=[], why={})
    statements.close_compensation_task(task.pk, comment=settlement.reason, link=link)
    live.tell_inboxes([task.tenant_id])
