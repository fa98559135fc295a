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


def send(client, path, content, kind="application/pdf"):
    return client.generic("POST", path, content, content_type=kind)


def test_a_file_is_added_listed_fetched_and_taken_back(api, people, ask):
    path = f"/api/v1/tasks/{ask()['id']}/files"
    added = send(api, f"{path}?name=../a.html", b"<script>alert(1)</script>", "text/html")
    assert added.status_code == 201, added.json()
    assert (added.json()["name"], added.json()["media_type"], added.json()["size"]) == (
        "a.html",
        "text/plain",
        25,
    )
    assert [one["id"] for one in api.get(path).json()["results"]] == [added.json()["id"]]
    one = f"{path}/{added.json()['id']}"
    for address in (one, f"{one}?show=yes"):
        file = people.client("viewer").get(address)
        assert file.content == b"<script>alert(1)</script>"
        assert file.headers["Content-Type"] == "application/octet-stream"
        assert file.headers["Content-Disposition"] == 'attachment; filename="a.html"'
        assert file.headers["X-Content-Type-Options"] == "nosniff"
        assert file.headers["Content-Security-Policy"].startswith("default-src 'none'; sandbox")
    assert people.client("operator").delete(one).status_code == 403
    assert api.delete(one).status_code == 204
    assert api.get(one).status_code == 404
    assert api.get(path).json()["results"] == []


def test_images_and_pdfs_may_be_shown(api, ask):
    path = f"/api/v1/tasks/{ask()['id']}/files"
    file = send(api, f"{path}?name=a.pdf", b"%PDF-1.7 x").json()
    shown = api.get(f"{path}/{file['id']}?show=yes")
    assert shown.headers["Content-Type"] == "application/pdf"
    assert shown.headers["Content-Disposition"] == 'inline; filename="a.pdf"'
    assert shown.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert api.get(f"{path}/{file['id']}").headers["Content-Disposition"].startswith("attachment")


def test_what_is_wrong_with_a_file_is_said(api, ask, people):
    path = f"/api/v1/tasks/{ask()['id']}/files"
    assert send(api, path, b"x").json()["name"] == "file"
    assert send(api, f"{path}?name=a&what=b", b"x").status_code == 400
    empty = send(api, f"{path}?name=a", b"")
    assert (empty.status_code, empty.json()["error"]["field"]) == (400, "file")
    large = send(api, f"{path}?name=a", b"x" * (10 * 1024 * 1024 + 1))
    assert (large.status_code, large.json()["error"]["code"]) == (400, "file_too_large")
    assert send(people.client("viewer"), f"{path}?name=a", b"x").status_code == 403
