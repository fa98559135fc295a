"""Trying a draft out as a client does it: nothing is published, nothing outside happens, nothing is listed."""

from collections import Counter

import pytest
from django.core.management import call_command
from django.test import Client

from runs.models import DeadLetter, Run, RunKey
from tests import factories as make
from tests.answering import answering, http
from tests.api.authorisation_matrix import MATRIX, PUBLIC, address
from workflows.models import Workflow, WorkflowVersion

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
URL = "/api/v1/workflows/flow"
QUEUES = ("default", "engine", "blocking")
CLEAN = {"id": "clean", "type": "text.clean"}
ASK = {"id": "ask", "type": "human.approval", "params": {"title": "Refund?"}}


def charge(url, method="POST", **more):
    return {"id": "charge", "type": "http.request", "params": {"method": method, "url": url}, **more}


def draft(api, nodes, edges=(), **more):
    edges = [dict(zip(("from", "to"), edge.split(">"), strict=True)) for edge in edges]
    definition = {"name": "flow", "nodes": list(nodes), "edges": edges, **more}
    assert api.post("/api/v1/workflows", {"name": "flow", "definition": definition}).status_code == 201
    return definition


def tried(api, **asked):
    answer = api.post(f"{URL}/trials", asked)
    assert answer.status_code == 201, answer.content
    make.work(*QUEUES)
    run = api.get(f"/api/v1/runs/{answer.json()['id']}").json()
    return answer.json(), run, {step["node"]: step for step in run["steps"]}


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "127.0.0.1/32")
    with answering(http(b'{"ok": true}', content_type="application/json")) as server:
        yield server


def test_a_draft_runs_without_being_published(api):
    draft(api, [CLEAN, {"id": "b", "type": "noop"}], ["clean>b"])
    begun, run, steps = tried(api, input={"text": " a  b "})
    assert (begun["test"], begun["version"], begun["stubbed"]) == (True, None, [])
    assert (run["status"], run["output"], run["test"]) == ("COMPLETED", {"text": "a b"}, True)
    assert steps["clean"]["type"] == "text.clean"
    assert api.get(URL).json()["version"] is None
    assert api.get(f"{URL}/draft").json()["revision"] == 1
    assert api.get(f"{URL}/versions").json()["results"] == []
    assert api.post("/api/v1/runs", {"workflow": "flow", "input": {}}).status_code == 409


def test_a_request_with_side_effects_is_sent_only_where_it_is_live(api, server):
    draft(api, [charge(server.url("/charges")), {"id": "b", "type": "noop"}], ["charge>b"])

    begun, run, steps = tried(api, input={})
    assert server.asked == []
    assert begun["stubbed"] == [{"node": "charge", "why": "side_effects", "made_up": True}]
    assert (run["status"], steps["charge"]["type"]) == ("COMPLETED", "test.stub")
    assert steps["b"]["input"] == {"status": 200, "headers": {}, "body": None}

    begun, run, steps = tried(api, input={}, live=["charge"])
    assert [asked.target for asked in server.asked] == ["/charges"]
    assert (begun["stubbed"], steps["b"]["output"]["body"]) == ([], {"ok": True})
    tried(api, input={}, live="all")
    assert len(server.asked) == 2


def test_a_request_that_only_reads_is_sent(api, server):
    draft(api, [charge(server.url("/orders"), "GET")])
    _, run, _ = tried(api)
    assert (run["status"], run["output"]["body"], len(server.asked)) == ("COMPLETED", {"ok": True}, 1)


def test_nothing_that_is_undone_is_undone_by_a_test(api, server):
    undo = {"type": "http.request", "params": {"method": "POST", "url": server.url("/refunds")}}
    broken = {"id": "clean", "type": "text.clean", "retry": "none"}
    draft(api, [charge(server.url("/charges"), compensate=undo), broken], ["charge>clean"])
    _, run, _ = tried(api)
    assert (run["status"], server.asked) == ("FAILED", [])


