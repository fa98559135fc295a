"""What containers do for their items is judged as the rest of a definition, each problem at its place."""

import pytest

from engine.bodies import all_it_does
from engine.validate import validate
from steps.catalogue import CATALOGUE


def problems(body, **params):
    """Code, field and step of what is wrong with a map of this body behind a step `first`."""
    each = {"id": "each", "type": "map", "params": {"items": "{{ input.list }}", "body": body, **params}}
    return found([{"id": "first", "type": "noop"}, each], [{"from": "first", "to": "each"}])


def found(nodes, edges=()):
    """Code, field and step of what is wrong with these steps."""
    document = {"name": "w", "nodes": nodes, "edges": list(edges)}
    return [(one.code, one.field, one.node) for one in validate(document, CATALOGUE)]


def set_to(expression, id="a"):
    """A step that evaluates an expression."""
    return {"id": id, "type": "transform", "params": {"set": {"x": "{{ " + expression + " }}"}}}


@pytest.mark.parametrize(
    "body",
    [
        {"type": "transform", "params": {"set": {"x": "{{ item.a + index }}"}}},
        {"type": "signal", "params": {"name": "go"}},
        {"workflow": "other", "version": 2},
        {"type": "noop", "retry": {"max_retries": 1}, "timeout_seconds": 9, "queue": "blocking"},
        {"type": "job", "retry": "none", "queue": "ours"},
        {"steps": [set_to("item.a + steps.first.output.b + input.c"), set_to("steps.a.output.x", "b")]},
        {"steps": [set_to("index"), set_to("item", "b")], "edges": []},
        {
            "type": "map",
            "params": {
                "items": "{{ item }}",
                "body": {"steps": [set_to("item"), set_to("steps.a.output", "b")]},
            },
        },
    ],
)
def test_a_body_that_is_fine(body):
    assert [one for one in problems(body) if one[0] != "no_edges"] == []


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({}, ("bad_params", "nodes[1].params.body", "each")),
        ({"type": "noop", "workflow": "w"}, ("bad_params", "nodes[1].params.body", "each")),
        ({"workflow": "w", "retry": "none"}, ("bad_params", "nodes[1].params.body", "each")),
        ({"type": "noop", "retry": "often"}, ("bad_params", "nodes[1].params.body.retry", "each")),
        ({"type": "noop", "queue": "{{ item }}"}, ("bad_params", "nodes[1].params.body.queue", "each")),
        ({"type": "noop", "queue": "engine"}, ("reserved_queue", "nodes[1].params.body.queue", "each")),
        ({"type": "noop", "queue": "ours"}, ("unserved_queue", "nodes[1].params.body.queue", "each")),
        ({"type": "job", "queue": "default"}, ("built_in_queue", "nodes[1].params.body.queue", "each")),
        (
            {"type": "signal", "params": {"name": "go"}, "timeout_seconds": 9},
            ("without_effect", "nodes[1].params.body.timeout_seconds", "each"),
        ),
        ({"type": "nop"}, ("unknown_type", "nodes[1].params.body.type", "each")),
        (
            {"type": "map", "params": {"items": [1], "body": {"type": "nop"}}},
            ("unknown_type", "nodes[1].params.body.params.body.type", "each"),
        ),
        (
            {"type": "map", "params": {"items": [1], "body": {"steps": [set_to("itm")]}}},
            ("bad_expression", "nodes[1].params.body.params.body.steps[0].params.set.x", "a"),
        ),
        ({"type": "part"}, ("unknown_type", "nodes[1].params.body.type", "each")),
        (
            {"type": "wait", "params": {"seconds": "x"}},
            ("bad_params", "nodes[1].params.body.params.seconds", "each"),
        ),
        ({"steps": [set_to("itm")]}, ("bad_expression", "nodes[1].params.body.steps[0].params.set.x", "a")),
        (
            {"steps": [set_to("steps.nobody.output")]},
            ("unknown_step", "nodes[1].params.body.steps[0].params.set.x", "a"),
        ),
        (
            {"steps": [set_to("steps.b.output.x"), set_to("1", "b")]},
            ("value_never_there", "nodes[1].params.body.steps[0].params.set.x", "a"),
        ),
        (
            {"steps": [set_to("steps.each.output")]},
            ("value_never_there", "nodes[1].params.body.steps[0].params.set.x", "a"),
        ),
        ({"steps": [set_to("1", "first")]}, ("duplicate_id", "nodes[1].params.body.steps[0].id", "first")),
        ({"steps": [set_to("1"), set_to("1")]}, ("duplicate_id", "nodes[1].params.body.steps[1].id", "a")),
        (
            {"steps": [{"id": "a", "type": "noop"}], "edges": [{"from": "a", "to": "b"}]},
            ("unknown_node", "nodes[1].params.body.edges[0].to", "each"),
        ),
        (
            {"steps": [{"id": "a", "type": "noop", "jion": 1}]},
            ("unknown_field", "nodes[1].params.body.steps[0].jion", "a"),
        ),
        (
            {
                "steps": [
                    {
                        "id": "in",
                        "type": "map",
                        "params": {"items": [1], "body": {"steps": [set_to("output")]}},
                    }
                ]
            },
            ("name_not_in_scope", "nodes[1].params.body.steps[0].params.body.steps[0].params.set.x", "a"),
        ),
    ],
)
def test_what_is_wrong_with_a_body_is_said_where_it_is(body, problem):
    assert problem in problems(body)


