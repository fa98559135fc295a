"""What a mapping reads of a message: body, headers and query, whatever kind of body it is (R-132)."""

from urllib.parse import urlsplit

import pytest
from django.test import Client

from runs.models import Run
from tests.triggers.webhooks import senders as sent
from tests.triggers.webhooks.doors import MAPPING, make_hook, make_hook_of_order, order
from triggers.webhooks.models import WebhookDelivery

__all__ = ["make_hook", "make_hook_of_order", "order"]
pytestmark = pytest.mark.django_db


def test_headers_and_query_are_read_and_never_what_proves_somebody(make_hook):
    hook = make_hook("start", MAPPING, allow_unsigned=True)
    headers = {
        "X-Event": "paid",
        "Authorization": "Bearer abc",
        "Cookie": "sessionid=1",
        "X-Api-Key": "k",
        "X-My-Token": "t",
        "X-Access-Key": "k",
        "X-Passphrase": "p",
        "X-Long": "x" * 3_000,
    }
    path = urlsplit(hook["url"]).path + "?source=shop&token=t&source=web"
    answer = Client().generic("POST", path, b"{}", content_type="application/json", headers=headers)
    assert answer.status_code == 202
    given = Run.unsafe_all_tenants.get().input
    assert given["query"] == {"source": "web"}
    assert given["headers"]["x-event"] == "paid"
    assert not given["headers"].keys() & {name.lower() for name in headers if name != "X-Event"}


@pytest.mark.parametrize(
    ("raw", "content_type", "body"),
    [
        (b"order=o-1&item=a&item=b&note=", sent.FORM, {"order": "o-1", "item": ["a", "b"], "note": ""}),
        (b'{"order": "o-1"}', sent.FORM, {"order": "o-1"}),
        ("name=Jürgen+%C3%A9".encode(), sent.FORM + "; charset=utf-8", {"name": "Jürgen é"}),
        (b"7", sent.FORM, 7),
    ],
)
def test_a_body_may_be_a_form(make_hook, raw, content_type, body):
    hook = make_hook("start", {"input": {"body": "{{ body }}"}}, allow_unsigned=True)
    answer = Client().generic("POST", urlsplit(hook["url"]).path, raw, content_type=content_type)
    assert answer.status_code == 202, answer.content
    assert Run.unsafe_all_tenants.get().input == {"body": body}


@pytest.mark.parametrize(
    "raw", [b'{"order": ', b"a=%00", b"a=\xff", b"&".join(b"a%d=1" % number for number in range(1_001))]
)
def test_a_form_that_can_not_be_kept_is_refused(make_hook, raw):
    hook = make_hook("start", {}, allow_unsigned=True)
    answer = Client().generic("POST", urlsplit(hook["url"]).path, raw, content_type=sent.FORM)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_json")
    assert not WebhookDelivery.unsafe_all_tenants.exists()
