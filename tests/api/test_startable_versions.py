"""Which version a start takes, at every door that starts runs: a table of doors and states of the versions."""

import orjson
import pytest
from django.db.models.functions import Now
from django.test import Client

from accounts import folders
from accounts.folders import Grant
from integrations.grpc import runs as grpc_runs
from integrations.grpc.calls import Call, NativeRequest
from integrations.rochallor import service
from integrations.rochallor.errors import RochallorError
from lib.refusals import Refusal
from runs.models import Run
from tests import factories as make
from tests.api.hooks import publish
from tests.webhooks import Sender
from triggers.schedules import firing
from triggers.schedules.models import Schedule
from workflows.models import VersionWithdrawal, Workflow

pytestmark = pytest.mark.django_db

BY_NAME = {"workflow": "flow", "input": {}}
OLDER, WITHDRAWN, ALL = "older_version", "version_withdrawn", "all_withdrawn"


def flow(number):
    return {"name": "flow", "nodes": [{"id": "a", "type": "noop"}], "output": {"version": number}}


def publish_again(api, definition):
    path = f"/api/v1/workflows/{definition['name']}"
    api.put(
        f"{path}/draft",
        {"definition": definition},
        headers={"If-Match": api.get(f"{path}/draft").headers["ETag"]},
    )
    assert api.post(f"{path}/publish", {}).status_code == 201


def withdraw(api, number, verb="withdraw", name="flow"):
    answer = api.post(f"/api/v1/workflows/{name}/versions/{number}/{verb}", {"reason": "It pays twice."})
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.fixture
def versions(api, people):
    """A workflow with the versions 1 and 2."""
    people.principal("author")
    people.principal("operator")
    publish(api, flow(1))
    publish_again(api, flow(2))


def answered(answer):
    """The version of the run that was started, or the status and the code of the refusal."""
    body = answer.json()
    return body["version"] if answer.status_code == 201 else (answer.status_code, body["error"]["code"])


def native(people, role, version):
    return answered(people.client(role).post("/api/v1/runs", BY_NAME | version))


def batch(people, role, version):
    answer = people.client(role).post(
        "/api/v1/runs/batch", {"workflow": "flow", "items": [{"input": {}}]} | version
    )
    if answer.status_code != 201:
        return answered(answer)
    return make.run(answer.json()["runs"][0]["id"]).version.number


def s4(people, role, version):
    """`/v1` as its clients see it: it has words of its own for refusals."""
    client = Client(headers={"Authorization": f"Bearer {people.token(role)}"})
    sent = {"definitionId": "flow", "definitionVersion": version.get("version")}
    answer = client.post("/v1/instances", orjson.dumps(sent), content_type="application/json")
    return (
        answer.json()["definitionVersion"]
        if answer.status_code == 201
        else said(answer.status_code, answer.text)
    )


def said(status, text):
    """The code behind a sentence of rochallor."""
    words = {"is not the newest": OLDER, "All versions": ALL, "was withdrawn": WITHDRAWN}
    return status, next(code for part, code in words.items() if part in text)


def grpc_engine(people, role, version):
    """What `workflow.v1` calls (tests/integrations/grpc has the service itself)."""
    try:
        return service.start_instance(
            people.principal(role), "flow", version=version.get("version", 0)
        ).definition_version
    except RochallorError as error:
        return said({"forbidden": 403, "conflict": 409}[error.code], error.reason)


def grpc_native(people, role, version):
    try:
        call = Call({}, "ipv4:127.0.0.1:1", "id")
        return grpc_runs.start(NativeRequest(people.principal(role), BY_NAME | version, call))["run"][
            "version"
        ]
    except Refusal as refusal:
        return {"Forbidden": 403, "Conflict": 409}[type(refusal).__name__], refusal.code


PINNING = {"REST": native, "batch": batch, "/v1": s4, "gRPC": grpc_native, "gRPC of S4": grpc_engine}

