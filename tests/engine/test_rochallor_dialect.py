"""Rochallor's definitions: what they become, and that they come back as they were, edited or not (R-016 to R-024)."""

import copy
import json
from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.canonical import canonical_bytes
from engine.dialects import DialectError, detect, from_native, to_native
from engine.dialects.rochallor import failure_reason, normal_form, step_ids
from engine.graph import compile_graph
from engine.outcomes import Completed
from engine.simulate import simulate
from engine.validate import validate
from steps.catalogue import CATALOGUE
from tests import rochallor
from tests.engine.strategies import QUICK
from tests.rochallor import END, document, service, step, timer


def stored(definition):
    """The definition as a database gives it back that keeps no order of keys."""
    return json.loads(canonical_bytes(definition))


def ordered(of):
    return [[*one.get("conditionalNextSteps", {}).items()] for one in of["steps"]]


def nodes(definition):
    return {node["id"]: node for node in definition["nodes"]}


@pytest.mark.parametrize("name", rochallor.SCENARIOS)
def test_each_scenario_can_be_published_and_comes_back_without_a_hint(name):
    given_document = rochallor.SCENARIOS[name]
    before = copy.deepcopy(given_document)
    assert detect(given_document) == "s4"
    native = to_native(given_document)
    assert given_document == before
    assert [one for one in validate(native, CATALOGUE) if one.severity == "error"] == []
    compile_graph(native, CATALOGUE)
    back = from_native(stored(native), "s4")
    assert (
        canonical_bytes(back)
        == canonical_bytes(normal_form(given_document))
        == canonical_bytes(given_document)
    )
    assert ordered(back) == ordered(given_document)
    hints = native.get("metadata", {}).get("s4", {}).get("steps", {})
    assert all(hint.keys() <= {"choice", "copy_of", "keep"} for hint in hints.values())
    assert not hints or name in ("ends_in_a_path", "behind_a_task", "transformation")


def test_what_becomes_of_each_type():
    native = nodes(to_native(rochallor.LOAN))
    assert native["validate"] == {
        "id": "validate",
        "title": "Validate",
        "type": "job",
        "queue": "validate",
        "retry": {"max_retries": 2, "lost_leases": 3},
        "set_vars": "{{ output }}",
    }
    assert native["escalate"]["retry"] == {"max_retries": 0, "lost_leases": 3}
    assert native["credit"]["input"] == "{{ context }}"
    assert native["manual"]["type"] == "human.form"
    assert native["manual"]["boundary_timers"] == [
        {"duration": "PT48H", "interrupting": False, "to": "escalate"}
    ]
    assert (native["checks"]["type"], native["merge"]["type"]) == ("parallel", "join")
    assert native["approved"] == {"id": "approved", "title": "Approved", "type": "end"}
    assert native["rejected"]["join"] == "any"
    loan = to_native(rochallor.LOAN)
    assert (loan["name"], loan["next_workflow"]) == ("LOS::loan-application", "LOS::loan-disbursement")
    assert (loan["output"], loan["metadata"]) == ("{{ context }}", rochallor.LOAN["metadata"])


def test_an_end_that_is_reached_within_parallel_paths_and_outside_is_two_nodes_and_one_step():
    native = to_native(rochallor.ENDS_IN_A_PATH)
    assert nodes(native)["end-path"]["params"] == {"ends": "path"}
    assert "params" not in nodes(native)["end"]
    assert step_ids(native) == {**{name: name for name in nodes(native)}, "end-path": "end"}


def test_the_example_of_the_seed_loads_unchanged():
    example = {"id": "credit-score", "type": "SERVICE_TASK", "jobType": "credit-score", "retryCount": 3}
    flow = document({**example, "nextStep": "end"}, END)
    assert nodes(to_native(flow))["credit-score"]["retry"] == {"max_retries": 3, "lost_leases": 3}
    assert from_native(to_native(flow), "s4") == flow


