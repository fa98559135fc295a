"""What attempts at steps say: kept with their end, once, within bounds, without secrets; heard while a step goes on."""

import threading

import pytest
from django.db import connection

from config.embedded.processes import wait_until
from lib import named_sql
from lib.masking import MASK, MOST_SECRETS, Masker
from runs.kernel import graphs
from runs.models import StepLog
from runs.reading.step_logs import said_by
from runs.workers import drain as drains
from runs.workers import execute, leases
from runs.workers.drain import Drain
from steps.attempt_log import line_text
from steps.base import StepContext, StepError, StepType
from tests import factories as make

TYPE = "test.talker"
NODE = {"id": "a", "type": TYPE, "retry": {"max_retries": 1, "base_seconds": 0, "jitter": 0}}


@pytest.fixture
def talker(monkeypatch):
    """A step type whose work is set by the test."""
    work = {"run": lambda context: context.input}
    step_type = StepType(
        name=TYPE,
        kind="inline",
        title="Talker",
        help="Says something.",
        icon="clock",
        group="test",
        example={"params": {}, "input": {}},
        run=lambda context: work["run"](context),
    )
    catalogue = {**graphs.EXECUTABLE, TYPE: step_type}
    monkeypatch.setattr(graphs, "EXECUTABLE", catalogue)
    monkeypatch.setattr(execute, "EXECUTABLE", catalogue)
    return work


def started(given=None, **node):
    return make.start(make.graph([NODE | node], []), {} if given is None else given)[0]


def texts(run_id, node="a"):
    return [
        (said.attempt, [line.text for line in said.lines], said.left_out)
        for said in said_by(make.a_tenant().pk, run_id, node)
    ]


@pytest.mark.django_db
def test_what_each_attempt_said_is_kept_with_how_it_ended(talker):
    def run(context: StepContext):
        context.log(f"attempt {context.attempt} begins")
        if context.attempt == 1:
            context.log("that went wrong", level="error")
            raise StepError("Boom", "It went wrong.", retryable=True)
        return {}

    talker["run"] = run
    run_id = started()
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert texts(run_id) == [(1, ["attempt 1 begins", "that went wrong"], 0), (2, ["attempt 2 begins"], 0)]
    assert [line.level for line in said_by(make.a_tenant().pk, run_id, "a")[0].lines] == ["info", "error"]


@pytest.mark.django_db
def test_a_step_that_says_nothing_costs_no_statement_and_lines_of_many_cost_one(talker):
    names = []
    named_sql.watchers.append(names.append)
    try:
        run_id = started()
        make.work()
        assert "keep_log" not in names
        talker["run"] = lambda context: [context.log(f"line {n}") for n in range(3)] and {}
        runs = make.start(make.graph([NODE], []), *[{}] * 5)
        make.work()
    finally:
        named_sql.watchers.remove(names.append)
    assert texts(run_id) == []
    assert names.count("keep_log") == 1
    assert [texts(one)[0][1] for one in runs] == [["line 0", "line 1", "line 2"]] * 5


@pytest.mark.django_db
def test_of_lines_that_are_too_many_or_too_long_is_said_how_much_is_left_out(talker):
    def run(context: StepContext):
        for n in range(500):
            context.log(f"{n} " + "x" * 5_000)
        context.log("with \x00 and \ud800")
        return {}

    talker["run"] = run
    run_id = started()
    make.work()
    [(_, lines, left_out)] = texts(run_id)
    assert (len(lines), left_out) == (200, 301)
    assert {len(line) for line in lines} == {2_000}
    assert lines[0].endswith("… (cut: the line had 5,002 characters)")
    assert StepLog.unsafe_all_tenants.filter(run_id=run_id).count() == 201


@pytest.mark.django_db
def test_secrets_that_a_step_was_given_are_masked(talker):
    talker["run"] = lambda context: context.log(f"{context.params} {context.input} hunter2!") or {}
    run_id = started(
        {"login": {"password": "hunter2!"}, "max_tokens": 100},
        params={"headers": {"Authorization": "Bearer sesame-sesame"}},
    )
    make.work()
    assert make.run(run_id).status == "FAILED", "the type takes no params"
    assert texts(run_id) == []
    run_id = started({"login": {"password": "hunter2!"}, "api_key": "sesame-sesame", "max_tokens": "twelve"})
    make.work()
    [(_, [line], _)] = texts(run_id)
    assert "hunter2!" not in line
    assert "sesame" not in line
    assert "twelve" in line


@pytest.mark.parametrize("before", [0, 1_990, 15_990, 15_999, 40_000])
def test_no_part_of_a_secret_is_left_wherever_a_line_is_cut(before):
    secret = "sesame-" * 300
    text = line_text("." * before + secret * 20, Masker([secret]))
    assert "sesame" not in text
    assert len(text) <= 2_000
    assert f"{before + 42_000:,} characters" in text


def test_of_more_secrets_than_are_looked_for_no_line_is_shown():
    few = Masker([f"secret-{n}" for n in range(MOST_SECRETS)])
    assert line_text("secret-499 of 500", few) == f"{MASK} of 500"
    many = Masker([f"secret-{n}" for n in range(MOST_SECRETS + 1)])
    assert line_text("secret-499 of 501", many) == MASK
    assert line_text("x" * 30_000, many).startswith(f"{MASK} … (cut")
    assert line_text("x", Masker(["y" * 300_000])) == MASK


def test_a_level_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="one of info, warning, error"):
        StepContext({}, {}, "r", "n", 1, "r/n").log("x", level="loud")


@pytest.mark.django_db(transaction=True)
def test_a_step_that_hangs_is_heard_and_its_lines_are_kept_once(talker, monkeypatch):
    monkeypatch.setattr(leases, "SAID_SECONDS", 0.0)
    go_on = threading.Event()

    def run(context: StepContext):
        context.log("before")
        assert go_on.wait(30)
        context.log("behind")
        return {}

    talker["run"] = run
    run_id = started()
    drain = Drain("default")
    drain.start()
    try:
        wait_until(lambda: texts(run_id) == [(1, ["before"], 0)], 10, "what it said")
        assert make.steps(run_id)["a"].status == "RUNNING"
        go_on.set()
        wait_until(lambda: make.run(run_id).status == "COMPLETED", 10, "its end")
    finally:
        go_on.set()
        drain.stop()
        drain.finish()
    assert texts(run_id) == [(1, ["before", "behind"], 0)]


@pytest.mark.django_db(transaction=True)
def test_lines_of_an_end_that_was_not_committed_are_neither_there_nor_lost(talker, monkeypatch):
    talker["run"] = lambda context: context.log("once") or {}
    run_id = started()
    (step,) = make.claimed()
    result = execute.execute(step)

    class Died(Exception):
        pass

    def hit(name):
        if name == "before_commit":
            raise Died

    monkeypatch.setattr("lib.crash_points.hit", hit)
    with pytest.raises(Died):
        drains.advance([(step, result)])
    monkeypatch.undo()
    connection.close()
    assert texts(run_id) == []
    drains.advance([(step, result)])
    drains.advance([(step, result)])
    assert texts(run_id) == [(1, ["once"], 0)]
