"""A service's token acts for no person: it stays when its maker leaves, and does nothing of what only people do."""

from datetime import timedelta

import pytest
from django.contrib.auth import authenticate
from django.db.models.functions import Now
from rest_framework.test import APIClient

from accounts import people, tokens
from accounts.models import TOKEN_ENDS, AccountMail, ApiToken, Membership, User
from accounts.roles import NEVER_A_SERVICES, SCOPES_OF_ROLE
from lib.reader import Reader, reading_as
from tests import factories as make
from tests.api.hooks import publish
from tests.people import People

URL = "/api/v1/tokens"
ENDS = {"name": "ends", "nodes": [{"id": "a", "type": "noop"}]}


@pytest.fixture
def them(db):
    return People()


@pytest.fixture
def api(them):
    return them.client("admin")


def made(api, **more):
    answer = api.post(URL, {"name": "Nightly import", "service": True, "queues": ["*"], **more})
    assert answer.status_code == 201, answer.json()
    return answer.json()


def service(api, **more):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {made(api, **more)['token']}")
    client.default_format = "json"
    return client


def test_it_has_a_name_of_its_own_and_its_role_without_what_only_people_do(api):
    token = made(api, role="operator")
    assert token["service"]
    assert token["user"].startswith("service:ours:nightly-import-")
    assert frozenset(token["scopes"]) == SCOPES_OF_ROLE["operator"] - NEVER_A_SERVICES
    user = User.objects.get(username=token["user"])
    assert not Membership.unsafe_all_tenants.filter(user=user).exists()
    assert authenticate(username=user.username, password="") is None
    assert not user.has_usable_password()


def test_it_starts_runs_and_is_told_of_as_itself(api, them):
    publish(api, ENDS)
    run = service(api, role="operator").post("/api/v1/runs", {"workflow": "ends", "input": {}}, format="json")
    assert run.status_code == 201, run.json()
    assert run.json()["created_by"].startswith("service:ours:")
    assert api.get(f"/api/v1/runs/{run.json()['id']}").json()["created_by"] == run.json()["created_by"]


def test_it_stays_when_its_maker_leaves(api, them):
    client = service(api, role="viewer")
    boss = Membership.unsafe_all_tenants.get(user__username="admin-of-ours")
    make.MembershipFactory(tenant=boss.tenant, user__username="other", role="admin")
    made_with = ApiToken.unsafe_all_tenants.get(user__is_service=True).made_with
    assert made_with is not None  # It was made with a token here, and ends with that alone.
    boss.delete()
    assert client.get("/api/v1/workflows").status_code == 200
    tokens.services.revoke_token(boss.tenant_id, made_with.public_id)
    assert client.get("/api/v1/workflows").status_code == 401


def test_only_who_manages_tokens_makes_rotates_and_revokes_it(api, them):
    token = made(api, role="viewer")
    operator = them.client("operator")
    assert operator.post(URL, {"name": "x", "service": True}).status_code == 403
    assert operator.get(f"{URL}/{token['id']}").status_code == 404
    rotated = api.post(f"{URL}/{token['id']}/rotate", {}).json()
    assert (rotated["user"], rotated["service"]) == (token["user"], True)
    assert api.post(f"{URL}/{rotated['id']}/revoke", {}).json()["status"] == "revoked"


@pytest.mark.parametrize("scope", sorted(NEVER_A_SERVICES))
def test_what_only_people_do_can_not_be_asked_for(api, scope):
    answer = api.post(URL, {"name": "x", "service": True, "scopes": [scope]})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "scopes")


def test_it_makes_no_tokens_and_nothing_that_acts_for_a_member(api):
    publish(api, ENDS)
    client = service(api)
    assert client.post(URL, {"name": "x"}, format="json").status_code == 403
    schedule = {"name": "daily", "workflow": "ends", "cron": "0 9 * * *"}
    refused = client.post("/api/v1/schedules", schedule, format="json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "no_member")
    hook = {"name": "in", "workflow": "ends", "action": "start"}
    assert client.post("/api/v1/webhooks", hook, format="json").json()["error"]["code"] == "no_member"


def test_its_folders_are_those_of_its_role(api, them):
    publish(api, ENDS)
    client = service(api, role="viewer")
    assert [one["name"] for one in client.get("/api/v1/workflows").json()["results"]] == ["ends"]
    folder = api.post("/api/v1/folders", {"name": "Closed", "grants": []}).json()
    assert api.patch("/api/v1/workflows/ends", {"folder": folder["name"]}).status_code == 200
    assert client.get("/api/v1/workflows").json()["results"] == []
    assert client.get("/api/v1/workflows/ends").status_code == 404


def test_a_worker_may_be_one(api):
    poll = {"worker_id": "w", "queues": ["q"], "max_jobs": 1}
    assert service(api, role="worker").post("/api/v1/jobs/poll", poll, format="json").json() == {"jobs": []}


def test_of_another_tenant_nothing_is_seen(api, them):
    token = made(api, role="viewer")
    assert them.client("admin", tenant="theirs").get(f"{URL}/{token['id']}").status_code == 404


def test_pages_call_it_by_its_name(api, them):
    token = made(api, role="viewer")
    with reading_as(Reader()):
        people.learn(them.tenant().pk, [token["user"]])
        assert people.name_of(token["user"]) == "Nightly import"


def test_admins_are_told_that_it_ends(api, them):
    made(api, days=90)
    ends, began = Now() + timedelta(days=10), Now() - timedelta(days=80)
    ApiToken.unsafe_all_tenants.filter(user__is_service=True).update(expires_at=ends, created_at=began)
    assert tokens.warn_of_ends() == 1
    (mail,) = AccountMail.unsafe_all_tenants.filter(kind=TOKEN_ENDS)
    assert mail.user.username == "admin-of-ours"


def test_made_and_shown_on_the_page(them, client):
    client.force_login(them.member("admin"))
    form = {
        "name": "Import",
        "role": "viewer",
        "days": "90",
        "service": "yes",
        "allowed_ips": "10.1.0.0/16, 10.2.0.1",
    }
    page = client.post("/settings/tokens", form)
    assert page.status_code == 201
    assert "acts for no person" in page.content.decode()
    listed = client.get("/settings/tokens").content.decode()
    assert "no person (service)" in listed
    assert "only from 2 networks" in listed
    wrong = client.post("/settings/tokens", form | {"allowed_ips": "nowhere"})
    assert wrong.status_code == 422
    assert "nowhere is not an address" in wrong.content.decode()


def test_nobody_is_made_a_member_under_such_a_name(api):
    answer = api.post("/api/v1/members", {"username": "service:ours:x", "role": "viewer"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "username")
