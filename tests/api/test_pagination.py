"""Lists page by keyset: newest first, complete, and no bad cursor is more than a 400."""

import base64

import pytest
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from lib.api.pagination import Cursor, decode_cursor, list_mark
from lib.refusals import Invalid

pytestmark = pytest.mark.django_db
URL = "/api/v1/workflows"


@pytest.fixture
def seven(api):
    for number in range(7):
        assert api.post(URL, {"name": f"w{number}"}).status_code == 201
    return api


def names(answer):
    assert answer.status_code == 200, answer.content
    return [row["name"] for row in answer.json()["results"]]


def test_pages_follow_each_other_there_and_back(seven):
    first = seven.get(URL, {"limit": 3})
    second = seven.get(first.json()["next"])
    third = seven.get(second.json()["next"])
    assert [names(page) for page in (first, second, third)] == [
        ["w6", "w5", "w4"],
        ["w3", "w2", "w1"],
        ["w0"],
    ]
    assert first.json()["previous"] is None
    assert third.json()["next"] is None
    back = seven.get(third.json()["previous"])
    assert names(back) == ["w3", "w2", "w1"]
    start = seven.get(back.json()["previous"])
    assert names(start) == ["w6", "w5", "w4"]
    assert start.json()["previous"] is None
    assert names(seven.get(start.json()["next"])) == ["w3", "w2", "w1"]


def test_what_is_added_meanwhile_moves_nothing(seven):
    first = seven.get(URL, {"limit": 3})
    seven.post(URL, {"name": "newer"})
    assert names(seven.get(first.json()["next"])) == ["w3", "w2", "w1"]


def test_the_filter_goes_along(seven):
    seven.post(URL, {"name": "other"})
    page = seven.get(URL, {"limit": 2, "q": "w"})
    assert names(page) == ["w6", "w5"]
    assert names(seven.get(page.json()["next"])) == ["w4", "w3"]


def test_the_cursor_is_taken_alone_and_as_a_whole_address(seven):
    address = seven.get(URL, {"limit": 3}).json()["next"]
    cursor = address.rpartition("cursor=")[2]
    assert names(seven.get(URL, {"limit": 3, "cursor": cursor})) == ["w3", "w2", "w1"]
    assert names(seven.get(URL, {"limit": 3, "cursor": address})) == ["w3", "w2", "w1"]


def test_a_list_of_nothing_is_a_page(api):
    assert api.get(URL).json() == {"results": [], "next": None, "previous": None}


@pytest.mark.parametrize(
    "limit", ["0", "201", "-1", "x", "1.5", "1.0", "1_0", "+5", " 5", "５０", "", "9" * 30]
)
def test_a_bad_limit_is_a_400(api, limit):
    answer = api.get(URL, {"limit": limit})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "limit")


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def of_this_list(raw: str) -> str:
    """A cursor that bears the mark of the whole list of workflows."""
    return encoded(f'["{MARK}", {raw}]'.encode())


MARK = list_mark(Request(APIRequestFactory().get(URL)))
BAD_CURSORS = [
    "x",
    "é",
    "%00",
    "!!!!",
    "A" * 3000,
    encoded(b""),
    encoded(b"\xff"),
    encoded(b"{}"),
    encoded(b"[]"),
    encoded(b"[true]"),
    encoded(b"[" * 100),
    encoded(b'[true, "2026-01-01T00:00:00Z", 1]'),
    encoded(b'[7, true, "2026-01-01T00:00:00Z", 1]'),
    of_this_list("true"),
    of_this_list('true, "2026-01-01T00:00:00Z"'),
    of_this_list('1, "2026-01-01T00:00:00Z", 1'),
    of_this_list('true, "no time", 1'),
    of_this_list('true, "2026-01-01T00:00:00Z", "x"'),
    of_this_list('true, "2026-01-01T00:00:00Z", 9007199254740993'),
    of_this_list('true, "2026-01-01T00:00:00Z", null'),
    of_this_list('true, [1], {"a": 1}'),
    of_this_list("true, 1, 1"),
    of_this_list('true, "2026-01-01T00:00:00Z", true'),
    of_this_list('true, "99999-01-01T00:00:00Z", 1'),
]


def test_a_cursor_is_its_own_lists(seven):
    assert seven.get(URL, {"cursor": of_this_list('false, "2999-01-01T00:00:00Z", 1')}).status_code == 200
    cursor = seven.get(URL, {"limit": 3}).json()["next"].rpartition("cursor=")[2]
    assert names(seven.get(URL, {"limit": 2, "cursor": cursor})) == ["w3", "w2"]
    for path, filters in [
        (URL, {"q": "w"}),
        (URL, {"archived": "true"}),
        (f"{URL}/w1/versions", {}),
        ("/api/v1/runs", {}),
        ("/api/v1/dead-letters", {}),
    ]:
        answer = seven.get(path, filters | {"cursor": cursor})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_cursor"), path
        assert answer.json()["error"]["field"] == "cursor"


@pytest.mark.parametrize("cursor", BAD_CURSORS)
def test_a_bad_cursor_is_a_400(api, cursor):
    answer = api.get(URL, {"cursor": cursor})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "cursor"), cursor


def test_cursors_survive_their_own_writing():
    cursor = Cursor("here", True, ("2026-01-01T00:00:00+00:00", 7))
    assert decode_cursor(cursor.encode(), of="here", keys=2) == cursor
    for other in ({"of": "here", "keys": 3}, {"of": "there", "keys": 2}):
        with pytest.raises(Invalid):
            decode_cursor(cursor.encode(), **other)


@pytest.mark.parametrize(
    "query", ["unknown=1", "limit=1&limit=2", "archived=perhaps", "q=" + "x" * 201, "q=%00"]
)
def test_a_query_that_is_not_known_or_clear_is_a_400(api, query):
    answer = api.get(f"{URL}?{query}")
    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == query.partition("=")[0]
