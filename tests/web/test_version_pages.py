"""The page of versions with its comparison, and definitions that are taken away and brought back as YAML."""

import re

import pytest

from accounts.models import Membership
from tests import factories as make
from tests.web.axe import faults_by_day_and_night
from tests.web.test_workflow_pages import a_workflow, shown, the
from workflows.models import Workflow
from workflows.ports.usage import open_runs

CHAIN = {
    "name": "ours",
    "nodes": [{"id": "a", "type": "text.clean", "title": "First"}, {"id": "b", "type": "noop"}],
    "edges": [{"from": "a", "to": "b"}],
}
OTHER = {
    "name": "ours",
    "title": "Another title",
    "nodes": [{"id": "a", "type": "text.clean", "title": "Begin"}, {"id": "c", "type": "noop"}],
    "edges": [{"from": "a", "to": "c", "when": "output.text != ''"}],
}


@pytest.fixture
def author(client, ann):
    """A session of Ann, an author."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    client.force_login(ann)
    return client


@pytest.fixture
def flow(ann):
    """A workflow whose draft is not its version 1."""
    a_workflow(definition=CHAIN)
    Workflow.objects.for_tenant(make.a_tenant().pk).update(draft_definition=OTHER)


def compared(author, one, other):
    return author.get(f"/workflows/ours/versions?from={one}&to={other}").text


def test_two_versions_are_compared_as_a_picture_and_field_by_field(author, flow):
    page = compared(author, 1, "draft")
    marks = re.findall(r'<strong>([^<]*)</strong> <span class="mark mark-(\w+)">', page)
    assert marks == [("Begin", "changed"), ("c", "new"), ("b", "gone")]
    assert "1 step added, 1 step changed, 1 step removed" in page.lower()
    for said in ("<del>First</del>", "<ins>Begin</ins>", "<ins>Another title</ins>", "when: output.text"):
        assert said in page
    assert '<option value="1" selected>' in page


def test_a_version_and_itself_say_the_same(author, flow):
    assert "No differences" in compared(author, 1, 1)


def test_a_version_that_there_is_not_is_compared_with_nothing(author, flow):
    assert "has no version 7" in compared(author, 7, "draft")
    assert "has no version 99" in compared(author, 1, 99)


def test_a_draft_whose_steps_can_not_be_told_apart_says_so(author, flow):
    broken = {"name": "ours", "nodes": [{"id": "a"}, {"id": "a"}]}
    Workflow.objects.for_tenant(make.a_tenant().pk).update(draft_definition=broken)
    assert "Another node has the id a" in compared(author, 1, "draft")


@pytest.mark.parametrize("query", ["from=x&to=draft", "from=-1&to=0", "from=&to=", "to=1", "from=1%00&to=1"])
def test_whatever_is_asked_of_the_versions_is_answered(author, flow, query):
    assert author.get(f"/workflows/ours/versions?{query}").status_code == 200


def test_versions_say_how_many_open_runs_use_them(author):
    waiting = make.a_version(
        {"name": "x", "nodes": [{"id": "a", "type": "job", "queue": "outside"}], "edges": []}
    )
    for count, said in ((1, "used by 1 open run<"), (2, "used by 2 open runs<")):
        (run,) = make.start_version(waiting, {})
        assert open_runs(waiting.workflow)[waiting.pk] == count
        assert said in author.get(f"/workflows/{waiting.workflow.name}/versions").text
    make.cancel(run)
    assert open_runs(waiting.workflow)[waiting.pk] == 1


def test_a_definition_is_taken_away_as_yaml_and_brought_back(author, flow):
    answer = author.get("/workflows/ours/definition.json?format=yaml")
    assert answer.headers["Content-Type"] == "application/yaml"
    assert 'filename="ours-draft.yaml"' in answer.headers["Content-Disposition"]
    assert answer.text.startswith("name: ours\ntitle: Another title\n")
    assert "nothing would change" in author.post("/workflows/import", {"document": answer.text}).text


def test_a_version_and_the_draft_are_shown_as_python(author, flow):
    page = author.get("/workflows/ours/definition?version=1&as=python").text
    assert "workflow.step(&quot;a&quot;, &quot;text.clean&quot;, title=&quot;First&quot;)" in page
    assert 'href="/workflows/ours/definition?version=1"' in page
    draft = author.get("/workflows/ours/definition?as=python").text
    assert "title=&quot;Begin&quot;" in draft
    assert "<textarea" not in draft
    file = author.get("/workflows/ours/definition.json?format=python&version=1")
    assert 'filename="ours-v1.py"' in file.headers["Content-Disposition"]
    assert file.text.startswith("from handoff.definition import Workflow\n")


def test_an_import_of_yaml_says_what_it_would_change_field_by_field(author, flow):
    document = "name: ours\ntitle: Brand new\nsteps:\n  - {id: a, type: text.clean}\n"
    seen = author.post("/workflows/import", {"document": document})
    assert "<del>Another title</del>" in seen.text
    assert "<ins>Brand new</ins>" in seen.text
    author.post("/workflows/import", {"document": document, "import": "yes", **shown(seen)})
    assert the().title == "Brand new"


def test_yaml_that_can_not_be_read_says_where_and_stays_in_its_box(author):
    refused = author.post("/workflows/import", {"document": "name: a\nname: b"})
    assert refused.status_code == 422
    assert "The key name occurs twice (line 2 column 1)" in refused.text
    assert "name: a\nname: b" in refused.text


@pytest.mark.exhaustive
@pytest.mark.browser
def test_a_comparison_has_no_faults_of_accessibility_and_fits_a_phone(visitor, flow):
    visitor.page.set_viewport_size({"width": 1440, "height": 844})
    visitor.open("/workflows/ours/versions?from=1&to=draft")
    for width in (1440, 390):
        visitor.page.set_viewport_size({"width": width, "height": 844})
        assert not visitor.scrolls_sideways(), width
    assert faults_by_day_and_night(visitor.page, widths=(390, 1440)) == []
