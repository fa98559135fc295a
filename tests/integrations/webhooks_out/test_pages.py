"""Webhooks that go out, in Settings: made, tested, switched, exchanged and deleted by forms; what a page costs."""

import re
from datetime import UTC, datetime

import pytest
from django.test import Client

from accounts.models import Membership
from integrations.webhooks_out import switching
from integrations.webhooks_out.models import OutgoingDelivery, OutgoingWebhook
from tests import factories as make
from tests.integrations.webhooks_out.receiving import deliver, receiving
from tests.store.watching import trips_of_page, watching
from tests.web.axe import faults_by_day_and_night
from tests.web.test_workflow_pages import a_workflow

pytestmark = pytest.mark.django_db

OUT = "/settings/webhooks/out"
HOOK = {"url": "https://shop.example/in", "description": "The shop", "workflow": "", "which": "all"}


@pytest.fixture
def admin(client):
    """The client, logged in as an admin of the default tenant."""
    client.force_login(make.a_member("ann", "admin"))
    return client


def made(client, **changes):
    """A webhook that was made by the form: the path of its page, and the secret that was shown."""
    page = client.post(OUT, HOOK | changes)
    assert page.status_code == 201, page.text
    assert "no-store" in page.headers["Cache-Control"]
    secret = re.search(r'id="secret"[^>]*? value="([^"]+)"', page.text).group(1)
    return f"{OUT}/{OutgoingWebhook.unsafe_all_tenants.latest('created_at').pk}", secret


def test_made_by_a_form_its_secret_shown_once(admin):
    assert "There are no webhooks out yet" in admin.get(OUT).text
    path, secret = made(admin)
    assert secret.startswith("whsec_")
    listed, page = admin.get(OUT).text, admin.get(path).text
    assert f'href="{path}"' in listed
    assert "The shop" in listed
    assert "https://shop.example/in" in page
    assert "Nothing has been sent yet" in page
    assert secret not in listed + page


def test_what_is_wrong_stands_at_its_field_and_what_was_typed_stays(admin):
    page = admin.post(OUT, HOOK | {"url": "shop", "which": "some", "events": ["run.failed"]})
    assert page.status_code == 422
    assert "This is not an address such as" in page.text
    assert 'value="run.failed" checked' in page.text
    assert "Name at least one event" in admin.post(OUT, HOOK | {"which": "some"}).text
    assert "There is no such workflow" in admin.post(OUT, HOOK | {"workflow": "no"}).text
    assert not OutgoingWebhook.unsafe_all_tenants.exists()


def test_edited_by_a_form(admin):
    path, _ = made(admin)
    OutgoingWebhook.unsafe_all_tenants.update(failures=3)
    form = admin.get(f"{path}/edit").text
    assert 'value="https://shop.example/in"' in form
    assert 'value="The shop"' in form
    changes = {
        "url": "https://shop.example/in",
        "description": "Till",
        "which": "some",
        "events": ["run.failed"],
    }
    assert admin.post(f"{path}/edit", changes).headers["Location"] == path
    hook = OutgoingWebhook.unsafe_all_tenants.get()
    # What failed there counts on: it is the same address.
    assert (hook.description, hook.all_events, hook.types, hook.failures) == (
        "Till",
        False,
        ["RUN_FAILED"],
        3,
    )
    assert 'value="run.failed" checked' in admin.get(f"{path}/edit").text
    admin.post(f"{path}/edit", changes | {"url": "https://till.example/", "which": "all"})
    hook = OutgoingWebhook.unsafe_all_tenants.get()
    assert (hook.url, hook.all_events, hook.failures) == ("https://till.example/", True, 0)


def test_what_is_wrong_in_an_edit_changes_nothing(admin):
    path, _ = made(admin)
    page = admin.post(f"{path}/edit", {"url": "till", "description": "Till", "which": "all"})
    assert page.status_code == 422
    assert "This is not an address such as" in page.text
    assert 'value="Till"' in page.text
    assert "Name at least one event" in admin.post(f"{path}/edit", HOOK | {"which": "some"}).text
    assert OutgoingWebhook.unsafe_all_tenants.get().description == "The shop"


def test_an_author_makes_one_of_a_workflow_and_not_of_all(client):
    a_workflow()
    client.force_login(make.a_member("ben", "author"))
    assert "All workflows" not in client.get(OUT).text
    assert client.post(OUT, HOOK).status_code == 403
    path, _ = made(client, workflow="ours")
    assert client.get(path).status_code == 200


