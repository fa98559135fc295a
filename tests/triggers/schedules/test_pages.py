"""Schedules and working calendars on pages: made by forms, looked at, switched, run by hand; what each page costs."""

import re

import pytest

from accounts.models import Membership
from runs.models import Calendar
from tests import factories as make
from tests.schedules import HOLD, a_schedule, an_owner
from tests.store.watching import trips_of_page
from tests.timing import clock
from tests.web.axe import faults_by_day_and_night
from tests.web.test_workflow_pages import a_workflow
from triggers.schedules import firing
from triggers.schedules.models import Schedule

__all__ = ["clock"]
pytestmark = pytest.mark.django_db

TYPED = {
    "name": "Monday report",
    "workflow": "ours",
    "how": "weekly",
    "weekday": "1",
    "clock": "07:30",
    "timezone": "Europe/Berlin",
    "calendar": "",
    "overlap": "skip",
    "catchup": "3600",
    "jitter": "0",
    "input": "{}",
}
OFFICE = {
    "name": "Munich",
    "folder": "General",
    "timezone": "Europe/Berlin",
    "region": "DE-BY",
    "weekdays": ["1", "2", "3", "4", "5"],
    "opens": "09:00",
    "closes": "17:00",
    "exceptions": "2031-01-07 free Bridge day\n2031-01-11 works Stock-taking",
}


@pytest.fixture
def author(client):
    """The client, logged in as an author of the default tenant."""
    client.force_login(make.a_member("ben", "author"))
    return client


def made(client, **changes):
    """The path of a schedule that was made by the form."""
    answer = client.post("/schedules/new", TYPED | changes)
    assert answer.status_code == 302, re.findall(r'class="fault".*?</p>', answer.text)
    return answer.headers["Location"]


@pytest.mark.parametrize(
    ("how", "more", "stored", "words"),
    [
        ("daily", {}, "30 7 * * *", "every day at 07:30"),
        ("workdays", {}, "30 7 * * 1-5", "Monday to Friday at 07:30"),
        ("weekly", {"weekday": "5"}, "30 7 * * 5", "every Friday at 07:30"),
        ("monthly", {"day": "15"}, "30 7 15 * *", "on day 15 of every month at 07:30"),
        ("month_end", {}, "30 7 L * *", "on the last day of every month at 07:30"),
        ("cron", {"cron": "0 9 * * 5#2"}, "0 9 * * 5#2", "at 09:00 on the second Friday of the month"),
    ],
)
def test_each_way_to_say_when_is_stored_and_stands_in_the_form_again(author, clock, how, more, stored, words):
    a_workflow()
    path = made(author, how=how, **more)
    assert Schedule.unsafe_all_tenants.get().cron == stored
    assert words in author.get(path).text
    assert f'<option value="{how}" selected>' in author.get(f"{path}/edit").text


def test_minutes_and_a_moment_are_ways_too(author, clock):
    a_workflow()
    assert "every 90 minutes" in author.get(made(author, name="a", how="minutes", minutes="90")).text
    assert "every 30 seconds" in author.get(made(author, name="b", how="minutes", minutes="0.5")).text
    path = made(author, name="c", how="once", once="2031-03-30T02:30")
    # That night it is three o'clock then: the clocks skip the hour.
    assert 'value="2031-03-30T03:00"' in author.get(f"{path}/edit").text


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "name"),
        ({"workflow": "none"}, "workflow"),
        ({"how": "monthly", "day": "32"}, "day"),
        ({"how": "cron", "cron": "0 0 30 2 *"}, "cron"),
        ({"how": "once", "once": "2020-01-01T00:00"}, "once"),
        ({"how": "minutes", "minutes": "x"}, "minutes"),
        ({"clock": "25:00"}, "clock"),
        ({"timezone": "Berlin"}, "timezone"),
        ({"calendar": "none"}, "calendar"),
        ({"input": "{"}, "input"),
    ],
)
def test_what_is_wrong_stands_at_its_field_and_what_was_typed_stays(author, clock, changes, field):
    a_workflow()
    answer = author.post("/schedules/new", TYPED | changes)
    assert answer.status_code == 422
    assert f'id="{field}-fault"' in answer.text
    assert 'value="Europe/Berlin"' in answer.text or field == "timezone"
    assert not Schedule.unsafe_all_tenants.exists()


def test_the_preview_follows_the_form(author, clock):
    shown = author.post("/schedules/preview", TYPED).text
    assert "Mon 2031-01-06 07:30" in shown
    assert "In the time zone Europe/Berlin" in shown
    assert shown.count("<li>") == 10
    refused = author.post("/schedules/preview", TYPED | {"how": "cron", "cron": "0 0 30 2 *"})
    assert (refused.status_code, "no month has such a day" in refused.text) == (200, True)


