"""A schedule of a tenant."""

from triggers.schedules.models import Schedule


def furnish(client):
    """Its id."""
    daily = {"name": "ours", "workflow": "ours", "cron": "0 9 * * *", "enabled": False}
    schedule = client.post("/api/v1/schedules", daily)
    assert schedule.status_code == 201, schedule.json()
    return {"schedule": str(Schedule.unsafe_all_tenants.get(name="ours").pk)}
