"""The trace of whoever has a run started: every door takes it, the run keeps it, and whom it calls is told (R-208)."""

import itertools

import pytest
from django.test import Client

from integrations.webhooks_out import service
from lib import log_context
from lib.trace_context import span_id
from runs.models import Run
from steps import http_request
from tests import factories as make
from tests.answering import answering, http
from tests.api.hooks import publish
from tests.integrations.webhooks_out.receiving import deliver, receiving
from tests.llm_answers import said
from tests.webhooks import Sender, signed

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
OTHER = "00-1af7651916cd43dd8448eb211c80319c-c7ad6b7169203331-00"
HEADERS = {"HTTP_TRACEPARENT": PARENT, "HTTP_TRACESTATE": "vendor=1"}


def document(*nodes, name="flow", **more):
    edges = [{"from": one["id"], "to": two["id"]} for one, two in itertools.pairwise(nodes)]
    return {"name": name, "nodes": list(nodes), "edges": edges, **more}


def own(run):
    """The trace of a run that nobody else has begun one for."""
    digits = run.replace("-", "")
    return f"00-{digits}-{digits[16:]}-01"


def called_by(trace, run):
    """The trace as what a run calls is told it."""
    return trace[:36] + own(run)[36:52] + trace[52:]


def attempt_at(run, node, trace=PARENT):
    """The trace as what an attempt at a step calls is told it."""
    step = make.steps(run)[node]
    return f"{trace[:36]}{span_id(str(step.pk), step.epoch)}-01"


def begun(api, door):
    """Has a run started without a trace."""
    if door == "rest":
        start(api, headers={})
    elif door == "form":
        user = make.a_member("ann", "operator", "ours")
        client = Client()
        client.force_login(user)
        answer = client.post("/workflows/flow/start", {"input_kind": "json", "input": "{}"})
        assert answer.status_code == 302, answer.text
    elif door == "schedule":
        body = {"name": "s", "workflow": "flow", "every_seconds": 3600, "input": {}}
        assert api.post("/api/v1/schedules", body).status_code == 201
        answer = api.post("/api/v1/schedules/s/run", {})
        assert answer.status_code in (200, 201), answer.json()
    else:
        body = {"name": "in", "workflow": "flow", "action": "start", "mapping": {"input": "{{ body }}"}}
        sender, raw = Sender(Client(), api.post("/api/v1/webhooks", body).json()), b'{"n": 1}'
        assert sender.send(raw, headers=signed(sender.secret, raw)).status_code == 202


def start(api, workflow="flow", headers=HEADERS, **more):
    answer = api.post("/api/v1/runs", {"workflow": workflow, "input": {}} | more, **headers)
    assert answer.status_code == 201, answer.json()
    return answer.json()


@pytest.fixture
def server(monkeypatch):
    with answering(http(b"{}", content_type="application/json")) as server:
        monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", f"127.0.0.1:{server.port}")
        yield server


@pytest.fixture
def flow(api):
    publish(api, document({"id": "a", "type": "noop"}))
    return api


def test_a_start_keeps_it_and_the_run_says_it(flow):
    run = start(flow)
    assert run["traceparent"] == PARENT
    assert Run.unsafe_all_tenants.get(pk=run["id"]).tracestate == "vendor=1"
    for headers in ({}, {"HTTP_TRACEPARENT": PARENT[:-1]}):
        run = start(flow, headers=headers)
        assert run["traceparent"] == own(run["id"])
        assert Run.unsafe_all_tenants.get(pk=run["id"]).traceparent is None
    batch = flow.post("/api/v1/runs/batch", {"workflow": "flow", "items": [{"input": {}}] * 2}, **HEADERS)
    ids = [one["id"] for one in batch.json()["runs"]]
    assert {*Run.unsafe_all_tenants.filter(pk__in=ids).values_list("traceparent", flat=True)} == {PARENT}


def test_a_start_that_finds_the_run_changes_nothing(flow):
    start(flow, business_key="o-1")
    body = {"workflow": "flow", "input": {}, "business_key": "o-1"}
    again = flow.post("/api/v1/runs", body, HTTP_TRACEPARENT=OTHER)
    assert (again.status_code, again.json()["traceparent"]) == (200, PARENT)


def test_the_other_door_of_programs_takes_it(flow):
    answer = flow.post("/v1/workflows", {"workflowType": "flow", "input": {}}, **HEADERS)
    assert answer.status_code == 201, answer.json()
    assert Run.unsafe_all_tenants.get().traceparent == PARENT


def test_a_message_to_a_webhook_that_starts_a_run_is_of_its_trace(flow):
    body = {"name": "in", "workflow": "flow", "action": "start", "mapping": {"input": "{{ body }}"}}
    hook = flow.post("/api/v1/webhooks", body)
    assert hook.status_code == 201, hook.json()
    sender, raw = Sender(Client(), hook.json()), b'{"n": 1}'
    answer = sender.send(raw, headers=signed(sender.secret, raw) | {"traceparent": PARENT})
    assert answer.status_code == 202, answer.content
    assert Run.unsafe_all_tenants.get().traceparent == PARENT


