"""Who may mend what a check finds: the reader, or some of those who may."""

from typing import Any

from accounts.principal import Principal
from accounts.queries import holders_of
from workflows.limits import NAMED_HOLDERS
from workflows.models import Workflow
from workflows.readiness.findings import Mend, MendKind


class Rights:
    """What the reader of a check may do with a workflow; one statement for each scope that they do not hold."""

    def __init__(self, reader: Principal, workflow: Workflow) -> None:
        self.reader = reader
        self.workflow = workflow
        self._people: dict[str, tuple[str, ...]] = {}

    def holds(self, scope: str) -> bool:
        """Whether the reader may do what a scope is about with the workflow, or in its tenant."""
        return self.reader.may_in(scope, self.workflow.folder_id)

    def people(self, scope: str) -> tuple[str, ...]:
        """Usernames of some who may."""
        if scope not in self._people:
            holders = holders_of(self.workflow.tenant_id, scope, self.workflow.folder_id)
            names = holders.order_by("user__username").values_list("user__username", flat=True)
            self._people[scope] = tuple(names[:NAMED_HOLDERS])
        return self._people[scope]

    def mend(self, kind: MendKind, title: str, scope: str, **more: Any) -> Mend:
        """A press for which its user needs a scope."""
        if self.holds(scope):
            return Mend(kind=kind, title=title, **more)
        return Mend(kind=kind, title=title, allowed=False, people=self.people(scope), **more)
