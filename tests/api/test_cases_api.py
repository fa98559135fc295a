"""Test cases as a client makes, runs and records them, and what publishing asks of them."""

import pytest
from django.test import Client

from tests import factories as make
from tests.answering import answering, http

pytestmark = pytest.mark.django_db
URL = "/api/v1/workflows/flow"
CASES = f"{URL}/test-cases"
CLEAN = {"id": "clean", "type": "text.clean"}
CHARGE = {
    "id": "charge",
    "type": "http.request",
    "params": {"method": "POST", "url": "https://pay.example/"},
    "on_error": "branch",
}
SUM = {"id": "sum", "type": "transform", "params": {"set": {"receipt": "{{ steps.charge.output.body }}"}}}
SORRY = {"id": "sorry", "type": "transform", "params": {"set": {"why": "{{ prev.error.code }}"}}}
EDGES = [
    {"from": "clean", "to": "charge"},
    {"from": "charge", "to": "sum"},
    {"from": "charge", "to": "sorry", "on": "error"},
]
PAID = {"charge": {"output": {"status": 200, "headers": {}, "body": 7}}}


def draft(api, nodes=(CLEAN, CHARGE, SUM, SORRY), edges=EDGES, **more):
    definition = {"name": "flow", "nodes": list(nodes), "edges": edges, **more}
    made = api.post("/api/v1/workflows", {"name": "flow", "definition": definition})
    if made.status_code == 409:
        tag = api.get(f"{URL}/draft").headers["ETag"]
        made = api.put(f"{URL}/draft", {"definition": definition}, HTTP_IF_MATCH=tag)
    assert made.status_code in (200, 201), made.content
    return definition


def case(api, name="paid", **values):
    asked = {"name": name, "input": {"text": "x"}, **values}
    answer = api.post(CASES, asked)
    assert answer.status_code == 201, answer.content
    return answer.json()


def ran(api, **asked):
    answer = api.post(f"{CASES}/run", asked)
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def test_cases_are_made_changed_and_deleted(api):
    draft(api)
    made = case(api, stubs=PAID, expect={"path": ["clean", "charge", "sum"], "output": {"receipt": 7}})
    assert made["expect"] == {
        "status": "COMPLETED",
        "path": ["clean", "charge", "sum"],
        "output": {"receipt": 7},
    }
    where = f"{CASES}/{made['id']}"
    assert api.get(where).json() == made
    assert api.get(CASES).json()["results"] == [made]
    assert (made["revision"], made["created_by"]) == (1, "admin-of-ours")

    changed = api.patch(where, {"name": "well paid", "revision": 1}).json()
    assert (changed["name"], changed["revision"], changed["stubs"]) == ("well paid", 2, PAID)
    stale = api.patch(where, {"name": "late", "revision": 1})
    assert (stale.status_code, stale.json()["error"]["details"]["revision"]) == (412, 2)
    assert api.patch(where, {"expect": {"status": "FAILED"}}).json()["expect"] == {
        "status": "FAILED",
        "path": None,
    }
    assert api.post(CASES, {"name": "well paid", "input": 1}).json()["error"]["code"] == "name_taken"
    other = case(api, "other")
    taken = api.patch(f"{CASES}/{other['id']}", {"name": "well paid"})
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "name_taken")
    assert api.delete(where).status_code == 204
    assert api.get(where).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"stubs": {"a": {}}}, "stubs.a"),
        ({"stubs": {"a": {"output": 1, "error": {"code": "X", "message": ""}}}}, "stubs.a"),
        ({"stubs": {"a": {"error": {"code": "X"}}}}, "stubs.a.error.message"),
        ({"stubs": []}, "stubs"),
        ({"expect": {"status": "CANCELLED"}}, "expect.status"),
        ({"expect": {"path": "a"}}, "expect.path"),
        ({"expect": {"colour": 1}}, "expect.colour"),
        ({"input": "x" * 600_000}, "input"),
        ({"name": ""}, "name"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_case_is_refused_at_its_field(api, wrong, field):
    draft(api)
    refused = api.post(CASES, {"name": "x", "input": {}, **wrong})
    assert refused.status_code == 400, refused.content
    assert refused.json()["error"]["field"].startswith(field)


def test_the_input_of_a_case_may_be_null(api):
    draft(api)
    made = case(api, input=None)
    changed = api.patch(f"{CASES}/{made['id']}", {"input": {"text": "x"}}).json()
    assert (made["input"], changed["input"]) == (None, {"text": "x"})
    assert api.patch(f"{CASES}/{made['id']}", {"input": None}).json()["input"] is None


def test_a_workflow_has_fifty_at_most(api):
    draft(api)
    for number in range(50):
        case(api, str(number))
    refused = api.post(CASES, {"name": "more", "input": {}})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "too_many_cases")


