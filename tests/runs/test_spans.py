"""Attempts and runs as spans: who asks for them by the standard variables is sent them, and delays nothing (R-208)."""

import pytest

from config.embedded.processes import wait_until
from lib import otlp, tracing
from lib.trace_context import Trace
from runs.commands import job_reports, jobs
from runs.commands.lifecycle import resume_runs
from runs.commands.starts import NewRun, Terms, start_runs
from runs.maintenance import seals
from runs.workers.blocking import BlockingDrain
from tests import factories as make
from tests.answering import answering, http, silent
from tests.otlp import collecting, facts, seconds_of

pytestmark = pytest.mark.django_db

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
UNSAMPLED = PARENT[:-1] + "0"
TWO = make.chain("noop", "noop")
FAILS = make.graph([{"id": "s", "type": "text.clean", "retry": "none"}], [])


@pytest.fixture
def telling(monkeypatch):
    """Has spans told to a receiver: that one, or a new one."""
    stops = []

    def tell(collector):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        tracing.start("handoff")
        assert tracing.is_on()
        stops.append(True)

    yield tell
    tracing.stop(0.1)


@pytest.fixture
def collector(telling):
    with collecting() as collector:
        telling(collector)
        yield collector


def start(definition, parent=PARENT, count=1):
    version = make.a_version(definition)
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test")
    items = [NewRun({"n": n}, trace=Trace(parent) if parent else None) for n in range(count)]
    return [one.id for one in start_runs(terms, items)]


def told(collector):
    """The spans that came: of bursts, attempts within them, and runs."""
    bursts, attempts, _, runs = all_told(collector)
    return bursts, attempts, runs


def all_told(collector):
    """The spans that came: of bursts, attempts within them, attempts within the traces of their runs, and runs."""
    tracing.stop(10)
    spans = collector.spans()
    of_runs = [span for span in spans if span.name.startswith("run ")]
    bursts = [span for span in spans if span.name.startswith("drain ")]
    attempts = [span for span in spans if span not in of_runs and span not in bursts]
    own = [span for span in attempts if span.parent_span_id in {burst.span_id for burst in bursts}]
    return bursts, own, [span for span in attempts if span not in own], of_runs


def own(run):
    return bytes.fromhex(run.replace("-", "")), bytes.fromhex(run.replace("-", "")[16:])


def ids(trace):
    return bytes.fromhex(trace[3:35]), bytes.fromhex(trace[36:52])


def test_a_burst_is_one_trace_of_attempts_that_are_linked_to_the_traces_of_their_runs(collector):
    [run] = start(TWO)
    [other] = start(TWO, parent=None)
    make.work("default")
    [burst], attempts, within, runs = all_told(collector)
    assert runs == []
    assert len(attempts) == 4
    assert {one.trace_id for one in attempts} == {burst.trace_id} != {ids(PARENT)[0]}
    assert {one.parent_span_id for one in attempts} == {burst.span_id}
    mine = [one for one in attempts if facts(one)["handoff.run"] == run]
    assert len(mine) == 2
    # Each is told of in the trace of its run, too: as a child of the run, and as what the other is linked to.
    links = {facts(one)["handoff.step"]: one.links[0] for one in mine}
    theirs = [one for one in within if facts(one)["handoff.run"] == run]
    assert {(one.trace_id, one.parent_span_id) for one in theirs} == {(ids(PARENT)[0], own(run)[1])}
    assert {one.span_id for one in theirs} == {link.span_id for link in links.values()}
    assert {link.span_id for one in theirs for link in one.links} == {burst.span_id}
    others = {(one.trace_id, one.parent_span_id) for one in within if one not in theirs}
    assert others == {own(other)}
    assert len(within) == 4
    assert facts(mine[0]) == {
        "handoff.run": run,
        "handoff.workflow": make.run(run).version.workflow.name,
        "handoff.version": 1,
        "handoff.step": facts(mine[0])["handoff.step"],
        "handoff.attempt": 1,
        "handoff.queue": "default",
        "handoff.outcome": "succeeded",
    }
    assert all(burst.start_time_unix_nano <= one.start_time_unix_nano for one in attempts)
    assert all(
        one.start_time_unix_nano <= one.end_time_unix_nano <= burst.end_time_unix_nano for one in attempts
    )


