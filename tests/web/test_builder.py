"""The visual builder: steps are added, connected, moved, taken away, and all of it can be undone."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.web.axe import faults_by_day_and_night
from tests.web.builder import Builder

pytestmark = pytest.mark.browser

CHAIN = {
    "name": "ours",
    "title": "Ours",
    "nodes": [
        {"id": "first", "type": "text.clean", "title": "First"},
        {"id": "second", "type": "text.summarize", "title": "Second"},
        {"id": "third", "type": "text.keywords", "title": "Third"},
    ],
    "edges": [{"from": "first", "to": "second"}, {"from": "second", "to": "third"}],
}


@pytest.fixture
def author(visitor, ann):
    """Ann as an author."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    return visitor


@pytest.fixture
def empty(author) -> Builder:
    """The builder of a workflow without a step."""
    make.a_workflow("ours", {"name": "ours", "title": "Ours", "nodes": [], "edges": []})
    return Builder(author, "ours")


@pytest.fixture
def chain(author) -> Builder:
    """The builder of a chain of three steps."""
    make.a_workflow("ours", CHAIN)
    return Builder(author, "ours")


def test_a_new_workflow_is_made_with_a_title_and_opens_in_the_builder(author):
    author.open("/workflows/new")
    author.page.get_by_label("Title").fill("Ship it")
    author.page.get_by_role("button", name="Open the builder").click()
    author.page.wait_for_url("**/workflows/ship-it/edit")
    expect(author.page.get_by_role("button", name="Add the first step")).to_be_visible()


def test_a_chain_is_built_by_the_key_for_adding(empty):
    for search in ("clean", "summarize", "keywords"):
        empty.add(search)
    assert empty.cards() == ["Clean text", "Summarize", "Extract keywords"]
    assert empty.edges() == ["clean_text>summarize", "summarize>extract_keywords"]


def test_a_step_is_dropped_on_the_canvas_and_another_on_an_edge_which_it_splits(chain):
    chain.drag_step("Do nothing", 400, 300)
    edge = chain.page.locator("[data-id='first>second'] .react-flow__edge-interaction")
    box = edge.bounding_box()
    canvas = chain.page.locator(".canvas").bounding_box()
    chain.drag_step(
        "Decision",
        round(box["x"] + box["width"] / 2 - canvas["x"]),
        round(box["y"] + box["height"] / 2 - canvas["y"]),
    )
    assert chain.edges() == ["first>decision", "decision>second", "second>third"]
    assert len(chain.saved()["nodes"]) == 5


def test_steps_are_connected_by_mouse_and_what_would_be_a_circle_is_refused_with_the_reason(chain):
    chain.connect("First", "Third")
    assert chain.edges() == ["first>second", "second>third", "first>third"]
    chain.connect("Third", "First")
    expect(chain.page.locator(".said")).to_have_text("That would create a cycle: First comes before Third.")
    chain.connect("First", "Second")
    expect(chain.page.locator(".said")).to_have_text("First is already connected to Second.")
    assert len(chain.edges()) == 3


def test_an_edge_that_is_let_go_over_nothing_asks_for_the_step_that_comes_there(chain):
    page = chain.page
    handle = chain.card("Third").locator(".react-flow__handle.source").bounding_box()
    page.mouse.move(handle["x"] + 6, handle["y"] + 6)
    page.mouse.down()
    page.mouse.move(handle["x"] + 20, handle["y"] + 160, steps=8)
    page.mouse.up()
    page.get_by_role("combobox", name="Add a step after Third").fill("tag")
    page.keyboard.press("Enter")
    assert "third>tag_with_a_category" in chain.edges()


def test_a_move_is_one_act_and_can_be_undone(chain):
    chain.drag("Second", 60, 120)
    moved = chain.layout()["nodes"]
    assert set(moved) == {"first", "second", "third"}
    chain.page.keyboard.press("Control+z")
    back = chain.layout()["nodes"]
    assert back["second"] != moved["second"]
    assert 100 <= moved["second"]["y"] - back["second"]["y"] <= 140
    chain.page.keyboard.press("Control+Shift+z")
    assert chain.layout()["nodes"] == moved


def test_a_step_is_moved_by_arrow_keys_saved_and_undone(chain):
    chain.page.keyboard.press("0")
    chain.card("Second").click()
    chain.card("Second").focus()
    before = chain.card("Second").bounding_box()
    for _ in range(3):
        chain.page.keyboard.press("ArrowDown")
    places = chain.layout()["nodes"]
    assert chain.card("Second").bounding_box()["y"] > before["y"]
    chain.page.keyboard.press("Control+z")
    assert chain.layout()["nodes"]["second"]["y"] < places["second"]["y"]
    assert chain.card("Second").bounding_box() == before


