"""The builder in a browser: what a person does in it, by mouse and by keyboard."""

from collections.abc import Callable

from playwright.sync_api import Locator, expect

from tests import factories as make
from tests.web.visitor import Visitor
from workflows.models import Workflow

SAVED = "[data-state=saved][data-waiting='0']"
# More than any test does before it takes all of it back.
MOST_ACTS = 40


class Builder:
    """The builder of one workflow, opened."""

    def __init__(self, visitor: Visitor, name: str, *, is_open: bool = False) -> None:
        self.visitor, self.name, self.page = visitor, name, visitor.page
        if not is_open:
            visitor.open(f"/workflows/{name}/edit")
        expect(self.page.locator(".builder")).to_be_visible()

    def card(self, title: str) -> Locator:
        """A step on the canvas."""
        return self.page.locator(".react-flow__node-step", has=self.page.get_by_text(title, exact=True))

    def row(self, title: str) -> Locator:
        """A step in the outline."""
        return self.page.get_by_role("treeitem").filter(has_text=title)

    def row_of(self, node: str) -> Locator:
        """A step in the outline, by its id."""
        return self.page.locator(f"[role=treeitem][data-node={node}]")

    def cards(self) -> list[str]:
        """The titles of the steps on the canvas."""
        return self.page.locator(".react-flow__node-step strong").all_inner_texts()

    def add(self, search: str) -> None:
        """A step by the key `A` and a search; the hands are in its title."""
        if self.page.locator(".inspector :focus").count():
            # In a field it is a letter.
            self.page.keyboard.press("Escape")
        self.page.keyboard.press("a")
        self.page.locator(".add-dialog [role=combobox]").fill(search)
        self.page.keyboard.press("Enter")
        expect(self.page.locator("[data-title]")).to_be_focused()

    def drag_step(self, title: str, x: int, y: int) -> None:
        """A step type from the palette to a place of the canvas."""
        self.page.get_by_role("tab", name="Add a step").click()
        canvas = self.page.locator(".canvas")
        source = self.page.locator(".palette-step", has=self.page.get_by_text(title, exact=True))
        source.drag_to(canvas, target_position={"x": x, "y": y})

    def zoom_out(self) -> None:
        """More of the canvas in sight, its middle where it was."""
        for _ in range(3):
            self.page.locator(".react-flow__controls-zoomout").click()

    def connect(self, source: str, target: str) -> None:
        """An edge drawn by mouse from one step to another."""
        self._pull(
            self.card(source).locator(".react-flow__handle.source"),
            self.card(target).locator(".react-flow__handle.target"),
        )

    def drag(self, title: str, x: int, y: int) -> None:
        """A step moved on the canvas by mouse."""
        box = self.card(title).bounding_box()
        assert box is not None
        start = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(start[0] + x / 2, start[1] + y / 2, steps=4)
        self.page.mouse.move(start[0] + x, start[1] + y, steps=4)
        self.page.mouse.up()

    def _pull(self, start: Locator, end: Locator) -> None:
        for handle, press in ((start, self.page.mouse.down), (end, self.page.mouse.up)):
            box = handle.bounding_box()
            assert box is not None
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=8)
            press()

    def saved(self) -> dict:
        """The draft, when everything is saved."""
        expect(self.page.locator(SAVED)).to_be_visible()
        return self._row().draft_definition

    def take_all_back(self, undo: Callable[[], object]) -> None:
        """By as many undos as there were acts."""
        nothing = self.page.get_by_title("Nothing to undo", exact=True)
        for _ in range(MOST_ACTS):
            if nothing.count():
                break
            undo()
        expect(nothing).to_be_disabled()

    def _row(self) -> Workflow:
        return Workflow.objects.for_tenant(make.a_tenant().pk).get(name=self.name)

    def edges(self) -> list[str]:
        """The edges of the saved draft."""
        return [f"{edge['from']}>{edge['to']}" for edge in self.saved()["edges"]]

    def layout(self) -> dict:
        """What lies beside the definition, when everything is saved."""
        self.saved()
        return self._row().draft_layout
