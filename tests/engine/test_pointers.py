"""Fields as JSON pointers: each leads to what its field names (R-023)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.holes import field_at
from engine.pointers import pointer_of

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
