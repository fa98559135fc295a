"""The claim: who gets what, in which order, and what a row looks like then (docs/engine.md, "Claim", H-16, H-20)."""

import pytest

from runs.store import hot
from runs.store.jobs import Offer, claim_jobs
from runs.workers.drain import Drain
from tests import factories as make

pytestmark = pytest.mark.django_db


def lone(**node):
    return make.graph([{"id": "a", **node}], [])


def take(**how):
    return hot.claim(**{"queue": "default", "worker": "w", "cursor": 0, "limit": 100, **how})


def nodes(steps):
    return [step.node for step in steps]


class TestClaim:
    def test_sets_worker_epoch_attempt_lease_and_deadline_at_once(self, clock):
        run_id = make.start(lone(lease_seconds=20, timeout_seconds=50), {"n": 1})[0]

        held = take(worker="me")[0]

        step = make.steps(run_id)["a"]
        assert (step.status, step.worker, step.epoch, step.attempt) == ("RUNNING", "me", 1, 1)
        assert (step.lease_expires_at - clock.now).seconds == 20
        assert (step.hard_deadline - clock.now).seconds == 50
        assert step.started_at == clock.now
        assert (held.input, held.lease_seconds, held.epoch) == ({"n": 1}, 20, 1)

    def test_a_lease_is_never_longer_than_the_attempt_may_take(self, clock):
        run_id = make.start(lone(lease_seconds=30, timeout_seconds=5))[0]
        take()

        assert (make.steps(run_id)["a"].lease_expires_at - clock.now).seconds == 5

    def test_takes_no_more_than_the_limit(self):
        make.start(lone(), *[{}] * 10)

        assert [len(take(limit=4)) for _ in range(4)] == [4, 4, 2, 0]

    def test_higher_priority_goes_first_and_then_the_older(self, clock):
        for name, priority in (("a", 0), ("b", 5), ("c", 0), ("d", 5)):
            make.start(make.graph([{"id": name, "priority": priority}], []))
            clock.advance(1)

        assert nodes(take(limit=3)) == ["b", "d", "a"]

    def test_what_is_not_due_is_not_given(self, clock):
        run_id = make.start(lone())[0]
        make.fail(*take(), retryable=True)

        assert take() == []
        clock.advance(3)
        assert nodes(take()) == ["a"]
        assert make.steps(run_id)["a"].attempt == 2

    def test_held_steps_are_never_claimed_by_anybody(self):
        """Pausing sets `held`; the claim looks at nothing of the run."""
        for solo in (False, True):
            step = make.steps(make.start(lone(queue="mine"))[0])["a"]
            make.change(str(step.id), held=True, solo=solo)
        jobs = {"tenant": make.a_tenant().pk, "queues": ["mine"]}

        assert take(queue="mine") == []
        assert hot.claim_alone(queue="mine", worker="w") == []
        for alone in (False, True):
            assert claim_jobs(**jobs, offers=[Offer("w", 0, b"x")] * 9, alone=alone) == []
        assert hot.queues_with_work(["mine"]) == []

    def test_of_many_held_steps_at_the_head_none_keeps_the_others_waiting(self):
        for run_id in make.start(lone(priority=9), *[{}] * 50):
            make.change(str(make.steps(run_id)["a"].id), held=True)
        make.start(make.graph("b", []))

        assert nodes(take()) == ["b"]

    def test_each_of_many_tenants_gets_its_share(self):
        for number in range(5):
            make.start(lone(), *[{}] * 40, tenant=make.a_tenant(f"t{number}"))

        found = take(limit=20)

        assert len(found) == 20
        assert {
            [step.tenant_id for step in found].count(tenant) for tenant in {s.tenant_id for s in found}
        } == {4}

    def test_more_tenants_than_one_claim_serves_are_served_in_turn(self):
        for number in range(40):
            make.start(lone(), *[{}] * 10, tenant=make.a_tenant(f"t{number}"))
        drain = Drain("default")
        served = set()
        for _ in range(2):
            batch = drain.claim(32)
            drain.in_hand.drop(batch)
            served |= {step.tenant_id for step in batch}

        assert len(served) == 40

    def test_tenants_whose_steps_are_not_due_do_not_hide_the_work_of_those_behind_them(self, clock):
        """ "Nothing may ever be silently stuck": a claim looks at 32 tenants, and all of them may be backing off."""
        for number in range(35):
            make.start(lone(), tenant=make.a_tenant(f"t{number}"))
        while waiting := take():
            make.fail(*waiting, retryable=True)
        make.start(make.graph("b", []), tenant=make.a_tenant("zz"))

        drain = Drain("default")
        found = drain.claim(100)
        drain.in_hand.drop(found)

        assert nodes(found) == ["b"]

    def test_the_input_is_the_output_it_is_taken_from(self):
        make.start(make.chain("noop", "noop"), {"n": 1})
        make.complete(*take(), output={"from": "a"})

        assert [(step.node, step.input) for step in take()] == [("b", {"from": "a"})]

    def test_only_a_step_that_is_taken_alone_is_marked_so(self):
        runs = make.start(lone(), {}, {})
        take()
        assert {make.steps(run_id)["a"].solo for run_id in runs} == {False}
        run_id = make.start(lone())[0]
        take()
        assert make.steps(run_id)["a"].solo is True


class TestClaimAlone:
    def test_gives_the_oldest_and_one_only(self, clock):
        for name in "ab":
            step = make.steps(make.start(make.graph(name, []))[0])[name]
            make.change(str(step.id), solo=True)
            clock.advance(1)

        assert nodes(hot.claim_alone(queue="default", worker="w")) == ["a"]
        assert nodes(hot.claim_alone(queue="default", worker="w")) == ["b"]

    def test_gives_nothing_that_need_not_run_alone(self):
        make.start(lone())

        assert hot.claim_alone(queue="default", worker="w") == []


class TestClaimJobs:
    def poll(self, queues=("mine",), limit=9, tenant=None, alone=False):
        offers = [Offer("w", 0, bytes([place])) for place in range(1, limit + 1)]
        tenant = (tenant or make.a_tenant()).pk
        return claim_jobs(tenant=tenant, queues=queues, offers=offers, alone=alone)

    def test_gives_every_job_a_token_of_its_own(self):
        runs = make.start(lone(queue="mine"), *[{}] * 4)

        found = self.poll()

        hashes = {
            str(step.id): bytes(step.lease_token_hash) for run in runs for step in make.steps(run).values()
        }
        assert {one.step.id: bytes([one.place + 1]) for one in found} == hashes
        assert len(set(hashes.values())) == 4

    def test_gives_no_other_tenant_s_job_and_none_of_another_queue(self):
        make.start(lone(queue="mine"), tenant=make.a_tenant("other"))
        make.start(lone(queue="yours"))

        assert self.poll() == []

    def test_takes_no_more_than_the_limit_from_all_queues_together(self):
        make.start(lone(queue="mine"), *[{}] * 3)
        make.start(lone(queue="yours"), *[{}] * 3)

        assert len(self.poll(("mine", "yours"), limit=4)) == 4
        assert len(self.poll(("mine", "yours"), limit=4)) == 2

    def test_one_job_alone_is_marked_so_and_several_are_not(self):
        runs = make.start(lone(queue="mine"), *[{}] * 3)
        self.poll(limit=2)
        self.poll(limit=1)

        assert sorted(make.steps(run_id)["a"].solo for run_id in runs) == [False, False, True]
