"""Statements write history by one head, in the vocabulary of `engine/events.py`."""

import re
from pathlib import Path

from engine.events import EVENTS, EventType, kind_of

ROOT = Path(__file__).parents[2]
STATEMENTS = [
    path
    for app in ("integrations", "operations", "runs", "tasks_inbox", "triggers")
    for path in (ROOT / app).rglob("*.sql")
    if "schema" not in path.parts
]
WORD = re.compile(
    r"'((?:RUN|NEXT|STEP|ATTEMPT|LEASE|LATE|EDGES|COMPENSATE|TIMER|SIGNAL|VARIABLES|SLA|ALERT|TASK)_[A-Z_]+|ALERT)'"
)
# What a status is put behind, and statuses that look like events.
NOT_EVENTS = {"RUN_", "STEP_"}
BY_STATUS = {event for event in EventType if event.startswith(("RUN_", "STEP_"))}
BY_ASKING = {EventType.TASK_REMINDED, EventType.TASK_ESCALATED}


def test_every_event_that_a_statement_names_is_in_the_vocabulary_and_every_event_is_written():
    named = {word for path in STATEMENTS for word in WORD.findall(path.read_text())} - NOT_EVENTS
    assert named <= set(EVENTS)
    assert set(EVENTS) - named <= BY_STATUS | BY_ASKING
    assert set(EVENTS) == set(EventType)


def test_history_is_written_by_one_head():
    heads = [
        path.name
        for path in STATEMENTS
        for _ in re.finditer("INSERT INTO runs_historyevent", path.read_text())
    ]
    assert heads == ["fragments.sql"]
    assert sum(path.read_text().count("/* include write_history */") for path in STATEMENTS) > 30


def test_the_status_behind_an_event_is_in_its_name():
    for event, kind in EVENTS.items():
        if kind.step is not None:
            assert event == f"STEP_{kind.step}"
        elif kind.run is not None and event not in ("RUN_UNPAUSED", "RUN_REOPENED"):
            assert event == f"RUN_{kind.run}"
    assert kind_of("LATE_RESULT").is_evidence
