"""Rules as people see and change them. Each tenant has the built-in ones, which are switched off and not deleted."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet

from accounts import audit
from accounts.principal import Principal
from accounts.roles import ALERTS_MANAGE
from engine.catalogue import Json
from engine.limits import WORKFLOW_NAME_CHARACTERS
from lib.clock import now_here
from lib.refusals import Conflict, Invalid, Missing
from operations.alerts.access import visible_rules
from operations.alerts.channels import default_channels
from operations.alerts.evaluating import make_rules
from operations.alerts.kinds import KINDS, Kind, default_params
from operations.alerts.limits import (
    COOLDOWN_SECONDS,
    ESCALATION_MINUTES,
    MUTE_SECONDS,
    NAME_CHARACTERS,
    RULE_CHANNELS,
    TENANT_RULES,
)
from operations.alerts.models import LIVE_TOPIC, SEVERITIES, AlertChannel, AlertRule
from runs.kernel import live

_PLAIN = ("severity", "cooldown_seconds", "enabled", "escalate_minutes")
_CHANGES = (*_PLAIN, "name", "params", "channels", "escalate_channels", "mute_seconds")


def rules_of(tenant_id: int) -> QuerySet[AlertRule]:
    """The tenant's rules; the built-in ones are made if they are not there."""
    make_rules(tenant_id)
    return AlertRule.objects.for_tenant(tenant_id)


def get_rule(tenant_id: int, rule_id: int) -> AlertRule:
    """The tenant's rule. Raises Missing."""
    rule = AlertRule.objects.for_tenant(tenant_id).filter(pk=rule_id).first()
    if rule is None:
        raise Missing("There is no such rule.")
    return rule


def rules_for(principal: Principal) -> QuerySet[AlertRule]:
    """As `rules_of`, those that they see."""
    return visible_rules(rules_of(principal.tenant_id), principal)


def rule_for(principal: Principal, rule_id: int) -> AlertRule:
    """A rule that they see. Raises Missing."""
    rule = rules_for(principal).filter(pk=rule_id).first()
    if rule is None:
        raise Missing("There is no such rule.")
    return rule


def create_rule(
    principal: Principal, *, kind: str, name: str, reason: str | None = None, **values: Json
) -> AlertRule:
    """A new rule, of which what is not given is as in the built-in one; it notifies the default channels unless others
    are given. Raises Invalid, Conflict for too many.
    """
    principal.require(ALERTS_MANAGE)
    rule_kind = _kind(kind)
    columns = _checked(principal.tenant_id, rule_kind, {"name": name, **values})
    with transaction.atomic():
        if AlertRule.objects.for_tenant(principal.tenant_id).count() >= TENANT_RULES:
            raise Conflict(f"There can be at most {TENANT_RULES} rules.", code="too_many")
        rule = AlertRule.objects.create(
            tenant_id=principal.tenant_id,
            kind=kind,
            name=columns.pop("name"),
            params=columns.pop("params", default_params(rule_kind)),
            severity=columns.pop("severity", rule_kind.severity),
            cooldown_seconds=columns.pop("cooldown_seconds", rule_kind.cooldown_seconds),
            changed_by=principal.username,
        )
        columns.setdefault("channels", default_channels(principal.tenant_id))
        if columns:
            AlertRule.objects.for_tenant(principal.tenant_id).filter(pk=rule.pk).update(**columns)
        rule = get_rule(principal.tenant_id, rule.pk)
        audit.change(principal, "alert_rule.create", rule.name, after=_facts_of(rule), reason=reason)
    return rule


def change_rule(
    principal: Principal, rule_id: int, *, reason: str | None = None, **values: Json
) -> AlertRule:
    """Change what is given of a rule; for `mute_seconds` nobody is told, 0 ends that. Raises as `create_rule`."""
    principal.require(ALERTS_MANAGE)
    rule = get_rule(principal.tenant_id, rule_id)
    fields = {name: values[name] for name in _CHANGES if name in values}
    changes = _checked(principal.tenant_id, _kind(rule.kind), fields, rule.params)
    if changes:
        with transaction.atomic():
            rows = AlertRule.objects.for_tenant(principal.tenant_id).filter(pk=rule.pk)
            rows.update(**changes, changed_by=principal.username)
            before, after = _facts_of(rule), _facts_of(get_rule(principal.tenant_id, rule_id))
            audit.change(principal, "alert_rule.change", rule.name, before=before, after=after, reason=reason)
    return get_rule(principal.tenant_id, rule_id)


