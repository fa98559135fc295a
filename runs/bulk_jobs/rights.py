"""For whom a bulk job acts, and whether they may still operate its runs."""

from accounts.principal import Forbidden, Principal
from accounts.roles import RUNS_OPERATE
from accounts.services import acting_principal
from runs.access import folders_of_runs
from runs.store.bulk_jobs import Item


def require_actor(item: Item) -> Principal:
    """Whoever began the job of an item, as who they are now. Raises Missing where they are nobody any more, and
    Forbidden where they may not operate its run any more, in sentences that name them.
    """
    who = acting_principal(item.tenant_id, item.by)
    if RUNS_OPERATE not in who.scopes:
        raise Forbidden(f"It acts for {who.username}, whose role ({who.role}) may not operate runs.")
    if not who.reach.is_everywhere:
        folder = next(iter(folders_of_runs(item.tenant_id, [item.run]).values()), None)
        if not who.may_in(RUNS_OPERATE, folder):
            message = f"It acts for {who.username}, whom the folder of this run does not let operate it."
            raise Forbidden(message)
    return who
