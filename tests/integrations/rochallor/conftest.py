"""A client as the public engine's are: no token, no content type, and null for whatever is optional."""

import orjson
import pytest
from django.test import Client

from accounts.services import ensure_admin
from tests import factories as make
from tests import rochallor
from tests.people import People
from tests.timing import clock

__all__ = ["Engine", "clock"]


class Engine:
    """What clients of the public engine ask; answers are read, and their status is checked."""

    def __init__(self, token: str = "") -> None:
        self.client = Client(headers={"Authorization": f"Bearer {token}"} if token else None)

    def call(self, method, path, body=None, status=200):
        """The answer's JSON, or None where it has none."""
        sent = {} if body is None else {"data": orjson.dumps(body)}
        answer = self.client.generic(method, f"/v1/{path}", content_type="text/plain", **sent)
        assert answer.status_code == status, answer.content
        return answer.json() if answer.content else None

    def get(self, path, status=200):
        return self.call("GET", path, status=status)

    def post(self, path, body=None, status=200):
        return self.call("POST", path, body, status)

    def upload(self, document):
        return self.post("definitions", document, 201)

    def start(self, definition="flow", **more):
        """The id of an instance."""
        sent = {"definitionId": definition, "variables": None} | more
        return self.post("instances", sent, 201)["id"]

    def instance(self, instance):
        return self.get(f"instances/{instance}")

    def history(self, instance):
        """Step and status of each entry."""
        return [(one["StepID"], one["Status"]) for one in self.get(f"instances/{instance}/history")["items"]]

    def poll(self, *types):
        """The jobs of these types."""
        return self.post("jobs/poll", {"workerId": "w", "jobTypes": types, "maxJobs": 64})["jobs"] or []

    def complete(self, job, variables=None):
        self.post(f"jobs/{job['id']}/complete", {"workerId": "w", "variables": variables}, 204)

    def fail(self, job, *, retryable=False, message="boom"):
        self.post(
            f"jobs/{job['id']}/fail",
            {"workerId": "w", "errorMessage": message, "retryable": retryable},
            204,
        )

    def done(self, *types, variables=None):
        """Complete one job of each type, one after another, with the engine's own steps between them."""
        for name in types:
            make.work("engine")
            [job] = self.poll(name)
            self.complete(job, variables)
        make.work("engine")


@pytest.fixture
def people(db):
    """Makes tenants, users and tokens."""
    return People()


WHO = 3
"""Statements that ask who anybody is: of each call within a test's transaction, else of one in five seconds."""


@pytest.fixture
def engine(db, settings) -> Engine:
    """A client of a Handoff whose tenant `default` is open."""
    # Somebody must be able to decide what a definition asks people.
    ensure_admin("a-password-for-tests")
    settings.HANDOFF_V1_OPEN_TENANT = "default"
    return Engine()


@pytest.fixture
def linear(engine):
    """As `engine`, with a definition of three services."""
    engine.upload(rochallor.LINEAR)
    return engine
