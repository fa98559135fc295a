"""A webhook of a tenant that goes out, and a delivery."""


def furnish(client):
    """Their ids."""
    out = client.post("/api/v1/webhooks/out", {"url": "https://hooks.example/in", "workflow": "ours"})
    assert out.status_code == 201, out.json()
    test = client.post(f"/api/v1/webhooks/out/{out.json()['id']}/test", {})
    assert test.status_code == 202, test.json()
    return {"outgoing": out.json()["id"], "delivery": test.json()["id"]}
