"""Who ends a wait: signals, timers, boundary timers, cancels, pauses; each race has exactly one winner."""

import pytest

from accounts.principal import EVERYWHERE, Principal
from accounts.roles import ADMIN, SCOPES
from runs.commands import dead_letters
from runs.commands.lifecycle import pause_runs, resolve_compensation
from runs.kernel.refused import RunRefused
from runs.maintenance import timers
from tests import factories as make
from tests.races.staging import blocked, holding

SIGNAL = {
    "id": "s",
    "type": "signal",
    "params": {"name": "x", "timeout_seconds": 60, "on_timeout": "continue"},
}
WAITS = make.graph([SIGNAL, "after"], ["s>after"])
GUARDED = make.graph(
    [{**SIGNAL, "boundary_timers": [{"after_seconds": 60, "to": "late"}]}, "after", "late"], ["s>after"]
)


def an_operator():
    tenant, user = make.a_tenant(), make.a_user()
    return Principal(
        tenant.pk, tenant.slug, user.pk, user.username, ADMIN, SCOPES, "command", reach=EVERYWHERE
    )


def waiting(definition=WAITS):
    run_id = make.start(definition)[0]
    make.work()
    assert make.statuses(run_id) == {"s": "WAITING"}
    return run_id


def endings(run_id):
    """How often the wait of a run ended."""
    return sum(
        event in ("STEP_COMPLETED s", "STEP_FAILED s", "STEP_CANCELLED s") for event in make.history(run_id)
    )


def test_a_signal_that_comes_while_the_step_begins_to_wait_is_not_lost(rounds):
    """docs/engine.md, "Waits": in one statement the lock would wait, and the snapshot be older than it."""
    for _ in rounds:
        run_id = make.start(WAITS)[0]
        with holding(lambda: make.work("engine"), before="take_signals"):
            sending = blocked(lambda run_id=run_id: make.send(run_id, "x", 1))
        sending.end()
        assert make.statuses(run_id)["s"] == "COMPLETED"


def test_a_step_that_begins_to_wait_while_a_signal_comes_finds_it(rounds):
    for _ in rounds:
        run_id = make.start(WAITS)[0]
        with holding(lambda run_id=run_id: make.send(run_id, "x", 1), before="signal_waits"):
            entering = blocked(lambda: make.work("engine"))
        entering.end()
        assert make.statuses(run_id)["s"] == "COMPLETED"


@pytest.mark.parametrize("first", ["signal", "timer"])
def test_a_signal_and_its_timeout(rounds, clock, first):
    for _ in rounds:
        run_id = waiting()
        clock.advance(60)

        def signal(run_id=run_id):
            return make.send(run_id, "x", 1)

        acts = {"signal": (signal, "take_signals"), "timer": (timers.fire, "advance")}
        winner, before = acts.pop(first)
        ((loser, _),) = acts.values()
        with holding(winner, before=before):
            behind = blocked(loser)
        behind.end()
        assert endings(run_id) == 1
        assert make.statuses(run_id)["s"] == ("COMPLETED" if first == "signal" else "FAILED")
        make.work()
        assert make.run(run_id).status == "COMPLETED"


def test_two_signals_at_once_one_serves_the_step_and_the_other_is_kept(rounds):
    for _ in rounds:
        run_id = waiting()
        with holding(lambda run_id=run_id: make.send(run_id, "x", 1), before="take_signals"):
            other = blocked(lambda run_id=run_id: make.send(run_id, "x", 2))
        assert other.end()
        assert endings(run_id) == 1
        assert make.steps(run_id)["s"].output == 1
        make.work()


def test_the_same_signal_twice_at_once_is_one(rounds):
    """H-10: the insert decides, nobody looks first."""
    for _ in rounds:
        run_id = waiting()
        with holding(lambda run_id=run_id: make.send(run_id, "x", 1, signal_id="e"), before="take_signals"):
            again = blocked(lambda run_id=run_id: make.send(run_id, "x", 1, signal_id="e"))
        assert again.end() is False
        assert make.history(run_id).count("SIGNAL_RECEIVED") == 1
        make.work()


@pytest.mark.parametrize("first", ["signal", "cancel"])
def test_a_signal_and_a_cancel(rounds, first):
    for _ in rounds:
        run_id = waiting()
        acts = {
            "signal": (lambda run_id=run_id: make.send(run_id, "x", 1), "take_signals"),
            "cancel": (lambda run_id=run_id: make.cancel(run_id), "close_runs"),
        }
        winner, before = acts.pop(first)
        ((loser, _),) = acts.values()
        with holding(winner, before=before):
            behind = blocked(loser)
        if first == "cancel":
            with pytest.raises(RunRefused, match="takes no more signals"):
                behind.end()
        else:
            behind.end()
        assert make.run(run_id).status == "CANCELLED"
        assert endings(run_id) == 1


