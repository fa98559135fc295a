"""A receiver of alerts over real HTTP, to which the egress gate lets pass, and who looks after them."""

import json
import os
from itertools import count
from pathlib import Path

import pytest

from config.embedded.processes import wait_until
from operations.alerts import channels, evaluating, process, rules, sending
from operations.alerts.models import Alert, AlertDelivery, AlertRule
from tests.answering import answering, http
from tests.api.conftest import anonymous, api, furnished, ours, people
from tests.forking import Forking
from tests.people import People
from tests.timing import clock

__all__ = ["anonymous", "api", "clock", "furnished", "ours", "people"]


@pytest.fixture
def receiver(monkeypatch):
    with answering(http()) as server:
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", f"127.0.0.1:{server.port}")
        yield server


@pytest.fixture
def admin(db):
    return People().principal("admin", "default")


class Forked:
    """Stands for `process.run`: it is forked from a process that has loaded it."""

    def __init__(self, who, folder) -> None:
        self._who, self._folder, self._numbers = who, folder, count()

    def __call__(self, document, seconds):
        number = next(self._numbers)
        asked, said, trouble = (self._folder / f"{name}-{number}" for name in ("asked", "said", "trouble"))
        asked.write_bytes(document)
        codes = []
        try:
            self._who.begin([], process.environment(), said, trouble, asked)
            wait_until(lambda: codes.append(self._who.poll()) or codes[-1] is not None, seconds, "an answer")
        finally:
            self._who.kill()
        assert codes[-1] == 0, trouble.read_text()
        return process.Output(said.read_bytes(), was_ended=False)


@pytest.fixture(scope="session")
def who_posts():
    """A process that has loaded what posts."""
    forking = Forking(Path(process.__file__).with_name("posting.py"), dict(os.environ))
    yield forking
    forking.leave()


@pytest.fixture
def forked(who_posts, tmp_path, monkeypatch):
    """Messages are posted by forks, for to load what posts takes longer than to post; test_posting.py starts it as it
    is started.
    """
    monkeypatch.setattr(process, "run", Forked(who_posts, tmp_path))


class OnCall:
    """Who is told of what, by a webhook and by hand."""

    def __init__(self, admin, receiver) -> None:
        self.admin, self.receiver = admin, receiver
        self.channel = channels.create_channel(
            admin, name="on call", kind="webhook", address=receiver.url("/in")
        )

    def rule(self, kind, **values) -> AlertRule:
        """The built-in rule of a kind, which tells the channel; all others are off."""
        rows = rules.rules_of(self.admin.tenant_id)
        rows.exclude(kind=kind).update(enabled=False)
        chosen = {"channels": [self.channel.pk], **values}
        return rules.change_rule(self.admin, rows.get(kind=kind).pk, **chosen)

    def told(self):
        """What has arrived, in its order, after what is due was sent."""
        sending.send_due()
        return [json.loads(one.body) for one in self.receiver.asked]

    def events(self):
        """The same in short."""
        return [one["event"] for one in self.told()]


@pytest.fixture
def on_call(admin, receiver):
    return OnCall(admin, receiver)


def look():
    """One look of the tick; gives how many alerts were raised or resolved."""
    return evaluating.look()


def alerts():
    """All alerts, the oldest first."""
    return list(Alert.unsafe_all_tenants.order_by("id"))


def deliveries():
    """What became of each message."""
    return list(AlertDelivery.unsafe_all_tenants.order_by("id").values_list("event", "state", "error"))
