"""What becomes of tasks as members and groups change, registered with `accounts`."""

from collections.abc import Iterable, Mapping

from accounts.queries import find_member
from accounts.roles import OPERATE, SCOPES_OF_ROLE
from tasks_inbox.eligibility.identity import DECIDING_ROLES
from tasks_inbox.models import FOR_OPERATORS, KINDS
from tasks_inbox.store import holders, statements


def member_changed(tenant_id: int, username: str) -> None:
    """What somebody has claimed who may decide nothing any more, or mend no runs, is open again to all whom it asks."""
    member = find_member(tenant_id, username)
    if member is None or member.role not in DECIDING_ROLES:
        holders.put_back(tenant_id, username, KINDS)
        holders.put_votes_back(tenant_id, username)
    elif OPERATE not in SCOPES_OF_ROLE[member.role]:
        holders.put_back(tenant_id, username, FOR_OPERATORS)


def count_by_group(tenant_id: int, keys: Iterable[str]) -> Mapping[str, int]:
    """How many open tasks ask each group."""
    return statements.open_by_mark(tenant_id, {f"group:{key}": key for key in keys})