def test_only_one_step_with_what_it_is_given(api):
    draft(api, [{"id": "a", "type": "job"}, CLEAN, {"id": "z", "type": "noop"}], ["a>clean", "clean>z"])
    begun, run, steps = tried(api, only="clean", step_input={"text": " x "})
    assert set(steps) == {"a", "clean"}
    assert (steps["clean"]["input"], run["output"]) == ({"text": " x "}, {"text": "x"})
    assert begun["stubbed"] == [{"node": "a", "why": "outside", "made_up": True}]
    _, run, _ = tried(api, only="clean", pins={"a": {"text": "{{ y }}"}})
    assert run["output"] == {"text": "{{ y }}"}
    refused = api.post(f"{URL}/trials", {"step_input": 1})
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "step_input")


def test_up_to_a_step(api):
    draft(api, [CLEAN, {"id": "b", "type": "noop"}, {"id": "c", "type": "noop"}], ["clean>b", "b>c"])
    _, run, steps = tried(api, input={"text": "x"}, until="b")
    assert (list(steps), run["status"], run["output"]) == (["clean", "b"], "COMPLETED", {"text": "x"})


def test_pins_of_the_draft_count(api):
    definition = draft(api, [{"id": "a", "type": "job"}])
    put = {"definition": definition, "layout": {"pins": {"a": {"receipt": 7}}}}
    assert api.put(f"{URL}/draft", put, HTTP_IF_MATCH='"1"').status_code == 200
    begun, run, _ = tried(api)
    assert (begun["stubbed"], run["output"]) == (
        [{"node": "a", "why": "pinned", "made_up": False}],
        {"receipt": 7},
    )
    assert tried(api, pins={"a": 8})[1]["output"] == 8
    assert tried(api, pins={})[0]["stubbed"][0]["why"] == "side_effects"


def test_another_definition_is_tested_and_not_kept(api):
    kept = draft(api, [CLEAN])
    other = {"name": "flow", "nodes": [{"id": "b", "type": "noop"}]}
    _, run, steps = tried(api, input=5, definition=other)
    assert (run["output"], list(steps)) == (5, ["b"])
    assert api.get(f"{URL}/draft").json()["definition"] == kept


def test_errors_stand_against_a_test_only_where_they_take_part(api):
    wrong = {"id": "wrong", "type": "text.tag", "params": {"colour": "red"}}
    draft(api, [CLEAN, wrong], ["clean>wrong"])
    assert api.post(f"{URL}/trials", {"until": "clean", "input": {"text": "x"}}).status_code == 201
    assert api.post(f"{URL}/trials", {"pins": {"wrong": 1}, "input": {"text": "x"}}).status_code == 201
    refused = api.post(f"{URL}/trials", {"input": {"text": "x"}})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "invalid_definition")
    problems = refused.json()["error"]["details"]["problems"]
    assert {problem["node"] for problem in problems} == {"wrong"}


@pytest.mark.parametrize(
    "document",
    [
        {"name": "flow"},
        {"name": "flow", "nodes": []},
        {"name": "flow", "nodes": [7, {"id": 7}]},
        {"name": "flow", "nodes": [{"id": "a", "type": "noop"}, {"id": "a", "type": "noop"}]},
        {"name": "flow", "nodes": [{"id": "a", "type": "noop"}], "edges": [{"from": "a", "to": "b"}]},
        {"name": "flow", "nodes": [{"id": "a", "type": 7, "params": []}], "edges": 7},
        {"name": "flow", "nodes": [{"id": "a", "type": "noop", "boundary_timers": [7]}]},
        {"name": "other", "nodes": [{"id": "a", "type": "noop"}]},
        {"name": "flow", "nodes": [{"id": "a", "type": "test.stub", "params": {}}]},
        {"name": "flow", "nodes": [{"id": "a", "type": "wait", "params": {"seconds": 1}, "title": 7}]},
    ],
    ids=str,
)
def test_what_is_no_definition_is_refused_with_its_problems(api, document):
    draft(api, [CLEAN])
    refused = api.post(f"{URL}/trials", {"definition": document})
    assert refused.status_code == 422, refused.content
    assert refused.json()["error"]["details"]["problems"]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"until": "x"}, "until"),
        ({"only": "x"}, "only"),
        ({"live": ["x"]}, "live.x"),
        ({"live": "some"}, "live"),
        ({"live": [7]}, "live"),
        ({"outcomes": {"clean": "approved"}}, None),
        ({"outcomes": {"ask": "maybe"}}, "outcomes.ask"),
        ({"until": "ask", "only": "ask"}, "only"),
        ({"pins": []}, "pins"),
    ],
    ids=str,
)
def test_what_can_not_be_tested_is_refused_at_its_field(api, asked, field):
    draft(api, [CLEAN, ASK], ["clean>ask"])
    refused = api.post(f"{URL}/trials", {"input": {"text": "x"}, **asked})
    if field is None:
        assert refused.status_code == 201
    else:
        assert (refused.status_code, refused.json()["error"]["field"]) == (400, field), refused.content


