"""Tokens in the hands of people: who sees, makes and revokes them, by page, REST and command."""

import io
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from rest_framework.test import APIClient

from accounts import tokens
from accounts.models import ApiToken
from accounts.services import BadToken, authenticate_token, create_token
from tests import factories as make
from tests.people import People

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return People()


def bearer(text):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return client


def is_valid(text):
    try:
        return bool(authenticate_token(text))
    except BadToken:
        return False


def new(client, **asked):
    made = client.post("/api/v1/tokens", {"name": "ci"} | asked)
    assert made.status_code == 201, made.json()
    return made.json()


def test_a_token_is_made_shown_once_listed_and_revoked_over_rest(people):
    client = people.client("author")
    made = new(client, role="viewer", days=30)
    assert is_valid(made["token"])
    rows = client.get("/api/v1/tokens").json()["results"]
    shown = next(row for row in rows if row["id"] == made["id"])
    assert "token" not in shown
    assert (shown["name"], shown["role"], shown["status"]) == ("ci", "viewer", "active")
    assert made["token"].startswith(shown["prefix"])
    for _ in range(2):
        assert client.delete(f"/api/v1/tokens/{made['id']}").status_code == 204
    assert not is_valid(made["token"])
    assert bearer(made["token"]).get("/api/v1/workflows").status_code == 401
    assert made["id"] not in [row["id"] for row in client.get("/api/v1/tokens").json()["results"]]
    with_revoked = client.get("/api/v1/tokens?revoked=true").json()["results"]
    assert next(row["status"] for row in with_revoked if row["id"] == made["id"]) == "revoked"


def test_nobody_has_more_tokens_than_anybody_can_look_after(people, monkeypatch):
    monkeypatch.setattr(tokens, "USER_TOKENS", 2)
    client = people.client("author")
    first = new(client)
    refused = client.post("/api/v1/tokens", {"name": "ci"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "too_many_tokens")
    client.delete(f"/api/v1/tokens/{first['id']}")
    assert is_valid(new(client)["token"])


def test_one_sees_and_revokes_ones_own_and_an_admin_those_of_the_tenant(people):
    theirs = new(people.client("author"))
    viewer, admin = people.client("viewer"), people.client("admin")
    assert {row["user"] for row in viewer.get("/api/v1/tokens").json()["results"]} == {"viewer-of-ours"}
    assert viewer.delete(f"/api/v1/tokens/{theirs['id']}").status_code == 404
    assert is_valid(theirs["token"])
    found = admin.get("/api/v1/tokens?user=AUTHOR-of-ours").json()["results"]
    assert theirs["id"] in [row["id"] for row in found]
    assert admin.delete(f"/api/v1/tokens/{theirs['id']}", {"reason": "leaked"}).status_code == 204
    assert not is_valid(theirs["token"])


def test_another_tenants_token_is_not_there_for_its_admin(people):
    ours = new(people.client("author"))
    theirs = people.client("admin", tenant="theirs")
    assert theirs.get(f"/api/v1/tokens/{ours['id']}").status_code == 404
    assert theirs.delete(f"/api/v1/tokens/{ours['id']}").status_code == 404
    assert is_valid(ours["token"])


@pytest.mark.parametrize(
    ("asked", "status", "field"),
    [
        ({"role": "admin"}, 403, "role"),
        ({"role": "worker"}, 403, "role"),
        ({"role": "king"}, 400, "role"),
        ({"scopes": ["runs:operate"]}, 403, None),
        ({"scopes": ["all"]}, 400, "scopes[0]"),
        ({"days": 0}, 400, "days"),
        ({"name": ""}, 400, "name"),
    ],
)
def test_a_token_is_never_more_than_who_makes_it(people, asked, status, field):
    refused = people.client("author").post("/api/v1/tokens", {"name": "ci"} | asked)
    assert (refused.status_code, refused.json()["error"]["field"]) == (status, field)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"name": " \t"}, "name"),
        ({"role": "worker", "scopes": ["runs:read"]}, "scopes"),
        ({"role": "viewer", "scopes": ["runs:read", "jobs:work"]}, "scopes"),
    ],
)
def test_a_token_that_could_not_do_what_it_says_is_not_made(people, asked, field):
    answer = people.client("admin").post("/api/v1/tokens", {"name": "ci"} | asked)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


def test_a_narrow_token_makes_only_narrow_ones(people):
    narrow = people.client("admin", scopes=frozenset({"tokens:own", "runs:read"}))
    made = new(narrow)
    assert authenticate_token(made["token"]).scopes == {"tokens:own", "runs:read"}
    assert people.client("admin", scopes=frozenset({"runs:read"})).get("/api/v1/tokens").status_code == 403


def test_what_was_made_with_a_token_ends_with_it(people):
    user = people.member("author")
    first, text = create_token(user=user, tenant=people.tenant(), days=1)
    second = new(bearer(text), days=300)
    third = new(bearer(second["token"]))
    ends = {second["expires_at"], third["expires_at"]}
    first.refresh_from_db()
    assert {datetime.fromisoformat(end) for end in ends} == {first.expires_at}
    people.client("author").delete(f"/api/v1/tokens/{first.public_id}")
    assert [is_valid(each) for each in (text, second["token"], third["token"])] == [False, False, False]


