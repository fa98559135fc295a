"""Times of open runs on another version: each counts from when it began, and what is past is due at once."""

from datetime import UTC, datetime, timedelta

import pytest

from runs.commands import migration
from runs.commands.starts import NewRun, Terms, start_runs
from runs.integrity.verify import verify
from runs.kernel.refused import RunRefused
from runs.maintenance import sla
from runs.models import Timer
from tasks_inbox.duties import clock as task_clock
from tasks_inbox.models import ManualTask
from tests import factories as make

pytestmark = pytest.mark.django_db

ONCE = {"retry": "none"}
AFTER = {"id": "after", "type": "noop", **ONCE}


def waiting(node, *more, **definition):
    """A run that waits at `w`."""
    run_id = make.start({**make.graph([{"id": "w", **node}, AFTER, *more], ["w>after"]), **definition}, {})[0]
    make.work()
    assert make.statuses(run_id)["w"] == "WAITING"
    return run_id


def newer(run_id, node, *more, **definition):
    return make.newer(run_id, {**make.graph([{"id": "w", **node}, AFTER, *more], ["w>after"]), **definition})


def moved(run_id, version):
    """Moves the run; gives the times that a look before said would be others, as kind, target and seconds moved by."""
    checked = migration.check_run(make.a_tenant().pk, run_id, version.pk)
    assert checked.ok, checked.problems
    make.migrate(run_id, version)
    assert list(verify([run_id])) == []
    (event,) = make.events(run_id, "RUN_MIGRATED")
    assert event.payload.get("times", []) == [one.as_dict() for one in checked.times]
    return [
        (one.kind, one.target, one.old and one.new and (one.new - one.old).total_seconds())
        for one in checked.times
    ]


def wait(**params):
    return {"type": "wait", "params": params}


def test_a_wait_that_is_shorter_and_past_is_over_at_once(clock):
    run_id = waiting(wait(duration="P1D"))
    clock.advance(60)
    assert moved(run_id, newer(run_id, wait(duration="PT2S"))) == [("wait", None, 2 - 86_400)]
    make.tick()
    make.work()
    assert make.run(run_id).status == "COMPLETED"


@pytest.mark.parametrize(
    "longer", [{"seconds": 200}, {"duration": "PT200S"}, {"duration": "PT{{ 100 + 100 }}S"}]
)
def test_a_wait_counts_from_when_its_turn_came(clock, longer):
    run_id = waiting(wait(seconds=100))
    clock.advance(60)
    moved(run_id, newer(run_id, wait(**longer)))
    clock.advance(139)
    make.tick()
    assert make.statuses(run_id) == {"w": "WAITING"}
    clock.advance(2)
    make.tick()
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_wait_until_a_moment_and_one_in_working_days(clock):
    run_id = waiting(wait(seconds=100))
    began = make.steps(run_id)["w"].queued_at
    moved(run_id, newer(run_id, wait(until="2199-01-01T00:00:00Z")))
    assert Timer.unsafe_all_tenants.get(run_id=run_id).fire_at == datetime(2199, 1, 1, tzinfo=UTC)
    make.migrate(run_id, newer(run_id, wait(duration="1 business day")))
    assert (
        timedelta(hours=1) < Timer.unsafe_all_tenants.get(run_id=run_id).fire_at - began < timedelta(days=5)
    )
    assert "1 working day of" in make.steps(run_id)["w"].waiting["counts"]


def test_what_can_not_be_computed_is_refused():
    run_id = waiting(wait(seconds=100))
    version = newer(run_id, wait(seconds="{{ input.nothing.there }}"))
    with pytest.raises(RunRefused, match="can't be computed in this version") as refusal:
        make.migrate(run_id, version)
    assert refusal.value.details["node"] == "w"


def signal(**params):
    return {"type": "signal", "params": {"name": "paid", **params}, "on_error": "continue"}


def test_how_long_a_signal_is_waited_for(clock):
    run_id = waiting(signal(timeout_seconds=1_000))
    clock.advance(100)
    assert moved(run_id, newer(run_id, signal(timeout_seconds=150))) == [("timeout", None, -850)]
    clock.advance(49)
    make.tick()
    assert make.statuses(run_id) == {"w": "WAITING"}
    clock.advance(2)
    make.tick()
    assert make.steps(run_id)["w"].error["code"] == "SignalTimeout"


