"""What failed for good, and what was stuck, as tasks for operators, where `HANDOFF_OPERATOR_TASKS` wants them (R-136).

A tick finds what has no task yet, and closes tasks of dead letters that were seen to elsewhere. They are about a run
and not a part of it: its history and its evidence say nothing of them. Settling one is redriving or discarding its dead
letter.
"""

from uuid import UUID

from django.conf import settings

from lib.clock import now_here
from lib.uuid7 import uuid7
from runs.kernel import live
from runs.kernel.graphs import BrokenVersion, graph_of
from runs.store.hot import Row
from tasks_inbox.eligibility import policies
from tasks_inbox.lifecycle.compensations import ABANDON, CANDIDATES, DONE, RETRY
from tasks_inbox.store import statements

BATCH = 200
DAY_SECONDS = 86_400
FAILED = [
    {"name": RETRY, "label": "Try again", "require_comment": False},
    {"name": ABANDON, "label": "Leave it as it is", "require_comment": True},
]
STUCK = [{"name": DONE, "label": "Seen", "require_comment": False}]
_FAILED_HELP = (
    "Tried again, the run goes on from the step that failed. Left as it is, the run stays failed, or fails where it "
    "waits for this."
)
_STUCK_HELP = (
    "Nothing would have moved this run any more. Check that it has done what it should, and confirm it."
)


def tick() -> int:
    """Open and close tasks of what is wanted; gives how many were opened."""
    kinds = list(settings.HANDOFF_OPERATOR_TASKS)
    if not kinds:
        return 0
    since = UUID(int=int((now_here().timestamp() - DAY_SECONDS) * 1000) << 80)
    tenants = statements.close_incidents()
    rows = statements.new_incidents(kinds, since, BATCH)
    if rows:
        tenants += statements.open_incidents([_row(one) for one in rows])
    if tenants:
        live.tell_inboxes({*tenants})
    return len(rows)


def _row(one: Row) -> Row:
    is_letter = one["what"] is None
    title = _title(one)
    facts = [
        ("Workflow", one["workflow"]),
        ("Business key", one["business_key"]),
        ("What went wrong", _wrong(one)),
        ("Attempts", one["attempts"]),
    ]
    return {
        "id": uuid7(),
        "run_id": one["run_id"],
        "step_id": one["step_id"],
        "node": one["node"],
        "title": f"“{title}” failed for good" if is_letter else f"A run was stuck at “{title}”",
        "instructions": _FAILED_HELP if is_letter else _STUCK_HELP,
        "facts": [{"label": label, "value": value} for label, value in facts if value not in (None, "")],
        "outcomes": FAILED if is_letter else STUCK,
        "candidates": CANDIDATES,
        "audience": policies.audience_of(CANDIDATES),
    }


def _wrong(one: Row) -> str:
    if one["what"] is None:
        return f"{one['error'].get('message', '')} ({one['error'].get('code', '')})"
    became = "It was repaired." if one["done"] else f"It can't be repaired. {one['detail']}".strip()
    return f"{one['what']}: {became}"


def _title(one: Row) -> str:
    name: str = one["node"] or one["workflow"]
    try:
        node = graph_of(one["version_id"]).nodes.get(one["node"])
    except BrokenVersion:
        return name
    return node.title if node else name
