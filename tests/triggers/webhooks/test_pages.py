"""Webhooks in Settings: made, looked at, switched, exchanged and deleted by forms; what each page says and costs."""

import re
import secrets

import pytest
from django.test import Client

from accounts.models import Membership
from tests import factories as make
from tests.store.watching import trips_of_page
from tests.triggers.webhooks import senders
from tests.web.axe import faults_by_day_and_night
from tests.web.test_workflow_pages import a_workflow
from tests.webhooks import Sender
from triggers.webhooks.models import InboundWebhook
from triggers.webhooks.presets import PRESETS
from triggers.webhooks.presets.base import SecretSource
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

STARTS = {"name": "shop", "workflow": "ours", "action": "start"}
WAITS = {
    "name": "ours",
    "nodes": [{"id": "paid", "type": "signal", "params": {"name": "paid", "timeout_seconds": 3600}}],
}
SIGNALS = STARTS | {
    "action": "signal",
    "business_key": "{{ body.order }}",
    "signal_name": "paid",
    "starts": "1",
}


@pytest.fixture
def author(client):
    """The client, logged in as an author of the default tenant."""
    client.force_login(make.a_member("ben", "author"))
    return client


def made(client, **changes):
    """A webhook that was made by the form: its address and its secret, as the page showed them, and its id."""
    page = client.post("/settings/webhooks", STARTS | changes)
    assert page.status_code == 201, page.text
    assert "no-store" in page.headers["Cache-Control"]
    shown = dict(re.findall(r'<input id="(url|secret)"[^>]*? value="([^"]+)"', page.text))
    return shown | {"id": str(InboundWebhook.unsafe_all_tenants.latest("created_at").pk), "page": page.text}


def test_a_webhook_is_made_by_a_form_and_its_secret_shown_once(author):
    a_workflow()
    assert "There are no webhooks yet" in author.get("/settings/webhooks").text
    hook = made(author)
    assert hook["secret"].startswith("whsec_")
    assert (
        f"SECRET=&#x27;{hook['secret']}&#x27;" in hook["page"] or f"SECRET='{hook['secret']}'" in hook["page"]
    )
    listed, page = author.get("/settings/webhooks").text, author.get(f"/settings/webhooks/{hook['id']}").text
    assert f'href="/settings/webhooks/{hook["id"]}"' in listed
    assert hook["url"] in page
    assert hook["secret"] not in listed + page
    workflow = author.get("/workflows/ours/").text
    assert f'href="/settings/webhooks/{hook["id"]}"' in workflow
    assert 'href="/settings/webhooks?workflow=ours#add"' in workflow
    assert '<option value="ours" selected>' in author.get("/settings/webhooks?workflow=ours").text


@pytest.mark.parametrize("preset", PRESETS)
def test_a_webhook_of_each_sender_is_made_by_the_form(author, preset):
    a_workflow()
    typed = {"preset": preset, "topic_arn": senders.TOPIC, "verify_token": "ours", "secret": ""}
    hook = made(author, **typed)
    title = PRESETS[preset].title
    assert f"Set it up at {title}" in hook["page"]
    stored = InboundWebhook.unsafe_all_tenants.get()
    # What was typed for another sender is left out.
    assert set(stored.settings or ()) == set(PRESETS[preset].settings)
    page = author.get(f"/settings/webhooks/{hook['id']}").text
    asks = PRESETS[preset].secret is SecretSource.SENDER
    assert ("it has no secret yet" in page, "Enter the secret" in hook["page"]) == (asks, asks)
    assert ("secret" in hook) == (PRESETS[preset].secret is SecretSource.EITHER)
    if asks:
        here = f"/settings/webhooks/{hook['id']}"
        assert "Enter the new secret" in author.post(f"{here}/rotate", follow=True).text
        assert "ASCII" in author.post(f"{here}/rotate", {"secret": "two words"}, follow=True).text
        entered = author.post(f"{here}/rotate", {"secret": "key-of-the-sender"})
        assert entered.status_code == 200
        assert "key-of-the-sender" not in entered.text
        assert "it has no secret yet" not in author.get(here).text


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"preset": "sns", "topic_arn": "orders"}, "topic_arn"),
        ({"preset": "meta"}, "verify_token"),
        ({"preset": "github", "secret": "two words"}, "secret"),
        ({"preset": "github", "unsigned": "1"}, "preset"),
        ({"preset": "none"}, "preset"),
    ],
)
def test_what_does_not_fit_the_sender_is_told_at_its_field(author, change, field):
    a_workflow()
    page = author.post("/settings/webhooks", STARTS | change)
    assert (page.status_code, f'id="{field}-fault"' in page.text) == (422, True)
    assert "two words" not in page.text


