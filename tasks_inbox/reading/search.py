"""What people type to find tasks: words such as `workflow:refunds due:<2d is:overdue`, and the rest of the text. Pure.

A search is data (`lib.search_grammar`): each word is one condition, and a word that nobody knows is told instead of
being left out.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q

from accounts.names import key_of
from engine.catalogue import Json
from lib.search_grammar import Fields, NotUnderstood, Term, parse
from tasks_inbox.limits import SEARCH_CHARACTERS
from tasks_inbox.models import COMPLETED, KINDS, OPEN
from tasks_inbox.reading.values import TOLD_KEY, ToldIs, told_than

_SPAN = re.compile(r"([<>]?)(\d{1,4})([hdw])")
_NUMBER = re.compile(r"([<>]?)(-?\d{1,4})")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_COMPARED = {"": "", "<": "__lt", ">": "__gt"}


@dataclass(frozen=True, slots=True)
class Titled:
    """That something stands in the title, or that the key of the run begins so."""

    part: str


@dataclass(frozen=True, slots=True)
class OfKey:
    """That the run has this business key."""

    key: str


@dataclass(frozen=True, slots=True)
class Person:
    """That a column names somebody: by username, or by full name."""

    column: str
    name: str


Condition = Q | ToldIs | Titled | OfKey | Person
Conditions = list[tuple[tuple[bool, Condition], ...]]
"""All of which must hold: each is some of which one is enough, and whether that must not hold."""


def conditions(text: str, now: Json) -> Conditions:
    """The conditions of a search. Raises NotUnderstood, also for a text that is too long."""
    if len(text) > SEARCH_CHARACTERS:
        raise NotUnderstood(f"A search has at most {SEARCH_CHARACTERS} characters.")
    return [tuple((term.is_not, _condition(term, now)) for term in clause) for clause in parse(text, GRAMMAR)]


def _condition(term: Term, now: Json) -> Condition:
    if not term.name:
        return Titled(term.value)
    if term.name.lower().startswith(_OF_DATA):
        key = term.name[len(_OF_DATA) :]
        if not re.fullmatch(TOLD_KEY, key, re.IGNORECASE):
            raise NotUnderstood("Write data.amount>1000 or data.country:DE.")
        if term.compared == ":":
            return ToldIs(key, term.value)
        return told_than(key, term.compared, term.value)
    return _WORDS[term.name](f"{'' if term.compared == ':' else term.compared}{term.value}", now)


def _is(value: str, now: Json) -> Q:
    states = {
        "open": Q(status=OPEN),
        "decided": Q(status=COMPLETED),
        "completed": Q(status=COMPLETED),
        "overdue": Q(status=OPEN, due_at__lt=now),
        "urgent": Q(priority__gt=0),
        "claimed": Q(status=OPEN, assignee__isnull=False),
        "unclaimed": Q(status=OPEN, assignee__isnull=True),
        "delegated": Q(delegated_by__isnull=False),
        "test": Q(is_test=True),
    }
    if value.lower() not in states:
        raise NotUnderstood(f"“is:{value}” is not known; write is: and one of {', '.join(states)}.")
    return states[value.lower()]


def _due(value: str, now: Json) -> Q:
    if value.lower() == "none":
        return Q(due_at__isnull=True)
    if not (match := _SPAN.fullmatch(value.lower())):
        raise NotUnderstood("Write due:<2d for what is due within two days, due:>1w, or due:none.")
    than, count, unit = match.groups()
    at = now + timedelta(**{_UNITS[unit]: int(count)})
    return Q(due_at__gt=at) if than == ">" else Q(due_at__lt=at)


def _kind(value: str, _: Json) -> Q:
    if value.lower() not in KINDS:
        raise NotUnderstood(f"“kind:{value}” is not known; write kind: and one of {', '.join(KINDS)}.")
    return Q(kind=value.lower())


def _priority(value: str, _: Json) -> Q:
    if not (match := _NUMBER.fullmatch(value)):
        raise NotUnderstood("Write priority:>0, priority:<0 or priority:0.")
    return Q(**{f"priority{_COMPARED[match[1]]}": int(match[2])})


def _asks(kind: str) -> Callable[[str, Json], Q]:
    return lambda value, _: Q(audience__contains=[f"{kind}:{key_of(value)}"])


_WORDS: dict[str, Callable[[str, Json], Condition]] = {
    "workflow": lambda value, _: Q(workflow_name__iexact=value),
    "step": lambda value, _: Q(node__iexact=value),
    "kind": _kind,
    "is": _is,
    "due": _due,
    "priority": _priority,
    "group": _asks("group"),
    "role": _asks("role"),
    "assignee": lambda value, _: Person("assignee", value),
    "by": lambda value, _: Person("decided_by", value),
    "key": lambda value, _: OfKey(value),
}
"""`workflow_name` is annotated by `listing.found`, `at_told` by `sources`."""
_OF_DATA = "data."
GRAMMAR = Fields(
    tuple(_WORDS), {"status": "is", "state": "is", "node": "step", "flow": "workflow"}, (_OF_DATA,)
)
