"""Links of mails only open their task, for one person, once; nothing that is merely looked at changes anything."""

from uuid import UUID

import pytest
from django.core import signing
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import Session, User
from lib.uuid7 import uuid7
from tasks_inbox.mail import links, mailing
from tasks_inbox.models import Notification
from tests import factories as make
from tests.api.authorisation_matrix import MATRIX, address
from tests.inbox.asking import again, approval, asked, member
from tests.smtp import mailbox

OURS = {"HTTP_ORIGIN": "http://testserver", "HTTP_SEC_FETCH_SITE": "same-origin"}


@pytest.fixture
def task(db):
    member("ann")
    User.objects.filter(username="ann").update(email="ann@example.org")
    return asked(approval(candidates={"users": ["ann"]}, due_seconds=86_400))


@pytest.fixture
def mailed(task, monkeypatch):
    """The path of the link that Ann got."""
    with mailbox(monkeypatch) as box:
        mailing.tick(10)
        return box.link()


def browser(name=None):
    client = Client(enforce_csrf_checks=True)
    if name:
        client.force_login(User.objects.get(username=name))
    return client


def used():
    return Notification.unsafe_all_tenants.filter(opened_at__isnull=False).exists()


def everything():
    """All that is in the tables of tasks, runs and sessions."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
            " AND (table_name LIKE 'tasks_inbox%%' OR table_name LIKE 'runs_%%' OR table_name = 'accounts_session')"
        )
        names = sorted(name for (name,) in cursor.fetchall())
        rows = {}
        for name in names:
            cursor.execute(f'SELECT t::text FROM "{name}" t ORDER BY 1')
            rows[name] = cursor.fetchall()
    return rows


def test_looking_at_a_link_changes_nothing_and_sets_no_cookie(mailed):
    known = browser("ann")
    # Her session has the token of her forms from here on.
    known.get("/inbox/")
    before = everything()
    for client in (browser(), known):
        for more in ({}, {"HTTP_SEC_PURPOSE": "prefetch"}):
            page, head = client.get(mailed, **more), client.head(mailed, **more)
            assert (page.status_code, head.status_code) == (200, 200)
            assert "Open the task?" in page.content.decode()
            assert page["Cache-Control"].startswith("max-age=0")
            assert (page.cookies, head.cookies) == ({}, {})
    assert everything() == before
    assert not used()


def test_the_button_leads_past_the_login_to_the_task_and_only_once(mailed, task):
    client = browser()
    answer = client.post(mailed, **OURS)
    assert (answer.status_code, answer["Location"]) == (302, f"/login?next=%2Finbox%2F{task.pk}")
    assert "_auth_user_id" not in client.session
    assert client.get(f"/inbox/{task.pk}").status_code == 302
    for again_ in (client.get(mailed), client.post(mailed, **OURS), browser("ann").post(mailed, **OURS)):
        assert again_.status_code == 410
        assert "has already been used" in again_.content.decode()
    assert again(task).status == "OPEN"


def test_who_is_logged_in_gets_to_the_task_at_once(mailed, task):
    answer = browser("ann").post(mailed, **OURS)
    assert answer["Location"] == f"/inbox/{task.pk}"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"HTTP_ORIGIN": "https://evil.example"},
        {"HTTP_ORIGIN": "null"},
        {**OURS, "HTTP_SEC_FETCH_SITE": "cross-site"},
    ],
)
def test_a_post_from_elsewhere_is_refused_and_uses_nothing(mailed, headers):
    for client in (browser(), browser("ann")):
        assert client.post(mailed, **headers).status_code == 403
    assert not used()


def test_somebody_else_is_told_so_and_the_link_stays_good(mailed):
    member("bob", "admin")
    make.a_member("zoe", "admin", "theirs")
    for name in ("bob", "zoe"):
        for answer in (browser(name).get(mailed), browser(name).post(mailed, **OURS)):
            assert answer.status_code == 403
            assert "for somebody else" in answer.content.decode()
    assert not used()
    assert browser().post(mailed, **OURS).status_code == 302


def test_after_two_weeks_a_link_is_too_old(mailed):
    connection.cursor().execute(
        "UPDATE tasks_inbox_notification SET created_at = created_at - interval '14 days'"
    )
    for answer in (browser().get(mailed), browser().post(mailed, **OURS)):
        assert answer.status_code == 410
        assert "has expired" in answer.content.decode()
    assert not used()


def test_what_was_changed_or_signed_for_something_else_is_no_link(mailed, task):
    token = mailed.rpartition("/")[2]
    note = Notification.unsafe_all_tenants.get()
    said = signing.loads(token, salt="handoff.inbox.link")
    link = links.Link(note.pk, task.tenant_id, task.pk, "ann")
    forged = [
        token[:-1] + ("a" if token[-1] != "a" else "b"),
        "x" + token,
        "none",
        signing.dumps(said, salt="handoff.another"),
        signing.dumps(said, salt="handoff.inbox.link", key="another"),
        signing.dumps(["decide", *said[1:]], salt="handoff.inbox.link"),
        signing.dumps({"a": 1}, salt="handoff.inbox.link"),
        # Its end is over, whatever the row of the mail says.
        links.written(link, caused_at=0).rpartition("/")[2],
        # Signed by us, and of no mail that we have sent: another's, of another task, tenant or person.
        *(
            links.written(other, caused_at=4e9).rpartition("/")[2]
            for other in (
                links.Link(UUID(uuid7()), link.tenant, link.task, "ann"),
                links.Link(link.id, link.tenant + 1, link.task, "ann"),
                links.Link(link.id, link.tenant, UUID(uuid7()), "ann"),
                links.Link(link.id, link.tenant, link.task, "bob"),
            )
        ),
    ]
    for one in forged:
        path = reverse("inbox-open", args=[one])
        for answer in (browser().get(path), browser().post(path, **OURS)):
            assert answer.status_code == 404, one
    assert not used()
    assert not Session.objects.exists()


def test_no_route_of_tasks_changes_anything_when_it_is_looked_at(mailed, task):
    routes = [name for name in MATRIX if name.startswith(("task", "api-task", "inbox"))]
    assert len(routes) > 15
    client = browser("ann")
    client.get("/inbox/")
    before = everything()
    for name in routes:
        path = mailed if name == "inbox-open" else address(name, task=str(task.pk), run=str(task.run_id))
        for look in (client.get, client.head):
            assert look(path).status_code < 500, name
            assert look(f"{path}?outcome=approved&_method=POST&resolution=retry&to=ann").status_code < 500
    assert everything() == before
