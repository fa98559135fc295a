"""Step types: what an author of a plug-in needs to describe one and to say what went wrong."""

from engine.catalogue import Json
from engine.errors import StepError
from steps.base import NoParams, Params, StepContext, StepType, WholeNumber, execute, widget
from steps.limits import MAX_INPUT_BYTES, MAX_OUTPUT_BYTES
from steps.problems import kind_of

__all__ = [
    "MAX_INPUT_BYTES",
    "MAX_OUTPUT_BYTES",
    "Json",
    "NoParams",
    "Params",
    "StepContext",
    "StepError",
    "StepType",
    "WholeNumber",
    "execute",
    "kind_of",
    "widget",
]
