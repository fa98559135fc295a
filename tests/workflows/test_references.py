"""The workflows that a definition names are there, and whoever publishes it may start them."""

from dataclasses import replace

import pytest

from accounts.principal import Forbidden
from accounts.roles import RUNS_START
from tests import factories as make
from tests.people import People
from workflows.checking.check import check
from workflows.versions.lifecycle import publish

pytestmark = pytest.mark.django_db


def runs(workflow, **more):
    """A definition whose step runs this workflow."""
    step = {"id": "sub", "type": "subworkflow", "params": {"workflow": workflow, **more}}
    return make.graph([step], []) | {"name": "outer"}


def found(definition):
    """Codes and fields of what is wrong with it in the default tenant."""
    return [(one.code, one.field) for one in check(definition, tenant=make.a_tenant().pk).problems]


def published(name):
    return make.VersionFactory(
        workflow__tenant=make.a_tenant(), workflow__draft_definition=make.graph(["a"], []) | {"name": name}
    ).workflow


def test_a_workflow_that_is_there_is_no_problem():
    published("inner")
    assert found(runs("inner")) == []
    assert found(runs("inner", version=1)) == []
    assert found(runs("outer")) == [], "it may run itself, as deep as runs go"
    assert found(runs("{{ input.which }}")) == [], "only a run knows"


def test_what_is_not_there_is_told_at_its_field():
    published("inner")
    make.a_workflow("draft", make.graph(["a"], []))
    archived = published("old")
    archived.archived_at = archived.created_at
    archived.save()

    field = "nodes[0].params.workflow"
    assert found(runs("nobody")) == [("unknown_workflow", field)]
    assert found(runs("old")) == [("unknown_workflow", field)]
    assert found(runs("inner", version=2)) == [("unknown_workflow", "nodes[0].params.version")]
    assert found(runs("draft")) == [("unpublished_workflow", field)]
    assert found(make.graph(["a"], []) | {"name": "outer", "next_workflow": "nobody"}) == [
        ("unknown_workflow", "next_workflow")
    ]


def test_another_tenants_workflow_is_not_there():
    other = make.TenantFactory(slug="other")
    make.VersionFactory(
        workflow__tenant=other, workflow__draft_definition=make.graph(["a"], []) | {"name": "theirs"}
    )
    assert [code for code, _ in found(runs("theirs"))] == ["unknown_workflow"]


def test_what_undoes_a_step_and_what_comes_next_are_asked_too():
    undo = {
        "id": "a",
        "type": "noop",
        "compensate": {"type": "subworkflow", "params": {"workflow": "nobody"}},
    }
    assert ("unknown_workflow", "nodes[0].compensate.params.workflow") in found(
        make.graph([undo], []) | {"name": "outer"}
    )


def test_whoever_may_not_start_a_workflow_can_not_publish_one_that_does():
    """Its runs would do so for them."""
    published("inner")
    make.a_workflow("outer", runs("inner"))
    author = People().principal("admin", make.a_tenant().slug)
    with pytest.raises(Forbidden, match="may not start runs of inner"):
        publish(replace(author, scopes=author.scopes - {RUNS_START}), "outer")
    assert publish(author, "outer").created