def test_an_attempt_that_fails_says_with_what(collector):
    start(FAILS)
    make.work("default")
    _, [attempt], [within], _ = all_told(collector)
    assert (within.name, within.status.code, facts(within)) == ("text.clean", 2, facts(attempt))
    assert (attempt.name, attempt.status.code, attempt.status.message) == ("text.clean", 2, "BadInput")
    assert facts(attempt)["handoff.outcome"] == "failed"


def test_a_run_is_one_span_at_its_end_within_the_trace_of_who_had_it_started(collector):
    [done] = start(TWO)
    [failed] = start(FAILS, parent=None)
    make.work()
    seals.seal()
    seals.seal()
    _, _, runs = told(collector)
    by_run = {facts(one)["handoff.run"]: one for one in runs}
    assert by_run.keys() == {done, failed}
    assert len(runs) == 2
    span, row = by_run[done], make.run(done)
    assert (span.trace_id, span.parent_span_id) == ids(PARENT)
    assert span.end_time_unix_nano // 1000 == round(row.completed_at.timestamp() * 1_000_000)
    assert facts(span) == {
        "handoff.run": done,
        "handoff.workflow": make.run(done).version.workflow.name,
        "handoff.version": 1,
        "handoff.status": "COMPLETED",
        "handoff.life": 1,
        "handoff.steps": 2,
        "handoff.attempts": 2,
    }
    assert span.span_id == own(done)[1]
    assert (by_run[failed].parent_span_id, by_run[failed].status.message) == (b"", "BadInput")
    assert (by_run[failed].trace_id, by_run[failed].span_id) == own(failed)


def test_what_its_caller_does_not_record_is_not_told(collector):
    start(TWO, parent=UNSAMPLED)
    make.work()
    seals.seal()
    _, attempts, within, runs = all_told(collector)
    assert (within, runs) == ([], [])
    assert len(attempts) == 2


def test_parts_and_tests_are_no_runs_of_their_own(collector):
    body = {"steps": [{"id": "x", "type": "noop"}, {"id": "y", "type": "noop"}]}
    node = {"id": "each", "type": "map", "params": {"items": "{{ [1, 2] }}", "body": body}}
    [run] = start(make.graph([node], []))
    make.work()
    assert make.run(run).status == "COMPLETED"
    assert len(make.children_of(run)) == 2
    seals.seal()
    _, _, runs = told(collector)
    assert [facts(one)["handoff.run"] for one in runs] == [run]


@pytest.mark.django_db(transaction=True)
def test_steps_that_wait_for_others_are_a_burst_while_some_run(collector, monkeypatch):
    monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "127.0.0.1")
    node = {"id": "ask", "type": "http.request", "params": {"url": "http://127.0.0.1:9/"}, "retry": "none"}
    runs = start(make.graph([node], []), count=3)
    drain = BlockingDrain("blocking", slots=4)
    drain.start()
    drain.told()
    wait_until(lambda: all(make.run(run).status == "FAILED" for run in runs), 20, "the runs end")
    drain.stop()
    drain.finish()
    bursts, attempts, _ = told(collector)
    assert len(attempts) == 3
    assert {one.trace_id for one in attempts} <= {one.trace_id for one in bursts}
    assert {link.trace_id for one in attempts for link in one.links} == {ids(PARENT)[0]}


def test_what_an_attempt_calls_hangs_under_its_span(collector, monkeypatch):
    with answering(http(b"{}", content_type="application/json")) as server:
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", f"127.0.0.1:{server.port}")
        params = {"url": server.url("/{{ input.n }}")}
        [run] = start(make.graph([{"id": "ask", "type": "http.request", "params": params}], []), parent=None)
        make.work("blocking", "default", "engine")
        [asked] = server.asked
    seals.seal()
    seals.seal()
    _, _, [attempt], [of_run] = all_told(collector)
    assert ids(asked.headers["traceparent"]) == (attempt.trace_id, attempt.span_id)
    assert (of_run.trace_id, of_run.span_id) == (attempt.trace_id, attempt.parent_span_id) == own(run)


