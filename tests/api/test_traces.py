"""The trace of whoever has a run started: every door takes it, the run keeps it, and whom it calls is told (R-208)."""

import itertools

import pytest
from django.test import Client

from lib import log_context
from runs.models import Run
from runs.outgoing import services
from steps import http_request
from tests import factories as make
from tests.answering import answering, http
from tests.api.hooks import publish
from tests.llm_answers import said
from tests.outgoing import deliver, receiving
from tests.webhooks import Sender, signed

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
OTHER = "00-1af7651916cd43dd8448eb211c80319c-c7ad6b7169203331-00"
HEADERS = {"HTTP_TRACEPARENT": PARENT, "HTTP_TRACESTATE": "vendor=1"}


def document(*nodes, name="flow", **more):
    edges = [{"from": one["id"], "to": two["id"]} for one, two in itertools.pairwise(nodes)]
    return {"name": name, "nodes": list(nodes), "edges": edges, **more}


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
    assert start(flow, headers={})["traceparent"] is None
    assert start(flow, headers={"HTTP_TRACEPARENT": PARENT[:-1]})["traceparent"] is None
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
    rows = Run.unsafe_all_tenants.all()
    assert {(one.traceparent, one.tracestate) for one in rows} == {(PARENT, "vendor=1")}
    assert len(rows) == 3
    again = api.post(f"/api/v1/runs/{run['id']}/rerun", {"from_node": "sub"})
    assert again.status_code == 201, again.json()
    assert again.json()["traceparent"] == PARENT


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
    start(api, input={"place": "reads"})
    make.work("blocking", "default", "engine")
    told = {
        one.target: (one.headers.get("traceparent"), one.headers.get("tracestate")) for one in server.asked
    }
    assert told == {
        "/plain": (PARENT, "vendor=1"),
        "/reads": (PARENT, "vendor=1"),
        "/own": (OTHER, None),
    }


def test_a_run_of_no_trace_tells_of_none(api, server):
    publish(api, document({"id": "a", "type": "http.request", "params": {"url": server.url()}}))
    start(api, headers={})
    make.work("blocking", "default", "engine")
    assert "traceparent" not in server.asked[0].headers


def test_a_language_model_is_told(api, monkeypatch):
    with answering(said("Good.")) as server:
        monkeypatch.setenv("HANDOFF_LLM_URL", server.url("/v1"))
        monkeypatch.setenv("HANDOFF_LLM_MODEL", "small-1")
        publish(api, document({"id": "a", "type": "llm.prompt", "params": {"prompt": "Say something."}}))
        start(api)
        make.work("blocking", "default", "engine")
        assert [one.headers.get("traceparent") for one in server.asked] == [PARENT]


def test_a_job_says_it_to_its_worker(api, people):
    publish(api, document({"id": "a", "type": "job", "queue": "card"}))
    start(api)
    start(api, headers={})
    body = {"worker_id": "w1", "queues": ["card"], "max_jobs": 10}
    jobs = people.client("worker").post("/api/v1/jobs/poll", body).json()["jobs"]
    told = {(one["traceparent"], one["tracestate"]) for one in jobs}
    assert told == {(PARENT, "vendor=1"), (None, None)}


def test_a_webhook_that_goes_out_is_told(flow, people, monkeypatch):
    with receiving(monkeypatch) as receiver:
        services.create_webhook(people.principal(), url=receiver.url)
        run = start(flow)
        make.work()
        deliver()
        heard = receiver.of(run["id"])
        assert heard
        assert {(one.headers["traceparent"], one.headers["tracestate"]) for one in heard} == {
            (PARENT, "vendor=1")
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
    assert seen == [{"run": run["id"], "step": "a", "attempt": 1, "trace": PARENT[3:35]}]
