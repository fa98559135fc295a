"""The check of ended runs: what differs is found without anybody asking, and a pass stays small (R-210)."""

import psycopg
import pytest

import runs.duties  # noqa: F401 (the duties)
from config.history_findings import of_history
from lib import named_sql
from runs.maintenance import duties, histories, seals
from runs.models import HistoryCheck, HistoryDifference, Run, StepExecution
from runs.reading.histories import history_standing
from tests import factories as make
from tests.store.watching import watching

pytestmark = pytest.mark.django_db
HOUR = 3_700


@pytest.fixture
def ended(clock):
    """Makes so many runs that ended some time ago; gives their ids in order."""

    def runs(count):
        ids = sorted(make.start(make.chain("noop"), *[{"n": n} for n in range(count)]))
        make.work()
        seals.seal()
        clock.advance(HOUR)
        return ids

    return runs


@pytest.fixture
def spoil():
    """Changes a row behind the back of history, or puts it right; in the end all are."""
    steps = {}

    def change(run_id, attempt=7):
        steps[run_id] = str(make.steps(run_id)["a"].pk)
        make.change(steps[run_id], attempt=attempt)

    yield change
    for step in steps.values():
        make.change(step, attempt=1)


def differing():
    return list(HistoryDifference.unsafe_all_tenants.order_by("run_id").values_list("run_id", "differences"))


def standing():
    one = history_standing()
    return one.runs, one.left_out, one.ended_at is not None


def test_a_run_that_was_changed_is_found_and_forgotten_when_it_is_as_it_was(ended, spoil, clock):
    _, bad = ended(2)
    spoil(bad)
    assert histories.check() == 2
    [(found, count)] = differing()
    assert (str(found), count) == (bad, 1)
    row = HistoryDifference.unsafe_all_tenants.get()
    assert row.detail.startswith("a: attempt: expected 1, found 7")
    assert (row.tenant_id, row.workflow_id) == (make.a_tenant().pk, make.run(bad).workflow_id)
    spoil(bad, attempt=1)
    assert histories.check() == 0, "a round at most each hour"
    clock.advance(HOUR)
    assert histories.check() == 2
    assert differing() == []


def test_a_round_is_over_when_all_were_checked(ended):
    ended(3)
    histories.check()
    assert standing() == (3, 0, True)


def test_open_runs_test_runs_and_those_of_a_moment_ago_are_left_alone(ended, clock):
    make.start(make.chain("job"))
    trial, _ = ended(2)
    Run.unsafe_all_tenants.filter(pk=trial).update(is_test=True)
    make.start(make.chain("noop"))
    make.work()
    assert histories.check() == 1


def test_a_pass_goes_on_where_the_last_one_ended_in_whichever_process(ended, spoil, monkeypatch):
    runs = ended(5)
    for bad in runs:
        spoil(bad)
    monkeypatch.setattr(histories, "BATCH", 2)
    assert histories.check(seconds=0) == 2
    assert [str(run) for run, _ in differing()] == runs[:2]
    assert str(HistoryCheck.objects.get().after) == runs[1]
    assert history_standing().reached is not None
    assert [histories.check(seconds=0) for _ in range(3)] == [2, 1, 0]
    assert [str(run) for run, _ in differing()] == runs
    assert standing() == (5, 0, True)


def test_a_killed_pass_is_done_again_from_the_last_batch_that_was_noted(ended, spoil, monkeypatch):
    runs = ended(4)
    spoil(runs[3])
    monkeypatch.setattr(histories, "BATCH", 2)
    histories.check(seconds=0)

    def die(name):
        if name == "note_history_check":
            raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(named_sql, "watchers", [die])
        with pytest.raises(KeyboardInterrupt):
            histories.check()
    assert differing() == []
    assert histories.check() == 2
    assert [str(run) for run, _ in differing()] == [runs[3]]


def test_histories_beyond_the_limit_are_left_out_and_counted(ended, monkeypatch):
    ended(2)
    monkeypatch.setattr(histories, "VERIFIED_EVENTS", 2)
    assert histories.check() == 0
    assert standing() == (0, 2, True)


def test_a_run_that_nobody_can_read_differs_and_one_that_takes_too_long_is_left_out(ended, monkeypatch):
    unreadable, slow, _ = ended(3)
    verify = histories.verify

    def fails(runs):
        if unreadable in runs:
            raise ValueError("no such event")
        if slow in runs:
            raise psycopg.errors.QueryCanceled("statement timeout")
        return verify(runs)

    monkeypatch.setattr(histories, "verify", fails)
    assert histories.check() == 2
    row = HistoryDifference.unsafe_all_tenants.get()
    assert (str(row.run_id), "no such event" in row.detail) == (unreadable, True)
    assert standing() == (2, 1, True)


def test_a_pass_sends_as_many_statements_for_many_runs_as_for_one(ended, clock):
    counts = []
    for count in (1, 1, 30):
        ended(count)
        with watching() as seen:
            histories.check()
        counts.append(seen.trips)
    assert counts[1] == counts[2] <= 8, counts


def test_a_pass_has_an_end_however_many_runs_there_are(ended, monkeypatch):
    ended(12)
    monkeypatch.setattr(histories, "BATCH", 1)
    monkeypatch.setattr(histories, "HISTORY_BATCHES", 5)
    with watching() as seen:
        assert histories.check(seconds=60) == 5
    assert len(seen.named) == 1 + 3 * 5
    assert not any("BEGIN" in one for one in seen.orm)


def test_what_differs_changes_no_run(ended, spoil):
    [bad] = ended(1)
    spoil(bad)
    before = StepExecution.unsafe_all_tenants.values().get(run_id=bad)
    histories.check()
    assert StepExecution.unsafe_all_tenants.values().get(run_id=bad) == before


def test_the_doctor_says_how_far_the_check_is_and_what_differs(ended, spoil, monkeypatch):
    assert "never checked yet" in doctor()
    _, bad = ended(2)
    spoil(bad)
    monkeypatch.setattr(histories, "BATCH", 1)
    histories.check(seconds=0)
    assert "1 of this round, up to those started 20" in doctor()
    duties.do("history", "w")
    said = doctor()
    assert "problem 1 ended runs differ from what their history says" in said
    assert "2 of this round, all by 20" in said
    assert "(last 20" in said


def doctor():
    return "\n".join(f"{one.level} {one.text}" for one in of_history())
