"""How long a run was at work, and how long it waited for people."""

from datetime import UTC, datetime, timedelta

from runs.reading.times import Times, times_of

START = datetime(2026, 1, 5, 9, tzinfo=UTC)


def at(seconds):
    return None if seconds is None else START + timedelta(seconds=seconds)


def step(type_, begun, ended):
    return {"type": type_, "started_at": at(begun), "completed_at": at(ended)}


def test_what_went_on_at_the_same_time_counts_once():
    steps = [step("noop", 0, 10), step("noop", 2, 5), step("job", 8, 12), step("http.request", 20, 21)]
    assert times_of(steps, at(60)) == Times(machine=13_000, people=0)


def test_people_are_apart_and_what_goes_on_counts_until_now():
    steps = [step("human.approval", 0, 30), step("human.form", 50, None), step("noop", 30, 31)]
    assert times_of(steps, at(60)) == Times(machine=1_000, people=40_000)


def test_waits_containers_and_what_has_not_begun_are_neithers():
    steps = [step("wait", 0, 9), step("map", 0, 9), step("noop", None, None), step("unknown", 0, 9)]
    steps.append(step("noop", 0, 9) | {"kept_from": "another"})
    assert times_of(steps, at(60)) == Times()
