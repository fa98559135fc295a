"""Workflows in Python: what an author needs to write one (docs/definitions-as-code.md)."""

from steps.authoring.fields import UNSET, Compensation, NOf, Retry
from steps.authoring.printing import python_source
from steps.authoring.values import Value
from steps.authoring.workflow import Source, Step, Steps, Way, Workflow, WorkflowInvalid, prev, run, variables

__all__ = [
    "UNSET",
    "Compensation",
    "NOf",
    "Retry",
    "Source",
    "Step",
    "Steps",
    "Value",
    "Way",
    "Workflow",
    "WorkflowInvalid",
    "prev",
    "python_source",
    "run",
    "variables",
]
