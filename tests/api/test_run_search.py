"""`GET /runs?q=`: found in all runs, in parts where that is much; what was not looked at is never told as not there."""

import pytest

from lib.api.pagination import Cursor, list_mark
from runs.reading import search
from tests import factories as make
from tests.api.hooks import publish

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
URL = "/api/v1/runs?q=siemens&limit=2"


@pytest.fixture
def ids(api):
    """Thirteen runs, three with a key about Siemens, five more with such an input: in the order of the search."""
    publish(api, make.chain("noop"))
    keys = ["siemens-1", "Siemens-2", "siemens-3", *[None] * 10]
    items = [
        {"input": "x Siemens" if place % 2 else "other"} | ({"business_key": key} if key else {})
        for place, key in enumerate(keys)
    ]
    answer = api.post("/api/v1/runs/batch", {"workflow": "chain", "items": items})
    made = [run["id"] for run in answer.json()["runs"]]
    return [*made[2::-1], *made[11:2:-2]]


def walk(api, address, to):
    pages = []
    while address:
        answer = api.get(address)
        assert answer.status_code == 200, answer.json()
        pages.append(answer.json())
        address = pages[-1][to]
    return pages


@pytest.mark.parametrize("runs_a_page", [1, 2, 4, 13, 100])
def test_its_pages_give_each_run_once_forwards_and_backwards(api, ids, monkeypatch, runs_a_page):
    monkeypatch.setattr(search, "RUNS_A_PAGE", runs_a_page)
    older = walk(api, URL, "next")
    assert [run["id"] for page in older for run in page["results"]] == ids
    assert [page["searched"]["complete"] for page in older] == [False] * (len(older) - 1) + [True]

    newer = walk(api, older[-1]["previous"], "previous")
    back = [run["id"] for page in reversed(newer) for run in page["results"]]
    assert back + [run["id"] for run in older[-1]["results"]] == ids


def test_it_says_how_far_it_looked(api, ids, monkeypatch):
    whole = api.get("/api/v1/runs?q=siemens").json()
    assert (len(whole["results"]), whole["next"]) == (8, None)
    assert (whole["searched"]["runs"], whole["searched"]["complete"]) == (13, True)
    monkeypatch.setattr(search, "RUNS_A_PAGE", 5)
    part = api.get("/api/v1/runs?q=no such text").json()
    assert (part["results"], part["searched"]["runs"], part["searched"]["complete"]) == ([], 5, False)
    assert part["searched"]["since"].endswith("Z")
    assert part["next"]


def test_a_part_of_a_key_is_looked_for_as_a_part_of_an_input_is(api, monkeypatch):
    publish(api, make.chain("noop"))
    items = [
        {"input": {}, "business_key": key} for key in ("INV-SIEMENS-1", "sIEMENS-2", "Siemens-3", "other")
    ]
    made = [
        run["id"]
        for run in api.post("/api/v1/runs/batch", {"workflow": "chain", "items": items}).json()["runs"]
    ]
    assert [run["id"] for run in api.get("/api/v1/runs?q=siemens").json()["results"]] == [
        made[2],
        *made[1::-1],
    ]
    monkeypatch.setattr(search, "RUNS_A_PAGE", 1)
    pages = walk(api, "/api/v1/runs?q=siemens", "next")
    assert [run["id"] for page in pages for run in page["results"]] == [made[2], *made[1::-1]]
    assert pages[0]["searched"]["runs"] == 1


def test_without_runs_it_is_complete(api):
    answer = api.get("/api/v1/runs?q=x").json()
    assert (answer["results"], answer["next"], answer["searched"]) == ([], None, {"complete": True})
    assert "searched" not in api.get("/api/v1/runs").json()


@pytest.mark.parametrize("values", [(2, "0190"), (0, 7), (1, "x"), ("0", "0190")])
def test_a_place_that_is_none_is_refused(api, rf, values):
    mark = list_mark(rf.get("/api/v1/runs?q=x"))
    cursor = Cursor(mark, False, values).encode()
    answer = api.get(f"/api/v1/runs?q=x&cursor={cursor}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_cursor")
