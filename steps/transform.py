"""transform: puts an object together from expressions."""

from collections.abc import Mapping

from pydantic import Field

from engine.catalogue import Json
from engine.errors import StepError
from steps.base import Params, StepContext, StepType
from steps.problems import kind_of

HOLE = "{{"
SCHEMA_TYPES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}


class TransformParams(Params):
    """`set`: the keys of the output with their values."""

    set: dict[str, Json] = Field(
        title="Values", description="The names of the output with their values; a value may be an expression."
    )
    keep_input: bool = Field(False, title="Keep the input", description="Keep the other values of the input.")


def run(context: StepContext) -> Json:
    """The object set, over the input with `keep_input`. Raises StepError BadInput if that is no object."""
    params: TransformParams = context.params
    if not params.keep_input:
        return params.set
    if not isinstance(context.input, dict):
        message = f"`input` must be an object to be kept, but is {kind_of(context.input)}."
        raise StepError("BadInput", message, details={"field": "input"})
    return {**context.input, **params.set}


def output_schema(params: Mapping[str, Json]) -> dict[str, Json]:
    """The keys that `set` names, with the types of values that are literally there (R-014)."""
    keys = params.get("set")
    if not isinstance(keys, dict):
        return {"type": "object"}
    return {
        "type": "object",
        "properties": {key: _schema_of(value) for key, value in keys.items()},
        "required": sorted(keys),
        "additionalProperties": params.get("keep_input", False) is not False,
    }


def _schema_of(value: Json) -> dict[str, Json]:
    if isinstance(value, str) and HOLE in value:
        whole = value.strip().startswith(HOLE) and value.count(HOLE) == 1 and value.strip().endswith("}}")
        return {} if whole else {"type": "string"}
    return {"type": SCHEMA_TYPES[type(value)]}


TRANSFORM = StepType(
    name="transform",
    kind="engine",
    title="Set values",
    help="Builds an object from fixed values and expressions.",
    keywords="set variable assign map code compute calculate format fields json expression build rename script",
    icon="braces",
    group="data",
    example={
        "params": {"set": {"text": "Dear Ada", "vip": True}, "keep_input": True},
        "input": {"customer": "Ada"},
    },
    params_model=TransformParams,
    run=run,
    output_schema_of=output_schema,
)
