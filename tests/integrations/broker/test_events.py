"""What a relay tells consumers of, and what they do with it (R-168…R-171, R-176, R-179…R-182)."""

import re
from pathlib import Path

import pytest
from django.db import connection

import runs
from integrations.broker import reconciler
from integrations.broker.broker import Verdict
from integrations.broker.events import CONTENT_TYPE, topic_of
from integrations.broker.limits import RETRY_SECONDS
from integrations.broker.redis_streams import RedisStreams
from integrations.broker.relay import Relay, retry_seconds
from integrations.grpc.contract import message_class
from lib import crash_points
from runs.commands import job_events, job_reports
from runs.commands.lifecycle import cancel_runs, pause_runs, unpause_runs
from runs.kernel.dispatch import BUILT_IN_QUEUES
from runs.maintenance.leases import sweep
from runs.models import DispatchOutbox, StepExecution
from tests import factories as make
from tests.altered import altered
from tests.integrations.broker.consuming import JOB, Refusing, rows, step_of, told
from tests.integrations.broker.drill import CRASH_POINTS

pytestmark = pytest.mark.django_db
SCHEMA = Path(runs.__file__).parent / "sql/schema/dispatch.sql"


def tenant():
    return make.a_tenant().pk


def claim(*ids, worker="w"):
    return job_events.claim(tenant(), worker, ids)


def complete(job, output=None):
    return job_reports.complete(tenant=tenant(), job=job.step.id, lease_token=job.lease_token, output=output)


def test_a_job_is_told_of_with_all_that_consumers_know(relay, streams):
    [run_id] = make.start(JOB, {"n": 1})
    [row] = rows()
    relay.turn()

    [event] = told(streams)
    assert event.key == str(run_id)
    assert event.headers == {
        "content-type": CONTENT_TYPE,
        "dedup-id": str(row.pk),
        "job-id": job_events.event_id(str(step_of(run_id).pk), 0),
    }
    message = message_class("workflow.v1.JobDispatchEvent").FromString(event.value)
    assert (message.schema_version, message.dedup_id, message.job_id) == (1, str(row.pk), event.job)
    assert (message.instance_id, message.step_execution_id) == (str(run_id), str(step_of(run_id).pk))
    assert (message.job_type, message.retries_remaining) == ("mine", 3)
    assert message.job_payload == b'{"n":1}'
    assert message.created_at.ToMilliseconds() > 0


class Died(BaseException):
    """As who is killed, nobody does anything any more."""


@pytest.mark.parametrize("point", CRASH_POINTS)
def test_wherever_a_relay_dies_its_next_life_goes_on_and_each_job_is_done_once(
    relay, streams, settings, monkeypatch, point
):
    def dies(name):
        if name == point:
            raise Died

    make.start(JOB, {"n": 1}, {"n": 2})
    with monkeypatch.context() as armed:
        armed.setattr(crash_points, "hit", dies)
        with pytest.raises(Died):
            relay.turn()
    Relay(RedisStreams(settings.REDIS_URL), "here", 300).turn()

    events = told(streams)
    assert len({event.job for event in events}) == 2
    done = [complete(job).applied for event in events for job in claim(event.job)[0]]
    assert done == [True, True]
    assert rows() == []


def test_topics_are_as_theirs_and_each_tenant_has_its_own():
    assert topic_of("default", "card") == "workflow.jobs.card"
    assert topic_of("acme", "card") == "acme.workflow.jobs.card"


@pytest.fixture
def one(relay, streams):
    """The event of a job of a run."""
    make.start(JOB, {"n": 1})
    relay.turn()
    [event] = told(streams)
    return event


def test_who_claims_it_has_it_and_the_outbox_is_empty(one):
    [job], refused = claim(one.job)
    assert refused == {}
    assert (job.step.attempt, job.params, job.step.input) == (1, {}, {"n": 1})
    assert rows() == []
    assert complete(job, {"ok": True}).applied
    assert make.run(job.step.run_id).output == {"ok": True}


def test_told_twice_or_by_two_it_is_had_once(one):
    [job], refused = claim(one.job, one.job)
    assert refused == {one.job: "leased"}
    assert claim(one.job, worker="another") == ([], {one.job: "leased"})
    complete(job)
    assert claim(one.job) == ([], {one.job: "gone"})


def test_a_step_that_is_not_begun_again_is_logged(one, caplog):
    """R-105."""
    caplog.set_level("INFO", logger="runs.commands.job_events")
    [job], _ = claim(one.job)
    assert caplog.messages == []
    claim(one.job, worker="another")
    complete(job)
    claim(one.job, worker="late")
    step = job.step.id
    assert caplog.messages == [
        f"The step {step} has been started: another does not begin it again",
        f"The step {step} is done, or waits for a later attempt: late does not begin it again",
    ]


