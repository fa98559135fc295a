"""Messages to webhooks at the same moment: one effect each, and no hint before it is true (R-132, R-255, I10)."""

import orjson
import pytest
from django.db import transaction

from accounts.models import TenantKey
from accounts.principal import EVERYWHERE, Principal
from accounts.roles import ADMIN, SCOPES
from accounts.sealed import ring_of
from lib.refusals import Conflict
from lib.uuid7 import uuid7
from runs.commands.starts import NewRun, Terms, start_runs
from runs.kernel import dispatch
from runs.models import Run, Signal
from tests import factories as make
from tests.races.staging import Actor, blocked, holding, me
from tests.triggers.webhooks.senders import incoming
from tests.webhooks import signed
from triggers.webhooks.actions import deliver
from triggers.webhooks.models import WebhookDelivery
from triggers.webhooks.service import create_webhook, token_of

SENDERS = 8
WAITS = [{"id": "paid", "type": "signal", "params": {"name": "paid", "timeout_seconds": 3600}}]


@pytest.fixture
def version():
    return make.a_version(make.graph(WAITS, []))


@pytest.fixture
def hooked(version):
    """Makes a webhook; gives a function that sends it a message."""

    def hooked(action, mapping):
        user = make.a_member("author", "admin")
        principal = Principal(
            version.tenant_id, "default", user.pk, "author", ADMIN, SCOPES, "command", reach=EVERYWHERE
        )
        made = create_webhook(
            principal, name=uuid7(), workflow=version.workflow.name, action=action, mapping=mapping
        )
        token = token_of(made.webhook)

        def send(message_id, body):
            raw = orjson.dumps(body)
            return deliver(token, incoming(raw, signed(made.secret, raw, message_id=message_id)))

        return send

    return hooked


def a_run(version, key):
    return start_runs(Terms(version.tenant_id, version.pk, "test"), [NewRun({}, key)])[0].id


def test_a_message_that_comes_many_times_at_once_starts_one_run(version, hooked, rounds):
    send = hooked("start", {})
    for round_ in rounds:
        before = Run.unsafe_all_tenants.count()
        with holding(lambda r=round_: send(f"m{r}", {}), before="insert_runs") as first:
            others = [Actor(lambda r=round_: send(f"m{r}", {})) for _ in range(SENDERS - 1)]
            for actor in others:
                actor.until_blocked()
        answers = [first.end(), *(actor.end() for actor in others)]

        assert [answer.duplicate for answer in answers].count(False) == 1
        assert Run.unsafe_all_tenants.count() == before + 1
        make.work()


def test_a_message_that_comes_many_times_at_once_is_one_signal(version, hooked, rounds):
    send = hooked("signal", {"business_key": "{{ body.key }}", "signal_name": "paid"})
    for round_ in rounds:
        key = f"k{round_}"
        run = a_run(version, key)
        make.work()
        actors = [Actor(lambda key=key: send(f"m-{key}", {"key": key})) for _ in range(SENDERS)]
        answers = [actor.end() for actor in actors]

        assert [answer.duplicate for answer in answers].count(False) == 1
        assert Signal.unsafe_all_tenants.filter(run_id=run).count() == 1
        make.work()
        assert make.run(run).status == "COMPLETED"


def test_whoever_waits_for_a_message_that_is_refused_after_all_is_heard(version, hooked, rounds):
    """The first one's effect fails: the second, which waited for it, does what is asked."""
    send = hooked("start", {})

    def regretted(message_id):
        with transaction.atomic():
            send(message_id, {})
            transaction.set_rollback(True)

    for round_ in rounds:
        with holding(lambda r=round_: regretted(f"m{r}"), before="insert_runs"):
            second = blocked(lambda r=round_: send(f"m{r}", {}))
        assert not second.end().duplicate
    make.work()


def test_two_first_messages_for_one_key_start_one_run_and_are_both_kept(version, hooked, rounds):
    send = hooked(
        "signal", {"business_key": "{{ body.key }}", "signal_name": "paid", "start_if_missing": True}
    )
    for round_ in rounds:
        key = f"k{round_}"
        with holding(lambda key=key: send(f"a-{key}", {"key": key}), before="insert_runs") as first:
            second = blocked(lambda key=key: send(f"b-{key}", {"key": key}))
        one, two = first.end(), second.end()

        assert (one.created, two.created, one.run_id) == (True, False, two.run_id)
        assert Signal.unsafe_all_tenants.filter(run_id=one.run_id).count() == 2
        make.work()


def test_nothing_is_kept_of_a_message_that_no_open_run_takes(version, hooked):
    send = hooked("signal", {"business_key": "{{ body.key }}", "signal_name": "paid"})
    run = a_run(version, "k")
    make.cancel(run)
    for body in ({"key": "k"}, {"key": "none"}):
        with pytest.raises(Conflict):
            send("m", body)
    assert not WebhookDelivery.unsafe_all_tenants.exists()
    assert not Signal.unsafe_all_tenants.exists()


def test_workers_are_told_when_it_is_so_and_not_before(version, hooked, monkeypatch):
    told = []

    def wake(queues, **how):
        if queues:  # heartbeats of earlier tests have none
            told.append((sorted(queues), transaction.get_connection().in_atomic_block))

    monkeypatch.setattr(dispatch, "wake", wake)
    send = hooked("start", {})
    send("m", {})
    assert told == [(["engine"], False)]
    make.work()


def test_two_first_secrets_of_a_tenant_get_one_key(rounds):
    for round_ in rounds:
        tenant = make.a_tenant(f"t{round_}").pk

        def first(tenant=tenant):
            with transaction.atomic():
                ring_of(tenant)
                me().halt()

        actor = Actor(first).until_halted()
        second = blocked(lambda tenant=tenant: ring_of(tenant))
        actor.end()
        second.end()
        assert TenantKey.objects.for_tenant(tenant).count() == 1