def test_the_page_draws_the_next_times_with_holidays_and_says_what_it_did(author, clock):
    a_workflow()
    calendar = author.post("/calendars/new", OFFICE)
    assert calendar.status_code == 302, calendar.text
    path = made(author, how="daily", calendar="Munich")
    page = author.get(path).text
    assert 'title="Epiphany"' in page
    assert 'title="Bridge day"' in page
    assert "on working days of the calendar" in page
    assert "Fri 2031-01-03 07:30" in page
    assert "Tue 2031-01-07" not in page
    assert "Sat 2031-01-11 07:30" in page
    assert "It has done nothing yet" in page
    clock.advance(21.5 * 3_600)
    firing.fire()
    page = author.get(path).text
    assert "Started run" in page
    assert "Thu 2031-01-02 07:30" in page
    listed = author.get("/schedules/").text
    assert "Started run" in listed
    assert "every day at 07:30, on working days of Munich" in listed
    workflow = author.get("/workflows/ours/").text
    assert f'href="{path}">Schedule Monday report</a>' in workflow
    assert 'href="/schedules/new?workflow=ours"' in workflow


def test_a_schedule_that_is_changed_keeps_to_its_calendar_until_another_is_chosen(author, clock):
    a_workflow()
    for name in ("Munich", "Paris"):
        assert author.post("/calendars/new", OFFICE | {"name": name}).status_code == 302
    path = made(author, calendar="Munich")
    page = author.get(f"{path}/edit").text
    assert re.findall(r'<option value="(\w+)" selected>Only on working days of', page) == ["Munich"]
    wrong = author.post(f"{path}/edit", TYPED | {"calendar": "Paris", "timezone": "Nowhere"}).text
    assert re.findall(r'<option value="(\w+)" selected>Only on working days of', wrong) == ["Paris"]
    assert author.post(f"{path}/edit", TYPED | {"calendar": "Paris"}).status_code == 302
    assert Schedule.unsafe_all_tenants.get().calendar.name == "Paris"


def test_it_is_paused_with_a_note_resumed_run_and_deleted(author, clock):
    a_workflow()
    path = made(author)
    assert author.post(f"{path}/switch", {"note": "The source moves."}).headers["Location"] == path
    page = author.get(path).text
    assert "The source moves." in page
    assert "if it were on" in page
    assert author.post(f"{path}/switch", {"on": "1", "back": "list"}).headers["Location"] == "/schedules/"
    run = author.post(f"{path}/run").headers["Location"]
    assert run.startswith("/runs/")
    assert f'href="{run}"' in author.get(path).text
    assert author.post(f"{path}/delete").headers["Location"] == "/schedules/"
    assert "There are no schedules yet" in author.get("/schedules/").text


def test_why_something_was_skipped_is_told(author, clock):
    version = make.a_version(make.graph([HOLD], []))
    schedule = a_schedule(version)
    for _ in range(2):
        clock.advance(60)
        firing.fire()
    page = author.get(f"/schedules/{schedule.pk}").text
    assert "The run before it was still open." in page
    Membership.unsafe_all_tenants.filter(user__username="owner").update(role="viewer")
    clock.advance(60)
    firing.fire()
    page = author.get(f"/schedules/{schedule.pk}").text
    assert "It was stopped" in page
    assert "stopped</span>" in author.get("/schedules/").text
    assert "whose role (viewer) may not start runs" in page


def test_who_may_only_look_is_offered_nothing_else(client, clock):
    version = make.a_version(make.graph([HOLD], []))
    schedule = a_schedule(version)
    client.force_login(make.a_member("vera", "viewer"))
    page = client.get(f"/schedules/{schedule.pk}").text
    assert "The next ten times" in page
    assert "Run now" not in page
    assert client.post(f"/schedules/{schedule.pk}/run").status_code == 403
    assert 'role="switch"' not in client.get("/schedules/").text


