"""Payloads that are too large for an answer stay in the database, and are named."""

import os
from itertools import pairwise

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.api import runs as routes
from tests import factories
from tests.people import People

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
URL = "/api/v1/runs"
MEGABYTE = 1024 * 1024


@pytest.fixture
def ours(people: People):
    return people.tenant()


def text_of(size: int) -> str:
    """A text that can't be packed to less than about half."""
    return os.urandom(size // 2).hex()


def decisions(count: int):
    names = [f"d{number}" for number in range(count)]
    edges = [{"from": a, "to": b} for a, b in pairwise(names)]
    return factories.graph(
        [{"id": name, "type": "decision", "allow_no_match": True} for name in names], edges
    )


def a_run(ours, definition, given) -> str:
    run_id = factories.start(definition, given, tenant=ours)[0]
    factories.work()
    return run_id


@pytest.mark.parametrize("text", [text_of(MEGABYTE), "x" * MEGABYTE], ids=["unpackable", "packed"])
def test_a_run_of_many_large_payloads_is_answered_within_bounds(api, ours, text):
    given = {"text": text}
    run_id = a_run(ours, decisions(30), given)

    answer = api.get(f"{URL}/{run_id}")
    run = answer.json()
    assert (run["status"], run["input"], run["output"]) == ("COMPLETED", given, given)
    assert "truncated" not in run
    assert len(answer.content) < 3 * MEGABYTE
    for step in run["steps"]:
        assert (step["status"], step["input"], step["output"]) == ("COMPLETED", None, None)
        assert set(step["truncated"]) == {"input", "output"}
        assert step["truncated"]["output"] > 256 * 1024
    assert len(api.get(f"{URL}/{run_id}/steps").content) < MEGABYTE
    (whole,) = api.get(f"{URL}/{run_id}/steps", {"node": "d17"}).json()["results"]
    assert (whole["input"], whole["output"]) == (given, given)
    assert "truncated" not in whole
    (first,) = api.get(f"{URL}/{run_id}/steps", {"node": "d0"}).json()["results"]
    assert first["input"] == given


def test_payloads_are_whole_until_all_together_are_too_large(api, ours):
    """Thirty times two texts of 100 KB: the first forty fit."""
    given = {"text": text_of(100_000)}
    run_id = a_run(ours, decisions(30), given)

    answer = api.get(f"{URL}/{run_id}")
    steps = answer.json()["steps"]
    assert len(answer.content) < 5 * MEGABYTE
    assert [step["output"] for step in steps] == [given] * 30
    assert [step["input"] == given for step in steps] == [True] * 11 + [False] * 19
    assert "truncated" not in steps[10]
    assert steps[11]["truncated"]["input"] == pytest.approx(100_012, abs=1)


def test_a_list_has_small_payloads_only(api, ours):
    large, small = {"text": text_of(5_000)}, {"n": 1}
    for given in (large, small):
        a_run(ours, decisions(2), given)

    two, one = api.get(URL).json()["results"]
    assert "truncated" not in two
    assert (two["input"], two["output"], two["steps"][1]["output"]) == (small, small, small)
    assert (one["input"], one["output"], one["error"]) == (None, None, None)
    assert set(one["truncated"]) == set(one["steps"][0]["truncated"]) == {"input", "output"}
    assert one["steps"][0]["input"] is None


def test_no_large_payload_leaves_the_database_for_a_list(api, ours):
    a_run(ours, decisions(3), {"text": text_of(MEGABYTE)})
    api.get(URL)
    with CaptureQueriesContext(connection) as queries:
        answer = api.get(URL)
    assert len(answer.content) < 10_000
    with connection.cursor() as cursor:
        for query in queries:
            if "runs_" in query["sql"]:
                cursor.execute(query["sql"])
                assert len(repr(cursor.fetchall())) < 20_000, query["sql"]


def test_a_failed_attempt_that_waits_is_told_from_a_new_step_without_its_error(api, ours):
    definition = factories.graph(
        [{"id": "a", "type": "noop", "retry": {"max_retries": 3, "base_seconds": 600}}], []
    )
    run_id = factories.start(definition, tenant=ours)[0]
    factories.fail(*factories.claimed(), retryable=True)
    run = api.get(URL).json()["results"][0]
    assert run["id"] == run_id
    assert "attempt 2, due" in run["waiting_for"]


def test_a_page_of_large_workflows_ends_early_and_the_next_one_goes_on(api, ours, monkeypatch):
    monkeypatch.setattr(routes, "PAGE_STEPS", 7)
    version = factories.a_version(decisions(3), tenant=ours)
    started = factories.start_version(version, *range(5))[::-1]

    def ids(page):
        return [run["id"] for run in page["results"]]

    first = api.get(URL).json()
    second = api.get(first["next"]).json()
    third = api.get(second["next"]).json()
    assert [ids(page) for page in (first, second, third)] == [started[:2], started[2:4], started[4:]]
    assert third["next"] is None
    back = api.get(third["previous"]).json()
    assert ids(back) == started[2:4]
    assert ids(api.get(back["previous"]).json()) == started[:2]


def test_a_run_of_more_steps_than_a_page_has_room_for_is_a_page_alone(api, ours, monkeypatch):
    monkeypatch.setattr(routes, "PAGE_STEPS", 2)
    factories.start_version(factories.a_version(decisions(3), tenant=ours), 1, 2)
    page = api.get(URL).json()
    assert len(page["results"]) == 1
    assert page["next"] is not None
