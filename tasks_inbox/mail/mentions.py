"""Whom a comment mentions: `@username` of members who may see tasks."""

from accounts.names import mentioned_in
from accounts.principal import Principal
from accounts.queries import members_named
from accounts.roles import SCOPES_OF_ROLE, TASKS_READ
from tasks_inbox.limits import MENTIONED_PEOPLE


def mentioned(by: Principal, text: str) -> list[str]:
    """The usernames of those who are to be told, each once, without who wrote it; one statement, or none."""
    names = mentioned_in(text)
    if not names:
        return []
    members = members_named(by.tenant_id, names)
    candidates = [members[name] for name in names if name in members]
    usernames = [member.user.username for member in candidates if TASKS_READ in SCOPES_OF_ROLE[member.role]]
    return [name for name in usernames if name != by.username][:MENTIONED_PEOPLE]
