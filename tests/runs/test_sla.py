"""Deadlines of runs: each of the two is told once, nothing is cancelled, an ended run is left alone (C-16, H-29)."""

import re
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from operations.alerts import evaluating
from operations.alerts.models import Alert
from runs.commands.lifecycle import pause_runs, unpause_runs
from runs.commands.starts import NewRun, Terms, start_runs
from runs.maintenance import sla
from runs.models import Run
from runs.reading.presentation import run_row
from tests import factories as make

pytestmark = pytest.mark.django_db

WAITS = make.graph([{"id": "s", "type": "signal", "params": {"name": "x"}}], [])


def told(run_id):
    return [event for event in make.history(run_id) if event.startswith("SLA")]


def test_a_deadline_is_told_at_four_fifths_and_when_it_is_over_each_once(clock):
    run_id = make.start({**WAITS, "sla_seconds": 100})[0]
    make.work()
    clock.advance(79)
    assert sla.look() == 0
    clock.advance(1)
    assert sla.look() == 1
    assert sla.look() == 0
    assert told(run_id) == ["SLA_WARNING"]
    clock.advance(20)
    sla.look()
    sla.look()
    assert told(run_id) == ["SLA_WARNING", "SLA_BREACHED"]
    assert make.run(run_id).status == "RUNNING"


def test_who_looks_late_tells_of_the_breach_alone(clock):
    run_id = make.start({**WAITS, "sla_seconds": 100})[0]
    clock.advance(1000)
    sla.look()
    assert told(run_id) == ["SLA_BREACHED"]


def test_a_run_that_has_ended_is_not_told_of_and_not_looked_at_again(clock):
    run_id = make.start({**make.chain("noop"), "sla_seconds": 100})[0]
    make.work()
    clock.advance(1000)
    sla.look()
    assert told(run_id) == []
    assert make.run(run_id).sla_look_at is None


def test_a_start_may_set_its_own_and_a_run_without_one_is_never_looked_at(clock):
    version = make.a_version({**WAITS, "sla_seconds": 100})
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test", sla_seconds=10)
    own = start_runs(terms, [NewRun({})])[0].id
    none = make.start(WAITS)[0]
    clock.advance(10)
    sla.look()
    assert told(own) == ["SLA_BREACHED"]
    clock.advance(10_000_000)
    assert sla.look() == 0
    assert told(none) == []
    assert Run.unsafe_all_tenants.filter(sla_look_at__isnull=False).count() == 0


@pytest.mark.parametrize("other_version", [False, True])
def test_what_was_due_while_a_run_stood_still_is_told_when_it_goes_on(clock, other_version):
    definition = make.graph([{"id": "s", "type": "noop", "retry": "none"}], [], sla_seconds=100)
    run_id = make.start(definition)[0]
    make.fail(*make.claimed())
    clock.advance(85)
    sla.look()
    assert told(run_id) == []

    def go_on():
        if other_version:
            make.resume_on(run_id, make.newer(run_id, definition))
        else:
            make.resume(run_id)

    go_on()
    sla.look()
    assert told(run_id) == ["SLA_WARNING"]
    make.fail(*make.claimed())
    clock.advance(100)
    sla.look()
    go_on()
    sla.look()
    assert told(run_id) == ["SLA_WARNING", "SLA_BREACHED"]
    make.fail(*make.claimed())
    go_on()
    sla.look()
    assert told(run_id) == ["SLA_WARNING", "SLA_BREACHED"]


def test_a_run_shows_its_deadline_and_whether_it_was_kept(clock):
    run_id = make.start({**WAITS, "sla_seconds": 100})[0]
    make.work()
    tenant = make.a_tenant().pk
    shown = run_row(tenant, run_id)
    assert shown["sla_seconds"] == 100
    assert shown["sla_deadline"] - shown["created_at"] == timedelta(seconds=100)
    assert shown["sla_breached"] is False
    clock.advance(100)
    assert run_row(tenant, run_id)["sla_breached"] is True
    make.send(run_id, "x")
    assert run_row(tenant, run_id)["sla_breached"] is True

    in_time = make.start({**make.chain("noop"), "sla_seconds": 100})[0]
    make.work()
    clock.advance(1000)
    assert run_row(tenant, in_time)["sla_breached"] is False

    shown = run_row(tenant, make.start(WAITS)[0])
    assert (shown["sla_seconds"], shown["sla_deadline"], shown["sla_breached"]) == (None, None, None)


