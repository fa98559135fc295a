"""Messages to webhooks name no files: who sends them has uploaded none."""

import pytest
from django.test import Client

from runs.models import Run
from tests import factories as make
from tests.api.hooks import publish
from tests.runs.files.odd import PDF
from tests.webhooks import Sender

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

FORM = {"type": "object", "properties": {"receipt": {"type": "string", "format": "file"}}}


def test_a_webhook_starts_no_run_with_a_file(api):
    publish(api, make.chain("noop", input_schema=FORM) | {"name": "filed"})
    mapping = {"input": {"receipt": "{{ body.file }}"}}
    hook = {"name": "files", "workflow": "filed", "action": "start", "mapping": mapping}
    made = api.post("/api/v1/webhooks", hook)
    assert made.status_code == 201, made.text
    file = api.post("/api/v1/files?name=a.pdf", PDF, content_type="application/pdf").json()["id"]
    sender = Sender(Client(enforce_csrf_checks=True), made.json())
    answer = sender.send({"file": file}, message_id="msg_1")
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "input.receipt")
    assert not Run.unsafe_all_tenants.exists()
