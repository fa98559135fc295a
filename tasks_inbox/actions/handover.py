"""What is with somebody who leaves is handed over, given back, stopped, revoked or ended: each thing by itself.

Each is done by the function that does it elsewhere, with its rights, its lock and its line in the audit log: whoever
hands over needs the right to do it, and whoever gets it the right to have it. No two runs are locked together.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from accounts import audit, members, tokens
from accounts.picking import require_member
from accounts.principal import Principal
from accounts.queries import find_seat
from lib.refusals import Invalid, Refusal
from tasks_inbox.actions import absences, assignment
from tasks_inbox.ports import LEFT_KINDS, Act, LeftItem
from tasks_inbox.reading import left

DEACTIVATE, REMOVE = "deactivate", "remove"
ENDS = (DEACTIVATE, REMOVE)


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to become of one thing, and for `hand` whose it is to be."""

    kind: str
    id: str
    action: str
    to: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one thing; `code` and `message` say why nothing did."""

    item: LeftItem
    action: str
    to: str
    code: str | None = None
    message: str = ""


def hand_over(
    principal: Principal,
    username: str,
    choices: Iterable[Choice] | None = None,
    *,
    to: str = "",
    end: str = "",
    reason: str | None = None,
) -> list[Result]:
    """Do what is chosen with what is with somebody, after their membership was ended or they were deactivated, where
    `end` says so. Without choices all is done that is proposed, and `to` gets what is to be handed.

    Gives what became of each; one that can't be done keeps none of the others from it. Raises Forbidden, Missing for
    who left nothing and is no member, Invalid at `to` and `items`, and what `members` raises where `end` can't be.
    """
    username = _name(principal, username)
    items = {(one.kind, one.id): one for one in items_of(principal, username)}
    taker = _member(principal, username, to) if to else ""
    todo = _chosen(items, choices, taker)
    for place, choice in enumerate(todo):
        _check(items, choice, f"items[{place}]")
        if choice.to and choice.to != taker:
            _member(principal, username, choice.to, f"items[{place}].to")
    if end == DEACTIVATE:
        members.set_active(principal, username, False, reason=reason)
    elif end == REMOVE:
        members.remove_member(principal, username, reason=reason)
    results = [
        _done(principal, items[one.kind, one.id], one, reason) for one in todo if one.action != left.KEEP
    ]
    counted = f"{sum(one.code is None for one in results)} of {len(results)}"
    with transaction.atomic():
        if results:
            audit.change(principal, "member.hand_over", username, after={"done": counted}, reason=reason)
    return results


def items_of(principal: Principal, username: str) -> list[LeftItem]:
    """What is with somebody. Raises Missing for who left nothing and is no member."""
    name = _name(principal, username)
    items = left.items_of(principal, name)
    if not items:
        members.find_any(principal.tenant_id, name)
    return items


def _name(principal: Principal, username: str) -> str:
    seat = find_seat(principal.tenant_id, username)
    return seat.user.username if seat else username


def _chosen(
    items: Mapping[tuple[str, str], LeftItem], choices: Iterable[Choice] | None, to: str
) -> list[Choice]:
    if choices is None:
        choices = [Choice(one.kind, one.id, one.actions[0]) for one in items.values()]
    return [
        Choice(one.kind, one.id, one.action, (one.to or to) if one.action == left.HAND else "")
        for one in choices
    ]


def _check(items: Mapping[tuple[str, str], LeftItem], choice: Choice, field: str) -> None:
    item = items.get((choice.kind, choice.id))
    if item is None:
        raise Invalid("They have no such thing.", code="unknown", field=f"{field}.id")
    if choice.action not in item.actions:
        message = f"With this one of these can be done: {', '.join(item.actions)}."
        raise Invalid(message, field=f"{field}.action")
    if choice.action == left.HAND and not choice.to:
        raise Invalid("Name who gets it.", code="required", field=f"{field}.to")


def _member(principal: Principal, username: str, to: str, field: str = "to") -> str:
    member = require_member(principal.tenant_id, to, field=field)
    if member.user.username == username:
        raise Invalid("That is who leaves: name somebody else.", field=field)
    return member.user.username


def _done(principal: Principal, item: LeftItem, choice: Choice, reason: str | None) -> Result:
    try:
        with transaction.atomic():
            _act(item.kind, choice.action)(principal, item, choice.to, reason)
    except Refusal as error:
        return Result(item, choice.action, choice.to, error.code, error.message)
    return Result(item, choice.action, choice.to)


def _act(kind: str, action: str) -> Act:
    acts = next((one.acts for one in LEFT_KINDS if one.name == kind), None)
    return _ACTS[kind, action] if acts is None else acts[action]


_ACTS: Mapping[tuple[str, str], Act] = {
    (left.TASK, left.HAND): lambda who, item, to, why: assignment.assign_task(
        who, UUID(item.id), to, reason=why
    ),
    (left.TASK, left.GIVE_BACK): lambda who, item, _, why: assignment.unclaim_task(
        who, UUID(item.id), reason=why
    ),
    (left.TOKEN, left.REVOKE): lambda who, item, _, why: tokens.revoke(who, item.id, reason=why),
    (left.ABSENCE, left.HAND): lambda who, item, to, why: absences.hand_rule(
        who, int(item.id), to, reason=why
    ),
    (left.ABSENCE, left.END): lambda who, item, _, why: absences.end_rule(who, int(item.id), reason=why),
    (left.REPORT, left.HAND): lambda who, item, to, why: members.change_member(
        who, item.id, manager=to, reason=why
    ),
    (left.REPORT, left.END): lambda who, item, _, why: members.change_member(
        who, item.id, manager=members.NOBODY, reason=why
    ),
}
