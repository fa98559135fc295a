"""`handoff.v1.Runs` against a real process, and beside the REST API."""

import json
import uuid
from threading import Thread

import grpc
import pytest
from django.db import connection

from accounts import folders
from accounts.folders import Grant
from runs.models import HistoryEvent, Run, StartedFrom
from tests import factories as make
from tests.api.hooks import publish
from tests.integrations.grpc.speaking import told
from workflows.models import Workflow

INPUT = {"workflow": "pay", "input": 1}
POLL = {"worker_id": "w1", "queues": ["card"], "max_jobs": 10}


def refused(ask, **fields):
    """What is told of a call that is refused; a stream says so when it is read."""
    with pytest.raises(grpc.RpcError) as caught:
        list(ask(**fields))
    return told(caught.value)


def history(pay, run):
    return pay.get(f"/api/v1/runs/{run}/history?order=asc&limit=200").json()["results"]


def complete_all(worker):
    for job in worker.jobs("PollJobs", **POLL, wait_seconds=5.0).jobs:
        assert worker.jobs("CompleteJob", job_id=job.id, lease_token=job.lease_token, output=1).applied


def test_a_run_is_started_once_for_a_business_key(speak, pay):
    ours = speak("admin")
    trace = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    first = ours.runs("StartRun", metadata=trace, workflow="pay", business_key="o1", input={"amount": 1})
    assert (first.created, first.run.workflow, first.run.business_key) == (True, "pay", "o1")
    assert first.run.traceparent.startswith("00-0af7651916cd43dd8448eb211c80319c")
    assert Run.unsafe_all_tenants.get().started_from == StartedFrom.GRPC
    again = ours.runs("StartRun", workflow="pay", business_key="o1", input={"amount": 2})
    assert (again.created, again.input_mismatch, again.run.id) == (False, True, first.run.id)


def test_an_older_version_needs_operate_and_a_withdrawn_one_is_not_started(speak, people, pay):
    """The door of both services; tests/api/test_startable_versions.py has the table."""
    path, node = "/api/v1/workflows/pay", {"id": "other", "type": "noop"}
    etag = {"If-Match": pay.get(f"{path}/draft").headers["ETag"]}
    pay.put(f"{path}/draft", {"definition": {"name": "pay", "nodes": [node]}}, headers=etag)
    assert pay.post(f"{path}/publish", {}).status_code == 201
    author, operator = speak("author"), speak("operator")
    older = {"status": "PERMISSION_DENIED", "code": "older_version", "field": "version"}
    instance = {"method": "StartInstance", "definition_id": "pay", "definition_version": 1}
    assert refused(author.runs, method="StartRun", workflow="pay", version=1, input={}) == older
    assert refused(author.engine, **instance)["status"] == "PERMISSION_DENIED"
    assert author.runs("StartRun", workflow="pay", version=2, input={}).run.version == 2
    assert operator.runs("StartRun", workflow="pay", version=1, input={}).run.version == 1
    assert operator.engine(**instance).instance.definition_version == 1
    assert pay.post(f"{path}/versions/1/withdraw", {"reason": "It pays twice."}).status_code == 200
    withdrawn = {"status": "FAILED_PRECONDITION", "code": "version_withdrawn", "field": "version"}
    assert refused(operator.runs, method="StartRun", workflow="pay", version=1, input={}) == withdrawn
    assert refused(operator.engine, **instance)["status"] == "FAILED_PRECONDITION"


def test_a_run_acts_for_whoever_starts_it_over_grpc(speak, people):
    step = {"id": "a", "type": "subworkflow", "params": {"workflow": "{{ input.w }}"}}
    author = people.client("author")
    author.post("/api/v1/workflows", {"name": "parent", "definition": {"name": "parent", "nodes": [step]}})
    assert author.post("/api/v1/workflows/parent/publish").status_code == 201
    tenant = people.tenant()
    make.VersionFactory(
        workflow__tenant=tenant,
        workflow__draft_definition=make.graph(["x"], []) | {"name": "secret"},
        workflow__folder=make.FolderFactory(tenant=tenant),
    )
    runs = {
        role: speak(role).runs("StartRun", workflow="parent", input={"w": "secret"}).run.id
        for role in ("author", "admin")
    }
    make.work("engine")
    make.work()
    assert make.run(runs["author"]).error["details"] == {"reason": "not_allowed"}
    assert make.run(runs["admin"]).status == "COMPLETED"


def test_both_doors_show_the_same_run(speak, pay, start):
    [run] = start()
    by_rest, by_grpc = pay.get(f"/api/v1/runs/{run}").json(), speak("admin").runs("GetRun", run_id=run)
    same(by_grpc, by_rest)
    assert len(by_grpc.steps) == len(by_rest["steps"]) == 1


