"""The login: who gets in, how fast one may guess, and what the answers carry."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client
from django.urls import path

from accounts import services
from accounts.access import page
from accounts.models import LoginAttempt, Membership, Tenant, User
from config.urls import urlpatterns as every_page
from lib.refusals import TooMany

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    user = User.objects.create_user("ann", "a long password")
    Membership.objects.create(tenant=services.ensure_default_tenant(), user=user, role="viewer")
    return user


def log_in(client, password="a long password", **more):
    return client.post("/login", {"username": "ann", "password": password, **more})


def test_the_right_password_opens_a_session(client, ann):
    answer = log_in(client)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    cookie = next(iter(answer.cookies.values()))
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert client.session["_auth_user_id"] == str(ann.pk)


@pytest.mark.parametrize("password", ["", "wrong", "A long password", "a long password "])
def test_another_password_does_not(client, ann, password):
    answer = log_in(client, password)
    assert answer.status_code in (200, 401)
    assert "_auth_user_id" not in client.session


def test_neither_does_the_right_one_of_somebody_who_left(client, ann):
    User.objects.update(is_active=False)
    assert log_in(client).status_code == 401


def test_the_form_needs_its_csrf_token(ann):
    assert log_in(Client(enforce_csrf_checks=True)).status_code == 403


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil"]
)
def test_the_way_back_never_leads_elsewhere(client, ann, target):
    assert log_in(client, next=target).headers["Location"] == "/"


def test_the_way_back_leads_to_where_one_wanted(client, ann):
    assert log_in(client, next="/runs/?q=1").headers["Location"] == "/runs/?q=1"


def test_logging_out_ends_the_session(client, ann):
    log_in(client)
    assert client.get("/logout").status_code == 405
    assert client.post("/logout").headers["Location"] == "/login"
    assert "_auth_user_id" not in client.session


def test_guessing_is_slowed_down_for_that_name_and_address(client, ann):
    for _ in range(services.ATTEMPTS_PER_USER_AND_ADDRESS):
        assert log_in(client, "wrong").status_code == 401
    assert log_in(client).status_code == 429
    assert log_in(Client(REMOTE_ADDR="192.0.2.7")).status_code == 302


def test_an_address_that_guesses_many_names_is_slowed_down(client, ann):
    LoginAttempt.objects.bulk_create(
        LoginAttempt(username=f"user{number}", address="127.0.0.1")
        for number in range(services.ATTEMPTS_PER_ADDRESS)
    )
    assert log_in(client).status_code == 429


def test_success_forgets_the_failures(client, ann):
    for _ in range(services.ATTEMPTS_PER_USER_AND_ADDRESS - 1):
        log_in(client, "wrong")
    assert log_in(client).status_code == 302
    assert LoginAttempt.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_guesses_at_the_same_time_are_all_counted(ann, monkeypatch):
    tried = []
    monkeypatch.setattr(services, "authenticate", lambda **given: tried.append(given["password"]))

    def guess(number):
        try:
            services.check_login(username="ann", password=str(number), address="192.0.2.1")
        except (services.WrongPassword, TooMany) as refusal:
            return type(refusal)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(guess, range(40)))
    assert len(tried) <= services.ATTEMPTS_PER_USER_AND_ADDRESS
    assert TooMany in results


def test_pages_carry_a_strict_policy(client):
    headers = client.get("/login").headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "no-store" in headers["Cache-Control"]


def test_the_login_page_has_nothing_inline(client):
    text = client.get("/login").text
    assert "<script" not in text
    assert "style=" not in text
    assert "://" not in text


@page("runs:operate")
def operators_page(request):
    raise AssertionError(request.principal)


urlpatterns = [path("operate", operators_page), *every_page]


def test_a_page_sends_strangers_to_the_login_and_shuts_out_those_without_its_scope(client, ann, settings):
    settings.ROOT_URLCONF = "tests.accounts.test_login"
    settings.LOGIN_URL = "/login"
    assert client.get("/operate").headers["Location"] == "/login?next=/operate"
    client.force_login(ann)
    assert client.get("/operate").status_code == 403
    Membership.objects.for_tenant(Tenant.objects.get().pk).update(role="operator")
    with pytest.raises(AssertionError, match="operator"):
        client.get("/operate")
