"""For whom a bulk job acts, and whether they may still operate its runs."""

from accounts.principal import Forbidden, Principal
from accounts.roles import RUNS_OPERATE
from accounts.services import acting_principal
from operations.bulk.store import Item
from runs.access import folders_of_runs


class Actors:
    """For whom the items of a batch are done, each asked once: who has left meanwhile has nothing more done in their
    name from the next batch on.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], Principal] = {}

    def require(self, item: Item) -> Principal:
        """Whoever began the job of an item, as who they are now. Raises Missing where they are nobody any more, and
        Forbidden where they may not operate its run any more, in sentences that name them.
        """
        who = self._actor(item.tenant_id, item.by)
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
