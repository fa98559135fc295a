"""Members over REST: whether they may log in, their sessions, and links by which they set a password."""

import pytest
from django.test import Client

from accounts.models import User
from tests.smtp import mailbox

pytestmark = pytest.mark.django_db
VIC = "/api/v1/members/viewer-of-ours"


@pytest.fixture
def vic(people):
    user = people.member("viewer")
    user.set_password("a long password")
    user.save()
    return user


def test_a_member_is_deactivated_found_and_activated(people, vic):
    boss = people.client("admin")
    changed = boss.patch(VIC, {"active": False, "name": "Vic", "reason": "left"}).json()
    assert (changed["active"], changed["name"]) == (False, "Vic")
    assert people.client("viewer").get("/api/v1/members").status_code == 401
    names = [one["username"] for one in boss.get("/api/v1/members?active=false").json()["results"]]
    assert names == ["viewer-of-ours"]
    assert boss.get(VIC).json()["active"] is False
    assert boss.patch(VIC, {"active": True}).json()["active"] is True
    assert people.client("viewer").get("/api/v1/members").status_code == 200
    last = boss.patch("/api/v1/members/admin-of-ours", {"active": False})
    assert (last.status_code, last.json()["error"]["code"]) == (409, "yourself")


def test_what_is_wrong_with_one_change_undoes_the_others(people, vic):
    refused = people.client("admin").patch(VIC, {"active": False, "manager": "nobody"})
    assert refused.status_code == 400
    vic.refresh_from_db()
    assert vic.is_active


def test_sessions_are_counted_and_ended(people, vic):
    boss, inside = people.client("admin"), Client()
    assert boss.get(f"{VIC}/sessions").json() == {"sessions": 0, "last_seen_at": None}
    inside.force_login(vic)
    found = boss.get(f"{VIC}/sessions").json()
    assert (found["sessions"], found["last_seen_at"] is None) == (1, False)
    assert boss.delete(f"{VIC}/sessions").status_code == 204
    assert inside.get("/inbox/").status_code == 302


def test_a_link_is_handed_over_or_mailed(people, vic, monkeypatch):
    boss = people.client("admin")
    refused = boss.post(f"{VIC}/password-link")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_mail")
    made = boss.post(f"{VIC}/password-link", {"hand_over": True, "reason": "no mail here"})
    assert (made.status_code, made.json()["mailed"]) == (201, False)
    assert "/password/link/" in made.json()["link"]
    assert made.headers["Cache-Control"] == "no-store"
    User.objects.filter(pk=vic.pk).update(email="vic@example.org")
    with mailbox(monkeypatch):
        assert boss.post(f"{VIC}/password-link").json() == {"mailed": True, "link": None}
        assert boss.post(f"{VIC}/password-link", {"hand_over": True}).status_code == 409
