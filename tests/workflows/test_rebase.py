"""Groups made from an older draft: no connection leads to a step that others took out or gave another id meanwhile."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.strategies import QUICK
from tests.workflows.documents import inverses, same_document
from workflows.document.change_requests import read_groups
from workflows.document.changes import Group, apply, diff, keyed, unkeyed
from workflows.document.rebase import Meanwhile, apply_late, meanwhile

# The builder's own tests check them, too (`frontend/test/`).
VECTORS = json.loads((Path(__file__).parent / "meanwhile_vectors.json").read_text())
KEY = "0192f3a4-7f3e-7c55-8a7e-0a4b9d1c2e3f"


def group(changes):
    return Group(KEY, "", tuple(changes))


def read(changes):
    (read,) = read_groups([{"id": KEY, "changes": changes}])
    return read


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"].replace(" ", "_") for vector in VECTORS])
def test_what_is_sent_late_does_here_what_it_does_in_the_builder(vector):
    now = vector["known"]
    others = [read(changes) for changes in vector["others"]]
    for each in others:
        assert not apply(now, [each]).conflicts
        now = apply(now, [each]).document
    sent = read(vector["changes"])
    result, made = apply_late(now, [sent], meanwhile(each.changes for each in others))
    after = vector["after"]
    assert unkeyed(result.document) == unkeyed(now if after is None else after)
    assert bool(result.conflicts) == (after is None)
    if after is None:
        assert (result.groups, made) == ([], {})
        return
    whole = made[KEY]
    assert same_document(apply(now, [whole]).document, result.document), "what is logged is what was done"
    if result.document is not now:
        assert unkeyed(apply(result.document, [group(inverses(whole.changes))]).document) == unkeyed(now)


def test_where_nobody_knows_what_others_did_no_connection_comes_in_that_leads_nowhere():
    here = keyed({"nodes": [{"id": "a"}], "edges": []}, {})
    sent = read([{"path": ["edges", "a>b"], "to": {"from": "a", "to": "b"}}])
    assert apply_late(here, [sent])[0].conflicts == []
    (conflict,) = apply_late(here, [sent], meanwhile([None]))[0].conflicts
    assert (conflict.path, conflict.cause) == (("edges", "a>b"), ("nodes", "b"))


IDS = st.sampled_from("abcdef")
WAYS = st.sets(st.tuples(IDS, IDS), max_size=8)


def flow(ids, ways):
    """A flow of steps that are told apart by their titles, with these ways between those that are there."""
    nodes = [{"id": key, "type": "noop", "title": title} for title, key in ids.items()]
    return keyed({"nodes": nodes, "edges": [{"from": one, "to": two} for one, two in sorted(ways)]}, {})


@st.composite
def two_people(draw):
    """A flow in which all connections lead somewhere, and what two people make of it, each at leisure."""
    ids = dict.fromkeys(draw(st.lists(IDS, min_size=2, unique=True)))
    there = [{title: title for title in ids}]
    for mark in ("1", "2"):
        what = {title: draw(st.sampled_from(["stays", "goes", "is renamed"])) for title in ids}
        there.append(
            {title: title + mark * (what[title] != "stays") for title in ids if what[title] != "goes"}
        )
    return [
        flow(each, {(each[one], each[two]) for one, two in draw(WAYS) if one in each and two in each})
        for each in there
    ]


def strays(document):
    return [
        key
        for key, edge in document["edges"].items()
        if not {edge["from"], edge["to"]} <= document["nodes"].keys()
    ]


@QUICK
@given(two_people())
def test_no_connection_that_somebody_draws_leads_nowhere_whatever_somebody_else_did(flows):
    known, now, wanted = flows
    others = diff(known, now)
    result, made = apply_late(now, [group(diff(known, wanted))], meanwhile([others]))
    assert bool(result.conflicts) != bool(made)
    assert strays(result.document) == []


def test_nobody_has_done_anything_where_no_group_is_known():
    assert meanwhile([]) == Meanwhile()