def test_what_came_of_its_messages_and_why_others_were_refused_is_told(author):
    a_workflow()
    hook = made(author, unsigned="1", body='{"text": "{{ body.words }}"}')
    sender = Sender(Client(), hook)
    run = sender.send({"words": "A harbour."}).json()["run_id"]
    assert sender.send({"other": 1}).status_code == 422
    assert sender.send(b"{").status_code == 400
    page = author.get(f"/settings/webhooks/{hook['id']}").text
    assert f'href="/runs/{run}"' in page
    assert "A harbour." in page
    assert re.findall(r"<code>(mapping_failed|bad_json)</code>", page) == ["bad_json", "mapping_failed"]
    listed = author.get("/settings/webhooks").text
    assert "refused (bad_json)" in listed
    assert "taken <time" in listed


def test_what_a_message_brought_is_not_even_unpacked_where_it_is_long(author):
    a_workflow()
    hook = made(author, unsigned="1", body='{"text": "{{ body.words }}"}')
    run = Sender(Client(), hook).send({"words": secrets.token_hex(10_000)}).json()["run_id"]
    page = author.get(f"/settings/webhooks/{hook['id']}").text
    row = page[page.index(f'href="/runs/{run}"') :]
    assert re.search(r">1\d\.\d\xa0KB, on the run's page<", row[: row.index("</tr>")])
    (taken,) = author.get(f"/api/v1/webhooks/{hook['id']}/deliveries").json()["taken"]
    assert (taken["brought"], taken["truncated"]) == ("", True)


def test_what_it_did_under_a_former_name_is_still_its_own(author):
    a_workflow()
    hook = made(author, unsigned="1")
    path = f"/api/v1/webhooks/{hook['id']}"
    first = Sender(Client(), hook).send({"text": "a"}).json()["run_id"]
    assert author.patch(path, {"name": "store"}, "application/json").status_code == 200
    second = Sender(Client(), hook).send({"text": "b"}).json()["run_id"]
    # Another one takes the name that is free now.
    other = made(author, unsigned="1")
    third = Sender(Client(), other).send({"text": "c"}).json()["run_id"]
    assert [runs_on(author, one) for one in (hook, other)] == [[second, first], [third]]


def runs_on(client, hook):
    return re.findall(r'href="/runs/([0-9a-f-]{36})"', client.get(f"/settings/webhooks/{hook['id']}").text)


def test_why_it_may_act_no_more_is_told_to_who_may_change_it(author):
    a_workflow()
    hook = made(author)
    InboundWebhook.unsafe_all_tenants.update(acts_for="gone")
    assert Sender(Client(), hook).send({"text": "a"}).status_code == 403
    page = author.get(f"/settings/webhooks/{hook['id']}").text
    assert "It acts for gone, who is no longer an active member." in page
    assert "maker_not_allowed" in page
    assert "taken <time" not in author.get("/settings/webhooks").text


def test_a_signal_is_told_with_the_run_that_it_went_to(author):
    a_workflow(definition=WAITS)
    hook = made(author, **SIGNALS)
    assert "BODY=&#x27;{&quot;order&quot;:&quot;1&quot;}&#x27;" in hook["page"] or "order" in hook["page"]
    sender = Sender(Client(), hook)
    run = sender.send({"order": "o-1"}).json()["run_id"]
    make.work()
    page = author.get(f"/settings/webhooks/{hook['id']}").text
    assert f'href="/runs/{run}">Signal paid to run' in page
    assert page.count("Started run") == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"workflow": "none"}, "workflow"),
        ({"action": "stop"}, None),
        ({"action": "signal"}, "business_key"),
        ({"action": "signal", "business_key": "{{ body.x }}"}, "signal_name"),
        ({"business_key": "{{ body. }}"}, "business_key"),
        ({"body": "{"}, "body"),
        ({"body": '"{{ input.x }}"'}, "body"),
    ],
)
def test_what_is_wrong_is_told_at_its_field_and_what_was_typed_stays(author, change, field):
    a_workflow()
    page = author.post("/settings/webhooks", STARTS | {"body": '{"kept": 1}'} | change)
    assert page.status_code == 422
    assert page.text.count('class="fault"') == 1
    assert field is None or f'id="{field}-fault"' in page.text
    assert "kept" in page.text or "body" in change
    assert not InboundWebhook.unsafe_all_tenants.exists()