def test_a_calendar_is_made_changed_and_deleted_by_forms(author, clock):
    assert "There are no working calendars yet" in author.get("/calendars/").text
    path = author.post("/calendars/new", OFFICE).headers["Location"]
    page = author.get(path).text
    assert "The year ahead" in page
    assert "2031-01-07 free Bridge day\n2031-01-11 works Stock-taking" in page
    assert "Monday to Friday" in author.get("/calendars/").text
    assert author.post(f"{path}/change", OFFICE | {"weekdays": ["1"], "closes": "00:00"}).status_code == 302
    calendar = Calendar.unsafe_all_tenants.get()
    assert (calendar.weekdays, calendar.closes) == ([1], 24 * 60)
    for changes, field in (
        ({"region": "XX"}, "region"),
        ({"exceptions": "Christmas"}, "exceptions"),
        ({"closes": "08:00"}, "closes"),
        ({"timezone": "Munich"}, "timezone"),
    ):
        refused = author.post(f"{path}/change", OFFICE | changes)
        assert (refused.status_code, f'id="{field}-fault"' in refused.text) == (422, True), field
    assert "at least one" in author.post(f"{path}/change", OFFICE | {"weekdays": []}).text
    assert author.post(f"{path}/delete").headers["Location"] == "/calendars/"


def test_a_calendar_that_a_schedule_keeps_to_is_not_deleted(author, clock):
    a_workflow()
    path = author.post("/calendars/new", OFFICE).headers["Location"]
    made(author, calendar="Munich")
    page = author.post(f"{path}/delete", follow=True).text
    assert "This calendar is in use by the schedule" in page


def test_a_change_of_a_calendar_in_use_is_shown_before_it_is_saved(author, clock):
    a_workflow()
    path = author.post("/calendars/new", OFFICE).headers["Location"]
    made(author, calendar="Munich")
    assert "Who uses it" in author.get(path).text
    changed = OFFICE | {"weekdays": ["6"]}
    page = author.post(f"{path}/change", changed).text
    assert "Nothing is saved yet" in page
    assert "moves from" in page
    assert Calendar.unsafe_all_tenants.get().weekdays == [1, 2, 3, 4, 5]
    assert author.post(f"{path}/change", OFFICE | {"name": "Office"}).status_code == 302
    assert author.post(f"{path}/change", changed | {"despite": "1"}).status_code == 302
    assert Calendar.unsafe_all_tenants.get().weekdays == [6]


def test_who_may_not_change_a_calendar_sees_no_form_and_one_of_another_folder_is_not_there(
    author, client, clock
):
    path = author.post("/calendars/new", OFFICE).headers["Location"]
    make.CalendarFactory(name="Plant")
    assert '<form class="card padded after-card"' not in author.get(calendar_path("Plant")).text
    assert author.post(f"{calendar_path('Plant')}/change", OFFICE).status_code == 422
    locked = make.FolderFactory(tenant=make.a_tenant(), name="Locked")
    Calendar.unsafe_all_tenants.filter(name="Munich").update(folder=locked)
    for method, address in (("get", path), ("post", f"{path}/change"), ("post", f"{path}/delete")):
        assert getattr(author, method)(address).status_code == 404
    assert "Munich" not in author.get("/calendars/").text


def calendar_path(name):
    return f"/calendars/{Calendar.unsafe_all_tenants.get(name=name).pk}"


def test_the_pages_cost_a_fixed_number_of_statements(author, clock):
    version = make.a_version(make.graph([HOLD], []))
    owner = an_owner(version)
    one = a_schedule(version, "one", overlap="allow")
    clock.advance(120)
    firing.fire()
    paths = ("/schedules/", f"/schedules/{one.pk}", "/calendars/")
    first = [trips_of_page(author, path) for path in paths]
    for number in range(5):
        a_schedule(version, f"more {number}", overlap="allow")
        make.CalendarFactory(tenant_id=owner.tenant_id, name=f"c{number}")
    clock.advance(300)
    firing.fire(seconds=30)
    assert [trips_of_page(author, path) for path in paths] == first
    assert max(first) <= 16


def test_the_form_shows_what_its_choice_needs_and_the_next_times_while_one_types(visitor):
    Membership.unsafe_all_tenants.update(role="author")
    a_workflow()
    page = visitor.page
    assert visitor.open("/schedules/new") == 200
    page.wait_for_selector("#preview .month")
    assert not page.locator("#cron").is_visible()
    page.select_option("#how", "cron")
    page.fill("#cron", "0 0 30 2 *")
    page.wait_for_selector("#preview >> text=no month has such a day")
    page.fill("#cron", "0 9 * * 1")
    page.wait_for_selector("#preview .times li >> nth=9")
    assert faults_by_day_and_night(page) == []
    page.fill("#name", "Monday report")
    page.select_option("#workflow", "ours")
    page.click("text=Make the schedule")
    page.wait_for_selector("text=It has done nothing yet")
    for path in (page.url, "/schedules/"):
        assert visitor.open(path) == 200
        assert faults_by_day_and_night(page) == []
