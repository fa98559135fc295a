"""What people do with an alert: acknowledge, resolve, mute. Each is a conditional update: of two, one counts."""

from django.db import transaction
from django.db.models import QuerySet

from accounts import audit
from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE
from lib.clock import now_there
from lib.refusals import Conflict, Invalid, Missing
from operations.alerts import store
from operations.alerts.access import visible_alerts
from operations.alerts.limits import MUTE_SECONDS, NOTE_CHARACTERS
from operations.alerts.models import LIVE_TOPIC, Alert, AlertChannel, AlertDelivery
from operations.alerts.rules import muted_until
from runs.kernel import live


def alerts_for(principal: Principal, status: str | None = None) -> QuerySet[Alert]:
    """The alerts that they see, of one status or all, with their workflow."""
    principal.require(RUNS_OPERATE)
    rows = visible_alerts(Alert.objects.for_tenant(principal.tenant_id), principal).select_related("workflow")
    return rows if status is None else rows.filter(status=status)


def get_alert(principal: Principal, alert_id: int) -> Alert:
    """An alert that they see. Raises Missing."""
    alert = alerts_for(principal).filter(pk=alert_id).first()
    if alert is None:
        raise Missing("There is no such alert.")
    return alert


def messages_of(alert: Alert) -> list[tuple[AlertDelivery, str]]:
    """What channels were told of an alert, in its order, and what each is called; two statements."""
    rows = list(AlertDelivery.objects.for_tenant(alert.tenant_id).filter(alert_id=alert.pk).order_by("id"))
    channels = AlertChannel.objects.for_tenant(alert.tenant_id).filter(
        pk__in={row.channel_id for row in rows}
    )
    names = dict(channels.values_list("pk", "name"))
    return [(row, names.get(row.channel_id, "a channel that is gone")) for row in rows]


def acknowledge(principal: Principal, alert_id: int, *, note: str = "", reason: str | None = None) -> Alert:
    """Say that somebody sees to it: nobody else is called. Raises Missing, and Conflict for one that is not open."""
    alert = get_alert(principal, alert_id)
    with transaction.atomic():
        rows = Alert.objects.for_tenant(principal.tenant_id).filter(pk=alert.pk, status="open")
        done = rows.update(
            status="acknowledged",
            acknowledged_at=now_there(),
            acknowledged_by=principal.username,
            note=note[:NOTE_CHARACTERS],
        )
        if not done:
            raise Conflict("This alert is no longer open.", code="alert_not_open")
        audit.record(principal, "alert.acknowledge", alert.subject, reason=reason or note or None)
        live.tell_about(LIVE_TOPIC, [principal.tenant_id])
    return get_alert(principal, alert_id)


def resolve(principal: Principal, alert_id: int, *, reason: str | None = None) -> Alert:
    """Say that it is over; who was told of it is told. Raises Missing, and Conflict for one that is over."""
    alert = get_alert(principal, alert_id)
    with transaction.atomic():
        resolved = store.resolve_alerts([alert.pk], by=principal.username)
        if not resolved:
            raise Conflict("This alert is already over.", code="alert_resolved")
        store.tell_resolved(resolved)
        audit.record(principal, "alert.resolve", alert.subject, reason=reason)
        live.tell_about(LIVE_TOPIC, [principal.tenant_id])
    return get_alert(principal, alert_id)


def mute(principal: Principal, alert_id: int, *, seconds: int, reason: str | None = None) -> Alert:
    """Have nobody told of it for so long, 0: from now on again. Raises Missing, Invalid, Conflict for what is over."""
    if not 0 <= seconds <= MUTE_SECONDS:
        raise Invalid(f"This must be a whole number from 0 to {MUTE_SECONDS:,}.", field="seconds")
    alert = get_alert(principal, alert_id)
    with transaction.atomic():
        rows = Alert.objects.for_tenant(principal.tenant_id).filter(pk=alert.pk).exclude(status="resolved")
        if not rows.update(muted_until=muted_until(seconds)):
            raise Conflict("This alert is already over.", code="alert_resolved")
        audit.record(principal, "alert.mute", f"{alert.subject}: {seconds} s", reason=reason)
        live.tell_about(LIVE_TOPIC, [principal.tenant_id])
    return get_alert(principal, alert_id)
