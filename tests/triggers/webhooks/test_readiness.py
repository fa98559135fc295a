"""The check before publishing names webhooks that are off, and none that only signals counts as a start."""

import pytest

from accounts.models import FolderGrant
from tests import factories as make
from tests.people import People

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("action", ["start", "signal"])
@pytest.mark.parametrize("is_on", [True, False])
def test_only_a_webhook_that_is_on_and_starts_runs_counts_as_a_start(action, is_on):
    people = People()
    api = people.client("admin")
    people.client("operator")
    definition = make.graph(["a"], []) | {"name": "flow"}
    api.post("/api/v1/workflows", {"name": "flow", "definition": definition})
    api.post("/api/v1/workflows/flow/publish")
    FolderGrant.unsafe_all_tenants.all().delete()
    mapping = (
        {"input": {}} if action == "start" else {"signal_name": "paid", "business_key": "{{ body.key }}"}
    )
    made = api.post(
        "/api/v1/webhooks", {"name": "hook", "workflow": "flow", "action": action, "mapping": mapping}
    )
    assert made.status_code == 201, made.json()
    if not is_on:
        assert api.patch(f"/api/v1/webhooks/{made.json()['id']}", {"enabled": False}).status_code == 200
    findings = {
        one["code"]: one["message"] for one in api.get("/api/v1/workflows/flow/readiness").json()["findings"]
    }
    assert ("nobody_may_start" in findings) == (not is_on or action == "signal")
    if is_on:
        assert "trigger_off" not in findings
    else:
        verb = "starts" if action == "start" else "signals"
        assert findings["trigger_off"] == f"The webhook “hook” is off. It {verb} nothing."
