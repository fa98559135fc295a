"""Duties are done by whoever lives: noted in the database, taken over after a silence, kept by nobody who hangs."""

import sys

import pytest
from django.db import connection

from config.beat import ticks
from config.duties import register
from runs.maintenance import duties
from runs.maintenance.duties import Duty
from runs.reading import readiness
from runs.workers import process, tasks
from tests.architecture.sources import PRODUCT, source

pytestmark = pytest.mark.django_db

done = []


@pytest.fixture(autouse=True)
def two(monkeypatch):
    """A duty of every second and one that always fails; nothing else."""
    done.clear()
    monkeypatch.setattr(duties, "_duties", {})
    duties.register(
        Duty("timers", 1.0, lambda: done.append("timers") or 1), Duty("broken", 1.0, lambda: 1 // 0)
    )


def sql(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)


def age(seconds):
    """Everything that is noted was so many seconds earlier."""
    sql(
        f"UPDATE runs_duty SET begun_at = begun_at - interval '{seconds} s', done_at = done_at - interval '{seconds} s'"
    )


def names(found):
    return [duty.name for duty in found]


def test_two_ticks_at_one_moment_do_a_duty_once():
    assert [duties.do("timers", "one"), duties.do("timers", "two")] == [1, 0]
    age(1)
    assert duties.do("timers", "two") == 1
    assert done == ["timers", "timers"]


def test_who_hangs_at_a_duty_keeps_it_for_seconds_only():
    duties.do("timers", "one")
    sql("UPDATE runs_duty SET done_at = NULL, begun_at = clock_timestamp() - interval '3 s'")
    assert duties.do("timers", "two") == 0
    age(3)
    assert duties.do("timers", "two") == 1


def test_a_duty_that_nobody_began_for_five_seconds_is_everybodys():
    duties.do("timers", "ticks")
    age(4)
    assert "timers" not in names(duties.overdue("other", lived=0.0))
    age(2)
    assert names(duties.overdue("other", lived=0.0)) == ["timers"]


def test_who_took_over_goes_on_every_second_until_the_clock_is_back():
    duties.do("timers", "other")
    age(2)
    assert names(duties.overdue("other", lived=0.0)) == ["timers"]
    duties.do("timers", "ticks")
    age(2)
    assert names(duties.overdue("other", lived=0.0)) == []


def test_nobody_waits_for_a_silence_that_is_known():
    duties.do("timers", "ticks")
    age(2)
    assert "timers" in names(duties.overdue("other", lived=0.0, hears_ticks=False))


def test_a_duty_that_nobody_ever_began_is_overdue_after_a_while():
    assert names(duties.overdue("other", lived=3.0)) == []
    assert names(duties.overdue("other", lived=6.0)) == ["timers", "broken"]


def test_who_is_the_clock_does_each_duty_when_its_time_has_come():
    duties.register(Duty("seldom", 5.0, lambda: 1))
    assert names(duties.due()) == ["timers", "broken", "seldom"]
    for name in ("timers", "seldom"):
        duties.do(name, "ticks")
    assert names(duties.due()) == ["broken"]
    age(1)
    assert names(duties.due()) == ["timers", "broken"]
    age(4)
    assert names(duties.due()) == ["timers", "broken", "seldom"]


def test_the_worker_of_the_ticks_is_the_clock_where_there_is_no_beat(settings):
    ticks, other = process.WorkerProcess("ticks"), process.WorkerProcess("engine")
    assert names(ticks._overdue(0.0)) == []
    settings.HANDOFF_DISPATCH = "polling"
    assert names(ticks._overdue(0.0)) == ["timers", "broken"]
    assert names(other._overdue(0.0)) == []
    assert names(other._overdue(6.0)) == ["timers", "broken"]


def test_of_two_clocks_one_does_each_duty():
    one, two = duties.due(), duties.due()
    assert [duties.do(duty.name, "one") for duty in one if duty.name == "timers"] == [1]
    assert [duties.do(duty.name, "two") for duty in two if duty.name == "timers"] == [0]


def test_a_duty_that_fails_keeps_no_other_from_being_done_and_is_told(caplog):
    worker = process.WorkerProcess("engine")
    for duty in duties.overdue(worker.drain.worker, lived=9.0):
        worker._do(duty)
    assert done == ["timers"]
    assert "The duty broken failed" in caplog.text
    assert duties.at_it(0.0) is None
    sql("UPDATE runs_duty SET done_at = done_at - interval '6 min' WHERE name = 'broken'")
    standing = readiness.standing()
    assert standing.undone == ("broken",)
    assert not standing.checks()["ticks"]


def test_a_statement_of_a_duty_takes_seconds_at_most_and_others_as_long_as_ever():
    def limit():
        with connection.cursor() as cursor:
            cursor.execute("SHOW statement_timeout")
            return cursor.fetchone()[0]

    usual, seen = limit(), []
    duties.register(Duty("looking", 1.0, lambda: seen.append(limit()) or 1))
    assert (duties.do("looking", "one"), seen, limit()) == (1, ["5s"], usual)
    with pytest.raises(ZeroDivisionError):
        duties.do("broken", "one")
    assert limit() == usual


def test_a_duty_that_only_another_release_knows_is_ignored_and_logged(caplog):
    assert duties.do("later", "one") == 0
    assert [record.getMessage() for record in caplog.records] == [
        "A tick for the duty 'later' is ignored: this host has no such duty"
    ]


def test_what_this_process_is_at_for_too_long_is_known_to_its_watchdog():
    def work():
        wrong.append(worker._hangs_at_a_duty())
        return 0

    worker, wrong = process.WorkerProcess("ticks"), []
    duties.register(Duty("long", 1.0, work))
    process_seconds, process.HUNG_SECONDS = process.HUNG_SECONDS, -1.0
    try:
        duties.do("long", "one")
    finally:
        process.HUNG_SECONDS = process_seconds
    assert wrong == ["it does not come back from the duty long"]
    assert worker._hangs_at_a_duty() is None


def test_a_worker_that_takes_no_messages_though_some_wait_is_known_to_its_watchdog(monkeypatch):
    class Line:
        waiting = 3

        def backlog(self, _queue):
            return self.waiting

        def wake(self, _queues, **_):
            """A heartbeat of an earlier test may hand back what nobody is at any more."""

    def looks(*, later=0.0):
        worker._count_backlog()
        worker._backlog_since = worker._backlog_since and worker._backlog_since - later
        worker.heard_at -= later
        return worker._is_deaf()

    worker, line = process.WorkerProcess("ticks"), Line()
    monkeypatch.setattr(process.dispatch, "dispatcher", lambda: line)
    assert looks() is None
    assert looks(later=process.DEAF_SECONDS) == "it takes no messages any more"
    worker.heard()
    assert looks() is None
    assert looks(later=process.DEAF_SECONDS) == "it takes no messages any more"
    line.waiting = 0
    assert looks() is None


def test_the_watchdog_of_the_ticks_asks_all_that_may_keep_them_from_going_on(monkeypatch):
    class Watching:
        def __init__(self, checks):
            asked.extend(checks)

        def start(self): ...

    asked, worker = [], process.WorkerProcess("ticks")
    monkeypatch.setattr(process, "Watchdog", Watching)
    monkeypatch.setattr(worker, "_keep_time", lambda: None)
    worker.start()
    assert asked == [worker.overrun, worker._ticks.complaint, worker._is_deaf, worker._hangs_at_a_duty]


def test_the_duties_of_each_installed_app_are_known(monkeypatch):
    monkeypatch.undo()
    register()
    known = {duty.work.__module__.partition(".")[0] for duty in duties.all_duties()}
    assert known >= {"accounts", "runs", "tasks_inbox"}
    modules = {path for path in PRODUCT if "duties.register(" in source(path)}
    assert {path for path in modules if path.removesuffix(".py").replace("/", ".") not in sys.modules} <= {
        "config/celery.py",
        "config/worker.py",
        "tasks_inbox/duties/__init__.py",
    }


def test_the_clock_sends_a_tick_for_each_duty_as_often_as_it_says_to_who_does_it():
    duties.register(Duty("slow", 5.0, lambda: 0, is_slow=True), Duty("aside", 1.0, lambda: 0, aside=True))
    sent = ticks()
    assert {name: (each["schedule"], *each["options"].values()) for name, each in sent.items()} == {
        "timers": (1.0, "ticks", 1.0),
        "broken": (1.0, "ticks", 1.0),
        "slow": (5.0, "blocking", 5.0),
        "aside": (1.0, "blocking", 1.0),
    }
    each = sent["timers"]
    assert each["task"] == tasks.tick.name
    assert tasks.tick(*each["args"]) == 1
    assert done == ["timers"]
