"""A webhook acts for who made or last changed it: what they may no more, messages don't do (R-132, R-162)."""

from html import unescape

import pytest
from django.test import Client

from accounts import folders
from accounts.folders import Grant
from accounts.models import Membership, User
from runs.models import Run
from tests.api.hooks import ORDER, publish
from tests.webhooks import Sender
from triggers.webhooks.models import InboundWebhook, WebhookDelivery
from workflows.models import Workflow

pytestmark = pytest.mark.django_db
NEW = {"order": "o-1"}


@pytest.fixture
def author(people):
    """An author, by name."""
    return people.member("author").username


@pytest.fixture
def hook(people, api):
    """A sender to a webhook of the author's that starts runs."""
    publish(api, ORDER)
    sent = {"name": "shop", "workflow": "order", "action": "start", "mapping": {}}
    answer = people.client("author").post("/api/v1/webhooks", sent)
    assert answer.status_code == 201, answer.json()
    return Sender(Client(), answer.json())


def move_to(people, *verbs):
    """Move all workflows to a folder that lets authors do this."""
    grants = [Grant(verbs, "author")] if verbs else []
    folder = folders.create_folder(people.principal("admin"), "Elsewhere", grants)
    Workflow.unsafe_all_tenants.update(folder=folder)


def refused(answer):
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (403, "maker_not_allowed")
    assert "author" not in error["message"]
    assert not Run.unsafe_all_tenants.exists()
    return WebhookDelivery.unsafe_all_tenants.get().refused


def test_who_is_deactivated_starts_nothing_by_their_webhook(hook, author):
    User.objects.filter(username=author).update(is_active=False)
    assert refused(hook.send(NEW)) == f"It acts for {author}, who is no longer an active member."


def test_who_lost_the_scope_starts_nothing_by_their_webhook(hook, author):
    Membership.unsafe_all_tenants.filter(user__username=author).update(role="viewer")
    assert refused(hook.send(NEW)) == f"It acts for {author}, whose role (viewer) may not start runs."


def test_a_webhook_of_a_workflow_that_was_moved_asks_the_folder_where_it_lies(people, hook, author):
    move_to(people, "read", "edit")
    reason = refused(hook.send(NEW))
    assert reason == f"It acts for {author}, who may not start runs in the folder Elsewhere."


def test_what_was_refused_is_done_when_it_is_sent_again_and_they_may_once_more(people, hook, author):
    move_to(people)
    for _ in range(2):
        assert refused(hook.send(NEW, message_id="a"))
    [folder] = folders.folders_of(people.tenant().pk).filter(key="elsewhere")
    folders.change_folder(people.principal("admin"), folder.pk, grants=[Grant(("start",), "author")])
    assert hook.send(NEW, message_id="a").json()["created"] is True
    assert hook.send(NEW, message_id="a").json() == {"duplicate": True}
    assert WebhookDelivery.unsafe_all_tenants.get().refused is None


def test_what_was_taken_stays_so_when_they_may_no_more(people, hook):
    assert hook.send(NEW, message_id="a").status_code == 202
    move_to(people)
    assert hook.send(NEW, message_id="a").json() == {"duplicate": True}
    assert hook.send(NEW, message_id="b").status_code == 403
    assert Run.unsafe_all_tenants.count() == 1


def test_of_refused_messages_without_an_id_the_last_one_is_kept(people, api, hook):
    InboundWebhook.unsafe_all_tenants.update(allow_unsigned=True)
    move_to(people)
    for number in range(2):
        assert hook.send({"order": f"o-{number}"}, headers={}).status_code == 403
    assert WebhookDelivery.unsafe_all_tenants.get().message_id == ""


def test_what_was_refused_is_told_until_a_message_is_taken_again(people, api, hook):
    path = f"/api/v1/webhooks/{InboundWebhook.unsafe_all_tenants.get().id}"
    assert hook.send(NEW, message_id="taken").status_code == 202
    Membership.unsafe_all_tenants.filter(role="author").update(role="viewer")
    assert hook.send(NEW, message_id="a").status_code == 403
    Membership.unsafe_all_tenants.filter(role="viewer").update(role="author")
    # A repetition was taken before.
    assert hook.send(NEW, message_id="taken").status_code == 200
    assert api.get(path).json()["last_refusal"] is not None
    assert hook.send({"order": "o-2"}, message_id="b").status_code == 202
    assert api.get(path).json()["last_refusal"] is None


def test_whoever_changes_a_webhook_takes_it_over(people, api, hook, author):
    path = f"/api/v1/webhooks/{InboundWebhook.unsafe_all_tenants.get().id}"
    move_to(people)
    assert hook.send(NEW).status_code == 403
    shown = api.get(path).json()
    assert (shown["acts_for"], shown["last_refusal"]["reason"][:12]) == (author, "It acts for ")
    assert api.patch(path, {"enabled": False}).json()["acts_for"] == author
    assert api.patch(path, {"enabled": True}).json()["acts_for"] == "admin-of-ours"
    assert hook.send(NEW).status_code == 202


def test_one_from_before_somebody_was_written_down_goes_on(people, hook):
    InboundWebhook.unsafe_all_tenants.update(acts_for=None)
    move_to(people)
    assert hook.send(NEW).status_code == 202


def test_operators_see_on_the_page_of_the_workflow_that_a_message_was_refused_and_why(people, hook, author):
    page = Client()
    page.force_login(people.member("operator"))
    assert "shop" not in page.get("/workflows/order/").content.decode()
    Membership.unsafe_all_tenants.filter(user__username=author).update(role="viewer")
    hook.send(NEW)
    shown = unescape(page.get("/workflows/order/").content.decode())
    assert f"It acts for {author}, whose role (viewer) may not start runs." in shown
