"""The page of dispatch, and the same facts for programs: what holds, what doesn't, and what follows from it."""

from datetime import timedelta

import pytest

from runs.models import DispatchSample
from tests import factories as make
from tests.dispatching import BEFORE, CALM, HARD, kept, samples
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


def holds(answer):
    return {signal["name"]: signal["holds"] for signal in answer["signals"]}


def test_without_a_sample_it_says_how_workers_hear_and_that_nothing_is_known(operator, clock):
    answer = asked(operator)
    assert answer == {
        "mode": "hints",
        "advice": "stay",
        "reason": answer["reason"],
        "since": None,
        "sampled_at": None,
        "workers": None,
        "ready": None,
        "steps_per_second": None,
        "hidden_sessions": None,
        "signals": [],
        "samples": [],
        "outbox": None,
    }
    assert "Not enough samples" in answer["reason"]
    page = operator.get("/operations/dispatch").text
    for words in ("Stay with hints", "Celery’s messages through Redis", "No signals yet"):
        assert words in page, words


def test_on_a_calm_day_no_signal_holds(operator, clock):
    up_to_now(clock, (120, CALM))
    answer = asked(operator)
    assert holds(answer) == {"lock_waits": False, "plateau": False, "contended": False}
    assert (answer["advice"], answer["since"], answer["workers"], answer["steps_per_second"]) == (
        "stay",
        None,
        4,
        10.0,
    )
    assert len(answer["samples"]) == 120
    assert answer["samples"][-1] == {
        "at": "2031-01-01T09:00:00Z",
        "workers": 4,
        "lock_waits": 0,
        "ready": 0,
        "steps_per_second": 10.0,
        "contended_share": 0.0,
    }
    page = operator.get("/operations/dispatch").text
    assert page.count("doesn’t hold") == 3
    assert page.count("<path") == 6
    assert "Stay with hints" in page


def test_when_all_three_hold_for_an_hour_it_says_so_and_since_when(operator, clock):
    up_to_now(clock, (61, BEFORE), (90, HARD))
    answer = asked(operator)
    assert holds(answer) == {"lock_waits": True, "plateau": True, "contended": True}
    assert (answer["advice"], answer["since"]) == ("broker", "2031-01-01T07:30:00Z")
    page = operator.get("/operations/dispatch").text
    assert "A broker may help" in page
    assert page.count("holds since") == 3


def test_old_samples_advise_nothing(operator, clock):
    up_to_now(clock, (61, BEFORE), (90, HARD))
    clock.advance(11 * 60)
    answer = asked(operator)
    assert (answer["advice"], answer["since"]) == ("stay", None)
    assert "too old" in answer["reason"]
    assert "It was measured" in operator.get("/operations/dispatch").text


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
    assert holds(asked(operator)) == {"lock_waits": False, "plateau": None, "contended": None}
    assert page.count("not known</span>") == 2


def test_the_mode_is_the_one_that_is_set(operator, clock, settings):
    for mode, words in (("polling", "look for themselves"), ("kafka_outbox", "through Kafka")):
        settings.HANDOFF_DISPATCH_MODE = mode
        page = operator.get("/operations/dispatch").text
        assert f"Stay with {mode}" in page
        assert words in page, mode


def test_it_costs_as_many_statements_for_two_days_as_for_nothing(operator, clock):
    operator.get("/operations/dispatch")
    trips = []
    for _ in range(2):
        with watching() as seen:
            operator.get("/operations/dispatch")
        trips.append(seen.trips)
        if not DispatchSample.objects.exists():
            up_to_now(clock, (47 * 60, CALM))
    assert trips[0] == trips[1]
    page = operator.get("/operations/dispatch").text
    # The quarter that has begun has one sample, which tells nothing yet.
    assert page.count("<tr>") == 1 + 95
    assert len(page) < 150_000


def test_who_may_not_operate_runs_sees_neither_page_nor_tab_nor_facts(client):
    client.force_login(make.a_member("the-viewer", "viewer"))
    assert client.get("/operations/dispatch").status_code == 403
    assert client.get("/api/v1/dispatch").status_code == 403
    assert "/operations/dispatch" not in client.get("/operations/").text


def test_the_tab_is_there_for_operators(operator):
    assert 'href="/operations/dispatch"' in operator.get("/operations/").text
