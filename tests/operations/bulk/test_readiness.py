"""Open runs on older versions are moved by the request that publishing answers with."""

import pytest

from operations.bulk import work
from tests import factories as make
from tests.operations.bulk.test_jobs import ALL
from tests.people import People

pytestmark = pytest.mark.django_db

WAIT = {"id": "w", "type": "wait", "params": {"seconds": 600}}


def mend_of(findings):
    [mend] = [one["mend"] for one in findings if one["code"] == "runs_on_older_versions"]
    return mend


def test_open_runs_are_moved_by_the_request_that_publishing_answers_with():
    api = People().client("admin")
    draft = {"name": "flow", "nodes": [WAIT], "edges": []}
    api.post("/api/v1/workflows", {"name": "flow", "definition": draft})
    api.post("/api/v1/workflows/flow/publish")
    run = api.post("/api/v1/runs", {"workflow": "flow", "input": {}}).json()
    make.work()
    changed = {
        "name": "flow",
        "nodes": [WAIT, {"id": "b", "type": "noop"}],
        "edges": [{"from": "w", "to": "b"}],
    }
    saved = api.put("/api/v1/workflows/flow/draft", {"definition": changed}, headers={"If-Match": '"1"'})
    assert saved.status_code == 200
    assert mend_of(api.get("/api/v1/workflows/flow/readiness").json()["findings"])["after_publish"] is True

    published = api.post("/api/v1/workflows/flow/publish").json()
    mend = mend_of(published["readiness"]["findings"])
    assert (mend["after_publish"], mend["allowed"]) == (False, True)
    # A second press finds the run moved already.
    jobs = [api.post(mend["path"], mend["choices"][0]["body"]).json() for _ in range(2)]
    work.work(ALL)
    counts = [api.get(f"/api/v1/bulk-jobs/{job['id']}").json() for job in jobs]
    assert sum(one["moved"] for one in counts) == 1, counts
    assert api.get(f"/api/v1/runs/{run['id']}").json()["version"] == 2
    assert mend["choices"][0]["body"]["version"] == 2
    assert api.get("/api/v1/workflows/flow/readiness").json()["findings"] == []