def same(message, row):
    """Each field of a message says what the row does under the same name."""
    for field in message.DESCRIPTOR.fields:
        value, there = getattr(message, field.name), row.get(field.name)
        if field.name not in row:
            assert (field.name, value) == ("truncated", b"")
        elif field.type == field.TYPE_BYTES:
            assert json.loads(value) == there, field.name
        elif field.is_repeated and field.message_type is not None:
            for inner, one in zip(value, there, strict=True):
                same(inner, one)
        elif field.message_type is not None:
            assert message.HasField(field.name) == (there is not None), field.name
            assert there is None or value.ToJsonString()[:19] == there[:19], field.name
        elif there is None:
            assert not value, field.name
        else:
            assert (list(value) if field.is_repeated else value) == there, field.name


def test_a_run_is_cancelled_and_then_it_has_ended(speak, start):
    [run] = start()
    ours = speak("admin")
    assert ours.runs("CancelRun", run_id=run, reason="no more").status == "CANCELLED"
    assert refused(lambda **f: [ours.runs("CancelRun", **f)], run_id=run)["status"] == "FAILED_PRECONDITION"


def test_a_signal_says_where_it_went_or_that_it_is_kept(speak, pay):
    steps = {"steps": [{"id": "go", "type": "signal", "params": {"name": "go"}}]}
    items = {"id": "m", "type": "map", "params": {"items": [1, 2], "body": steps}}
    definition = {"name": "many", "nodes": [items]}
    assert pay.post("/api/v1/workflows", {"name": "many", "definition": definition}).status_code == 201
    assert pay.post("/api/v1/workflows/many/publish", {}).status_code == 201
    ours = speak("admin")
    run = ours.runs("StartRun", workflow="many", input={}).run.id
    make.work()
    answer = ours.runs("SignalRun", run_id=run, name="go", signal_id="1", index=1)
    ((place),) = answer.delivered
    assert (place.run != run, place.node, place.index, answer.kept) == (True, "go", 1, False)
    assert ours.runs("SignalRun", run_id=run, name="later", signal_id="2", all=True).kept
    unknown = refused(
        lambda **f: [ours.runs("SignalRun", **f)], run_id=run, name="go", signal_id="3", child=run
    )
    assert (unknown["status"], unknown["field"]) == ("NOT_FOUND", "child")


def test_a_signal_counts_once(speak, start):
    [run] = start()
    ours = speak("admin")
    word = {"run_id": run, "name": "go", "signal_id": "s1", "payload": {"a": 1}}
    assert not ours.runs("SignalRun", **word).duplicate
    assert ours.runs("SignalRun", **word).duplicate


@pytest.mark.parametrize(
    ("method", "fields", "path", "body"),
    [
        ("StartRun", {"workflow": "pay"}, "", {"workflow": "pay"}),
        ("StartRun", {"workflow": "none", "input": 1}, "", {"workflow": "none", "input": 1}),
        ("StartRun", {**INPUT, "sla_seconds": 0}, "", {**INPUT, "sla_seconds": 0}),
        ("SignalRun", {"name": "go"}, "/{run}/signals", {"name": "go"}),
        ("CancelRun", {"reason": "x" * 2001}, "/{run}/cancel", {"reason": "x" * 2001}),
    ],
)  # fmt: skip
def test_both_doors_refuse_the_same(speak, pay, start, method, fields, path, body):
    [run] = start()
    answer = pay.post(f"/api/v1/runs{path.format(run=run)}", body)
    error = answer.json()["error"]
    named = {"run_id": run} if path else {}
    assert refused(lambda **f: [speak("admin").runs(**f)], method=method, **fields, **named) == {
        "status": {400: "INVALID_ARGUMENT", 404: "NOT_FOUND"}[answer.status_code],
        "code": error["code"],
        "field": error["field"],
    }


def test_another_tenants_run_is_not_there(speak, start):
    [run] = start()
    theirs = speak("admin", tenant="theirs")
    signal = {"name": "go", "signal_id": "s"}
    for method, more in (("GetRun", {}), ("CancelRun", {}), ("WatchRun", {}), ("SignalRun", signal)):
        assert (
            refused(lambda **f: [*_all(theirs.runs(**f))], method=method, run_id=run, **more)["status"]
            == "NOT_FOUND"
        )
    assert refused(lambda **f: [theirs.runs(**f)], method="GetRun", run_id="x")["status"] == "NOT_FOUND"
    assert refused(lambda **f: [theirs.runs(**f)], method="GetRun")["field"] == "run_id"


def _all(answer):
    return answer if hasattr(answer, "cancel") else [answer]


def test_a_run_is_watched_to_its_end(speak, pay, start):
    [run] = start()
    watching = speak("admin").runs("WatchRun", run_id=run)
    seen = []
    reading = Thread(target=lambda: seen.extend(watching))
    reading.start()
    complete_all(speak("worker"))
    reading.join(15)
    assert not reading.is_alive()
    assert [event.id for event in seen] == [event["id"] for event in history(pay, run)]
    for event, row in zip(seen, history(pay, run), strict=True):
        same(event, row)


