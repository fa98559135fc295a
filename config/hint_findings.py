"""What the doctor finds of the way in which workers hear of work."""

import os
from collections.abc import Iterator

from django.conf import settings

from config import dispatch_environment, kafka_environment
from config.embedded import redis
from config.host import Finding
from config.startup import NotStartable, check_redis
from integrations.broker.standing import outbox_complaint
from integrations.broker.store import outbox_standing
from lib.noticeboard import Noticeboard

_ANSWER_SECONDS = 2.0


def wants_embedded_redis() -> bool:
    """Whether `make up` would start a Redis of its own, or fail for want of one."""
    would_do_without = not dispatch_environment.is_said() and not redis.is_there()
    return _needs_redis() and not os.environ.get("REDIS_URL") and not would_do_without


def without_redis() -> Iterator[Finding]:
    """Why `make up` starts none."""
    if not _needs_redis():
        who = "Handoff's own workers need" if settings.HANDOFF_BROKER else "Handoff needs"
        yield Finding(
            "ok", f"HANDOFF_DISPATCH is {dispatch_environment.mode()}: PostgreSQL is all that {who}"
        )
    elif not os.environ.get("REDIS_URL"):
        advice = "this is fine; for hints install redis-server or valkey-server, or set REDIS_URL"
        yield Finding("warn", "no embedded Redis: Handoff starts with polling", advice)


def messages(*, runs: bool, database_answers: bool) -> Iterator[Finding]:
    """Whether they can come; where Handoff does not run, only from servers that the environment names."""
    if settings.HANDOFF_DISPATCH != dispatch_environment.HINTS and database_answers:
        yield from _through_the_database()
        if settings.HANDOFF_BROKER and runs:
            yield _relayed()
    if settings.HANDOFF_BROKER == dispatch_environment.KAFKA:
        yield _kafka()
    if not _needs_redis():
        return
    if settings.REDIS_URL and (runs or os.environ.get("REDIS_URL")):
        try:
            check_redis(_ANSWER_SECONDS)
        except NotStartable as problem:
            yield Finding("problem", str(problem))
        else:
            yield Finding("ok", "Redis answers")


def _through_the_database() -> Iterator[Finding]:
    board = Noticeboard()
    try:
        if board.wait_heard(_ANSWER_SECONDS):
            yield Finding("ok", "messages between processes pass through the database")
        else:
            sentence = "no messages pass through the database: workers only poll every half second"
            advice = "let no pooler hand out connections by transaction: docs/dispatch.md"
            yield Finding("warn", sentence, advice)
    finally:
        board.settle()


def _kafka() -> Finding:
    brokers = settings.HANDOFF_KAFKA["client"]["bootstrap.servers"]
    if kafka_environment.is_open():
        sentence = f"Kafka is reached at {brokers} without TLS: jobs can be read in transit"
        return Finding("warn", sentence, "set HANDOFF_KAFKA_TRANSPORT=sasl_scram_tls")
    return Finding("ok", f"Kafka is reached at {brokers}" if brokers else "Handoff starts a Kafka of its own")


def _relayed() -> Finding:
    """Whether consumers of the broker are told of jobs."""
    standing = outbox_standing()
    if why := outbox_complaint(standing, with_reason=True):
        return Finding("warn", why, "see docs/dispatch.md, and the relay's log")
    sentence = (
        f"a relay publishes jobs ({standing['waiting']} wait, {standing['told']} are published and not taken)"
    )
    return Finding("ok", sentence)


def _needs_redis() -> bool:
    return bool(
        settings.HANDOFF_DISPATCH == dispatch_environment.HINTS
        or settings.HANDOFF_BROKER == dispatch_environment.REDIS
    )
