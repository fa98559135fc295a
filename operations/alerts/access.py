"""Who sees which alert and which rule."""

from django.db.models import Q, QuerySet, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from accounts.guards import note
from accounts.principal import Principal
from accounts.roles import OPERATE, READ
from lib.refusals import Missing
from operations.alerts.models import ADMINS_KINDS, QUEUE_KINDS, Alert, AlertRule
from workflows.access import open_to
from workflows.queue_names import known_queues


def guard_alert(principal: Principal, scope: str, alert_id: int) -> None:
    """Let pass who may see the alert: who may not operate what it is about may not know of it. Raises Missing."""
    alerts = Alert.objects.for_tenant(principal.tenant_id).filter(pk=alert_id)
    if not visible_alerts(alerts, principal).exists():
        raise Missing("There is no such alert.")
    note("alert_id", scope, alert_id)


def visible_alerts(alerts: QuerySet[Alert], principal: Principal) -> QuerySet[Alert]:
    """Those of the alerts that they see: of workflows that they may operate, of queues that they may know, and timers;
    admins see all.
    """
    if principal.reach.is_everywhere:
        return alerts
    known = known_queues(principal)
    shared = Q(workflow__isnull=True) & ~Q(kind__in=ADMINS_KINDS)
    if known is not None:
        shared &= ~Q(kind__in=QUEUE_KINDS) | Q(key__in=sorted(known))
    return alerts.filter(shared | Q(workflow__in=open_to(principal, OPERATE)))


def visible_rules(rules: QuerySet[AlertRule], principal: Principal) -> QuerySet[AlertRule]:
    """Those of the alert rules that they see: of one queue that they may know, of one workflow that they may read, and
    of all.
    """
    known = known_queues(principal)
    if known is None:
        return rules
    rules = rules.alias(
        of_queue=Coalesce(KT("params__queue"), Value("", TextField())),
        of_workflow=Coalesce(KT("params__workflow"), Value("", TextField())),
    )
    own = Q(of_workflow="") | Q(of_workflow__in=open_to(principal, READ).values("name"))
    return rules.filter(own, of_queue__in=["", *sorted(known)])
