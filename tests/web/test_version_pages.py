"""The page of versions with its comparison, and definitions that are taken away and brought back as YAML."""

import re

import pytest

from accounts.models import Membership
from tests import factories as make
from tests.web.axe import faults_by_day_and_night
from tests.web.test_workflow_pages import a_workflow, shown, the
from workflows.models import Workflow, WorkflowVersion
from workflows.ports import open_runs

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
    assert marks == [("Begin", "changed"), ("Do nothing", "new"), ("Do nothing", "gone")]
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


def withdraw(author, number, verb="withdraw", reason="It pays <b>twice</b>.", name="ours"):
    answer = author.post(f"/workflows/{name}/versions/{number}/{verb}", {"reason": reason}, follow=True)
    assert answer.status_code == 200
    return answer.text


def test_a_version_is_withdrawn_and_restored_by_its_page(author, flow):
    first = WorkflowVersion.unsafe_all_tenants.get(workflow__name="ours")
    make.VersionFactory(workflow=first.workflow, tenant=first.tenant, number=2)
    page = author.get("/workflows/ours/versions").text
    assert "is withdrawn" not in page
    assert page.count('data-opens="#withdraw-') == 2
    assert "say why" in withdraw(author, 2, reason=" ").lower()
    page = withdraw(author, 2)
    assert "Version 2 is withdrawn: no new runs are started with it." in page
    assert "It pays &lt;b&gt;twice&lt;/b&gt;." in page
    assert re.search(r"Version 1</strong> <span class=\"count\">used by new runs", page)
    for path in ("/workflows/ours/", "/workflows/ours/versions", "/workflows/ours/start"):
        page = author.get(path).text
        assert "Version 2 is withdrawn" in page, path
        assert "New runs take version 1." in page, path
    assert "A new run with version v1" in author.get("/workflows/ours/start").text
    withdraw(author, 1)
    for path in ("/workflows/ours/", "/workflows/ours/versions", "/workflows/ours/start"):
        assert "No other version is left" in author.get(path).text, path
    assert 'id="start"' not in author.get("/workflows/ours/").text
    assert "Version 1 is restored" in withdraw(author, 1, "restore")
    assert 'id="start"' in author.get("/workflows/ours/").text


def test_the_open_runs_of_a_withdrawn_version_are_listed_and_moved_from_there(client, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="admin")
    client.force_login(ann)
    waiting = make.a_version(
        {"name": "ours", "nodes": [{"id": "a", "type": "job", "queue": "outside"}], "edges": []}
    )
    path = f"/workflows/{waiting.workflow.name}"
    (run,) = make.start_version(waiting, {})
    assert "Move open runs…<span" not in client.get(f"{path}/versions").text
    page = withdraw(client, 1, name=waiting.workflow.name)
    [listing] = re.findall(r'href="([^"]*version:1)"', page)
    assert f"/runs/{run}" in client.get(listing.replace("&amp;", "&")).text
    assert "Move open runs…<span" in page
    assert "There is no other version" in client.get(f"{path}/move-runs?from=1").text
    second = make.VersionFactory(workflow=waiting.workflow, tenant=waiting.tenant, number=2)
    page = client.get(f"{path}/move-runs?from=1").text
    assert '<option value="1" selected>v1 (1 open run, withdrawn)</option>' in page
    targets = page[page.index('id="after"') :]
    assert (f'value="{second.number}"' in targets, 'value="1"' in targets) == (True, False)


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


@pytest.mark.exhaustive
@pytest.mark.browser
def test_a_version_is_withdrawn_by_mouse(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="admin")
    waiting = make.a_version(
        {"name": "ours", "nodes": [{"id": "a", "type": "job", "queue": "outside"}], "edges": []}
    )
    make.VersionFactory(workflow=waiting.workflow, tenant=waiting.tenant, number=2)
    make.start_version(waiting, {})
    visitor.open(f"/workflows/{waiting.workflow.name}/versions")
    page = visitor.page
    page.get_by_role("button", name="Withdraw version 1").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("It pays twice.")
    dialog.get_by_role("button", name="Withdraw it").click()
    page.get_by_role("link", name="Move open runs… off version 1").wait_for()
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert not visitor.scrolls_sideways(), width
    assert faults_by_day_and_night(page, widths=(390, 1440)) == []
