"""A run and the one that it began: who ends which, and who is told what, at the same moment."""

import pytest

from runs.commands import items
from runs.commands.lifecycle import cancel_runs, pause_runs, unpause_runs
from runs.kernel import messages
from runs.kernel.refused import RunRefused
from runs.models import Run, RunMessage
from tests import factories as make
from tests.races.staging import Actor, blocked, holding


def begun():
    """A run that waits for another one, and a step of that in hand."""
    child = make.a_version(make.chain("noop")).workflow.name
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child}}
    run_id = make.start(make.graph([sub, "after"], ["sub>after"]), {"n": 1})[0]
    make.work("engine")
    (step,) = make.claimed()
    return run_id, step


def child_of(run_id):
    return Run.unsafe_all_tenants.get(parent_id=run_id)


def test_a_parent_that_is_cancelled_while_its_child_ends_waits_for_nobody(rounds):
    """If they locked each other they would wait for ever."""
    tenant = make.a_tenant().pk
    for _ in rounds:
        run_id, step = begun()
        with holding(lambda step=step: make.complete(step), before="advance"):
            cancel_runs(tenant, [run_id], by="test")
        make.work()
        assert (make.run(run_id).status, child_of(run_id).status) == ("CANCELLED", "COMPLETED")
        assert not RunMessage.unsafe_all_tenants.exists()


def test_a_child_that_ends_while_it_is_told_to(rounds):
    tenant = make.a_tenant().pk
    for _ in rounds:
        run_id, step = begun()
        cancel_runs(tenant, [run_id], by="test")
        with holding(lambda step=step: make.complete(step), before="advance"):
            telling = blocked(messages.deliver)
        telling.end()
        assert child_of(run_id).status == "COMPLETED"
        assert not RunMessage.unsafe_all_tenants.exists()


def test_of_two_that_deliver_one_does(rounds):
    for _ in rounds:
        run_id, step = begun()
        make.complete(step)
        with holding(messages.deliver, before="waiters"):
            assert Actor(messages.deliver).end() == 0
        make.work()
        assert make.run(run_id).status == "COMPLETED"
        assert make.history(run_id).count("STEP_COMPLETED sub") == 1


def test_the_end_of_a_child_is_told_to_a_run_that_is_paused_meanwhile(rounds):
    tenant = make.a_tenant().pk
    for _ in rounds:
        run_id, step = begun()
        make.complete(step)
        with holding(messages.deliver, before="waiters"):
            behind = blocked(lambda run_id=run_id: pause_runs(tenant, [run_id], by="test"))
        behind.end()
        assert make.statuses(run_id) == {"sub": "COMPLETED", "after": "QUEUED"}
        assert make.steps(run_id)["after"].held


def test_a_child_begins_in_the_transaction_in_which_its_step_begins_to_wait(rounds):
    tenant = make.a_tenant().pk
    for _ in rounds:
        child = make.a_version(make.chain("noop")).workflow.name
        sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child}}
        run_id = make.start(make.graph([sub], []), {"n": 1})[0]
        with holding(lambda: make.work("engine"), before="insert_runs"):
            cancelling = blocked(lambda run_id=run_id: cancel_runs(tenant, [run_id], by="test"))
        cancelling.end()
        make.work()
        assert (make.run(run_id).status, child_of(run_id).status) == ("CANCELLED", "CANCELLED")


def paused_child():
    """A run, and its child that was paused by itself."""
    child = make.a_version(make.chain("noop")).workflow.name
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child}}
    run_id = make.start(make.graph([sub], []), {"n": 1})[0]
    make.work("engine")
    below = str(child_of(run_id).pk)
    make.pause(below)
    return run_id, below


def test_an_unpause_before_the_pause_of_the_parent_is_undone_by_it(rounds):
    tenant = make.a_tenant().pk
    for _ in rounds:
        run_id, below = paused_child()
        # It has seen that nothing above is paused.
        with holding(lambda below=below: unpause_runs(tenant, [below], by="ann"), before="pause_runs"):
            make.pause(run_id)
            telling = blocked(messages.deliver)
        telling.end()
        assert make.run(below).status == "PAUSED"
        assert make.steps(below)["a"].held
        make.unpause(run_id)
        make.work()
        assert make.run(run_id).status == "COMPLETED"


def test_an_unpause_behind_the_pause_of_the_parent_is_refused(rounds):
    tenant = make.a_tenant().pk
    for _ in rounds:
        run_id, below = paused_child()
        late = Actor(lambda below=below: unpause_runs(tenant, [below], by="ann"), before="standing_above")
        late.until_halted()
        make.pause(run_id)
        with pytest.raises(RunRefused, match=f"while the run {run_id} above it"):
            late.end()
        messages.deliver()
        assert make.run(below).status == "PAUSED"


def test_a_resume_before_the_pause_of_the_parent_is_paused_by_it(rounds):
    tenant = make.a_tenant().pk
    for _ in rounds:
        run_id, step = begun()
        below = step.run_id
        make.fail(step)
        # The parent has not heard of it yet.
        RunMessage.unsafe_all_tenants.filter(kind="child_ended").delete()
        with holding(lambda below=below: items.resume_run(tenant, below, by="ann"), before="reopen_runs"):
            make.pause(run_id)
            telling = blocked(messages.deliver)
        telling.end()
        assert make.run(below).status == "PAUSED"
        assert make.steps(below)["a"].held
        make.unpause(run_id)
        make.work()
        assert make.run(run_id).status == "COMPLETED"
