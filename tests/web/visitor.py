"""Somebody with a browser."""

from playwright.sync_api import ConsoleMessage, Locator, Page, Response

_WATCH_POLICY = """
addEventListener("securitypolicyviolation", (event) =>
    console.error(`policy: ${event.violatedDirective} refused ${event.blockedURI}`));
"""
# How many boxes are ticked in a list at the moment at which it has come anew.
_TICKED_WHEN_SWAPPED = """
(id) => new Promise((tell) => {
    document.body.addEventListener("htmx:afterSwap", ({ detail }) => {
        if (detail.target.id === id) tell(document.querySelectorAll(`#${id} .pick [name=ids]:checked`).length);
    });
    document.body.dispatchEvent(new CustomEvent("handoff:changed", { detail: { changed: ["all"], nodes: {} } }));
})
"""


class Visitor:
    """A page that is watched: what it complains about, and whom it asks."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.asked: list[str] = []
        self._said: list[tuple[str, str]] = []
        self._forgiven: list[str] = []
        self._documents: set[str] = set()
        page.add_init_script(_WATCH_POLICY)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self._said.append((str(error), "")))
        page.on("response", self._see)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._said.append((message.text, message.location["url"]))

    def _see(self, response: Response) -> None:
        self.asked.append(response.url)
        if response.request.is_navigation_request():
            self._documents.add(response.url)

    def complaints(self) -> list[tuple[str, str]]:
        """What the console said; that a page itself has a status like 404, was left while its socket was still being
        opened, or asked again before an answer had come, is no complaint.
        """
        return [
            (text, where)
            for text, where in self._said
            if not (where in self._documents and text.startswith("Failed to load resource"))
            and "closed before the connection is established" not in text
            and not text.startswith(("htmx:afterRequest,", "htmx:sendAbort,"))
            and not any(words in text for words in self._forgiven)
        ]

    def forgive(self, words: str) -> None:
        """Complaints with these words in them are what the test is about."""
        self._forgiven.append(words)

    def open(self, path: str) -> int:
        """Go there; gives the status of the page that came."""
        # A cookie that a script has just set is on its way: once the browser has told of them it is there.
        self.page.context.cookies()
        response = self.page.goto(path)
        assert response is not None
        return response.status

    def press(self, *keys: str) -> None:
        """Press keys, one after another, on a page whose scripts are there: a page is seen before it listens."""
        self.page.wait_for_load_state("load")
        for key in keys:
            self.page.keyboard.press(key)

    def ticked_when_swapped(self, list_id: str) -> int:
        """Have a list of this id come anew: so many of its boxes are ticked then."""
        return self.page.evaluate(_TICKED_WHEN_SWAPPED, list_id)

    def path(self) -> str:
        """Where they are."""
        return self.page.evaluate("location.pathname")

    def log_in(self, password: str) -> None:
        """Fill in the form of the login as ann."""
        self.page.get_by_label("Username").fill("ann")
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Log in").click()

    def heading(self) -> str:
        return self.page.get_by_role("heading", level=1).inner_text()

    def step(self, node: str) -> Locator:
        """A step on the page of its run."""
        return self.page.locator(f"[data-node={node}]")

    def scrolls_sideways(self) -> bool:
        """Whether the page is wider than its window."""
        # A locator waits for the document: between two pages there is none.
        return self.page.locator("html").evaluate("html => html.scrollWidth > innerWidth")