# What is withdrawn, who asks, for which version, and what comes of it.
STATES = {
    "newest pinned": ((), "author", 2, 2),
    "older pinned without operate": ((), "author", 1, (403, OLDER)),
    "older pinned with operate": ((), "operator", 1, 1),
    "withdrawn pinned": ((1,), "author", 1, (409, WITHDRAWN)),
    "withdrawn pinned with operate": ((1,), "operator", 1, (409, WITHDRAWN)),
    "withdrawn newest pinned": ((2,), "operator", 2, (409, WITHDRAWN)),
    "the one before a withdrawn newest pinned": ((2,), "author", 1, 1),
    "nothing withdrawn, not pinned": ((), "author", None, 2),
    "newest withdrawn, not pinned": ((2,), "author", None, 1),
    "all withdrawn, not pinned": ((1, 2), "operator", None, (409, ALL)),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("door", PINNING)
def test_every_door_that_takes_a_version_has_the_same_rule(people, api, versions, door, state):
    withdrawn, role, number, expected = STATES[state]
    for each in withdrawn:
        withdraw(api, each)
    before = Run.unsafe_all_tenants.count()
    assert PINNING[door](people, role, {} if number is None else {"version": number}) == expected
    assert Run.unsafe_all_tenants.count() - before == isinstance(expected, int)


def last_version():
    run = Run.unsafe_all_tenants.filter(version__workflow__name="flow").order_by("-pk").first()
    return run and run.version.number


def by_webhook(people, api):
    hook = api.post("/api/v1/webhooks", {"name": "shop", "workflow": "flow", "action": "start"}).json()
    answer = Sender(Client(), hook).send({})
    return last_version() if answer.status_code < 300 else answer.json()["error"]["code"]


def by_schedule(people, api):
    """One that is there before anything is withdrawn: while all is none can be made."""
    listed = api.get("/api/v1/workflows/flow/versions").json()["results"]
    withdrawn = [one["version"] for one in listed if one["withdrawn"]]
    for number in withdrawn:
        withdraw(api, number, "restore")
    sent = {"name": "daily", "workflow": "flow", "cron": "0 9 * * *", "enabled": False}
    assert api.post("/api/v1/schedules", sent).status_code == 201
    for number in withdrawn:
        withdraw(api, number)
    now = {"enabled": True, "paused_at": None, "next_due_at": Now(), "fire_at": Now()}
    Schedule.unsafe_all_tenants.filter(workflow__name="flow").update(**now)
    firing.fire()
    [entry] = api.get("/api/v1/schedules/daily/history").json()["results"]
    return last_version() or said(409, entry["message"])[1]


def by_schedule_now(people, api):
    answer = api.post("/api/v1/schedules", {"name": "daily", "workflow": "flow", "cron": "0 9 * * *"})
    if answer.status_code != 201:
        return answer.json()["error"]["code"]
    api.post("/api/v1/schedules/daily/run", {})
    return last_version()


def by_form(people, api):
    client = Client()
    client.force_login(people.member("operator"))
    page = client.post("/workflows/flow/start", {"input_kind": "json", "input": "{}"})
    return last_version() or said(409, page.text)[1]


def by_execution(people, api):
    answer = api.post("/v1/workflows", {"workflowType": "flow", "input": {}})
    return last_version() if answer.status_code == 201 else answer.json()["error"]["code"]


def by_step(people, api):
    nodes = [{"id": "a", "type": "subworkflow", "params": {"workflow": "flow"}}]
    publish(api, {"name": "parent", "nodes": nodes})
    run_id = api.post("/api/v1/runs", {"workflow": "parent", "input": {}}).json()["id"]
    make.work()
    error = make.run(run_id).error
    return error["details"]["reason"] if error else last_version()


def by_next(people, api):
    publish(api, {"name": "first", "nodes": [{"id": "a", "type": "noop"}], "next_workflow": "flow"})
    run_id = api.post("/api/v1/runs", {"workflow": "first", "input": {}}).json()["id"]
    make.work()
    events = api.get(f"/api/v1/runs/{run_id}/history").json()["results"]
    reasons = [event["payload"]["reason"] for event in events if (event["payload"] or {}).get("reason")]
    return last_version() or reasons[0]


UNPINNED = {
    "webhook": by_webhook,
    "schedule": by_schedule,
    "schedule, by hand": by_schedule_now,
    "form": by_form,
    "orchestration": by_execution,
    "step": by_step,
    "next workflow": by_next,
}


@pytest.mark.parametrize(("withdrawn", "expected"), [((), 2), ((2,), 1), ((1, 2), ALL)])
@pytest.mark.parametrize("door", UNPINNED)
def test_every_other_door_takes_the_newest_that_is_not_withdrawn(
    people, api, versions, door, withdrawn, expected
):
    for each in withdrawn:
        withdraw(api, each)
    assert UNPINNED[door](people, api) == expected


def test_a_refusal_says_which_version_who_withdrew_it_and_why(people, api, versions):
    withdraw(api, 1)
    error = people.client("author").post("/api/v1/runs", BY_NAME | {"version": 1}).json()["error"]
    assert error["message"] == "Version 1 of flow was withdrawn by admin-of-ours: It pays twice."
    assert error["details"] == {"version": 1, "withdrawn_by": "admin-of-ours", "reason": "It pays twice."}
    assert error["field"] == "version"


def test_withdrawing_needs_a_reason_and_twice_changes_nothing(people, api, versions, caplog):
    path = "/api/v1/workflows/flow/versions/1"
    for verb in ("withdraw", "restore"):
        for sent in ({}, {"reason": " "}):
            answer = api.post(f"{path}/{verb}", sent)
            assert (answer.status_code, answer.json()["error"]["field"]) == (400, "reason")
    caplog.set_level("INFO", logger="handoff.audit")
    first = withdraw(api, 1)
    assert first["withdrawn"]["reason"] == "It pays twice."
    assert first["withdrawn"]["by"] == "admin-of-ours"
    assert api.post(f"{path}/withdraw", {"reason": "Another."}).json() == first
    listed = api.get("/api/v1/workflows/flow/versions").json()["results"]
    assert [(one["version"], one["withdrawn"] and one["withdrawn"]["reason"]) for one in listed] == [
        (2, None),
        (1, "It pays twice."),
    ]
    assert api.get(path).json()["withdrawn"] == first["withdrawn"]
    assert [withdraw(api, 1, "restore")["withdrawn"] for _ in range(2)] == [None, None]
    acts = [
        record.getMessage().split(" by ")[0] for record in caplog.records if record.name == "handoff.audit"
    ]
    assert acts == ["workflow.withdraw flow v1", "workflow.restore_version flow v1"]
    assert native(people, "operator", {"version": 1}) == 1
    assert api.post("/api/v1/workflows/flow/versions/9/withdraw", {"reason": "x"}).status_code == 404


def test_who_may_not_publish_in_the_folder_may_not_withdraw(people, api, versions):
    folder = folders.create_folder(
        people.principal("admin"), "Elsewhere", [Grant(("start", "edit", "operate"), "author")]
    )
    Workflow.unsafe_all_tenants.filter(name="flow").update(folder=folder)
    for role in ("author", "operator", "viewer"):
        for verb in ("withdraw", "restore"):
            answer = people.client(role).post(f"/api/v1/workflows/flow/versions/1/{verb}", {"reason": "No."})
            assert answer.status_code in (403, 404), (role, verb)
    assert not VersionWithdrawal.unsafe_all_tenants.exists()


def test_what_can_not_be_started_is_not_offered_as_a_request(people, api, versions):
    def offered():
        return [
            one["workflow"]
            for one in people.client("author").get("/api/v1/requests/catalogue").json()["results"]
        ]

    withdraw(api, 2)
    assert offered() == ["flow"]
    withdraw(api, 1)
    assert offered() == []


def test_what_was_withdrawn_is_not_published_again_as_it_was(api, versions):
    withdraw(api, 2)
    answer = api.post("/api/v1/workflows/flow/publish", {})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, WITHDRAWN)
    publish_again(api, flow(3))
    assert api.post("/api/v1/runs", BY_NAME).json()["version"] == 3