def test_the_id_of_the_event_is_no_token_once_somebody_has_claimed_it(one):
    [job], _ = claim(one.job)
    step, _, token = one.job.partition(".")
    answer = job_reports.complete(tenant=tenant(), job=step, lease_token=token, output=None)
    assert answer == job_reports.Answer(False, "lease_lost")
    assert complete(job).applied


@pytest.mark.parametrize(
    "strange", ["", "x", "~.1.x", "0" * 200, "00000000-0000-7000-8000-000000000000.~a.1.b"]
)
def test_what_no_event_has_said_is_gone(one, strange):
    assert claim(strange) == ([], {strange: "gone"})


def test_nobody_makes_an_id_up(one):
    step, _, token = one.job.partition(".")
    for forged in (f"{step}.{one}" for one in ("~" + token, *altered(token))):
        assert claim(forged) == ([], {forged: "gone"})


def test_another_tenant_has_nothing_of_it(one):
    stranger = make.TenantFactory(slug="other")
    assert job_events.claim(stranger.pk, "w", [one.job]) == ([], {one.job: "gone"})
    assert len(rows()) == 1


def test_one_word_of_a_consumer_that_never_claims_is_enough(one):
    step, _, token = one.job.partition(".")
    job_events.take(tenant(), "theirs", step, token)
    assert job_reports.complete(tenant=tenant(), job=step, lease_token=token, output=1).applied
    # Committed late, it is told again.
    job_events.take(tenant(), "theirs", step, token)
    assert job_reports.complete(tenant=tenant(), job=step, lease_token=token, output=1).duplicate


def test_of_a_paused_run_nobody_is_told_until_it_goes_on(relay, streams, one):
    run_id = one.key
    pause_runs(tenant(), [run_id], by="x")
    assert claim(one.job) == ([], {one.job: "held"})
    unpause_runs(tenant(), [run_id], by="x")
    relay.turn()
    [event] = told(streams)
    [job], _ = claim(event.job)
    assert complete(job).applied


def test_work_that_was_done_while_its_run_was_paused_counts_as_that_of_whoever_had_a_job_before(one):
    step, _, token = one.job.partition(".")
    run_id = one.key
    pause_runs(tenant(), [run_id], by="x")
    job_events.take(tenant(), "theirs", step, token)
    assert job_reports.complete(tenant=tenant(), job=step, lease_token=token, output=1).applied
    assert (make.run(run_id).status, step_of(run_id).output) == ("COMPLETED", 1)


def test_a_failure_during_a_pause_is_tried_again_when_it_goes_on(relay, streams, one, clock):
    step, _, token = one.job.partition(".")
    pause_runs(tenant(), [one.key], by="x")
    job_events.take(tenant(), "theirs", step, token)
    job_reports.fail(tenant=tenant(), job=step, lease_token=token, code="Boom", message="x", retryable=True)
    clock.advance(60)
    relay.turn()
    assert told(streams) == []
    unpause_runs(tenant(), [one.key], by="x")
    relay.turn()
    [again] = told(streams)
    assert again.job != one.job


def test_of_a_cancelled_run_nobody_is_told(relay, streams):
    [run_id] = make.start(JOB)
    cancel_runs(tenant(), [run_id], by="x")
    relay.turn()
    assert told(streams) == []
    assert rows() == []


def test_a_retry_is_told_of_when_it_is_due_as_another_job(relay, streams, one, clock):
    [job], _ = claim(one.job)
    job_reports.fail(
        tenant=tenant(),
        job=job.step.id,
        lease_token=job.lease_token,
        code="Boom",
        message="x",
        retryable=True,
    )
    relay.turn()
    assert told(streams) == []
    clock.advance(6)
    relay.turn()
    [event] = told(streams)
    assert event.job != one.job
    assert claim(one.job) == ([], {one.job: "gone"})
    [again], _ = claim(event.job)
    assert again.step.attempt == 2


def test_a_lost_lease_is_told_of_anew(relay, streams, clock):
    make.start(JOB)
    relay.turn()
    [event] = told(streams)
    claim(event.job)
    clock.advance(10_000)
    sweep()
    clock.advance(10)
    relay.turn()
    [again] = told(streams)
    assert again.job != event.job


