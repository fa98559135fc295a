"""Lost leases, late words and poison pills (docs/engine.md, "Leases", "Execute"; C-5, C-6, H-3, H-5, H-17, R-262)."""

import psycopg
import pytest

from lib import named_sql
from runs.commands import jobs
from runs.kernel.advance import advance
from runs.kernel.hand_back import hand_back
from runs.maintenance import leases
from runs.maintenance.leases import sweep
from runs.store import hot
from runs.store.attempts import Errored, Succeeded
from runs.workers.drain import Drain
from tests import factories as make

pytestmark = pytest.mark.django_db

QUICK = {"max_retries": 2, "base_seconds": 0, "jitter": 0}


def lone(**node):
    return make.graph([{"id": "a", "retry": QUICK, **node}], [])


def expire(clock):
    """Everything leased is lost, and found."""
    clock.advance(31)
    return sweep()


def test_a_lease_lost_in_company_costs_no_attempt_and_marks_the_step_solo(clock):
    """docs/engine.md, "Poison pills"."""
    runs = make.start(lone(), *[{}] * 3)
    make.claimed()

    assert expire(clock) == 3

    for run_id in runs:
        step = make.steps(run_id)["a"]
        assert (step.status, step.attempt, step.epoch, step.solo) == ("QUEUED", 0, 1, True)
        assert make.history(run_id)[1:] == ["LEASE_LOST a"]


OURS, ANOTHER_HOST, REUSED_PID = "here:7:aa01", "there:7:aa01", "here:7:bb02"


def test_a_dead_worker_loses_its_leases_at_once_and_nobody_else_does():
    runs = make.start(lone(), *[{}] * 4)
    for worker in (OURS, ANOTHER_HOST, REUSED_PID):
        hot.claim(queue="default", worker=worker, cursor=0, limit=1)
    make.start(make.graph([{"id": "a", "type": "job", "queue": "mine"}], []))
    [job] = jobs.poll(tenant=make.a_tenant().pk, worker=OURS, queues=["mine"], max_jobs=1)

    assert leases.lose([OURS]) == 1

    first, *others = [make.steps(run_id)["a"] for run_id in runs[:3]]
    assert (first.status, first.attempt, first.error["code"]) == ("QUEUED", 1, "LeaseLost")
    assert [(step.status, step.worker) for step in others] == [
        ("RUNNING", ANOTHER_HOST),
        ("RUNNING", REUSED_PID),
    ]
    assert make.steps(job.step.run_id)["a"].status == "RUNNING", "a job, whatever its worker calls itself"


def test_what_a_dead_worker_held_in_company_costs_no_attempt():
    runs = make.start(lone(), *[{}] * 3)
    make.claimed(worker=OURS)

    assert (leases.lose([OURS]), leases.lose([OURS])) == (3, 0)

    assert {(step.status, step.attempt, step.solo) for step in (make.steps(run)["a"] for run in runs)} == {
        ("QUEUED", 0, True)
    }


def test_solo_steps_are_claimed_one_at_a_time(clock):
    make.start(lone(), *[{}] * 3)
    make.claimed()
    expire(clock)

    assert hot.claim(queue="default", worker="w", cursor=0, limit=100) == []
    assert [len(hot.claim_alone(queue="default", worker="w")) for _ in range(4)] == [1, 1, 1, 0]


def test_a_lease_lost_alone_costs_an_attempt(clock):
    run_id = make.start(lone())[0]
    make.claimed()

    expire(clock)

    step = make.steps(run_id)["a"]
    assert (step.status, step.attempt, step.solo) == ("QUEUED", 1, True)
    assert step.error["code"] == "LeaseLost"


def test_a_worker_that_dies_before_its_first_heartbeat_is_noticed(clock):
    """H-3: set at claim."""
    run_id = make.start(lone())[0]
    make.claimed()
    assert make.steps(run_id)["a"].lease_expires_at is not None

    assert expire(clock) == 1


