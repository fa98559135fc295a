"""The OpenAPI document and its page."""

import pytest
from django.contrib.staticfiles import finders
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from tests.api.authorisation_matrix import MATRIX, PUBLIC

pytestmark = pytest.mark.slow

DESCRIBED = [*MATRIX.values()]
ROCHALLOR = ("/v1/definitions", "/v1/instances", "/v1/jobs", "/v1/user-tasks")


@pytest.fixture
def document(client, db):
    GENERATOR_STATS.reset()
    answer = client.get("/api/v1/schema")
    assert answer.status_code == 200
    return answer.json()


def test_the_document_is_valid_openapi_without_a_warning(document):
    validate_schema(document)
    assert not GENERATOR_STATS


def test_every_route_of_the_api_is_described_with_its_errors(document):
    described = {
        (path.split("{")[0].rstrip("/").replace("/api/v1", ""), method.upper())
        for path, operations in document["paths"].items()
        for method in operations
    }
    wanted = {
        method
        for route in DESCRIBED
        for method, scope in route.methods.items()
        if scope != PUBLIC and not route.page
    }
    assert {method for _path, method in described} == wanted
    count = sum(scope != PUBLIC for route in DESCRIBED if not route.page for scope in route.methods.values())
    assert sum(len(operations) for operations in document["paths"].values()) == count
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert operation["responses"]["default"]["content"]["application/json"]
            ways = (
                [{"token": []}, {"basic": []}, {}]
                if path.startswith(ROCHALLOR)
                else [{"token": []}]
                if "/jobs/" in path or "/activities/" in path
                else [{"token": []}, {"session": []}]
            )
            assert operation["security"] == ways


def test_the_rochallor_api_has_errors_of_its_own(document):
    own = "#/components/schemas/RochallorError"
    for path, operations in document["paths"].items():
        for operation in operations.values():
            error = operation["responses"]["default"]["content"]["application/json"]["schema"]["$ref"]
            assert (error == own) == path.startswith(ROCHALLOR), path


def test_the_page_loads_nothing_from_elsewhere_and_runs_no_inline_script(client):
    answer = client.get("/api/docs")
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "://" not in answer.text
    assert "<script>" not in answer.text
    assert "style=" not in answer.text
    for name in ("swagger-ui.css", "swagger-ui-bundle.js"):
        assert finders.find(f"drf_spectacular_sidecar/swagger-ui-dist/{name}")
