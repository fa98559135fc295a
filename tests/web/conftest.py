"""Somebody with a browser in front of the web process."""

import threading
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, BrowserContext

from accounts.models import User
from tests import factories as make
from tests.browsers import running
from tests.serving import site
from tests.web.visitor import Visitor

__all__ = ["site"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser."""
    one = running()
    yield one.browser
    one.close_others()


@pytest.fixture
def ann(transactional_db) -> User:
    """A viewer of the default tenant."""
    return make.a_member("ann", "viewer")


@pytest.fixture(scope="module")
def window(site, chromium) -> BrowserContext:
    """What these tests open their pages in."""
    return running().window(site)


@pytest.fixture
def stranger(site, window, transactional_db) -> Iterator[Visitor]:
    """Somebody with a browser and no session; whatever their pages complain about fails the test."""
    visitor = Visitor(window.new_page())
    yield visitor
    running().clean(site)
    _until_quiet()
    assert visitor.complaints() == []


def _until_quiet() -> None:
    """Return when nobody else works on the database: what a page asked for last may still be on its way when it is
    closed, and would be in the way of the tables being emptied, or they in its.
    """
    quiet, pause = 0, threading.Event()
    for _ in range(200):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid() AND state <> 'idle'"
            )
            quiet = quiet + 1 if cursor.fetchone() == (0,) else 0
        if quiet == 3:
            return
        pause.wait(0.02)


def log_in(user: User, window: BrowserContext, site: str) -> None:
    """Whatever is opened in the window is opened by this user."""
    client = Client()
    client.force_login(user)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    window.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": site}])


@pytest.fixture
def visitor(stranger, site, ann) -> Visitor:
    """Ann with a browser, logged in."""
    log_in(ann, stranger.page.context, site)
    return stranger


@pytest.fixture
def another(site, chromium, transactional_db) -> Iterator[Callable[[str], Visitor]]:
    """Somebody else with a browser of their own, logged in: `another("bob")`; their complaints fail the test, too."""
    visitors: list[Visitor] = []

    def opened(username: str) -> Visitor:
        window = running().window(site, len(visitors) + 1)
        log_in(User.objects.get(username=username), window, site)
        visitors.append(Visitor(window.new_page()))
        return visitors[-1]

    yield opened
    for number in range(len(visitors)):
        running().clean(site, number + 1)
    _until_quiet()
    assert [visitor.complaints() for visitor in visitors] == [[] for _ in visitors]