def test_a_name_that_is_taken_is_told_at_the_name(author):
    a_workflow()
    made(author)
    page = author.post("/settings/webhooks", STARTS)
    assert (page.status_code, 'id="name-fault"' in page.text) == (409, True)


def test_it_is_switched_off_and_on_gets_another_secret_and_is_deleted(author):
    a_workflow()
    hook = made(author)
    here, sender = f"/settings/webhooks/{hook['id']}", Sender(Client(), hook)
    assert "410" in author.post(f"{here}/switch", follow=True).text
    assert sender.send({"text": "a"}).status_code == 410
    assert "webhook_disabled" in author.get(here).text
    assert author.post(f"{here}/switch", {"on": "1"}).status_code == 302
    rotated = author.post(f"{here}/rotate", {"overlap": "0"})
    secret = re.search(r'id="secret"[^>]*? value="([^"]+)"', rotated.text)[1]
    assert sender.send({"text": "a"}).status_code == 401
    assert Sender(Client(), hook, secret).send({"text": "a"}).status_code == 202
    assert author.post(f"{here}/rotate", {"overlap": "soon"}).status_code == 302
    deleted = author.post(f"{here}/delete", {"reason": "moved"}, follow=True)
    assert "There are no webhooks yet" in deleted.text
    assert sender.send({"text": "a"}).status_code == 404
    assert author.get(here).status_code == 404


def test_who_may_not_edit_the_workflow_sees_nothing_of_its_webhooks(author):
    workflow = a_workflow()
    hook = made(author)
    folder = make.FolderFactory(tenant_id=workflow.tenant_id)
    Workflow.objects.for_tenant(workflow.tenant_id).filter(pk=workflow.pk).update(folder=folder.pk)
    assert hook["id"] not in author.get("/settings/webhooks").text
    assert author.get(f"/settings/webhooks/{hook['id']}").status_code == 404
    assert author.post("/settings/webhooks", STARTS | {"name": "two"}).status_code == 422
    Membership.objects.for_tenant(workflow.tenant_id).update(role="viewer")
    assert author.get("/settings/webhooks").status_code == 403
    assert "/settings/webhooks" not in author.get("/settings/me").text


def test_the_pages_cost_the_same_for_few_and_for_many(author):
    a_workflow()
    hook = made(author, unsigned="1")
    here = f"/settings/webhooks/{hook['id']}"
    sender = Sender(Client(), hook)
    few = [trips_of_page(author, path) for path in ("/settings/webhooks", here)]
    for number in range(8):
        made(author, name=f"hook {number}")
        assert sender.send({"text": str(number)}).status_code == 202
    assert [trips_of_page(author, path) for path in ("/settings/webhooks", here)] == few
    assert max(few) <= 11


def test_the_pages_have_no_fault_that_axe_finds(visitor):
    Membership.unsafe_all_tenants.update(role="author")
    a_workflow()
    client = Client()
    client.force_login(make.a_user("ann"))
    hook = made(client)
    Sender(Client(), hook).send({"text": "A harbour."})
    Sender(Client(), hook, "whsec_" + "A" * 43 + "=").send({"text": "b"})
    for path in ("/settings/webhooks", f"/settings/webhooks/{hook['id']}"):
        assert visitor.open(path) == 200
        assert faults_by_day_and_night(visitor.page) == []


def test_the_page_of_messages_has_them_for_who_manages_webhooks(client):
    client.force_login(make.a_member("vic", "viewer"))
    assert "Webhooks in" not in client.get("/operations/messages").text
    client.force_login(make.a_member("ada", "admin"))
    page = client.get("/operations/messages").text
    assert "Webhooks in" in page
    assert "No system sends messages to a webhook" in page
