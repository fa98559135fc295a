"""Who is asking, in which tenant, and what they may do."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from accounts.limits import QUEUE_CHARACTERS
from accounts.roles import DECIDE, READ, START, VERB_OF_SCOPE, VERBS
from lib.refusals import NotAllowed

SERVICE = "service:"
"""How the username of what is no person begins; no person's has a colon."""


class Forbidden(NotAllowed):
    """You are not allowed to do this."""


@dataclass(frozen=True, slots=True)
class Reach:
    """In which folders of workflows somebody may do what; `is_everywhere` for admins, whom no folder keeps out."""

    is_everywhere: bool = False
    verbs_of: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def holds(self, verb: str, folder: int) -> bool:
        """Whether they may do this with the workflows of a folder."""
        return self.is_everywhere or verb in self.verbs_of.get(folder, ())

    def folders(self, *verbs: str) -> list[int] | None:
        """The folders in which they may do one of these; None stands for all folders."""
        if self.is_everywhere:
            return None
        return [folder for folder, own in self.verbs_of.items() if not own.isdisjoint(verbs)]

    @classmethod
    def of(cls, grants: Iterable[tuple[int, Iterable[str]]]) -> "Reach":
        """What these grants come to, each a folder and the verbs that it grants.

        Who may edit, publish or operate there may read, too; who may only start or decide may not. Who may read
        decides what asks everybody there.
        """
        verbs_of: dict[int, frozenset[str]] = {}
        for folder, verbs in grants:
            implied = {READ, DECIDE} if {*verbs} - {START, DECIDE} else set()
            verbs_of[folder] = verbs_of.get(folder, frozenset()) | frozenset(verbs) | implied
        return cls(False, verbs_of)

    def within(self, folders: Collection[int]) -> "Reach":
        """The same in these folders, and nothing in others."""
        if self.is_everywhere:
            return Reach(False, dict.fromkeys(folders, frozenset(VERBS)))
        return Reach(False, {folder: own for folder, own in self.verbs_of.items() if folder in folders})


NOWHERE, EVERYWHERE = Reach(), Reach(is_everywhere=True)


@dataclass(frozen=True, slots=True)
class JobReach:
    """Which jobs somebody may take and report on: those of these queues, whose workflows lie in these folders (ids).

    A queue that ends in `*` stands for all that begin so. None: all queues, all folders.
    """

    queues: tuple[str, ...] | None = None
    folders: tuple[int, ...] | None = None

    def takes(self, queue: str) -> bool:
        """Whether they may take jobs of a queue."""
        return self.queues is None or any(
            queue.startswith(own[:-1]) if own.endswith("*") else queue == own for own in self.queues
        )

    def holds(self, queue: str, folder: int | None) -> bool:
        """Whether they may report on a job of a queue whose workflow lies in a folder."""
        return self.takes(queue) and (self.folders is None or folder in self.folders)

    def require(self, queues: Iterable[str], field: str = "queues[{}]") -> None:
        """Raises Forbidden, at the `field`, for a queue of which they may take no jobs."""
        for place, queue in enumerate(queues):
            if not self.takes(queue):
                message = f"This token may not take jobs of the queue {queue[:QUEUE_CHARACTERS]}."
                raise Forbidden(message, code="queue_not_allowed", field=field.format(place))


EVERY_JOB = JobReach()


@dataclass(frozen=True, slots=True)
class Principal:
    """The one source of the tenant and of permissions in every service: never a field of the request."""

    tenant_id: int
    tenant_slug: str
    user_id: int
    username: str
    role: str
    scopes: frozenset[str]
    via: Literal["token", "session", "command"]
    token: str | None = None
    """The public id of the token that was shown."""
    reach: Reach = NOWHERE
    jobs: JobReach = EVERY_JOB

    @property
    def is_service(self) -> bool:
        """Whether no person asks, but a program by a token of its own."""
        return self.username.startswith(SERVICE)

    @property
    def acts_for(self) -> str | None:
        """For whom a run acts that they start: nobody, by a token that is limited to folders, as it would act for its
        user without these limits. None: for themselves.
        """
        return None if self.jobs.folders is None else f"{SERVICE}{self.token}"

    def require_person(self, what: str) -> None:
        """Raises Forbidden for a service, and for a token that is limited to folders: `what` acts later for whoever
        makes it, and asks then what they may do.
        """
        if self.is_service or self.jobs.folders is not None:
            raise Forbidden(f"{what} acts for a member: make it with a token of a person.", code="no_member")

    def require(self, scope: str) -> None:
        """Raises Forbidden unless this principal holds the scope."""
        if scope not in self.scopes:
            raise Forbidden(f"This needs the scope {scope}.", details={"scope": scope})

    def may_in(self, scope: str, folder: int | None) -> bool:
        """Whether they may do what a scope is about with the workflows of a folder; None is no folder."""
        if scope not in self.scopes or folder is None:
            return False
        return self.reach.is_everywhere or (
            scope in VERB_OF_SCOPE and self.reach.holds(VERB_OF_SCOPE[scope], folder)
        )
