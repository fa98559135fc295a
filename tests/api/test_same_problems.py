"""Whoever asks, by whichever door, is told the same problems of a definition: one fixture for each rule."""

import json
from pathlib import Path

import pytest
from django.test import Client

from tests.definitions import chain

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

API = "/api/v1/workflows"
FOLDER = Path(__file__).resolve().parents[1] / "engine" / "fixtures" / "invalid"


def documents():
    """Each fixture that is an object, which a draft is."""
    for path in sorted(FOLDER.glob("*.json")):
        document = json.loads(path.read_text())["document"]
        if isinstance(document, dict):
            yield pytest.param(document, id=path.stem)


def refusal(answer):
    """What an answer says is wrong with the request."""
    return answer.json()["error"]["message"]


@pytest.mark.parametrize("document", list(documents()))
def test_every_door_tells_the_same_problems(api, people, document):
    name = document["name"]
    api.post(API, {"name": name, "definition": chain(name)})
    validated = api.post(f"{API}/validate", {"definition": document})
    if validated.status_code == 400:
        saved = api.put(f"{API}/{name}/draft", {"definition": document}, headers={"If-Match": '"1"'})
        assert refusal(validated) == refusal(saved)
        assert "nested deeper" in refusal(api.post(f"{API}/read", {"text": json.dumps(document)})).lower()
        return
    # A few rules have fixtures with limits and step types of their own: they find nothing here, by no door.
    expected = validated.json()["problems"]

    saved = api.put(f"{API}/{name}/draft", {"definition": document}, headers={"If-Match": '"1"'})
    assert saved.json()["problems"] == expected
    changed = api.patch(f"{API}/{name}/draft", {"revision": 2, "groups": []})
    assert changed.json()["problems"] == expected
    read = api.post(f"{API}/read", {"text": json.dumps(document), "name": name})
    assert read.json()["problems"] == expected

    page = Client()
    page.force_login(people.member("author"))
    shown = page.get(f"/workflows/{name}/definition").context["problems"]
    assert [found.problem.as_dict() for found in shown] == expected

    published = api.post(f"{API}/{name}/publish", {})
    if any(problem["severity"] == "error" for problem in expected):
        assert published.status_code == 422
        assert published.json()["error"]["details"]["problems"] == expected
    else:
        assert published.status_code == 201
        assert published.json()["problems"] == expected
