"""The statements that close, end and reopen runs, write dead letters, and those that fire joins and finish."""

import pytest

from lib.uuid7 import uuid7
from runs.models import Run
from runs.store import hot
from tests import factories as make

pytestmark = pytest.mark.django_db


def lone(*, running=False, **extra):
    run_id = make.start(make.graph("ab", []), **extra)[0]
    return run_id, make.claimed() if running else []


def in_status(status):
    run_id, _ = lone()
    Run.unsafe_all_tenants.filter(pk=run_id).update(status=status)
    return run_id


class TestCloseRuns:
    @pytest.mark.parametrize(
        ("status", "to", "closes"),
        [
            ("RUNNING", "FAILING", True),
            ("PAUSED", "FAILING", True),
            ("RUNNING", "CANCELLING", True),
            ("PAUSED", "CANCELLING", True),
            ("FAILING", "CANCELLING", True),
            ("CANCELLING", "FAILING", False),
            ("FAILING", "FAILING", False),
            ("COMPENSATING", "FAILING", False),
        ],
    )
    def test_closes_open_runs_and_lets_a_cancel_overtake_a_failure(self, status, to, closes):
        run_id = in_status(status)

        closed = hot.close_runs([{"run_id": run_id, "status": to, "error": {"code": "x"}}])

        assert closed == ([run_id] if closes else [])
        assert make.run(run_id).status == (to if closes else status)

    def test_the_first_error_stays(self):
        run_id, _ = lone()
        hot.close_runs([{"run_id": run_id, "status": "FAILING", "error": {"code": "first"}}])
        hot.close_runs([{"run_id": run_id, "status": "CANCELLING", "error": {"code": "second"}}])

        assert make.run(run_id).error == {"code": "first"}


class TestEndClosingRuns:
    @pytest.mark.parametrize(("closing", "end"), [("FAILING", "FAILED"), ("CANCELLING", "CANCELLED")])
    def test_ends_a_run_in_which_nothing_runs(self, closing, end):
        run_id = in_status(closing)

        assert hot.end_closing_runs([run_id]) == 0, "it has no parent that was to be told"
        assert make.run(run_id).status == end
        assert make.run(run_id).completed_at is not None
        assert make.history(run_id)[-1] == f"RUN_{end}"

    def test_awaits_running_steps(self):
        run_id, _ = lone(running=True)
        Run.unsafe_all_tenants.filter(pk=run_id).update(status="FAILING")

        hot.end_closing_runs([run_id])
        assert make.run(run_id).status == "FAILING"

    def test_leaves_open_runs_alone(self):
        run_id, _ = lone()

        hot.end_closing_runs([run_id])
        assert make.run(run_id).status == "RUNNING"


class TestBury:
    def test_only_failed_steps_have_dead_letters(self):
        run_id, (a, b) = lone(running=True)
        make.change(a, status="FAILED", error={"code": "Boom"}, attempt=3)
        hot.insert_dead_letters([{"id": uuid7(), "step_id": step.id} for step in (a, b)])

        letter = make.letters(run_id)[0]
        assert (len(make.letters(run_id)), letter.node, letter.attempts) == (1, "a", 3)
        assert letter.error == {"code": "Boom"}


class TestFireJoins:
    def fire(self, run_id, sources=("a",)):
        return hot.fire_joins([{"run_id": run_id, "node": "z", "sources": list(sources)}])

    def test_fires_once_and_gives_the_outputs_of_the_chosen_sources(self):
        run_id, (a, b) = lone(running=True)
        make.change(a, output={"n": 1})
        make.change(b, output={"n": 2})
        make.JoinFactory(run_id=run_id)

        assert self.fire(run_id) == [(run_id, "z", {"a": {"n": 1}})]
        assert self.fire(run_id) == []
        assert make.joins(run_id)["z"].fired

    def test_a_join_that_nothing_has_reached_does_not_fire(self):
        run_id, _ = lone()

        assert self.fire(run_id) == []


class TestFinishRuns:
    def finish(self, run_id, sinks, status="RUNNING"):
        Run.unsafe_all_tenants.filter(pk=run_id).update(open_sinks=sinks, status=status)
        hot.finish_runs([{"run_id": run_id, "output": {"done": True}}])
        return make.run(run_id)

    @pytest.mark.parametrize("status", ["RUNNING", "PAUSED"])
    def test_completes_open_runs_whose_sinks_are_resolved(self, status):
        run = self.finish(lone()[0], 0, status)

        assert (run.status, run.output) == ("COMPLETED", {"done": True})

    @pytest.mark.parametrize(("sinks", "status"), [(1, "RUNNING"), (0, "FAILING"), (0, "CANCELLING")])
    def test_leaves_others_as_they_are(self, sinks, status):
        run = self.finish(lone()[0], sinks, status)

        assert (run.status, run.output) == (status, None)


class TestExpired:
    def test_finds_running_steps_whose_lease_is_over_and_no_others(self, clock):
        lone(running=True)
        assert hot.expired(10) == []
        clock.advance(31)
        lone()

        assert {held.node for held, _, _ in hot.expired(10)} == {"a", "b"}
        assert len(hot.expired(1)) == 1
        assert [timed_out for _, timed_out, _ in hot.expired(10)] == [False, False]


class TestQueuesWithWork:
    def test_names_the_queues_that_have_something_due(self, clock):
        make.start(make.graph([{"id": "a", "queue": "blocking"}], []))

        assert hot.queues_with_work(["default", "blocking"]) == ["blocking"]
        assert hot.queues_with_work(["blocking"], older_seconds=3) == []
        clock.advance(3)
        assert hot.queues_with_work(["blocking"], older_seconds=3) == ["blocking"]
        make.claimed("blocking")
        assert hot.queues_with_work(["blocking"]) == []


class TestHeartbeat:
    def test_says_how_long_and_whether_the_run_is_closing(self, clock):
        run_id, (a, _) = lone(running=True)
        clock.advance(10)

        expires, status = hot.heartbeat([{"id": a.id, "epoch": a.epoch, "progress": {"done": 3}}])[a.id]

        assert status == "RUNNING"
        assert make.steps(run_id)["a"].progress == {"done": 3}
        assert (make.steps(run_id)["a"].lease_expires_at - clock.now).seconds == 30
        assert expires.startswith("2031-01-01T09:00:40")
