"""The page of dispatch, and the same gauges for programs (R-175)."""

import re
from datetime import timedelta

import pytest

from operations.dispatch.gauges import ADVICE, gauges_of
from operations.dispatch.models import DispatchSample
from tests import factories as make
from tests.architecture.sources import ROOT
from tests.operations.dispatch.factories import CALM, HARD, kept, samples
from tests.store.watching import watching
from tests.timing import clock

__all__ = ["clock"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client):
    client.force_login(make.a_member("the-operator", "operator"))
    return client


def asked(client):
    answer = client.get("/api/v1/dispatch")
    assert answer.status_code == 200, answer.text
    return answer.json()


def up_to_now(clock, *stretches):
    """Samples, the last of which is of now."""
    count = sum(count for count, _ in stretches)
    kept(samples(*stretches, began=clock.now - timedelta(minutes=count - 1)))


def test_without_a_sample_it_says_how_workers_hear_and_that_nothing_is_known(operator, clock):
    assert asked(operator) == {
        "mode": "hints",
        "sampled_at": None,
        "workers": None,
        "ready": None,
        "hidden_sessions": None,
        "lock_waits": None,
        "steps_per_second": None,
        "contended_share": None,
        "empty_share": None,
        "advice": [],
        "outbox": None,
    }
    page = operator.get("/operations/dispatch").text
    for words in ("No samples yet", "Celery’s messages through Redis"):
        assert words in page, words


def test_the_gauges_are_those_of_the_last_quarter_of_an_hour(operator, clock):
    up_to_now(clock, (60, CALM), (20, HARD))
    answer = asked(operator)
    assert answer == {
        "mode": "hints",
        "sampled_at": "2031-01-01T09:00:00Z",
        "workers": 8,
        "ready": 5_000,
        "hidden_sessions": 0,
        "lock_waits": 3,
        "steps_per_second": 4_000.0,
        "contended_share": 0.5,
        "empty_share": 0.0,
        "advice": [{"reason": "contended", "message": ADVICE["contended"]}],
        "outbox": None,
    }
    page = operator.get("/operations/dispatch").text
    for words in ("<dd>4000.0</dd>", "<dd>50.0 %</dd>", "<dd>3</dd>"):
        assert words in page, words


def test_old_samples_tell_nothing(operator, clock):
    up_to_now(clock, (20, HARD))
    clock.advance(16 * 60)
    assert asked(operator)["sampled_at"] is None
    assert "No samples yet" in operator.get("/operations/dispatch").text


def test_what_cant_be_seen_is_said(operator, clock):
    up_to_now(clock, (30, CALM))
    DispatchSample.objects.update(finished=None, claims=None, contended=None, hidden_sessions=2)
    page = operator.get("/operations/dispatch").text
    for words in (
        "PROMETHEUS_MULTIPROC_DIR",
        "pg_read_all_stats",
        "Whether 2 sessions of other database roles wait",
    ):
        assert words in page, words
    answer = asked(operator)
    assert (answer["steps_per_second"], answer["contended_share"], answer["lock_waits"]) == (None, None, 0)
    assert page.count("not known") == 3


def test_a_start_anew_and_another_host_tell_nothing_of_the_time_between():
    first, second = samples((2, HARD))
    for other in (first._replace(host="there"), first._replace(finished=10**9)):
        assert gauges_of([other, second]).per_second is None
    assert gauges_of([first, second]).per_second == 4_000
    assert gauges_of([first, second._replace(processes_here=2)]).per_second == 16_000
    assert gauges_of([]) is None


@pytest.mark.parametrize(
    ("minute", "reasons"),
    [
        (CALM, []),
        (CALM | {"share": 0.1, "ready": 100}, ["contended"]),
        (CALM | {"share": 0.1, "ready": 99}, []),
        (CALM | {"share": 0.09, "ready": 100}, []),
        (CALM | {"empty": 10}, ["empty"]),
        (CALM | {"empty": 9}, []),
        (HARD | {"empty": 10}, ["contended", "empty"]),
    ],
)
def test_advice_follows_the_reason_of_polls_that_found_nothing(minute, reasons):
    assert [reason for reason, _ in gauges_of(samples((15, minute))).advice] == reasons


def test_polls_that_find_something_often_enough_are_not_too_many():
    many = samples((2, CALM | {"empty": 10}))
    busy = many[-1]._replace(claims=many[-1].claims + 1_000)
    assert gauges_of([many[0], busy]).advice == []


def test_the_page_gives_the_advice(operator, clock):
    up_to_now(clock, (15, HARD | {"empty": 20}))
    page = operator.get("/operations/dispatch").text
    for words in ("Workers poll too often", "Workers get in each other’s way", "92.3 %"):
        assert words in page, words


def test_it_says_where_to_start_as_the_docs_do(operator, clock):
    """R-234."""
    text = re.sub(r"(\s*<[^>]+>\s*)+", " ", operator.get("/operations/dispatch").text)
    assert "Worker processes for a queue 2 to 4 " in text
    assert "Jobs in a batch ( max_jobs ) 10 " in text
    assert "Pause after a poll that found nothing 250 ms " in text
    docs = (ROOT / "docs" / "workers.md").read_text()
    assert "2 to 4 worker processes for a queue, `max_jobs` 10, and a pause of 250 ms" in docs


def test_the_mode_is_the_one_that_is_set(operator, clock, settings):
    for mode, words in (("polling", "look for themselves"), ("kafka_outbox", "through Kafka")):
        settings.HANDOFF_DISPATCH_MODE = mode
        page = operator.get("/operations/dispatch").text
        assert f"<code>{mode}</code>" in page
        assert words in page, mode


def test_it_costs_as_many_statements_for_a_day_as_for_nothing(operator, clock):
    operator.get("/operations/dispatch")
    trips = []
    for _ in range(2):
        with watching() as seen:
            operator.get("/operations/dispatch")
        trips.append(seen.trips)
        if not DispatchSample.objects.exists():
            up_to_now(clock, (23 * 60, CALM))
    assert trips[0] == trips[1]


def test_who_may_not_operate_runs_sees_neither_page_nor_tab_nor_facts(client):
    client.force_login(make.a_member("the-viewer", "viewer"))
    assert client.get("/operations/dispatch").status_code == 403
    assert client.get("/api/v1/dispatch").status_code == 403
    assert "/operations/dispatch" not in client.get("/operations/").text


def test_the_tab_is_there_for_operators(operator):
    assert 'href="/operations/dispatch"' in operator.get("/operations/").text