def test_what_nobody_has_taken_is_told_again_later_each_time(relay, streams, clock, monkeypatch):
    monkeypatch.setattr(reconciler, "REST_SECONDS", 0.0)
    make.start(JOB)
    relay.turn()
    [event] = told(streams)
    told_after = []
    for seconds in range(0, 3_000, 100):
        clock.advance(100)
        relay.turn()
        again = told(streams)
        told_after += [seconds + 100 for one in again]
        assert all(
            one.job == event.job and one.headers["dedup-id"] != event.headers["dedup-id"] for one in again
        )
    assert told_after == [300, 900, 2100]


def test_jobs_from_before_there_was_a_broker_are_told_of(streams, settings, relay):
    settings.HANDOFF_BROKER = ""
    with connection.cursor() as cursor:
        cursor.execute("RESET handoff.dispatch")
    make.start(JOB)
    assert rows() == []
    relay.turn()
    assert len(told(streams)) == 1


def test_of_a_large_backlog_a_little_is_told_in_each_turn_and_each_job_once(
    streams, settings, relay, monkeypatch
):
    monkeypatch.setattr(reconciler, "BATCH", 3)
    with connection.cursor() as cursor:
        cursor.execute("RESET handoff.dispatch")
    also = make.graph([{"id": "a", "type": "job", "queue": "also"}], [])
    for priority in (3, 0, 3):
        started = make.start(JOB, *[{}] * 4)
        StepExecution.unsafe_all_tenants.filter(run_id__in=started).update(priority=priority)
    make.start(also, {})
    make.start(JOB, *[{}] * 5, tenant=make.TenantFactory(slug="other"))
    added = []
    for _ in range(30):
        before = len(rows())
        relay.turn()
        added.append(len(rows()) - before)
    assert sum(added) == 18
    assert max(added) < 2 * 3
    assert [len(told(streams, *of)) for of in (("mine",), ("also",), ("mine", "other"))] == [12, 1, 5]


def test_what_is_missing_among_what_is_known_is_found(streams, relay, monkeypatch, clock):
    monkeypatch.setattr(reconciler, "BATCH", 2)
    monkeypatch.setattr(reconciler, "REST_SECONDS", 0.0)
    monkeypatch.setattr(reconciler, "PAUSE_SECONDS", 0.0)
    make.start(JOB, *[{}] * 7)
    relay.turn()
    told(streams)
    lost = rows()[4]
    DispatchOutbox.unsafe_all_tenants.filter(pk=lost.pk).delete()
    clock.advance(reconciler.MISSING_SECONDS + 1)
    found = []
    for _ in range(10):
        relay.turn()
        found += told(streams)
    assert [event.job.partition(".")[0] for event in found] == [str(lost.step_id)]


def test_the_schema_names_the_built_in_queues_as_the_dispatcher_does():
    named = re.findall(r"queue NOT IN \(([^)]*)\)", SCHEMA.read_text())
    assert [tuple(names.replace("'", "").split(", ")) for names in named] == [BUILT_IN_QUEUES] * 2


def test_what_cannot_be_told_now_is_told_later_in_its_order(outbox, streams, clock):
    make.start(JOB)
    broker = Refusing(Verdict.RETRY)
    relay = Relay(broker, "here", 300)
    for _ in range(3):
        relay.turn()
    [row] = rows()
    assert (row.tries, row.error, row.published_at) == (1, "no room", None)
    clock.advance(1)
    broker.verdict = Verdict.SENT
    relay.turn()
    [row] = rows()
    assert (row.tries, row.error, row.sends) == (0, None, 1)
    assert len(broker.asked) == 2


def test_retries_come_at_most_a_minute_apart():
    waits = [retry_seconds(tries) for tries in range(2_000)]
    assert waits[:4] == [1, 2, 4, 8]
    assert max(waits) == RETRY_SECONDS


def test_two_relays_tell_of_each_job_once_and_who_was_replaced_writes_nothing(outbox, streams):
    make.start(JOB)
    first, second = Relay(Refusing(Verdict.SENT), "here", 300), Relay(Refusing(Verdict.SENT), "there", 300)
    first.turn()
    second.turn()
    assert second._broker.asked == []

    make.start(JOB)
    twin = Relay(Refusing(Verdict.SENT), "here", 300)
    real = first._broker.publish

    def slow(events):
        # While it waits for the broker, somebody takes its place and does the same.
        twin.turn()
        return real(events)

    first._broker.publish = slow
    first.turn()
    assert len(twin._broker.asked) == 1
    assert [row.sends for row in rows()] == [1, 1]
    first._renewed_at = float("-inf")
    make.start(JOB)
    first.turn()
    assert len(rows()) == 3
    assert rows()[-1].published_at is None
