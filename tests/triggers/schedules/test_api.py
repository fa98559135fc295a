"""Schedules and working calendars over REST: made, changed, paused, run by hand, looked at, removed."""

import pytest

from accounts.models import Membership
from runs.models import Run
from tests import factories as make
from tests.api.hooks import publish
from tests.definitions import chain
from tests.timing import clock
from triggers.schedules import firing

__all__ = ["clock"]
pytestmark = pytest.mark.django_db

SHOWN = {
    *("name", "workflow", "input", "cron", "every_seconds", "at", "timezone", "overlap", "catchup_seconds"),
    *(
        "jitter_seconds",
        "calendar",
        "enabled",
        "note",
        "off_reason",
        "paused_at",
        "acts_for",
        "created_by",
        "created_at",
    ),
    *("next_due_at", "buffered_due_at", "last"),
}
HERE = "/api/v1/schedules"


@pytest.fixture
def daily(api, clock):
    """A schedule of every day at nine in Berlin."""
    publish(api, chain("report"))
    sent = {"name": "every day", "workflow": "report", "cron": "0 9 * * *", "timezone": "Europe/Berlin"}
    answer = api.post(HERE, sent)
    assert answer.status_code == 201, answer.json()
    assert answer.headers["Location"] == f"{HERE}/every%20day"
    return answer.json()


def test_a_schedule_is_made_shown_listed_and_removed(api, daily):
    assert set(daily) == SHOWN
    assert daily["next_due_at"] == "2031-01-02T08:00:00Z"
    assert (daily["overlap"], daily["catchup_seconds"], daily["jitter_seconds"]) == ("skip", 3_600, 0)
    path = f"{HERE}/every day"
    assert api.get(path).json() == daily
    assert api.get(HERE).json()["results"] == [daily]
    assert api.get(f"{HERE}?workflow=other").json()["results"] == []
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404


def test_the_next_times_are_moments_in_utc_and_say_in_which_zone_they_count(api, daily):
    answer = api.get(f"{HERE}/every day/next?count=3").json()
    assert answer["results"] == [f"2031-01-0{day}T08:00:00Z" for day in (2, 3, 4)]
    assert (answer["timezone"], answer["calendar"]) == ("Europe/Berlin", None)
    assert len(api.get(f"{HERE}/every day/next").json()["results"]) == 10
    assert api.get(f"{HERE}/every day/next?count=101").status_code == 400


def test_it_is_paused_with_a_note_changed_and_switched_on_again(api, daily, clock):
    path = f"{HERE}/every day"
    paused = api.patch(path, {"enabled": False, "note": "The source is away."}).json()
    assert (paused["enabled"], paused["note"], paused["next_due_at"]) == (False, "The source is away.", None)
    assert api.get(f"{path}/next?count=1").json()["results"] == ["2031-01-02T08:00:00Z"]
    changed = api.patch(path, {"every_seconds": 60, "enabled": True, "name": "often"}).json()
    assert (changed["cron"], changed["every_seconds"], changed["note"]) == (None, 60, "")
    assert changed["next_due_at"] == "2031-01-01T09:01:00Z"
    assert api.get(path).status_code == 404


def test_it_is_run_by_hand_and_its_history_says_what_it_did(api, daily, clock):
    path = f"{HERE}/every day"
    run = api.post(f"{path}/run", {"reason": "Once more."})
    assert run.status_code == 201
    assert run.json()["workflow"] == "report"
    again = [api.post(f"{path}/run", {}, HTTP_IDEMPOTENCY_KEY="k").json()["id"] for _ in range(2)]
    assert len(set(again)) == 1
    clock.advance(86_400)
    firing.fire()
    history = api.get(f"{path}/history").json()["results"]
    assert [(row["status"], row["reason"], row["manual"]) for row in history] == [
        ("skipped", "overlap", False),
        ("started", "", True),
        ("started", "", True),
    ]
    assert history[2]["run_id"] == run.json()["id"]
    assert history[2]["by"] == Membership.unsafe_all_tenants.get(role="admin").user.username
    assert api.get(path).json()["last"] == history[0]
    make.work()


def test_what_is_due_starts_and_the_run_says_who_started_it(api, daily, clock):
    clock.advance(86_400)
    firing.fire()
    assert Run.unsafe_all_tenants.get().created_by == "schedule every day"
    make.work()


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"cron": "0 0 30 2 *"}, "cron"),
        ({"cron": "x" * 201}, "cron"),
        ({}, "cron"),
        ({"cron": "0 0 * * *", "at": "2032-01-01T00:00:00Z"}, "at"),
        ({"at": "2030-01-01T00:00:00Z"}, "at"),
        ({"every_seconds": 0}, "every_seconds"),
        ({"every_seconds": 60, "overlap": "queue"}, "overlap"),
        ({"every_seconds": 60, "timezone": "Berlin"}, "timezone"),
        ({"every_seconds": 60, "calendar": "none"}, "calendar"),
        ({"every_seconds": 60, "catchup_seconds": -1}, "catchup_seconds"),
        ({"every_seconds": 60, "name": "a\u0000b"}, "name"),
        ({"every_seconds": 60, "name": " a"}, "name"),
        ({"every_seconds": 60, "input": {"a": "{{ 1 + }}"}}, "input"),
        ({"every_seconds": 60, "more": 1}, "more"),
    ],
)
def test_what_can_not_be_is_refused_with_400_naming_the_field(api, daily, sent, field):
    answer = api.post(HERE, {"name": "other", "workflow": "report", **sent})
    assert answer.status_code == 400
    assert field in answer.text, answer.json()


