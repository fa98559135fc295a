"""Other ways of writing a definition (C-7, R-001, R-002) and the canonical form (R-020, R-026)."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.canonical import canonical_bytes, content_hash
from engine.dialects import DIALECTS, DialectError, detect, from_native, to_native
from engine.validate import validate
from tests.engine.spec_samples import CATALOGUE

QUICK = settings(max_examples=40, deadline=None, derandomize=True, database=None)
PIPELINE = {
    "name": "p",
    "steps": ["text.clean", {"type": "text.summarize", "params": {"sentences": 2}}, "noop", "noop"],
}
# As S0 writes it, with its example values.
S0_DAG = {
    "nodes": [
        {"step_name": "fetch_data", "max_retries": 3, "timeout_s": 60},
        {"step_name": "process_data", "max_retries": 3, "timeout_s": 60},
        {"step_name": "validate_input", "max_retries": 0, "timeout_s": 5},
        {"step_name": "process_premium", "max_retries": 3, "timeout_s": 60},
    ],
    "edges": [
        {"from": "fetch_data", "to": "process_data", "condition": None},
        {"from": "process_data", "to": "validate_input"},
        {"from": "validate_input", "to": "process_premium", "condition": "premium"},
    ],
}


def test_steps_become_a_chain_with_ids_from_their_types():
    native = to_native(PIPELINE)
    assert [node["id"] for node in native["nodes"]] == ["clean", "summarize", "noop", "noop_2"]
    assert native["edges"] == [
        {"from": "clean", "to": "summarize"},
        {"from": "summarize", "to": "noop"},
        {"from": "noop", "to": "noop_2"},
    ]
    assert native["nodes"][1] == {"id": "summarize", "type": "text.summarize", "params": {"sentences": 2}}
    assert validate(native, CATALOGUE) == []


def test_ids_that_are_given_are_kept_and_never_taken_twice():
    native = to_native(
        {"name": "p", "steps": ["noop", {"id": "noop", "type": "noop"}, {"id": "x", "type": "noop"}]}
    )
    assert [node["id"] for node in native["nodes"]] == ["noop_2", "noop", "x"]


def test_one_step_needs_no_edges_and_edges_may_be_given():
    assert to_native({"name": "p", "steps": ["noop"]})["edges"] == []
    edges = [{"from": "b", "to": "a"}]
    steps = [{"id": "a", "type": "noop"}, {"id": "b", "type": "noop"}]
    assert to_native({"name": "p", "steps": steps, "edges": edges})["edges"] == edges


@pytest.mark.parametrize("document", [S0_DAG, {"name": "orders", "version": 2, "dag": S0_DAG}])
def test_the_dag_of_s0_is_accepted_verbatim(document):
    native = to_native(json.loads(json.dumps(document)), name="orders")
    assert native["name"] == "orders"
    assert native["nodes"][0] == {
        "id": "fetch_data",
        "type": "job",
        "timeout_seconds": 60,
        "retry": {"max_retries": 3},
    }
    assert native["edges"] == [
        {"from": "fetch_data", "to": "process_data"},
        {"from": "process_data", "to": "validate_input"},
        {"from": "validate_input", "to": "process_premium", "branch": "premium"},
    ]
    assert [problem.code for problem in validate(native, CATALOGUE)] == ["no_default_edge"]


def test_the_record_of_s0_keeps_its_id_and_version_as_metadata():
    native = to_native(
        {"definition_id": "7b0c", "version": 3, "name": "orders", "sla_seconds": 60, "dag": S0_DAG}
    )
    assert native["metadata"] == {"definition_id": "7b0c", "version": 3}
    assert native["sla_seconds"] == 60
    assert "dag" not in native


def test_nodes_of_s0_may_have_types_and_other_fields_of_ours():
    document = {"nodes": [{"step_name": "a", "type": "noop", "title": "First", "join": "all"}], "edges": []}
    assert to_native(document)["nodes"] == [{"id": "a", "type": "noop", "title": "First", "join": "all"}]


@pytest.mark.parametrize(
    ("document", "dialect", "field"),
    [
        ([], None, ""),
        ({}, None, ""),
        ("text.clean", None, ""),
        ({"name": "x"}, None, ""),
        ({"nodes": []}, "s9", "dialect"),
        ({"steps": "noop"}, None, "steps"),
        ({"steps": ["noop", 3]}, None, "steps[1]"),
        ({"steps": [{"id": "a"}]}, None, "steps[0].type"),
        ({"steps": ["noop"], "nodes": []}, "steps", "steps"),
        ({"dag": {"nodes": {}}}, None, "dag.nodes"),
        ({"dag": {"nodes": [3]}}, None, "dag.nodes[0]"),
        ({"dag": {"nodes": [{}]}}, None, "dag.nodes[0].step_name"),
        ({"nodes": [{"step_name": "a", "id": "b"}]}, None, "nodes[0]"),
        ({"nodes": [{"step_name": "a", "max_retries": 1, "retry": "none"}]}, None, "nodes[0]"),
        ({"nodes": [], "edges": [{"from": "a", "to": "b", "condition": 3}]}, None, "edges[0].condition"),
        ({"nodes": [], "edges": [{"condition": "x", "branch": "y"}]}, None, "edges[0]"),
        ({"nodes": [], "edges": 3}, "s0", "edges"),
    ],
)
def test_what_cannot_be_translated_says_where(document, dialect, field):
    with pytest.raises(DialectError) as caught:
        to_native(document, dialect)
    assert caught.value.field == field
    assert caught.value.message.endswith(".")


def test_dialects_are_told_apart():
    assert detect(PIPELINE) == "steps"
    assert detect(S0_DAG) == "s0"
    assert detect({"dag": {}}) == "s0"
    assert detect({"nodes": [], "edges": []}) == "native"
    assert set(DIALECTS) == {"native", "steps", "s0", "depends_on", "configuration", "s4"}


def test_a_name_is_supplied_only_where_there_is_none():
    assert to_native({"name": "own", "nodes": []}, name="other")["name"] == "own"
    assert to_native({"nodes": []}, name="other")["name"] == "other"
    assert "name" not in to_native({"nodes": []})


def test_translating_changes_nothing_in_the_document_that_was_given():
    before = json.dumps([PIPELINE, S0_DAG])
    to_native(PIPELINE)
    to_native(S0_DAG)
    assert json.dumps([PIPELINE, S0_DAG]) == before


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(
    ["nodes", "edges", "steps", "dag", "step_name", "condition", "type", "id", "max_retries"]
)
mixed = st.recursive(
    junk, lambda inner: st.dictionaries(fields, inner | st.lists(inner, max_size=3)), max_leaves=8
)


@QUICK
@given(mixed)
def test_any_json_is_translated_or_refused(document):
    try:
        native = to_native(document)
    except DialectError:
        return
    assert isinstance(native, dict)


@QUICK
@given(
    st.dictionaries(st.sampled_from(["name", "title", "metadata", "output"]), junk),
    st.lists(junk, max_size=3),
)
def test_what_is_native_comes_back_from_export_as_it_was(around, nodes):
    document = {**around, "nodes": [{"id": "a", "x": value} for value in nodes], "edges": []}
    native = to_native(document, "native")
    assert native == document
    assert to_native(from_native(native), "native") == native
    assert content_hash(from_native(native)) == content_hash(document)


@QUICK
@given(
    st.lists(
        st.sampled_from(["text.clean", "noop", "job", "a.b.c", "7.7", "ä", "-", "x" * 80]),
        min_size=1,
        max_size=8,
    )
)
def test_ids_from_types_are_always_good_ids(types):
    native = to_native({"name": "p", "steps": types})
    assert not {"bad_value", "duplicate_id"} & {problem.code for problem in validate(native, CATALOGUE)}
    assert len(native["edges"]) == len(types) - 1


# --- the canonical form ---


def test_key_order_and_spelling_of_numbers_do_not_matter_but_list_order_does():
    assert (
        canonical_bytes({"b": 1.0, "a": [1e2, {"d": 1, "c": "ü"}]})
        == '{"a":[100,{"c":"ü","d":1}],"b":1}'.encode()
    )
    assert content_hash({"a": 1e20}) == content_hash({"a": 10**20})
    assert content_hash({"a": 1.5}) != content_hash({"a": 1})
    assert content_hash({"a": True}) != content_hash({"a": 1})
    assert content_hash({"edges": [1, 2]}) != content_hash({"edges": [2, 1]})


def test_defaults_are_not_filled_in():
    assert canonical_bytes({"id": "a"}) == b'{"id":"a"}'
    assert len(content_hash({})) == 64


@QUICK
@given(junk)
def test_the_hash_survives_a_round_trip_through_json(document):
    assert content_hash(json.loads(canonical_bytes(document))) == content_hash(document)
