"""The web process as `make up` serves it, on the tests' database, and somebody with a browser in front of it."""

import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, sync_playwright

from accounts.models import Membership, User
from config.embedded.processes import wait_until
from tests import factories as make
from tests.web.visitor import Visitor

ROOT = Path(__file__).resolve().parents[2]
SERVE = (
    "import sys; from config.asgi import application; from config.web import serve;"
    "serve(application, int(sys.argv[1]))"
)
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


@pytest.fixture(scope="session")
def site(django_db_setup) -> Iterator[str]:
    """The address of a web process that serves this session's database."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(listening.fileno())],
            cwd=ROOT,
            env=_environment(),
            pass_fds=[listening.fileno()],
        )
    try:
        wait_until(lambda: _answers(address) or process.poll() is not None, 30, "the web process")
        yield address
    finally:
        process.terminate()
        process.wait(20)


def _environment() -> dict[str, str]:
    parts = urlsplit(settings.DATABASE_URL)
    ours = urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}"))
    secret = {"HANDOFF_SECRET_KEY": settings.SECRET_KEY}
    return os.environ | secret | {"DATABASE_URL": ours, "HANDOFF_PROCESS": "web"}


def _answers(address: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{address}/healthz", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser, closed with each module: while it runs, an event loop does in this thread."""
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("Chromium is missing: apt-get install chromium")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Because of that loop Django would refuse the database to the tests.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        browser = playwright.chromium.launch(executable_path=executable, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def ann(transactional_db) -> User:
    """A viewer of the default tenant."""
    user = User.objects.create_user("ann", "a long password")
    Membership.objects.create(tenant=make.a_tenant(), user=user, role="viewer")
    return user


@pytest.fixture
def stranger(site, chromium, transactional_db) -> Iterator[Visitor]:
    """Somebody with a browser and no session; whatever their pages complain about fails the test."""
    context = chromium.new_context(base_url=site, viewport={"width": 1440, "height": 900})
    visitor = Visitor(context.new_page())
    yield visitor
    context.close()
    assert visitor.complaints() == []


@pytest.fixture
def visitor(stranger, site, ann) -> Visitor:
    """Ann with a browser, logged in."""
    client = Client()
    client.force_login(ann)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    stranger.page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": site}])
    return stranger
