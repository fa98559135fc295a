"""An alert of a tenant, a rule and a channel."""

from operations.alerts.models import AlertRule
from tests.operations.alerts.factories import AlertFactory
from workflows.models import WorkflowVersion


def furnish(client):
    """An alert of the tenant, a rule and a channel; their ids."""
    channel = {"name": "ours", "kind": "webhook", "address": "https://hooks.example/in"}
    made = client.post("/api/v1/alert-channels", channel)
    assert made.status_code == 201, made.json()
    rule = client.post("/api/v1/alert-rules", {"kind": "queue_depth", "name": "ours"})
    assert rule.status_code == 201, rule.json()
    version = WorkflowVersion.unsafe_all_tenants.get(workflow__name="ours", number=1)
    alert = AlertFactory(
        rule=AlertRule.unsafe_all_tenants.get(pk=rule.json()["id"]),
        key="ours",
        subject="ours",
        message="ours",
        workflow_id=version.workflow_id,
    )
    return {"alert": alert.pk, "alert_rule": rule.json()["id"], "channel": made.json()["id"]}
