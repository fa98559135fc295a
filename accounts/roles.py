"""Roles and the scopes that they hold (R-162); whatever is not listed is denied."""

from typing import Final

WORKFLOWS_READ: Final = "workflows:read"
WORKFLOWS_WRITE: Final = "workflows:write"
WORKFLOWS_PUBLISH: Final = "workflows:publish"
RUNS_READ: Final = "runs:read"
RUNS_START: Final = "runs:start"
RUNS_OPERATE: Final = "runs:operate"
RUNS_SIGNAL: Final = "runs:signal"
JOBS_WORK: Final = "jobs:work"
DEAD_LETTERS_READ: Final = "dead_letters:read"
WEBHOOKS_MANAGE: Final = "webhooks:manage"
TOKENS_MANAGE: Final = "tokens:manage"
TOKENS_OWN: Final = "tokens:own"
TASKS_READ: Final = "tasks:read"
TASKS_DECIDE: Final = "tasks:decide"
TASKS_ASSIGN: Final = "tasks:assign"
ALERTS_MANAGE: Final = "alerts:manage"
MEMBERS_READ: Final = "members:read"
MEMBERS_MANAGE: Final = "members:manage"

_READS = frozenset({WORKFLOWS_READ, RUNS_READ, DEAD_LETTERS_READ, TASKS_READ, MEMBERS_READ})
_EVERY_MEMBER = _READS | {TOKENS_OWN}
SCOPES: Final = _EVERY_MEMBER | {
    WORKFLOWS_WRITE,
    WORKFLOWS_PUBLISH,
    RUNS_START,
    RUNS_OPERATE,
    RUNS_SIGNAL,
    JOBS_WORK,
    WEBHOOKS_MANAGE,
    TOKENS_MANAGE,
    TASKS_DECIDE,
    TASKS_ASSIGN,
    ALERTS_MANAGE,
    MEMBERS_MANAGE,
}
OF_THE_TENANT: Final = frozenset({ALERTS_MANAGE, MEMBERS_MANAGE, TOKENS_MANAGE})
"""What is about the tenant as a whole: no token has it that is limited to folders."""

NEVER_A_SERVICES: Final = frozenset({TOKENS_OWN, TOKENS_MANAGE, TASKS_DECIDE, MEMBERS_MANAGE})
"""What only people do: decide, and give others access."""

READ: Final = "read"
START: Final = "start"
EDIT: Final = "edit"
PUBLISH: Final = "publish"
OPERATE: Final = "operate"
DECIDE: Final = "decide"
VERBS: Final = (READ, START, EDIT, PUBLISH, OPERATE, DECIDE)
"""What a folder lets somebody do with its workflows and their runs."""
VERB_OF_SCOPE: Final[dict[str, str]] = {
    WORKFLOWS_READ: READ,
    WORKFLOWS_WRITE: EDIT,
    WORKFLOWS_PUBLISH: PUBLISH,
    WEBHOOKS_MANAGE: EDIT,
    RUNS_READ: READ,
    RUNS_START: START,
    RUNS_OPERATE: OPERATE,
    RUNS_SIGNAL: OPERATE,
    DEAD_LETTERS_READ: READ,
    TASKS_ASSIGN: OPERATE,
    TASKS_DECIDE: DECIDE,
}
"""Which verb a folder must grant for what a scope lets somebody do at all."""

ADMIN: Final = "admin"
WORKER: Final = "worker"

SCOPES_OF_ROLE: Final[dict[str, frozenset[str]]] = {
    "viewer": _EVERY_MEMBER,
    "author": _EVERY_MEMBER | {WORKFLOWS_WRITE, WORKFLOWS_PUBLISH, RUNS_START, RUNS_SIGNAL, WEBHOOKS_MANAGE},
    "operator": _EVERY_MEMBER | {RUNS_START, RUNS_OPERATE, RUNS_SIGNAL, TASKS_DECIDE, TASKS_ASSIGN},
    "requester": frozenset({RUNS_START, TASKS_READ, TASKS_DECIDE, TOKENS_OWN}),
    "approver": _EVERY_MEMBER | {TASKS_DECIDE},
    ADMIN: SCOPES,
    WORKER: frozenset({JOBS_WORK}),
}
TOKEN_ROLES: Final = tuple(SCOPES_OF_ROLE)
MEMBER_ROLES: Final = tuple(role for role in SCOPES_OF_ROLE if role != WORKER)


def roles_with(scope: str) -> list[str]:
    """The roles of members that hold a scope."""
    return [role for role in MEMBER_ROLES if scope in SCOPES_OF_ROLE[role]]


WORDS_OF_ROLE: Final[dict[str, str]] = {
    "viewer": "sees what folders let them read, changes nothing",
    "author": "writes and publishes workflows, starts runs",
    "operator": "starts and mends runs, decides and assigns tasks",
    "requester": "starts what folders let them, follows their requests, answers tasks",
    "approver": "decides tasks, sees what folders let them read",
    ADMIN: "everything, members included",
    WORKER: "does jobs and nothing else",
}