def test_a_step_is_deleted_and_what_stood_around_it_can_be_connected(chain):
    chain.card("Second").click()
    chain.page.keyboard.press("Control+Delete")
    assert chain.edges() == ["first>third"]
    chain.page.keyboard.press("Control+z")
    assert chain.edges() == ["first>second", "second>third"]
    chain.card("Second").click()
    chain.page.keyboard.press("Delete")
    assert chain.edges() == []
    assert [node["id"] for node in chain.saved()["nodes"]] == ["first", "third"]
    chain.page.keyboard.press("Control+z")
    assert chain.saved() == CHAIN


def test_everything_is_undone_back_to_nothing_and_done_again(empty):
    for search in ("clean", "decision", "wait"):
        empty.add(search)
    empty.page.keyboard.press("Escape")
    empty.page.keyboard.press("n")
    empty.page.keyboard.press("Control+a")
    empty.page.keyboard.press("Control+d")
    empty.page.keyboard.press("g")
    built = (empty.saved(), empty.layout())
    assert len(built[0]["nodes"]) == 6
    assert {name for name, part in built[1].items() if part} == {"nodes", "notes", "groups"}
    while not empty.page.get_by_role("button", name="Undo").is_disabled():
        empty.page.keyboard.press("Control+z")
    assert empty.saved()["nodes"] == []
    assert not any(empty.layout().values())
    while not empty.page.get_by_role("button", name="Redo").is_disabled():
        empty.page.keyboard.press("Control+Shift+z")
    assert (empty.saved(), empty.layout()) == built


def test_undo_goes_on_after_the_page_was_loaded_again(empty):
    empty.add("clean")
    empty.add("wait")
    assert len(empty.saved()["nodes"]) == 2
    empty.page.reload()
    expect(empty.page.get_by_role("button", name="Undo: Add Wait")).to_be_enabled()
    empty.page.keyboard.press("Control+z")
    expect(empty.page.locator(".react-flow__node-step")).to_have_count(1)
    assert len(empty.saved()["nodes"]) == 1


def test_steps_are_copied_into_another_workflow(chain, author):
    chain.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    make.a_workflow("theirs", {"name": "theirs", "nodes": [], "edges": []})
    chain.page.keyboard.press("Control+a")
    chain.page.keyboard.press("Control+c")
    expect(chain.page.locator(".said")).to_have_text("Copied 3 items.")
    theirs = Builder(author, "theirs")
    theirs.page.keyboard.press("Control+v")
    assert theirs.edges() == ["first>second", "second>third"]


def test_the_whole_of_it_is_built_in_the_outline_by_keyboard_alone(empty):
    page = empty.page
    page.get_by_role("button", name="Add the first step").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("clean")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    for search in ("summarize", "keywords"):
        page.keyboard.press("/")
        page.keyboard.type(search)
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
    page.keyboard.press("Home")
    page.keyboard.press("c")
    page.keyboard.type("Extract")
    page.keyboard.press("Enter")
    assert empty.edges() == [
        "clean_text>summarize",
        "summarize>extract_keywords",
        "clean_text>extract_keywords",
    ]
    page.keyboard.press("End")
    page.keyboard.press("c")
    page.keyboard.type("Clean")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_contain_text("That would create a cycle")
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Delete")
    assert empty.edges() == ["clean_text>extract_keywords"]


def test_problems_are_told_while_one_works_and_lead_to_their_step(empty):
    empty.add("request")
    page = empty.page
    page.get_by_role("tab", name="Problems").click()
    problem = page.locator(".problem", has_text="Address is missing")
    expect(problem).to_be_visible()
    page.keyboard.press("Escape")
    problem.click()
    expect(empty.row("HTTP request")).to_have_attribute("aria-selected", "true")


def test_who_may_only_read_can_look_and_change_nothing(visitor):
    make.a_workflow("ours", CHAIN)
    builder = Builder(visitor, "ours")
    expect(builder.page.get_by_text("View only")).to_be_visible()
    builder.page.keyboard.press("a")
    builder.page.keyboard.press("Control+a")
    builder.page.keyboard.press("Delete")
    assert builder.page.get_by_role("dialog").count() == 0
    assert builder.cards() == ["First", "Second", "Third"]