def test_a_case_that_goes_as_expected_passes(api):
    draft(api)
    made = case(
        api,
        stubs=PAID,
        input={"text": " a  b "},
        expect={"path": ["sum", "charge", "clean"], "output": {"receipt": 7.0}},
    )
    (result,) = ran(api)
    assert result == {
        "id": made["id"],
        "name": "paid",
        "passed": True,
        "status": "COMPLETED",
        "path": ["clean", "charge", "sum"],
        "output": {"receipt": 7},
        "error": None,
        "differences": [],
        "stubbed": [{"node": "charge", "why": "pinned", "made_up": False}],
    }


def test_what_is_different_is_told(api):
    draft(api)
    case(api, stubs=PAID, expect={"status": "FAILED", "path": ["clean"], "output": True})
    (result,) = ran(api)
    assert result["passed"] is False
    assert result["differences"] == [
        {"what": "status", "expected": "FAILED", "got": "COMPLETED"},
        {"what": "path", "expected": ["clean"], "got": ["clean", "charge", "sum"]},
        {"what": "output", "expected": True, "got": {"receipt": 7}},
    ]


def test_a_step_fails_as_its_stub_says(api):
    draft(api)
    failing = {"charge": {"error": {"code": "CardDeclined", "message": "No {{ money }}."}}}
    case(api, stubs=failing, expect={"path": ["clean", "sorry"], "output": {"why": "CardDeclined"}})
    assert [result["passed"] for result in ran(api)] == [True]


@pytest.mark.parametrize(("policy", "path"), [("stop", []), ("finish_others", ["clean", "length"])])
def test_other_branches_go_on_beside_a_failure_as_the_workflow_says(api, policy, path):
    length = {"id": "length", "type": "transform", "params": {"set": {"n": "{{ size(prev.text) }}"}}}
    charge = {key: value for key, value in CHARGE.items() if key != "on_error"}
    edges = [{"from": "clean", "to": "length"}]
    draft(api, nodes=(charge, CLEAN, length), edges=edges, on_failure=policy)
    failing = {"charge": {"error": {"code": "CardDeclined", "message": "No."}}}
    case(api, stubs=failing, expect={"status": "FAILED", "path": path})
    (result,) = ran(api)
    assert (result["differences"], result["error"]["code"]) == ([], "CardDeclined")


def test_text_steps_really_happen_and_may_fail(api):
    draft(api)
    case(api, input={"no": "text"}, expect={"status": "FAILED"})
    (result,) = ran(api)
    assert (result["passed"], result["error"]["code"], result["path"]) == (True, "BadInput", [])


def test_pins_stand_for_what_is_outside_and_for_nothing_else(api):
    definition = draft(api)
    pins = {"charge": {"status": 200, "headers": {}, "body": "pinned"}, "clean": {"text": "pinned"}}
    api.put(f"{URL}/draft", {"definition": definition, "layout": {"pins": pins}}, HTTP_IF_MATCH='"1"')
    case(api, expect={"output": {"receipt": "pinned"}})
    case(api, "with a stub", stubs=PAID, expect={"output": {"receipt": 7}})
    results = ran(api)
    assert [result["passed"] for result in results] == [True, True]
    assert results[0]["stubbed"] == [{"node": "charge", "why": "side_effects", "made_up": False}]