def test_names_are_taken_once_and_what_is_not_there_is_404(api, daily):
    sent = {"name": "every day", "workflow": "report", "every_seconds": 60}
    assert api.post(HERE, sent).status_code == 409
    assert api.post(HERE, sent | {"workflow": "none", "name": "b"}).status_code == 404
    api.post("/api/v1/workflows", {"name": "draft", "definition": chain("draft")})
    assert (
        api.post(HERE, sent | {"workflow": "draft", "name": "b"}).json()["error"]["code"] == "not_published"
    )
    assert api.get(f"{HERE}/a%00b").status_code == 404


def test_a_calendar_is_made_and_its_days_are_told(api, clock):
    sent = {
        "name": "plant",
        "timezone": "Europe/Berlin",
        "region": "DE-BY",
        "hours": {"from": "08:00", "to": "16:30"},
        "exceptions": [{"date": "2031-01-04", "works": True, "name": "Stock-taking"}],
    }
    answer = api.post("/api/v1/calendars", sent)
    assert answer.status_code == 201, answer.json()
    made = answer.json()
    assert made.pop("created_at")
    assert made == sent | {"weekdays": [1, 2, 3, 4, 5], "folder": None, "revision": 1}
    days = api.get("/api/v1/calendars/plant/days?from=2031-01-01&to=2031-01-07").json()["results"]
    assert days[0] == {"date": "2031-01-01", "works": False, "name": "New Year's Day"}
    assert [day["date"][-2:] for day in days if day["works"]] == ["02", "03", "04", "07"]
    assert api.get("/api/v1/calendars").json()["results"][0]["name"] == "plant"
    assert api.get("/api/v1/calendars/plant/days?from=2031-01-01&to=2035-01-07").status_code == 400


def test_schedules_are_due_by_a_changed_calendar_from_then_on(api, daily):
    api.post("/api/v1/calendars", {"name": "plant", "timezone": "Europe/Berlin"})
    path = f"{HERE}/every day"
    assert api.patch(path, {"calendar": "plant"}).json()["next_due_at"] == "2031-01-02T08:00:00Z"
    free = [{"date": "2031-01-02", "works": False, "name": "Bridge day"}]
    assert api.patch("/api/v1/calendars/plant", {"exceptions": free}).status_code == 200
    assert api.get(path).json()["next_due_at"] == "2031-01-03T08:00:00Z"
    assert api.delete("/api/v1/calendars/plant").json()["error"]["code"] == "in_use"
    assert api.patch(path, {"calendar": None}).json()["calendar"] is None
    assert api.delete("/api/v1/calendars/plant").status_code == 204


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"region": "XX"}, "region"),
        ({"weekdays": []}, "weekdays"),
        ({"weekdays": [0]}, "weekdays"),
        ({"hours": {"from": "9", "to": "17:00"}}, "hours.from"),
        ({"hours": {"from": "17:00", "to": "09:00"}}, "hours.to"),
        ({"exceptions": [{"date": "2031-02-30", "works": True}]}, "date"),
        ({"exceptions": [{"date": "2031-02-03", "works": True}] * 2}, "exceptions"),
    ],
)
def test_a_calendar_that_can_not_be_is_refused_at_its_field(api, sent, field):
    answer = api.post("/api/v1/calendars", {"name": "plant", **sent})
    assert answer.status_code == 400
    assert field in answer.text


def test_a_preview_says_what_a_change_moves_and_a_calendar_in_use_stays(api, daily):
    plant = "/api/v1/calendars/plant"
    assert api.post("/api/v1/calendars", {"name": "plant", "folder": "General"}).json()["folder"] == "General"
    api.patch(f"{HERE}/every day", {"calendar": "plant"})
    free = [{"date": "2031-01-02", "works": False}]
    preview = api.post(f"{plant}/preview", {"exceptions": free})
    assert preview.status_code == 200, preview.json()
    [schedule] = preview.json()["schedules"]
    assert schedule == {
        "name": "every day",
        "workflow": "report",
        "next_due_at": "2031-01-02T08:00:00Z",
        "moves_to": "2031-01-03T08:00:00Z",
    }
    uses = api.get(f"{plant}/uses").json()
    assert uses["schedules"] == [schedule | {"moves_to": "2031-01-02T08:00:00Z"}]
    assert (uses["workflows"], uses["due_dates"], uses["is_default"], uses["more"]) == ([], [], False, False)
    assert api.post(f"{plant}/preview", {"weekdays": []}).status_code == 400
    refused = api.delete(plant).json()["error"]
    assert (refused["code"], refused["details"]["schedules"]) == ("in_use", ["every day"])
    assert api.patch(plant, {"folder": "Nowhere"}).json()["error"]["field"] == "folder"
    assert api.patch(plant, {"folder": None}).json()["folder"] is None