def test_what_comes_from_a_run_is_of_its_trace(api):
    publish(api, document({"id": "x", "type": "noop"}, name="child"))
    publish(api, document({"id": "y", "type": "noop"}, name="after"))
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": "child"}}
    publish(api, document(sub, name="parent", next_workflow="after"))
    run = start(api, "parent")
    make.work()
    parent, child, after = Run.unsafe_all_tenants.order_by("created_at", "id")
    assert {one.tracestate for one in (parent, child, after)} == {"vendor=1"}
    assert parent.traceparent == PARENT
    assert {child.traceparent, after.traceparent} == {called_by(PARENT, run["id"])}
    again = api.post(f"/api/v1/runs/{run['id']}/rerun", {"from_node": "sub"})
    assert again.status_code == 201, again.json()
    assert again.json()["traceparent"] == called_by(PARENT, run["id"])


def test_parts_of_parts_are_called_by_the_run_that_is_told_of(api):
    two = {"steps": [{"id": "x", "type": "noop"}, {"id": "y", "type": "noop"}]}
    inner = {"id": "in", "type": "map", "params": {"items": "{{ [1, 2] }}", "body": two}}
    body = {"steps": [inner, {"id": "z", "type": "noop"}]}
    publish(api, document({"id": "each", "type": "map", "params": {"items": "{{ [1] }}", "body": body}}))
    run = start(api, headers={})
    make.work()
    parts = Run.unsafe_all_tenants.filter(is_part=True)
    assert len(parts) == 3
    assert {one.traceparent for one in parts} == {own(run["id"])}


def test_whom_a_request_asks_is_told(api, server):
    steps = [
        {"id": "plain", "type": "http.request", "params": {"url": server.url("/plain")}},
        {"id": "reads", "type": "http.request", "params": {"url": server.url("/{{ input.place }}")}},
        {
            "id": "own",
            "type": "http.request",
            "params": {"url": server.url("/own"), "headers": {"Traceparent": OTHER}},
        },
    ]
    publish(api, document(*steps))
    run = start(api, input={"place": "reads"})["id"]
    make.work("blocking", "default", "engine")
    told = {
        one.target: (one.headers.get("traceparent"), one.headers.get("tracestate")) for one in server.asked
    }
    assert told == {
        "/plain": (attempt_at(run, "plain"), "vendor=1"),
        "/reads": (attempt_at(run, "reads"), "vendor=1"),
        "/own": (OTHER, None),
    }


@pytest.mark.parametrize("door", ["rest", "form", "schedule", "webhook"])
def test_a_run_that_comes_with_no_trace_begins_one_of_its_own_id_whatever_its_door(api, server, door):
    publish(api, document({"id": "a", "type": "http.request", "params": {"url": server.url()}}))
    begun(api, door)
    make.work("blocking", "default", "engine")
    run = str(Run.unsafe_all_tenants.get().pk)
    assert "tracestate" not in server.asked[0].headers
    assert server.asked[0].headers["traceparent"] == attempt_at(run, "a", own(run))
    assert api.get(f"/api/v1/runs/{run}").json()["traceparent"] == own(run)


def test_a_language_model_is_told(api, monkeypatch):
    with answering(said("Good.")) as server:
        monkeypatch.setenv("HANDOFF_LLM_URL", server.url("/v1"))
        monkeypatch.setenv("HANDOFF_LLM_MODEL", "small-1")
        publish(api, document({"id": "a", "type": "llm.prompt", "params": {"prompt": "Say something."}}))
        run = start(api)["id"]
        make.work("blocking", "default", "engine")
        assert [one.headers.get("traceparent") for one in server.asked] == [attempt_at(run, "a")]


def test_a_job_says_it_to_its_worker(api, people):
    publish(api, document({"id": "a", "type": "job", "queue": "card"}))
    run, other = start(api)["id"], start(api, headers={})["id"]
    body = {"worker_id": "w1", "queues": ["card"], "max_jobs": 10}
    jobs = people.client("worker").post("/api/v1/jobs/poll", body).json()["jobs"]
    told = {one["run_id"]: (one["traceparent"], one["tracestate"]) for one in jobs}
    assert told == {
        run: (attempt_at(run, "a"), "vendor=1"),
        other: (attempt_at(other, "a", own(other)), None),
    }


def test_a_webhook_that_goes_out_is_told(flow, people, monkeypatch):
    with receiving(monkeypatch) as receiver:
        service.create_webhook(people.principal(), url=receiver.url)
        run = start(flow)
        make.work()
        deliver()
        heard = receiver.of(run["id"])
        assert heard
        assert {(one.headers["traceparent"], one.headers["tracestate"]) for one in heard} == {
            (called_by(PARENT, run["id"]), "vendor=1")
        }


def test_log_lines_of_a_step_name_the_trace(api, server, monkeypatch):
    publish(api, document({"id": "a", "type": "http.request", "params": {"url": server.url()}}))
    run, seen = start(api), []
    headers_of = http_request.headers_of

    def noted(*args):
        seen.append(dict(log_context.current()))
        return headers_of(*args)

    monkeypatch.setattr(http_request, "headers_of", noted)
    make.work("blocking", "default", "engine")
    told = server.asked[0].headers["traceparent"]
    assert told == attempt_at(run["id"], "a")
    assert seen == [{"run": run["id"], "step": "a", "attempt": 1, "trace": PARENT[3:35], "span": told[36:52]}]
