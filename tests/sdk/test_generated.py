"""The models and routes of the SDK are those of the OpenAPI document."""

import importlib.util
import inspect

import pytest

from handoff_sdk import AsyncClient, Client, routes
from tests.serving import ROOT

SDK = ROOT / "sdks" / "python"


@pytest.fixture(scope="module")
def generate():
    """The generator, which is no package."""
    spec = importlib.util.spec_from_file_location("sdk_generate", SDK / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def document(client, db):
    return client.get("/api/v1/schema").json()


@pytest.mark.parametrize("name", ["models", "routes"])
def test_what_is_generated_is_what_the_document_says(generate, document, name):
    """After a change of the API: manage.py spectacular --format openapi-json | python sdks/python/generate.py"""
    made = generate.formatted(getattr(generate, name)(generate.ours(document)))
    assert made == (SDK / "src" / "handoff_sdk" / f"{name}.py").read_text()


def test_every_operation_has_a_function(generate, document):
    paths = generate.ours(document)["paths"]
    operations = {operation["operationId"] for methods in paths.values() for operation in methods.values()}
    made = {name for name, function in vars(routes).items() if inspect.isfunction(function)}
    assert operations == made - {"given", "path"}


def test_both_clients_can_do_the_same():
    def of(kind):
        found = inspect.getmembers(kind, inspect.isfunction)
        return {
            name: list(inspect.signature(one).parameters) for name, one in found if not name.startswith("_")
        }

    blocking, awaited = of(Client), of(AsyncClient)
    awaited.pop("answer")
    assert awaited == blocking
    assert len(blocking) > 20