def test_null_and_what_says_nothing_are_as_if_left_out():
    said = document(service("a", "end", retryCount=0, description=None, boundaryEvents=[]), END)
    said |= {"description": None, "metadata": None, "version": 7, "autoStartNextWorkflow": False}
    assert from_native(to_native(said), "s4") == document(service("a", "end"), END)


A = {"a": service("a", "end"), "end": END}

ODD = document(
    service(
        "credit score",
        "end",
        jobType="credit-score",
        description="Asks the bureau.",
        delegateClass="a.B",
        conditionalNextSteps={"#a==1": "LOS::wait", "contains(xs,'q')": "end", "true": "7 task"},
    ),
    step("LOS::wait", "WAIT", nextStep="set", description="For the bank."),
    step("7 task", "USER_TASK", nextStep="set", jobType="review", parallelNextSteps=["set"])
    | {"name": "{{x}}"},
    step(
        "set",
        "TRANSFORMATION",
        nextStep="end",
        transformations={"z": "${a+1}", "y": "${z*2}", "l": "{{ no }}", "o": {"k": ["{{"]}, "n": None},
    ),
    step("end", "END", nextStep="set"),
    name="odd",
    nextWorkflowId="other",
    metadata={"s4": {"mine": 1}, "a": [1]},
)


def test_what_ours_can_not_say_is_kept_beside_it():
    native = to_native(ODD)
    assert [one for one in validate(native, CATALOGUE) if one.severity == "error"] == []
    back = from_native(stored(native), "s4")
    assert canonical_bytes(back) == canonical_bytes(ODD)
    assert ordered(back) == ordered(ODD)
    assert [*nodes(native)][:4] == ["credit_score", "credit_score-next", "LOS_wait", "_7_task"]
    assert step_ids(native)["LOS_wait"] == "LOS::wait"
    assert "credit_score-next" not in step_ids(native)
    assert nodes(native)["set"]["params"]["set"]["y"] == "{{ (context.a + 1) * 2 }}"


def test_transformations_that_read_one_another_mean_the_same_in_whatever_order_they_are_kept():
    flow = document(
        step("a", "TRANSFORMATION", nextStep="end", transformations={"b": "${a + 1}", "a": "${c * 2}"}), END
    )
    native = to_native(flow)
    assert native["nodes"][0]["params"]["set"] == {"b": "{{ context.a + 1 }}", "a": "{{ context.c * 2 }}"}
    back = from_native(stored(native), "s4")
    assert [*back["steps"][0]["transformations"]] == ["b", "a"]
    native["nodes"][0]["params"]["set"]["a"] = "{{ context.b }}"
    with pytest.raises(DialectError) as refused:
        from_native(native, "s4")
    assert refused.value.field == "nodes[0].params"


def changed(definition, node, **fields):
    edited = stored(definition)
    nodes(edited)[node].update(fields)
    return edited


def test_what_was_edited_is_exported_as_it_is_now_with_what_still_fits():
    native = changed(to_native(ODD), "LOS_wait", title="For the money")
    next(edge for edge in native["edges"] if "a == 1" in edge.get("when", ""))["when"] = "context.a == 2"
    back = {one["id"]: one for one in from_native(native, "s4")["steps"]}
    assert (back["LOS::wait"]["name"], back["LOS::wait"]["description"]) == ("For the money", "For the bank.")
    assert back["credit score"]["conditionalNextSteps"] == {
        "#a == 2": "LOS::wait",
        "'q' in #xs": "end",
        "true": "7 task",
    }
    assert back["credit score"]["description"] == "Asks the bureau."
    assert canonical_bytes(to_native({"id": "x", "name": "x", "steps": [*back.values()]})["edges"])


def test_a_wait_keeps_the_id_that_its_signals_are_sent_to_when_its_node_gets_another():
    native = stored(to_native(rochallor.WAIT_SIGNAL))
    nodes(native)["wait"]["id"] = "money"
    for edge in native["edges"]:
        edge |= {key: "money" for key in ("from", "to") if edge[key] == "wait"}
    assert [one["id"] for one in from_native(native, "s4")["steps"]] == ["before", "wait", "end"]


