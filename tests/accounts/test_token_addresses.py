"""A token may be used from some networks alone, and so may those that are made with it."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from accounts import networks, tokens
from accounts.models import TOKEN_ENDS, AccountMail, ApiToken
from accounts.principal import Forbidden
from accounts.services import authenticate_token, create_token
from lib.refusals import Invalid
from tests.people import People

URL = "/api/v1/tokens"
OFFICE = ["10.1.0.0/16", "2001:db8::/32"]


@pytest.fixture
def people(db):
    return People()


@pytest.fixture
def api(people):
    return people.client("admin")


def made(api, **more):
    answer = api.post(URL, {"name": "nightly", "queues": ["*"], **more})
    assert answer.status_code == 201, answer.json()
    return answer.json()


def call(api, text, address, **headers):
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return api.get("/api/v1/me", REMOTE_ADDR=address, headers=headers)


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("10.1.2.3", 200),
        ("2001:db8::7", 200),
        ("10.2.0.1", 403),
        ("::1", 403),
        ("", 403),
        ("::ffff:10.1.2.3", 200),
    ],
)
def test_it_opens_nothing_from_elsewhere(api, address, status):
    text = made(api, allowed_ips=OFFICE)["token"]
    answer = call(api, text, address)
    assert answer.status_code == status
    assert status == 200 or answer.json()["error"]["code"] == "address_not_allowed"


def test_what_a_client_says_of_its_address_is_not_believed_unless_a_trusted_proxy_says_so(api, settings):
    text = made(api, allowed_ips=["10.1.0.0/16"])["token"]
    assert call(api, text, "192.0.2.1", **{"X-Forwarded-For": "10.1.2.3"}).status_code == 403
    settings.HANDOFF_TRUSTED_PROXIES = (networks.ip_network("192.0.2.0/24"),)
    assert call(api, text, "192.0.2.1", **{"X-Forwarded-For": "10.1.2.3"}).status_code == 200
    assert call(api, text, "192.0.2.1", **{"X-Forwarded-For": "10.1.2.3, 192.0.2.9"}).status_code == 200
    assert call(api, text, "192.0.2.1", **{"X-Forwarded-For": "10.1.2.3, 203.0.113.1"}).status_code == 403


def test_a_wrong_secret_is_told_nothing_of_addresses(api):
    text = made(api, allowed_ips=OFFICE)["token"]
    answer = call(api, text[:-6] + "aaaaaa", "192.0.2.1")
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "authentication_failed")


def test_one_without_a_list_may_be_used_from_everywhere_and_lists_are_shown(api):
    assert made(api)["allowed_ips"] == []
    shown = made(api, allowed_ips=["10.1.2.3", "10.1.2.3/32", " 10.1.0.0/16 "])
    assert shown["allowed_ips"] == ["10.1.2.3/32", "10.1.0.0/16"]
    assert api.get(f"{URL}/{shown['id']}").json()["allowed_ips"] == shown["allowed_ips"]


@pytest.mark.parametrize("wrong", ["10.1.2.3/16", "nowhere", "", "1" * 43, "10.0.0.0/33", "fe80::1%eth0/128"])
def test_what_is_no_network_is_refused(api, wrong):
    answer = api.post(URL, {"name": "x", "queues": ["*"], "allowed_ips": [wrong]})
    assert answer.status_code == 400
    assert answer.json()["error"]["field"].startswith("allowed_ips")


def test_one_that_is_made_with_it_may_be_used_from_nowhere_else(api):
    text = made(api, allowed_ips=OFFICE)["token"]
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    inside = {"REMOTE_ADDR": "10.1.2.3"}
    assert api.post(URL, {"name": "a", "queues": ["*"]}, **inside).json()["allowed_ips"] == OFFICE
    assert (
        api.post(URL, {"name": "b", "queues": ["*"], "allowed_ips": ["10.1.7.0/24"]}, **inside).status_code
        == 201
    )
    wider = api.post(URL, {"name": "c", "queues": ["*"], "allowed_ips": ["10.0.0.0/8"]}, **inside)
    assert (wider.status_code, wider.json()["error"]["field"]) == (403, "allowed_ips")


def test_rotated_it_keeps_its_list_and_can_not_be_made_wider_by_another(people, api):
    limited, free = made(api, allowed_ips=OFFICE), made(api)
    assert api.post(f"{URL}/{limited['id']}/rotate", {}).json()["allowed_ips"] == OFFICE
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {made(people.client('admin'), allowed_ips=OFFICE)['token']}")
    assert api.post(f"{URL}/{free['id']}/rotate", {}, REMOTE_ADDR="10.1.2.3").json()["allowed_ips"] == OFFICE


def test_too_many_networks_are_refused():
    with pytest.raises(Invalid, match="50"):
        networks.written(f"10.0.0.{number}" for number in range(51))


def test_the_command_makes_one(people):
    user = people.member("admin")
    _token, text = create_token(user=user, tenant=people.tenant(), allowed_ips=["10.1.0.0/16"])
    with pytest.raises(Forbidden, match="unknown"):
        authenticate_token(text)
    assert authenticate_token(text, "10.1.0.1").username == user.username


# That it ends is told.


def ends_in(people, days, life=90):
    user = people.member("operator")
    token, _ = create_token(user=user, tenant=people.tenant(), name="nightly")
    mine = ApiToken.unsafe_all_tenants.filter(pk=token.pk)
    mine.update(expires_at=Now() + timedelta(days=days), created_at=Now() + timedelta(days=days - life))
    return mine


def mails():
    return list(AccountMail.unsafe_all_tenants.filter(kind=TOKEN_ENDS).values_list("user__username", "by"))


@pytest.mark.parametrize(
    ("days", "life", "count"),
    [(13.9, 90, 1), (14.1, 90, 0), (-1, 90, 0), (6, 7, 0), (0.9, 7, 1), (0.5, 1, 0)],
)
def test_its_user_is_told_two_weeks_ahead_or_a_day_where_it_lives_for_days(people, days, life, count):
    ends_in(people, days, life)
    assert tokens.warn_of_ends() == count
    assert mails() == [("operator-of-ours", "nightly")] * count


def test_it_is_told_once_for_each_time_ahead(people):
    token = ends_in(people, 10)
    assert (tokens.warn_of_ends(), tokens.warn_of_ends()) == (1, 0)
    token.update(expires_at=F("expires_at") - timedelta(days=9.5))
    assert (tokens.warn_of_ends(), tokens.warn_of_ends()) == (1, 0)
    assert len(mails()) == 2


def test_of_a_revoked_one_nothing_is_told(people):
    ends_in(people, 10).update(revoked_at=Now())
    assert tokens.warn_of_ends() == 0


@pytest.mark.django_db(transaction=True)
def test_two_processes_tell_it_once_together(people):
    for _ in range(20):
        ends_in(people, 10)
    told = []

    def tell():
        try:
            told.append(tokens.warn_of_ends())
        finally:
            connection.close()

    threads = [threading.Thread(target=tell) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(told) + tokens.warn_of_ends() == len(mails()) == 20


def test_the_page_and_the_api_say_so(people, client):
    ends_in(people, 10)
    assert [one["ends_soon"] for one in people.client("operator").get(URL).json()["results"]].count(True) == 1
    client.force_login(people.member("operator"))
    assert "soon" in client.get("/settings/tokens").content.decode()
