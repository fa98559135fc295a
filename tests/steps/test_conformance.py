"""What holds for every step type of the catalogue: a new one is tested here before its author writes a test."""

import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from pydantic import BaseModel, ValidationError

from engine.errors import StepError
from steps.base import execute
from steps.catalogue import BUILT_IN, PLUG_INS, build
from steps.conformance import RULES, problems_of

DOCS = (Path(__file__).parents[2] / "docs" / "steps.md").read_text()
NEVER_ITS_INPUT = [7, None, True, [], [1]]
# Of these a type may take some: fields may be left out, a text may be empty.
MAYBE_ITS_INPUT = [{}, {"text": 7}, {"text": None}, {"text": ""}, ""]
BLANK = " \n\t"

# What else a developer has installed is tested by its author.
OURS = [plug_in for plug_in in PLUG_INS if plug_in.entry_point == "handoff_text:STEP_TYPES"]
CATALOGUE = build(BUILT_IN, OURS)
executed = [step_type for step_type in CATALOGUE.values() if step_type.kind != "external"]
# What a blocking type gives depends on others' servers: its own tests run it.
alone = [one for one in executed if one.kind not in ("blocking", "wait") and not one.fails]
every_type_that_works_alone = pytest.mark.parametrize(
    "step_type", alone, ids=lambda step_type: step_type.name
)
every_executed_type = pytest.mark.parametrize("step_type", executed, ids=lambda step_type: step_type.name)
with_input = [step_type for step_type in executed if step_type.input_model]
every_picky_type = pytest.mark.parametrize("step_type", with_input, ids=lambda step_type: step_type.name)


def run(step_type, params, given):
    return execute(step_type, params, given, run_id="r", node="n", attempt=1, idempotency_key="r:n")


def is_refused(step_type, given):
    try:
        step_type.input_model.model_validate(given)
    except ValidationError:
        return True
    return False


def is_refused_by_schema(step_type, given):
    return not jsonschema.Draft202012Validator(step_type.input_schema).is_valid(given)


def bad_inputs(step_type):
    """What this type must refuse: what is no input of any, and of the others what its schema or model forbids."""
    maybe = [given for given in MAYBE_ITS_INPUT if is_refused_by_schema(step_type, given)]
    return [*NEVER_ITS_INPUT, *maybe, *([BLANK] if is_refused(step_type, BLANK) else [])]


def section_of(name):
    found = re.search(rf"^## `{re.escape(name)}`$(.*?)(?=^## |\Z)", DOCS, re.MULTILINE | re.DOTALL)
    assert found, f"docs/steps.md has no section `{name}`"
    return found[1]


@pytest.mark.parametrize("name", CATALOGUE)
def test_it_is_listed_under_its_own_name(name):
    assert CATALOGUE[name].name == name


@pytest.mark.parametrize("step_type", CATALOGUE.values(), ids=CATALOGUE)
class TestEveryType:
    @pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
    def test_it_keeps_the_rules_that_hold_for_every_step_type(self, step_type, rule):
        assert problems_of(step_type, [rule]) == []

    def test_it_is_documented_with_each_param(self, step_type):
        section = section_of(step_type.name)
        for param in step_type.params_schema.get("properties", {}):
            assert f"`{param}`" in section, f"{step_type.name}: {param}"
        for said in ("Input:", "Output:", "```json"):
            assert said in section

    def test_what_waits_or_reaches_others_says_so(self, step_type):
        assert step_type.waits == (step_type.kind in ("wait", "external"))

    def test_it_has_a_queue_unless_others_do_its_work(self, step_type):
        assert (step_type.default_queue is None) == (step_type.kind == "external")


@every_type_that_works_alone
class TestEveryTypeThatWorksAlone:
    def test_evaluating_is_executing(self, step_type):
        params, given = step_type.example["params"], step_type.example["input"]
        assert step_type.evaluate(params, given) == run(step_type, params, given)


@every_executed_type
def test_unknown_params_are_refused_by_name(step_type):
    with pytest.raises(StepError, match="`colour`") as refused:
        run(step_type, {**step_type.example["params"], "colour": "red"}, step_type.example["input"])
    assert (refused.value.code, refused.value.retryable) == ("BadParams", False)


@pytest.mark.parametrize(
    ("step_type", "given"),
    [(step_type, given) for step_type in with_input for given in bad_inputs(step_type)],
    ids=lambda value: getattr(value, "name", None) or repr(value),
)
def test_bad_input_is_refused_with_the_field_it_lacks(step_type, given):
    with pytest.raises(StepError) as refused:
        run(step_type, step_type.example["params"], given)
    assert (refused.value.code, refused.value.retryable) == ("BadInput", False)
    required = step_type.input_model.model_json_schema()
    assert refused.value.details["field"] in str(required)
    assert f"`{refused.value.details['field']}`" in refused.value.message


@every_picky_type
@pytest.mark.parametrize("given", [*NEVER_ITS_INPUT, *MAYBE_ITS_INPUT], ids=repr)
def test_what_the_step_refuses_its_schema_refuses_too(step_type, given):
    assert is_refused_by_schema(step_type, given) or not is_refused(step_type, given)


def test_a_type_may_take_an_empty_text():
    class AnyText(BaseModel):
        text: str

    lenient = replace(CATALOGUE["noop"], input_model=AnyText)
    assert {"text": ""} not in bad_inputs(lenient)
    assert {"text": None} in bad_inputs(lenient)


def test_the_documentation_has_no_type_that_is_not_there():
    documented = set(re.findall(r"^## `([^`]+)`$", DOCS, re.MULTILINE))
    assert documented == set(CATALOGUE)
