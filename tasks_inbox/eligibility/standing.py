"""How somebody stands to a task: whether they may decide it, in whose place, and why not.

Pages, REST, bulk actions and decisions that count later ask this. A request computes it once and passes it on; behind
the lock it is computed once more, since others may have decided, excluded or claimed meanwhile.
"""

from dataclasses import dataclass, replace
from uuid import UUID

from accounts.principal import Forbidden, Principal
from accounts.queries import find_member
from accounts.roles import OPERATE, TASKS_DECIDE
from lib.refusals import Conflict, NotAllowed, Refusal
from tasks_inbox.eligibility import identity, policies
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.eligibility.refusals import conflict, require_answer
from tasks_inbox.models import FOR_OPERATORS, OPEN, ManualTask
from tasks_inbox.store import queries


@dataclass(frozen=True, slots=True)
class Standing:
    """How `who` stands to a task as it was read.

    `stands_in_for`: in whose place they would decide it, None for their own. `refusal`: why it is not theirs to decide,
    None where it is.
    """

    who: Who
    task: ManualTask
    stands_in_for: str | None
    refusal: Refusal | None

    @property
    def may_decide(self) -> bool:
        """Whether they may decide it now: it is theirs to decide, and nobody else has claimed it."""
        return self.refusal is None and self.is_free

    @property
    def is_free(self) -> bool:
        """Whether nobody else has claimed it. Who stands in for somebody has what they have claimed."""
        return self.stands_in_for is not None or self.task.assignee in (None, self.who.username)

    @property
    def is_asked(self) -> bool:
        """Whether the task itself asks them."""
        return self.who.is_asked(self.task)

    @property
    def has_voted(self) -> bool:
        """Whether they have decided in this round of it."""
        return policies.has_voted(self.task, self.who.username)

    @property
    def why_excluded(self) -> str | None:
        """Why it bars them, in a sentence; None where it doesn't."""
        return policies.why_excluded(self.task, self.who.username)

    @property
    def vote_is_with(self) -> str | None:
        """To whom they have handed their vote; None where they have it themselves."""
        return policies.holder_of(self.task, self.who.username)

    @property
    def has_vote_of(self) -> str | None:
        """Who has handed their vote to them; None where nobody has."""
        return policies.giver_of(self.task, self.who.username)

    def require(self) -> None:
        """Let pass whose it is to decide. Raises Forbidden, NotAllowed and Conflict with the reason."""
        if self.refusal is not None:
            raise self.refusal


def standing(
    principal: Principal, task: ManualTask, who: Who | None = None, folder: int | None = None
) -> Standing:
    """How somebody stands to a task of their tenant, by what they may do at all and as things are now.

    `who` are they as tasks know people, and `folder` is that of its workflow, where these are at hand.
    """
    who = who or identity.who_is(principal)
    stands = standing_in_list(who, task, folder)
    if task.status == OPEN and (forbidden := _forbidden(principal, task)):
        return replace(stands, refusal=forbidden)
    if stands.refusal is None and (giver := _asked_no_more(stands)):
        message = f"This task no longer asks {giver}, whose vote you have."
        return replace(stands, refusal=NotAllowed(message, code="not_a_candidate"))
    return stands


def standing_in_list(who: Who, task: ManualTask, folder: int | None = None) -> Standing:
    """As `standing`, without asking the database: whether a task still asks whose vote they have is not looked up.

    `folder` is that of its workflow, where the task does not know it: what asks operators or everybody asks those who
    may operate or decide there.
    """
    if folder is not None:
        task.folder = folder
    place = _place_of(who, task)
    refusal = _refusal(who, task, place)
    is_for_operators = task.kind in FOR_OPERATORS and who.operates is not None
    if refusal is None and is_for_operators and not who.may_operate(task.folder):
        message = "This task asks people who may operate its workflow, and you may not operate workflows in its folder."
        refusal = Forbidden(message, details={"verb": OPERATE})
    return Standing(who, task, place, refusal)


def to_decide(principal: Principal, task_id: UUID, who: Who | None = None) -> Standing:
    """How they stand to the tenant's task that is theirs to decide; `who` as in `standing`.

    Raises Missing, and as `Standing.require`.
    """
    principal.require(TASKS_DECIDE)
    return to_answer(principal, task_id, who)


def to_answer(principal: Principal, task_id: UUID, who: Who | None = None) -> Standing:
    """As `to_decide`; a form that asks who started its run is theirs to answer, whatever their role."""
    stands = standing(principal, queries.task_of(principal.tenant_id, task_id), who)
    stands.require()
    return stands


def is_theirs(who: Who, task: ManualTask) -> bool:
    """Whether it asks them, was handed to them or asks somebody for whom they stand in; whatever has become of it."""
    return _is_theirs(who, task, _place_of(who, task))


def _is_theirs(who: Who, task: ManualTask, place: str | None) -> bool:
    if policies.holder_of(task, who.username):
        return False
    if not who.decides:
        return who.is_asked(task)
    return place is not None or policies.may_decide(task, who.username, who.marks, who.decides_in)


def _place_of(who: Who, task: ManualTask) -> str | None:
    """In whose place they would decide it; None where it would be in their own, or not at all."""
    own = policies.may_decide(task, who.username, who.marks, who.decides_in)
    if not who.decides or (own and task.assignee in (None, who.username)):
        return None
    if policies.giver_of(task, who.username):
        return policies.free_giver_of(task, who.username)
    name = who.username
    absent = (one.username for one in who.absent if policies.stands_in(task, name, one))
    votes = (vote for one in who.absent if (vote := policies.vote_stood_in_for(task, name, one)))
    return next(absent, None) or next(votes, None)


def _refusal(who: Who, task: ManualTask, place: str | None) -> Refusal | None:
    """The first reason against it; the order is that in which people are told."""
    if task.status != OPEN or task.returned_to is not None:
        return conflict(task)
    if reason := policies.why_excluded(task, who.username):
        return NotAllowed(reason, code="excluded")
    if policies.has_voted(task, who.username):
        return Conflict("You have already decided this; others must decide, too.", code="voted_already")
    if holder := policies.holder_of(task, who.username):
        message = f"You have given your vote to {holder}: take it back to decide yourself."
        return Conflict(message, code="handed_on", details={"to": holder})
    if _is_theirs(who, task, place):
        return None
    if absent := next((one.username for one in who.absent if policies.is_excluded(task, one.username)), None):
        message = f"This task asks others, not you; {absent}, for whom you stand in, is excluded from it."
        return NotAllowed(message, code="excluded")
    return NotAllowed("This task asks others, not you.", code="not_a_candidate")


def _forbidden(principal: Principal, task: ManualTask) -> Forbidden | None:
    try:
        require_answer(principal, task)
    except Forbidden as refusal:
        return refusal
    return None


def _asked_no_more(stands: Standing) -> str | None:
    """Whose vote they have whom the task doesn't ask any more as they are now: member, role and groups."""
    giver = stands.stands_in_for
    if giver is None or policies.holder_of(stands.task, giver) is None:
        return None
    member = find_member(stands.task.tenant_id, giver)
    is_asked = member is not None and identity.who_is_member(member).is_asked(stands.task)
    return None if is_asked else giver
