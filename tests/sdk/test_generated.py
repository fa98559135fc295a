"""The models and routes of the SDK are those of the server."""

import inspect
import os
import re
import runpy

import pytest

from handoff_sdk import client as blocking
from handoff_sdk import models, routes
from tests.serving import ROOT

SDK = ROOT / "sdks" / "python"


@pytest.fixture(scope="module")
def generate():
    """The generator, which is no package."""
    return runpy.run_path(str(SDK / "generate.py"))


@pytest.fixture
def document(client, db):
    return client.get("/api/v1/schema").json()


def test_the_document_is_that_of_the_server(generate, document):
    """After a change of the API: make api"""
    assert (SDK / "openapi.json").read_text() == generate["spelled"](document), "write it anew: make api"


def test_every_operation_and_every_schema_is_there(generate, document):
    ours = generate["ours"](document)
    operations = {
        operation["operationId"] for methods in ours["paths"].values() for operation in methods.values()
    }
    made = {name for name, function in vars(routes).items() if inspect.isfunction(function)}
    assert operations == made - {"path", "set_fields"}
    assert set(models.__all__) == set(ours["components"]["schemas"])


def test_what_is_older_than_the_document_is_written_anew(tmp_path):
    (tmp_path / "src" / "handoff_sdk").mkdir(parents=True)
    for name in ("generate.py", "openapi.json", "src/handoff_sdk/aio.py"):
        (tmp_path / name).write_bytes((SDK / name).read_bytes())
    module = tmp_path / "src" / "handoff_sdk" / "models.py"

    def refreshed():
        runpy.run_path(str(tmp_path / "generate.py"))["refresh"]()
        return module.read_text()

    assert refreshed() == (SDK / "src" / "handoff_sdk" / "models.py").read_text()
    module.write_text("kept")
    assert refreshed() == "kept"
    os.utime(module, (0, 0))
    assert refreshed() != "kept"


def test_the_client_that_blocks_awaits_nothing():
    source = inspect.getsource(blocking)
    assert re.findall("async|await", source) == []
    assert "class Client(Sender)" in source
