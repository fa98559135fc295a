"""A process that answers gRPC, people who call it, and a workflow with jobs."""

import grpc
import pytest

from tests.integrations.grpc.speaking import Client, answering
from tests.people import People


def pytest_collection_modifyitems(items):
    for item in items:
        if "/grpc/" in item.path.as_posix():
            item.add_marker(pytest.mark.processes)


@pytest.fixture(scope="session")
def grpc_site(django_db_setup):
    """The address of a process that answers gRPC on this session's database."""
    with answering() as (address, _):
        yield address


@pytest.fixture
def people(transactional_db):
    """Makes tenants, users and tokens."""
    return People()


@pytest.fixture
def speak(grpc_site, people):
    """Makes clients with the token of a role, or without one (None)."""
    channels = []

    def client(role="admin", tenant="ours", token=None):
        channels.append(grpc.insecure_channel(grpc_site))
        return Client(channels[-1], token or (role and people.token(role, tenant)))

    yield client
    for channel in channels:
        channel.close()


@pytest.fixture
def pay(people):
    """An admin's client of the REST API whose tenant has the workflow `pay`: a job on the queue `card`."""
    admin = people.client("admin")
    node = {"id": "charge", "type": "job", "queue": "card", "params": {"amount": "{{ input.amount }}"}}
    node["retry"] = {"max_retries": 1, "base_seconds": 0}
    document = {"name": "pay", "nodes": [node], "edges": []}
    admin.post("/api/v1/workflows", {"name": "pay", "definition": document})
    assert admin.post("/api/v1/workflows/pay/publish").status_code == 201
    return admin


@pytest.fixture
def start(pay):
    """Starts runs of `pay`; gives their ids."""

    def some(count=1, **given):
        return [
            pay.post("/api/v1/runs", {"workflow": "pay", "input": {"amount": number} | given}).json()["id"]
            for number in range(count)
        ]

    return some
