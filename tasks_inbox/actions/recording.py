"""A decision, or a return for changes, as the next link of the tenant's chain (R-149)."""

from collections.abc import Sequence

from accounts.models import User
from accounts.names import key_of
from accounts.principal import Principal
from engine.catalogue import Json
from lib.refusals import NotAllowed
from lib.uuid7 import uuid7
from tasks_inbox.actions.decision import Decision, encoded
from tasks_inbox.actions.locking import LockedTask
from tasks_inbox.eligibility import policies, votes
from tasks_inbox.evidence import ledger
from tasks_inbox.evidence.ledger import Decider
from tasks_inbox.forms import files
from tasks_inbox.lifecycle.waits import DECIDER
from tasks_inbox.store import statements, trees


def printed_name(principal: Principal) -> str:
    """The name that stands on a decision."""
    name = User.objects.filter(pk=principal.user_id).values_list("name", flat=True).first()
    return name or principal.username


def decider_of(principal: Principal, *, signed: bool = False) -> Decider:
    """Who decides, under the name that they have now; `signed`: they gave their password again."""
    name = printed_name(principal)
    return Decider(principal.username, name, principal.user_id, principal.via, signed)


def add_link(
    locked: LockedTask,
    by: Decider,
    decision: Decision,
    tally: votes.Tally,
    *,
    bars: Sequence[str],
    settled_by: str | None = None,
) -> dict[str, Json]:
    """Write what was decided of a locked task as the next link of the chain; gives what history says of it.

    `bars`: the keys of those who may decide nothing else in the run that wants four eyes. `settled_by`: in which way it
    was decided, if not at the task. Raises NotAllowed where somebody of them has decided in a run above or below since.
    """
    task = locked.task
    chain = statements.hold_chain(task.tenant_id, ledger.FIRST)
    if bars and locked.facts.get("eyes"):
        # Behind the chain, which all decisions of a tenant have one after another.
        run = str(task.run_id)
        names = trees.decided_around([run], (run, task.node)).get(run, ())
        if not {*bars}.isdisjoint(map(key_of, names)):
            raise NotAllowed(policies.sentence_of(DECIDER), code="excluded")
    record = ledger.record_of(
        task,
        locked.facts,
        chain,
        votes.summary_of(tally),
        by=by,
        outcome=decision.outcome,
        data=decision.data,
        comment=decision.comment,
        files=files.evidence_of(task),
        settled_by=settled_by,
        seen=decision.seen,
        covers=None if locked.approves is None else locked.approves.record(decision.outcome),
    )
    link = {
        "outcome": decision.outcome,
        "by": by.username,
        "on_behalf_of": locked.on_behalf_of,
        "digest": record.digest,
        "at": record.at,
    }
    row = {"id": uuid7(), "task": task.pk, "seq": record.seq, "record": record.text}
    more = {"data": encoded(decision.data), "comment": decision.comment, "groups": list(tally.groups)}
    end = {"ended_with": tally.verdict.outcome}
    statements.add_decision(row | link | more | end, keys=list(bars), why=dict.fromkeys(bars, DECIDER))
    return link
