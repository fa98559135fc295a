"""Dialogs of the builder dim the whole page; keys and copies act on the canvas and in the outline only."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.web.builder import Builder

pytestmark = pytest.mark.browser

CHAIN = {
    "name": "chain",
    "title": "Chain",
    "nodes": [{"id": name, "type": "noop", "title": name.title()} for name in ("first", "second", "third")],
    "edges": [{"from": "first", "to": "second"}, {"from": "second", "to": "third"}],
}
DIALOGS = {"a": ".add-dialog", "c": ".add-dialog", "Control+f": ".add-dialog", "?": ".keys-dialog"}
BACKDROP = """dialog => {
  const style = getComputedStyle(dialog, "::backdrop");
  return [parseFloat(style.width) - innerWidth, parseFloat(style.height) - innerHeight, style.backgroundColor];
}"""


@pytest.fixture
def chain(visitor, ann) -> Builder:
    """The builder of a chain of three steps, as an author sees it."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    make.a_workflow("chain", CHAIN)
    return Builder(visitor, "chain")


def test_every_dialog_dims_the_whole_page(chain):
    chain.row("First").click()
    for key, selector in DIALOGS.items():
        chain.page.keyboard.press(key)
        dialog = chain.page.locator(f"{selector}[open]")
        expect(dialog).to_be_visible()
        wider, higher, colour = dialog.evaluate(BACKDROP)
        assert (wider, higher) == (0, 0), key
        assert colour != "rgba(0, 0, 0, 0.1)", f"the veil of the browser at {key}"
        chain.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)


def test_keys_of_the_graph_do_nothing_beside_it(chain):
    chain.card("First").click()
    for place in (".builder-bottom [role=tab]", ".builder-head .builder-title", ".inspector [data-title]"):
        chain.page.locator(place).first.click()
        chain.page.keyboard.press("Delete")
        chain.page.keyboard.press("Backspace")
        assert len(chain.cards()) == 3, place
    # A press on the empty canvas gives the focus to the page, which has no field either: a key there is for the canvas.
    chain.row("Second").click()
    chain.page.locator(".react-flow__pane").click(position={"x": 20, "y": 150})
    chain.page.keyboard.press("Control+a")
    chain.page.keyboard.press("Delete")
    expect(chain.page.locator(".react-flow__node-step")).to_have_count(0)


def test_a_copy_is_inserted_behind_the_selected_step_and_taken_back_by_one_undo(chain):
    chain.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chain.card("First").click()
    chain.page.keyboard.press("Control+c")
    chain.page.keyboard.press("Control+v")
    expect(chain.page.locator(".react-flow__node-step")).to_have_count(4)
    assert sorted(chain.edges()) == ["first>first_2", "first_2>second", "second>third"]
    boxes = [card.bounding_box() for card in chain.page.locator(".react-flow__node-step").all()]
    lefts = sorted(box["x"] for box in boxes if box)
    assert all(other - one > boxes[0]["width"] for one, other in pairwise(lefts))
    chain.row("Second").click()
    chain.page.keyboard.press("Control+z")
    assert chain.edges() == ["first>second", "second>third"]
