"""Rows of workflows: definitions as drafts, as versions and with their test cases."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from unittest.mock import patch

import factory
import orjson
from factory.django import DjangoModelFactory

from accounts.models import Tenant
from engine.catalogue import Catalogue, Json
from engine.ports import RULES
from lib.uuid7 import uuid7
from runs.kernel import graphs
from tests.factories.accounts import InOneStatement, TenantFactory, UserFactory, a_tenant, the_default_folder
from workflows.models import TestCase, Workflow, WorkflowVersion


@contextmanager
def not_compiling(version_id: int) -> Iterator[None]:
    """A version does not compile within: this host lacks one of its step types."""
    compile_all = graphs._compiled

    def compile_others(asked: int, catalogue: Catalogue) -> graphs.Compiled:
        if asked == version_id:
            raise graphs.BrokenVersion("no such step type")
        return compile_all(asked, catalogue)

    try:
        with patch.object(graphs, "_compiled", compile_others):
            forget_compiled()
            yield
    finally:
        forget_compiled()


def forget_compiled() -> None:
    """Compile versions anew when they are next asked for."""
    graphs.compiled.cache_clear()
    graphs.shown.cache_clear()


class WorkflowFactory(InOneStatement):
    """A workflow that is named as its draft is."""

    tenant = factory.SubFactory(TenantFactory)
    folder = factory.LazyAttribute(lambda workflow: the_default_folder(workflow.tenant))
    draft_definition = factory.LazyFunction(
        lambda: {"name": f"flow-{uuid7()[-12:]}", "nodes": [{"id": "a", "type": "noop"}], "edges": []}
    )
    name = factory.LazyAttribute(lambda workflow: workflow.draft_definition["name"])
    title = factory.LazyAttribute(lambda workflow: workflow.draft_definition.get("title", ""))
    draft_updated_by = factory.SubFactory(UserFactory, username="author")

    class Meta:
        model = Workflow


class VersionFactory(InOneStatement):
    """A version of a workflow, of its draft as it stands."""

    workflow = factory.SubFactory(WorkflowFactory)
    tenant = factory.SelfAttribute("workflow.tenant")
    number = 1
    definition = factory.LazyAttribute(lambda version: version.workflow.draft_definition)
    content_hash = factory.LazyAttribute(
        lambda version: sha256(orjson.dumps([version.number, version.definition])).hexdigest()
    )
    published_by = factory.SelfAttribute("workflow.draft_updated_by")

    class Meta:
        model = WorkflowVersion


class CaseFactory(DjangoModelFactory[TestCase]):
    """A test case of a workflow: it completes, whichever way it takes."""

    workflow = factory.SubFactory(WorkflowFactory)
    tenant = factory.SelfAttribute("workflow.tenant")
    name = "A paid order"
    input = factory.LazyFunction(dict)
    expect = factory.LazyFunction(lambda: {"status": "COMPLETED", "path": None})
    created_by = factory.SubFactory(UserFactory, username="author")

    class Meta:
        model = TestCase


def a_version(
    definition: Mapping[str, Json], *, tenant: Tenant | None = None, rules: int = RULES
) -> WorkflowVersion:
    """The definition published under a name of its own, by these rules."""
    draft = {**definition, "name": f"{definition['name']}-{uuid7()[-12:]}"}
    return VersionFactory(
        workflow__tenant=tenant or a_tenant(), workflow__draft_definition=draft, rules=rules
    )


def a_workflow(name: str, definition: Mapping[str, Json], *, tenant: Tenant | None = None) -> Workflow:
    """A workflow with this draft, not published."""
    return WorkflowFactory(tenant=tenant or a_tenant(), name=name, draft_definition=dict(definition))


def next_version(workflow: Workflow, definition: Mapping[str, Json]) -> WorkflowVersion:
    """The definition published as the next version of a workflow."""
    # Versions of bodies have no number.
    number = WorkflowVersion.unsafe_all_tenants.filter(workflow=workflow, number__isnull=False).count() + 1
    return VersionFactory(workflow=workflow, number=number, definition={**definition, "name": workflow.name})
