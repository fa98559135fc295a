"""A run in a few words: what it does now, and what tells it from others."""

import pytest

from runs.reading import brief


def a_step(**fields):
    usual = {
        "node": "a",
        "title": "Fetch",
        "status": "RUNNING",
        "attempt": 1,
        "waiting_for": None,
        "waiting": None,
        "next_attempt_at": None,
    }
    return usual | fields


def a_run(status="RUNNING", *steps, **fields):
    over = "now" if status in ("COMPLETED", "FAILED", "CANCELLED") else None
    return {
        "status": status,
        "steps": list(steps),
        "error": None,
        "output": None,
        "completed_at": over,
        "waiting_for": None,
    } | fields


WAITS = {
    "status": "WAITING",
    "waiting_for": "the group Finance to decide “Pay?”",
    "waiting": {"kind": "task"},
}


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (a_run("RUNNING", a_step()), "Fetch"),
        (a_run("RUNNING", a_step(attempt=2)), "Fetch, attempt 2"),
        (a_run("WAITING", a_step(**WAITS)), "Waits for the group Finance to decide “Pay?”"),
        (a_run("RUNNING", a_step(**WAITS), a_step(title="Sum")), "Sum, and 1 more"),
        (
            a_run(
                "RUNNING", a_step(status="QUEUED", waiting_for="attempt 2, due soon", next_attempt_at="at")
            ),
            "Fetch, attempt 2, due soon",
        ),
        (
            a_run("FAILED", a_step(status="FAILED"), error={"node": "a", "message": "404\n from it"}),
            "Fetch: 404 from it",
        ),
        (a_run("FAILED", a_step(status="FAILED")), "Fetch"),
        (a_run("COMPLETED", output={"out": {"summary": "paid"}}), "paid"),
        (a_run("CANCELLED"), "Cancelled"),
    ],
)
def test_what_a_run_does_now_is_said_in_words(run, words):
    assert brief.now_of(run) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a\n b", "a b"),
        (3.5, "3.5"),
        (True, "yes"),
        (None, ""),
        ([1, 2], "2 items"),
        ({"amount": 5, "name": "Nordlicht"}, "Nordlicht"),
        ({"amount": 5, "city": "Graz"}, "City Graz"),
        ({"deep": {"deep": {"deep": {"deep": {"deep": "x"}}}}}, ""),
        ("x" * 400, "x" * 159 + "…"),
    ],
)
def test_what_tells_a_value_is_one_line(value, words):
    assert brief.peek(value) == words


@pytest.mark.parametrize(
    ("value", "order", "words"),
    [
        (
            {"days": 90, "level": "administrator", "person": "Lea Vogt"},
            ["level", "person"],
            "Level administrator",
        ),
        ({"days": 90, "person": "Lea Vogt"}, ["days"], "Days 90"),
        # What says nothing, or is not there, is passed over; a title tells by itself.
        ({"full": True, "note": " ", "key": "a", "City": "Graz"}, ["gone", "full", "note", "key"], "Key a"),
        ({"days": 90, "title": "Access"}, ["days", "title"], "Access"),
        ({"parts": [1], "person": "Lea"}, ["parts"], "Person Lea"),
    ],
)
def test_the_authors_order_of_fields_goes_before_guesses(value, order, words):
    assert brief.peek(value, order) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"days": 90, "level": "administrator", "person": "Lea Vogt"}, "Person Lea Vogt"),
        ({"amount": 12.5, "level": "gold"}, "Level gold"),
        ({"reason": "She asked. " * 10, "key": "A-1007"}, "Key A-1007"),
        ({"days": 90, "full": True}, "Days 90"),
    ],
)
def test_a_value_is_told_by_what_reads_like_a_name_rather_than_by_an_amount(value, words):
    assert brief.peek(value) == words
