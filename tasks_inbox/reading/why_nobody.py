"""Why nobody, or not enough people, can decide a task, and what helps: for those who may say whom it is to ask instead.

It is said of things as they are when somebody looks, for many tasks as for one in as many statements.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models.functions import Lower

from accounts import people
from accounts.models import Group, Membership
from accounts.names import key_of
from accounts.people import name_of
from engine.catalogue import Json
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.electors import Member, members_of
from tasks_inbox.eligibility.identity import DECIDING_ROLES, Who
from tasks_inbox.eligibility.quorum import needs_several
from tasks_inbox.limits import REASON_NAMES, REASON_PEOPLE
from tasks_inbox.models import OPEN, ManualTask
from tasks_inbox.store import queries

_BARRED = {
    "requester": "started the run",
    "corrector": "has corrected what it is about",
    "decider": "has decided another step of the run",
}


@dataclass(frozen=True, slots=True)
class _Seat:
    """A member: whether they are active, and their role."""

    username: str
    role: str
    is_active: bool

    @property
    def is_able(self) -> bool:
        """Whether they decide tasks at all."""
        return self.is_active and self.role in DECIDING_ROLES


@dataclass(frozen=True, slots=True)
class _Facts:
    """Of one tenant: who decides tasks, by key and with their role; seats of those who are named, by key; groups by
    key, each with its name and its seats.
    """

    able: Mapping[str, _Seat]
    members: Sequence[Member]
    seats: Mapping[str, _Seat]
    groups: Mapping[str, tuple[str, Sequence[_Seat]]]


def why_nobody(who: Who, tasks: Iterable[ManualTask]) -> dict[UUID, dict[str, Json]]:
    """Of those of the tasks that nobody can decide, by id: since when, why (sentences), and what to do about it.

    Nothing for who may not say whom tasks ask. Six statements, and none where there is no such task.
    """
    stuck = [task for task in tasks if task.status == OPEN and task.undecidable_since is not None]
    if not stuck or not who.assigns:
        return {}
    facts = _facts(who.tenant_id, stuck)
    queries.place(stuck)
    return {task.pk: _said(task, facts) for task in stuck}


def _facts(tenant: int, tasks: Sequence[ManualTask]) -> _Facts:
    marks = {mark for task in tasks for mark in task.audience}
    keys = {mark.removeprefix("user:") for mark in marks if mark.startswith("user:")}
    keys |= {key_of(task.assignee) for task in tasks if task.assignee}
    keys |= {one["key"] for task in tasks for one in task.named or ()}
    members = Membership.objects.for_tenant(tenant).select_related("user")
    seats = {}
    for member in members.annotate(lowered=Lower("user__username")).filter(lowered__in=keys):
        people.learn_user(member.user)
        seats[key_of(member.user.username)] = _Seat(member.user.username, member.role, member.user.is_active)
    group_keys = {mark.removeprefix("group:") for mark in marks if mark.startswith("group:")}
    rows = Group.objects.for_tenant(tenant).filter(key__in=group_keys).values_list(
        "key", "name", "members__user__username", "members__role", "members__user__is_active"
    )  # fmt: skip
    groups: dict[str, tuple[str, list[_Seat]]] = {}
    for key, name, username, role, is_active in rows:
        seated = groups.setdefault(key, (name, []))[1]
        if username is not None:
            seated.append(_Seat(username, role, is_active))
    able_members = members_of(tenant)
    able = {one.elector.key: _Seat(one.username, one.role, True) for one in able_members}
    people.learn(tenant, [seat.username for seat in able.values()][:REASON_NAMES])
    return _Facts(able, able_members, seats, groups)


def _said(task: ManualTask, facts: _Facts) -> dict[str, Json]:
    view = _View(task, facts)
    reasons = list(dict.fromkeys(view.reasons()))
    return {
        "since": task.undecidable_since,
        "why": [f"{one[:1].upper()}{one[1:]}." for one in reasons] or ["Nobody it asks can decide it."],
        "do": " ".join(view.remedies()),
    }


class _View:
    """One task, as those who decide tasks now stand to it."""

    def __init__(self, task: ManualTask, facts: _Facts) -> None:
        self._task, self._facts = task, facts
        self._names = {key_of(name): name for name in task.candidates.get("users") or ()}
        self._group_names = {key_of(name): name for name in task.candidates.get("groups") or ()}

    def reasons(self) -> Iterator[str]:
        """Why, without the full stops."""
        if needs_several(self._task.quorum):
            left = [key for key in self._left() if key not in self._task.voted]
            yield f"it needs {_needed(self._task.quorum)}, and {self._can_still(left)}"
        for mark in self._task.audience:
            kind, _, key = mark.partition(":")
            if why := self._of_mark(kind, key):
                yield why
        for one in self._task.named or ():
            is_over = "replaced_by" in one or one["key"] in self._task.voted or ":" in one["key"]
            if not is_over and (why := self._of_person(one["key"])):
                yield f"it asks {why}"
        holder = self._task.assignee if self._task.delegated_by is not None else None
        if holder and (why := self._of_person(key_of(holder))):
            yield f"it was handed to {why}"

    def remedies(self) -> Iterator[str]:
        """What helps, in sentences."""
        yield "Assign it to a member whose role decides tasks, or escalate it to others."
        keys = [mark.partition(":")[2] for mark in self._task.audience if mark.startswith("group:")]
        if weak := [key for key in keys if self._of_group(key)]:
            yield f"Or add somebody who may decide to the group {self._group(weak[0])}."
        if any(mark == "user:" for mark in self._task.audience) and self._task.candidates.get("manager_of"):
            yield f"Whom {name_of(self._task.candidates['manager_of'])} reports to is set in Settings, Members."
        inactive = [
            seat.username for key, seat in self._facts.seats.items() if self._asks(key) and not seat.is_active
        ]
        if inactive:
            yield f"Or reactivate {name_of(inactive[0])}: Settings, Members."

    def _asks(self, key: str) -> bool:
        return policies.names_user(self._task.audience, key)

    def _left(self) -> list[str]:
        """The keys of those who are asked and not barred, whether they have decided or not."""
        return [key for key in self._asked() if key not in self._task.exclude]

    def _asked(self) -> list[str]:
        marks = frozenset(self._task.audience)
        if policies.EVERYBODY in marks:
            in_folder = self._everybody()
            marks -= {policies.EVERYBODY}
        else:
            in_folder = []
        in_groups = {
            key_of(seat.username)
            for key, (_, seats) in self._facts.groups.items()
            if f"group:{key}" in marks
            for seat in seats
        }
        return [
            key
            for key, seat in self._facts.able.items()
            if {f"user:{key}", f"role:{seat.role}"} & marks or key in in_groups or key in in_folder
        ]

    def _everybody(self) -> list[str]:
        """The keys of those whom it asks where it names nobody."""
        members = self._facts.members
        return [one.elector.key for one in members if one.answers([policies.EVERYBODY], self._task.folder)]

    def _can_still(self, keys: Sequence[str]) -> str:
        if not keys:
            return "nobody is left who can decide it"
        names = [self._facts.able[key].username for key in keys]
        return f"only {_listed([name_of(name) for name in names])} can still decide it"

    def _of_mark(self, kind: str, key: str) -> str | None:
        match kind:
            case "user":
                why = self._of_person(key)
                return f"it asks {why}" if why else None
            case "group":
                return self._of_group(key)
            case "role":
                able = [key_of(seat.username) for seat in self._facts.able.values() if seat.role == key]
                return self._of_many(
                    able, f"no active member has the role {key}", f"everybody with the role {key}"
                )
            case policies.EVERYBODY:
                none = "no active member whose role decides tasks may read or decide in the folder of its workflow"
                return self._of_many(self._everybody(), none, "everybody who decides tasks there")
        return None

    def _of_person(self, key: str) -> str | None:
        """Who it is, and why they can't decide it; None where they can."""
        if not key:
            of = self._task.candidates.get("manager_of")
            nobody = "somebody named by an expression, which gave nobody"
            return f"the manager of {name_of(of)}, who has none" if of else nobody
        seat = self._facts.seats.get(key) or self._facts.able.get(key)
        if seat is None:
            return f"{self._names.get(key, key)}, who is not a member"
        name = name_of(seat.username)
        if not seat.is_active:
            return f"{name}, whose account is deactivated"
        if seat.role not in DECIDING_ROLES:
            return f"{name}, whose role {seat.role} may not decide tasks"
        return f"{name}, who is barred ({self._why_barred(key)})" if key in self._task.exclude else None

    def _of_group(self, key: str) -> str | None:
        name = self._group(key)
        if key not in self._facts.groups:
            return f"there is no group {name}"
        seats = self._facts.groups[key][1]
        if not seats:
            return f"nobody is in the group {name}"
        if not any(seat.is_active for seat in seats):
            return f"no active member is in the group {name}"
        able = [key_of(seat.username) for seat in seats if seat.is_able]
        return self._of_many(
            able,
            f"nobody in the group {name} has a role that decides tasks",
            f"everybody in the group {name} who decides tasks",
        )

    def _of_many(self, able: Sequence[str], none: str, everybody: str) -> str | None:
        """Why none of many can; None where one of them could."""
        if not able:
            return none
        if any(key not in self._task.exclude for key in able):
            return None
        barred = [f"{name_of(self._facts.able[key].username)} ({self._why_barred(key)})" for key in able]
        return f"{everybody} is barred: {_listed(barred)}"

    def _why_barred(self, key: str) -> str:
        return _BARRED.get((self._task.why_excluded or {}).get(key, ""), "as the workflow says")

    def _group(self, key: str) -> str:
        return self._facts.groups[key][0] if key in self._facts.groups else self._group_names.get(key, key)


def _needed(quorum: Mapping[str, Json]) -> str:
    """How many must agree, in words."""
    if groups := quorum.get("groups"):
        return " and ".join(f"{count} of {name}" for name, count in groups.items())
    need = quorum.get("need")
    return "all of them" if need == "all" else f"{need} of them"


def _listed(words: Sequence[str]) -> str:
    names = list(words[:REASON_PEOPLE])
    if len(words) > REASON_PEOPLE:
        names.append(f"{len(words) - REASON_PEOPLE} more")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
