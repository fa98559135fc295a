"""The pipeline form and the definition that it stands for, without any page."""

import pytest

from engine.validate import validate
from lib.forms.fields import each_of
from steps.catalogue import CATALOGUE
from workflows.pipeline import rules
from workflows.pipeline.rules import NotAPipeline, Pipeline, Step, fields_of, read_params

CHAIN = {
    "name": "news",
    "title": "News",
    "metadata": {"team": "desk"},
    "nodes": [
        {"id": "tidy", "type": "text.clean", "params": {"max_chars": 500}, "retry": "minutes"},
        {"id": "short", "type": "text.summarize", "params": {"sentences": 3}},
        {
            "id": "kind",
            "type": "text.tag",
            "params": {
                "categories": ["Sport", {"name": "Garden", "description": "soil", "examples": ["seeds"]}]
            },
        },
    ],
    "edges": [{"from": "tidy", "to": "short"}, {"from": "short", "to": "kind"}],
}
SCHEMA = {
    "properties": {
        "text": {"type": "string"},
        "prompt": {"type": "string", "maxLength": 9000},
        "count": {"type": "integer", "minimum": 1, "default": 3},
        "most": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "heat": {"type": "number"},
        "tidy": {"type": "boolean", "default": True},
        "mode": {"enum": ["short", "long"], "default": "short"},
        "words": {"type": "array", "items": {"type": "string"}},
        "set": {"type": "object"},
    },
    "required": ["text"],
}


def posted_of(pipeline: Pipeline) -> dict[str, list[str]]:
    """What a browser sends for the form as it is shown."""
    sent = {"title": [pipeline.title], "step": [step.key for step in pipeline.steps]}
    for step in pipeline.steps:
        sent |= {f"{step.key}.type": [step.type], f"{step.key}.shown": [step.type]}
        sent |= {f"{step.key}.id": [step.before["id"]], f"{step.key}.title": [step.title]}
        sent |= sent_fields(step.fields)
    return sent


def sent_fields(fields) -> dict[str, list[str]]:
    return {one.name: [one.text] for one in each_of(fields) if one.kind not in ("rows", "group")}


def read(sent, before):
    """The params that are read from these fields."""
    return read_params(SCHEMA, {name: texts[-1] for name, texts in sent.items()}, "p", before)


def again(params):
    """The params after they were shown and sent untouched."""
    return read(sent_fields(fields_of(SCHEMA, params, "p")), params)


def test_a_form_that_nobody_touched_gives_the_same_definition():
    form = rules.from_definition(CHAIN)
    sent = rules.from_posted(posted_of(form), CHAIN)
    assert rules.to_definition(sent, CHAIN, "news") == CHAIN


@pytest.mark.parametrize(
    "params",
    [
        {},
        {
            "text": "a\nb",
            "prompt": "x" * 400,
            "count": 3,
            "most": 7,
            "heat": 0.5,
            "tidy": False,
            "mode": "long",
        },
        {"words": ["a b", "c"], "set": {"a": [1]}, "most": None, "tidy": True},
        {"count": "{{ input.n }}", "tidy": "{{ input.tidy }}", "heat": "{{ input.heat }}"},
        {"count": "many", "words": "no list", "set": "no object", "mode": "other"},
        {"count": [1], "text": {"a": 1}, "words": [1, 2], "unknown": {"kept": True}},
    ],
)
def test_params_that_are_shown_and_sent_untouched_stay_as_they_are(params):
    assert again(params) == params


def test_what_was_typed_wrongly_stays_for_validate_to_judge():
    sent = {"text": ["\r\nhi\r\n"], "count": ["many"], "heat": ["1,5"], "set": ["{oops"]}
    assert read({f"p.params.{name}": texts for name, texts in sent.items()}, {"tidy": True}) == {
        "text": "\nhi\n",
        "count": "many",
        "heat": 1.5,
        "tidy": False,
        "set": "{oops",
    }


def test_a_field_says_what_its_schema_says():
    fields = {field.key: field for field in fields_of(CATALOGUE["text.clean"].params_schema, {}, "s1")}
    assert fields["strip_html"].label == "Remove HTML"
    assert (fields["strip_html"].kind, fields["strip_html"].text) == ("flag", "true")
    assert (fields["max_chars"].kind, fields["max_chars"].text) == ("integer", "")
    kinds = [field.kind for field in fields_of(SCHEMA, {}, "p")]
    assert kinds == ["text", "long", "integer", "integer", "number", "flag", "choice", "lines", "json"]


def test_every_text_step_has_a_form_without_json():
    for choice in rules.choices():
        kinds = {field.kind for field in Step("s1", choice.name, choice.example["params"]).fields}
        assert "json" not in kinds or choice.group == "ai", choice.name