def test_the_builder_has_no_fault_that_axe_finds(chain):
    chain.card("Second").click()
    chain.page.get_by_role("tab", name="Problems").click()
    assert faults_by_day_and_night(chain.page) == []
    chain.page.keyboard.press("Escape")
    chain.page.keyboard.press("a")
    assert faults_by_day_and_night(chain.page) == []


def retype(page, old: str, new: str) -> None:
    """Replaces a part of the text in the editor, as somebody would who searches for it."""
    page.locator(".cm-line", has_text=old).click()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.type(new)


def undoes(page, what: str) -> None:
    """Waits until this is what an undo would take back."""
    expect(page.get_by_role("button", name=f"Undo: {what}")).to_be_visible()


def test_the_draft_is_edited_as_text_in_json_and_yaml_and_that_is_undone_too(chain):
    page = chain.page
    page.get_by_role("button", name="Text").click()
    retype(page, '"title": "Second"', '"title": "Written as text"')
    undoes(page, "Edit as text")
    assert [node.get("title") for node in chain.saved()["nodes"]] == ["First", "Written as text", "Third"]
    page.get_by_role("button", name="YAML").click()
    retype(page, "title: Written as text", "title: [unfinished")
    expect(page.locator(".code-head [role=status]")).to_contain_text("until this is fixed")
    retype(page, "title: [unfinished", "title: In YAML")
    expect(page.locator(".code-head [role=status]")).to_contain_text("The same draft")
    page.get_by_role("button", name="Canvas").click()
    assert [node.get("title") for node in chain.saved()["nodes"]] == ["First", "In YAML", "Third"]
    assert chain.cards() == ["First", "In YAML", "Third"]
    page.get_by_role("button", name="Undo").click()
    expect(chain.card("In YAML")).to_have_count(0)


def test_a_name_in_the_text_can_not_become_another_workflow(chain):
    page = chain.page
    page.get_by_role("button", name="Text").click()
    retype(page, '"name": "ours"', '"name": "theirs",')
    expect(page.locator(".code-head [role=status]")).to_contain_text("can't be changed here")
    assert chain.saved()["name"] == "ours"


def test_it_is_published_from_the_builder_compared_and_restored(chain):
    page = chain.page
    page.keyboard.press("Shift+p")
    page.get_by_label("What’s new? (optional)").fill("The first one")
    page.locator(".ask-dialog").get_by_role("button", name="Publish").click()
    expect(page.locator(".said")).to_contain_text("Published as version 1.")
    chain.card("Second").click()
    page.keyboard.press("Control+Delete")
    page.get_by_role("tab", name="History").click()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="differences from version 1")).to_be_visible()
    expect(page.locator(".differences")).to_contain_text("Second")
    page.get_by_role("button", name="Restore").click()
    expect(page.locator(".said")).to_contain_text("Restored version 1.")
    assert chain.saved()["nodes"] == CHAIN["nodes"]
    page.get_by_role("button", name="Undo").click()
    assert len(chain.saved()["nodes"]) == 2


def test_a_draft_that_can_not_be_drawn_is_shown_as_text(author):
    twice = {"name": "ours", "nodes": [{"id": "a", "type": "noop"}, {"id": "a", "type": "noop"}], "edges": []}
    make.a_workflow("ours", twice)
    builder = Builder(author, "ours")
    expect(builder.page.locator(".code-head [role=status]")).to_contain_text("Two steps have the id a.")
    expect(builder.page.get_by_role("link", name="Fix it")).to_be_visible()


def test_a_test_run_of_the_draft_is_shown_on_the_canvas_and_its_output_is_pinned(chain):
    page = chain.page
    page.keyboard.press("t")
    page.locator(".test-asked textarea").fill('{"text": "The harbour froze. Ships waited for weeks."}')
    page.get_by_role("button", name="Run the draft").click()
    expect(page.locator(".test-result")).to_be_visible()
    make.work()
    expect(page.locator(".test-result header .status")).to_have_text("completed")
    expect(chain.card("Second").locator(".badge.status")).to_have_text("completed")
    page.locator(".test-step", has_text="Second").click()
    expect(page.locator(".test-values")).to_contain_text("The harbour froze.")
    page.get_by_role("button", name="Pin this output").click()
    assert "second" in chain.layout()["pins"]
    page.get_by_role("button", name="Test cases").click()
    page.get_by_label("Save the last test run as a test case").fill("Winter")
    page.get_by_role("button", name="Save test case").click()
    page.get_by_role("button", name="Run all 1").click()
    expect(page.locator(".said")).to_contain_text("1 test case passed.")
