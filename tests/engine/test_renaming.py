"""A step gets another id: what names it is rewritten, and nothing else is."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.expressions import compile_expression
from engine.graph import compile_graph
from engine.outcomes import Completed
from engine.renaming import STEPS, is_plain, rename_step, renamed_in
from engine.simulate import simulate
from steps.catalogue import CATALOGUE

HOLDERS = frozenset({STEPS, ("prev",)})


@pytest.mark.parametrize(
    ("before", "plain", "dashed"),
    [
        ("steps.a.output.x", "steps.b.output.x", 'steps["a-b"].output.x'),
        ("has(steps.a)", "has(steps.b)", '("a-b" in steps)'),
        ("!has( steps . a ) && true", "!has( steps . b ) && true", '!("a-b" in steps) && true'),
        ("has(steps.a.output.x)", "has(steps.b.output.x)", 'has(steps["a-b"].output.x)'),
        ('"a" in steps', '"b" in steps', '"a-b" in steps'),
        ("'a' in steps", "'b' in steps", "'a-b' in steps"),
        ('steps["a"].output', 'steps["b"].output', 'steps["a-b"].output'),
        ("(steps).a == 1", "(steps).b == 1", '(steps)["a-b"] == 1'),
        ("prev.a.a", "prev.b.a", 'prev["a-b"].a'),
        ("steps.a[steps.a.output]", "steps.b[steps.b.output]", 'steps["a-b"][steps["a-b"].output]'),
        (
            "[1].exists(x, has(steps.a) && x > steps.a.output)",
            "[1].exists(x, has(steps.b) && x > steps.b.output)",
            '[1].exists(x, ("a-b" in steps) && x > steps["a-b"].output)',
        ),
        ('"ü😀" + steps.a.output', '"ü😀" + steps.b.output', '"ü😀" + steps["a-b"].output'),
        ("1.5 * input.x +\n 2 * steps.a.output", "1.5 * input.x +\n 2 * steps.b.output", None),
    ],
)
def test_every_way_to_read_a_step_is_rewritten(before, plain, dashed):
    assert renamed_in(before, HOLDERS, "a", "b") == plain
    assert renamed_in(plain, HOLDERS, "b", "a") == before
    if dashed:
        assert renamed_in(before, HOLDERS, "a", "a-b") == dashed


@pytest.mark.parametrize(
    "source",
    [
        '"steps.a" + input.a',
        "input.steps.a",
        "steps.b.a",
        "steps.aa.output",
        "[{'a': 1}].all(steps, steps.a > 0)",
        "prev.input.a // steps.a",
        "{'steps': 1}.steps == 1 && 'a' in input",
    ],
)
def test_what_only_looks_like_it_stays(source):
    compile_expression(source)
    assert renamed_in(source, HOLDERS, "a", "b") == source


def test_a_word_of_the_language_is_written_in_brackets():
    assert renamed_in("steps.a.output", HOLDERS, "a", "in") == 'steps["in"].output'
    assert not is_plain("in")


def flow(**more):
    return {
        "name": "x",
        "nodes": [
            {"id": "a", "type": "job"},
            {"id": "b", "type": "noop", "boundary_timers": [{"after_seconds": 5, "to": "a"}]},
            {
                "id": "c",
                "type": "transform",
                "params": {"set": {"got": "{{ prev.a.n }}", "text": "a: {{ steps.a.output.n }}, steps.a"}},
            },
        ],
        "edges": [{"from": "a", "to": "c", "when": "steps.a.output.n > 0"}, {"from": "b", "to": "c"}],
        **more,
    }


def test_a_definition_follows_everywhere():
    found = rename_step(flow(output={"n": "{{ steps.a.output.n }}"}), "a", "first-one", catalogue=CATALOGUE)
    assert found.definition["nodes"][0] == {"id": "first-one", "type": "job", "queue": "a"}
    assert found.definition["nodes"][1]["boundary_timers"][0]["to"] == "first-one"
    assert found.definition["nodes"][2]["params"]["set"] == {
        "got": '{{ prev["first-one"].n }}',
        "text": 'a: {{ steps["first-one"].output.n }}, steps.a',
    }
    assert found.definition["edges"][0] == {
        "from": "first-one",
        "to": "c",
        "when": 'steps["first-one"].output.n > 0',
    }
    assert found.definition["output"] == {"n": '{{ steps["first-one"].output.n }}'}
    assert found.changed == [
        "nodes[0].id",
        "nodes[0].queue",
        "nodes[1].boundary_timers[0].to",
        "nodes[2].params.set.got",
        "nodes[2].params.set.text",
        "edges[0].from",
        "edges[0].when",
        "output.n",
    ]


def test_what_comes_before_is_no_object_of_steps_where_there_is_one_of_them_or_a_mapping():
    alone = flow()
    alone["edges"] = alone["edges"][:1]
    made = rename_step(alone, "a", "z", catalogue=CATALOGUE).definition
    assert made["nodes"][2]["params"]["set"]["got"] == "{{ prev.a.n }}"
    mapped = flow()
    mapped["nodes"][2]["input"] = {"a": "{{ prev.a }}"}
    made = rename_step(mapped, "a", "z", catalogue=CATALOGUE).definition
    assert made["nodes"][2]["input"] == {"a": "{{ prev.z }}"}
    assert made["nodes"][2]["params"]["set"]["got"] == "{{ prev.a.n }}"


def test_the_compensation_of_a_join_reads_its_input():
    undone = flow()
    undone["nodes"][2]["compensate"] = {
        "type": "noop",
        "params": {"x": "{{ prev.input.a }} {{ prev.output.a }}"},
    }
    made = rename_step(undone, "a", "z", catalogue=CATALOGUE).definition
    assert made["nodes"][2]["compensate"]["params"]["x"] == "{{ prev.input.z }} {{ prev.output.a }}"


def within(*steps, **body):
    return flow(
        nodes=[
            {"id": "a", "type": "job"},
            {"id": "each", "type": "map", "params": {"items": [1], "body": {"steps": list(steps), **body}}},
        ],
        edges=[{"from": "a", "to": "each"}],
    )


def read(text):
    return {"type": "transform", "params": {"set": {"n": text}}}


def test_a_step_in_a_body_follows_and_is_followed():
    join = {"id": "j", **read("{{ prev.b.n }} {{ steps.b.output.n }} {{ steps.a.output }}")}
    edges = [
        {"from": "b", "to": "c"},
        {"from": "b", "to": "j"},
        {"from": "c", "to": "j", "when": "steps.b.output.n > 0"},
    ]
    before = within({"id": "b", "type": "job"}, {"id": "c", "type": "noop"}, join, edges=edges)
    found = rename_step(before, "b", "z", catalogue=CATALOGUE)
    body = found.definition["nodes"][1]["params"]["body"]
    assert body["steps"][0] == {"id": "z", "type": "job", "queue": "b"}
    assert (
        body["steps"][2]["params"]["set"]["n"] == "{{ prev.z.n }} {{ steps.z.output.n }} {{ steps.a.output }}"
    )
    assert body["edges"][2] == {"from": "c", "to": "j", "when": "steps.z.output.n > 0"}
    assert found.changed == [
        f"nodes[1].params.body.{field}"
        for field in (
            "steps[0].id",
            "steps[0].queue",
            "steps[2].params.set.n",
            "edges[0].from",
            "edges[1].from",
            "edges[2].when",
        )
    ]
    outer = rename_step(before, "a", "y", catalogue=CATALOGUE).definition["nodes"][1]["params"]["body"]
    assert (
        outer["steps"][2]["params"]["set"]["n"]
        == "{{ prev.b.n }} {{ steps.b.output.n }} {{ steps.y.output }}"
    )


def test_a_step_of_a_container_that_is_all_another_one_does_is_renamed():
    inner = {"type": "map", "params": {"items": [1], "body": {"steps": [{"id": "b", "type": "noop"}]}}}
    inner["params"]["body"]["steps"].append({"id": "c", **read("{{ steps.b.output }}")})
    before = flow(nodes=[{"id": "each", "type": "map", "params": {"items": [1], "body": inner}}], edges=[])
    found = rename_step(before, "b", "z", catalogue=CATALOGUE)
    steps = found.definition["nodes"][0]["params"]["body"]["params"]["body"]["steps"]
    assert steps == [{"id": "z", "type": "noop"}, {"id": "c", **read("{{ steps.z.output }}")}]
    place = "nodes[0].params.body.params.body"
    assert found.changed == [f"{place}.steps[0].id", f"{place}.steps[1].params.set.n"]


def test_the_condition_of_a_loop_follows():
    before = flow()
    before["nodes"].append(
        {"id": "d", "type": "loop", "params": {"until": "steps.a.output.n > 1", "body": {"type": "noop"}}}
    )
    made = rename_step(before, "a", "z", catalogue=CATALOGUE).definition
    assert made["nodes"][3]["params"]["until"] == "steps.z.output.n > 1"


def test_an_expression_that_cannot_be_compiled_is_left_and_named():
    broken = flow(output={"n": "{{ steps.a. }}", "m": "{{ steps.a", "other": "{{ 1 + }}"})
    found = rename_step(broken, "a", "z", catalogue=CATALOGUE)
    assert found.definition["output"] == broken["output"]
    assert found.unread == ["output.n", "output.m"]


@pytest.mark.parametrize(
    ("document", "after"),
    [
        ({}, {}),
        ({"nodes": 7, "edges": [1, {"from": 3}]}, {"nodes": 7, "edges": [1, {"from": 3}]}),
        ({"nodes": [{"id": "a"}, 4]}, {"nodes": [{"id": "b"}, 4]}),
    ],
)
def test_a_broken_draft_is_no_error(document, after):
    assert rename_step(document, "a", "b", catalogue=CATALOGUE).definition == after


ids = st.text(string.ascii_letters + "_", min_size=1, max_size=6).filter(lambda name: name not in ("b", "c"))
dashed = st.builds("{}-{}".format, ids, ids)
reads = st.sampled_from(
    [
        "steps.{} != null",
        "has(steps.{}) && has(steps.{}.output.n)",
        "[1, 2].exists(x, x == steps.{}.output.n)",
        "size(string(steps.{}.output)) > 0 || has(prev.{})",
        '"{}" in ["steps.a"]',
    ]
)


def with_id(old, sources):
    output = {str(at): f"{{{{ {source.replace('{}', 'a')} }}}} steps.a" for at, source in enumerate(sources)}
    made = flow(output=output)
    return rename_step(made, "a", old, catalogue=CATALOGUE).definition if old != "a" else made


@given(st.one_of(st.just("a"), ids), st.one_of(ids, dashed), st.lists(reads, max_size=4))
def test_there_and_back_is_the_identity(old, new, sources):
    before = with_id(old, sources) if is_plain(old) else flow()
    old = old if is_plain(old) else "a"
    there = rename_step(before, old, new, catalogue=CATALOGUE)
    back = rename_step(there.definition, new, old, catalogue=CATALOGUE)
    assert back.definition == before
    assert there.unread == back.unread == []


@given(st.one_of(ids, dashed), st.integers(0, 5))
def test_a_run_gives_the_same_before_and_after(new, number):
    before = flow(output={"got": "{{ has(steps.c) ? steps.c.output : {} }}", "n": "{{ steps.a.output.n }}"})
    before["nodes"][1].pop("boundary_timers")
    after = rename_step(before, "a", new, catalogue=CATALOGUE).definition
    given_by = {"n": number}
    one = simulate(compile_graph(before, CATALOGUE), {}, {"a": Completed(given_by), "b": Completed(1)})
    other = simulate(compile_graph(after, CATALOGUE), {}, {new: Completed(given_by), "b": Completed(1)})
    assert one.status == other.status
    assert one.output == other.output