def test_the_input_fits_the_schema_unless_one_step_is_tested_alone(api):
    draft(api, [CLEAN], input_schema={"type": "object", "required": ["text"]})
    assert api.post(f"{URL}/trials", {"input": {}}).status_code == 400
    assert api.post(f"{URL}/trials", {"only": "clean", "step_input": {"text": "x"}}).status_code == 201


def test_people_are_asked_only_by_live_steps_and_see_that_it_is_a_test(api, people):
    draft(api, [ASK])
    _, run, _ = tried(api, outcomes={"ask": "rejected"})
    assert (run["output"]["branch"], api.get("/api/v1/tasks").json()["results"]) == ("rejected", [])

    _, run, _ = tried(api, live=["ask"])
    (task,) = api.get("/api/v1/tasks").json()["results"]
    assert (task["test"], task["run_id"]) == (True, run["id"])
    client = Client()
    client.force_login(people.member("admin"))
    assert '<span class="version">test</span>' in client.get("/inbox/").content.decode()
    assert api.post(f"/api/v1/tasks/{task['id']}/complete", {"outcome": "approved"}).status_code == 200


def test_a_business_key_is_seen_by_a_test_and_not_claimed(api):
    shown = {"id": "t", "type": "transform", "params": {"set": {"key": "{{ run.business_key }}"}}}
    draft(api, [shown], business_key="{{ input.order }}")
    for _ in range(2):
        _, run, _ = tried(api, input={"order": "A-17"})
        assert (run["business_key"], run["output"]) == ("A-17", {"key": "A-17"})
    assert RunKey.objects.for_tenant(Run.unsafe_all_tenants.first().tenant_id).count() == 0
    api.post(f"{URL}/publish")
    real = api.post("/api/v1/runs", {"workflow": "flow", "input": {"order": "A-17"}})
    assert (real.status_code, real.json()["test"]) == (201, False)
    assert api.get("/api/v1/runs?business_key=A-17").json()["results"][0]["id"] == real.json()["id"]


def test_the_same_content_is_one_version_and_never_a_published_one(api, people):
    draft(api, [CLEAN])
    for text in ("x", "y"):
        tried(api, input={"text": text})
    tenant = people.tenant().pk
    assert WorkflowVersion.with_tests.for_tenant(tenant).count() == 1
    assert WorkflowVersion.objects.for_tenant(tenant).count() == 0
    published = api.post(f"{URL}/publish").json()
    assert published["version"] == 1
    assert api.get(f"{URL}/export").json()["nodes"] == [CLEAN]
    tried(api, input={"text": "x"})
    assert [one["version"] for one in api.get(f"{URL}/versions").json()["results"]] == [1]
    run = api.post("/api/v1/runs", {"workflow": "flow", "input": {"text": "x"}}).json()
    assert (run["version"], run["test"]) == (1, False)
    assert api.delete(URL).status_code == 204
    assert api.post(f"{URL}/trials", {}).status_code == 409


def test_a_failed_test_is_nobodys_business(api, people):
    draft(api, [{**CLEAN, "retry": "none"}])
    _, run, _ = tried(api, input={})
    assert run["status"] == "FAILED"
    assert DeadLetter.objects.for_tenant(people.tenant().pk).count() == 0
    assert api.get("/api/v1/dead-letters").json()["results"] == []
    answer = api.post(f"/api/v1/runs/{run['id']}/steps/clean/retry", {"input": {"text": "x"}})
    assert answer.status_code == 200
    make.work()
    assert api.get(f"/api/v1/runs/{run['id']}").json()["status"] == "COMPLETED"


