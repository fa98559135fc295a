"""A process with another database's master key or payloads does not start, and everybody says why."""

import json

import pytest
from django.core.management import call_command
from django.db import connection

from accounts import sealed
from config import asgi, belonging, startup
from config.doctor import examine
from config.startup import NotStartable
from lib.sealing import new_key
from runs.models import Installation
from tests import factories as make

pytestmark = pytest.mark.django_db

OPENS_NONE = "The master key opens none of the secrets of this database"


@pytest.fixture
def sealed_by_another(settings):
    """A database with the key of a tenant, and a process with another master key."""
    settings.HANDOFF_MASTER_KEYS = (new_key(),)
    sealed.ring_of(make.TenantFactory().pk)
    settings.HANDOFF_MASTER_KEYS = (new_key(),)


@pytest.fixture
def payloads(settings, tmp_path):
    """Where payloads are kept, from a few bytes on."""
    settings.HANDOFF_BLOBS = (tmp_path / "payloads").as_uri()
    settings.HANDOFF_BLOB_BYTES = 100
    return tmp_path / "payloads"


@pytest.fixture(autouse=True)
def _kept_open(monkeypatch):
    monkeypatch.setattr(connection, "close", lambda: None)  # It is the test's, with its transaction.


def test_a_key_belongs_where_nothing_is_sealed_or_where_it_opens_something(settings):
    settings.HANDOFF_MASTER_KEYS = ()
    assert belonging.of_key() is None
    settings.HANDOFF_MASTER_KEYS = (new_key(),)
    sealed.ring_of(make.TenantFactory().pk)
    assert belonging.of_key() is None
    first = settings.HANDOFF_MASTER_KEYS
    settings.HANDOFF_MASTER_KEYS = (new_key(),)
    sealed.ring_of(make.TenantFactory(slug="another").pk)
    assert belonging.of_key() is None
    settings.HANDOFF_MASTER_KEYS = ()
    assert belonging.of_key().startswith("There is no master key for the secrets of this database")
    settings.HANDOFF_MASTER_KEYS = (new_key(), *first)
    assert belonging.of_key() is None


def test_nothing_starts_with_a_key_that_opens_nothing(sealed_by_another, monkeypatch):
    monkeypatch.setattr(startup, "_prepare", lambda *_: pytest.fail("It goes on."))
    monkeypatch.setattr(startup, "server_problems", list)
    with pytest.raises(NotStartable, match=OPENS_NONE):
        startup.prepare(print)
    with pytest.raises(SystemExit, match=OPENS_NONE):
        belonging.refuse()


def test_worker_and_relay_do_not_start(sealed_by_another, settings, monkeypatch):
    monkeypatch.setattr("config.environment.connected_as", lambda name, database: database)
    settings.HANDOFF_DISPATCH, settings.HANDOFF_BROKER = "polling", "redis"
    for command in (["worker", "engine"], ["relay"]):
        with pytest.raises(SystemExit, match=OPENS_NONE):
            call_command(*command)


def test_celerys_processes_do_not_start(sealed_by_another):
    signals = pytest.importorskip("celery.signals")
    celery = pytest.importorskip("config.celery")
    for signal in (signals.worker_init, signals.beat_init):
        assert celery.refuse_strangers in [receiver() for _, receiver in signal.receivers]
    with pytest.raises(SystemExit, match=OPENS_NONE):
        celery.refuse_strangers()


def test_the_web_does_not_start(sealed_by_another, monkeypatch):
    reasons = belonging.reasons_to_end()
    monkeypatch.setattr(belonging, "reasons_to_end", lambda: reasons)
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "lifespan.startup"}

    asgi.asyncio.run(asgi.application({"type": "lifespan"}, receive, send))
    [answer] = sent
    assert answer["type"] == "lifespan.startup.failed"
    assert OPENS_NONE in answer["message"]


def test_a_database_that_is_away_ends_nobody(monkeypatch, caplog):
    def away():
        raise startup.OperationalError("server closed the connection")

    monkeypatch.setattr(belonging, "complaints", away)
    belonging.refuse()
    assert "is not known: server closed the connection" in caplog.text


def test_readyz_and_the_doctor_say_it(sealed_by_another, client, monkeypatch, settings):
    settings.DATABASE_URL = "postgresql://x"
    monkeypatch.setenv("DATABASE_URL", "postgresql://x")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["belongs"] is False
    assert any(OPENS_NONE in sentence for sentence in answer.json()["complaints"])
    assert any(OPENS_NONE in finding.text and finding.level == "problem" for finding in examine())


def test_a_store_is_claimed_once_and_known_again(payloads):
    assert belonging.of_payloads() is None
    assert belonging.claim_payloads() is None
    assert (payloads / belonging.MARKER).read_text() == str(Installation.objects.get().number)
    assert belonging.claim_payloads() is None
    Installation.objects.all().delete()
    for reason in (belonging.of_payloads(), belonging.claim_payloads()):
        assert "belongs to another database" in reason
    with pytest.raises(SystemExit, match="belongs to another database"):
        belonging.refuse()


def test_a_store_without_what_the_database_refers_to_is_another_ones(payloads, settings):
    make.start(make.graph([{"id": "a", "type": "job"}], []), {"text": "x" * 500})
    assert any(payloads.rglob("*"))
    right = settings.HANDOFF_BLOBS
    settings.HANDOFF_BLOBS = (payloads.parent / "empty").as_uri()
    assert "has none of the payloads of this database" in belonging.claim_payloads()
    # It may be away just now: who runs already goes on.
    assert belonging.of_payloads() is None
    settings.HANDOFF_BLOBS = right
    assert belonging.claim_payloads() is None


def test_a_store_that_is_away_keeps_nobody_from_starting(settings, tmp_path, caplog):
    (tmp_path / "file").write_text(json.dumps("no folder"))
    settings.HANDOFF_BLOBS = (tmp_path / "file").as_uri()
    assert belonging.claim_payloads() is None
    assert belonging.of_payloads() is None
    assert "is not marked" in caplog.text
