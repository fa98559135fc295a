"""A model that is out of order, with a browser: what was done stays, the page says why, resume redoes the rest."""

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import Membership
from tests import factories as make
from tests.answering import answering, http
from tests.llm_answers import said

pytestmark = pytest.mark.browser

PIPELINE = make.graph(
    [
        {"id": "clean", "type": "text.clean"},
        {"id": "summarize", "type": "text.summarize", "params": {"sentences": 1}},
        {
            "id": "reply",
            "type": "llm.prompt",
            "params": {"prompt": "Reply to this.\n{{ prev.text }}"},
            "retry": "none",
        },
    ],
    ["clean>summarize", "summarize>reply"],
)
TEXT = "<p>The harbour froze last winter. Ships waited for weeks, and the price of grain rose.</p>"
RESUME = "Resume from the failed step"


@pytest.fixture
def operator(visitor, ann):
    """Ann as an operator."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="operator")
    return visitor


@pytest.fixture
def model(monkeypatch):
    """A server that answers 500 once, and works from then on."""
    with answering(http(b"out of memory", "500 Internal Server Error"), said("Thank you.")) as server:
        monkeypatch.setenv("HANDOFF_LLM_URL", server.url("/v1"))
        monkeypatch.setenv("HANDOFF_LLM_MODEL", "small")
        yield server


def follows_by_itself(page: Page) -> bool:
    """Whether it is the page that `mark` saw: one that was loaded again has forgotten."""
    return page.evaluate("window.marked === true")


def mark(page: Page) -> None:
    page.evaluate("window.marked = true")


def status(visitor, node: str) -> Locator:
    return visitor.step(node).locator("header .status")


def work() -> None:
    make.work("default", "blocking")


def test_what_was_done_before_a_model_failed_stays_and_resume_redoes_the_failed_step_alone(operator, model):
    (run_id,) = make.start(PIPELINE, {"text": TEXT})
    page = operator.page
    operator.open(f"/runs/{run_id}")
    expect(page.get_by_role("button", name=RESUME)).to_have_count(0)
    mark(page)

    work()
    notice = page.locator("#run > .notice")
    expect(notice).to_contain_text("The step Ask a language model (reply) failed")
    expect(notice).to_contain_text("The language model's server answered 500")
    expect(notice).to_contain_text("What was done before is kept.")
    expect(operator.step("reply").locator(".why")).to_contain_text("answered 500")
    for node, words in (("clean", "Completed"), ("summarize", "Completed"), ("reply", "Failed")):
        expect(status(operator, node)).to_have_text(words)
    assert follows_by_itself(page)

    with page.expect_navigation():
        page.get_by_role("button", name=RESUME).click()
    expect(page.get_by_role("button", name=RESUME)).to_have_count(0)
    mark(page)
    for node, words in (("clean", "Completed"), ("summarize", "Completed"), ("reply", "Queued")):
        expect(status(operator, node)).to_have_text(words)

    work()
    expect(status(operator, "reply")).to_have_text("Completed")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Completed")
    expect(notice).to_have_count(0)
    assert follows_by_itself(page)

    assert make.run(run_id).output == {"text": "Thank you."}
    assert len(model.asked) == 2
    completed = [event.node for event in make.events(run_id, "STEP_COMPLETED")]
    assert completed == ["clean", "summarize", "reply"]
    assert [event.node for event in make.events(run_id, "STEP_FAILED")] == ["reply"]
