"""text.tag: which of the given categories a text belongs to; none where nothing speaks for one."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from handoff.steps import Json, Params, StepContext, StepType, kind_of, widget
from handoff_text import by_llm
from handoff_text.evidence import evidence_of, profile_of, shared
from handoff_text.source import LLM_HELP, LLM_TITLE, TextInput, TextOutput

# Below this a text holds a word or two of a category, as every longer text does of every category.
ENOUGH = 0.33
DIGITS = 4
# Broad topics that do not overlap; each is a topic whose words are built in (`topics.py`).
DEFAULT_CATEGORIES = (
    "Technology",
    "Science",
    "Health",
    "Politics",
    "Business",
    "Sport",
    "Culture",
    "Environment",
    "Education",
    "Travel",
    "Law",
    "Food",
)


class Category(BaseModel):
    """A category; description and examples are words that speak for it, beside those of its name."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str = Field(min_length=1, max_length=100, title="Name", description="What the category is called.")
    description: str | None = Field(
        None,
        max_length=5_000,
        title="What belongs there",
        description="Words that occur in texts of this category.",
        json_schema_extra=widget("textarea"),
    )
    examples: list[str] = Field(
        default_factory=list,
        max_length=100,
        title="Examples",
        description="Texts, or pieces of them, that belong to this category.",
    )

    @field_validator("name")
    @classmethod
    def _not_blank(cls, name: str) -> str:
        if not name.strip():
            raise PydanticCustomError("no_name", "is an empty name")
        return name


def _as_category(value: object) -> object:
    if isinstance(value, dict | Category):
        return value
    if not isinstance(value, str):
        message = "must be a name or an object with `name`, but is {kind}"
        raise PydanticCustomError("no_category", message, {"kind": kind_of(value)})
    return {"name": value}


def _default_categories() -> list[Category]:
    return [Category(name=name) for name in DEFAULT_CATEGORIES]


NamedCategory = Annotated[Category, BeforeValidator(_as_category, json_schema_input_type=str | Category)]


class TagParams(Params):
    """What to choose from."""

    categories: list[NamedCategory] = Field(
        default_factory=_default_categories,
        min_length=1,
        max_length=100,
        title="Categories",
        description="One category in each row. Describe what belongs there if the name alone does not. "
        f"Without any: {', '.join(DEFAULT_CATEGORIES)}.",
    )
    llm: bool = Field(False, title=LLM_TITLE, description=LLM_HELP)

    @field_validator("categories")
    @classmethod
    def _named_once(cls, categories: list[Category]) -> list[Category]:
        names = [category.name for category in categories]
        for name in names:
            if names.count(name) > 1:
                raise PydanticCustomError(
                    "repeated", "must have unique names, but {name} occurs twice", {"name": repr(name)}
                )
        return categories


class Tag(TextOutput):
    """The text as it came, the best category if there is evidence for one, and each category's score."""

    category: str | None
    scores: dict[str, float]


def run(context: StepContext) -> Json:
    """`{text, category, scores}`. Raises StepError where a language model is asked and doesn't help."""
    params: TagParams = context.params
    if params.llm:
        categories = [category.model_dump(exclude_defaults=True) for category in params.categories]
        scores = by_llm.scores(context, context.input.text, categories)
    else:
        scores = score(context.input.text, params.categories)
    # max takes the first of equals: the order of the list decides.
    best = max(scores, key=lambda name: scores[name])
    return {
        "text": context.input.text,
        "category": best if scores[best] >= ENOUGH else None,
        "scores": scores,
    }


def score(text: str, categories: Sequence[Category]) -> dict[str, float]:
    """Each category's score, 0..1."""
    evidence = evidence_of(text)
    profiles = shared(
        [
            profile_of(category.name, [category.description or "", *category.examples], evidence.language)
            for category in categories
        ]
    )
    return {
        category.name: round(evidence.score(profile), DIGITS)
        for category, profile in zip(categories, profiles, strict=True)
    }


TEXT_TAG = StepType(
    name="text.tag",
    kind="inline",
    title="Tag with a category",
    help="Finds which of your categories fits the text best, if any does, and passes the text on.",
    keywords="classify category label categorize sort route",
    icon="tag",
    group="text",
    example={
        "params": {
            "categories": [
                "Sport",
                "Politics",
                {"name": "Gardening", "examples": ["soil, seeds and watering"]},
            ]
        },
        "input": {"text": "The seeds need warm soil and regular watering, and the soil must never dry out."},
    },
    params_model=TagParams,
    input_model=TextInput,
    output_model=Tag,
    run=run,
    variant=by_llm.variant,
)