@pytest.mark.parametrize(
    ("node", "fields", "place"),
    [
        ("credit", {"type": "text.clean"}, "nodes[2].type"),
        ("credit", {"on_error": "continue"}, "nodes[2].on_error"),
        ("credit", {"input": None}, "nodes[2].input"),
        ("credit", {"retry": {"max_retries": 3, "factor": 3}}, "nodes[2].retry"),
        ("credit", {"timeout_seconds": 5}, "nodes[2].timeout_seconds"),
        ("merge", {"join": "all"}, "nodes[4].join"),
        ("approved", {"params": {"ends": "path"}}, "nodes[11].params"),
        ("manual", {"params": {"title": "Other?", "form": {"type": "object"}}}, "nodes[7].params"),
        ("manual", {"boundary_timers": [{"duration": "2 business days", "to": "escalate"}]}, None),
        ("band", {"params": {"set": {"x": "{{ input.x }}"}}}, "nodes[5].params.set.x"),
        ("band", {"params": {"set": {"x": "a {{ context.x }}"}}}, "nodes[5].params.set.x"),
    ],
)
def test_what_s4_can_not_say_is_refused_with_its_place(node, fields, place):
    with pytest.raises(DialectError, match="`s4` can't say this workflow") as refused:
        from_native(changed(to_native(rochallor.LOAN), node, **fields), "s4")
    assert place is None or refused.value.field == place


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"sla_seconds": 60}, "sla_seconds"),
        ({"output": None}, "output"),
        ({"metadata": [1]}, "metadata"),
        ({"edges": [{"from": "a", "to": "end", "on": "error"}]}, "edges[0]"),
        ({"edges": []}, "nodes[1]"),
    ],
)
def test_what_stands_around_the_steps_is_refused_with_its_place(change, place):
    with pytest.raises(DialectError) as refused:
        from_native({**to_native(document(*A.values())), **change}, "s4")
    assert refused.value.field == place


@pytest.mark.parametrize(
    "hints",
    [
        7,
        {"steps": 7},
        {"steps": {"end": 7, "left": {"keep": 7}}},
        {"steps": {"left": {"copy_of": 7, "choice": [1]}}},
        {
            "steps": {
                "left": {
                    "keep": {"type": "END", "conditionalNextSteps": 7, "name": [1], "transformations": [7]}
                }
            }
        },
        {"keep": {"name": 7, "steps": 7, "more": 1}},
        {"own": 1},
    ],
    ids=str,
)
def test_hints_may_say_anything(hints):
    native = {**to_native(rochallor.LINEAR), "metadata": {"s4": hints}}
    assert from_native(native, "s4")["steps"] == rochallor.LINEAR["steps"]


@pytest.mark.parametrize(
    ("data", "expected"), [({"decision": "APPROVED"}, {"decision": "APPROVED"}), (None, {})]
)
def test_what_a_person_enters_are_variables(data, expected):
    graph = compile_graph(to_native(rochallor.PARALLEL_USER_TASK), CATALOGUE)
    decided = {"outcome": "submitted", "branch": "submitted", "data": data}
    state = simulate(graph, {"n": 1}, {"work": Completed({"done": True}), "review": Completed(decided)})
    assert (state.status, state.output) == ("COMPLETED", {"n": 1, "done": True, **expected})


def test_a_failure_reads_as_s4_says_it():
    assert failure_reason({"code": "NoBranchMatched", "message": "None."}) == "DecisionNoBranchMatched: None."
    assert failure_reason({"code": "Boom", "message": "It broke."}) == "Boom: It broke."
    assert failure_reason({"message": "It broke."}) == "It broke."


CONDITIONS = ["#a == 1", "a>2", "${b} < 3", "!done", "contains(tags, 'x')", "true"]
VALUES = st.sampled_from(
    [42, 0.5, "Hello", "{{ x }}", None, [1, "{{"], {"k": 1}, "${a + 1}", "${x1 * 2}", "${now()}"]
)


