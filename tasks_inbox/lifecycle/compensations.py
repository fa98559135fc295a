"""What could not be undone becomes a task: operators and admins say what is to happen (R-136, R-140).

Opened when a compensation fails for good; closed by whatever settles it, by its own page or elsewhere.
"""

from collections.abc import Sequence
from uuid import UUID

from engine.graph import Node
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
    "The run waits for this: nothing more of what it did is undone before somebody says what is to happen."
)


def open_for(failed: Sequence[Failed]) -> None:
    """Open a task for each compensation that has just failed for good, in one statement."""
    statements.open_compensation_tasks(
        [_row(one) for one in failed],
        {
            "instructions": INSTRUCTIONS,
            "outcomes": OUTCOMES,
            "candidates": CANDIDATES,
            "audience": policies.audience_of(CANDIDATES),
            "priority": URGENT,
        },
    )
    tenants = {one.tenant for one in failed}
    live.tell_inboxes(tenants)


def _row(failed: Failed) -> Row:
    graph = graph_of(failed.version)
    undo = graph.steps[failed.node]
    of = str(undo.undoes)
    undone = graph.nodes[of]
    title = _title(undone)
    return {
        "id": uuid7(),
        "step_id": failed.step,
        "of": of,
        "title": f"Undoing “{title}” failed",
        "undoes": of if title == of else f"{title} ({of})",
        "attempts": f"{failed.attempts} of {undo.retry.max_retries + 1}",
    }


def _title(node: Node) -> str:
    return node.title or node.id


def close_for(settled: Settled) -> None:
    """Close the task of a compensation that was settled, whoever had claimed it, and keep who settled it how."""
    held = statements.hold_compensation_task(settled.step, settled.by)
    if held is None:
        return
    task, user = queries.task_of(held["tenant_id"], UUID(held["task"])), held["decider"] or {}
    first = held["on_behalf_of"]
    chain = statements.hold_chain(task.tenant_id, ledger.FIRST)
    decider = ledger.Decider(
        settled.by, user.get("name") or settled.by, user.get("id"), settled.via, signed=False
    )
    record = ledger.record_of(
        task,
        held,
        chain,
        votes.told(votes.count(task, settled.by, first, settled.how)),
        by=decider,
        outcome=settled.how,
        data=None,
        comment=settled.reason,
        files=files.evidence_of(task),
        settled_by=settled.way,
    )
    said = {"outcome": settled.how, "by": settled.by, "on_behalf_of": first}
    said |= {"digest": record.digest, "at": record.at}
    row = {"id": uuid7(), "task": task.pk, "seq": record.seq, "record": record.text, "data": None}
    more = {"comment": settled.reason, "groups": [], "ended_with": settled.how}
    # It bars nobody: what is asked for four eyes is asked before anything is undone.
    statements.add_decision(row | said | more, keys=[], why={})
    statements.close_compensation_task(task.pk, comment=settled.reason, said=said)
    live.tell_inboxes([task.tenant_id])
