"""What is mended twice, or beside a step that goes on: nothing that was done gets lost (R-051, R-075)."""

import pytest

from runs.integrity.verify import verify
from runs.kernel.refused import RunRefused
from runs.models import Run
from tests import factories as make

pytestmark = pytest.mark.django_db

ONCE = {"retry": "none"}


@pytest.fixture(autouse=True)
def _told(db):
    """Each of these runs is what its history says."""
    yield
    assert list(verify(str(run) for run in Run.unsafe_all_tenants.values_list("pk", flat=True))) == []


def reminded(**extra):
    """A job beside which a reminder is sent after a minute, and a step that is independent of both."""
    work = {
        "id": "work",
        "type": "job",
        "queue": "outside",
        "boundary_timers": [{"after_seconds": 60, "interrupting": False, "to": "remind"}],
        **ONCE,
    }
    rest = [{"id": name, "type": "noop", **ONCE} for name in ("remind", "done", "other")]
    return make.graph([work, *rest], ["work>done"], **extra)


def rung(clock):
    """A run whose reminder was sent, with its job and the independent step in hand."""
    run_id = make.start(reminded())[0]
    (job,) = make.claimed("outside")
    (other,) = make.claimed()
    clock.advance(60)
    assert make.tick() == 1
    return run_id, job, other


def test_a_rerun_of_a_rerun_keeps_the_edges_that_timers_have_taken(clock):
    run_id, job, other = rung(clock)
    make.work()
    make.complete(job, output={"ok": 1})
    make.work()
    make.fail(other)

    again = make.rerun(run_id, "other")
    make.fail(*make.claimed())
    third = make.rerun(again, "other")
    make.work()

    assert make.statuses(again)["remind"] == "COMPLETED"
    assert make.statuses(third) == dict.fromkeys(("work", "remind", "done", "other"), "COMPLETED")
    assert make.run(third).output == make.run(third).output | {"done": {"ok": 1}}


def test_a_rerun_goes_on_with_another_version(clock):
    run_id, job, other = rung(clock)
    make.work()
    make.complete(job, output={"ok": 1})
    make.work()
    make.fail(other)
    again = make.rerun(run_id, "other")
    make.fail(*make.claimed())

    make.resume_on(again, make.newer(again, reminded(title="New")))
    make.work()

    assert make.run(again).status == "COMPLETED"


@pytest.mark.parametrize("verb", ["rerun", "resume_on"])
def test_what_a_timer_started_is_given_what_the_timer_gave_it(clock, verb):
    run_id, job, other = rung(clock)
    (remind,) = make.claimed()
    make.fail(remind)
    make.complete(job, output={"ok": 1})
    make.complete(other)
    assert make.run(run_id).status == "FAILED"

    if verb == "rerun":
        run_id = make.rerun(run_id, "remind")
    else:
        make.resume_on(run_id, make.newer(run_id, reminded(title="New")))
    make.work()

    assert make.run(run_id).status == "COMPLETED"
    assert make.steps(run_id)["remind"].output == {"timer_of": "work", "fired_at": remind.input["fired_at"]}


def test_a_step_that_goes_on_with_another_version_keeps_the_reminders_that_were_sent(clock):
    run_id, job, other = rung(clock)
    make.work()
    make.fail(other)
    make.fail(job)
    assert make.run(run_id).status == "FAILED"

    make.resume_on(run_id, make.newer(run_id, reminded(title="New")))

    assert make.pending_timers(run_id) == []
    make.complete(*make.claimed("outside"), output={"ok": 1})
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert make.history(run_id).count("STEP_COMPLETED remind") == 1


def test_what_is_kept_of_a_start_keeps_its_input_where_the_run_gets_another():
    definition = make.graph([{"id": "a", **ONCE}, {"id": "b", **ONCE}], [])
    run_id = make.start(definition, {"n": 1})[0]
    first, second = make.claimed()
    make.complete(first)
    make.fail(second)

    again = make.rerun(run_id, "b", {"n": 2})
    make.fail(*make.claimed())
    third = make.rerun(again, "b")

    assert make.steps(again)["a"].input == {"n": 1}
    assert make.steps(third)["a"].input == {"n": 1}


def test_a_run_of_an_archived_workflow_is_resumed_but_not_rerun(clock):
    run_id = make.start(make.graph([{"id": "a", **ONCE}], []))[0]
    make.fail(*make.claimed())
    workflow = make.run(run_id).version.workflow
    workflow.archived_at = clock.now
    workflow.save()

    with pytest.raises(RunRefused, match="is archived") as refused:
        make.rerun(run_id, "a")

    assert (refused.value.code, refused.value.conflict) == ("archived", True)
    make.resume(run_id)
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_what_is_kept_keeps_its_input_where_the_step_that_gave_it_is_done_again():
    run_id = make.start(make.graph([{"id": "a", **ONCE}, {"id": "b", **ONCE}], ["a>b"]), {"n": 1})[0]
    make.work()
    apart = make.newer(run_id, make.graph([{"id": "a", **ONCE}, {"id": "b", **ONCE}], []))

    again = make.rerun(run_id, "a", version=apart)
    make.fail(*make.claimed())

    step = make.steps(again)["b"]
    assert (step.status, step.input, step.input_from) == ("COMPLETED", {"n": 1}, None)


def test_a_rerun_says_from_where_why_and_with_what():
    run_id = make.start(make.graph([{"id": "a", **ONCE}, {"id": "b", **ONCE}], ["a>b"]), {"n": 1})[0]
    make.work()

    edited = make.events(make.rerun(run_id, "b", {"n": 2}), "RUN_STARTED")[0].payload
    plain = make.events(make.rerun(run_id, "b"), "RUN_STARTED")[0].payload

    assert (edited["rerun_of"], edited["from_node"], edited["reason"]) == (run_id, "b", "because")
    assert len(edited["input_digest"]) == len(edited["replaced_digest"]) == 64
    assert edited["input_digest"] != edited["replaced_digest"]
    assert (plain["from_node"], plain["reason"]) == ("b", "because")
    assert "input_digest" not in plain
