"""Who is away, and who decides in their place: rules with dates and workflows. A substitute's substitute has nothing by
that (docs/inbox.md, "Who may decide").
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts import audit
from accounts.models import Tenant
from accounts.picking import require_member
from accounts.principal import Principal
from accounts.roles import MEMBERS_MANAGE, READ, TASKS_DECIDE, TASKS_READ
from lib.clock import now_there
from lib.refusals import Conflict, Invalid, Missing
from tasks_inbox.eligibility import identity
from tasks_inbox.limits import ABSENCE_NOTE_CHARACTERS, ABSENCE_WORKFLOWS
from tasks_inbox.models import AwayRule
from workflows.access import open_to


def rules_for(principal: Principal) -> QuerySet[AwayRule]:
    """The rules that somebody may see: of them and by them; with `members:manage` everybody's."""
    principal.require(TASKS_READ)
    rules = AwayRule.objects.for_tenant(principal.tenant_id)
    if MEMBERS_MANAGE in principal.scopes:
        return rules
    return rules.filter(Q(username=principal.username) | Q(substitute=principal.username))


def rules_that_hold(principal: Principal) -> QuerySet[AwayRule]:
    """Those of `rules_for` that are not over."""
    return rules_for(principal).filter(ends_at__gt=now_there())


def rule_row(rule: AwayRule) -> dict[str, Any]:
    """A rule as the API shows it."""
    names = ("id", "username", "substitute", "workflows", "note", "created_by", "created_at")
    return {name: getattr(rule, name) for name in names} | {"from": rule.starts_at, "until": rule.ends_at}


@transaction.atomic
def add_rule(
    principal: Principal,
    substitute: str,
    *,
    starts_at: datetime,
    ends_at: datetime,
    username: str = "",
    workflows: Sequence[str] = (),
    note: str = "",
    reason: str | None = None,
) -> AwayRule:
    """Say that one is away, or with `members:manage` that somebody is, and who stands in.

    Raises Invalid at the field that is wrong, Conflict where another rule of that person covers some of this one.
    """
    principal.require(TASKS_DECIDE)
    person = _decider(principal.tenant_id, username.strip() or principal.username, "username")
    if person != principal.username:
        principal.require(MEMBERS_MANAGE)
    instead = _decider(principal.tenant_id, substitute.strip(), "substitute")
    if instead == person:
        raise Invalid("Nobody can stand in for themselves: name somebody else.", field="substitute")
    if ends_at <= starts_at:
        raise Invalid("This must be after the start.", field="until")
    if len(note) > ABSENCE_NOTE_CHARACTERS:
        raise Invalid(f"A note has at most {ABSENCE_NOTE_CHARACTERS} characters.", field="note")
    rule = AwayRule(
        tenant_id=principal.tenant_id,
        username=person,
        substitute=instead,
        starts_at=starts_at,
        ends_at=ends_at,
        workflows=_known(principal, workflows),
        note=note,
        created_by=principal.username,
    )
    # One after another: of two rules that overlap the second finds the first.
    Tenant.objects.select_for_update(no_key=True).get(pk=principal.tenant_id)
    _check_overlaps(rule)
    rule.save()
    audit.change(principal, "away.create", person, after=_facts_of(rule), reason=reason)
    return rule


@transaction.atomic
def end_rule(principal: Principal, rule_id: int, *, reason: str | None = None) -> None:
    """End one's own rule, or with `members:manage` anybody's: nobody stands in by it any more. Raises Missing."""
    principal.require(TASKS_DECIDE)
    rule = rules_for(principal).filter(pk=rule_id).first()
    if rule is None:
        raise Missing("There is no such rule.")
    if rule.username != principal.username:
        principal.require(MEMBERS_MANAGE)
    audit.change(principal, "away.end", rule.username, before=_facts_of(rule), reason=reason)
    rule.delete()


@transaction.atomic
def hand_rule(principal: Principal, rule_id: int, to: str, *, reason: str | None = None) -> AwayRule:
    """Have somebody else stand in by a rule, for what is left of it. Raises as `end_rule` and `add_rule`."""
    rule = rules_for(principal).filter(pk=rule_id).first()
    if rule is None:
        raise Missing("There is no such rule.")
    end_rule(principal, rule_id, reason=reason)
    return add_rule(
        principal,
        to,
        starts_at=rule.starts_at,
        ends_at=rule.ends_at,
        username=rule.username,
        workflows=rule.workflows,
        note=rule.note,
        reason=reason,
    )


def _facts_of(rule: AwayRule) -> dict[str, object]:
    return audit.fields_of(rule, "substitute", "starts_at", "ends_at", "workflows", "note")


def _decider(tenant_id: int, username: str, field: str) -> str:
    member = require_member(tenant_id, username, field=field)
    if member.role not in identity.DECIDING_ROLES:
        raise Invalid(f"The role of {member.user.username} may not decide tasks.", field=field)
    return member.user.username


def _known(principal: Principal, names: Sequence[str]) -> list[str]:
    """Each of these workflows once. One that they may not read is refused as one that is not there."""
    unique_names = list(dict.fromkeys(names))
    if len(unique_names) > ABSENCE_WORKFLOWS:
        raise Invalid(f"Name at most {ABSENCE_WORKFLOWS} workflows.", field="workflows")
    readable = open_to(principal, READ).filter(name__in=unique_names)
    existing_names = set(readable.values_list("name", flat=True))
    for place, name in enumerate(unique_names):
        if name not in existing_names:
            raise Invalid(f"There is no workflow {name}.", field=f"workflows[{place}]")
    return unique_names


def _check_overlaps(rule: AwayRule) -> None:
    rules = AwayRule.objects.for_tenant(rule.tenant_id).filter(
        username=rule.username, starts_at__lt=rule.ends_at, ends_at__gt=rule.starts_at
    )
    if rule.workflows:
        rules = rules.filter(Q(workflows=[]) | Q(workflows__overlap=rule.workflows))
    other = rules.order_by("pk").first()
    if other is not None:
        message = f"{other.substitute} already stands in for {rule.username} then: end that rule first."
        raise Conflict(message, code="overlaps", field="from", details={"rule": other.pk})
