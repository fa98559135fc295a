"""Changes of a draft as data: keys, diff, apply, inverse, for any definition that Hypothesis thinks of."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.strategies import SOAK
from tests.workflows.documents import inverse, inverses, same_document
from tests.workflows.drafts import DEFINITIONS, DOCUMENTS, LAYOUTS, QUICK
from workflows.document.changes import (
    NOTHING,
    Change,
    Group,
    NotKeyable,
    apply,
    diff,
    keyed,
    same,
    unkeyed,
)
from workflows.versions.examples import examples

pytestmark = pytest.mark.slow


def group(changes, name="g"):
    return Group(name, "", tuple(changes))


def applied(document, changes):
    """The document with the changes, which meet no conflict."""
    result = apply(document, [group(changes)])
    assert result.conflicts == []
    return result.document


def document(*nodes, edges=(), layout=None, **rest):
    return keyed({"name": "flow", "nodes": list(nodes), "edges": list(edges), **rest}, layout or {})


@settings(QUICK)
@given(DEFINITIONS, LAYOUTS)
def test_a_definition_is_what_its_document_stands_for(definition, layout):
    back, back_layout = unkeyed(keyed(definition, layout))
    assert same(back, definition)
    assert same(back_layout, layout)


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_each_example_is_what_its_document_stands_for(example):
    assert same(unkeyed(keyed(example.definition, {}))[0], example.definition)


@settings(QUICK)
@given(DOCUMENTS, DOCUMENTS)
def test_what_differs_between_two_documents_makes_one_of_the_other(before, after):
    assert same_document(applied(before, diff(before, after)), after)


@settings(QUICK)
@given(DOCUMENTS, DOCUMENTS)
def test_nothing_differs_only_between_equal_documents(before, after):
    assert diff(before, before) == []
    assert bool(diff(before, after)) != same_document(before, after)


def without_empty_objects(value):
    if isinstance(value, dict):
        slim = {key: without_empty_objects(item) for key, item in value.items()}
        return {key: item for key, item in slim.items() if item != {}}
    return value


@settings(QUICK)
@given(DOCUMENTS, DOCUMENTS)
def test_the_inverses_take_back_what_was_applied(before, after):
    changes = diff(before, after)
    back = applied(applied(before, changes), inverses(changes))
    assert list(back["nodes"]) == list(before["nodes"])
    assert list(back["edges"]) == list(before["edges"])
    assert same(without_empty_objects(back), without_empty_objects(before))


@settings(QUICK)
@given(DOCUMENTS, DOCUMENTS)
def test_sending_a_group_twice_is_sending_it_once(before, after):
    sent = group(diff(before, after))
    once = apply(before, [sent])
    again = apply(once.document, [sent])
    assert again.conflicts == []
    assert again.document is once.document


@settings(QUICK)
@given(DOCUMENTS, DOCUMENTS, DOCUMENTS)
def test_a_group_with_a_conflict_changes_nothing(here, before, after):
    result = apply(here, [group(diff(before, after))])
    assert result.groups == ([] if result.conflicts else ["g"])
    if result.conflicts:
        assert result.document is here


@settings(QUICK)
@given(DOCUMENTS, DOCUMENTS, st.data())
def test_disjoint_groups_may_come_in_any_order(before, after, data):
    """In the order of entries the last one wins, so only what they hold is compared."""
    changes = diff(before, after)
    heads = sorted({change.path[:2] for change in changes})
    mine = set(data.draw(st.lists(st.sampled_from(heads), unique=True))) if heads else set()
    one = group((change for change in changes if change.path[:2] in mine), "one")
    other = group((change for change in changes if change.path[:2] not in mine), "other")
    first, second = apply(before, [one, other]), apply(before, [other, one])
    assert first.conflicts == second.conflicts == []
    assert same(first.document, second.document)
    assert same(first.document, after)


@settings(QUICK)
@given(DOCUMENTS, DOCUMENTS)
def test_what_is_applied_leaves_the_document_given_as_it_was(before, after):
    copy = keyed(*unkeyed(before))
    apply(before, [group(diff(before, after))])
    assert same_document(before, copy)


@pytest.mark.soak
@pytest.mark.parametrize(
    "prove",
    [
        test_what_differs_between_two_documents_makes_one_of_the_other,
        test_the_inverses_take_back_what_was_applied,
        test_sending_a_group_twice_is_sending_it_once,
        test_a_group_with_a_conflict_changes_nothing,
    ],
    ids=lambda prove: prove.__name__.removeprefix("test_"),
)
def test_twenty_thousand_pairs_of_documents(prove):
    @SOAK
    @given(st.tuples(DOCUMENTS, DOCUMENTS, DOCUMENTS))
    def at_length(documents):
        test = prove.hypothesis.inner_test
        test(*documents[: test.__code__.co_argcount])

    at_length()


def test_each_param_is_a_change_of_its_own():
    before = document({"id": "a", "type": "http.request", "params": {"url": "one", "method": "GET"}})
    after = document({"id": "a", "type": "http.request", "params": {"url": "two", "query": {"q": 1}}})
    assert [change.as_dict() for change in diff(before, after)] == [
        {"path": ["nodes", "a", "params", "url"], "from": "one", "to": "two"},
        {"path": ["nodes", "a", "params", "query", "q"], "to": 1},
        {"path": ["nodes", "a", "params", "method"], "from": "GET"},
    ]


def test_edges_between_the_same_nodes_are_counted():
    edges = [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}, {"from": "a", "to": "b", "on": "error"}]
    assert list(document(edges=edges)["edges"]) == ["a>b", "b>a", "a>b#2"]


def test_true_is_not_one_but_one_is_one_point_zero():
    assert not same(True, 1)
    assert not same([False], [0])
    assert same({"a": 1}, {"a": 1.0})
    before = document({"id": "a", "x": 1})
    assert apply(before, [group([Change(("nodes", "a", "x"), True, 2)])]).conflicts != []
    assert diff(before, document({"id": "a", "x": True})) != []


def test_a_change_expects_what_it_was_made_from():
    here = document({"id": "a", "title": "Theirs"})
    (conflict,) = apply(here, [group([Change(("nodes", "a", "title"), "Old", "Mine")])]).conflicts
    assert (conflict.path, conflict.yours, conflict.theirs) == (("nodes", "a", "title"), "Mine", "Theirs")


def test_a_value_for_a_step_that_is_gone_is_a_conflict_and_taking_one_away_is_not():
    here = document()
    path = ("nodes", "gone", "params", "url")
    assert apply(here, [group([Change(path, after="x")])]).conflicts != []
    assert apply(here, [group([Change(path, before="x")])]).conflicts == []


def test_objects_on_the_way_are_made_and_removed_with_the_last_value_in_them():
    here = document({"id": "a"})
    set_it = Change(("nodes", "a", "params", "headers", "x"), after="1")
    there = applied(here, [set_it])
    assert there["nodes"]["a"] == {"params": {"headers": {"x": "1"}}}
    assert applied(there, [inverse(set_it)])["nodes"]["a"] == {}


def test_of_two_who_move_the_same_step_about_the_last_one_wins():
    here = document({"id": "a"}, layout={"nodes": {"a": {"x": 1, "y": 1}}})
    moved = applied(here, [Change(("layout", "nodes", "a"), {"x": 0, "y": 0}, {"x": 7, "y": 7})])
    assert moved["layout"] == {"nodes": {"a": {"x": 7, "y": 7}}}
    note = Change(("layout", "notes", "n", "text"), "old", "new")
    assert apply(here, [group([note])]).conflicts != []


@pytest.mark.parametrize(
    ("at", "order"),
    [
        (None, ["new", "a", "b"]),
        ("a", ["a", "new", "b"]),
        ("gone", ["a", "b", "new"]),
        (NOTHING, ["a", "b", "new"]),
    ],
)
def test_a_new_entry_stands_where_it_says(at, order):
    here = document({"id": "a"}, {"id": "b"})
    assert list(applied(here, [Change(("nodes", "new"), after={}, at=at)])["nodes"]) == order


def test_a_move_changes_the_order_alone_and_needs_the_entry():
    here = document({"id": "a"}, {"id": "b"}, {"id": "c"})
    move = Change(("nodes", "c"), at=None, was_at="b")
    assert list(applied(here, [move])["nodes"]) == ["c", "a", "b"]
    assert list(applied(applied(here, [move]), [inverse(move)])["nodes"]) == ["a", "b", "c"]
    assert apply(document(), [group([move])]).conflicts != []


def test_few_move_where_the_rest_can_stay():
    before = document(*({"id": key} for key in "abcdef"))
    after = document(*({"id": key} for key in "fabcde"))
    assert diff(before, after) == [Change(("nodes", "f"), at=None, was_at="e")]


@pytest.mark.parametrize(
    ("definition", "field"),
    [
        ({"nodes": {}}, "nodes"),
        ({"nodes": [7]}, "nodes[0]"),
        ({"nodes": [{"type": "noop"}]}, "nodes[0].id"),
        ({"nodes": [{"id": "a"}, {"id": "a"}]}, "nodes[1].id"),
        ({"nodes": [{"id": "a>b"}]}, "nodes[0].id"),
        ({"nodes": [{"id": "a#2"}]}, "nodes[0].id"),
        ({"nodes": [{"id": 7}]}, "nodes[0].id"),
        ({"edges": "none"}, "edges"),
        ({"edges": [None]}, "edges[0]"),
        ({"edges": [{"from": "a"}]}, "edges[0].to"),
        ({"edges": [{"from": ["a"], "to": "b"}]}, "edges[0].from"),
        ({"nodes": [{"id": f"n{number}"} for number in range(5001)]}, "nodes"),
    ],
)
def test_what_can_not_be_keyed_says_where(definition, field):
    with pytest.raises(NotKeyable) as refused:
        keyed(definition, {})
    assert refused.value.field == field


def test_a_definition_without_nodes_or_edges_has_none():
    assert keyed({"name": "x", "edges": None}, {}) == {
        "nodes": {},
        "edges": {},
        "settings": {"name": "x"},
        "layout": {},
    }