def test_a_run_is_warned_of_at_80_percent_breached_at_all_of_its_time_and_what_it_was_when_it_ended_stays(
    clock,
):
    slow, quick = make.start({**WAITS, "sla_seconds": 100}, {}, {})
    make.work()
    tenant = make.a_tenant().pk

    def stands(run_id):
        return run_row(tenant, run_id)["sla"]

    assert stands(slow) == "ok"
    clock.advance(79)
    assert stands(slow) == "ok"
    clock.advance(2)
    assert stands(slow) == "warning"
    sla.look()
    assert stands(slow) == "warning"
    make.send(quick, "x")
    make.work()
    assert stands(quick) == "ok"
    clock.advance(30)
    assert stands(slow) == "breached"
    sla.look()
    make.send(slow, "x")
    make.work()
    assert (stands(slow), stands(quick)) == ("breached", "ok")
    shown = run_row(tenant, slow)
    assert shown["deadline"] == shown["sla_deadline"]
    assert run_row(tenant, make.start(WAITS)[0])["sla"] is None


def test_a_breach_is_logged_once_and_a_warning_is_not(clock, caplog):
    run_id = make.start({**WAITS, "sla_seconds": 100})[0]
    clock.advance(80)
    sla.look()
    assert caplog.messages == []
    clock.advance(20)
    sla.look()
    sla.look()
    (message,) = caplog.messages
    assert message.startswith(f"The run {run_id} is open past its deadline, ")


def test_the_page_of_a_run_says_how_long_it_has(client):
    run_id = make.start({**WAITS, "sla_seconds": 3600})[0]
    client.force_login(make.a_member("ann"))
    Run.unsafe_all_tenants.filter(pk=run_id).update(sla_deadline=Now() + timedelta(minutes=58, seconds=40))
    assert re.search(r"data-deadline>due in 58 min( \d+ s)?<", client.get(f"/runs/{run_id}").text)
    Run.unsafe_all_tenants.filter(pk=run_id).update(sla_deadline=Now() - timedelta(minutes=5))
    assert "data-deadline>overdue by 5 min" in client.get(f"/runs/{run_id}").text
    make.work()
    make.send(run_id, "x")
    text = client.get(f"/runs/{run_id}").text
    assert "ended 5 min" in text
    assert "after its deadline" in text
    assert "data-deadline" not in text


PAUSES = {**WAITS, "sla_seconds": 100, "sla_pauses": True}


def pause(run_id):
    pause_runs(make.a_tenant().pk, [str(run_id)], by="ann")


def go_on(run_id):
    unpause_runs(make.a_tenant().pk, [str(run_id)], by="ann")


def stands(run_id):
    return run_row(make.a_tenant().pk, run_id)["sla"]


def test_the_time_in_which_a_run_is_paused_does_not_count_where_its_version_says_so(clock):
    run_id = make.start(PAUSES)[0]
    make.work()
    clock.advance(70)
    pause(run_id)
    clock.advance(500)
    assert sla.look() == 0
    assert stands(run_id) == "ok"
    assert run_row(make.a_tenant().pk, run_id)["sla_paused_at"] is not None
    go_on(run_id)
    assert run_row(make.a_tenant().pk, run_id)["sla_seconds"] == 100
    clock.advance(9)
    assert sla.look() == 0
    clock.advance(1)
    assert (sla.look(), stands(run_id)) == (1, "warning")
    pause(run_id)
    clock.advance(500)
    assert (sla.look(), stands(run_id)) == (0, "warning")
    go_on(run_id)
    clock.advance(20)
    assert (sla.look(), stands(run_id)) == (1, "breached")
    assert told(run_id) == ["SLA_WARNING", "SLA_BREACHED"]
    row = run_row(make.a_tenant().pk, run_id)
    assert (row["sla_seconds"], row["sla_paused_at"], row["status"]) == (100, None, "WAITING")


def test_a_deadline_counts_on_in_a_pause_where_nothing_is_said(clock):
    run_id = make.start({**WAITS, "sla_seconds": 100})[0]
    clock.advance(70)
    pause(run_id)
    clock.advance(30)
    assert (sla.look(), stands(run_id)) == (1, "breached")
    assert run_row(make.a_tenant().pk, run_id)["sla_paused_at"] is None


def test_a_paused_run_that_is_cancelled_was_in_time_if_it_was_when_it_was_paused(clock):
    run_id = make.start(PAUSES)[0]
    make.work()
    clock.advance(70)
    pause(run_id)
    clock.advance(500)
    make.cancel(run_id)
    assert (stands(run_id), sla.look()) == ("ok", 0)


def test_an_alert_of_a_run_that_is_paused_stays_as_it_was(clock):
    run_id = make.start(PAUSES)[0]
    clock.advance(85)
    sla.look()
    evaluating.look()
    pause(run_id)
    clock.advance(500)
    sla.look()
    evaluating.look()
    kinds = Alert.unsafe_all_tenants.exclude(status="resolved").values_list("kind", flat=True)
    assert [*kinds] == ["sla_warning"]
