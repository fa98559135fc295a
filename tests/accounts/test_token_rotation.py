"""Tokens that are rotated: the new one is what the old one was, and nobody gains by it."""

from datetime import datetime, timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client
from rest_framework.test import APIClient

from accounts import tokens
from accounts.models import ApiToken
from accounts.services import authenticate_token, create_token
from tests.accounts.test_token_care import bearer, is_valid, new
from tests.people import People

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return People()


@pytest.fixture
def session(people):
    """An author's session, which makes tokens that stand alone."""
    client = APIClient()
    client.force_login(people.member("author"))
    return client


def rotated(client, token, **asked):
    answer = client.post(f"/api/v1/tokens/{token['id']}/rotate", asked)
    assert answer.status_code == 201, answer.json()
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.json()


def row_of(token):
    return ApiToken.unsafe_all_tenants.get(public_id=token["id"])


def test_another_one_of_the_same_kind_takes_its_place_and_the_old_one_ends_at_once(session):
    old = new(session, name="nightly", role="viewer", scopes=["runs:read"], days=30)
    made = rotated(session, old, reason="every month")
    assert [made[key] for key in ("name", "role", "scopes")] == ["nightly", "viewer", ["runs:read"]]
    assert (is_valid(old["token"]), is_valid(made["token"])) == (False, True)
    life = datetime.fromisoformat(made["expires_at"]) - datetime.fromisoformat(made["created_at"])
    assert abs(life - timedelta(days=30)) < timedelta(minutes=1)
    assert session.get(f"/api/v1/tokens/{old['id']}").json()["status"] == "expired"


def test_both_are_valid_during_the_overlap_and_the_old_one_for_no_longer_than_it_was(session):
    short, endless = new(session, days=1), new(session)
    before = row_of(short).expires_at
    for old in (short, endless):
        made = rotated(session, old, overlap_seconds=3 * 86_400)
        assert is_valid(old["token"])
        assert is_valid(made["token"])
    assert row_of(short).expires_at == before
    left = row_of(endless).expires_at - row_of(endless).created_at
    assert abs(left - timedelta(days=3)) < timedelta(minutes=1)


def test_what_was_made_with_the_old_one_stays(session):
    old = new(session, days=2)
    child = new(bearer(old["token"]), name="child")
    made = rotated(session, old)
    assert is_valid(child["token"])
    assert is_valid(made["token"])
    session.post(f"/api/v1/tokens/{old['id']}/revoke")
    assert (is_valid(child["token"]), is_valid(made["token"])) == (False, True)


def test_one_that_was_rotated_with_a_token_ends_with_it_and_lives_no_longer(session):
    old = new(session, days=1)
    made = rotated(bearer(old["token"]), old, overlap_seconds=60)
    assert datetime.fromisoformat(made["expires_at"]) <= datetime.fromisoformat(old["expires_at"])
    revoked = session.post(f"/api/v1/tokens/{old['id']}/revoke", {"reason": "leaked"})
    assert (revoked.status_code, revoked.json()["status"]) == (200, "revoked")
    assert not is_valid(made["token"])


def test_a_narrow_token_gains_no_scope_by_rotating_a_wide_one(people, session):
    wide = new(session)
    narrow = new(session, scopes=["tokens:own", "runs:read"])
    answer = bearer(narrow["token"]).post(f"/api/v1/tokens/{wide['id']}/rotate")
    assert answer.status_code == 403
    assert is_valid(wide["token"])
    made = rotated(bearer(narrow["token"]), narrow)
    assert authenticate_token(made["token"]).scopes == {"tokens:own", "runs:read"}


def test_nobody_rotates_what_is_not_theirs_or_is_over(people, session):
    theirs, text = create_token(user=people.member("viewer"), tenant=people.tenant())
    assert session.post(f"/api/v1/tokens/{theirs.public_id}/rotate").status_code == 404
    admin = people.client("admin")
    assert admin.post(f"/api/v1/tokens/{theirs.public_id}/rotate").status_code == 403
    assert is_valid(text)
    mine = new(session)
    session.post(f"/api/v1/tokens/{mine['id']}/revoke")
    answer = session.post(f"/api/v1/tokens/{mine['id']}/rotate")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_active")
    wrong = session.post(f"/api/v1/tokens/{mine['id']}/rotate", {"overlap_seconds": 8 * 86_400})
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "overlap_seconds")


def test_nobody_has_more_valid_ones_by_rotating_and_expired_ones_do_not_count(session, monkeypatch):
    monkeypatch.setattr(tokens, "USER_TOKENS", 3)
    old = new(session)
    # With an overlap both count; without one another takes its place.
    for _ in range(2):
        old = rotated(session, old, overlap_seconds=3600)
    refused = session.post(f"/api/v1/tokens/{old['id']}/rotate", {"overlap_seconds": 3600})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "too_many_tokens")
    assert session.post("/api/v1/tokens", {"name": "another"}).status_code == 409
    ApiToken.unsafe_all_tenants.exclude(public_id=old["id"]).update(expires_at=Now())
    last = rotated(session, old)
    assert is_valid(last["token"])
    assert is_valid(new(session, name="another")["token"])


def test_the_page_asks_how_long_both_are_valid_and_shows_the_new_one_once(people):
    page = Client()
    page.force_login(people.member("author"))
    tenant, user = people.tenant(), people.member("author")
    token, text = create_token(user=user, tenant=tenant, name="nightly")
    address = f"/settings/tokens/{token.public_id}/rotate"
    assert address in page.get("/settings/tokens").text
    assert "in a day" in page.get(address).text
    assert page.post(address, {"overlap": "5"}).status_code == 422
    made = page.post(address, {"overlap": "0"})
    assert (made.status_code, "no-store" in made.headers["Cache-Control"]) == (201, True)
    assert is_valid(made.context["text"])
    assert f'value="{made.context["text"]}"' in made.text
    assert not is_valid(text)
    assert "already expired" in page.get(address).text
    again = page.post(address, {"overlap": "0"})
    assert again.status_code == 409
