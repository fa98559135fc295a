"""The login: who gets in, how fast one may guess, and what the answers carry."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network

import pytest
from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.db import connection
from django.test import Client
from django.urls import path

from accounts import services, throttle
from accounts.access import page
from accounts.models import LoginAttempt, Membership, Tenant, User
from config.urls import urlpatterns as every_page
from lib.refusals import TooMany
from tests import factories as make
from tests.store.watching import watching

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return make.a_member("ann")


def log_in(client, password="a long password", **more):
    return client.post("/login", {"username": "ann", "password": password} | more)


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


def guesses(client, count, **more):
    return [log_in(client, "wrong", **more).status_code for _ in range(count)]


def fail(count, *, name="ann", place="127.0.0.1", seconds_ago=0):
    """Failures as they are kept."""
    at = datetime.now(UTC) - timedelta(seconds=seconds_ago)
    made = LoginAttempt.objects.bulk_create(
        LoginAttempt(username=name.format(number), address=place.format(number)) for number in range(count)
    )
    LoginAttempt.objects.filter(pk__in=[each.pk for each in made]).update(at=at)


def test_guessing_is_slowed_down_for_that_name_at_that_place_and_the_page_says_when(client, ann):
    fail(12)
    answer = log_in(client)
    assert answer.status_code == 429
    assert 60 < int(answer.headers["Retry-After"]) <= 128
    assert "Try again in " in answer.text
    assert re.search(r"at \d\d:\d\d:\d\d UTC", answer.text)
    assert log_in(Client(REMOTE_ADDR="192.0.2.7")).status_code == 302


def test_the_first_five_failures_cost_no_wait(client, ann):
    assert guesses(client, throttle.FREE) == [401] * throttle.FREE
    assert throttle.Counted(own=4, own_ago=0, here=4, here_ago=0, named=4).wait == 0


@pytest.mark.parametrize(("failures", "pause"), [(5, 1), (6, 2), (9, 16), (14, 512), (15, 900), (3000, 900)])
def test_the_pause_grows_to_a_quarter_of_an_hour(failures, pause):
    counted = throttle.Counted(own=failures, own_ago=0, here=0, here_ago=0, named=0)
    assert counted.wait == pause
    assert throttle.Counted(own=failures, own_ago=pause, here=0, here_ago=0, named=0).wait == 0


def test_after_the_pause_the_right_password_opens(client, ann):
    fail(12, seconds_ago=130)
    assert log_in(client).status_code == 302
    assert LoginAttempt.objects.count() == 0


def test_what_is_refused_costs_nothing_more(client, ann):
    fail(12)
    assert guesses(client, 5) == [429] * 5
    assert LoginAttempt.objects.count() == 12


def test_many_failures_of_others_at_an_address_lock_nobody_out(client, ann):
    fail(150, name="user{}", seconds_ago=2)
    assert log_in(client).status_code == 302


def test_an_address_that_guesses_many_names_may_try_once_a_second(client, ann):
    fail(150, name="user{}", seconds_ago=-3600)
    answer = log_in(client)
    assert answer.status_code == 429
    fail(150, name="other{}", place="192.0.2.8", seconds_ago=2)
    elsewhere = Client(REMOTE_ADDR="192.0.2.8")
    assert guesses(elsewhere, 1) == [401]
    assert guesses(elsewhere, 1) == [429]


def test_a_name_that_is_guessed_at_from_everywhere_still_gets_in_from_anywhere_else(client, ann):
    fail(500, place="198.51.100.{}")
    assert log_in(client).status_code == 302
    other = Client(REMOTE_ADDR="192.0.2.9")
    assert guesses(other, 3) == [401, 429, 429]


def test_a_browser_that_logged_in_before_gets_in_while_its_network_is_full_of_guesses(client, ann):
    assert log_in(client).status_code == 302
    client.post("/logout")
    fail(500, seconds_ago=0)
    assert log_in(Client()).status_code == 429
    assert log_in(client).status_code == 302
    cookie = client.cookies[settings.HANDOFF_DEVICE_COOKIE]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def test_a_known_browser_is_slowed_down_for_itself_and_known_for_its_own_names_alone(client, ann):
    log_in(client)
    client.post("/logout")
    assert guesses(client, throttle.FREE) == [401] * throttle.FREE
    assert guesses(client, 1) == [429]
    assert log_in(Client()).status_code == 302
    fail(500, name="bob")
    assert client.post("/login", {"username": "bob", "password": "x"}).status_code == 429


def test_a_cookie_that_is_not_ours_makes_no_browser_known(client, ann):
    client.cookies[settings.HANDOFF_DEVICE_COOKIE] = "WyJ4IixbImFubiJdXQ:1:x"
    fail(12)
    assert log_in(client).status_code == 429


def test_no_answer_tells_whether_there_is_such_a_name(ann):
    told = []
    for name in ("ann", "nobody"):
        client = Client()
        answers = [log_in(client, "wrong", username=name) for _ in range(throttle.FREE + 1)]
        told.append([(one.status_code, one.text.count("notice bad")) for one in answers])
    assert told[0] == told[1]


class CountingHasher(Argon2PasswordHasher):
    count = 0

    def encode(self, password, salt):
        CountingHasher.count += 1
        return super().encode(password, salt)

    def verify(self, password, encoded):
        CountingHasher.count += 1
        return super().verify(password, encoded)


def test_a_name_that_nobody_has_is_hashed_for_all_the_same(ann, settings):
    asked, hashed = [], []
    settings.PASSWORD_HASHERS = ["tests.accounts.test_login.CountingHasher"]
    for name in ("ann", "nobody"):
        CountingHasher.count = 0
        with watching() as seen:
            Client().post("/login", {"username": name, "password": "wrong"})
        asked.append(seen.trips)
        hashed.append(CountingHasher.count)
    assert asked[0] == asked[1]
    assert hashed == [1, 1]


def test_what_is_too_old_is_let_go(client, ann):
    fail(3, seconds_ago=3 * 3600)
    guesses(client, 1)
    assert LoginAttempt.objects.count() == 1


@pytest.mark.parametrize(
    ("forwarded", "place"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("203.0.113.5, 192.0.2.7", "192.0.2.7"),
        ("203.0.113.5, 192.0.2.7, 10.1.2.3", "192.0.2.7"),
        ("[2001:db8:1:2:3::4]:8080", "2001:db8:1:2::/64"),
        ("rubbish", "10.9.9.9"),
        ("", "10.9.9.9"),
    ],
)
def test_behind_a_trusted_proxy_the_place_is_the_clients(client, ann, settings, forwarded, place):
    settings.HANDOFF_TRUSTED_PROXIES = (ip_network("10.0.0.0/8"),)
    behind = Client(REMOTE_ADDR="10.9.9.9", headers={"X-Forwarded-For": forwarded})
    assert guesses(behind, 1) == [401]
    assert LoginAttempt.objects.get().address == place


def test_nobody_elses_word_for_where_they_come_from_is_taken(ann):
    client = Client(REMOTE_ADDR="192.0.2.7", headers={"X-Forwarded-For": "203.0.113.5"})
    assert guesses(client, 1) == [401]
    assert LoginAttempt.objects.get().address == "192.0.2.7"


@pytest.mark.django_db(transaction=True)
def test_guesses_at_the_same_time_are_all_counted(ann):
    def guess(number):
        try:
            services.check_login(username="ann", password=str(number), place="192.0.2.1")
        except (services.WrongPassword, TooMany) as refusal:
            return type(refusal)
        finally:
            connection.close()

    fail(throttle.FREE + 6, place="192.0.2.1", seconds_ago=3)
    fail(throttle.NAME_WATCHED, place="198.51.100.{}")
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(guess, range(24)))
    assert set(results) == {TooMany}
    LoginAttempt.objects.filter(address="192.0.2.1").delete()
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(guess, range(24)))
    assert results.count(services.WrongPassword) <= 3


def test_pages_carry_a_strict_policy(client):
    headers = client.get("/login").headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "no-store" in headers["Cache-Control"]


@pytest.mark.parametrize(
    "path", ["/login", "/no-such-page", "/api/v1/no-such-route", "/static/css/tokens.css"]
)
def test_every_answer_carries_the_policy_that_the_settings_say(client, settings, path):
    answer = client.get(path)
    answer.close()
    directives = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    said = {f"{name} {' '.join(values)}" for name, values in directives.items()}
    assert set(answer.headers["Content-Security-Policy"].split("; ")) == said


def test_the_login_page_has_nothing_inline(client):
    text = client.get("/login").text
    assert re.findall(r"<script(.*?)>(.*?)</script>", text) == [
        (' src="/static/js/zone.js" type="module"', "")
    ]
    assert "style=" not in text
    # But for the picture that a chat shows of a link, which is ours as well.
    assert "://" not in text.replace('content="http://testserver/static/handoff/card', "")


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
