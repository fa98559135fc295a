"""Many dead letters are discarded or redriven by ids or by a search; those of others are not there."""

import pytest

from operations.bulk import work
from runs.commands import dead_letters
from runs.models import HistoryEvent
from tests.web.test_letters_together import dead, open_letters

pytestmark = pytest.mark.django_db


def test_letters_of_other_tenants_and_folders_are_not_there(people):
    [letter] = dead(1, people.tenant())
    theirs = people.client("operator", tenant="theirs")
    answer = theirs.post(
        "/api/v1/dead-letters/discard", {"ids": [str(letter.pk)], "reason": "a"}, format="json"
    ).json()
    assert (answer["discarded"], [one["id"] for one in answer["refused"]]) == ([], [str(letter.pk)])
    assert open_letters() == 1


def test_over_rest_many_are_discarded_by_ids_or_by_a_search(api, people):
    letters = dead(2, people.tenant())
    first = api.post(
        "/api/v1/dead-letters/discard", {"ids": [str(letters[0].pk)], "reason": "a"}, format="json"
    )
    assert first.status_code == 200
    assert first.json() | {"bulk_job": ""} == {
        "discarded": [str(letters[0].pk)],
        "refused": [],
        "left": 0,
        "bulk_job": "",
    }
    rest = api.post(
        "/api/v1/dead-letters/discard", {"filter": {"query": "step:a -step:b"}, "reason": "b"}, format="json"
    )
    assert rest.json()["discarded"] == [str(letters[1].pk)]
    wrong = api.post("/api/v1/dead-letters/redrive", {"filter": {"query": "colour:red"}}, format="json")
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "query")
    for body, field in (({"reason": "a"}, "ids"), ({"filter": {}}, "reason")):
        refused = api.post("/api/v1/dead-letters/discard", body, format="json")
        assert (refused.status_code, refused.json()["error"]["field"]) == (400, field)
    assert not HistoryEvent.unsafe_all_tenants.filter(type="RUN_REOPENED").exists()


def test_what_matches_beyond_one_request_is_a_bulk_job_with_a_result_for_each(api, people, monkeypatch):
    monkeypatch.setattr(dead_letters, "REDRIVEN_STEPS", 2)
    dead(3, people.tenant())
    answer = api.post("/api/v1/dead-letters/discard", {"filter": {}, "reason": "known"}, format="json").json()
    assert (answer["discarded"], answer["left"]) == ([], 0)
    work.work(60)
    assert open_letters() == 0
    job = api.get(f"/api/v1/bulk-jobs/{answer['bulk_job']}").json()
    assert (job["verb"], job["total"], job["done"]) == ("discard", 3, 3)
    assert {one["letter"] is not None for one in job["results"]} == {True}


@pytest.mark.parametrize("verb", ["redrive", "discard"])
def test_what_a_job_does_not_take_is_counted_as_left(api, people, monkeypatch, verb):
    monkeypatch.setattr(dead_letters, "REDRIVEN_STEPS", 1)
    monkeypatch.setattr("operations.bulk.letters.JOB_RUNS", 2)
    letters = dead(5, people.tenant())
    answer = api.post(f"/api/v1/dead-letters/{verb}", {"filter": {}, "reason": "a"}, format="json").json()
    job = api.get(f"/api/v1/bulk-jobs/{answer['bulk_job']}").json()
    assert (job["total"], answer["left"]) == (2, 3)
    work.work(60)
    assert open_letters() == answer["left"]
    oldest = sorted(str(letter.pk) for letter in letters)[:2]
    assert {row["letter"] for row in job["results"]} == set(oldest)


@pytest.mark.parametrize("verb", ["retry", "discard"])
def test_more_than_a_job_takes_is_refused_at_the_query(api, people, monkeypatch, verb):
    monkeypatch.setattr("operations.bulk.letters.JOB_RUNS", 2)
    dead(3, people.tenant())
    refused = api.post("/api/v1/bulk-jobs", {"verb": verb, "query": "step:a", "dry_run": True}, format="json")
    error = refused.json()["error"]
    assert (refused.status_code, error["code"], error["field"]) == (400, "too_many", "query")
    assert "more than 2 dead letters" in error["message"]
    assert open_letters() == 3


def test_a_small_selection_has_a_page_of_results_too(api, people):
    [letter] = dead(1, people.tenant())
    body = {"ids": [str(letter.pk)], "reason": "a"}
    api.post("/api/v1/dead-letters/discard", body, format="json")
    again = api.post("/api/v1/dead-letters/discard", body, format="json").json()
    (row,) = api.get(f"/api/v1/bulk-jobs/{again['bulk_job']}").json()["results"]
    assert (row["letter"], row["run"]) == (str(letter.pk), str(letter.run_id))
    assert (row["result"], row["code"]) == ("refused", "resolved")
    assert "already discarded by " in row["message"]


def test_a_bulk_job_takes_verbs_of_dead_letters_and_refuses_what_only_runs_have(api, people):
    dead(2, people.tenant())
    job = api.post("/api/v1/bulk-jobs", {"verb": "retry", "query": "step:a"}, format="json")
    assert (job.status_code, job.json()["total"]) == (202, 2)
    work.work(60)
    assert open_letters() == 0
    for wrong, field in (({"version": 2}, "version"), ({"query": "colour:red"}, "query")):
        refused = api.post("/api/v1/bulk-jobs", {"verb": "retry"} | wrong, format="json")
        assert (refused.status_code, refused.json()["error"]["field"]) == (400, field)