def test_empty_rows_are_no_categories_and_a_bare_name_stays_bare():
    sent = {
        "s1.params.categories[0].name": "Sport",
        "s1.params.categories[1].name": "",
        "s1.params.categories[4].name": "Garden",
        "s1.params.categories[4].description": "soil",
        "s1.params.categories[4].examples": "seeds",
    }
    params = read_params(CATALOGUE["text.tag"].params_schema, sent, "s1", {})
    garden = {"name": "Garden", "description": "soil", "examples": ["seeds"]}
    assert params["categories"] == ["Sport", garden]


def test_problems_stand_at_the_field_or_step_or_form_they_belong_to():
    form = Pipeline(
        "t",
        steps=[
            Step("s1", "text.summarize", {"sentences": 99}),
            Step("s2", "text.tag", {"categories": [" "]}),
        ],
    )
    definition = rules.to_definition(form, {}, "bad name")
    form.show(validate(definition, CATALOGUE))
    (sentences, _llm), (categories, _) = (step.fields for step in form.steps)
    assert sentences.error.startswith("This must be")
    assert categories.error == "Row 1 is an empty name."
    assert "nodes" not in sentences.error + categories.error
    assert len(form.problems) == 1


def test_a_pipeline_without_steps_is_not_scolded():
    form = Pipeline("t")
    form.show(validate(rules.to_definition(form, {}, "t"), CATALOGUE))
    assert form.problems == []


@pytest.mark.parametrize(
    ("asked", "types"),
    [
        ("up:s2", ["text.summarize", "text.clean", "text.tag"]),
        ("up:s1", ["text.clean", "text.summarize", "text.tag"]),
        ("down:s2", ["text.clean", "text.tag", "text.summarize"]),
        ("down:s3", ["text.clean", "text.summarize", "text.tag"]),
        ("remove:s1", ["text.summarize", "text.tag"]),
        ("add:text.keywords", ["text.clean", "text.summarize", "text.tag", "text.keywords"]),
        ("add:no.such", ["text.clean", "text.summarize", "text.tag"]),
        ("up:nothing", ["text.clean", "text.summarize", "text.tag"]),
        ("", ["text.clean", "text.summarize", "text.tag"]),
    ],
)
def test_buttons_rearrange_the_steps(asked, types):
    form = rules.rearranged(rules.from_definition(CHAIN), asked)
    assert [step.type for step in form.steps] == types
    assert len({step.key for step in form.steps}) == len(types)


def test_another_type_makes_another_node():
    form = rules.from_definition(CHAIN)
    sent = posted_of(form) | {"s1.type": ["text.keywords"]}
    nodes = rules.to_definition(rules.from_posted(sent, CHAIN), CHAIN, "news")["nodes"]
    assert nodes[0] == {"id": "keywords", "type": "text.keywords"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"edges": [{"from": "tidy", "to": "short"}]}, "not one chain"),
        ({"edges": [*CHAIN["edges"], {"from": "kind", "to": "tidy"}]}, "not one chain"),
        ({"edges": [{"from": "tidy", "to": "short", "when": "true"}]}, "branches"),
        ({"edges": [*CHAIN["edges"], {"from": "tidy", "to": "kind"}]}, "branches"),
        ({"nodes": [{"id": "a", "type": "job"}], "edges": []}, "External job \\(a\\) is not a text step"),
        ({"nodes": [{"id": "a", "type": "text.clean", "join": "all"}], "edges": []}, "settings"),
        ({"nodes": [{"id": "a", "type": "text.clean", "params": 5}], "edges": []}, "settings"),
        ({"nodes": [{"type": "text.clean"}], "edges": []}, r"nodes\[0\].id: "),
        ({"nodes": 5}, "nodes: `nodes` is not a list"),
        ({"edges": [7]}, r"edges\[0\]: This is not an object"),
        ({"edges": [{"from": [], "to": {}}]}, r"edges\[0\].from: "),
    ],
)
def test_what_is_no_chain_of_text_steps_is_not_shown_as_one(change, why):
    with pytest.raises(NotAPipeline, match=why):
        rules.from_definition({**CHAIN, **change})


def test_the_order_is_that_of_the_edges():
    shuffled = {**CHAIN, "nodes": CHAIN["nodes"][::-1]}
    assert [step.before["id"] for step in rules.from_definition(shuffled).steps] == [
        "tidy",
        "short",
        "kind",
    ]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Täglicher Überblick!", "taeglicher-ueberblick"),
        ("  Café 2 ", "cafe-2"),
        ("日本", ""),
        ("a" * 200, "a" * 80),
    ],
)
def test_a_name_is_made_of_the_title(title, name):
    assert rules.name_of(title) == name
