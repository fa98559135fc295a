"""Lists page by keyset: newest first, complete, and no bad cursor is more than a 400."""

import base64

import pytest

from lib.api.pagination import Cursor, decode_cursor
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


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "1.5", "", "9" * 30])
def test_a_bad_limit_is_a_400(api, limit):
    answer = api.get(URL, {"limit": limit})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "limit")


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


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
    encoded(b'[true, "2026-01-01T00:00:00Z"]'),
    encoded(b'[1, "2026-01-01T00:00:00Z", 1]'),
    encoded(b'[true, "no time", 1]'),
    encoded(b'[true, "2026-01-01T00:00:00Z", "x"]'),
    encoded(b'[true, "2026-01-01T00:00:00Z", 9007199254740993]'),
    encoded(b'[true, "2026-01-01T00:00:00Z", null]'),
    encoded(b'[true, [1], {"a": 1}]'),
    encoded(b"[true, 1, 1]"),
    encoded(b'[true, "2026-01-01T00:00:00Z", true]'),
    encoded(b'[true, "99999-01-01T00:00:00Z", 1]'),
    encoded(b"[" * 100),
]


@pytest.mark.parametrize("cursor", BAD_CURSORS)
def test_a_bad_cursor_is_a_400(api, cursor):
    answer = api.get(URL, {"cursor": cursor})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "cursor"), cursor


def test_cursors_survive_their_own_writing():
    cursor = Cursor(True, ("2026-01-01T00:00:00+00:00", 7))
    assert decode_cursor(cursor.encode(), keys=2) == cursor
    with pytest.raises(Invalid):
        decode_cursor(cursor.encode(), keys=3)


@pytest.mark.parametrize(
    "query", ["unknown=1", "limit=1&limit=2", "archived=perhaps", "q=" + "x" * 201, "q=%00"]
)
def test_a_query_that_is_not_known_or_clear_is_a_400(api, query):
    answer = api.get(f"{URL}?{query}")
    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == query.partition("=")[0]
