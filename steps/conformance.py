"""What must hold for a step type: what is built in is tested by these rules, and plug-ins are let in by them."""

import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import get_args

import jsonschema
from pydantic import BaseModel, ValidationError

from engine.catalogue import Json, Kind, OnError
from engine.errors import StepError
from engine.retry import PRESETS
from lib.forms.hints import WIDGETS
from lib.forms.shapes import whole
from steps.base import StepType, execute
from steps.limits import TYPE_NAME_CHARACTERS
from steps.problems import sentence_of

_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")
_SENTENCE_ENDS = (".", "…", "?")
_PYDANTIC_LIMITS = frozenset({"ge", "le", "gt", "lt"})
_LEAST_DESCRIPTION_CHARS = 11

Rule = Callable[[StepType], Iterator[str]]


def problems_of(step_type: StepType, rules: Iterable[Rule] | None = None) -> list[str]:
    """What is wrong with the type by these rules (all of them by default), a sentence each; empty where all is well.

    With `AT_START`: what keeps it out of the catalogue. No step is run for that, and it takes a millisecond.
    """
    problems: list[str] = []
    for rule in RULES if rules is None else rules:
        # The type's own models and functions are called here, and may raise anything.
        try:
            problems += rule(step_type)
        except Exception as error:
            problems.append(f"{type(error).__name__}: {error}.")
    return problems


def has_a_name(step_type: StepType) -> Iterator[str]:
    """Words that can be written in a definition and in an address."""
    name = step_type.name
    if not (isinstance(name, str) and len(name) <= TYPE_NAME_CHARACTERS and _NAME.fullmatch(name)):
        yield f"The name {name!r} must be lower-case words divided by dots, such as `acme.wash`."


def has_a_face(step_type: StepType) -> Iterator[str]:
    """What the palette shows of it."""
    for name in ("title", "help", "icon", "group"):
        value = getattr(step_type, name)
        if not (isinstance(value, str) and value.strip()):
            yield f"`{name}` is empty."
    if not str(step_type.help).endswith(_SENTENCE_ENDS[0]):
        yield "`help` must be a sentence, with its full stop."


def is_of_a_known_kind(step_type: StepType) -> Iterator[str]:
    """What workers and the engine go by."""
    for field, value, kinds in (
        ("kind", step_type.kind, get_args(Kind)),
        ("on_error", step_type.on_error, get_args(OnError)),
        ("retry", step_type.retry, tuple(PRESETS)),
    ):
        if value not in kinds:
            yield f"`{field}` must be one of {', '.join(kinds)}, not {value!r}."
    if step_type.kind in ("blocking", "external") and not step_type.has_side_effects:
        yield "what a worker waits for is others' work, or costs money: `has_side_effects` must be true."
    if not isinstance(step_type.lease_seconds, int) or step_type.lease_seconds < 1:
        yield "`lease_seconds` must be a whole number of at least 1."


def gives_schemas(step_type: StepType) -> Iterator[str]:
    """Of params, input and output; that of the output bears params that are not rendered yet, or are not there."""
    example = step_type.example
    for part in ("params", "input"):
        if part not in example:
            yield f"`example` has no {part}."
    unrendered = dict.fromkeys(step_type.params_schema.get("properties", {}), "{{ input.x }}")
    for params in (example["params"], unrendered, {}):
        schema = step_type.output_schema(params)
        if not (schema is None or isinstance(schema, dict)):
            yield "`output_schema_of` must give a JSON Schema, or None where it is not known."


def has_params_that_round_trip(step_type: StepType) -> Iterator[str]:
    """What a form sends back is what it was given."""
    model = step_type.params_model
    try:
        params = model.model_validate(step_type.example["params"])
        same = (
            model.model_validate(params.model_dump()),
            model.model_validate_json(params.model_dump_json()),
        )
    except ValidationError as error:
        yield f"The example's params: {sentence_of(error, 'params')[1]}"
        return
    if any(each != params for each in same):
        yield "The params change when they are written as JSON and read again."
    if step_type.kind != "external" and model.model_config.get("extra") != "forbid":
        yield f"{model.__name__} must derive from Params: unknown params are to be refused."


