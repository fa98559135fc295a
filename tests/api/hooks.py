"""What the tests of webhooks share: a workflow that waits to be paid, and webhooks to it."""

import pytest
from django.test import Client

from tests.webhooks import Sender

SIGNAL = {
    "business_key": "{{ body.order }}",
    "signal_name": "paid",
    "payload": {"amount": "{{ body.amount }}"},
}
ORDER = {
    "name": "order",
    "business_key": "{{ input.order }}",
    "nodes": [{"id": "paid", "type": "signal", "params": {"name": "paid", "timeout_seconds": 3600}}],
}


def publish(api, definition):
    """Publish it through the API."""
    name = definition["name"]
    assert api.post("/api/v1/workflows", {"name": name, "definition": definition}).status_code == 201
    assert api.post(f"/api/v1/workflows/{name}/publish", {}).status_code == 201


@pytest.fixture
def order(api):
    """A workflow whose only step waits to be paid."""
    publish(api, ORDER)


@pytest.fixture
def make_hook(api, order):
    """Makes a webhook to `order`; gives what the API answers."""

    def make_hook(action="signal", mapping=SIGNAL, name="shop", **more):
        body = {"name": name, "workflow": "order", "action": action, "mapping": mapping, **more}
        answer = api.post("/api/v1/webhooks", body)
        assert answer.status_code == 201, answer.json()
        return answer.json()

    return make_hook


@pytest.fixture
def sender(make_hook):
    """A sender to a webhook that tells runs of `order` that they are paid; it checks CSRF like any client."""
    return Sender(Client(enforce_csrf_checks=True), make_hook())


@pytest.fixture
def run(api, order):
    """The id of a run of order o-1."""
    answer = api.post("/api/v1/runs", {"workflow": "order", "input": {"order": "o-1"}})
    assert answer.status_code == 201
    return answer.json()["id"]
