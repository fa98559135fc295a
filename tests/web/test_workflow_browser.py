"""The pages of workflows with a browser: a pipeline is built, put in order by mouse and keys, published, started."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.web.axe import faults_by_day_and_night
from workflows.models import Workflow

pytestmark = pytest.mark.browser


@pytest.fixture
def author(visitor, ann):
    """Ann as an author."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    return visitor


@pytest.fixture
def form(author):
    """The form of a new pipeline with three steps."""
    author.open("/workflows/new")
    author.page.get_by_label("Title").fill("Täglicher Überblick")
    for title in ("Clean text", "Summarize", "Tag with a category"):
        author.page.locator("[data-add]", has=author.page.get_by_text(title, exact=True)).click()
    return author


def order(visitor) -> list[str]:
    cards = visitor.page.locator("[data-step]")
    return cards.evaluate_all("cards => cards.map(card => card.querySelector('[data-type]').value)")


def said(visitor) -> str:
    return visitor.page.locator("[data-said]").inner_text()


def test_a_pipeline_is_built_published_and_started(form):
    page = form.page
    expect(page.get_by_label("Name", exact=True)).to_have_value("taeglicher-ueberblick")
    page.get_by_label("Categories, row 1: Name").fill("Sport")
    page.get_by_role("button", name="Add a row").click()
    page.keyboard.type("Garden")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Täglicher Überblick")
    expect(page.locator(".picture-step")).to_have_count(3)
    page.get_by_text("In words").click()
    expect(page.locator(".chain li")).to_have_count(3)
    expect(page.get_by_text("2 categories")).to_be_visible()
    expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
    page.get_by_label("Text", exact=True).fill("The team won the match.")
    with page.expect_websocket(lambda socket: "/ws/runs/" in socket.url) as opened:
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/runs/*")
    # Left before it is there, a socket complains.
    opened.value.wait_for_event("framereceived")


def test_steps_change_places_by_buttons_and_keys_and_the_focus_stays(form):
    page = form.page
    page.get_by_role("button", name="Move Tag with a category up").click()
    assert order(form) == ["text.clean", "text.tag", "text.summarize"]
    assert said(form) == "Tag with a category is step 2 of 3 now."
    expect(page.get_by_role("button", name="Move Tag with a category up")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert order(form) == ["text.tag", "text.clean", "text.summarize"]
    assert said(form) == "Tag with a category is the first step already."
    page.keyboard.press("Alt+ArrowDown")
    assert order(form) == ["text.clean", "text.tag", "text.summarize"]


def test_what_is_wrong_is_told_at_the_field_when_it_is_left_and_gone_when_it_is_right(form):
    page = form.page
    field = page.locator(".field", has=page.get_by_label("Sentences"))
    expect(page.locator(".fault")).to_have_count(0)
    page.get_by_label("Sentences").fill("0")
    page.keyboard.press("Tab")
    expect(field.locator(".fault")).to_contain_text("1")
    expect(page.get_by_label("Sentences")).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".fault")).to_have_count(1)
    page.get_by_label("Sentences").fill("5")
    expect(page.locator(".fault")).to_have_count(0)
    expect(page.get_by_label("Sentences")).to_have_value("5")
    page.get_by_label("Categories, row 1: Name").fill("Sport")
    page.get_by_label("Categories, row 1: Name").fill("")
    page.keyboard.press("Tab")
    assert not Workflow.objects.for_tenant(make.a_tenant().pk).exists()


def test_a_step_is_dragged_by_its_grip(form):
    page = form.page
    page.set_viewport_size({"width": 1440, "height": 1600})
    page.evaluate("scrollTo(0, 0)")
    grip = page.locator("[data-grip]").first.bounding_box()
    last = page.locator("[data-step]").last.bounding_box()
    page.mouse.move(grip["x"] + 5, grip["y"] + 5)
    page.mouse.down()
    page.mouse.move(grip["x"] + 9, grip["y"] + 60, steps=4)
    page.mouse.move(last["x"] + 200, last["y"] + last["height"] - 8, steps=8)
    page.mouse.up()
    assert order(form) == ["text.summarize", "text.tag", "text.clean"]
    assert said(form) == "Clean text is step 3 of 3 now."


def test_what_was_removed_comes_back_with_what_was_typed(form):
    page = form.page
    page.get_by_label("Sentences").fill("7")
    page.get_by_role("button", name="Remove Summarize").click()
    assert order(form) == ["text.clean", "text.tag"]
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    assert order(form) == ["text.clean", "text.summarize", "text.tag"]
    expect(page.get_by_label("Sentences")).to_have_value("7")
    page.get_by_label("Type of step 2").select_option("text.keywords")
    expect(page.get_by_label("Keywords at most")).to_have_value("10")


@pytest.mark.exhaustive
def test_two_who_edit_at_once_lose_nothing(form):
    page = form.page
    page.get_by_label("Categories, row 1: Name").fill("Sport")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("heading", level=1)).to_have_text("Edit the pipeline")
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_label("Sentences").fill("9")
    other.get_by_role("button", name="Save draft").click()
    other.get_by_text("Saved as a draft").wait_for()
    page.get_by_label("Sentences").fill("2")
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("Nothing was saved: the draft was changed meanwhile")).to_be_visible()
    expect(page.get_by_label("Sentences")).to_have_value("2")
    page.get_by_role("button", name="Replace it with mine").click()
    page.get_by_text("Saved as a draft").wait_for()
    draft = Workflow.objects.for_tenant(make.a_tenant().pk).get().draft_definition
    assert draft["nodes"][1]["params"] == {"sentences": 2}


def test_the_picture_of_a_workflow_is_drawn_zoomed_and_fitted(author):
    page = author.page
    nodes = [{"id": f"s{number}", "type": "noop", "title": f"Step {number}"} for number in range(60)]
    edges = [f"s{number}>s{number + 1}" for number in range(59)]
    version = make.a_version(make.graph(nodes, edges))
    author.open(f"/workflows/{version.workflow.name}/")
    expect(page.locator(".picture-step")).to_have_count(60)
    view = page.locator("[data-view]")
    expect(page.locator(".picture-step").first).to_be_in_viewport()
    larger = "view => view.scrollWidth > view.clientWidth || view.scrollHeight > view.clientHeight"
    assert view.evaluate(larger), "of a large one the beginning is shown"
    page.get_by_role("button", name="Fit to view").click()
    assert not view.evaluate(larger)
    page.get_by_role("button", name="Full size").click()
    assert page.locator(".picture-board").evaluate("board => board.style.zoom") == "1"
    page.get_by_text("In words").click()
    expect(page.get_by_text("Step 59").last).to_be_visible()


def test_where_the_picture_can_not_be_drawn_its_words_are_shown(author):
    name = make.a_version(make.chain("text.clean", "text.summarize")).workflow.name
    author.open("/workflows/")
    # A page of its own: what fails there is told in its console.
    page = author.page.context.new_page()
    page.add_init_script("window.ResizeObserver = undefined")
    page.goto(f"/workflows/{name}/")
    expect(page.locator(".picture")).to_have_count(0)
    expect(page.get_by_text("Summarize").first).to_be_visible()


@pytest.mark.exhaustive
def test_no_page_of_workflows_has_faults_of_accessibility_or_is_wider_than_a_phone(form):
    page = form.page
    long = "Donaudampfschifffahrtsgesellschaftskapitänsmütze" * 3
    page.get_by_label("Title").fill(long)
    page.get_by_label("Name", exact=True).fill("long")
    page.get_by_label("Sentences").fill("99")
    page.get_by_role("button", name="Publish").click()
    page.wait_for_url("**/long/pipeline")
    for path in (
        "",
        "edit",
        "pipeline",
        "versions",
        "definition",
        "../",
        "../new",
        "../examples",
        "../import",
    ):
        page.goto(f"/workflows/long/{path}")
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 844})
            assert not form.scrolls_sideways(), (path, width)
        assert faults_by_day_and_night(page, widths=(390, 1440)) == [], path