def delete_rule(principal: Principal, rule_id: int, *, reason: str | None = None) -> None:
    """Remove a rule and its alerts. Raises Missing, and Conflict for a built-in one."""
    principal.require(ALERTS_MANAGE)
    rule = get_rule(principal.tenant_id, rule_id)
    if rule.built_in:
        raise Conflict("A built-in rule can't be deleted; switch it off.", code="built_in")
    with transaction.atomic():
        AlertRule.objects.for_tenant(principal.tenant_id).filter(pk=rule.pk).delete()
        live.tell_about(LIVE_TOPIC, [principal.tenant_id])
        audit.change(principal, "alert_rule.delete", rule.name, before=_facts_of(rule), reason=reason)


def _facts_of(rule: AlertRule) -> dict[str, Json]:
    """What the audit log says of a rule."""
    return audit.fields_of(
        rule, "kind", "muted_until", *(name for name in _CHANGES if name != "mute_seconds")
    )


def _kind(name: str) -> Kind:
    if name not in KINDS:
        raise Invalid(f"There is no kind {name!r}.", field="kind")
    return KINDS[name]


def _checked(
    tenant_id: int, kind: Kind, values: Mapping[str, Json], before: Mapping[str, Json] | None = None
) -> dict[str, Json]:
    """What is given as columns. Raises Invalid, which names the field."""
    columns: dict[str, Json] = {name: values[name] for name in _PLAIN if name in values}
    if columns.get("severity", SEVERITIES[0]) not in SEVERITIES:
        raise Invalid(f"A severity is one of {', '.join(SEVERITIES)}.", field="severity")
    _check_bound(columns.get("cooldown_seconds", 0), 0, COOLDOWN_SECONDS, "cooldown_seconds")
    if columns.get("escalate_minutes") is not None:
        _check_bound(columns["escalate_minutes"], 1, ESCALATION_MINUTES, "escalate_minutes")
    if "name" in values:
        columns["name"] = _checked_name(values["name"])
    if "params" in values:
        columns["params"] = _checked_params(kind, values["params"], before)
    for field in ("channels", "escalate_channels"):
        if field in values:
            columns[field] = _checked_channels(tenant_id, values[field], field)
    if "mute_seconds" in values:
        _check_bound(values["mute_seconds"], 0, MUTE_SECONDS, "mute_seconds")
        columns["muted_until"] = muted_until(values["mute_seconds"])
    return columns


def muted_until(seconds: int) -> Json:
    """The moment in so many seconds; None for 0."""
    return now_here() + timedelta(seconds=seconds) if seconds else None


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > NAME_CHARACTERS or not name.isprintable():
        raise Invalid(f"A name has 1 to {NAME_CHARACTERS} characters on one line.", field="name")
    return name


def _checked_params(
    kind: Kind, values: Mapping[str, Json], before: Mapping[str, Json] | None
) -> dict[str, Json]:
    params = {**default_params(kind), **(before or {})}
    for name, value in values.items():
        field = f"params.{name}"
        if name == kind.filter and name:
            most = WORKFLOW_NAME_CHARACTERS
            if not isinstance(value, str) or len(value) > most or not value.isprintable():
                raise Invalid(f"A name has at most {most} characters; leave it empty for all.", field=field)
        elif name not in kind.thresholds:
            raise Invalid(f"A rule of this kind has no {name[:50]!r}.", field=field)
        else:
            _check_bound(value, kind.thresholds[name].least, kind.thresholds[name].most, field)
        params[name] = value
    return params


def _checked_channels(tenant_id: int, ids: Sequence[int], field: str) -> list[int]:
    channel_ids = list(dict.fromkeys(ids))
    if len(channel_ids) > RULE_CHANNELS:
        raise Invalid(f"A rule has at most {RULE_CHANNELS} channels.", field=field)
    existing = set(
        AlertChannel.objects.for_tenant(tenant_id).filter(pk__in=channel_ids).values_list("pk", flat=True)
    )
    if unknown := [one for one in channel_ids if one not in existing]:
        raise Invalid(f"There is no channel {unknown[0]}.", field=field)
    return channel_ids


def _check_bound(value: Json, least: int, most: int, field: str) -> None:
    if type(value) is not int or not least <= value <= most:
        raise Invalid(f"This must be a whole number from {least:,} to {most:,}.", field=field)
