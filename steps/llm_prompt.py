"""llm.prompt: a question to a language model, and its answer as text or as JSON of a given shape."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from engine.catalogue import Json
from engine.holes import has_holes
from engine.json_schema import schema_faults
from steps import llm_client
from steps.base import Params, StepContext, StepType, WholeNumber, not_blank, widget
from steps.limits import PROMPT_CHARACTERS


class PromptParams(Params):
    """The question, and what is known of the answer."""

    prompt: str = Field(
        min_length=1,
        max_length=PROMPT_CHARACTERS,
        title="Question",
        description="The prompt. The text is not added automatically: write {{ prev.text }} where it belongs.",
    )
    system: str | None = Field(
        None,
        max_length=PROMPT_CHARACTERS,
        title="Instructions",
        description="How the model should behave. Put no texts of others here: the model takes them for instructions.",
        json_schema_extra=widget("textarea"),
    )
    model: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        title="Model",
        description="Which model to ask. Empty: the one that an admin has set up.",
    )
    json_schema: dict[str, Json] | None = Field(
        None,
        title="Shape of the answer",
        description="For an answer in JSON instead of a text: the JSON Schema that it has to fit.",
        json_schema_extra=widget("schema"),
    )
    temperature: float | None = Field(
        None,
        ge=0,
        le=2,
        title="Variety",
        description="0 gives the likeliest answer each time; up to 2, answers vary more.",
    )
    max_tokens: WholeNumber | None = Field(
        None,
        ge=1,
        le=1_000_000,
        title="Tokens at most",
        description="How long the answer may be. A token is a word or a piece of one.",
    )

    _not_blank = field_validator("prompt")(not_blank)

    @field_validator("json_schema")
    @classmethod
    def _is_schema(cls, schema: dict[str, Json] | None) -> dict[str, Json] | None:
        for path, fault in schema_faults(schema, "") if schema is not None else ():
            where = f"{path}: " if path else ""
            raise PydanticCustomError("no_schema", "is no JSON Schema: {fault}", {"fault": where + fault})
        return schema


class Answer(BaseModel):
    """The answer where no schema is given."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str


def run(context: StepContext) -> Json:
    """`{text}`, or the JSON that fits `json_schema`. Raises StepError: see docs/steps.md."""
    params: PromptParams = context.params
    question = llm_client.Question(
        user=params.prompt,
        system=params.system,
        schema=params.json_schema,
        model=params.model,
        temperature=params.temperature,
        max_tokens=params.max_tokens,
        may_be_cut=params.json_schema is None and params.max_tokens is not None,
    )
    answer = llm_client.ask(context, question)
    return {"text": answer} if params.json_schema is None else answer


def output_schema_of(params: Mapping[str, Json]) -> dict[str, Json] | None:
    """The given schema, as far as it is known before the params are rendered."""
    schema = params.get("json_schema")
    if schema is None:
        return Answer.model_json_schema(mode="serialization")
    if not isinstance(schema, dict) or has_holes(schema) or any(schema_faults(schema, "")):
        return None
    return schema


LLM_PROMPT = StepType(
    name="llm.prompt",
    kind="blocking",
    title="Ask a language model",
    help="Sends a prompt to a language model. It answers with a text, or with JSON of the shape that you set.",
    keywords="ai gpt chatgpt claude model prompt llm generate summarize classify agent",
    icon="sparkles",
    group="ai",
    example={"params": {"prompt": "What is a good name for a black cat? One word."}, "input": {}},
    params_model=PromptParams,
    output_schema_of=output_schema_of,
    run=run,
    has_side_effects=True,
    needs="model",
    lease_seconds=llm_client.LEASE_SECONDS,
    timeout_seconds=llm_client.TIMEOUT_SECONDS,
    retry=llm_client.RETRY,
)
