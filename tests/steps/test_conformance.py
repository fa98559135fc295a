"""What holds for every step type of the catalogue: a new one is tested here before its author writes a test."""

import copy
import re
from pathlib import Path
from typing import get_args

import jsonschema
import pytest
from pydantic import BaseModel

from engine.errors import StepError
from lib.form_hints import WIDGETS, plain_of
from steps.base import execute
from steps.catalogue import CATALOGUE

DOCS = (Path(__file__).parents[2] / "docs" / "steps.md").read_text()
KINDS = {"inline", "blocking", "external", "engine", "wait"}
NEVER_ITS_INPUT = [7, None, True, [], [1], {}, {"text": 7}, {"text": None}, {"text": ""}, "", " \n\t"]

executed = [step_type for step_type in CATALOGUE.values() if step_type.kind != "external"]
# What a blocking type gives depends on others' servers: its own tests run it.
alone = [step_type for step_type in executed if step_type.kind not in ("blocking", "wait")]
every_type_that_works_alone = pytest.mark.parametrize(
    "step_type", alone, ids=lambda step_type: step_type.name
)
every_executed_type = pytest.mark.parametrize("step_type", executed, ids=lambda step_type: step_type.name)
with_input = [step_type for step_type in executed if step_type.input_model]
every_picky_type = pytest.mark.parametrize("step_type", with_input, ids=lambda step_type: step_type.name)


def models_within(model):
    """The model of some params, and those of the objects in them."""
    found, pending = [], [model]
    while pending:
        here = pending.pop()
        if isinstance(here, type) and issubclass(here, BaseModel):
            found.append(here)
            pending += [field.annotation for field in here.model_fields.values()]
        pending += get_args(here)
    return found


def properties_within(schema):
    for part in (schema, *schema.get("$defs", {}).values()):
        for name, described in part.get("properties", {}).items():
            yield name, described
            yield from ((name, choice) for choice in described.get("anyOf", ()) if "x-widget" in choice)


def run(step_type, params, given):
    return execute(step_type, params, given, run_id="r", node="n", attempt=1, idempotency_key="r:n")


def section_of(name):
    found = re.search(rf"^## `{re.escape(name)}`$(.*?)(?=^## |\Z)", DOCS, re.MULTILINE | re.DOTALL)
    assert found, f"docs/steps.md has no section `{name}`"
    return found[1]


@pytest.mark.parametrize("name", CATALOGUE)
def test_it_is_listed_under_its_own_name(name):
    assert CATALOGUE[name].name == name


