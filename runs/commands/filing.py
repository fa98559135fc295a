"""Starting a run on behalf of another person: it becomes their request, and who filed it is kept.

The run's starter (`created_by`) is the other person, and it acts for the filer (`acts_for`): four eyes bar both, and
what the run may start by a computed name has to be allowed to both (`runs/commands/child_rights.py`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction

from accounts import audit
from accounts.names import key_of
from accounts.principal import Principal
from accounts.queries import member_principal
from accounts.roles import RUNS_START
from lib.refusals import Missing, Unprocessable
from runs.commands.starts import Started
from workflows.access import scopes_for


@dataclass(frozen=True, slots=True)
class Filing:
    """Whose run a start gives: its starter, for whom it acts where that is another one, whose request it is, and the
    user who filed it for them (None: they themselves).
    """

    by: str
    acts_for: str | None
    requested_by: int
    filed_by: int | None = None
    person: Principal | None = None

    @property
    def others(self) -> tuple[Principal, ...]:
        """The person for whom it is filed, where that is another one."""
        return () if self.person is None else (self.person,)


def filing_of(who: Principal, workflow: str, on_behalf_of: str | None) -> Filing:
    """Whose run a start of this workflow by `who` is; their own where nobody else is named.

    Raises Forbidden for programs, Unprocessable at `on_behalf_of` for somebody who is no active member or may not
    start the workflow themselves: which of both is not told.
    """
    if not on_behalf_of or key_of(on_behalf_of) == key_of(who.username):
        return Filing(who.username, who.acts_for, who.user_id)
    who.require_person("A start on behalf of somebody")
    try:
        other = member_principal(who.tenant_id, on_behalf_of.strip(), who.via)
    except Missing:
        other = None
    if other is None or RUNS_START not in scopes_for(other, workflow):
        message = "This is no active member who may start this workflow themselves."
        raise Unprocessable(message, code="not_for_them", field="on_behalf_of")
    return Filing(other.username, who.username, other.user_id, who.user_id, other)


def recorded_filing(who: Principal, filing: Filing, start: Callable[[], list[Started]]) -> list[Started]:
    """What a start gives; one for somebody else stands in the audit log, in the transaction that starts it."""
    if filing.person is None:
        return start()
    with transaction.atomic():
        runs = start()
        for run in runs:
            if run.created:
                audit.change(who, "run.start_for", f"run {run.id}", after={"on_behalf_of": filing.by})
        return runs
