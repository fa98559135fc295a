"""text.translate: a text in another language, by a language model."""

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from handoff import llm
from handoff.steps import Json, Params, StepContext, StepType
from handoff_text import by_llm
from handoff_text.source import TextInput, TextOutput

LanguageName = Annotated[
    str, StringConstraints(min_length=2, max_length=60, pattern=r"^[^\x00-\x1f]*\S[^\x00-\x1f]*$")
]


class TranslateParams(Params):
    """From which language into which."""

    # `from` is the param's name, and a word of Python.
    model_config = ConfigDict(serialize_by_alias=True)

    to: LanguageName = Field(title="Into", description="The language to translate into, such as German.")
    source: LanguageName | None = Field(
        None,
        alias="from",
        title="From",
        description="The language of the text. Empty: the model detects it.",
    )


def run(context: StepContext) -> Json:
    """`{text}`. Raises StepError: see docs/steps.md."""
    params: TranslateParams = context.params
    return {"text": by_llm.translation(context, context.input.text, params.to, params.source)}


TEXT_TRANSLATE = StepType(
    name="text.translate",
    kind="blocking",
    title="Translate",
    help="Translates the text with a language model.",
    keywords="language translation localize i18n",
    icon="languages",
    group="text",
    example={"params": {"to": "German"}, "input": {"text": "The trees cool the city."}},
    params_model=TranslateParams,
    input_model=TextInput,
    output_model=TextOutput,
    run=run,
    rewrites_text=True,
    has_side_effects=True,
    lease_seconds=llm.LEASE_SECONDS,
    timeout_seconds=llm.TIMEOUT_SECONDS,
    retry=llm.RETRY,
)