@pytest.mark.parametrize("step_type", CATALOGUE.values(), ids=CATALOGUE)
class TestEveryType:
    def test_it_has_a_face(self, step_type):
        assert step_type.kind in KINDS
        for shown in (step_type.title, step_type.help, step_type.icon, step_type.group):
            assert shown.strip()
        assert step_type.help.endswith(".")

    def test_its_params_survive_a_round_trip(self, step_type):
        params = step_type.params_model.model_validate(step_type.example["params"])
        assert step_type.params_model.model_validate(params.model_dump()) == params
        assert step_type.params_model.model_validate_json(params.model_dump_json()) == params

    def test_its_schemas_are_valid_and_fit_its_example(self, step_type):
        params, given = step_type.example["params"], step_type.example["input"]
        schemas = [(step_type.params_schema, params), (step_type.input_schema, given)]
        for schema, value in schemas:
            if schema is not None:
                jsonschema.Draft202012Validator.check_schema(schema)
                jsonschema.validate(value, schema)
        if (schema := step_type.output_schema(params)) is not None:
            jsonschema.Draft202012Validator.check_schema(schema)

    def test_its_output_schema_bears_unrendered_params(self, step_type):
        unrendered = dict.fromkeys(step_type.params_schema.get("properties", {}), "{{ input.x }}")
        step_type.output_schema(unrendered)
        assert step_type.output_schema({}) is None or isinstance(step_type.output_schema({}), dict)

    def test_it_is_documented_with_each_param(self, step_type):
        section = section_of(step_type.name)
        for param in step_type.params_schema.get("properties", {}):
            assert f"`{param}`" in section, f"{step_type.name}: {param}"
        for said in ("Input:", "Output:", "```json"):
            assert said in section

    def test_each_param_has_a_title_that_somebody_wrote_and_a_sentence_of_help(self, step_type):
        for model in models_within(step_type.params_model):
            for name, field in model.model_fields.items():
                place = f"{step_type.name}: {model.__name__}.{name}"
                assert "_" not in (field.title or "_"), place
                assert len(field.description or "") > 10, place
                assert not field.description[0].islower(), place
                assert field.description[-1] in ".…?", place

    def test_each_param_says_which_widget_a_form_shows_for_it(self, step_type):
        for name, schema in properties_within(step_type.params_schema):
            assert schema["x-widget"] in WIDGETS, f"{step_type.name}: {name}"
            assert (schema["x-widget"] == "select") == ("enum" in plain_of(schema, step_type.params_schema))

    def test_the_limits_of_its_numbers_are_those_of_json_schema(self, step_type):
        for name, schema in properties_within(step_type.params_schema):
            assert not {"ge", "le", "gt", "lt"} & set(schema), f"{step_type.name}: {name}"

    def test_what_waits_or_reaches_others_says_so(self, step_type):
        assert step_type.waits == (step_type.kind in ("wait", "external"))
        if step_type.kind in ("blocking", "external"):
            assert step_type.has_side_effects, "what a worker waits for is others' work, or costs money"

    def test_it_has_a_queue_unless_others_do_its_work(self, step_type):
        assert (step_type.default_queue is None) == (step_type.kind == "external")


@every_type_that_works_alone
class TestEveryTypeThatWorksAlone:
    def test_its_example_works_and_fits_its_output_schema(self, step_type):
        params, given = step_type.example["params"], step_type.example["input"]
        output = run(step_type, params, given)
        schema = step_type.output_schema(params)
        if schema is not None:
            jsonschema.validate(output, schema)

    def test_it_is_pure(self, step_type):
        params, given = (
            copy.deepcopy(dict(step_type.example["params"])),
            copy.deepcopy(step_type.example["input"]),
        )
        first = copy.deepcopy(run(step_type, params, given))
        assert run(step_type, params, given) == first
        assert params == step_type.example["params"]
        assert given == step_type.example["input"]

    def test_evaluating_is_executing(self, step_type):
        params, given = step_type.example["params"], step_type.example["input"]
        assert step_type.evaluate(params, given) == run(step_type, params, given)


@every_executed_type
def test_unknown_params_are_refused_by_name(step_type):
    with pytest.raises(StepError, match="`colour`") as refused:
        run(step_type, {**step_type.example["params"], "colour": "red"}, step_type.example["input"])
    assert (refused.value.code, refused.value.retryable) == ("BadParams", False)


@every_picky_type
@pytest.mark.parametrize("given", NEVER_ITS_INPUT, ids=repr)
def test_bad_input_is_refused_with_the_field_it_lacks(step_type, given):
    with pytest.raises(StepError) as refused:
        run(step_type, step_type.example["params"], given)
    assert (refused.value.code, refused.value.retryable) == ("BadInput", False)
    required = step_type.input_model.model_json_schema()
    assert refused.value.details["field"] in str(required)
    assert f"`{refused.value.details['field']}`" in refused.value.message


@every_picky_type
@pytest.mark.parametrize("given", [7, None, True, [], {}, {"text": 7}, {"text": ""}, ""], ids=repr)
def test_what_the_step_refuses_its_schema_refuses_too(step_type, given):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(given, step_type.input_schema)


def test_the_documentation_has_no_type_that_is_not_there():
    documented = set(re.findall(r"^## `([^`]+)`$", DOCS, re.MULTILINE))
    assert documented == set(CATALOGUE)
