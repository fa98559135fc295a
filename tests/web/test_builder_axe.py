"""All of the builder as axe sees it: every form, panel and dialog, by day and by night."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Membership
from steps.catalogue import CATALOGUE
from tests import factories as make
from tests.families import shown
from tests.inbox.asking import member
from tests.web.axe import Looks, faults_at
from tests.web.builder import Builder

pytestmark = pytest.mark.browser

Scene = tuple[str, Callable[[Page], None]]

UNDONE = {"retry": {"max_retries": 2}, "compensate": {"type": "noop"}}
TIMED = {"boundary_timers": [{"after_seconds": 60, "to": "noop"}], "input": {"text": "{{ input.order }}"}}
# The forms of these are like that of another one.
LIKE_OTHERS = {"noop", "text.summarize", "text.keywords", "text.translate"}
KINDS = [kind for kind in CATALOGUE if kind not in LIKE_OTHERS]
NODES = [
    {
        "id": kind.replace(".", "_"),
        "type": kind,
        "title": f"It is {kind}",
        "params": spec.example["params"],
        **TIMED,
    }
    | (UNDONE if kind == "http.request" else {})
    for kind, spec in CATALOGUE.items()
    if kind != "noop"
]
WAYS = [{"from": node["id"], "to": "noop", "when": "has(input.order)"} for node in NODES]
FIELDS = {"order": {"type": "string", "title": "Order"}, "day": {"type": "string", "format": "date"}}
ZOO = {
    "name": "zoo",
    "title": "Everything",
    "nodes": [*NODES, {"id": "noop", "type": "noop", "title": "The end"}],
    "edges": WAYS,
    "input_schema": {"type": "object", "properties": FIELDS},
}


@pytest.fixture
def zoo(visitor, ann) -> Builder:
    """A step of each kind, each with everything set that a form shows, for an author."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    member("eve", "approver", "Finance")
    visitor.page.emulate_media(reduced_motion="reduce")
    begun = {**make.chain("noop"), "name": CATALOGUE["subworkflow"].example["params"]["workflow"]}
    make.VersionFactory(workflow__tenant=make.a_tenant(), workflow__draft_definition=begun)
    make.a_workflow("zoo", ZOO)
    return Builder(visitor, "zoo")


def unfold(page: Page) -> None:
    """Opens every section of the form, and what opens in them."""
    closed = page.locator(".inspector details:not([open])")
    while closed.count():
        closed.evaluate_all("all => all.forEach((each) => { each.open = true; })")


def edit(page: Page, title: str) -> None:
    """The whole form of a step."""
    page.locator(".outline-row", has=page.get_by_text(title, exact=True)).click()
    unfold(page)


def way(page: Page) -> None:
    """The form of a way with a condition."""
    page.keyboard.press("Escape")
    edit(page, "It is http.request")
    page.get_by_role("button", name="Edit the connection to The end").first.click()


def dialog(key: str) -> Callable[[Page], None]:
    """What a key opens, over the canvas."""

    def opened(page: Page) -> None:
        page.get_by_role("treeitem").first.click()
        page.keyboard.press(key)
        expect(page.locator("dialog[open]")).to_be_visible()

    return opened


def panel(name: str) -> Callable[[Page], None]:
    """A panel below the canvas."""
    return lambda page: page.get_by_role("tab", name=name).click()


def cases(page: Page) -> None:
    """The test cases, of which there are none."""
    page.get_by_role("tab", name="Test").click()
    page.get_by_role("button", name="Test cases").click()


def compared(page: Page) -> None:
    """The draft beside a version that was published just now, and something changed since."""
    page.keyboard.press("Shift+p")
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(page.locator(".said")).to_contain_text("Published as version 1.")
    edit(page, "The end")
    page.locator("[data-title]").fill("The very end")
    page.get_by_role("tab", name="History").click()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("1 difference from version 1")).to_be_visible()


def tried(page: Page) -> None:
    """How a test run of one step went."""
    page.get_by_role("treeitem").last.click()
    page.get_by_role("tab", name="Test").click()
    page.get_by_role("button", name="Test run", exact=True).click()
    page.get_by_role("button", name="Only The very end").click()
    expect(page.locator(".test-step").first).to_be_visible()


def as_text(kind: str) -> Callable[[Page], None]:
    """The draft as text."""

    def opened(page: Page) -> None:
        if page.locator(".builder[data-view=code]").count() == 0:
            page.get_by_role("button", name="Text", exact=True).click()
        page.get_by_role("button", name=kind, exact=True).click()
        expect(page.locator(".cm-content").first).to_be_visible()

    return opened


KEYS = ("a", "c", "?", "Shift+p")
PANELS = ("Problems", "Test", "History")


def scenes() -> Iterator[Scene]:
    """What is looked at, one after the other."""
    yield "the workflow", unfold
    for kind in KINDS:
        yield kind, lambda page, kind=kind: edit(page, f"It is {kind}")
    yield "a way", way
    yield from ((f"the dialog of {key}", dialog(key)) for key in KEYS)
    yield from ((f"the panel {name}", panel(name)) for name in PANELS)
    yield "test cases", cases
    yield "a comparison", compared
    yield "a test run", tried
    yield from ((f"the draft as {kind}", as_text(kind)) for kind in ("JSON", "YAML"))


# What a scene changes, where that is not all over the page.
PLACES = {
    **dict.fromkeys(KINDS, ".inspector"),
    **{f"the dialog of {key}": "dialog[open]" for key in KEYS},
    **{f"the panel {name}": ".builder-bottom" for name in PANELS},
    "test cases": ".builder-bottom",
}


PALE = """(colour) => {
  for (const element of document.querySelectorAll("dialog[open] *"))
    element.style.setProperty("color", colour, "important");
}"""


@pytest.mark.parametrize("key", shown(KEYS, 1))
def test_texts_that_are_too_pale_are_found_in_a_dialog_by_day_and_by_night(zoo, key):
    dialog(key)(zoo.page)
    for time, colour in (("day", "#ddd"), ("night", "#333")):
        zoo.page.evaluate(PALE, colour)
        rules = [rule for rule, _ in faults_at(zoo.page, time, "dialog[open]")]
        assert "color-contrast" in rules, time


@pytest.mark.exhaustive
def test_nothing_of_the_builder_has_a_fault_that_axe_finds(zoo):
    found, looks = {}, Looks(zoo.page)
    for name, show in scenes():
        show(zoo.page)
        found[name] = looks.faults(PLACES.get(name, "html"))
        if zoo.page.locator("dialog[open]").count():
            zoo.page.keyboard.press("Escape")
    assert {name: seen for name, seen in found.items() if seen} == {}
