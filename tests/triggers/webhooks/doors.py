"""Webhooks of presets, and Amazon SNS as they reach it."""

from itertools import count
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from django.test import Client

from lib.egress import EgressResponse
from runs.models import Run
from tests.api.hooks import ORDER, order, publish
from tests.api.hooks import make_hook as make_hook_of_order
from tests.triggers.webhooks import senders as sent
from triggers.webhooks.presets import sns

__all__ = ["make_hook_of_order", "order"]

MAPPING = {
    "input": {"order": "o-1", "body": "{{ body }}", "headers": "{{ headers }}", "query": "{{ query }}"}
}
SETTINGS = {"sns": {"topic_arn": sent.TOPIC}, "meta": {"verify_token": sent.VERIFY_TOKEN}}


@pytest.fixture
def make_hook(api, make_hook_of_order):
    """Makes a webhook to a workflow of which every message that is taken starts a run."""
    publish(api, {"name": "keyless", "nodes": ORDER["nodes"]})
    names = count(1)

    def make_hook(action, mapping, **more):
        return make_hook_of_order(action, mapping, f"hook {next(names)}", workflow="keyless", **more)

    return make_hook


class Door:
    """A webhook with a preset, and how often it started a run."""

    def __init__(self, make_hook, preset):
        given = {} if preset == "sns" else {"secret": sent.SECRET}
        self.hook = make_hook("start", MAPPING, preset=preset, **given, **SETTINGS.get(preset, {}))
        self.path = urlsplit(self.hook["url"]).path
        self.public = django_settings.HANDOFF_URL + self.path

    def send(self, request):
        """The answer to a request of the sender."""
        return request.sent_to(Client(enforce_csrf_checks=True), self.path)

    def inputs(self):
        """What the runs that it started were given, oldest first."""
        return [run.input for run in Run.unsafe_all_tenants.order_by("created_at")]


@pytest.fixture
def door(make_hook):
    """Makes a webhook with a preset."""
    return lambda preset: Door(make_hook, preset)


@pytest.fixture(autouse=True)
def amazon(monkeypatch):
    """Amazon SNS, as the egress gate reaches it: what it was asked for, and what it answers."""

    class Amazon:
        asked: list[str] = []
        answers: dict[str, bytes | Exception] = {sent.CERTIFICATE_URL: sent.certificate()}
        status = 200

        def request(self, method, url, **_):
            self.asked.append(url)
            answer = self.answers.get(url, b"<ConfirmSubscriptionResponse/>")
            if isinstance(answer, Exception):
                raise answer
            return EgressResponse(self.status, {}, answer, url)

    there = Amazon()
    there.asked, there.answers = [], dict(Amazon.answers)
    monkeypatch.setattr(sns, "egress", lambda: there)
    monkeypatch.setattr(sns, "_certificates", {})
    monkeypatch.setattr(sns, "_unreached", {})
    return there