def test_some_cases_with_another_definition(api):
    draft(api)
    first, second = case(api), case(api, "second")
    other = {"name": "flow", "nodes": [CLEAN]}
    (result,) = ran(api, ids=[second["id"]], definition=other)
    assert (result["id"], result["path"]) == (second["id"], ["clean"])
    assert api.post(f"{CASES}/run", {"ids": [first["id"], 10**9]}).status_code == 404
    assert api.post(f"{CASES}/run", {"definition": {"name": "flow"}}).status_code == 422


def test_problems_and_inputs_that_can_not_start_a_run_fail_a_case(api):
    draft(api, [{**CLEAN, "params": {"colour": "red"}}], [])
    case(api)
    case(api, "stubbed", stubs={"clean": {"output": 1}}, expect={"output": 1})
    wrong, good = ran(api)
    assert (wrong["differences"][0]["what"], good["passed"]) == ("problems", True)
    assert wrong["differences"][0]["got"][0]["field"] == "nodes[0].params.colour"
    draft(api, [CLEAN], [], input_schema={"type": "object", "required": ["n"]})
    assert {result["differences"][0]["what"] for result in ran(api)} == {"input"}


def test_what_reads_the_run_gives_the_same_each_time(api):
    reads = {"set": {"at": "{{ run.now }}", "key": "{{ run.business_key }}", "of": "{{ run.tenant }}"}}
    draft(api, [{"id": "t", "type": "transform", "params": reads}], [], business_key="{{ input.text }}")
    case(api)
    assert ran(api)[0]["output"] == {"at": "2026-01-01T00:00:00+00:00", "key": "x", "of": "ours"}


def publish(api, **asked):
    return api.post(f"{URL}/publish", asked)


def test_failing_cases_stand_against_publishing_unless_it_is_said(api):
    draft(api)
    case(api, stubs=PAID, expect={"output": 8})
    case(api, "good", stubs=PAID)
    refused = publish(api)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "test_cases_failed")
    assert "1 of 2 test cases fail: paid." in refused.json()["error"]["message"]
    results = refused.json()["error"]["details"]["results"]
    assert {result["name"]: result["passed"] for result in results} == {"good": True, "paid": False}
    assert api.get(f"{URL}/versions").json()["results"] == []
    assert publish(api, despite_failing_cases=True).status_code == 201
    # What is published already is not tested again.
    assert publish(api).status_code == 200


def test_problems_are_told_before_cases(api):
    draft(api, [{**CLEAN, "params": {"colour": "red"}}], [])
    case(api)
    assert publish(api).json()["error"]["code"] == "invalid_definition"


def test_the_page_tells_of_failing_cases_and_offers_to_publish_all_the_same(api, people):
    draft(api, [CLEAN], [])
    case(api, expect={"output": 1})
    client = Client()
    client.force_login(people.member("admin"))
    form = {"title": "Flow", "revision": "1", "step": ["s1", "s2"], "s1.type": "text.clean", "s1.id": "clean"}
    form |= {"s2.type": "text.keywords", "s2.id": "keywords"}
    answer = client.post("/workflows/flow/pipeline", {**form, "do": "publish"}, follow=True)
    page = answer.content.decode()
    assert "1 of 1 test cases fail" in page, page
    assert 'value="publish-anyway"' in page
    assert 'value="publish-anyway"' not in client.get("/workflows/flow/pipeline").content.decode()
    form["revision"] = str(api.get(f"{URL}/draft").json()["revision"])
    client.post("/workflows/flow/pipeline", {**form, "do": "publish-anyway"})
    assert api.get(URL).json()["version"] == 1


def started(api, **asked):
    assert publish(api, despite_failing_cases=True).status_code in (200, 201)
    run = api.post("/api/v1/runs", {"workflow": "flow", "input": {"text": "x"}, **asked}).json()
    make.work("default", "engine", "blocking")
    return run["id"]