def test_a_session_makes_tokens_that_stand_alone(people):
    client = APIClient()
    client.force_login(people.member("author"))
    made = new(client)
    assert (made["expires_at"], ApiToken.unsafe_all_tenants.get(public_id=made["id"]).made_with) == (
        None,
        None,
    )


@pytest.fixture
def ann():
    return make.a_member("ann", "author")


@pytest.fixture
def page(ann):
    client = Client()
    client.force_login(ann)
    return client


def test_the_page_makes_a_token_shows_it_once_and_revokes_it_after_asking(page):
    assert "There are no tokens yet" in page.get("/settings/tokens").text
    made = page.post("/settings/tokens", {"name": "nightly", "role": "viewer", "days": "30"})
    assert (made.status_code, "no-store" in made.headers["Cache-Control"]) == (201, True)
    text = made.context["text"]
    assert is_valid(text)
    assert f'value="{text}"' in made.text
    listed = page.get("/settings/tokens").text
    assert ("nightly" in listed, text in listed) == (True, False)
    address = f"/settings/tokens/{ApiToken.unsafe_all_tenants.get().public_id}/revoke"
    assert "loses access at once" in page.get(address).text
    assert is_valid(text)
    assert "is revoked" in page.post(address, follow=True).text
    assert not is_valid(text)
    assert "already revoked" in page.get(address).text


@pytest.mark.parametrize(
    ("given", "status", "field"),
    [
        ({"name": ""}, 422, "name"),
        ({"name": "x" * 201}, 422, "name"),
        ({"role": "admin", "queues": "*", "folders": "*"}, 403, "role"),
        ({"role": "king"}, 422, "role"),
        ({"role": ""}, 422, "role"),
        ({"days": "5000"}, 422, "days"),
    ],
)
def test_what_is_wrong_with_a_new_token_is_told_at_its_field(page, given, status, field):
    shown = page.post("/settings/tokens", {"name": "ci", "role": "viewer", "days": ""} | given)
    assert (shown.status_code, f'id="{field}-fault"' in shown.text) == (status, True)
    assert ApiToken.unsafe_all_tenants.count() == 0


def test_another_ones_token_is_not_there_on_the_page(page, people):
    theirs, _ = create_token(user=people.member("viewer", "default"), tenant=make.a_tenant())
    for answer in (page.get, page.post):
        assert answer(f"/settings/tokens/{theirs.public_id}/revoke").status_code == 404


@pytest.mark.parametrize(("wish", "left"), [({}, True), ({"revoke_tokens": "on"}, False)])
def test_tokens_end_with_the_password_where_that_is_wished(page, ann, wish, left):
    _, text = create_token(user=ann, tenant=make.a_tenant())
    passwords = {"old": make.PASSWORD, "new": "a quite new one", "again": "a quite new one"}
    assert page.post("/settings/password", passwords | wish).status_code == 302
    assert is_valid(text) is left


def command(name, *given):
    out = io.StringIO()
    call_command(name, *given, stdout=out)
    return out.getvalue()


def test_commands_list_and_revoke(ann):
    token, text = create_token(user=ann, tenant=make.a_tenant(), name="night\tly")
    listed = command("list_tokens", "--user", "ANN")
    assert listed.split("\t")[:4] == [token.public_id, "active", "ann", "author"]
    assert listed.rstrip("\n").split("\t")[-1] == "night ly"
    assert command("revoke_token", text) == f"revoked the token {token.public_id}\n"
    assert not is_valid(text)
    assert command("list_tokens") == ""
    assert "revoked" in command("list_tokens", "--all")
    other, _ = create_token(user=ann, tenant=make.a_tenant())
    assert command("revoke_token", "--user", "ann") == "revoked 1 tokens of ann\n"
    other.refresh_from_db()
    assert other.revoked_at is not None


@pytest.mark.parametrize("given", [(), ("x", "--user", "ann"), ("nosuchtoken1",), ("--user", "nobody")])
def test_a_command_that_names_no_token_says_so(ann, given):
    with pytest.raises(CommandError):
        command("revoke_token", *given)


def test_an_expired_token_is_shown_as_such(page, ann):
    create_token(user=ann, tenant=make.a_tenant(), days=1)
    ApiToken.unsafe_all_tenants.update(expires_at=datetime.now(UTC) - timedelta(1))
    assert "expired</span>" in page.get("/settings/tokens").text


@pytest.mark.parametrize("sent", ["%00", "a%00b", "%F0%9F%98%80", "a" * 3_000])
def test_no_id_of_a_token_is_a_fault_of_the_server(page, people, sent):
    for answer in (page.get, page.post):
        assert answer(f"/settings/tokens/{sent}/revoke").status_code == 404
    client = people.client("author")
    assert client.get(f"/api/v1/tokens/{sent}").status_code in (400, 404)
    assert client.delete(f"/api/v1/tokens/{sent}").status_code in (400, 404)