@st.composite
def documents(draw):
    """A chain of steps of all types, with conditions, timers and parallel paths between its steps."""
    count = draw(st.integers(1, 7))
    names = [
        draw(st.sampled_from(["s{}", "step-{}", "LOS::{}", "{} st ep"])).format(at) for at in range(count)
    ]
    steps = []
    for at, name in enumerate(names):
        following = [*names, "end"][at + 1]
        later = st.sampled_from([*names[at + 1 :], "end"])
        kind = draw(
            st.sampled_from(["SERVICE_TASK", "USER_TASK", "WAIT", "DECISION", "TRANSFORMATION", "PARALLEL"])
        )
        more = {key: "said" for key in ("description", "delegateClass") if draw(st.integers(0, 4)) == 0}
        if kind == "PARALLEL":
            sides = [f"{name}-l", f"{name}-r"]
            gateway = step(name, "PARALLEL_GATEWAY", parallelNextSteps=sides, joinStep=f"{name}-j")
            inner = [
                service(sides[0], draw(st.sampled_from([f"{name}-j", "end"])), jobType="left"),
                service(sides[1], f"{name}-j", jobType="right"),
            ]
            steps += [gateway, *inner, step(f"{name}-j", "JOIN_GATEWAY", nextStep=following)]
            continue
        if kind == "DECISION" or (kind in ("SERVICE_TASK", "WAIT") and draw(st.integers(0, 3)) == 0):
            texts = draw(st.lists(st.sampled_from(CONDITIONS), min_size=1, max_size=4, unique=True))
            more["conditionalNextSteps"] = {text: draw(later) for text in texts}
            more["conditionalNextSteps"][texts[-1]] = following
        if kind == "TRANSFORMATION":
            keys = st.sampled_from(["x1", "x2", "_y"])
            more["transformations"] = draw(st.dictionaries(keys, VALUES, min_size=1))
        if kind in ("SERVICE_TASK", "USER_TASK", "WAIT") and draw(st.integers(0, 3)) == 0:
            more["boundaryEvents"] = [timer("end", interrupting=draw(st.booleans()), duration="P1DT2H")]
        if kind == "SERVICE_TASK":
            more |= {"jobType": "work", "retryCount": draw(st.integers(0, 3))}
        steps.append(step(name, kind, **({} if kind == "DECISION" else {"nextStep": following}), **more))
    return document(*steps, END, name="random", metadata={"n": draw(st.integers())})


def readable(given_document):
    """The document as ours, unless what one transformation sets can't be worked with by another one."""
    try:
        return to_native(given_document)
    except DialectError as refused:
        assume(not all("transformations" in one.field for one in refused.findings))
        raise


@QUICK
@given(documents())
def test_any_document_comes_back_as_it_was_and_is_the_same_workflow_again(given_document):
    native = readable(given_document)
    assert [one for one in validate(native, CATALOGUE) if one.severity == "error"] == []
    compile_graph(native, CATALOGUE)
    back = from_native(stored(native), "s4")
    assert canonical_bytes(back) == canonical_bytes(normal_form(given_document))
    assert ordered(back) == ordered(given_document)
    assert canonical_bytes(to_native(back)) == canonical_bytes(native)


@QUICK
@given(documents(), st.integers(0, 30), st.sampled_from(["title", "id", "queue"]))
def test_a_document_that_was_edited_says_what_is_there_or_is_refused(given_document, at, key):
    native = stored(readable(given_document))
    node = native["nodes"][at % len(native["nodes"])]
    if key == "id":
        rename(native, node["id"], "renamed")
    elif key == "title" or "queue" in node:
        node[key] = "edited"
    with suppress(DialectError):
        again = to_native(from_native(native, "s4"))
        assert len(again["edges"]) == len(native["edges"])
        assert titles(again) == titles(native)


def titles(definition):
    return sorted(str(node.get("title")) for node in definition["nodes"])


def rename(native, old, new):
    for node in native["nodes"]:
        node["id"] = new if node["id"] == old else node["id"]
        for one in node.get("boundary_timers", ()):
            one["to"] = new if one["to"] == old else one["to"]
    for edge in native["edges"]:
        edge |= {key: new for key in ("from", "to") if edge[key] == old}
