"""Clean, summarize, keywords, tag: each takes what the one before gives (R-014, R-063)."""

import html

import jsonschema
import pytest

from handoff_text import STEP_TYPES

TYPES = {step_type.name: step_type for step_type in STEP_TYPES}
CHAIN = ["text.clean", "text.summarize", "text.keywords", "text.tag"]
CATEGORIES = ["Politics", "Sport", "Umwelt", "Urban planning", "Finance"]


def params_of(name):
    return {"categories": CATEGORIES} if name == "text.tag" else {}


@pytest.mark.parametrize(
    ("name", "category", "keywords"),
    [
        ("english", "Urban planning", {"cities", "heat", "trees"}),
        ("german", "Umwelt", {"nasses Moor", "Kohlenstoff"}),
    ],
)
def test_an_article_goes_through_all_four(name, category, keywords, run_step, request):
    payload, outputs = {"text": f"<p>{html.escape(request.getfixturevalue(name))}</p>"}, {}
    for step in CHAIN:
        jsonschema.validate(payload, TYPES[step].input_schema)
        payload = outputs[step] = run_step(step, payload, **params_of(step))
        jsonschema.validate(payload, TYPES[step].output_schema(params_of(step)))
    assert outputs["text.summarize"]["sentences"] == 3
    assert keywords <= {entry["keyword"] for entry in outputs["text.keywords"]["keywords"]}
    assert outputs["text.tag"]["category"] == category


def test_each_text_step_promises_the_text_that_the_next_one_needs():
    for name in CHAIN:
        schema = TYPES[name].output_schema(params_of(name))
        assert "text" in schema["required"]
        assert schema["additionalProperties"] is False