def test_a_test_run_stays_a_test(api):
    draft(api, [{**CLEAN, "retry": "none"}, {"id": "b", "type": "noop"}], ["clean>b"])
    _, run, _ = tried(api, input={})
    api.post(f"{URL}/publish")
    moved = api.post(f"/api/v1/runs/{run['id']}/resume", {"version": 1})
    assert (moved.status_code, moved.json()["error"]["code"]) == (409, "is_test")
    moved = api.post(f"/api/v1/runs/{run['id']}/rerun", {"from_node": "clean", "version": 1})
    assert (moved.status_code, moved.json()["error"]["code"]) == (409, "is_test")
    again = api.post(f"/api/v1/runs/{run['id']}/rerun", {"from_node": "clean", "input": {"text": "x"}})
    assert (again.status_code, again.json()["test"]) == (201, True)


def test_test_runs_are_in_no_list_unless_they_are_asked_for(api, people):
    draft(api, [{**CLEAN, "retry": "none"}, ASK], ["clean>ask"])
    api.post(f"{URL}/publish")
    real = api.post("/api/v1/runs", {"workflow": "flow", "input": {"text": "real"}}).json()
    tests = [tried(api, input=given)[1] for given in ({"text": "x"}, {})]
    tests.append(tried(api, input={"text": "x"}, live="all")[1])
    assert Counter(run["status"] for run in tests) == {"COMPLETED": 1, "FAILED": 1, "WAITING": 1}
    client = Client()
    client.force_login(people.member("admin"))

    lists = [(name, client if MATRIX[name].page else api) for name in MATRIX if _is_list(name)]
    assert len(lists) > 15
    # A person who is asked by a live step has its task, marked.
    for name, door in lists:
        where = address(name).replace("/ours", "/flow")
        body = door.get(where).content.decode()
        found = [run["id"] for run in tests if run["id"] in body]
        assert not found or name == "api-tasks", (name, found)
    assert [run["id"] for run in api.get("/api/v1/runs").json()["results"]] == [real["id"]]
    assert {run["id"] for run in api.get("/api/v1/runs?test=true").json()["results"]} == {
        run["id"] for run in tests
    }
    for q in (tests[0]["id"][:12], "x"):
        assert {run["test"] for run in api.get(f"/api/v1/runs?q={q}").json()["results"]} <= {False}
    for status in ("COMPLETED", "FAILED", "WAITING", "PENDING", "RUNNING"):
        found = api.get(f"/api/v1/runs?status={status}").json()["results"]
        assert {run["test"] for run in found} <= {False}
    page = client.get("/runs/?test=1").content.decode()
    assert all(run["id"] in page for run in tests)
    assert real["id"] not in page


def _is_list(name):
    route = MATRIX[name]
    is_ours = "/ours" in route.path
    return "GET" in route.methods and route.methods["GET"] != PUBLIC and (is_ours or not route.names_object)


def test_the_page_of_a_test_run_says_so_and_offers_nothing_that_is_not_a_test(api, people):
    draft(api, [{**CLEAN, "retry": "none"}])
    api.post(f"{URL}/publish")
    _, run, _ = tried(api, input={})
    client = Client()
    client.force_login(people.member("admin"))
    page = client.get(f"/runs/{run['id']}").content.decode()
    assert '<span class="version">test</span>' in page
    for verb in ("again", "resume-on", "seen-to"):
        assert f"/runs/{run['id']}/{verb}" not in page
    assert client.post(f"/runs/{run['id']}/again").status_code == 409
    assert client.get(f"/runs/{run['id']}/resume-on").status_code == 409
    assert client.get(f"/runs/{run['id']}/steps/clean/rerun").status_code == 200
    assert Run.unsafe_all_tenants.filter(is_test=False).count() == 0


