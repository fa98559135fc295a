"""What happened, in sentences: for each event one, with whom, what and why."""

from datetime import UTC, datetime

import pytest

from engine.events import EventType
from runs.reading.story import UNTOLD, Event, story

AT = datetime(2031, 2, 3, tzinfo=UTC)


def told(kind, /, *, attempt=None, title="Pay the {claim}", **payload):
    (line,) = story([Event(kind, title, attempt, payload, AT, "pay")])
    return line


@pytest.mark.parametrize("kind", [kind for kind in EventType if kind not in UNTOLD])
def test_each_event_is_a_sentence_without_a_gap_or_a_code(kind):
    line = told(
        kind,
        attempt=2,
        by="ana",
        version=3,
        workflow="next",
        name="paid",
        outcome="approved",
        set={"total": "…"},
    )
    assert line.text.endswith(".")
    assert kind not in line.text
    # The braces of a title are its own.
    assert line.text.replace("{claim}", "").count("{") == 0
    assert line.text[0].islower() == (line.by is not None) or line.text.startswith(("“", "next"))


@pytest.mark.parametrize(
    ("kind", "payload", "by", "text", "more"),
    [
        ("RUN_STARTED", {"by": "ana"}, "ana", "started the run.", ""),
        ("RUN_PAUSED", {"by": "ana", "reason": "a freeze"}, "ana", "paused the run.", "a freeze"),
        ("STEP_COMPLETED", {}, None, "“Pay the {claim}” completed.", ""),
        ("STEP_FAILED", {"index": 3}, None, "“Pay the {claim}, item 3” failed.", ""),
        ("STEP_SKIPPED", {"by": "ben"}, "ben", "skipped “Pay the {claim}”.", ""),
        ("STEP_WAITING", {"kind": "signal"}, None, "“Pay the {claim}” began to wait for a signal.", ""),
        ("STEP_WAITING", {"kind": "moon"}, None, "“Pay the {claim}” began to wait.", ""),
        (
            "ATTEMPT_FAILED",
            {"retry_in": 2.1, "error": {"code": "Away", "message": "It is away."}},
            None,
            "“Pay the {claim}” failed on attempt 2; it is retried in 2 s.",
            "It is away.",
        ),
        (
            "TASK_VOTED",
            {"by": "ben", "outcome": "approved"},
            "ben",
            "voted on “Pay the {claim}”: approved.",
            "",
        ),
        ("VARIABLES_SET", {"set": {"b": "1", "a": "2"}}, None, "“Pay the {claim}” set a, b.", ""),
        ("SIGNAL_RECEIVED", {"name": "{step}"}, None, "The signal {step} was received.", ""),
    ],
)
def test_it_says_who_did_what_and_why(kind, payload, by, text, more):
    line = told(kind, attempt=2, **payload)
    assert (line.by, line.text, line.more) == (by, text, more)


def test_what_explains_it_is_cut_and_what_is_no_text_is_left_out():
    assert len(told("STEP_FAILED", error={"message": "x" * 10_000}).more) == 500
    assert told("STEP_FAILED", error={"message": 7}, reason=None).more == ""


def test_a_type_that_this_release_does_not_know_is_told_by_its_name():
    assert told("STEP_DREAMT").text == "STEP_DREAMT."
