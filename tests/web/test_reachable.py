"""Nobody is sent where nothing is: each page that a role is offered opens, and so does each link on it."""

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import urldefrag, urljoin

import pytest
from django.test import Client

from accounts.models import FolderGrant
from accounts.roles import MEMBER_ROLES
from tests import factories as make

pytestmark = pytest.mark.django_db

_LINK = re.compile(r'<a\b[^>]*\bhref="([^"]*)"')
_MAIN = re.compile(r"<main\b.*?</main>", re.DOTALL)
_NAV = re.compile(r'<nav class="nav".*?</nav>', re.DOTALL)
_NO_PAGE = ("/api/", "/static/", "/logout")


def links_of(html: str, at: str) -> Iterator[str]:
    for href in _LINK.findall(html):
        path = urldefrag(urljoin(at, unescape(href)))[0]
        if path.startswith("/") and not path.startswith(_NO_PAGE):
            yield path


def page_of(client: Client, path: str) -> tuple[int, str]:
    answer = client.get(path, follow=True)
    is_page = answer.headers.get("Content-Type", "").startswith("text/html") and not answer.streaming
    return answer.status_code, answer.text if is_page else ""


@pytest.fixture(params=["empty", "with a run", "without folders"])
def home(request, db) -> None:
    """A tenant in which nothing is yet, or one workflow has run."""
    make.a_tenant()
    if request.param == "with a run":
        run_id = make.start(make.chain("noop"))[0]
        make.work()
        assert make.run(run_id).status == "COMPLETED"
    if request.param == "without folders":
        make.start(make.chain("noop"))
        FolderGrant.unsafe_all_tenants.all().delete()


@pytest.mark.parametrize("role", MEMBER_ROLES)
def test_whatever_a_role_is_offered_it_may_open(client, home, role):
    client.force_login(make.a_member("ann", role))
    _, start = page_of(client, "/")
    menu = [path for nav in _NAV.findall(start) for path in links_of(nav, "/")]
    assert menu
    seen: set[str] = set()
    closed = []
    pending = [("the menu", path) for path in menu]
    for depth in (0, 1):
        links: list[tuple[str, str]] = []
        for source, path in pending:
            if path in seen:
                continue
            seen.add(path)
            status, html = page_of(client, path)
            if status >= 400:
                closed.append((source, path, status))
            main = _MAIN.search(html)
            links += [(path, link) for link in links_of(main[0] if main else "", path)] if depth == 0 else []
        pending = links
    assert closed == []


@pytest.mark.parametrize("role", ["viewer", "approver", "operator"])
def test_who_makes_no_workflows_is_not_told_to_make_one(client, role):
    make.a_tenant()
    client.force_login(make.a_member("ann", role))
    for path in ("/", "/workflows/"):
        page = page_of(client, path)[1]
        for words in ("New pipeline", "Make a pipeline", "Chain two to four", "Take one of the three"):
            assert words not in page, (path, words)
