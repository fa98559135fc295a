"""Times and lengths are judged where they are written, with how to write them; what means nothing is said to."""

import pytest

from engine.validate import validate
from steps.catalogue import CATALOGUE
from tests.factories import graph

DAYS = "must be an ISO 8601 duration, such as PT30M, PT1H30M or P7D"


def problems(node, *more, edges=()):
    return validate(graph([{"id": "a", **node}, *more], [*edges], name="t"), CATALOGUE)


def said(node, severity="error", **more):
    found = problems(node, *more.get("nodes", ()), edges=more.get("edges", ()))
    return [(one.field, one.message) for one in found if one.severity == severity]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"duration": "xyz"}, DAYS),
        ({"duration": "7D"}, DAYS),
        ({"duration": ""}, DAYS),
        ({"duration": "P1M"}, "write days, such as P30D"),
        ({"duration": "P4000D"}, "must be ten years at most"),
        ({"until": "tomorrow"}, "must be a time as in 2027-01-31T09:00:00Z"),
        ({"until": "2027-01-31T09:00:00"}, "must have a time zone"),
        ({"until": "3027-01-31T09:00:00Z"}, "must be a time from 1970 to 2199"),
        ({"seconds": "7D"}, "such as 604800 for seven days"),
    ],
)
def test_a_wait_says_how_its_time_is_written(params, message):
    ((field, text),) = said({"type": "wait", "params": params})
    assert field == f"nodes[0].params.{next(iter(params))}"
    assert message in text
    undo = {"type": "noop", "compensate": {"type": "wait", "params": params}}
    ((field, text),) = said(undo)
    assert field == f"nodes[0].compensate.params.{next(iter(params))}"


@pytest.mark.parametrize(
    "params",
    [
        {"duration": "P7D"},
        {"duration": "{{ input.d }}"},
        {"until": "2001-01-01T00:00:00+02:00"},
        {"until": "{{ input.d }}T09:00:00Z"},
        {"seconds": 0.5},
        {"seconds": "{{ input.s }}"},
    ],
)
def test_what_can_be_waited_for_or_only_a_run_knows_passes(params):
    assert said({"type": "wait", "params": params}) == []


ASK = {"title": "?"}


@pytest.mark.parametrize(
    ("kind", "params", "field"),
    [
        ("signal", {"name": "x", "timeout_seconds": "7D"}, "timeout_seconds"),
        ("human.approval", {**ASK, "due_seconds": "P7D"}, "due_seconds"),
        ("human.form", {**ASK, "follow_up_seconds": "1 day"}, "follow_up_seconds"),
        ("human.form", {**ASK, "reminders": ["P1D"]}, "reminders[0]"),
        (
            "human.approval",
            {**ASK, "escalation": [{"after_seconds": "P1D", "users": ["a"]}]},
            "escalation[0].after_seconds",
        ),
    ],
)
def test_seconds_that_are_texts_say_how_they_are_written(kind, params, field):
    ((where, text),) = said({"type": kind, "params": params})
    assert where == f"nodes[0].params.{field}"
    assert "such as 604800 for seven days" in text


def test_a_boundary_timer_says_so_too():
    timers = {"type": "wait", "params": {"seconds": 5}}
    for length, message in (("7D", DAYS), ("P1M", "write days"), ("P4000D", "ten years at most")):
        node = {**timers, "boundary_timers": [{"duration": length, "to": "b"}]}
        ((where, text),) = said(node, nodes=["b"])
        assert where == "nodes[0].boundary_timers[0].duration"
        assert message in text


WAITS = [name for name, spec in CATALOGUE.items() if spec.kind == "wait"]


@pytest.mark.parametrize("kind", WAITS)
def test_a_time_limit_on_what_waits_points_to_what_limits_it(kind):
    params = CATALOGUE[kind].example["params"]
    limits = {
        "wait": "a boundary timer",
        "signal": "the param timeout_seconds",
        "subworkflow": "how long that workflow takes",
        "map": "a time limit of its steps",
        "loop": "max_iterations",
    }
    instead = limits.get(kind, "due_seconds")
    ((where, text),) = [
        one
        for one in said({"type": kind, "params": params, "timeout_seconds": 60}, "warning")
        if "timeout" in one[0]
    ]
    assert (where, instead in text) == ("nodes[0].timeout_seconds", True)
    undo = {"type": "noop", "compensate": {"type": kind, "params": params, "timeout_seconds": 60}}
    assert "nodes[0].compensate.timeout_seconds" in [where for where, _ in said(undo, "warning")]


@pytest.mark.parametrize(
    "kind", [name for name, spec in CATALOGUE.items() if spec.kind not in ("wait", "engine")]
)
def test_a_time_limit_on_what_works_is_one(kind):
    found = said(
        {"type": kind, "params": CATALOGUE[kind].example["params"], "timeout_seconds": 60}, "warning"
    )
    assert [where for where, _ in found if "timeout" in where] == []


def test_what_decides_nothing_joins_nothing_or_never_fires_is_told():
    codes = [one.code for one in problems({"type": "decision"})]
    assert codes == ["decision_without_edge"]
    assert [one.code for one in problems({"join": "all"}, "b", edges=["a>b"])] == ["without_effect"]
    timer = {"type": "decision", "boundary_timers": [{"after_seconds": 5, "to": "b"}]}
    found = [one.field for one in problems(timer, "b", edges=["a>b"]) if one.code == "without_effect"]
    assert found == ["nodes[0].boundary_timers"]
    signal = {"name": "x", "timeout_seconds": 5, "on_timeout": "continue"}
    undo = {"compensate": {"type": "signal", "params": signal}}
    found = [one.field for one in problems(undo) if one.code == "without_effect"]
    assert found == ["nodes[0].compensate.params.on_timeout"]


@pytest.mark.parametrize("queue", ["default", "engine"])
def test_a_job_that_undoes_is_on_a_queue_that_can_be_polled(queue):
    undo = {"compensate": {"type": "job", "queue": queue}}
    assert [(one.code, one.field) for one in problems(undo)] == [
        ("built_in_queue", "nodes[0].compensate.queue")
    ]


GIVES_NO_TEXT = ["http.request", "email.send", "wait", "human.approval", "human.form"]


@pytest.mark.parametrize("kind", GIVES_NO_TEXT)
@pytest.mark.parametrize("text", [name for name, spec in CATALOGUE.items() if name.startswith("text.")])
def test_what_gives_no_text_leads_to_no_text_step(kind, text):
    node = {"type": kind, "params": CATALOGUE[kind].example["params"]}
    target = {"id": "b", "type": text, "params": CATALOGUE[text].example["params"]}
    found = problems(node, target, edges=["a>b"])
    assert [one.node for one in found if one.code == "incompatible_input"] == ["b"]
    mapped = {**target, "input": {"text": "{{ prev.x }}"}}
    assert [one for one in problems(node, mapped, edges=["a>b"]) if one.code == "incompatible_input"] == []
