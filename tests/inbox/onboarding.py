"""The shipped *Employee onboarding*, whose decisions are made in runs of another workflow."""

from engine.catalogue import Json
from tests import factories as make
from workflows.versions.examples import examples

GIVEN = {"person": "Lea Vogt", "starts_on": "2027-03-01"}


def shipped(name: str) -> dict[str, Json]:
    """The definition of a shipped example, under its own name."""
    return next(one.definition for one in examples() if one.name == name)


def onboarding(**change: Json) -> make.WorkflowVersion:
    """*Employee onboarding* and *Open an account*, published; `change`: of the definition of the first."""
    for definition in (shipped("open_account"), shipped("employee_onboarding") | change):
        version = make.VersionFactory(workflow__tenant=make.a_tenant(), workflow__draft_definition=definition)
        version.workflow.title = definition["title"]
        version.workflow.save()
    return version
