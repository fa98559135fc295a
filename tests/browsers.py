"""One Chromium for all modules with browser tests that a process runs one after another."""

import shutil
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, expect, sync_playwright

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    # The pages of a window share a process: to start one, and to have it compile all, takes as long as a page.
    "--renderer-process-limit=1",
)
_WRITTEN = "cookies,file_systems,indexeddb,local_storage,service_workers,cache_storage"
# What has to be soon says so itself; the rest comes when a busy machine gets to it (5 s unless told).
expect.set_options(timeout=15_000)


@dataclass
class Running:
    """A browser, and what the tests of a site open their pages in: scripts and styles are fetched and compiled once for
    all.
    """

    playwright: Playwright
    browser: Browser
    windows: dict[tuple[str, int], BrowserContext] = field(default_factory=dict)

    def window(self, site: str, number: int = 0) -> BrowserContext:
        """One of this site, with a page that no test sees; each number has cookies of its own."""
        if (site, number) not in self.windows:
            window = self.browser.new_context(base_url=site, viewport={"width": 1440, "height": 900})
            window.new_page().goto("/healthz")
            self.windows[site, number] = window
        return self.windows[site, number]

    def clean(self, site: str, number: int = 0) -> None:
        """Leave a window as new, but for what it knows of files that never change."""
        window = self.windows[site, number]
        window.set_offline(False)
        kept, *opened = window.pages
        # Pages write when they are left: close them first.
        for page in opened:
            page.close()
        window.clear_permissions()
        window.clear_cookies()
        session = window.new_cdp_session(kept)
        session.send("Storage.clearDataForOrigin", {"origin": site, "storageTypes": _WRITTEN})
        session.detach()

    def close_others(self) -> None:
        """Close what tests opened beside the windows."""
        for context in self.browser.contexts:
            if context not in self.windows.values():
                context.close()


_running: list[Running] = []
_patch = pytest.MonkeyPatch()


def running() -> Running:
    """The browser, started where it is not there. While it is, an event loop runs in this thread."""
    if not _running:
        # Without a screen of its own it takes a quarter less of the processor.
        executable = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        if executable is None:
            pytest.skip("Chromium is missing: apt-get install chromium-headless-shell")
        # Because of that loop Django would refuse the database to the tests.
        _patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        playwright = sync_playwright().start()
        browser = playwright.chromium.launch(executable_path=executable, args=list(ARGUMENTS))
        _running.append(Running(playwright, browser))
    return _running[0]


def close_between(item: pytest.Item, to_come: pytest.Item | None) -> None:
    """Close it where a module ends and the next one does not begin with it: other tests have loops of their own."""
    goes_on = to_come is not None and (to_come.path == item.path or "chromium" in to_come.fixturenames)
    if _running and not goes_on:
        one = _running.pop()
        one.browser.close()
        one.playwright.stop()
        _patch.undo()


def first(items: list[pytest.Item]) -> None:
    """Put the modules that begin with a browser test one after another, and before the others: they take longest."""
    modules = {item.path: "chromium" in item.fixturenames for item in reversed(items)}
    items.sort(key=lambda item: not modules[item.path])
