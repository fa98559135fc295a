"""The socket of queues: it tells that what is in the tenant's queues changed, and nothing of other tenants (R-164)."""

import pytest

from tests import factories as make
from tests.serving import site
from tests.sockets import Watcher, session_of

__all__ = ["site"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


def test_what_comes_into_the_tenants_own_queues_is_told_and_nothing_of_others(site):
    own, theirs = make.a_tenant(), make.a_tenant("theirs")
    with Watcher(site, "/ws/queues", session_of(make.a_member("ann"))) as page:
        page.settled()
        make.start(make.chain("noop"), tenant=theirs)
        assert page.hear_all(1.5) == []
        make.start(make.chain("noop"), tenant=own)
        message = page.hear(10)
    assert (message["topic"], message["changed"], message["nodes"]) == ("queues", ["queues"], {})
