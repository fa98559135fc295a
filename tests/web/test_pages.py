"""The pages of runs and of the API, with a browser; the fixture fails each test whose page complains."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import ViewportSize, expect

from tests import factories as make

pytestmark = pytest.mark.browser

ARTICLE = (Path(__file__).resolve().parents[2] / "docs" / "examples" / "cities_and_heat.txt").read_text()
PIPELINE = {
    "name": "pipeline",
    "nodes": [
        {"id": "clean", "type": "text.clean"},
        {"id": "summarize", "type": "text.summarize", "params": {"sentences": 3}},
        {"id": "keywords", "type": "text.keywords", "params": {"limit": 8}},
        {"id": "tag", "type": "text.tag", "params": {"categories": ["environment", "sport"]}},
    ],
    "edges": [
        {"from": "clean", "to": "summarize"},
        {"from": "summarize", "to": "keywords"},
        {"from": "keywords", "to": "tag"},
    ],
}
UNFOLD = "for (const one of document.querySelectorAll('main details:not(.menu)')) one.open = true"
BRANCHES = make.graph(
    [{"id": "check", "type": "decision"}, "dear", {"id": "cheap", "type": "job", "queue": "pricing"}, "last"],
    [
        {"from": "check", "to": "dear", "when": "output.amount > 1000"},
        {"from": "check", "to": "cheap", "default": True},
        "cheap>last",
        "dear>last",
    ],
)
PHONE: ViewportSize = {"width": 390, "height": 844}
WIDE = {
    "text": "x" * 2000,
    "y" * 200: "z" * 50,
    "rows": [{"word": "w" * 300}] * 3,
    "prose": "long word " * 300,
}


def a_run(definition=None, given=None) -> str:
    """A run of the default tenant, as far as it goes."""
    run_id = make.start(definition or make.chain("noop"), given or {"n": 1})[0]
    make.work()
    return run_id


def test_a_run_of_the_pipeline_shows_each_step_with_input_output_and_duration(visitor):
    run_id = a_run(PIPELINE, {"text": ARTICLE})
    assert visitor.open(f"/runs/{run_id}") == 200
    # A long text is in a box that scrolls, also by keyboard.
    box = visitor.step("clean").get_by_role("region", name="Output text")
    assert box.evaluate("box => box.clientHeight < 400 && box.scrollHeight > 2 * box.clientHeight")
    box.focus()
    visitor.press("End")
    visitor.page.wait_for_function("box => box.scrollTop > 0", arg=box.element_handle())
    for node in ("clean", "summarize", "keywords", "tag"):
        step = visitor.step(node)
        expect(step.get_by_text("Completed", exact=True)).to_be_visible()
        expect(step.locator(".about")).to_have_text(re.compile(r"\d (ms|s)\b"))
        step.locator("summary", has_text="Input").click()
        expect(step.locator("details", has_text="Input").locator("pre").first).to_be_visible()
        expect(step.locator("details", has_text="Output").locator("dd").first).to_be_visible()
    expect(visitor.step("clean")).to_contain_text("How cities learn to live with heat")
    expect(
        visitor.step("keywords").get_by_role("list", name="Keywords").get_by_role("listitem")
    ).to_have_count(8)
    expect(visitor.step("summarize").get_by_role("region", name="Source text")).to_contain_text(
        "How cities learn"
    )
    expect(visitor.step("tag").locator("dt", has_text="category")).to_be_visible()
    expect(visitor.step("tag").get_by_role("progressbar", name="environment")).to_be_visible()
    visitor.page.get_by_role("link", name="Timeline").click()
    expect(visitor.page.locator("#timeline svg")).to_have_count(4)


def test_a_failed_run_says_why_in_one_sentence(visitor):
    visitor.open(f"/runs/{a_run(PIPELINE, {'text': 42})}")
    why = visitor.page.locator(".notice.bad")
    expect(why).to_contain_text("The step Clean text (clean) failed")
    expect(why).to_contain_text("text must be a text, but is a number.")
    expect(why).to_contain_text("try the step again with another one")
    expect(visitor.step("clean").get_by_text("Failed", exact=True)).to_be_visible()
    expect(visitor.step("summarize").get_by_text("Not reached")).to_be_visible()


def test_a_run_that_waits_says_for_what_and_a_branch_not_taken_is_skipped(visitor):
    visitor.open(f"/runs/{a_run(BRANCHES, {'amount': 5})}")
    expect(visitor.page.locator(".notice")).to_contain_text(
        "External job (cheap) waits for a worker of yours that polls the queue pricing: none has asked for jobs"
        " in the last 2 minutes."
    )
    expect(visitor.step("dear").get_by_text("Skipped", exact=True)).to_be_visible()
    expect(visitor.step("last").get_by_text("Pending", exact=True)).to_be_visible()


def test_what_a_run_holds_is_text_and_never_markup(visitor):
    markup = "<script>console.error('ran')</script><img src=x>"
    visitor.open(f"/runs/{a_run(given={'text': markup, markup: '`' + markup + '`'})}")
    expect(visitor.page.locator("details[open] pre", has_text=markup).first).to_be_visible()
    assert visitor.page.locator("main img").count() == 0


def test_a_run_of_another_tenant_is_nowhere(visitor):
    theirs = make.start(make.chain("noop"), tenant=make.a_tenant("theirs"))[0]
    assert visitor.open(f"/runs/{theirs}") == 404
    assert visitor.heading() == "There is no such run."
    visitor.page.get_by_role("link", name="Go home").click()
    expect(visitor.page.get_by_role("heading", name="Nothing has run yet")).to_be_visible()


def test_the_list_leads_to_each_run_and_back(visitor):
    run_id = a_run()
    visitor.open("/")
    visitor.page.locator(f"main a[href='/runs/{run_id}']").click()
    assert visitor.path() == f"/runs/{run_id}"
    visitor.page.get_by_role("main").get_by_role("link", name="Runs").click()
    visitor.page.wait_for_url("**/runs/")
    expect(visitor.page.locator("header nav [aria-current=page]")).to_have_text("Runs")


def test_the_first_tab_leads_past_the_navigation(visitor):
    visitor.open("/")
    visitor.page.keyboard.press("Tab")
    skip = visitor.page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()


def tags_of(path):
    return [tag for operation in path.values() for tag in operation.get("tags", ())]


@pytest.mark.exhaustive
def test_the_api_docs_ask_nobody_but_us_and_fit_a_phone(visitor, site):
    visitor.open("/api/docs")
    page = visitor.page
    # Folded, all tags are drawn, and the browser's own search finds each; of a tag that is unfolded all routes are.
    # The document is made of all routes, by whoever asks first.
    expect(page.locator(".opblock-tag").first).to_be_visible(timeout=30_000)
    tags = {
        tag for path in page.request.get("/api/v1/schema").json()["paths"].values() for tag in tags_of(path)
    }
    assert len(tags) > 5
    assert {text.strip() for text in page.locator(".opblock-tag > a").all_inner_texts()} == tags
    expect(page.locator(".opblock")).to_have_count(0)
    page.get_by_role("link", name="dead-letters", exact=True).click()
    page.get_by_text("/api/v1/dead-letters", exact=True).first.click()
    expect(page.get_by_role("button", name="Try it out")).to_be_visible()
    assert {urlsplit(url).netloc for url in visitor.asked} == {urlsplit(site).netloc}
    page.set_viewport_size(PHONE)
    visitor.page.evaluate(UNFOLD)
    assert not visitor.scrolls_sideways()


def test_no_page_is_wider_than_a_phone_or_complains(visitor):
    visitor.page.set_viewport_size(PHONE)
    runs = [a_run(given=WIDE), a_run(PIPELINE, {"text": "<p> </p>"}), a_run(BRANCHES, {"amount": 5})]
    make.cancel(a_run(BRANCHES, {"amount": 6}))
    for path in ("/", *(f"/runs/{run_id}" for run_id in runs), "/nothing", "/login"):
        visitor.open(path)
        visitor.page.evaluate(UNFOLD)
        assert not visitor.scrolls_sideways(), path
