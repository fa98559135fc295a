"""Every step type: an explicit list, plus what plug-ins offer as entry points `handoff.steps` (docs/plugins.md)."""

from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points
from types import MappingProxyType

from steps.base import StepType
from steps.bodies import PART_TYPE
from steps.decision import DECISION
from steps.decision_table.step import DECISION_TABLE
from steps.email_send import EMAIL_SEND
from steps.end import END
from steps.fail import FAIL
from steps.http_request import HTTP_REQUEST
from steps.human import HUMAN_APPROVAL, HUMAN_FORM
from steps.job import JOB
from steps.llm_prompt import LLM_PROMPT
from steps.loop import LOOP
from steps.map import MAP
from steps.noop import NOOP
from steps.parallel import JOIN, PARALLEL
from steps.plugins import GROUP, PlugIn, discover, in_groups
from steps.signal import SIGNAL
from steps.stub import TEST_STUB
from steps.subworkflow import SUBWORKFLOW
from steps.transform import TRANSFORM
from steps.wait import WAIT

GROUP_TITLES: Mapping[str, str] = {
    "text": "Texts",
    "ai": "Language models",
    "integration": "Other systems",
    "data": "Data",
    "flow": "Flow",
    "people": "People",
}
"""The groups as people read them, in the order in which they are shown; a plug-in may bring others."""
TEXT_GROUPS = ("text", "ai")
"""Of the step types that take a text and give one: these can be chained as they are."""
BUILT_IN = (
    LLM_PROMPT,
    HTTP_REQUEST,
    EMAIL_SEND,
    TRANSFORM,
    DECISION,
    DECISION_TABLE,
    PARALLEL,
    JOIN,
    WAIT,
    SIGNAL,
    MAP,
    LOOP,
    SUBWORKFLOW,
    HUMAN_APPROVAL,
    HUMAN_FORM,
    JOB,
    END,
    FAIL,
    NOOP,
)


def group_title(group: str) -> str:
    """A group as people read it."""
    return GROUP_TITLES.get(group) or group.replace("_", " ").capitalize()


def build(built_in: Iterable[StepType], plug_ins: Iterable[PlugIn]) -> Mapping[str, StepType]:
    """Name to step type, in the order in which they are shown."""
    types = [*built_in, *(step_type for plug_in in plug_ins for step_type in plug_in.types)]
    return MappingProxyType({step_type.name: step_type for step_type in in_groups(types, GROUP_TITLES)})


def extended(types: Mapping[str, StepType], more: Iterable[StepType]) -> Mapping[str, StepType]:
    """These step types and others after them."""
    return MappingProxyType({**types, **{step_type.name: step_type for step_type in more}})


OF_TESTS = (TEST_STUB,)
"""What only test runs have: no palette shows it, and no definition that is published may name it."""
OF_CONTAINERS = (PART_TYPE,)
"""What children of containers are that are runs of their own; no definition names it."""
RESERVED = (*BUILT_IN, *OF_TESTS, *OF_CONTAINERS)
"""Whose names no plug-in may take."""
PLUG_INS = discover(RESERVED, entry_points(group=GROUP))
"""What was found in the installed packages when this process started, with what is wrong with it."""

CATALOGUE = build(BUILT_IN, PLUG_INS)

ALL_TYPES = extended(CATALOGUE, OF_TESTS)
"""What the definition of a test run may name."""

EXECUTABLE = extended(ALL_TYPES, OF_CONTAINERS)
"""What the engine can run."""


def external_types() -> list[str]:
    """The names of the step types that external workers do."""
    return [name for name, step_type in EXECUTABLE.items() if step_type.kind == "external"]