def test_a_signal_is_waited_for_without_end_and_with_an_end_that_there_was_not(clock):
    run_id = waiting(signal(timeout_seconds=100))
    assert moved(run_id, newer(run_id, signal())) == [("timeout", None, None)]
    assert not Timer.unsafe_all_tenants.filter(run_id=run_id, status="PENDING").exists()
    assert "until" not in make.steps(run_id)["w"].waiting
    clock.advance(200)
    make.tick()
    make.migrate(run_id, newer(run_id, signal(timeout_seconds=150)))
    make.tick()
    assert make.steps(run_id)["w"].error["code"] == "SignalTimeout"


def test_another_signal_is_still_refused():
    run_id = waiting(signal())
    with pytest.raises(RunRefused, match="waits for something else"):
        make.migrate(run_id, newer(run_id, signal(name="sent")))


def beside(seconds, to="late", **more):
    return {"after_seconds": seconds, "to": to, "interrupting": False, **more}


def test_timers_beside_a_step_count_from_when_it_began_new_ones_too(clock):
    late, later = {"id": "late", **ONCE, "type": "noop"}, {"id": "later", **ONCE, "type": "noop"}
    run_id = waiting({**signal(), "boundary_timers": [beside(60)]}, late)
    clock.advance(50)
    version = newer(run_id, {**signal(), "boundary_timers": [beside(5), beside(90, "later")]}, late, later)
    assert moved(run_id, version) == [("boundary", "late", -55), ("boundary", "later", None)]
    make.tick()
    make.work()
    assert make.statuses(run_id) == {"w": "WAITING", "late": "COMPLETED"}
    clock.advance(41)
    make.tick()
    make.work()
    assert make.statuses(run_id)["later"] == "COMPLETED"
    assert list(verify([run_id])) == []


def test_the_deadline_of_a_run_is_that_of_the_version(clock):
    run_id = waiting(wait(seconds=10_000), sla_seconds=1_000)
    clock.advance(100)
    assert moved(run_id, newer(run_id, wait(seconds=10_000), sla_seconds=50)) == [("deadline", None, -950)]
    sla.look()
    assert "SLA_BREACHED" in make.history(run_id)


def test_a_deadline_that_was_given_with_the_start_stays():
    definition = make.graph([{"id": "w", **wait(seconds=10_000)}, AFTER], ["w>after"])
    version = make.a_version({**definition, "sla_seconds": 1_000})
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test", sla_seconds=77)
    run_id = start_runs(terms, [NewRun({})])[0].id
    make.work()
    before = make.run(run_id).sla_deadline
    assert moved(run_id, newer(run_id, wait(seconds=10_000), sla_seconds=50)) == []
    assert make.run(run_id).sla_deadline == before


def approval(**params):
    return {"type": "human.approval", "params": {"title": "Well?", **params}}


def test_a_task_is_due_and_reminded_of_as_the_version_has_it(clock):
    run_id = waiting(approval(due_seconds=1_000, reminders=[100, 500], on_timeout="rejected"))
    clock.advance(150)
    task_clock.tick()
    assert make.history(run_id).count("TASK_REMINDED w") == 1
    version = newer(run_id, approval(due_seconds=2_000, reminders=[120, 140], on_timeout="rejected"))
    assert moved(run_id, version) == [("due", None, 1_000), ("remind", None, -360), ("end", None, 1_000)]
    task = ManualTask.unsafe_all_tenants.get(run_id=run_id)
    assert (task.due_at - task.clock_from).total_seconds() == 2_000
    task_clock.tick()
    # The first reminder has come already, and does not come again; the second is past, and comes at once.
    assert make.history(run_id).count("TASK_REMINDED w") == 2
    clock.advance(1_000)
    task_clock.tick()
    assert make.statuses(run_id)["w"] == "WAITING"
    clock.advance(1_000)
    task_clock.tick()
    assert make.statuses(run_id)["w"] == "COMPLETED"