def test_a_step_that_kills_its_worker_each_time_ends_failed_and_its_companions_complete(clock):
    """R-262; docs/engine.md, "Poison pills"."""
    pill, *others = make.start(lone(), *[{"n": n} for n in range(5)])
    kills = 0
    for _ in range(20):
        batch = make.claimed()
        if not batch:
            break
        if any(step.run_id == pill for step in batch):
            kills += 1
            expire(clock)
        else:
            make.complete(*batch)

    assert {make.run(run_id).status for run_id in others} == {"COMPLETED"}
    assert {make.steps(run_id)["a"].attempt for run_id in others} == {1}
    assert make.run(pill).status == "FAILED"
    assert make.run(pill).error["code"] == "LeaseLost"
    assert [letter.attempts for letter in make.letters(pill)] == [3]
    assert kills == 1 + 3, "once in company, then its three attempts alone"


def test_steps_that_must_run_alone_do_not_wait_for_the_queue_to_be_empty(clock):
    """ "Nothing may ever be silently stuck": a backlog that never ends must not starve them."""
    runs = make.start(lone(), {}, {})
    make.claimed()
    expire(clock)
    behind = make.start(lone())[0]
    drain = Drain("default")

    assert [drain.run(seconds=0), drain.run(seconds=0)] == [1, 1]

    assert {make.run(run_id).status for run_id in runs} == {"COMPLETED"}
    assert make.statuses(behind) == {"a": "QUEUED"}


def test_a_step_that_is_claimed_alone_but_joins_others_in_hand_is_in_company(clock):
    """Only of a step that was alone in its process does a lost lease tell something."""
    make.start(lone(), {}, {})
    drain = Drain("default")
    hand = drain.claim(100)
    late = make.start(lone())[0]

    hand += drain.claim(50, alone=not hand)
    drain.in_hand.drop(hand)
    expire(clock)

    assert (make.steps(late)["a"].attempt, make.steps(late)["a"].error) == (0, None)


@pytest.mark.parametrize("where", ["claim", "flush"])
def test_what_a_drain_lost_before_it_began_is_not_kept_alive_by_its_heartbeat(clock, monkeypatch, where):
    """docs/engine.md, "Leases": an explicit list of what it has in hand, never steps that it doesn't run."""
    reading = {"id": "b", "type": "text.clean", "params": {"max_chars": "{{ input.n }}"}, "queue": "default"}
    nodes = ["a", reading] if where == "flush" else [reading]
    make.start(make.graph(nodes, ["a>b"] if where == "flush" else []), {"n": 10})
    drain = Drain("default")

    def lose(name):
        if name == "read_scope":
            raise psycopg.OperationalError("the connection is gone")

    monkeypatch.setattr(named_sql, "watchers", [lose])
    held = hot.claim(queue="default", worker="w", cursor=0, limit=9) if where == "flush" else []
    with pytest.raises(psycopg.OperationalError):
        drain.flush([(held[0], Succeeded({}))], keep=9) if held else drain.claim(9)

    assert drain.in_hand._leases == {}


def test_a_heartbeat_between_the_sweep_s_look_and_its_write_wins(clock):
    """ "The sweep re-checks expiry inside its UPDATE"."""
    run_id = make.start(lone(), {}, {})[0]
    batch = make.claimed()
    clock.advance(31)
    found = hot.expired(10)
    hot.heartbeat([{"id": step.id, "epoch": step.epoch} for step in batch])

    assert len(found) == 2
    assert hand_back([step for step, _, _ in found], lost=True) == []
    assert make.statuses(run_id) == {"a": "RUNNING"}


def test_a_heartbeat_between_the_sweep_s_look_and_the_end_of_a_solo_attempt_wins(clock):
    run_id = make.start(lone())[0]
    step = make.claimed()[0]
    clock.advance(31)
    hot.heartbeat([{"id": step.id, "epoch": step.epoch}])

    result = advance([(step, Errored({"code": "LeaseLost"}, retryable=True, expired=True))])

    assert result.applied == set()
    assert make.statuses(run_id) == {"a": "RUNNING"}


def test_heartbeats_keep_a_lease_but_never_past_the_hard_deadline(clock):
    """H-28: what takes long is not done twice. H-36: and what hangs ends, whatever its heart says."""
    run_id = make.start(lone(lease_seconds=30, timeout_seconds=40))[0]
    step = make.claimed()[0]
    clock.advance(20)
    assert step.id in hot.heartbeat([{"id": step.id, "epoch": step.epoch}])

    left = make.steps(run_id)["a"].lease_expires_at - clock.now

    assert left.total_seconds() == 20


