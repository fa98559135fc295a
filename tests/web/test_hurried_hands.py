"""What people do faster, later or otherwise than a page expects, with a browser."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.web.axe import faults
from workflows.models import Workflow

pytestmark = pytest.mark.browser

WAITS = make.graph([{"id": "a", "type": "job", "queue": "pricing"}], [])
A_TEXT = {"name": "a.txt", "mimeType": "text/plain", "buffer": b"From a file."}
EMPTY = {"name": "zero.txt", "mimeType": "text/plain", "buffer": b""}


@pytest.fixture
def admin(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="admin")
    return visitor


@pytest.fixture
def form(admin):
    """A new pipeline of one step that summarizes."""
    admin.open("/workflows/new")
    admin.page.get_by_label("Title").fill("Mine")
    admin.page.locator("[data-add='text.summarize']").click()
    return admin


def named(name: str, definition=None):
    """A published workflow of this name."""
    version = make.a_version({**(definition or make.chain("text.clean")), "name": name})
    Workflow.objects.for_tenant(version.tenant_id).filter(pk=version.workflow_id).update(name=name)
    return version


def test_enter_in_the_palette_waits_for_what_was_typed(visitor):
    named("invoices")
    visitor.open("/")
    page = visitor.page
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option", name="Home")).to_be_visible()
    page.get_by_role("combobox").press_sequentially("invoices")
    page.keyboard.press("Enter")
    page.wait_for_url("**/workflows/invoices/")


def test_a_form_whose_sending_was_stopped_can_be_sent_again_and_is_guarded(form):
    page = form.page
    page.clock.install()
    page.reload()
    page.get_by_label("Title").fill("Mine")
    # Stopped: the browser stays where it is.
    page.route("**/workflows/new", lambda route: route.fulfill(status=204))
    save = page.get_by_role("button", name="Save draft")
    save.click()
    page.clock.fast_forward(6000)
    assert page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))")
    page.unroute("**/workflows/new")
    save.click()
    page.wait_for_url("**/workflows/mine/pipeline")


def test_a_run_that_was_resumed_elsewhere_can_be_cancelled_here(admin):
    run_id = make.start(make.chain("text.clean"), {"text": 42})[0]
    make.work()
    admin.open(f"/runs/{run_id}")
    make.resume(run_id)
    admin.page.evaluate("document.body.dispatchEvent(new CustomEvent('handoff:changed'))")
    admin.page.get_by_role("button", name="Cancel…").click()
    expect(admin.page.get_by_role("dialog", name="Cancel this run?")).to_be_visible()


def test_the_last_runs_of_a_workflow_follow(admin):
    version = named("ours", WAITS)
    admin.open("/workflows/ours/")
    expect(admin.page.get_by_text("No runs yet")).to_be_visible()
    run_id = make.start_version(version, {})[0]
    expect(admin.page.locator(f"a[href='/runs/{run_id}']")).to_be_visible(timeout=15_000)


def test_a_type_that_is_chosen_again_has_what_was_typed_and_what_is_missing_is_where_one_goes_on(form):
    page = form.page
    page.get_by_label("Sentences").fill("7-2")
    page.get_by_label("Type of step 1").select_option("text.tag")
    page.get_by_label("Categories, row 1: Name").fill("Sport")
    page.get_by_label("Type of step 1").select_option("text.summarize")
    expect(page.get_by_label("Sentences")).to_have_value("7-2")
    page.get_by_label("Type of step 1").select_option("text.tag")
    expect(page.get_by_label("Categories, row 1: Name")).to_have_value("Sport")
    expect(page.get_by_label("Type of step 1")).to_have_value("text.tag")
    page.get_by_role("button", name="Save draft").click()
    page.wait_for_url("**/pipeline")
    nodes = Workflow.objects.for_tenant(make.a_tenant().pk).get().draft_definition["nodes"]
    assert [(node["type"], node["params"]) for node in nodes] == [("text.tag", {"categories": ["Sport"]})]
    page.get_by_label("Categories, row 1: Name").fill("S" * 101)
    with page.expect_navigation():
        page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("alert")).to_contain_text("2 problems prevent publishing")
    expect(page.locator("fieldset.wrong")).to_have_attribute("aria-invalid", "true")
    assert faults(page) == []


def test_no_file_takes_away_what_was_typed_and_a_menu_is_left_by_escape_and_by_tab(admin):
    named("ours")
    admin.open("/workflows/ours/")
    page = admin.page
    text, file = page.get_by_label("Text", exact=True), page.locator("[data-drop-file]")
    text.fill("Typed.")
    file.set_input_files(EMPTY)
    expect(page.get_by_role("status").filter(has_text="zero.txt is empty")).to_be_visible()
    expect(text).to_have_value("Typed.")
    file.set_input_files(A_TEXT)
    expect(text).to_have_value("From a file.")
    page.get_by_role("button", name="Undo").click()
    expect(text).to_have_value("Typed.")
    expect(text).to_be_focused()
    menu = page.locator("details.menu")
    summary = menu.locator("summary")
    summary.click()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    expect(summary).to_be_focused()
    page.keyboard.press("Enter")
    expect(menu).to_have_attribute("open", "")
    for _ in range(menu.locator("a, button").count() + 1):
        page.keyboard.press("Tab")
    expect(menu).not_to_have_attribute("open", "")


def test_a_file_begins_as_it_does_at_every_round_trip(admin):
    named("ours")
    admin.open("/workflows/ours/start")
    page = admin.page
    page.get_by_label("Input", exact=True).fill("\n\nTyped.")
    page.get_by_label("JSON", exact=True).check()
    for _ in range(2):
        page.get_by_role("button", name="Start the run").click()
        expect(page.locator("#input-fault")).to_be_visible()
        expect(page.get_by_label("Input", exact=True)).to_have_value("\n\nTyped.")
    expect(page.get_by_label("Input", exact=True)).to_be_focused()
    expect(page.get_by_label("Input", exact=True)).to_have_accessible_description(
        page.locator("#input-fault").inner_text()
    )


def test_without_a_script_nothing_is_shown_that_does_nothing(admin, chromium, site):
    run_id = make.start(WAITS, {})[0]
    named("ours")
    context = chromium.new_context(base_url=site, java_script_enabled=False)
    context.add_cookies(admin.page.context.cookies())
    page = context.new_page()
    page.goto(f"/runs/{run_id}")
    expect(page.get_by_role("button", name="Cancel…")).to_be_hidden()
    page.get_by_label("Reason").fill("a typo")
    page.get_by_role("button", name="Cancel the run").click()
    assert make.events(run_id, "RUN_CANCELLING")[0].payload["reason"] == "a typo"
    page.goto("/workflows/ours/")
    for gone in ("Choose a file", "Loading the last runs", "Go to anything"):
        expect(page.get_by_text(gone)).to_be_hidden()
    expect(page.get_by_role("link", name="All its runs")).to_be_visible()
    page.get_by_role("button", name="Archive it").click()
    expect(page.get_by_text("ours is archived")).to_be_visible()
    context.close()


def test_a_print_has_what_was_and_nothing_to_press(admin):
    page = admin.page
    run = make.start(make.chain("noop"), {"text": "a printed text"})[0]
    make.work()
    admin.open(f"/runs/{run}")
    page.emulate_media(media="print", color_scheme="dark")
    for gone in (".side", ".head .actions", ".value-foot >> nth=0"):
        expect(page.locator(gone)).to_be_hidden()
    # What is folded on the screen is not on paper, and the ink is dark there whatever the reader's theme.
    expect(page.locator(".value-body", has_text="a printed text").first).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
