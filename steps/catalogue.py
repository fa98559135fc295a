"""Every step type: an explicit list, plus what installed packages offer as entry points `handoff.steps`."""

from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from steps.base import StepType
from steps.decision import DECISION
from steps.email_send import EMAIL_SEND
from steps.http_request import HTTP_REQUEST
from steps.human import HUMAN_APPROVAL, HUMAN_FORM
from steps.job import JOB
from steps.llm_prompt import LLM_PROMPT
from steps.noop import NOOP
from steps.signal import SIGNAL
from steps.stub import TEST_STUB
from steps.text.clean import TEXT_CLEAN
from steps.text.keywords import TEXT_KEYWORDS
from steps.text.summarize import TEXT_SUMMARIZE
from steps.text.tag import TEXT_TAG
from steps.text.translate import TEXT_TRANSLATE
from steps.transform import TRANSFORM
from steps.wait import WAIT

GROUP = "handoff.steps"
GROUP_TITLES: Mapping[str, str] = {
    "text": "Texts",
    "ai": "Language models",
    "integration": "Other systems",
    "data": "Data",
    "flow": "Flow",
    "people": "People",
}
"""The groups of the built-in types as people read them; an installed package may bring others."""
TEXT_GROUPS = ("text", "ai")
"""Of the step types that take a text and give one: these can be chained as they are."""
BUILT_IN = (
    TEXT_CLEAN,
    TEXT_SUMMARIZE,
    TEXT_KEYWORDS,
    TEXT_TAG,
    TEXT_TRANSLATE,
    LLM_PROMPT,
    HTTP_REQUEST,
    EMAIL_SEND,
    TRANSFORM,
    DECISION,
    WAIT,
    SIGNAL,
    HUMAN_APPROVAL,
    HUMAN_FORM,
    JOB,
    NOOP,
)


class CatalogueError(Exception):
    """An installed package offers something that is no step type, or takes a name that is in use."""


def build(built_in: Iterable[StepType], offered: Iterable[EntryPoint]) -> Mapping[str, StepType]:
    """Name to step type. Raises CatalogueError, naming the entry point, rather than leave one out."""
    catalogue = {step_type.name: step_type for step_type in built_in}
    for entry in sorted(offered, key=lambda entry: entry.name):
        step_type = _loaded(entry)
        if step_type.name in catalogue:
            raise CatalogueError(f"The entry point {entry.value} offers `{step_type.name}`, which is taken.")
        catalogue[step_type.name] = step_type
    return MappingProxyType(catalogue)


def group_title(group: str) -> str:
    """A group as people read it."""
    return GROUP_TITLES.get(group) or group.replace("_", " ").capitalize()


def _loaded(entry: EntryPoint) -> StepType:
    try:
        step_type = entry.load()
    except Exception as error:
        raise CatalogueError(f"The entry point {entry.value} cannot be loaded: {error}") from error
    if not isinstance(step_type, StepType):
        raise CatalogueError(f"The entry point {entry.value} is no StepType.")
    return step_type


CATALOGUE = build(BUILT_IN, entry_points(group=GROUP))

ALL_TYPES: Mapping[str, StepType] = MappingProxyType({**CATALOGUE, TEST_STUB.name: TEST_STUB})
"""With what only test runs have: no palette shows it, and no definition that is published may name it."""
