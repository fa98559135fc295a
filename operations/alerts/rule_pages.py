"""The pages of rules: which there are, and forms that change one or make another."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import pages
from accounts.access import PageRequest, page
from accounts.roles import ALERTS_MANAGE, RUNS_OPERATE
from lib.clock import now_here
from lib.refusals import Conflict, Invalid
from operations.alerts import channels, rules
from operations.alerts.kinds import KINDS, Threshold, default_params
from operations.alerts.models import SEVERITIES, AlertRule
from operations.alerts.rule_forms import rule_values, typed_rule

MUTES = (("0", "not muted"), ("3600", "for an hour"), ("86400", "for a day"), ("604800", "for a week"))


@page(RUNS_OPERATE)
def rule_list(request: PageRequest) -> HttpResponse:
    """The rules, in the order of their kinds, with what each looks for and who is told."""
    tenant_id = request.principal.tenant_id
    places = {kind: place for place, kind in enumerate(KINDS)}
    rows = sorted(rules.rules_for(request.principal), key=lambda rule: (places.get(rule.kind, 0), rule.pk))
    names = dict(channels.channels_of(tenant_id).values_list("pk", "name"))
    context = {
        "rules": [_row(rule, names) for rule in rows],
        "kinds": KINDS.items(),
        "may_manage": ALERTS_MANAGE in request.principal.scopes,
        "has_channels": bool(names),
        "right_now": now_here(),
    }
    return render(request, "alerts/rules.html", context)


@page(ALERTS_MANAGE, "GET", "POST")
def rule_page(request: PageRequest, alert_rule_id: int) -> HttpResponse:
    """Changes a rule: its thresholds, who is told and when."""
    rule = rules.get_rule(request.principal.tenant_id, alert_rule_id)
    if request.method != "POST":
        return _form(request, rule.kind, rule_values(rule), rule)
    values = typed_rule(request, rule.kind)
    try:
        rules.change_rule(request.principal, rule.pk, **values.checked())
    except Invalid as error:
        return _form(request, rule.kind, values.shown, rule, error)
    messages.success(request, "The rule is changed. It takes effect at the next check, within 15 seconds.")
    return redirect("operations-alert-rules")


@page(ALERTS_MANAGE, "GET", "POST")
def new_rule(request: PageRequest) -> HttpResponse:
    """Makes another rule of a kind (`?kind=`)."""
    if (kind := request.GET.get("kind", "")) not in KINDS:
        return redirect("operations-alert-rules")
    rule_kind = KINDS[kind]
    if request.method != "POST":
        unsaved = AlertRule(
            kind=kind,
            severity=rule_kind.severity,
            params=default_params(rule_kind),
            channels=channels.default_channels(request.principal.tenant_id),
            cooldown_seconds=rule_kind.cooldown_seconds,
            enabled=True,
        )
        return _form(request, kind, rule_values(unsaved))
    values = typed_rule(request, kind)
    try:
        rules.create_rule(request.principal, kind=kind, **values.checked())
    except (Invalid, Conflict) as error:
        return _form(request, kind, values.shown, None, error)
    messages.success(request, "The rule is made.")
    return redirect("operations-alert-rules")


@page(ALERTS_MANAGE, "POST")
def delete_rule(request: PageRequest, alert_rule_id: int) -> HttpResponse:
    """Removes a rule that is not built in, and its alerts."""
    try:
        rules.delete_rule(request.principal, alert_rule_id)
    except Conflict as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "The rule and its alerts are deleted.")
    return redirect("operations-alert-rules")


def _row(rule: AlertRule, names: dict[int, str]) -> dict[str, Any]:
    kind = KINDS[rule.kind]
    limits = [_limit(one, rule.params.get(name, one.default)) for name, one in kind.thresholds.items()]
    return {
        "rule": rule,
        "kind": kind.name,
        "about": kind.about,
        "of": rule.params.get(kind.filter, "") if kind.filter else "",
        "limits": ", ".join(limits),
        "channels": [names[one] for one in rule.channels if one in names],
        "next": [names[one] for one in rule.escalate_channels if one in names],
    }


def _limit(threshold: Threshold, value: int) -> str:
    unit = threshold.unit.removesuffix("s") if value == 1 else threshold.unit
    return f"{threshold.label.lower()} {value:,} {unit}"


def _form(
    request: PageRequest,
    kind: str,
    values: dict[str, Any],
    rule: AlertRule | None = None,
    error: Invalid | Conflict | None = None,
) -> HttpResponse:
    rule_kind = KINDS[kind]
    if error is not None and error.field == f"params.{rule_kind.filter}":
        error.field = "of"
    context = {
        "kind": rule_kind,
        "kind_name": kind,
        "rule": rule,
        "thresholds": [
            (f"param-{name}", one, values[f"param-{name}"], _fault(error, f"param-{name}"))
            for name, one in rule_kind.thresholds.items()
        ],
        "channels": list(channels.channels_of(request.principal.tenant_id).order_by("name")),
        "chosen": values["channels"],
        "chosen_next": values["escalate_channels"],
        "severities": SEVERITIES,
        "mutes": MUTES,
        "right_now": now_here(),
    } | pages.form_of(values, error)
    status = 200 if error is None else pages.status_of(error)
    return render(request, "alerts/rule.html", context, status=status)


def _fault(error: Invalid | Conflict | None, field: str) -> str:
    return error.message if error is not None and error.field == field else ""
