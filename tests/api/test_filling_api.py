"""Drafts and files of tasks over REST."""

import pytest

from tests.api.test_tasks_api import FORM, ask

__all__ = ["ask"]

pytestmark = pytest.mark.django_db


def test_a_draft_is_kept_given_back_and_forgotten(api, people, ask):
    path = f"/api/v1/tasks/{ask(form=FORM)['id']}/draft"
    assert api.get(path).status_code == 404
    saved = api.put(path, {"data": {"account": 5, "what": None}, "comment": "Hm."})
    assert saved.status_code == 200
    assert saved.json() == api.get(path).json()
    assert saved.json()["data"] == {"account": 5, "what": None}
    assert (saved.json()["comment"], saved.json()["outdated"]) == ("Hm.", False)
    assert people.client("approver").get(path).status_code == 404
    assert people.client("operator").delete(path).status_code == 204
    assert api.put(path, {}).json()["data"] == {}
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404
    assert api.put(path, {"data": []}).status_code == 400
    assert api.put(path, {"comment": "x" * 10_001}).json()["error"]["field"] == "comment"
