"""The log and the params of the selected step, with a browser: they are live, stay unfolded, and axe finds no fault."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from runs.commands import job_reports, jobs
from steps.attempt_log import LogLine
from tests import factories as make
from tests.web.axe import faults_by_day_and_night
from tests.web.test_step_params import PAY

pytestmark = pytest.mark.browser

CHANGED = "document.body.dispatchEvent(new CustomEvent('handoff:changed', {detail: {changed: ['steps'], nodes: {}}}))"


def test_lines_come_while_the_step_goes_on_and_params_stay_unfolded(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    run_id = make.start(PAY, {"amount": 25, "key": "sesame"})[0]
    make.work()
    tenant = make.a_tenant().pk
    (job,) = jobs.poll(tenant=tenant, worker="w", queues=["card"], max_jobs=1)
    visitor.open(f"/runs/{run_id}?view=graph&step=charge")
    inspector = visitor.page.locator("#inspector")
    expect(inspector).to_contain_text("A worker writes them with")
    inspector.locator("summary", has_text="Params").press("Enter")
    expect(inspector.locator(".computed-params")).to_contain_text("Pay 50")
    lines = [LogLine("It begins", seq=1), LogLine("That was slow", "warning", seq=2)]
    job_reports.heartbeat(tenant=tenant, job=job.step.id, lease_token=job.lease_token, log=lines)
    visitor.page.evaluate(CHANGED)
    expect(inspector.locator(".log-lines li")).to_have_count(2)
    expect(inspector.locator(".computed-params")).to_contain_text("Pay 50")
    assert faults_by_day_and_night(visitor.page) == []
    job_reports.complete(tenant=tenant, job=job.step.id, lease_token=job.lease_token, output={"done": True})
    visitor.page.evaluate(CHANGED)
    expect(inspector).to_contain_text("Completed")
    expect(inspector.locator("details.computed")).not_to_have_attribute("open", "")
    visitor.page.get_by_role("link", name="first", exact=False).first.click()
    expect(inspector.locator("h3").first).to_have_text("Set values (first)")
    expect(inspector.locator(".step-log")).to_have_count(0)
