"""The socket of alerts: whoever operates runs is told that alerts of their tenant changed (R-164)."""

import pytest

from operations.alerts import answering, evaluating, rules
from operations.alerts.models import Alert, AlertRule
from tests import factories as make
from tests.operations.alerts.factories import AlertFactory
from tests.people import People
from tests.serving import site
from tests.sockets import Watcher, session_of

__all__ = ["site"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]

JOB = make.graph([{"id": "j", "type": "job", "queue": "parts"}], [])


def test_what_becomes_of_the_tenants_own_alerts_is_told_and_nothing_of_others(site):
    own, theirs = make.a_tenant(), make.a_tenant("theirs")
    admin, other = (People().principal("admin", tenant.slug) for tenant in (own, theirs))
    for tenant in (own, theirs):
        evaluating.make_rules(tenant.pk)
    AlertRule.objects.for_tenant(own.pk).filter(kind="queue_depth").update(params={"above": 1})
    foreign = AlertFactory(rule=AlertRule.objects.for_tenant(theirs.pk).get(kind="queue_depth"))
    made = rules.create_rule(admin, kind="queue_depth", name="parts", params={"above": 9_999})
    make.start(JOB, {}, {})

    def first() -> int:
        return Alert.objects.for_tenant(own.pk).get(kind="queue_depth").pk

    with Watcher(site, "/ws/alerts", session_of(make.a_member("olga", "operator"))) as page:
        page.settled()
        answering.acknowledge(other, foreign.pk)
        assert page.hear_all(1.5) == []
        for change in (
            evaluating.look,
            lambda: answering.acknowledge(admin, first()),
            lambda: answering.mute(admin, first(), seconds=3600),
            lambda: answering.resolve(admin, first()),
            lambda: rules.delete_rule(admin, made.pk),
        ):
            change()
            message = page.hear(10)
            assert (message["topic"], message["changed"], message["nodes"]) == ("alerts", ["alerts"], {})
