"""Of many events that can't be published: which are shown, counted and tried again at once (R-181)."""

from datetime import timedelta

import pytest

from integrations.broker import parked_events
from integrations.broker import service as retrying
from integrations.broker import store as statements
from integrations.broker.standing import outbox_complaint
from integrations.broker.store import lead_outbox, outbox_standing
from lib.clock import now_here
from runs.models import DispatchOutbox
from runs.models.outbox import ASIDE_TRIES
from tests import factories as make
from tests.integrations.broker.consuming import JOB, polled, rows, signed_in
from tests.store.watching import trips_of_page

pytestmark = pytest.mark.django_db
ANOTHER = make.graph([{"id": "a", "type": "job", "queue": "another"}], [])


@pytest.fixture
def many_aside(outbox):
    """Starts so many jobs; their events, and all that there are, are set aside."""

    def made(count, definition=JOB):
        make.start(definition, *[{}] * count)
        later = now_here() + timedelta(minutes=1)
        DispatchOutbox.unsafe_all_tenants.update(tries=ASIDE_TRIES, error="no room", due_at=later)

    return made


def test_of_many_the_list_shows_the_oldest_and_says_how_many_there_are(many_aside, client, monkeypatch):
    operator = signed_in(client)
    monkeypatch.setattr(parked_events, "SHOWN", 3)
    many_aside(3)
    few = trips_of_page(operator, "/operations/dispatch")
    assert "Here are the oldest" not in operator.get("/operations/dispatch").text
    many_aside(2)
    page = operator.get("/operations/dispatch").text
    assert "Here are the oldest 3 of 5." in page
    assert page.count('class="error"') == 3
    # How many there are is asked where there may be more.
    assert trips_of_page(operator, "/operations/dispatch") == few
    monkeypatch.setattr(parked_events, "FAILING_EVENTS", 4)
    assert "Here are the oldest 3 of 4 or more." in operator.get("/operations/dispatch").text


def test_behind_many_that_were_polled_those_that_wait_are_found(many_aside, client, monkeypatch):
    operator = signed_in(client)
    monkeypatch.setattr(parked_events, "SHOWN", 3)
    many_aside(4)
    assert len(polled()) == 4
    many_aside(1, ANOTHER)
    page = operator.get("/operations/dispatch").text
    assert page.count('class="error"') == 1
    assert "queue another" in page
    assert operator.post("/api/v1/dispatch/retry", {}, "application/json").json() == {
        "retried": 1,
        "more": False,
    }


def test_in_between_more_that_were_polled_than_are_looked_at_the_last_are_shown_and_all_tried(
    many_aside, client, monkeypatch
):
    operator = signed_in(client)
    monkeypatch.setattr(parked_events, "SHOWN", 2)
    monkeypatch.setattr(statements, "SEARCHED_EVENTS", 3)
    passed_over = "Only the oldest and the newest were checked"
    many_aside(4)
    assert "Here are the oldest 2 of 3 or more." in operator.get("/operations/dispatch").text
    assert len(polled()) == 4
    page = operator.get("/operations/dispatch").text
    assert passed_over in page
    assert '<td class="error">' not in page
    many_aside(5, ANOTHER)
    page = operator.get("/operations/dispatch").text
    assert passed_over in page
    assert "Here are 2 of 3 or more." in page
    assert page.count('class="error"') == 2
    assert operator.post("/api/v1/dispatch/retry", {}, "application/json").json() == {
        "retried": 5,
        "more": False,
    }


def test_no_more_are_tried_at_once_than_the_bound(many_aside, client, monkeypatch):
    operator = signed_in(client)
    monkeypatch.setattr(statements, "SEARCHED_EVENTS", 2)
    monkeypatch.setattr(retrying, "RETRIED_EVENTS", 3)
    many_aside(5)
    answers = [operator.post("/api/v1/dispatch/retry", {}, "application/json").json() for _ in range(3)]
    assert [answer["retried"] for answer in answers] == [3, 2, 0]
    assert [answer["more"] for answer in answers] == [True, False, False]


def test_rows_that_are_due_already_are_passed_over_many_at_a_time(many_aside, client, monkeypatch):
    looks = []

    def looked(*asked):
        looks.append(asked)
        return statements.waiting_asides(*asked)

    many_aside(40)
    each = sorted(row.pk for row in rows())
    DispatchOutbox.unsafe_all_tenants.filter(pk__in=each[9:39]).update(due_at=now_here())
    monkeypatch.setattr(retrying, "waiting_asides", looked)
    monkeypatch.setattr(retrying, "RETRIED_EVENTS", 10)
    answer = signed_in(client).post("/api/v1/dispatch/retry", {}, "application/json")
    assert answer.json()["retried"] == 10
    assert len(looks) == 4


def test_it_ends_after_so_many_looks_and_says_that_there_may_be_more(many_aside, client, monkeypatch):
    operator = signed_in(client)
    many_aside(4)
    assert len(polled()) == 4
    many_aside(1, ANOTHER)
    monkeypatch.setattr(statements, "SEARCHED_EVENTS", 2)
    monkeypatch.setattr(retrying, "SEARCHES", 2)
    assert operator.post("/api/v1/dispatch/retry", {}, "application/json").json() == {
        "retried": 0,
        "more": True,
    }
    answer = operator.post("/operations/dispatch/retry", follow=True)
    assert "0 events are tried again. There may be more: try again in a while." in answer.text
    monkeypatch.setattr(retrying, "SEARCHES", 3)
    assert operator.post("/api/v1/dispatch/retry", {}, "application/json").json() == {
        "retried": 1,
        "more": False,
    }


def test_so_they_are_counted_and_no_more_than_can_be_looked_up_quickly(many_aside, monkeypatch):
    monkeypatch.setattr(statements, "SEARCHED_EVENTS", 3)
    many_aside(4)
    assert len(polled()) == 4
    assert outbox_standing()["failing"] == 0
    many_aside(2, ANOTHER)
    assert (outbox_standing()["failing"], outbox_standing()["aside"]) == (2, 2)
    monkeypatch.setattr(statements, "FAILING_EVENTS", 1)
    assert (outbox_standing()["failing"], outbox_standing()["why"]) == (1, "no room")


def test_where_there_may_be_more_than_were_counted_it_is_said(many_aside, monkeypatch):
    many_aside(2)
    said = "2 events of jobs can't be published, 2 set aside for workers that poll"
    assert complaint() == said
    monkeypatch.setattr(statements, "SEARCHED_EVENTS", 2)
    of_last = "2 or more events of jobs can't be published, 2 or more set aside for workers that poll"
    assert complaint() == of_last
    monkeypatch.setattr(statements, "SEARCHED_EVENTS", 3)
    assert complaint() == said
    monkeypatch.setattr(statements, "FAILING_EVENTS", 2)
    assert complaint() == of_last
    monkeypatch.setattr(statements, "FAILING_EVENTS", 1)
    assert complaint() == of_last.replace("2", "1")


def complaint():
    lead_outbox("a", 60, 0, replaces=True)
    return outbox_complaint(outbox_standing(1_000))
