"""What the builder's forms are made of: step types and the schema of a definition."""

import jsonschema
import pytest

from lib.forms.hints import WIDGETS
from steps.catalogue import CATALOGUE

pytestmark = pytest.mark.django_db
PARTS = ("node", "edge", "settings", "retry", "compensation", "boundary_timer")


def test_the_step_types_come_in_the_catalogues_order_with_all_that_a_palette_shows(api):
    answer = api.get("/api/v1/step-types")
    assert answer.status_code == 200
    results = answer.json()["results"]
    assert [found["name"] for found in results] == list(CATALOGUE)
    request = next(found for found in results if found["name"] == "http.request")
    assert request["title"] == "HTTP request"
    assert request["group_title"] == "Other systems"
    assert request["has_side_effects"] is True
    assert request["read_only_params"] == {"method": ["GET", "HEAD"]}
    assert request["waits"] is False
    assert request["default_queue"] == "blocking"
    assert request["params_schema"]["properties"]["url"]["title"] == "Address"
    assert set(request["output_schema"]["properties"]) == {"status", "headers", "body"}
    job = next(found for found in results if found["name"] == "job")
    assert (job["default_queue"], job["waits"], job["input_schema"]) == (None, True, None)
    assert job["read_only_params"] == {}
    # A type that has side effects with some choices of a param alone tells the others.
    summary = next(found for found in results if found["name"] == "text.summarize")
    assert (summary["has_side_effects"], summary["read_only_params"]) == (False, {"llm": [False]})
    assert [found["name"] for found in results if found["has_rounds"]] == ["loop"]


def test_every_part_of_a_definition_has_a_schema_with_titles_help_and_widgets(api):
    parts = api.get("/api/v1/definition-schema").json()
    for part in PARTS:
        jsonschema.Draft202012Validator.check_schema(parts[part])
        for schema in (parts[part], *parts[part].get("$defs", {}).values()):
            for name, described in schema.get("properties", {}).items():
                assert described.get("title"), (part, name)
                assert described.get("description", "").endswith("."), (part, name)
                assert described["x-widget"] in WIDGETS, (part, name)


def test_the_settings_are_what_stands_beside_nodes_and_edges(api):
    parts = api.get("/api/v1/definition-schema").json()
    assert "nodes" not in parts["settings"]["properties"]
    assert parts["settings"]["required"] == ["name"]
    assert parts["edge"]["required"] == ["from", "to"]
    assert parts["retry_presets"]["seed"]["max_retries"] == 3
