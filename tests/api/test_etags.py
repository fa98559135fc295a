"""What is read again is sent again only where it has changed."""

import pytest

from tests.api.hooks import publish

pytestmark = pytest.mark.django_db
WAITS = {"name": "waits", "nodes": [{"id": "a", "type": "job", "queue": "pricing"}]}


@pytest.fixture
def run(api):
    publish(api, WAITS)
    return api.post("/api/v1/runs", {"workflow": "waits", "input": {}}).json()["id"]


@pytest.mark.parametrize(
    "path", ["/api/v1/runs/{}", "/api/v1/runs/{}/steps", "/api/v1/runs?limit=20", "/api/v1/me"]
)
def test_who_has_it_is_told_so_without_a_body(api, run, path):
    first = api.get(path.format(run))
    again = api.get(path.format(run), headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    other = api.get(path.format(run), headers={"If-None-Match": 'W/"another"'})
    assert (other.status_code, other.content) == (200, first.content)


def test_what_has_changed_is_sent_with_another_tag(api, run):
    before = api.get(f"/api/v1/runs/{run}")
    assert api.post(f"/api/v1/runs/{run}/cancel", {}).status_code == 200
    after = api.get(f"/api/v1/runs/{run}", headers={"If-None-Match": before["ETag"]})
    assert (after.status_code, after.json()["status"]) == (200, "CANCELLED")
    assert after["ETag"] != before["ETag"]


def test_changes_and_refusals_have_none(api, run):
    assert "ETag" not in api.post("/api/v1/runs", {"workflow": "waits", "input": {}})
    refused = api.get("/api/v1/runs/nothing", headers={"If-None-Match": "*"})
    assert (refused.status_code, "ETag" in refused) == (404, False)
