"""Fields as JSON pointers: each leads to what its field names (R-023)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.holes import field_at
from engine.pointers import pointer_of
from tests.engine.spec_samples import definition, edge, node
from tests.engine.test_validate import INVALID, found

KEYS = st.lists(st.text(max_size=5) | st.integers(0, 500), max_size=5)


@pytest.mark.parametrize(
    ("field", "pointer"),
    [
        ("", ""),
        ("name", "/name"),
        ("nodes[2].params.url", "/nodes/2/params/url"),
        ('nodes[0].params.set["a/b~c"]', "/nodes/0/params/set/a~1b~0c"),
        ('["two words"].x', "/two words/x"),
        ("nodes[0].params['a\\x00\"b']", '/nodes/0/params/a\x00"b'),
    ],
)
def test_a_field_is_a_pointer(field, pointer):
    assert pointer_of(field) == pointer


def followed(document: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        document = document[int(key)] if isinstance(document, list) else document[key]
    return document


@given(KEYS)
def test_it_leads_to_the_value(keys):
    document: Any = "here"
    for key in reversed(keys):
        document = {key: document} if isinstance(key, str) else [*[None] * key, document]
    assert followed(document, pointer_of(field_at("", keys))) == "here"


def test_what_is_no_field_breaks_nothing():
    for text in ('a["b', "]][[", "a['\\", "\x00", "é.b"):
        assert pointer_of(text) is not None


@pytest.mark.parametrize("fixture", sorted(INVALID))
def test_the_pointer_leads_to_the_field_or_to_where_it_is_missing(fixture):
    for problem in found(INVALID[fixture]["document"], **INVALID[fixture].get("limits", {})):
        value = INVALID[fixture]["document"]
        *path, _ = [None, *problem.as_dict()["pointer"].split("/")[1:]]
        for key in path[1:]:
            value = value[int(key)] if isinstance(value, list) else value[key]


def test_paths_that_part_may_meet_in_any_step():
    nodes = [node("p", "parallel"), node("b"), node("c"), node("d")]
    meeting = definition(nodes, [edge("p", "b"), edge("p", "c"), edge("b", "d"), edge("c", "d")])
    beside = definition(nodes[:3], [edge("p", "b"), edge("p", "c"), edge("b", "c")])
    assert found(meeting) == found(beside) == []
    apart = definition(nodes[:3], [edge("p", "b"), edge("p", "c")])
    assert [problem.code for problem in found(apart)] == ["parallel_without_join"]
