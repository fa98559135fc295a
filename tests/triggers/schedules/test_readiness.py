"""The check before publishing names schedules that are off."""

import pytest

from tests import factories as make
from tests.people import People

pytestmark = pytest.mark.django_db


def test_a_schedule_that_is_off_is_a_finding_with_its_page_and_one_that_is_on_is_none():
    api = People().client("admin")
    definition = make.graph(["a"], []) | {"name": "flow"}
    api.post("/api/v1/workflows", {"name": "flow", "definition": definition})
    api.post("/api/v1/workflows/flow/publish")
    schedule = api.post(
        "/api/v1/schedules", {"name": "Nightly", "workflow": "flow", "every_seconds": 3600}
    ).json()
    assert api.get("/api/v1/workflows/flow/readiness").json()["findings"] == []
    paused = api.patch(f"/api/v1/schedules/{schedule['name']}", {"enabled": False})
    assert paused.status_code == 200, paused.json()
    [finding] = api.get("/api/v1/workflows/flow/readiness").json()["findings"]
    assert (finding["code"], finding["severity"]) == ("trigger_off", "warning")
    assert finding["message"] == "The schedule “Nightly” is off. It starts nothing."
    assert (finding["mend"]["kind"], finding["mend"]["title"]) == ("page", "Open the schedule")
    assert finding["mend"]["path"].startswith("/schedules/")
