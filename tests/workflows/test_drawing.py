"""The picture of a definition, and the form that starts it."""

import pytest

from tests import factories as make
from workflows.design.drawing import draw
from workflows.design.starting import start_form, takes_text


def test_a_chain_is_drawn_as_one():
    drawing = draw(make.chain("text.clean", "text.summarize"))
    assert drawing.is_chain
    assert [step.lines for step in drawing.steps] == [("Clean text", "a"), ("Summarize", "b")]


def test_branches_are_set_in_and_what_joins_them_is_not():
    drawing = draw(
        make.graph(
            [{"id": "check", "type": "decision"}, "dear", "paid", "cheap", "last"],
            [
                {"from": "check", "to": "dear", "branch": "premium"},
                {"from": "check", "to": "cheap", "default": True},
                "dear>paid",
                "paid>last",
                "cheap>last",
                {"from": "dear", "to": "sorry", "on": "error"},
            ],
        )
    )
    shown = [(step.id, step.depth, step.way or step.after) for step in drawing.steps]
    assert shown == [
        ("check", 0, []),
        ("dear", 1, "if premium"),
        ("paid", 1, []),
        ("cheap", 1, "otherwise"),
        ("last", 0, ["Do nothing (paid)", "Do nothing (cheap)"]),
    ]
    assert not drawing.is_chain


def test_an_outcome_that_nothing_follows_is_said_to_end_the_run():
    ask = {"id": "ask", "type": "human.approval", "params": {"title": "Pay?"}}
    drawing = draw(make.graph([ask, "pay"], [{"from": "ask", "to": "pay", "branch": "approved"}]))
    assert [(step.id, step.way, step.ends) for step in drawing.steps] == [
        ("ask", "", "rejected: the run ends here"),
        ("pay", "if approved", ""),
    ]
    each = {"id": "each", "type": "map", "params": {"items": [1], "body": {"steps": [ask]}}}
    assert draw(make.graph([each], [])).steps[1].ends == "approved, rejected: the item ends here"


def test_a_way_out_on_error_does_not_set_in_what_comes_when_all_goes_well():
    drawing = draw(make.graph(["a", "b", "oops"], ["a>b", {"from": "a", "to": "oops", "on": "error"}]))
    assert [(step.id, step.depth, step.way) for step in drawing.steps] == [
        ("a", 0, ""),
        ("b", 0, ""),
        ("oops", 1, "on error"),
    ]


@pytest.mark.parametrize(
    "document",
    [None, {}, {"nodes": 5}, {"nodes": [1, {"id": 2}], "edges": [{"from": {}, "to": []}]}, {"steps": [5]}],
)
def test_what_is_no_definition_is_an_empty_picture(document):
    assert draw(document).steps == []


@pytest.mark.parametrize(
    ("params", "about"),
    [
        ({}, ""),
        ({"title": "Pay?", "due_seconds": 259_200, "reminders": [60]}, "“Pay?”, within 3 days"),
        ({"due_seconds": 5_400, "on_timeout": "no"}, "within 1.5 hours"),
        ({"due_seconds": 0.5}, "within 0.5 seconds"),
        ({"due_seconds": "{{ input.due }}", "quorum": 1, "title": 5}, ""),
        ({"quorum": 2, "exclude_requester": True}, "2 must agree, not by who started the run"),
        ({"quorum": {"need": "all"}, "exclude_deciders": True}, "all must agree, not by who decided before"),
    ],
)
def test_a_step_for_people_says_what_it_asks_and_until_when(params, about):
    node = {"id": "ask", "type": "human.approval", "params": params}
    assert draw({"nodes": [node], "edges": []}).steps[0].about == about


def test_a_circle_in_a_draft_is_drawn_all_the_same():
    assert len(draw(make.graph(["a", "b"], ["a>b", "b>a"])).steps) == 2


@pytest.mark.parametrize(
    ("definition", "is_text"),
    [
        (make.chain("text.clean", "job"), True),
        (make.chain("job", "text.clean"), False),
        (make.chain("job", input_schema={"type": "string"}), True),
        (make.chain("job", input_schema={"type": "object", "properties": {"text": {}}}), True),
        (make.chain("text.clean", input_schema={"type": "object"}), False),
    ],
)
def test_a_text_is_asked_for_where_the_first_step_takes_one(definition, is_text):
    assert takes_text(definition) is is_text


@pytest.mark.parametrize(
    ("definition", "given"),
    [
        (make.chain("text.clean", metadata={"sample_input": {"text": "Hi"}}), "Hi"),
        (make.chain("text.clean", metadata={"sample_input": "Hi"}), "Hi"),
        (make.chain("job", metadata={"sample_input": {"a": 1}}), '{\n  "a": 1\n}'),
        (make.chain("job", metadata="none"), "{}"),
    ],
)
def test_the_sample_input_stands_in_the_form(definition, given):
    assert start_form(definition).given == given


def test_a_timers_way_is_drawn_with_its_time_and_does_not_set_in_the_others():
    timers = [{"duration": "P2D", "to": "late"}]
    drawing = draw(make.graph([{"id": "a", "type": "job", "boundary_timers": timers}, "b", "late"], ["a>b"]))
    assert [(step.id, step.depth, step.way) for step in drawing.steps] == [
        ("a", 0, ""),
        ("b", 0, ""),
        ("late", 1, "after 2 days"),
    ]


def test_steps_that_begin_together_are_no_chain():
    drawing = draw(make.graph(["a", "b"], []))
    assert (drawing.is_chain, [step.way for step in drawing.steps]) == (False, ["", "from the start"])


def within(name, *steps):
    return {"id": name, "type": "map", "params": {"items": [], "body": {"steps": list(steps)}}}


def test_what_a_container_does_is_set_in_below_it():
    each = within("each", {"id": "a", "type": "noop"}, within("lines", {"id": "pack", "type": "noop"}))
    drawing = draw(make.graph([each, "last"], ["each>last"]))
    assert [(step.id, step.depth) for step in drawing.steps] == [
        ("each", 0),
        ("a", 1),
        ("lines", 1),
        ("pack", 2),
        ("last", 0),
    ]