def test_a_run_is_recorded_as_a_case(api, monkeypatch):
    monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "127.0.0.1/32")
    with answering(http(b"7", content_type="application/json")) as server:
        params = {"method": "POST", "url": server.url("/")}
        draft(api, [CLEAN, {**CHARGE, "params": params}, SUM, SORRY])
        run = started(api)
    recorded = api.post(f"{CASES}/record", {"run_id": run, "name": "as it was"})
    assert recorded.status_code == 201, recorded.content
    made = recorded.json()
    assert (made["name"], made["input"], set(made["stubs"])) == ("as it was", {"text": "x"}, {"charge"})
    assert made["stubs"]["charge"]["output"]["body"] == 7
    assert made["expect"] == {
        "status": "COMPLETED",
        "path": ["clean", "charge", "sum"],
        "output": {"receipt": 7},
    }
    assert [result["passed"] for result in ran(api)] == [True]
    again = api.post(f"{CASES}/record", {"run_id": run, "name": "as it was"})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "name_taken")


def test_a_failure_is_recorded_too(api):
    # Private addresses are refused.
    params = {"method": "POST", "url": "http://127.0.0.1:1/"}
    draft(api, [{**CHARGE, "params": params, "on_error": "fail"}], [])
    made = api.post(f"{CASES}/record", {"run_id": started(api), "name": "refused"}).json()
    assert made["stubs"]["charge"]["error"]["code"] == "HttpRefused"
    assert made["expect"] == {"status": "FAILED", "path": []}
    assert [result["passed"] for result in ran(api)] == [True]


def test_an_output_that_is_another_one_each_time_is_not_expected(api):
    draft(api, [{"id": "t", "type": "transform", "params": {"set": {"id": "{{ run.id }}"}}}], [])
    made = api.post(f"{CASES}/record", {"run_id": started(api), "name": "once"}).json()
    assert made["expect"] == {"status": "COMPLETED", "path": ["t"]}


def test_a_test_run_is_recorded_if_it_is_whole(api):
    draft(api)
    for asked, status in (({"pins": {"charge": {"body": 9}}}, 201), ({"only": "sum"}, 409)):
        run = api.post(f"{URL}/trials", {"input": {"text": "x"}, **asked}).json()["id"]
        make.work()
        answer = api.post(f"{CASES}/record", {"run_id": run, "name": str(asked)})
        assert answer.status_code == status, answer.content
    assert api.get(CASES).json()["results"][0]["stubs"] == {"charge": {"output": {"body": 9}}}
    assert [result["passed"] for result in ran(api)] == [True]


def test_what_has_not_ended_is_not_recorded(api):
    draft(api, [{"id": "j", "type": "job"}], [])
    run = started(api)
    refused = api.post(f"{CASES}/record", {"run_id": run, "name": "early"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_ended")
    api.post(f"/api/v1/runs/{run}/cancel")
    assert api.post(f"{CASES}/record", {"run_id": run, "name": "cancelled"}).status_code == 409


def test_runs_and_cases_of_others_are_not_there(api, people):
    draft(api, [CLEAN], [])
    run, made = started(api), case(api)
    theirs = people.client("admin", tenant="theirs")
    assert theirs.post("/api/v1/workflows", {"name": "flow"}).status_code == 201
    assert theirs.post(f"{CASES}/record", {"run_id": run, "name": "x"}).status_code == 404
    assert theirs.get(f"{CASES}/{made['id']}").status_code == 404
    assert theirs.get(CASES).json()["results"] == []
    assert theirs.post(f"{CASES}/run", {"ids": [made["id"]]}).status_code == 404
    api.post("/api/v1/workflows", {"name": "other"})
    wrong = api.post("/api/v1/workflows/other/test-cases/record", {"run_id": run, "name": "x"})
    assert wrong.status_code == 404


def test_an_archived_workflow_takes_no_cases(api):
    draft(api)
    made = case(api)
    api.delete(URL)
    assert api.post(CASES, {"name": "x", "input": {}}).status_code == 409
    assert api.delete(f"{CASES}/{made['id']}").status_code == 409
    assert api.get(CASES).status_code == 200
