"""What the page of the builder begins with, without a browser."""

import json
import re

import pytest

from accounts.models import Membership
from tests import factories as make
from tests.web.test_workflow_pages import a_workflow
from workflows.checking.check import check
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


@pytest.fixture
def author(client, ann):
    """A session of Ann, an author."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    client.force_login(ann)
    return client


def boot(author) -> dict:
    page = author.get("/workflows/ours/edit").text
    found = re.search(r'<script id="builder-boot" type="application/json">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def rows():
    return Workflow.objects.for_tenant(make.a_tenant().pk)


def test_a_draft_that_cannot_be_drawn_is_shown_as_it_is(author):
    a_workflow()
    draft = {"name": "ours", "steps": {"x": 1}, "hello": "a precious text"}
    rows().update(draft_definition=draft)
    found = boot(author)
    assert found["cannot"] == "`steps` must be a list of step types or nodes."
    assert found["definition"] == draft


def test_who_opens_an_archived_workflow_is_told_why_nothing_can_be_changed(author):
    a_workflow()
    assert boot(author)["archived"] is False
    author.post("/workflows/ours/archive")
    found = boot(author)
    assert (found["archived"], found["may_write"], found["may_start"]) == (True, False, False)


def test_who_may_only_read_is_told_so(client, ann):
    a_workflow()
    client.force_login(ann)
    found = boot(client)
    assert (found["may_write"], found["may_publish"], found["may_start"]) == (False, False, False)


def test_the_builder_adds_as_many_steps_as_may_be_published(author):
    a_workflow()
    most = boot(author)["most_steps"]
    for count, codes in ((most, set()), (most + 1, {"too_many_nodes"})):
        nodes = [{"id": f"n{number}", "type": "noop"} for number in range(count)]
        problems = check({"name": "ours", "nodes": nodes, "edges": []}, name="ours").problems
        assert {each.code for each in problems if each.severity == "error"} & {"too_many_nodes"} == codes
