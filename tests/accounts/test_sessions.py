"""When a session ends: idle, old, or because who has it is not who they were; and who is asked how often."""

import time
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts import sessions
from accounts.models import Membership, Session, User
from accounts.seats import seat_of
from accounts.sessions import AUTOMATIC, SessionStore
from lib import named_sql
from tests import factories as make
from tests.api.authorisation_matrix import MATRIX, PUBLIC, address
from tests.sockets import session_of
from tests.store.watching import watching

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return a_member("ann")


def a_member(name, role="admin"):
    return make.a_member(name, role)


@pytest.fixture
def page(ann, settings):
    settings.HANDOFF_IDLE_SECONDS = 1800
    client = Client()
    client.force_login(ann)
    return client


def seen(client, seconds_ago):
    session = client.session
    session["seen_at"] = time.time() - seconds_ago
    session.save()


def test_a_session_without_anybody_at_it_ends(page):
    assert page.get("/").status_code == 200
    seen(page, 1801)
    assert page.get("/").status_code == 302
    assert page.get("/api/v1/workflows").status_code == 401


def test_what_somebody_does_keeps_it_alive_and_is_noted_once_a_minute(page):
    seen(page, 1700)
    page.get("/settings/password")
    noted = page.session["seen_at"]
    assert noted > time.time() - 60
    page.get("/settings/password")
    assert page.session["seen_at"] == noted


def test_a_page_that_refreshes_itself_keeps_nothing_alive(page):
    seen(page, 1700)
    before = page.session["seen_at"]
    for path in ("/", "/inbox/", "/runs/", "/api/v1/workflows"):
        assert page.get(path, headers={AUTOMATIC: "1"}).status_code == 200
    assert page.session["seen_at"] == before


def test_a_session_ends_so_long_after_the_login_however_much_is_done(page, settings):
    key = page.session.session_key
    ends = Session.objects.get(pk=key).expire_date
    assert abs(ends - timezone.now() - timedelta(hours=12)) < timedelta(minutes=5)
    seen(page, 1700)
    page.get("/")
    assert abs(Session.objects.get(pk=key).expire_date - ends) < timedelta(seconds=1)


def test_who_logs_out_while_a_page_is_on_its_way_stays_logged_out(page):
    store = SessionStore(page.session.session_key)
    assert store["_auth_user_id"]
    store["seen_at"] = time.time() - 600
    page.post("/logout")
    sessions.NoteActivity._note(store)
    assert not Session.objects.filter(pk=store.session_key).exists()


def test_all_sessions_are_asked_for_in_three_statements(ann):
    bob = a_member("bob", "viewer")
    keys = [session_of(user) for user in (ann, bob) for _ in range(20)]
    with watching() as wire:
        found = sessions.principals(keys)
    assert wire.trips == 3
    assert {found[key].username for key in keys} == {"ann", "bob"}
    with watching() as wire:
        sessions.principals(keys[:1])
    assert wire.trips == 3


def idle(key, user):
    store = SessionStore(key)
    store["seen_at"] = time.time() - 1_000_000
    store.save()


def too_old(key, user):
    Session.objects.filter(pk=key).update(expire_date=timezone.now())


def another_password(key, user):
    user.set_password("another long one")
    user.save()


def inactive(key, user):
    User.objects.update(is_active=False)


def no_member(key, user):
    Membership.objects.for_tenant(make.a_tenant().pk).delete()


@pytest.mark.parametrize("end", [idle, too_old, another_password, inactive, no_member])
def test_nobody_is_logged_in_with_a_session_that_is_over(ann, end):
    key = session_of(ann)
    assert set(sessions.principals([key])) == {key}
    end(key, ann)
    assert sessions.principals([key]) == {}


@pytest.mark.parametrize("end", [idle, too_old, another_password, inactive, no_member])
def test_a_page_asks_anew_each_time_whose_session_it_is(page, ann, end):
    assert page.get("/").status_code == 200
    assert page.get("/api/v1/me").status_code == 200
    end(page.session.session_key, ann)
    assert page.get("/").status_code == (403 if end is no_member else 302)
    assert page.get("/api/v1/me").status_code == 401


def test_a_session_that_another_password_ended_is_deleted(page, ann):
    key = page.session.session_key
    another_password(key, ann)
    assert page.get("/settings/password").status_code == 302
    assert not Session.objects.filter(pk=key).exists()


def test_a_session_whose_key_was_signed_by_a_former_secret_holds(page, settings):
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another secret"
    assert page.get("/settings/password").status_code == 200
    # From now on without the former one.
    settings.SECRET_KEY_FALLBACKS = []
    assert page.get("/settings/password").status_code == 200


def test_a_session_of_a_backend_that_is_none_any_more_is_nobodys(page, ann, settings):
    settings.AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.RemoteUserBackend"]
    assert page.get("/").status_code == 302


def test_who_is_logged_in_is_found_with_the_session_whole_and_as_the_model_has_them(page, ann):
    store = SessionStore(page.session.session_key)
    assert store["seen_at"]
    found = store.found_user
    assert found.get_deferred_fields() == set()
    stored = User.objects.get(pk=ann.pk)
    assert [getattr(found, field.attname) for field in User._meta.concrete_fields] == [
        getattr(stored, field.attname) for field in User._meta.concrete_fields
    ]
    assert store.found_seat == seat_of(ann.pk)


def test_the_seat_that_is_found_with_a_session_is_the_first_one_with_what_folders_grant(page, ann):
    make.a_member("ann", "viewer", "second")
    tenant = make.a_tenant()
    Membership.objects.for_tenant(tenant.pk).filter(user=ann).update(role="author")
    store = SessionStore(page.session.session_key)
    assert store["seen_at"]
    seat = store.found_seat
    assert (seat.tenant_id, seat.role) == (tenant.pk, "author")
    assert seat.granted
    assert seat == seat_of(ann.pk)


def test_a_page_reads_its_session_and_its_reader_in_one_statement(page, monkeypatch):
    # The first one notes that somebody is there, and for which forms.
    assert page.get("/runs/").status_code == 200
    asked: list[str] = []
    monkeypatch.setattr(named_sql, "watchers", [asked.append])
    with CaptureQueriesContext(connection) as by_django:
        assert page.get("/runs/").status_code == 200
    assert [name for name in asked if name in ("session_of", "seat_of")] == ["session_of"]
    tables = ("accounts_session", "accounts_user", "accounts_membership")
    assert [
        one["sql"] for one in by_django if any(f'FROM "{table}" WHERE' in one["sql"] for table in tables)
    ] == []


def test_a_key_that_is_none_is_nobody(ann):
    assert sessions.principals(["", "nonsense"]) == {}


def test_what_a_page_or_route_shows_somebody_is_kept_nowhere(page):
    gettable = [name for name, row in MATRIX.items() if row.methods.get("GET") not in (None, PUBLIC)]
    answers = {name: page.get(address(name)) for name in gettable}
    # None of them has logged anybody out.
    assert page.get("/").status_code == 200
    said = {name: answer.headers.get("Cache-Control", "") for name, answer in answers.items()}
    assert {name: control for name, control in said.items() if "no-store" not in control} == {}
    assert len(said) > 100


def test_the_login_is_kept_nowhere_and_static_files_are(client):
    assert "no-store" in client.get(reverse("login")).headers["Cache-Control"]
    static = client.get("/static/css/tokens.css")
    assert static.status_code == 200
    assert "no-store" not in static.headers["Cache-Control"]
    static.close()