def test_a_hard_timeout_counts_even_in_company(clock):
    """The attempt's timeout is whose fault it is: it counts, alone or not."""
    runs = make.start(lone(timeout_seconds=10), {}, {})
    make.claimed()
    clock.advance(10)

    assert sweep() == 2

    for run_id in runs:
        step = make.steps(run_id)["a"]
        assert (step.status, step.attempt, step.error["code"]) == ("QUEUED", 1, "Timeout")


def test_a_late_completion_counts_while_nobody_else_has_the_step(clock):
    """C-5: accepted while the step was not claimed again."""
    run_id = make.start(lone(), {}, {})[0]
    batch = make.claimed()
    expire(clock)

    result = make.complete(*batch, output={"late": True})

    assert result.applied == {step.id for step in batch}
    assert make.run(run_id).output == {"late": True}


def test_a_late_completion_has_no_effect_once_somebody_else_has_the_step(clock):
    run_id = make.start(lone())[0]
    late = make.claimed(worker="first")
    expire(clock)
    again = make.claimed(worker="second")

    assert make.complete(*late, output="late").applied == set()
    assert make.complete(*again, output="good").applied == {again[0].id}
    assert make.run(run_id).output == "good"
    assert make.complete(*late, output="later").applied == set()


@pytest.mark.parametrize("retryable", [True, False])
def test_a_late_fail_has_no_effect(clock, retryable):
    """H-17: fails need the live token."""
    run_id = make.start(lone(), {}, {})[0]
    batch = make.claimed()
    expire(clock)

    assert make.fail(*batch, retryable=retryable).applied == set()
    assert make.statuses(run_id) == {"a": "QUEUED"}


def test_the_same_worker_that_claims_again_is_fenced_from_its_first_attempt(clock):
    """H-8: worker_id is no fence."""
    make.start(lone())
    first = make.claimed(worker="same")
    expire(clock)
    make.claimed(worker="same")

    assert make.complete(*first).applied == set()
    assert hot.heartbeat([{"id": first[0].id, "epoch": first[0].epoch}]) == {}


def test_the_epoch_rises_at_each_claim_and_never_falls(clock):
    run_id = make.start(lone())[0]
    epochs = []
    for _ in range(3):
        epochs.append(make.claimed()[0].epoch)
        expire(clock)
        epochs.append(make.steps(run_id)["a"].epoch)

    assert epochs == [1, 1, 2, 2, 3, 3]


def test_a_step_handed_back_unstarted_costs_no_attempt():
    run_id = make.start(lone(), {}, {})[0]
    batch = make.claimed()

    assert hand_back(batch) == ["default"]

    step = make.steps(run_id)["a"]
    assert (step.status, step.attempt, step.epoch, step.solo) == ("QUEUED", 0, 1, False)
    assert make.history(run_id)[1:] == ["STEP_RELEASED a"]


def test_a_step_handed_back_while_its_run_is_cancelled_is_not_queued_again(clock):
    run_id = make.start(make.graph("ab", []))[0]
    batch = make.claimed()
    make.cancel(run_id)

    hand_back(batch)

    assert "QUEUED" not in make.statuses(run_id).values()
    expire(clock)
    assert make.run(run_id).status == "CANCELLED"


def test_a_sweep_goes_on_until_all_that_is_lost_is_found(clock):
    runs = make.start(lone(timeout_seconds=31), *[{}] * 600)
    make.claimed(limit=1000)

    clock.advance(31)
    assert sweep(seconds=60) == 600

    assert {make.steps(run_id)["a"].attempt for run_id in runs[::50]} == {1}
    assert hot.expired(1000) == []


def test_a_lost_step_of_a_run_that_is_failing_is_unknown_and_runs_again_on_resume(clock):
    run_id = make.start(make.graph([{"id": "a", "retry": "none"}, "b"], []))[0]
    a, _ = make.claimed()
    make.fail(a)
    expire(clock)

    assert make.run(run_id).status == "FAILED"
    assert make.steps(run_id)["b"].cancel_cause == "unknown"
    make.resume(run_id)
    make.work()
    assert make.run(run_id).status == "COMPLETED"