@pytest.mark.parametrize("ends", ["done", "failed"])
def test_an_attempt_of_an_external_worker_is_a_span_from_its_lease_to_its_end(collector, ends):
    [run] = start(make.graph([{"id": "a", "type": "job", "queue": "mine", "retry": "none"}], []))
    tenant = make.a_tenant().pk
    [job] = jobs.poll(tenant=tenant, worker="w", queues=["mine"], max_jobs=1)
    said = {"tenant": tenant, "job": job.step.id, "lease_token": job.lease_token}
    if ends == "done":
        assert job_reports.complete(**said, output=1).applied
        assert not job_reports.complete(**said, output=2).applied
    else:
        assert job_reports.fail(**said, code="Boom", message="no", retryable=False).applied
    bursts, _, [attempt], _ = all_told(collector)
    assert bursts == []
    assert ids(job.step.told.parent) == (attempt.trace_id, attempt.span_id)
    assert (attempt.trace_id, attempt.parent_span_id) == (ids(PARENT)[0], own(run)[1])
    assert (attempt.status.message, facts(attempt)["handoff.queue"]) == (
        "Boom" if ends == "failed" else "",
        "mine",
    )
    assert attempt.start_time_unix_nano < attempt.end_time_unix_nano


def test_a_run_that_is_resumed_is_told_once_more_within_its_first_span(collector):
    node = {"id": "a", "type": "job", "queue": "mine", "retry": "none"}
    [run] = start(make.graph([node], []), parent=None)
    make.fail(*make.claimed("mine"))
    seals.seal()
    seals.seal()
    resume_runs(make.a_tenant().pk, [run], by="test")
    make.complete(*make.claimed("mine"))
    seals.seal()
    seals.seal()
    _, _, runs = told(collector)
    first, second = sorted(runs, key=lambda one: facts(one)["handoff.life"])
    assert (first.trace_id, first.span_id, first.parent_span_id) == (*own(run), b"")
    assert (second.trace_id, second.parent_span_id) == own(run)
    assert second.span_id != first.span_id


@pytest.mark.parametrize("kind", ["dead", "hanging"])
def test_a_receiver_that_is_not_there_or_hangs_delays_no_run(telling, kind):
    with collecting(silent) as collector:
        telling(collector)
        if kind == "hanging":
            runs = start(TWO, count=50)
            took = seconds_of(lambda: make.work())
            assert {make.run(run).status for run in runs} == {"COMPLETED"}
            assert took < 20
            seals.seal()
            assert seconds_of(lambda: tracing.stop(0.1)) < 2
            return
    runs = start(TWO, count=50)
    make.work()
    seals.seal()
    assert {make.run(run).status for run in runs} == {"COMPLETED"}
    assert seconds_of(lambda: tracing.stop(0.1)) < 2


def test_what_finds_the_queue_full_is_dropped_and_counted(telling, monkeypatch):
    monkeypatch.setattr(otlp, "MOST_WAITING", 5)
    before = otlp._dropped._value.get()
    with collecting(silent) as collector:
        telling(collector)
        for _ in range(50):
            tracing.tell("x", {}, 1, 2)
        assert otlp._dropped._value.get() >= before + 40


def test_without_the_variables_nothing_is_told_and_nothing_is_imported(monkeypatch):
    for name in tracing.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    tracing.start("handoff")
    assert not tracing.is_on()
    assert tracing.begin("x", {}, 1) is None
    tracing.tell("x", {}, 1, 2)


def test_without_the_extra_runs_go_on(monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")

    def missing(name):
        raise ImportError(f"No module named {name}")

    monkeypatch.setattr(tracing, "import_module", missing)
    tracing.start("handoff")
    assert not tracing.is_on()
    [run] = start(TWO)
    make.work()
    assert make.run(run).status == "COMPLETED"


@pytest.mark.parametrize("how", [{"OTEL_SDK_DISABLED": "true"}, {"OTEL_TRACES_EXPORTER": "none"}])
def test_who_says_that_nothing_is_to_be_told_is_told_nothing(monkeypatch, how):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    for name, value in how.items():
        monkeypatch.setenv(name, value)
    tracing.start("handoff")
    assert not tracing.is_on()