def has_params_that_a_form_can_show(step_type: StepType) -> Iterator[str]:
    """A title, a sentence of help, a widget and limits for each param, also of objects within."""
    for model in _models_within(step_type.params_model):
        for name, field in model.model_fields.items():
            about = field.description or ""
            if "_" in (field.title or "_"):
                yield f"{model.__name__}.{name} needs a title for people."
            if len(about) < _LEAST_DESCRIPTION_CHARS or about[0].islower() or about[-1] not in _SENTENCE_ENDS:
                yield f"{model.__name__}.{name} needs a description: a sentence."
    for name, schema in _properties_within(step_type.params_schema):
        if schema["x-widget"] not in WIDGETS:
            yield f"The param {name} has an unknown widget: {schema['x-widget']}."
        elif (schema["x-widget"] == "select") != ("enum" in whole(step_type.params_schema, schema)):
            yield f"The param {name}: the widget `select` belongs to a choice of fixed values."
        if _PYDANTIC_LIMITS & set(schema):
            yield f"The param {name} has limits that JSON Schema does not know."


def has_valid_schemas(step_type: StepType) -> Iterator[str]:
    """Schemas are JSON Schemas, and the example fits them."""
    params, value = step_type.example["params"], step_type.example["input"]
    yield from _misfits("params", step_type.params_schema, params)
    if (schema := step_type.input_schema) is not None:
        yield from _misfits("input", schema, value)
    if (schema := step_type.output_schema(params)) is not None:
        jsonschema.Draft202012Validator.check_schema(schema)


def works_on_its_example(step_type: StepType) -> Iterator[str]:
    """What computes alone gives what it says, and the same again; what asks others is for its own tests."""
    if step_type.kind not in ("inline", "engine"):
        return
    params, value = step_type.example["params"], step_type.example["input"]
    outputs = []
    for _ in range(2):
        example = deepcopy((dict(params), value))
        try:
            output = execute(step_type, *example, run_id="r", node="n", attempt=1, idempotency_key="r:n")
        except StepError as error:
            if step_type.fails and error.code not in ("BadParams", "BadInput"):
                return
            yield f"The example ends with {error.code}: {error.message}"
            return
        outputs.append(deepcopy(output))
        if example != (params, value):
            yield "The step changes its params or its input."
    if step_type.fails:
        yield "The example does not fail, though `fails` says so."
    if outputs[0] != outputs[1]:
        yield "The step gives something else the second time."
    if (schema := step_type.output_schema(params)) is not None:
        yield from _misfits("output", schema, outputs[0])


AT_START: tuple[Rule, ...] = (
    has_a_name,
    has_a_face,
    is_of_a_known_kind,
    gives_schemas,
    has_params_that_round_trip,
    has_params_that_a_form_can_show,
)
RULES: tuple[Rule, ...] = (*AT_START, has_valid_schemas, works_on_its_example)


def _misfits(what: str, schema: dict[str, Json], value: Json) -> Iterator[str]:
    jsonschema.Draft202012Validator.check_schema(schema)
    error = next(jsonschema.Draft202012Validator(schema).iter_errors(value), None)
    if error is not None:
        yield f"The example's {what} does not fit its schema: {error.message}"


def _models_within(model: type[BaseModel]) -> list[type[BaseModel]]:
    """The model of some params, and those of the objects in them."""
    models: dict[type[BaseModel], None] = {}
    pending: list[object] = [model]
    while pending:
        here = pending.pop()
        if isinstance(here, type) and issubclass(here, BaseModel) and here not in models:
            models[here] = None
            pending += [field.annotation for field in here.model_fields.values()]
        pending += get_args(here)
    return list(models)


def _properties_within(schema: dict[str, Json]) -> Iterator[tuple[str, dict[str, Json]]]:
    for part in (schema, *schema.get("$defs", {}).values()):
        for name, described in part.get("properties", {}).items():
            yield name, described
            yield from ((name, choice) for choice in described.get("anyOf", ()) if "x-widget" in choice)