def test_a_watch_goes_on_where_the_one_before_ended(speak, pay, start):
    [run] = start()
    complete_all(speak("worker"))
    ours = speak("admin")
    every = [event.id for event in ours.runs("WatchRun", run_id=run)]
    assert every == [event["id"] for event in history(pay, run)]
    assert [event.id for event in ours.runs("WatchRun", run_id=run, after=every[1])] == every[2:]
    assert list(ours.runs("WatchRun", run_id=run, after=every[-1])) == []
    assert refused(ours.runs, method="WatchRun", run_id=run, after=-1)["field"] == "after"


def test_a_watch_waits_for_an_event_that_commits_late(speak, pay, start):
    """Ids are given out before commits: no event is left out of a transaction that is still open."""
    [run] = start()
    known = history(pay, run)
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute(
                "INSERT INTO runs_historyevent (tenant_id, run_id, shard, type, payload)"
                " SELECT tenant_id, run_id, shard, 'late', '{}' FROM runs_historyevent WHERE run_id = %s LIMIT 1",
                [run],
            )
            complete_all(speak("worker"))
            watching = speak("admin").runs("WatchRun", run_id=run, after=known[-1]["id"])
            watching.initial_metadata()
            cursor.execute("COMMIT")
        seen = [event.type for event in watching]
    finally:
        other.close()
    assert seen[0] == "late"
    assert len(seen) == HistoryEvent.unsafe_all_tenants.filter(run_id=run).count() - len(known)


def test_who_cancels_a_watch_frees_its_place(speak, start):
    [run] = start()
    ours = speak("admin")
    for _ in range(60):
        watching = ours.runs("WatchRun", run_id=run)
        assert next(watching).id
        watching.cancel()


def test_a_watch_of_a_run_that_is_not_there(speak):
    assert refused(speak("admin").runs, method="WatchRun", run_id=str(uuid.uuid4()))["status"] == "NOT_FOUND"


def test_a_watch_has_a_deadline(speak, start):
    [run] = start()
    assert (
        refused(speak("admin").runs, method="WatchRun", run_id=run, seconds=1.0)["status"]
        == "DEADLINE_EXCEEDED"
    )


@pytest.mark.parametrize("mine", ["child", "parent"])
def test_who_operates_one_folder_of_a_tree_cancels_only_its_runs(speak, people, mine):
    admin = people.client("admin")
    publish(admin, {"name": "child", "nodes": [{"id": "a", "type": "job", "queue": "ch"}]})
    call = {"id": "call", "type": "subworkflow", "params": {"workflow": "child"}}
    publish(admin, {"name": "parent", "nodes": [call]})
    root = admin.post("/api/v1/runs", {"workflow": "parent", "input": None}).json()["id"]
    make.work("engine")
    runs = {"parent": root, "child": str(make.children_of(root)[0].pk)}
    for name in runs:
        grants = [Grant(("read", "operate"), "operator")] if name == mine else []
        folder = folders.create_folder(people.principal("admin"), f"For {name}", grants)
        Workflow.unsafe_all_tenants.filter(name=name).update(folder=folder)
    other = runs["child" if mine == "parent" else "parent"]
    operator = speak("operator").runs
    assert refused(lambda **f: [operator("CancelRun", **f)], run_id=other)["status"] == "NOT_FOUND"
    assert make.run(other).status == "RUNNING"
    assert operator("CancelRun", run_id=runs[mine]).status in ("CANCELLED", "CANCELLING")


def test_a_start_names_an_upload_of_its_caller_at_both_services(speak, people):
    schema = {"type": "object", "properties": {"receipt": {"type": "string", "format": "file"}}}
    author = people.client("author")
    publish(author, {"name": "filed", "nodes": [{"id": "a", "type": "noop"}], "input_schema": schema})
    admin, ours = people.client("admin"), speak("admin")

    def upload():
        path = "/api/v1/files?name=a.pdf"
        return admin.post(path, b"%PDF-1.7", content_type="application/pdf").json()["id"]

    first, second = upload(), upload()
    run = ours.runs("StartRun", workflow="filed", input={"receipt": first}).run.id
    assert admin.get(f"/api/v1/runs/{run}/files/{first}").status_code == 200
    said = refused(ours.runs, method="StartRun", workflow="filed", input={"receipt": first})
    assert (said["code"], said["field"]) == ("file_used", "input.receipt")
    instance = {"method": "StartInstance", "definition_id": "filed"}
    run = ours.engine(**instance, variables={"receipt": second}).instance.id
    assert admin.get(f"/api/v1/runs/{run}/files/{second}").status_code == 200
    assert refused(ours.engine, **instance, variables={"receipt": second})["status"] == "FAILED_PRECONDITION"
