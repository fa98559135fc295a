"""A webhook of a tenant."""


def furnish(client):
    """Its id."""
    hook = client.post("/api/v1/webhooks", {"name": "ours", "workflow": "ours", "action": "start"})
    assert hook.status_code == 201, hook.json()
    return {"webhook": hook.json()["id"]}
