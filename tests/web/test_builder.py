"""The visual builder: steps are added, connected, moved, taken away, and all of it can be undone."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
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
    """Ann as an author, who likes things to stand still."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    visitor.page.emulate_media(reduced_motion="reduce")
    return visitor


@pytest.fixture
def chain(author) -> Builder:
    """The builder of a chain of three steps."""
    make.a_workflow("ours", CHAIN)
    return Builder(author, "ours")


def undo(builder: Builder, acts: int = 1) -> None:
    """Takes back so much by keys, which is all that was done to the chain."""
    for _ in range(acts):
        builder.page.keyboard.press("Control+z")
    assert builder.saved() == CHAIN


def test_a_chain_is_changed_by_mouse_each_act_is_undone_and_it_is_copied(chain):
    drop_steps(chain)
    connect_steps(chain)
    let_go_over_nothing(chain)
    move_by_mouse(chain)
    move_by_arrow_keys(chain)
    delete_a_step(chain)
    copy_into_another_workflow(chain)


def drop_steps(chain: Builder) -> None:
    """One on the canvas, and another on an edge, which it splits."""
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
    undo(chain, 2)


def connect_steps(chain: Builder) -> None:
    """What would be a circle is refused with the reason, and so is what is there already."""
    chain.connect("First", "Third")
    assert chain.edges() == ["first>second", "second>third", "first>third"]
    chain.connect("Third", "First")
    expect(chain.page.locator(".said")).to_have_text("That would create a cycle: First comes before Third.")
    chain.connect("First", "Second")
    expect(chain.page.locator(".said")).to_have_text("First is already connected to Second.")
    assert len(chain.edges()) == 3
    undo(chain)


def let_go_over_nothing(chain: Builder) -> None:
    """An edge asks for the step that comes there."""
    page = chain.page
    handle = chain.card("Third").locator(".react-flow__handle.source").bounding_box()
    page.mouse.move(handle["x"] + 6, handle["y"] + 6)
    page.mouse.down()
    page.mouse.move(handle["x"] + 20, handle["y"] + 160, steps=3)
    page.mouse.up()
    page.get_by_role("combobox", name="Add a step after Third").fill("tag")
    page.keyboard.press("Enter")
    assert "third>tag_with_a_category" in chain.edges()
    undo(chain)


def move_by_mouse(chain: Builder) -> None:
    """A move is one act."""
    chain.page.keyboard.press("0")
    chain.card("Second").hover()  # which waits until all of the chain is in sight again
    chain.drag("Second", 60, 120)
    moved = chain.layout()["nodes"]
    assert set(moved) == {"first", "second", "third"}
    chain.page.keyboard.press("Control+z")
    back = chain.layout()["nodes"]
    assert back["second"] != moved["second"]
    assert 100 <= moved["second"]["y"] - back["second"]["y"] <= 140
    chain.page.keyboard.press("Control+Shift+z")
    assert chain.layout()["nodes"] == moved
    chain.page.keyboard.press("Control+z")
    assert chain.layout()["nodes"] == back


def move_by_arrow_keys(chain: Builder) -> None:
    """They are one act, too."""
    chain.card("Second").click()
    chain.card("Second").focus()
    before, stood = chain.card("Second").bounding_box(), chain.layout()["nodes"]
    for _ in range(3):
        chain.page.keyboard.press("ArrowDown")
    assert chain.layout()["nodes"]["second"]["y"] > stood["second"]["y"]
    assert chain.card("Second").bounding_box()["y"] > before["y"]
    chain.page.keyboard.press("Control+z")
    assert chain.layout()["nodes"] == stood
    assert chain.card("Second").bounding_box() == before


def delete_a_step(chain: Builder) -> None:
    """What stood around it can be connected."""
    chain.card("Second").click()
    chain.page.keyboard.press("Control+Delete")
    assert chain.edges() == ["first>third"]
    undo(chain)
    chain.card("Second").click()
    chain.page.keyboard.press("Delete")
    assert chain.edges() == []
    assert [node["id"] for node in chain.saved()["nodes"]] == ["first", "third"]
    undo(chain)


