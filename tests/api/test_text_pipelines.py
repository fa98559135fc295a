"""How many steps a text pipeline has (R-012): 2 to 4, by a setting."""

import pytest

from tests.definitions import chain

pytestmark = pytest.mark.django_db

API = "/api/v1/workflows"
TYPES = ["Clean Text", "Summarize", "Extract Keywords", "Tag Category"]


def configured(steps, name="digest"):
    return {"name": name, "configuration": (TYPES * 3)[:steps]}


@pytest.mark.parametrize("steps", [2, 4])
def test_a_configuration_of_2_to_4_text_steps_is_imported_and_published(api, steps):
    assert api.post(f"{API}/import", {"document": configured(steps)}).status_code == 201
    assert api.post(f"{API}/digest/publish", {}).status_code == 201


@pytest.mark.parametrize("steps", [1, 5, 12])
def test_fewer_or_more_are_refused_by_each_door(api, steps):
    document = configured(steps)
    message = f"A text pipeline has 2 to 4 steps; this one has {steps}."
    refused = api.post(f"{API}/import", {"document": document})
    error = refused.json()["error"]
    assert (refused.status_code, error["field"]) == (422, "document.configuration")
    assert error["message"].startswith(message)
    assert api.get(f"{API}/digest").status_code == 404

    problems = api.post(f"{API}/validate", {"definition": document}).json()["problems"]
    assert [(one["field"], one["severity"]) for one in problems] == [("configuration", "error")]

    assert api.post(API, {"name": "digest", "definition": document}).status_code == 201
    published = api.post(f"{API}/digest/publish", {})
    assert published.status_code == 422
    assert message in published.json()["error"]["details"]["problems"][0]["message"]


def test_an_empty_configuration_and_one_that_is_named_by_the_dialect_are_refused(api):
    for body in ({"document": configured(0)}, {"document": configured(5), "dialect": "configuration"}):
        assert api.post(f"{API}/import", body).status_code == 422


def test_the_setting_decides(api, settings):
    settings.HANDOFF_PIPELINE_STEPS = (1, 5)
    for steps in (1, 5):
        assert api.post(f"{API}/import", {"document": configured(steps, f"d{steps}")}).status_code == 201
    settings.HANDOFF_PIPELINE_STEPS = (3, 3)
    refused = api.post(f"{API}/import", {"document": configured(2)}).json()["error"]
    assert refused["message"].startswith("A text pipeline has exactly 3 steps; this one has 2.")


def test_other_workflows_may_have_any_number_of_steps(api):
    mixed = {"name": "mixed", "configuration": [*TYPES, "noop", "clean"]}
    for document in (mixed, chain("single"), chain("long", length=7)):
        assert api.post(f"{API}/import", {"document": document}).status_code == 201
