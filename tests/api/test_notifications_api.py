"""What people set of their mail: over REST and on its page; for themselves alone."""

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User

pytestmark = pytest.mark.django_db
PATH = "/api/v1/me/notifications"


def by_session(user):
    client = APIClient()
    client.force_login(user)
    return client


def test_somebody_sets_what_they_get_for_themselves(people):
    people.member("admin")
    viewer = by_session(people.member("viewer"))
    assert viewer.get(PATH).json() == {"mail": "everything", "email": "", "digest_hour": None}
    changed = viewer.patch(PATH, {"mail": "assigned", "email": " vic@example.org "})
    assert changed.json() == {"mail": "assigned", "email": "vic@example.org", "digest_hour": None}
    assert viewer.patch(PATH, {"email": ""}).json() == {"mail": "assigned", "email": "", "digest_hour": None}
    assert viewer.patch(PATH, {"reason": "nothing"}).json() == {
        "mail": "assigned",
        "email": "",
        "digest_hour": None,
    }
    assert User.objects.get(username="admin-of-ours").mail == "everything"


def test_a_token_does_not_change_the_address_to_which_passwords_are_sent(people):
    viewer = people.client("viewer")
    answer = viewer.patch(PATH, {"email": "mine@example.org"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (403, "email")
    assert viewer.patch(PATH, {"mail": "nothing"}).json() == {
        "mail": "nothing",
        "email": "",
        "digest_hour": None,
    }


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"mail": "some"}, "mail"),
        ({"mail": None}, "mail"),
        ({"email": "nobody"}, "email"),
        ({"email": "a@b\r\nBcc: c@d.example"}, "email"),
        ({"email": "a" * 250 + "@example.org"}, "email"),
        ({"digest_hour": 24}, "digest_hour"),
        ({"digest_hour": "7"}, "digest_hour"),
        ({"more": 1}, "more"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(people, given, field):
    answer = by_session(people.member("viewer")).patch(PATH, given)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


def test_the_page_sets_it_and_says_what_is_wrong(people):
    client = Client()
    user = people.member("approver")
    client.force_login(user)
    page = client.get("/settings/notifications").content.decode()
    assert 'value="everything" checked' in page
    kept = client.post("/settings/notifications", {"mail": "nothing", "email": "a@example.org"}, follow=True)
    assert "Kept." in kept.content.decode()
    assert 'value="nothing" checked' in kept.content.decode()
    wrong = client.post("/settings/notifications", {"mail": "assigned", "email": "nobody"})
    assert wrong.status_code == 400
    assert "This is not an e-mail address." in wrong.content.decode()
    assert 'value="nobody"' in wrong.content.decode()
    assert client.post("/settings/notifications", {"mail": "nothing", "digest_hour": "24"}).status_code == 400
    user.refresh_from_db()
    assert (user.mail, user.email) == ("nothing", "a@example.org")
