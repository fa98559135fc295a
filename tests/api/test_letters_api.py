"""Dead letters over REST: redriven one by one, many at once, by a filter; discarded; and pause and unpause."""

import pytest

from lib.uuid7 import uuid7
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

URL = "/api/v1/dead-letters"
FAILS = {
    "nodes": [
        {
            "id": "a",
            "type": "http.request",
            "retry": "none",
            "params": {"method": "GET", "url": "{{ input.u }}"},
        }
    ]
}


@pytest.fixture
def letters(api):
    """A client whose tenant has three failed runs of `fails` and one of `others`, and their letters, oldest first."""
    for name in ("fails", "others"):
        api.post("/api/v1/workflows", {"name": name, "definition": {"name": name, **FAILS}})
        api.post(f"/api/v1/workflows/{name}/publish", {})
    for name in ("fails", "fails", "fails", "others"):
        assert api.post("/api/v1/runs", {"workflow": name, "input": {"u": "ftp://x"}}).status_code == 201
    for _ in range(4):
        (step,) = make.claimed("blocking", limit=1)
        make.fail(step, code="HttpRefused")
    return api, list(reversed(api.get(URL).json()["results"]))


def test_one_is_redriven_and_then_resolved(letters):
    api, found = letters
    answer = api.post(f"{URL}/{found[0]['id']}/redrive", {"reason": "it is back"})
    assert (answer.status_code, answer.json()["resolution"]) == (202, "redriven")
    assert api.get(f"/api/v1/runs/{found[0]['run_id']}").json()["status"] in ("PENDING", "RUNNING")
    again = api.post(f"{URL}/{found[0]['id']}/redrive", {})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "resolved")


def test_many_are_redriven_by_id_and_what_cannot_is_told(letters):
    api, found = letters
    ids = [letter["id"] for letter in found]
    api.post(f"{URL}/{ids[0]}/redrive", {})
    answer = api.post(f"{URL}/redrive", {"ids": ids[:2]})
    assert (answer.status_code, answer.json()["redriven"]) == (202, [ids[1]])
    assert [(one["id"], one["code"]) for one in answer.json()["refused"]] == [(ids[0], "resolved")]


def test_many_are_redriven_by_what_they_have_in_common(letters):
    api, found = letters
    answer = api.post(f"{URL}/redrive", {"filter": {"workflow": "fails", "code": "HttpRefused", "node": "a"}})
    assert set(answer.json()["redriven"]) == {letter["id"] for letter in found[:3]}
    assert api.post(f"{URL}/redrive", {"filter": {"code": "Other"}}).json() == {
        "redriven": [],
        "refused": [],
        "left": 0,
        "bulk_job": None,
    }


def test_more_than_are_done_at_once_become_a_bulk_job(letters, monkeypatch):
    api, _ = letters
    monkeypatch.setattr("runs.commands.dead_letters.REDRIVEN_STEPS", 2)
    answer = api.post(f"{URL}/redrive", {"filter": {"workflow": "fails"}}).json()
    assert (answer["redriven"], answer["left"]) == ([], 0)
    job = api.get(f"/api/v1/bulk-jobs/{answer['bulk_job']}").json()
    assert (job["verb"], job["total"]) == ("retry", 3)


def test_one_that_is_not_there_is_refused_and_not_passed_over(letters):
    api, found = letters
    other = str(uuid7())
    answer = api.post(f"{URL}/redrive", {"ids": [found[0]["id"], other]}).json()
    assert answer["redriven"] == [found[0]["id"]]
    assert [(one["id"], one["code"]) for one in answer["refused"]] == [(other, "not_found")]


@pytest.mark.parametrize("wrong", [{}, {"ids": [], "filter": {}}, {"ids": ["x"]}, {"filter": {"else": 1}}])
def test_what_is_no_choice_of_letters_is_refused(letters, wrong):
    api, _ = letters
    assert api.post(f"{URL}/redrive", wrong).status_code == 400


def test_one_is_discarded_and_its_run_stays_and_can_still_be_resumed(letters):
    api, found = letters
    path = f"{URL}/{found[3]['id']}/discard"
    assert api.post(path, {"reason": "seen to"}).json()["resolution"] == "discarded"
    assert api.post(path, {}).json()["resolution"] == "discarded"
    run = f"/api/v1/runs/{found[3]['run_id']}"
    assert api.get(run).json()["status"] == "FAILED"
    assert api.get(f"{URL}?resolution=open").json()["results"][0]["id"] == found[2]["id"]
    assert api.post(f"{run}/resume", {}).status_code == 200


def test_a_run_is_paused_and_goes_on(letters):
    api, _ = letters
    run = api.post("/api/v1/runs", {"workflow": "fails", "input": {"u": "ftp://x"}}).json()["id"]
    assert api.post(f"/api/v1/runs/{run}/pause", {"reason": "lunch"}).json()["status"] == "PAUSED"
    assert api.post(f"/api/v1/runs/{run}/pause", {}).status_code == 409
    assert api.post(f"/api/v1/runs/{run}/unpause", {}).json()["status"] in ("PENDING", "RUNNING")
