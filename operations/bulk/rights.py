"""For whom a bulk job acts, and whether they may still operate its runs."""

from dataclasses import replace
from uuid import UUID

from accounts.principal import Forbidden, Principal
from accounts.roles import RUNS_OPERATE, TASKS_DECIDE
from accounts.services import acting_principal
from operations.bulk.models import TASKS, subject_of
from operations.bulk.store import Item
from runs.access import folders_of_runs
from tasks_inbox.eligibility.seeing import guard_task


class Actors:
    """For whom the items of a batch are done, each asked once: who has left meanwhile has nothing more done in their
    name from the next batch on.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], Principal] = {}

    def require(self, item: Item) -> Principal:
        """Whoever began the job of an item, as who they are now. Raises Missing where they are nobody any more, and
        Forbidden where they may not operate its run or decide tasks any more, in sentences that name them.
        """
        who = self._actor(item.tenant_id, item.by)
        if subject_of(item.verb) == TASKS:
            return _decider(who, item)
        if RUNS_OPERATE not in who.scopes:
            raise Forbidden(f"It acts for {who.username}, whose role ({who.role}) may not operate runs.")
        if not who.reach.is_everywhere:
            folder = next(iter(folders_of_runs(item.tenant_id, [item.run]).values()), None)
            if not who.may_in(RUNS_OPERATE, folder):
                message = f"It acts for {who.username}, who may not operate runs in the folder of this run."
                raise Forbidden(message)
        return who

    def _actor(self, tenant_id: int, username: str) -> Principal:
        key = (tenant_id, username)
        if key not in self._known:
            self._known[key] = acting_principal(tenant_id, username)
        return self._known[key]


def _decider(who: Principal, item: Item) -> Principal:
    """Who acts on a task, by the door at which they began the job. Whether it asks them is for its verb to find out."""
    if TASKS_DECIDE not in who.scopes:
        raise Forbidden(f"It acts for {who.username}, whose role ({who.role}) may not decide tasks.")
    guard_task(who, TASKS_DECIDE, UUID(item.target))
    return replace(who, via=item.terms.get("via", who.via))
