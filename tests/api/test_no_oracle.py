"""A tenant learns nothing of another's people: a name that another tenant has answers as one that nobody has."""

import orjson
import pytest
from django.db import transaction

from accounts.models import Membership, Tenant, User
from tests.api.authorisation_bodies import BODIES
from tests.api.test_authorisation import call

THEIRS, NOBODYS = "somebody-of-theirs", "somebody-of-nobody"

DOORS = [
    ("api-task-assign", "POST", {"assignee": "WHO"}),
    ("api-task-delegate", "POST", {"to": "WHO"}),
    ("api-task-return", "POST", {"comment": "Once more.", "to": "WHO"}),
    ("api-task-ask", "POST", {"text": "Which one?", "to": "WHO"}),
    ("api-task-comments", "POST", {"text": "@WHO what do you think?"}),
    ("api-groups", "POST", {"name": "Finance 2", "members": ["WHO"]}),
    ("api-members", "POST", {"username": "zoe@ours", "role": "viewer", "manager": "WHO"}),
    (
        "api-away-rules",
        "POST",
        {"substitute": "WHO", "from": "2030-01-01T00:00:00Z", "until": "2030-02-01T00:00:00Z"},
    ),
    (
        "api-away-rules",
        "POST",
        {
            "username": "WHO",
            "substitute": "operator-of-ours",
            "from": "2030-01-01T00:00:00Z",
            "until": "2030-02-01T00:00:00Z",
        },
    ),
    ("api-workflow-deciders", "POST", {"params": {"candidates": {"users": ["WHO"]}}}),
    (
        "api-workflows-validate",
        "POST",
        {
            "definition": {
                "name": "x",
                "edges": [],
                "nodes": [
                    {
                        "id": "a",
                        "type": "human.approval",
                        "params": {"title": "Go on?", "candidates": {"users": ["WHO"]}},
                    }
                ],
            }
        },
    ),
]
SEARCHES = [
    "/api/v1/members?q=WHO",
    "/api/v1/members/WHO",
    "/api/v1/tokens?user=WHO",
    "/api/v1/tasks?assignee=WHO",
]

VOLATILE = ("request_id", "id", "created_at", "at", "next_id")


@pytest.fixture
def ask(ours, furnished):
    """Sends the same with either name; gives status and body, with the name and what differs each time taken out."""
    user = furnished.member("author", tenant="theirs")
    User.objects.filter(pk=user.pk).update(username=THEIRS, name="Secret Name", email="secret@theirs.example")

    def ask(send):
        told = {}
        for name in (THEIRS, NOBODYS):
            answer = send(name)
            text = orjson.dumps(_steady(orjson.loads(answer.content))).decode()
            assert "Secret Name" not in text
            assert "secret@" not in text
            told[name] = (answer.status_code, text.replace(name, "WHO"))
        return told

    return ask


def _steady(value):
    if isinstance(value, dict):
        return {key: _steady(each) for key, each in value.items() if key not in VOLATILE}
    return [_steady(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("name", "method", "asked"), DOORS)
def test_no_answer_tells_that_another_tenant_has_the_name(ours, ask, monkeypatch, name, method, asked):
    def send(who):
        body = orjson.loads(orjson.dumps(asked).decode().replace("WHO", who))
        monkeypatch.setitem(BODIES, (name, method), body)
        with transaction.atomic():
            answer = call(ours, name, method, **ours.ids)
            transaction.set_rollback(True)
        return answer

    told = ask(send)
    assert told[THEIRS] == told[NOBODYS]


@pytest.mark.parametrize("path", SEARCHES)
def test_no_search_finds_another_tenants_people(ours, ask, path):
    told = ask(lambda who: ours.get(path.replace("WHO", who)))
    assert told[THEIRS] == told[NOBODYS]


PAGES = ("members", "groups", "add-group", "add-member", "away", "tokens")


@pytest.mark.parametrize("path", [*(f"/settings/{name}" for name in PAGES), "/inbox/{task}"])
def test_no_page_offers_another_tenants_people(ours, furnished, ask, client, path):
    client.force_login(furnished.member("admin"))
    page = client.get(path.format(**ours.ids))
    assert page.status_code == 200
    for secret in (THEIRS, "Secret Name", "secret@theirs.example"):
        assert secret not in page.text


@pytest.mark.parametrize("more", [{}, {"email": "guess@x.example"}, {"name": "Guess"}, {"role": "admin"}])
def test_nobody_is_added_by_a_guessed_name(ours, ask, more):
    """The names of logins are the whole Handoff's: new ones end in what other tenants' don't."""
    told = ask(lambda who: ours.post("/api/v1/members", {"username": who, "role": "viewer", **more}))
    assert told[THEIRS] == told[NOBODYS]
    assert told[THEIRS][0] == 400
    assert ours.get(f"/api/v1/members/{THEIRS}").status_code == 404


def test_nor_by_the_name_of_somebody_who_left_another_tenant(ours, ask):
    Membership.unsafe_all_tenants.filter(user__username=THEIRS).delete()
    User.objects.filter(username=THEIRS).update(home=Tenant.objects.get(slug="theirs"))
    told = ask(lambda who: ours.post("/api/v1/members", {"username": who, "role": "viewer"}))
    assert told[THEIRS] == told[NOBODYS]


@pytest.mark.parametrize("name", ["zoe", "@ours", "zoe@theirs", "zoe@ours.example"])
def test_a_new_name_ends_in_the_tenants(ours, name):
    refused = ours.post("/api/v1/members", {"username": name, "role": "viewer"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "username_suffix")
    assert ours.post("/api/v1/members", {"username": "zoe@OURS", "role": "viewer"}).status_code == 201