def copy_into_another_workflow(chain: Builder) -> None:
    """Which is undone there, also after the page was loaded again."""
    chain.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    make.a_workflow("theirs", {"name": "theirs", "nodes": [], "edges": []})
    chain.card("First").click()
    chain.page.keyboard.press("Control+a")
    chain.page.keyboard.press("Control+c")
    expect(chain.page.locator(".said")).to_have_text("Copied 3 items.")
    theirs = Builder(chain.visitor, "theirs")
    theirs.page.keyboard.press("Control+v")
    assert theirs.edges() == ["first>second", "second>third"]
    theirs.page.reload()
    expect(theirs.page.get_by_role("button", name="Undo: Paste")).to_be_enabled()
    theirs.page.keyboard.press("Control+z")
    expect(theirs.page.locator(".react-flow__node-step")).to_have_count(0)
    assert theirs.saved()["nodes"] == []


def test_a_chain_is_built_by_keys_undone_back_to_nothing_and_done_again(author):
    make.a_workflow("ours", {"name": "ours", "title": "Ours", "nodes": [], "edges": []})
    empty, page = Builder(author, "ours"), author.page
    expect(page.get_by_role("button", name="Add the first step")).to_be_visible()
    for search in ("clean", "request", "wait"):
        empty.add(search)
    assert empty.cards() == ["Clean text", "HTTP request", "Wait"]
    assert empty.edges() == ["clean_text>http_request", "http_request>wait"]
    go_to_a_problem(empty)
    for key in ("n", "Control+a", "Control+d", "g"):
        page.keyboard.press(key)
    built = (empty.saved(), empty.layout())
    assert len(built[0]["nodes"]) == 6
    assert {name for name, part in built[1].items() if part} == {"nodes", "notes", "groups"}
    while not page.get_by_role("button", name="Undo").is_disabled():
        page.keyboard.press("Control+z")
    assert empty.saved()["nodes"] == []
    assert not any(empty.layout().values())
    while not page.get_by_role("button", name="Redo").is_disabled():
        page.keyboard.press("Control+Shift+z")
    assert (empty.saved(), empty.layout()) == built


def go_to_a_problem(builder: Builder) -> None:
    """The server tells of it while one works, and it leads to its step."""
    builder.page.get_by_role("tab", name="Problems").click()
    problem = builder.page.locator(".problem", has_text="Address is missing")
    expect(problem).to_be_visible()
    expect(builder.row("HTTP request")).to_have_attribute("aria-selected", "false")
    problem.click()
    expect(builder.row("HTTP request")).to_have_attribute("aria-selected", "true")
    builder.page.keyboard.press("Escape")


def test_a_draft_is_edited_as_text_published_compared_restored_and_tested(chain):
    edit_as_text(chain)
    publish_and_restore(chain)
    try_and_pin(chain)
    rename_in_the_text(chain)


def retype(page, old: str, new: str) -> None:
    """Replaces a part of the text in the editor, as somebody would who searches for it; its end is typed."""
    page.locator(".cm-line", has_text=old).click()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.insert_text(new[:-3])
    page.keyboard.type(new[-3:])


def edit_as_text(chain: Builder) -> None:
    """In JSON and in YAML; that is undone, too."""
    page = chain.page
    page.get_by_role("button", name="Text").click()
    retype(page, '"title": "Second"', '"title": "Written as text"')
    expect(page.get_by_role("button", name="Undo: Edit as text")).to_be_visible()
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
    while chain.saved() != CHAIN:
        page.get_by_role("button", name="Undo: Edit as text").click()


def publish_and_restore(chain: Builder) -> None:
    """A version, and the draft beside it."""
    page = chain.page
    chain.card("First").click()
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
    undo(chain)


def try_and_pin(chain: Builder) -> None:
    """A test run of the draft is shown on the canvas, its output is pinned, and it is kept as a test case."""
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


def rename_in_the_text(chain: Builder) -> None:
    """A name in the text can't become another workflow."""
    chain.page.get_by_role("button", name="Text", exact=True).click()
    chain.page.get_by_role("button", name="JSON", exact=True).click()
    retype(chain.page, '"name": "ours"', '"name": "theirs",')
    expect(chain.page.locator(".code-head [role=status]")).to_contain_text("can't be changed here")
    assert chain.saved()["name"] == "ours"
