"""An approval that is built by mouse: each outcome leads where the canvas, the outline and the task say."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from accounts.queries import member_principal
from runs.models import Run, StepExecution
from tests import factories as make
from tests.inbox.asking import decide, member, task_of
from tests.web.builder import Builder
from workflows.versions import lifecycle

pytestmark = pytest.mark.browser
ENDS = "rejected: the run ends here"


@pytest.fixture
def builder(visitor, ann) -> Builder:
    """A workflow without steps, as an author sees it; eve may decide."""
    member("eve")
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    visitor.page.emulate_media(reduced_motion="reduce")
    make.a_workflow("pay", {"name": "pay", "nodes": [], "edges": []})
    return Builder(visitor, "pay")


def built(builder: Builder) -> None:
    """An approval, and a step that pays behind it."""
    builder.add("approval")
    builder.page.keyboard.type("May we pay?")
    builder.page.get_by_label("Question").first.fill("May we pay?")
    builder.card("May we pay?").get_by_role("button", name="Add a step after").click()
    builder.page.locator(".add-dialog [role=combobox]").fill("do nothing")
    builder.page.keyboard.press("Enter")
    builder.page.keyboard.type("Pay it")
    expect(builder.card("Pay it")).to_be_visible()


def run_of(outcome: str) -> tuple[str, dict[str, str]]:
    """How a run ends in which eve chooses this, and its steps."""
    ann, eve = (member_principal(make.a_tenant().pk, name, "session") for name in ("ann", "eve"))
    (run_id,) = make.start_version(lifecycle.publish(ann, "pay").version, {})
    make.work()
    decide(eve, task_of(run_id), outcome, comment="So it is.")
    make.work()
    steps = StepExecution.unsafe_all_tenants.filter(run_id=run_id).values_list("node", "status")
    return Run.unsafe_all_tenants.get(pk=run_id).status, dict(steps)


@pytest.mark.parametrize(("outcome", "paid"), [("approved", "COMPLETED"), ("rejected", "SKIPPED")])
def test_what_is_built_behind_an_approval_is_done_when_it_is_approved_and_only_then(builder, outcome, paid):
    built(builder)
    (edge,) = builder.saved()["edges"]
    assert edge["branch"] == "approved"
    status, steps = run_of(outcome)
    assert (status, steps[edge["to"]]) == ("COMPLETED", paid)


def test_the_outcome_that_nothing_follows_is_shown_until_a_step_is_added_for_it(builder):
    built(builder)
    end = builder.card("May we pay?").locator(".port-end")
    expect(end).to_have_text(ENDS)
    expect(builder.row("May we pay?")).to_contain_text(ENDS)
    end.click()
    builder.page.locator(".add-dialog [role=combobox]").fill("do nothing")
    builder.page.keyboard.press("Enter")
    expect(builder.card("May we pay?").locator(".port-end")).to_have_count(0)
    assert [edge["branch"] for edge in builder.saved()["edges"]] == ["approved", "rejected"]
