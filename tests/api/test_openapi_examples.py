"""Examples in the OpenAPI document: they fit their schemas to the letter, and the requests are accepted (R-165)."""

import copy
import json

import pytest
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from lib.api.schema import examples_of_apps
from tasks_inbox.models import ManualTask
from tests import factories as make

pytestmark = pytest.mark.slow

SHOWN = {
    "/api/v1/workflows": "get post",
    "/api/v1/workflows/{name}/publish": "post",
    "/api/v1/runs": "get post",
    "/api/v1/runs/{run_id}": "get",
    "/api/v1/runs/{run_id}/signals": "post",
    "/api/v1/signals": "post",
    "/api/v1/tasks": "get",
    "/api/v1/tasks/{task_id}": "get",
    "/api/v1/tasks/{task_id}/complete": "post",
    "/api/v1/jobs/poll": "post",
    "/api/v1/jobs/{job_id}/complete": "post",
    "/api/v1/jobs/{job_id}/fail": "post",
    "/api/v1/webhooks": "get post",
    "/api/v1/webhooks/{webhook_id}": "get",
    "/api/v1/dead-letters": "get",
    "/api/v1/dead-letters/redrive": "post",
    "/v1/workflows": "post",
    "/v1/workflows/{run_id}": "get",
    "/v1/workflows/{run_id}/signals": "post",
    "/v1/activities/poll": "post",
    "/v1/activities/complete": "post",
    "/v1/activities/fail": "post",
    "/v1/activities/heartbeat": "post",
    "/v1/definitions": "get post",
    "/v1/definitions/{name}": "get",
    "/v1/instances": "get post",
    "/v1/instances/{run_id}": "get",
    "/v1/instances/{run_id}/history": "get",
    "/v1/instances/{run_id}/cancel": "post",
    "/v1/jobs/poll": "post",
}
"""The routes that an integrator meets first: their bodies and answers have examples."""


ACCEPTED = """
post /api/v1/workflows 201
post /api/v1/workflows/{name}/publish 201
post /api/v1/runs 201
post /api/v1/runs/{run_id}/signals 202
post /api/v1/jobs/poll 200
post /api/v1/jobs/{job_id}/complete 200
get /api/v1/tasks/{task_id} 200
post /api/v1/tasks/{task_id}/complete 200
post /api/v1/webhooks 201
post /v1/definitions 201
post /v1/instances 201
post /v1/jobs/poll 200
get /v1/instances/{run_id}/history 200
post /v1/instances/{run_id}/cancel 200
"""
"""In this order the requests are accepted, each with what the answers before it named."""


@pytest.fixture(scope="module")
def document():
    return json.loads(json.dumps(SchemaGenerator().get_schema(public=True), default=str))


@pytest.fixture(scope="module")
def checks(document):
    """A function that checks a value against a schema, which here allows no field that it does not name."""
    strict = copy.deepcopy(document)
    for schema in strict["components"]["schemas"].values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    whole = Resource.from_contents(strict, default_specification=DRAFT202012)
    registry = Registry().with_resource("urn:openapi", whole)

    def check(schema, value):
        own = json.loads(json.dumps(schema).replace('"#/', '"urn:openapi#/'))
        return [
            f"{error.json_path}: {error.message}"
            for error in Draft202012Validator(
                own, registry=registry, format_checker=FormatChecker()
            ).iter_errors(value)
        ]

    return check


def example_of(document, part):
    """The schema and the example of a body; (None, None) where it has none."""
    content = part.get("content", {}).get("application/json", {})
    named = content.get("examples", {}).get("example")
    if named is None:
        return None, None
    name = named["$ref"].rpartition("/")[2]
    return content["schema"], document["components"]["examples"][name]["value"]


def parts_of(operation):
    yield "request", operation.get("requestBody", {})
    yield from operation["responses"].items()


def test_every_example_fits_its_schema_to_the_letter(document, checks):
    found, wrong = set(), {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            for what, part in parts_of(operation):
                schema, example = example_of(document, part)
                if schema is not None:
                    found.add(f"{method} {path}")
                    if errors := checks(schema, example):
                        wrong[f"{method} {path} {what}"] = errors
    assert wrong == {}
    assert len(found) >= len(SHOWN)


def test_the_routes_that_are_met_first_have_examples_of_bodies_and_answers(document):
    for path, methods in SHOWN.items():
        for method in methods.split():
            operation = document["paths"][path][method]
            wanted = [
                part
                for what, part in parts_of(operation)
                if (what == "request" or what.startswith("2")) and part.get("content")
            ]
            assert wanted, path
            assert all(example_of(document, part)[0] for part in wanted), (method, path)


def test_no_example_is_left_unused(document):
    written = {name for examples in examples_of_apps() for name in examples}
    used = set(document["components"]["examples"])
    rows = {name.removesuffix("Page") for name in used if name.endswith("Page")}
    assert written - used - rows == set()
    assert "DeadLetterPage" in used


@pytest.mark.django_db
def test_the_requests_are_accepted_as_they_are_shown(document, people):
    clients = {role: people.client(role) for role in ("admin", "worker", "approver")}
    ids = {"name": "expense_claim"}
    for line in ACCEPTED.split("\n")[1:-1]:
        method, path, status = line.split()
        operation = document["paths"][path][method]
        _, body = example_of(document, operation.get("requestBody", {}))
        if body and "lease_token" in body:
            body = body | {"lease_token": ids["lease_token"]}
        role = "worker" if "/jobs/" in path else "approver" if "/tasks/" in path else "admin"
        answer = getattr(clients[role], method)(path.format(**ids), body, format="json")
        assert answer.status_code == int(status), (line, answer.content)
        _, shown = example_of(document, operation["responses"][status])
        assert set(answer.json()) - {"warnings"} == set(shown), line
        make.work()
        ids |= named(path, answer.json())


def named(path, answer):
    """The ids of an answer, as later addresses call them."""
    if path in ("/api/v1/runs", "/v1/instances"):
        return {"run_id": answer["id"]}
    if path == "/api/v1/jobs/poll":
        job = answer["jobs"][0]
        return {"job_id": job["id"], "lease_token": job["lease_token"]}
    if path.endswith("/complete"):
        return {"task_id": str(ManualTask.unsafe_all_tenants.get().pk)}
    return {}
