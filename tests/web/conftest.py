"""Somebody with a browser in front of the web process."""

import threading
from collections.abc import Iterator

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
    _leave_nothing_in(window, site)
    _until_quiet()
    assert visitor.complaints() == []


def _leave_nothing_in(window: BrowserContext, site: str) -> None:
    """As new, but for what it knows of files that never change. Pages write when they are left: close them first."""
    window.set_offline(False)
    for page in window.pages:
        page.close()
    window.clear_permissions()
    window.clear_cookies()
    kinds = "cookies,file_systems,indexeddb,local_storage,service_workers,cache_storage"
    blank = window.new_page()
    window.new_cdp_session(blank).send("Storage.clearDataForOrigin", {"origin": site, "storageTypes": kinds})
    blank.close()


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


@pytest.fixture
def visitor(stranger, site, ann) -> Visitor:
    """Ann with a browser, logged in."""
    client = Client()
    client.force_login(ann)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    stranger.page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": site}])
    return stranger
