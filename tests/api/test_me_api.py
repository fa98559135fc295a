"""What people are called, and how times are written for them: over REST and on its page; for themselves alone."""

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User

pytestmark = pytest.mark.django_db
PATH = "/api/v1/me"


def logged_in(people):
    """The viewer at a page of ours: what one is called is not for tokens to change."""
    client = APIClient()
    client.force_login(people.member("viewer"))
    return client


def test_no_token_changes_a_name_that_stands_in_evidence(people):
    answer = people.client("viewer").patch(PATH, {"name": "Somebody Else"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (403, "name")
    assert people.client("viewer").get(PATH).json()["name"] == ""


def test_somebody_sets_it_for_themselves(people):
    viewer = logged_in(people)
    people.member("admin")
    start = {
        "username": "viewer-of-ours",
        "name": "",
        "time_zone": "",
        "locale": "",
        "density": "comfortable",
    }
    assert viewer.get(PATH).json() == start
    given = {"name": "  Vic   Lee ", "time_zone": "Asia/Kolkata", "locale": "en-GB", "density": "compact"}
    changed = start | given | {"name": "Vic Lee"}
    assert viewer.patch(PATH, given).json() == viewer.get(PATH).json() == changed
    assert viewer.patch(PATH, {"reason": "nothing"}).json() == changed
    assert viewer.patch(PATH, {"time_zone": "", "locale": "", "density": "comfortable"}).json() == start | {
        "name": "Vic Lee"
    }
    other = User.objects.get(username="admin-of-ours")
    assert (other.name, other.time_zone, other.locale) == ("", "", "")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"time_zone": "Mars/Olympus"}, "time_zone"),
        ({"time_zone": "../../etc/passwd"}, "time_zone"),
        ({"time_zone": "Europe/Berlin" * 10}, "time_zone"),
        ({"time_zone": "europe/berlin"}, "time_zone"),
        ({"time_zone": None}, "time_zone"),
        ({"time_zone": 1}, "time_zone"),
        ({"locale": "tlh"}, "locale"),
        ({"locale": "EN"}, "locale"),
        ({"locale": None}, "locale"),
        ({"density": "tiny"}, "density"),
        ({"name": "a" * 201}, "name"),
        ({"name": "Ann\u202eeeL"}, "name"),
        ({"name": ["Ann"]}, "name"),
        ({"username": "root"}, "username"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(people, given, field):
    answer = logged_in(people).patch(PATH, given)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


def test_times_of_the_api_are_utc_whatever_one_has_set(people):
    viewer = people.client("viewer")
    viewer.patch(PATH, {"time_zone": "Asia/Kolkata", "locale": "de"})
    (row,) = viewer.get("/api/v1/members?q=viewer-of-ours").json()["results"]
    assert row["created_at"].endswith("Z")


def test_the_page_sets_it_and_says_what_is_wrong(people):
    client = Client()
    client.force_login(people.member("viewer"))
    page = client.get("/settings/me").text
    assert "Same as the browser" in page
    assert '<option value="Asia/Kolkata">' in page
    wrong = client.post("/settings/me", {"name": "Vic", "time_zone": "Mars/Olympus", "locale": "de"})
    assert wrong.status_code == 422
    assert 'value="Mars/Olympus" maxlength="64"' in wrong.text
    assert "Choose a time zone from the list" in wrong.text
    assert '<option value="de" lang="de" selected>' in wrong.text
    kept = client.post(
        "/settings/me", {"name": "Vic", "time_zone": "Asia/Kolkata", "locale": "de"}, follow=True
    )
    assert "in the time zone Asia/Kolkata; a price is written 12.500,25" in kept.text
    user = User.objects.get(username="viewer-of-ours")
    assert (user.name, user.time_zone, user.locale) == ("Vic", "Asia/Kolkata", "de")