def test_no_run_goes_on_with_a_withdrawn_version_but_those_that_are_on_it(api, people, versions):
    waits = {"name": "waits", "nodes": [{"id": "a", "type": "signal", "params": {"name": "go"}}]}
    publish(api, waits)
    publish_again(api, waits | {"output": {"v": 2}})
    run = api.post("/api/v1/runs", {"workflow": "waits", "input": {}, "version": 1}).json()["id"]
    newest, other = (
        api.post("/api/v1/runs", {"workflow": "waits", "input": {}}).json()["id"] for _ in range(2)
    )
    make.work()
    withdraw(api, 2, name="waits")
    refused = [
        api.post(f"/api/v1/runs/{run}/migrate", {"version": 2}),
        api.post("/api/v1/workflows/waits/migrate", {"from": 1, "to": 2}),
        api.post("/api/v1/bulk-jobs", {"verb": "migrate", "query": "workflow:waits", "version": 2}),
    ]
    assert [(one.status_code, one.json()["error"]["code"]) for one in refused] == [(409, WITHDRAWN)] * 3
    api.post(f"/api/v1/runs/{newest}/cancel", {})
    make.work()
    rerun = [
        api.post(f"/api/v1/runs/{newest}/rerun", {"from_node": "a"} | version)
        for version in ({}, {"version": 1})
    ]
    assert (rerun[0].status_code, rerun[0].json()["error"]["code"]) == (409, WITHDRAWN)
    assert (rerun[1].status_code, rerun[1].json()["version"]) == (201, 1)
    api.post(f"/api/v1/runs/{other}/signals", {"name": "go", "signal_id": "1"})
    make.work()
    assert (make.run(other).status, make.run(other).version.number) == ("COMPLETED", 2)
