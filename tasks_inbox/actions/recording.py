"""What somebody said of a task as the next link of the tenant's chain (R-149)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from accounts.principal import Principal
from lib.uuid7 import uuid7
from tasks_inbox.actions.decision import encoded
from tasks_inbox.eligibility import votes
from tasks_inbox.evidence import ledger
from tasks_inbox.evidence.ledger import Decider
from tasks_inbox.forms import files
from tasks_inbox.lifecycle.waits import DECIDER
from tasks_inbox.models import ManualTask
from tasks_inbox.store import statements

Json = Any


def printed_name(principal: Principal) -> str:
    """The name that stands on a decision."""
    name = User.objects.filter(pk=principal.user_id).values_list("name", flat=True).first()
    return name or principal.username


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody decides."""

    by: Decider
    outcome: str
    data: Json
    comment: str
    seen: str | None = None


def said_by(
    principal: Principal,
    outcome: str,
    data: Json = None,
    comment: str = "",
    *,
    signed: bool = False,
    seen: str | None = None,
) -> Said:
    """What they decide, under the name that they have now."""
    name = printed_name(principal)
    by = Decider(principal.username, name, principal.user_id, principal.via, signed)
    return Said(by, outcome, data, comment, seen)


def add_link(
    task: ManualTask,
    said: Said,
    counted: votes.Counted,
    held: Mapping[str, Json],
    *,
    bars: Sequence[str],
) -> dict[str, Json]:
    """Write what was said of a task that is held as the next link of the chain; gives what history says of it.

    `bars`: the keys of those who may decide nothing else in the run that wants four eyes.
    """
    chain = statements.hold_chain(task.tenant_id, ledger.FIRST)
    record = ledger.record_of(
        task,
        held,
        chain,
        votes.told(counted),
        by=said.by,
        outcome=said.outcome,
        data=said.data,
        comment=said.comment,
        files=files.evidence_of(task),
        seen=said.seen,
    )
    link = {
        "outcome": said.outcome,
        "by": said.by.username,
        "on_behalf_of": held["on_behalf_of"],
        "digest": record.digest,
        "at": record.at,
    }
    row = {"id": uuid7(), "task": task.pk, "seq": record.seq, "record": record.text}
    more = {"data": encoded(said.data), "comment": said.comment, "groups": list(counted.groups)}
    ended = {"ended_with": counted.verdict.outcome}
    statements.add_decision(row | link | more | ended, keys=list(bars), why=dict.fromkeys(bars, DECIDER))
    return link
