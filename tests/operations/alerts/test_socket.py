"""The socket of alerts: whoever operates runs is told that alerts of their tenant changed (R-164)."""

import pytest
from django.db import transaction

from operations.alerts.models import LIVE_TOPIC
from runs.kernel import live
from tests import factories as make
from tests.serving import site
from tests.sockets import Watcher, session_of

__all__ = ["site"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


def test_alerts_of_the_own_tenant_are_told_and_no_others(site):
    own, other = make.a_tenant(), make.a_tenant("theirs")
    session = session_of(make.a_member("olga", "operator"))
    with Watcher(site, "/ws/alerts", session) as page:
        page.settled()
        for tenant, heard in ((other, []), (own, [["alerts"]])):
            with transaction.atomic():
                live.tell_about(LIVE_TOPIC, [tenant.pk])
            assert [message["changed"] for message in page.hear_all(1.5)] == heard