def test_what_a_body_reads_is_not_there_on_every_path():
    nodes = [
        {"id": "which", "type": "decision"},
        {"id": "one", "type": "noop"},
        {
            "id": "each",
            "type": "map",
            "params": {"items": [1], "body": {"steps": [set_to("steps.one.output.b")]}},
        },
    ]
    edges = [
        {"from": "which", "to": "one", "when": "input.x"},
        {"from": "which", "to": "each", "default": True},
        {"from": "one", "to": "each"},
    ]
    assert ("value_not_on_every_path", "nodes[2].params.body.steps[0].params.set.x", "a") in found(
        nodes, edges
    )


def test_items_are_not_seen_where_the_list_is_said():
    each = {"id": "each", "type": "map", "params": {"items": "{{ item }}", "body": {"type": "noop"}}}
    assert ("name_not_in_scope", "nodes[0].params.items", "each") in found([each])


def looped(**params):
    """What is wrong with a loop of these params."""
    return found([{"id": "again", "type": "loop", "params": {"body": {"type": "noop"}, **params}}])


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({}, ("bad_params", "nodes[0].params", "again")),
        ({"while": "outptu.x"}, ("bad_expression", "nodes[0].params.while", "again")),
        ({"while": "item > 3"}, ("name_not_in_scope", "nodes[0].params.while", "again")),
        ({"until": "'x'"}, ("not_a_condition", "nodes[0].params.until", "again")),
        ({"until": "{{ true }}"}, ("bad_expression", "nodes[0].params.until", "again")),
    ],
)
def test_what_is_wrong_with_a_loop(params, problem):
    assert problem in looped(**params)


def test_a_loop_of_a_workflow_is_fine():
    assert found([{"id": "again", "type": "loop", "params": {"workflow": "other", "count": 2}}]) == []


def test_a_loop_that_is_fine():
    assert looped(**{"while": "output.n < input.most && iteration < 9"}) == []


def container(id, *steps, kind="map"):
    """A container with these steps of its own."""
    return {"id": id, "type": kind, "params": {"items": [1], "body": {"steps": list(steps)}}}


def test_steps_of_two_containers_have_different_ids():
    within = container("in", {"id": "a", "type": "noop"})
    nodes = [
        container("one", {"id": "a", "type": "noop"}),
        container("two", {"id": "b", "type": "noop"}, within),
    ]
    duplicates = [one for one in found(nodes) if one[0] == "duplicate_id"]
    assert duplicates == [
        ("duplicate_id", "nodes[1].params.body.steps[1].params.body.steps[0].id", "a"),
    ]


def test_steps_of_a_container_in_a_container_have_different_ids():
    once = {"type": "map", "params": {"items": [1], "body": {"steps": [{"id": "first", "type": "noop"}]}}}
    assert ("duplicate_id", "nodes[1].params.body.params.body.steps[0].id", "first") in problems(once)


def test_the_steps_of_containers_count():
    """As many as a workflow may have, and one more."""
    many = [
        container(f"c{at}", *({"id": f"s{at}-{n}", "type": "noop"} for n in range(99))) for at in range(5)
    ]
    assert "too_many_nodes" not in {code for code, _, _ in found(many)}
    assert "too_many_nodes" in {code for code, _, _ in found([*many, {"id": "more", "type": "noop"}])}


def test_a_body_without_measure_is_not_looked_into():
    steps = [{"id": f"s{at}", "type": "nobody_knows"} for at in range(2_001)]
    assert found([container("each", *steps)]) == [("too_many_nodes", "nodes", None)]


def test_a_message_names_the_place_in_the_whole_definition():
    mail = {"id": "mail", "type": "email.send", "params": {"to": "a@b.example", "subject": "x"}}
    deep = {"id": "deep", "type": "map", "params": {"items": [1], "body": {"steps": [set_to("1"), mail]}}}
    each = {"id": "each", "type": "map", "params": {"items": [1], "body": {"steps": [deep]}}}
    document = {"name": "w", "nodes": [{"id": "first", "type": "noop"}, each], "edges": []}
    (missing,) = [one for one in validate(document, CATALOGUE) if one.code == "bad_params"]
    place = "nodes[1].params.body.steps[0].params.body.steps[1].params.body"
    assert (missing.field, missing.node) == (place, "mail")
    assert f"`{place}` is missing" in missing.message


def test_all_that_a_definition_does_is_walked_with_its_place_and_nothing_that_only_looks_like_it():
    inner = {"id": "in", "type": "noop", "compensate": {"type": "job"}}
    deep = {"type": "map", "params": {"items": [], "body": {"steps": [inner]}}}
    nodes = [
        {"id": "a", "type": "noop", "compensate": {"type": "transform"}},
        {"id": "each", "type": "map", "params": {"items": [], "body": deep}},
        {"id": "other", "type": "map", "params": {"items": [], "workflow": "w"}},
        {"id": "send", "type": "email.send", "params": {"body": {"type": "job", "steps": ["no step"]}}},
    ]
    walked = list(all_it_does({"nodes": nodes}, CATALOGUE))
    assert [(field, step["type"], node) for field, step, node, _ in walked] == [
        ("nodes[0]", "noop", "a"),
        ("nodes[0].compensate", "transform", "a"),
        ("nodes[1]", "map", "each"),
        ("nodes[1].params.body", "map", "each"),
        ("nodes[1].params.body.params.body.steps[0]", "noop", "in"),
        ("nodes[1].params.body.params.body.steps[0].compensate", "job", "in"),
        ("nodes[2]", "map", "other"),
        ("nodes[3]", "email.send", "send"),
    ]
    assert [among and [node["id"] for node in among["nodes"]] for _, _, _, among in walked] == [
        ["a", "each", "other", "send"],
        None,
        ["a", "each", "other", "send"],
        None,
        ["in"],
        None,
        ["a", "each", "other", "send"],
        ["a", "each", "other", "send"],
    ]
