"""Groups of changes as they are sent: taken whole, or refused with the field that is wrong."""

import uuid

import pytest

from lib.refusals import Invalid
from workflows.document.change_requests import read_groups

KEY = str(uuid.uuid4())
GOOD = {"path": ["nodes", "a", "title"], "to": "x"}


def refused(value):
    with pytest.raises(Invalid) as found:
        read_groups(value)
    return found.value.field


def a_group(*changes, **rest):
    return [{"id": KEY, "label": "x", "changes": list(changes), **rest}]


def test_a_good_group_is_read():
    (group,) = read_groups([{"id": KEY.upper(), "changes": [GOOD]}])
    assert (group.id, group.label) == (KEY, "")
    assert group.changes[0].as_dict() == GOOD


def test_null_is_a_value_and_no_key_at_all_is_none():
    (group,) = read_groups(a_group({"path": ["nodes", "a", "title"], "from": None, "to": 1}))
    assert group.changes[0].before is None
    assert read_groups(a_group(GOOD))[0].changes[0].before is not None


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, "groups"),
        ({}, "groups"),
        ([7], "groups[0]"),
        ([{"id": KEY}], "groups[0].changes"),
        ([{"changes": []}], "groups[0].id"),
        ([{"id": "7", "changes": []}], "groups[0].id"),
        ([{"id": 7, "changes": []}], "groups[0].id"),
        ([{"id": KEY, "changes": {}}], "groups[0].changes"),
        (a_group(GOOD, extra=1), "groups[0].extra"),
        ([{"id": KEY, "label": None, "changes": []}], "groups[0].label"),
        ([{"id": KEY, "label": "x" * 201, "changes": []}], "groups[0].label"),
        (a_group() * 501, "groups"),
        (a_group(*[GOOD] * 2501) * 2, "groups"),
    ],
)
def test_what_is_no_group_says_where(value, field):
    assert refused(value) == field


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ("x", ""),
        ({"to": 1}, ".path"),
        ({"path": "nodes", "to": 1}, ".path"),
        ({"path": ["nodes"], "to": 1}, ".path"),
        ({"path": ["settings", *"abcdefghijkl"], "to": 1}, ".path"),
        ({"path": ["settings", 7], "to": 1}, ".path"),
        ({"path": ["settings", "x" * 257], "to": 1}, ".path"),
        ({"path": ["other", "a"], "to": 1}, ".path[0]"),
        ({"path": ["nodes", "a>b"], "to": {}}, ".path[1]"),
        ({"path": ["nodes", "a#b"], "to": {}}, ".path[1]"),
        ({"path": ["nodes", ""], "to": {}}, ".path[1]"),
        ({"path": ["edges", "ab"], "to": {}}, ".path[1]"),
        ({"path": ["edges", "a>b#0"], "to": {}}, ".path[1]"),
        ({"path": ["settings", "nodes"], "to": []}, ".path[1]"),
        ({"path": ["nodes", "a", "id"], "to": "b"}, ".path[2]"),
        ({"path": ["edges", "a>b", "to"], "to": "c"}, ".path[2]"),
        ({"path": ["nodes", "a"], "to": 7}, ".to"),
        ({"path": ["nodes", "a"], "to": {"id": "b"}}, ".to.id"),
        ({"path": ["edges", "a>b"], "to": {"from": "a"}}, ".to.to"),
        ({"path": ["edges", "a>b"], "to": {"from": "c", "to": "b"}}, ".to.from"),
        ({"path": ["nodes", "a"]}, ""),
        ({"path": ["nodes", "a"], "was_at": "b"}, ""),
        ({"path": ["nodes", "a"], "at": 7}, ".at"),
        ({"path": ["nodes", "a", "title"], "at": "b"}, ".at"),
        ({"path": ["settings", "title"], "to": 1, "was_at": None}, ".was_at"),
        ({"path": ["settings", "title"], "to": 1, "more": 1}, ".more"),
    ],
)
def test_what_is_no_change_says_where(change, field):
    assert refused(a_group(GOOD, change)) == f"groups[0].changes[1]{field}"