def test_tested_sent_again_rotated_switched_and_deleted(admin, monkeypatch):
    with receiving(monkeypatch) as receiver:
        path, secret = made(admin, url=receiver.url)
        assert "A test is being sent" in admin.post(f"{path}/test", follow=True).text
        deliver()
        page = admin.get(path).text
        assert "arrived" in page
        assert "webhook.test" in page
        row = OutgoingDelivery.unsafe_all_tenants.get()
        assert "once more" in admin.post(f"{path}/deliveries/{row.pk}/replay", follow=True).text
        deliver()
        assert len(receiver.messages) == 2
        rotated = admin.post(f"{path}/rotate", {"overlap": "3600"}).text
        assert "The secret is shown only now" in rotated
        assert secret not in rotated
    assert "Choose how long" in admin.post(f"{path}/rotate", {"overlap": "x"}, follow=True).text
    assert "nothing is sent" in admin.post(f"{path}/switch", follow=True).text
    assert "Somebody switched it off" in admin.get(path).text
    assert "switch it on first" in admin.post(f"{path}/test", follow=True).text
    assert (
        "It receives events, those that waited first"
        in admin.post(f"{path}/switch", {"on": "1"}, follow=True).text
    )
    assert "is deleted" in admin.post(f"{path}/delete", follow=True).text
    assert not OutgoingWebhook.unsafe_all_tenants.exists()


def test_discarded_when_confirmed_and_sent_again_since_a_time(admin):
    path, _ = made(admin)
    admin.post(f"{path}/test")
    assert "1 event waits for it" in admin.get(path).text
    assert "tick the box" in admin.post(f"{path}/discard", follow=True).text
    assert OutgoingDelivery.unsafe_all_tenants.get().state == "pending"
    assert "1 event will not be sent" in admin.post(f"{path}/discard", {"confirm": "yes"}, follow=True).text
    row = OutgoingDelivery.unsafe_all_tenants.get()
    assert (row.state, row.error) == ("dropped", "Discarded by ann.")
    assert "Discard what waits" not in admin.get(path).text
    assert "Give a date" in admin.post(f"{path}/replay", {"since": "soon"}, follow=True).text
    assert (
        "in the last 30 days" in admin.post(f"{path}/replay", {"since": "2020-01-01T00:00"}, follow=True).text
    )
    since = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M")
    assert "with the same ids" in admin.post(f"{path}/replay", {"since": since}, follow=True).text
    assert "asked for by" in admin.get(path).text
    assert "being sent again already" in admin.post(f"{path}/replay", {"since": since}, follow=True).text


def test_failures_and_why_it_is_off_are_told(admin, monkeypatch):
    with receiving(monkeypatch) as receiver:
        receiver.answers = lambda one: 500
        path, _ = made(admin, url=receiver.url)
        admin.post(f"{path}/test")
        deliver()
    assert "The receiver answered 500." in admin.get(path).text
    assert "1 failed attempt" in admin.get(OUT).text
    assert "Try at once" in admin.get(path).text
    admin.post(f"{path}/switch", {"on": "1"})
    hook = OutgoingWebhook.unsafe_all_tenants.get()
    assert (hook.paused_until, hook.failures) == (None, 1)
    hook = OutgoingWebhook.unsafe_all_tenants.get()
    switching.switch_off(hook.pk, "failing", "The receiver answered 500.")
    assert switching.WORDS["failing"] in admin.get(path).text
    assert switching.WORDS["failing"] in admin.get(OUT).text


def test_the_number_of_statements_does_not_depend_on_how_much_there_is(admin):
    path, _ = made(admin)
    admin.post(f"{path}/test")
    before = trips_of_page(admin, OUT), trips_of_page(admin, path)
    for _ in range(5):
        made(admin)
        admin.post(f"{path}/test")
    assert (trips_of_page(admin, OUT), trips_of_page(admin, path)) == before


@pytest.mark.exhaustive
def test_the_pages_have_no_fault_that_axe_finds(visitor, monkeypatch):
    Membership.unsafe_all_tenants.update(role="admin")
    assert visitor.open(OUT) == 200
    assert faults_by_day_and_night(visitor.page) == []
    client = Client()
    client.force_login(make.a_user("ann"))
    with receiving(monkeypatch) as receiver:
        path, _ = made(client, url=receiver.url)
        client.post(f"{path}/test")
        deliver()
        receiver.answers = lambda one: 500
        make.start(make.chain("noop"))
        make.work()
        deliver()
    for address in (OUT, path):
        assert visitor.open(address) == 200
        assert faults_by_day_and_night(visitor.page) == []


def test_who_manages_webhooks_sees_on_the_page_of_messages_how_they_stand(client):
    client.force_login(make.a_member("vic", "viewer"))
    assert "Webhooks out" not in client.get("/operations/messages").text
    client.force_login(make.a_member("ann", "admin"))
    with watching() as seen:
        page = client.get("/operations/messages").text
    assert seen.trips <= 20
    for words in ("Webhooks out", "There are no webhooks out"):
        assert words in page
    made(client)
    assert "The shop" in client.get("/operations/messages").text
