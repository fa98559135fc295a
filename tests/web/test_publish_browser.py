"""The check in the dialog that publishes: what it lists, and the presses that mend it."""

import pytest
from playwright.sync_api import expect

from accounts.models import FolderGrant, Membership
from runs.models import Run
from tests import factories as make
from tests.inbox.asking import member
from tests.web.axe import faults_by_day_and_night
from tests.web.builder import Builder
from workflows.models import Workflow

pytestmark = pytest.mark.browser

WAIT = {"id": "pause", "type": "wait", "title": "Wait", "params": {"seconds": 600}}
MAIL = {"type": "email.send", "params": {"to": "a@example.org", "subject": "x", "body": "y"}}


def asks(*groups, **candidates):
    asked = {"roles": ["admin"], "groups": list(groups), **candidates}
    return {"type": "human.form", "params": {"title": "Fine?", "due_seconds": 60, "candidates": asked}}


def in_a_map(*steps):
    body = {"steps": list(steps)}
    return {
        "id": "each",
        "type": "map",
        "title": "For each order",
        "params": {"items": "{{ [1] }}", "body": body},
    }


@pytest.fixture
def admin(visitor, ann):
    """Ann as an admin, who likes things to stand still."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="admin")
    visitor.page.emulate_media(reduced_motion="reduce")
    return visitor


def opened(visitor, *nodes):
    """The dialog that publishes a draft with these steps, and its builder."""
    workflow = Workflow.unsafe_all_tenants.filter(name="ours")
    draft = {"name": "ours", "title": "Ours", "nodes": list(nodes), "edges": []}
    if not workflow.update(draft_definition=draft):
        make.a_workflow("ours", draft)
    builder = Builder(visitor, "ours")
    builder.page.locator(".builder-head").get_by_role("button", name="Publish").click()
    dialog = builder.page.locator(".publish-dialog")
    expect(dialog.get_by_role("status")).to_contain_text("eady")
    return builder, dialog


def codes_of(dialog):
    return dialog.locator(".readiness li p:first-child").all_inner_texts()


def test_each_press_mends_what_it_stands_at(admin):
    member("cy", "requester")
    member("dee", "approver", "Finance")
    FolderGrant.unsafe_all_tenants.filter(verbs__contains=["start"]).delete()
    builder, dialog = opened(
        admin,
        in_a_map({"id": "ask", "title": "Ask", **asks("Finanse")}, {"id": "tell", "title": "Tell", **MAIL}),
    )
    # A misspelt group, of a step within a container: by its fix.
    dialog.get_by_role("button", name="Use Finance").click()
    expect(dialog.get_by_role("button", name="Use Finance")).to_have_count(0)
    [each] = builder.saved()["nodes"]
    assert each["params"]["body"]["steps"][0]["params"]["candidates"]["groups"] == ["Finance"]
    # Nobody may start it: granted there.
    dialog.get_by_role("button", name="Grant it").click()
    expect(dialog.get_by_text("Nobody but admins may start this")).to_have_count(0)
    assert FolderGrant.unsafe_all_tenants.get(role="requester", verbs__contains=["start"])
    # No mail server: goes to the step, wherever it stands, and says why.
    dialog.get_by_role("listitem").filter(has_text="No mail server").get_by_role(
        "button", name="Show the step"
    ).click()
    expect(dialog).to_have_count(0)
    expect(builder.page.locator(".inspector [data-title]")).to_have_value("Tell")
    expect(builder.page.locator(".said")).to_contain_text("No mail server is set up here")


def test_a_press_goes_to_the_field_that_is_wrong_and_publishing_waits_for_it(admin):
    builder, dialog = opened(
        admin, {"id": "ask", "title": "Ask", **asks("Nobody at all")}, {"id": "pay", "type": "http.request"}
    )
    expect(dialog.get_by_role("heading", name="1 finding blocks publishing")).to_be_visible()
    expect(dialog.get_by_role("button", name="Publish")).to_have_count(0)
    dialog.get_by_role("listitem").filter(has_text="no group").get_by_role("button").click()
    expect(builder.page.locator(".inspector [data-title]")).to_have_value("Ask")
    expect(builder.page.locator("[data-field$='params.candidates.groups'] :focus")).to_have_count(1)


def test_open_runs_are_moved_as_it_is_published(admin):
    workflow = make.a_workflow("ours", {"name": "ours", "title": "Ours", "nodes": [WAIT], "edges": []})
    runs = make.start_version(make.next_version(workflow, {"nodes": [WAIT], "edges": []}), {}, {})
    make.work()
    _, dialog = opened(admin, WAIT, {"id": "more", "type": "noop"})
    dialog.get_by_role("checkbox", name="Move them to version 2 once it is published").check()
    dialog.get_by_role("button", name="Publish").click()
    expect(admin.page.locator(".publish-dialog")).to_contain_text("2 open runs are being moved to version 2.")
    admin.page.get_by_role("link", name="Show how it goes").click()
    expect(admin.page.locator("main")).to_contain_text("2")
    assert Run.unsafe_all_tenants.filter(pk__in=runs).count() == 2


def test_who_may_not_mend_it_sees_who_can(admin):
    member("cy", "requester")
    member("root", "admin")
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user__username="ann").update(role="author")
    grants = FolderGrant.unsafe_all_tenants
    grants.filter(role__in=("author", "operator")).update(verbs=["read", "edit", "publish"])
    _, dialog = opened(admin, {"id": "a", "type": "noop"})
    row = dialog.get_by_role("listitem").filter(has_text="Nobody but admins may start this")
    expect(row).to_contain_text("Ask root.")
    expect(row.get_by_role("button")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Publish")).to_be_enabled()


@pytest.mark.parametrize("count", [0, 1, 20])
def test_the_dialog_fits_with_any_number_of_findings(admin, count):
    steps = [{"id": f"ask{at}", "title": f"Ask {at}", **asks(f"Group {at}-x")} for at in range(count - 1)]
    last = MAIL if count else {"type": "noop"}
    _, dialog = opened(admin, in_a_map(*steps, {"id": "last", "title": "Last", **last}))
    assert dialog.locator(".readiness li").count() == count
    for width, height in ((1440, 900), (390, 800)):
        admin.page.set_viewport_size({"width": width, "height": height})
        for name in ("Publish", "Cancel"):
            expect(dialog.get_by_role("button", name=name, exact=True)).to_be_in_viewport()
        inner, outer = dialog.evaluate("(box) => [box.scrollWidth, box.clientWidth]")
        assert inner <= outer
    admin.page.set_viewport_size({"width": 1440, "height": 900})
    assert faults_by_day_and_night(admin.page) == []
