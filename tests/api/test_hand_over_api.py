"""Handing over over REST."""

import pytest

from tests.inbox.asking import member
from tests.inbox.test_handover import scheduled
from tests.web.test_member_page import boss
from triggers.schedules.models import Schedule

__all__ = ["boss"]
pytestmark = pytest.mark.django_db
PATH = "/api/v1/members/ann/hand-over"


@pytest.fixture
def hook(boss):
    member("ann", "operator")
    member("cyd", "operator")
    return scheduled()[1]


def test_what_is_listed_is_handed_over_and_the_rest_shown(client, hook):
    listed = client.get(PATH).json()
    assert listed["complete"] is True
    assert [(one["kind"], one["id"], one["actions"]) for one in listed["items"]] == [
        ("schedule", "nightly", ["hand", "stop", "keep"]),
        ("webhook", str(hook.pk), ["hand", "stop", "keep"]),
    ]
    items = [{"kind": "schedule", "id": "nightly", "action": "hand", "to": "cyd"}]
    answer = client.post(
        PATH, {"items": items, "end": "deactivate", "reason": "left"}, "application/json"
    ).json()
    result = {"kind": "schedule", "id": "nightly", "title": "nightly", "action": "hand", "to": "cyd"}
    assert answer["results"] == [result | {"done": True, "code": None, "message": ""}]
    assert [one["kind"] for one in answer["items"]] == ["webhook"]
    assert Schedule.unsafe_all_tenants.get().acts_for == "cyd"
    assert client.get("/api/v1/members/ann").json()["active"] is False


def test_without_items_all_is_done_that_is_proposed(client, hook):
    answer = client.post(PATH, {"to": "cyd"}, "application/json").json()
    assert [(one["kind"], one["to"], one["done"]) for one in answer["results"]] == [
        ("schedule", "cyd", True),
        ("webhook", "cyd", True),
    ]
    assert answer["items"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"items": [{"kind": "cat", "id": "x", "action": "hand"}]}, "items[0].kind"),
        ({"items": [{"kind": "token", "id": "x", "action": "revoke"}]}, "items[0].id"),
        ({"to": "nobody"}, "to"),
        ({"end": "x"}, "end"),
        ({}, "items[0].to"),
        ({"all": True}, "all"),
    ],
)
def test_what_is_wrong_is_named(client, hook, body, field):
    answer = client.post(PATH, body, "application/json")
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