@pytest.mark.parametrize("first", ["signal", "timer"])
def test_a_signal_and_a_boundary_timer(rounds, clock, first):
    for _ in rounds:
        definition = {**GUARDED, "nodes": [dict(node) for node in GUARDED["nodes"]]}
        definition["nodes"][0]["params"] = {"name": "x"}
        run_id = waiting(definition)
        clock.advance(60)
        acts = {
            "signal": (lambda run_id=run_id: make.send(run_id, "x", 1), "take_signals"),
            "timer": (timers.fire, "advance"),
        }
        winner, before = acts.pop(first)
        ((loser, _),) = acts.values()
        with holding(winner, before=before):
            behind = blocked(loser)
        behind.end()
        make.work()
        assert endings(run_id) == 1
        expected = {"s": "COMPLETED", "after": "COMPLETED", "late": "SKIPPED"}
        if first == "timer":
            expected = {"s": "CANCELLED", "after": "SKIPPED", "late": "COMPLETED"}
        assert make.statuses(run_id) == expected


def test_two_ticks_at_once_fire_a_timer_once(rounds, clock):
    """H-40: no lock is needed for that, the conditional update decides. H-9: so it does with a cancel."""
    for _ in rounds:
        run_id = waiting()
        clock.advance(60)
        with holding(timers.fire, before="advance"):
            other = blocked(timers.fire)
        other.end()
        assert endings(run_id) == 1
        make.work()


def test_a_claim_that_was_first_has_its_step_and_the_pause_holds_the_rest(rounds):
    for _ in rounds:
        run_id = make.start(make.graph(["a", "b"], []))[0]
        taken = []

        def work(taken=taken):
            taken.extend(make.claimed(limit=1))

        work()
        pause_runs(make.a_tenant().pk, [run_id], by="test")
        assert make.claimed() == []
        make.complete(*taken)
        held = [step.held for step in make.steps(run_id).values() if step.status == "QUEUED"]
        assert held == [True]
        make.cancel(run_id)


def test_two_people_settle_one_failed_compensation_and_one_does(rounds):
    undo = {"type": "job", "queue": "undo", "retry": "none"}
    definition = make.graph(
        [{"id": "a", "compensate": undo}, {"id": "b", "type": "text.clean", "retry": "none"}], ["a>b"]
    )
    for _ in rounds:
        run_id = make.start(definition)[0]
        make.work()
        make.fail(*make.claimed("undo"))
        tenant, step = make.a_tenant().pk, make.steps(run_id)["a:compensate"].pk

        def settle(how, run_id=run_id, tenant=tenant, step=step):
            resolve_compensation(tenant, run_id, step, how, by="test")

        with holding(lambda settle=settle: settle("done"), before="resolve_compensation"):
            other = blocked(lambda settle=settle: settle("retry"))
        with pytest.raises(RunRefused):
            other.end()
        assert make.run(run_id).status == "COMPENSATED"


@pytest.mark.parametrize(
    ("first", "second"), [("redrive", "redrive"), ("redrive", "resume"), ("resume", "redrive")]
)
def test_redrives_and_resumes_of_one_run_open_it_once(rounds, first, second):
    """Each is told: a redrive by its letter, a resume by a refusal."""
    for _ in rounds:
        run_id = make.start(make.chain("noop"))[0]
        make.fail(*make.claimed())
        (letter,) = make.letters(run_id)
        verbs = {
            "redrive": lambda letter=letter: dead_letters.redrive(an_operator(), [letter]),
            "resume": lambda run_id=run_id: make.resume(run_id),
        }
        with holding(verbs[first], before="reopen_runs") as winner:
            other = blocked(verbs[second])
        if second == "redrive":
            assert [why.code for why in other.end().refused.values()] == ["resolved"]
        else:
            with pytest.raises(RunRefused, match="Only a FAILED run"):
                other.end()
        assert winner.end() is None or not winner.end().refused
        assert (make.run(run_id).life, make.history(run_id).count("RUN_REOPENED")) == (2, 1)
        assert [letter.resolution for letter in make.letters(run_id)] == ["redriven"]
        make.work()