def test_another_tenant_has_no_part_in_it(api, people):
    draft(api, [CLEAN])
    theirs = people.client("admin", tenant="theirs")
    _, run, _ = tried(api, input={"text": "x"})
    assert theirs.post(f"{URL}/trials", {}).status_code == 404
    assert theirs.get("/api/v1/runs?test=true").json()["results"] == []
    assert theirs.get(f"/api/v1/runs/{run['id']}").status_code == 404
    assert Workflow.objects.for_tenant(people.tenant("theirs").pk).count() == 0


def test_who_may_start_runs_may_test(people):
    draft(people.client("admin"), [CLEAN])
    for role, status in (("author", 201), ("operator", 201), ("viewer", 403), ("worker", 403)):
        asked = {"input": {"text": "x"}}
        assert people.client(role).post(f"{URL}/trials", asked).status_code == status, role


def test_only_who_may_write_workflows_tests_what_is_none_of_a_workflow(people):
    draft(people.client("admin"), [CLEAN])
    other = {"name": "flow", "nodes": [{**CLEAN, "title": "Another"}], "edges": []}
    same = {"name": "flow", "edges": [], "nodes": [CLEAN]}
    for role, document, status in (
        ("author", other, 201),
        ("operator", other, 403),
        ("operator", same, 201),
        ("operator", {"name": "flow", "nodes": [CLEAN]}, 201),
        ("operator", {"nodes": 7}, 403),
    ):
        asked = {"input": {"text": "x"}, "definition": document}
        assert people.client(role).post(f"{URL}/trials", asked).status_code == status, role


def test_a_test_is_mended_though_its_business_key_stands_for_a_real_run(api):
    draft(api, [{**CLEAN, "retry": "none"}], business_key="k")
    _, run, _ = tried(api, input={})
    api.post(f"{URL}/publish")
    real = api.post("/api/v1/runs", {"workflow": "flow", "input": {}}).json()
    make.work()
    assert api.post(f"/api/v1/runs/{run['id']}/resume").status_code == 200
    make.work()
    again = api.post(f"/api/v1/runs/{run['id']}/rerun", {"from_node": "clean", "input": {"text": "x"}})
    assert (again.status_code, again.json()["test"]) == (201, True)
    make.work()
    # The real one has its key as before.
    same = api.post("/api/v1/runs", {"workflow": "flow", "input": {}}).json()
    assert same["id"] == real["id"]
    assert api.post(f"/api/v1/runs/{real['id']}/resume").status_code == 200


def test_a_compensation_of_a_test_that_fails_alerts_nobody(api, server, caplog):
    undo = {
        "type": "http.request",
        "params": {"method": "POST", "url": "http://127.0.0.2:1/"},
        "retry": "none",
    }
    broken = {"id": "clean", "type": "text.clean", "retry": "none", "input": "{{ input }}"}
    draft(api, [charge(server.url("/"), compensate=undo), broken], ["charge>clean"])
    _, run, _ = tried(api, live=["charge"])
    assert run["status"] == "WAITING_FOR_MANUAL_ACTION"
    events = api.get(f"/api/v1/runs/{run['id']}/history").json()["results"]
    assert "ALERT" not in {event["type"] for event in events}
    assert "alert compensation_failed" not in caplog.text
    (task,) = api.get("/api/v1/tasks").json()["results"]
    assert (task["kind"], task["test"]) == ("compensation", True)
    answer = api.post(f"/api/v1/tasks/{task['id']}/resolve", {"resolution": "done", "reason": "x"})
    assert answer.status_code == 200
    assert DeadLetter.objects.for_tenant(Run.unsafe_all_tenants.get().tenant_id).count() == 0


def test_the_history_of_a_test_run_is_whole(api, capsys):
    draft(api, [ASK, CLEAN, {"id": "d", "type": "decision"}], ["ask>clean", "clean>d"])
    _, run, _ = tried(api, only="clean", step_input={"text": "x"})
    tried(api, outcomes={"ask": "approved"})
    call_command("verify_history", "--all")
    assert "2 runs checked, 0 differences" in "".join(capsys.readouterr())
    events = api.get(f"/api/v1/runs/{run['id']}/history?order=asc").json()["results"]
    assert events[0]["payload"]["test"] is True
