"""A run that somebody files for another person: whose it is, who is barred, and what it may do."""

import json
import re
from pathlib import Path
from uuid import UUID

import pytest
from django.conf import settings
from django.test import Client

from accounts import folders, tokens
from accounts.folders import Grant
from accounts.models import AuditRecord
from engine.catalogue import Json
from runs.models import Request, Run
from tasks_inbox.evidence import exports
from tasks_inbox.evidence.exported import verify
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import decide, member, task_of
from tests.web.test_request_words import EDGES, NO, OUTCOMES, PAY
from tests.web.test_requests import logged_in
from tests.web.test_run_actions import ticket
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

ASK = {
    "id": "ask",
    "type": "human.approval",
    "params": {
        "title": "For {{ run.created_by }}",
        "outcomes": OUTCOMES,
        "exclude_requester": True,
        "candidates": {"roles": ["approver", "requester", "admin"]},
    },
}


@pytest.fixture(autouse=True)
def people():
    member("boss", "admin")
    member("ben", "approver")
    for name in ("ann", "bob"):
        member(name, "requester")


@pytest.fixture
def asks() -> Workflow:
    money = folders.create_folder(member("root", "admin"), "Money", [Grant(("start",), "requester")])
    workflow = make.a_version(make.graph([ASK, PAY, NO], EDGES)).workflow
    workflow.folder = money
    workflow.save()
    return workflow


def post(name: str, workflow: Workflow, **more: Json):
    body = {"workflow": workflow.name, "input": {"amount": 1}, **more}
    answer = logged_in(name).post("/api/v1/runs", body, content_type="application/json")
    make.work()
    return answer


def filed(workflow: Workflow, **more: Json) -> str:
    answer = post("ann", workflow, on_behalf_of="BOB", **more)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def test_it_is_the_other_persons_request_and_says_who_filed_it(asks):
    run_id = filed(asks)
    run = make.run(run_id)
    assert (run.created_by, run.acts_for) == ("bob", "ann")
    assert task_of(run_id).title == "For bob"
    row = logged_in("bob").get(f"/api/v1/requests/{run_id}").json()
    assert (row["filed_by"], row["filed_for"], row["may_withdraw"]) == ("ann", "bob", True)
    assert (row["milestones"][0]["by"], row["milestones"][0]["words"]) == ("ann", "filed it for bob")
    assert make.events(run_id, "RUN_STARTED")[0].payload["filed_by"] == "ann"
    record = AuditRecord.unsafe_all_tenants.get(act="run.start_for")
    assert (record.by, record.target) == ("ann", f"run {run_id}")
    assert "bob" in str(record.after)
    assert "on behalf of bob" in logged_in("boss").get(f"/runs/{run_id}?view=story").text


def test_both_are_barred_from_deciding(asks):
    task = task_of(filed(asks))
    assert {"ann", "bob"} <= set(task.exclude)
    assert "ben" not in task.exclude


def test_the_filer_sees_how_it_stands_and_can_do_nothing(asks):
    run_id = filed(asks)
    ann = logged_in("ann")
    (row,) = ann.get("/api/v1/requests?show=filed").json()["results"]
    assert (row["id"], row["filed_for"], row["may_withdraw"], row["may_remind"]) == (
        run_id,
        "bob",
        False,
        False,
    )
    assert ann.get("/api/v1/requests").json()["results"] == []
    assert ann.get(f"/requests/{run_id}").status_code == 200
    assert ann.get(f"/runs/{run_id}").status_code == 403
    for way in ("withdraw", "remind"):
        answer = ann.post(
            f"/api/v1/requests/{run_id}/{way}", {"reason": "x"}, content_type="application/json"
        )
        assert answer.status_code == 404
    assert "Filed for others" in ann.get("/requests/?show=filed").text
    assert "filed for bob" in ann.get("/requests/?show=filed").text
    assert "filed by ann" in logged_in("bob").get("/requests/").text


def test_the_other_person_withdraws_it(asks):
    run_id = filed(asks)
    body = {"reason": "I did not want it."}
    answer = logged_in("bob").post(
        f"/api/v1/requests/{run_id}/withdraw", body, content_type="application/json"
    )
    assert answer.status_code == 200


@pytest.mark.parametrize("name", ["nobody", "worker", "gone", "a\tb"])
def test_it_is_refused_for_whoever_could_not_start_it(asks, name):
    member("worker", "viewer")
    member("gone", "requester")
    user = make.a_user("gone")
    user.is_active = False
    user.save()
    answer = post("ann", asks, on_behalf_of=name)
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["code"] == "not_for_them"
    assert "on_behalf_of" in answer.text
    assert not Run.unsafe_all_tenants.exists()


def test_the_filer_needs_the_right_themselves(asks):
    asks.folder = folders.create_folder(member("root2", "admin"), "Theirs", [])
    asks.save()
    assert post("ann", asks, on_behalf_of="boss").status_code in (403, 404)
    assert not Run.unsafe_all_tenants.exists()


def test_a_program_files_for_nobody(asks):
    maker = member("boss", "admin")
    _, text = tokens.make(maker, name="nightly", role="admin", service=True, queues=["*"])
    answer = Client().post(
        "/api/v1/runs",
        {"workflow": asks.name, "input": {}, "on_behalf_of": "bob"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {text}"},
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "no_member")


def test_for_oneself_is_as_without(asks):
    answer = post("ann", asks, on_behalf_of="ANN")
    run = make.run(answer.json()["id"])
    assert (run.created_by, run.acts_for) == ("ann", None)
    assert Request.unsafe_all_tenants.get(pk=run.pk).filed_by_id is None


def test_the_same_key_for_another_person_is_another_start(asks):
    first = filed(asks, business_key="k")
    again = post("ann", asks, business_key="k", on_behalf_of="bob")
    assert (again.status_code, "input_mismatch" in again.json()) == (200, False)
    assert again.json()["id"] == first
    for name, more in (("ann", {"on_behalf_of": "boss"}), ("ann", {}), ("boss", {"on_behalf_of": "ben"})):
        answer = post(name, asks, business_key="k", **more)
        if answer.status_code == 422:
            continue
        assert (answer.status_code, answer.json()["input_mismatch"]) == (200, True)


def test_an_idempotency_key_with_another_person_is_refused(asks):
    bodies = [{"workflow": asks.name, "input": {}, "on_behalf_of": name} for name in ("bob", "boss")]
    ann = logged_in("ann")
    answers = [
        ann.post("/api/v1/runs", body, content_type="application/json", headers={"Idempotency-Key": "one"})
        for body in bodies
    ]
    assert answers[0].status_code == 201
    assert answers[1].status_code in (409, 422)


@pytest.mark.parametrize(("ann_may", "bob_may", "begins"), [(1, 1, True), (1, 0, False), (0, 1, False)])
def test_a_computed_child_is_begun_with_the_rights_that_both_have(asks, ann_may, bob_may, begins):
    root = member("root3", "admin")
    for name in ("ann", "bob"):
        member(name, "requester", f"of-{name}")
    groups = [f"of-{name}" for name, may in (("ann", ann_may), ("bob", bob_may)) if may]
    target = make.a_version(make.graph([{"id": "x", "type": "noop"}], [])).workflow
    target.folder = folders.create_folder(root, "Secret", [Grant(("start",), group=name) for name in groups])
    target.save()
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": "{{ input.name }}"}}
    caller = make.a_version(make.graph([sub], [])).workflow
    caller.folder = asks.folder
    caller.save()
    run_id = filed(caller, input={"name": target.name})
    assert make.run(run_id).status == ("COMPLETED" if begins else "FAILED")
    if begins:
        (child,) = make.children_of(run_id)
        assert (child.created_by, child.acts_for) == ("bob", "ann")


def test_a_child_asks_nobody_of_both(asks):
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": asks.name}}
    caller = make.a_version(make.graph([sub], [])).workflow
    caller.folder = asks.folder
    caller.save()
    filed(caller)
    assert {"ann", "bob"} <= set(ManualTask.unsafe_all_tenants.get().exclude)


def test_the_start_form_files_for_somebody_else(asks):
    ann, path = logged_in("ann"), f"/workflows/{asks.name}/start"
    page = ann.get(path).text
    assert "For somebody else" in page
    assert '<option value="bob">' in page
    sent = {"input_kind": "json", "input": "{}", "once": ticket(ann, path), "on_behalf_of": "nobody"}
    refused = ann.post(path, sent)
    assert refused.status_code == 422
    assert "no active member" in refused.text
    answer = ann.post(path, {**sent, "on_behalf_of": "bob"}, follow=True)
    assert "is started for them" in answer.text
    run = Run.unsafe_all_tenants.get()
    assert (run.created_by, run.acts_for) == ("bob", "ann")


def test_a_rerun_bars_them_still(asks):
    run_id = filed(asks)
    make.cancel(run_id)
    make.work()
    again = make.rerun(run_id, "ask")
    make.work()
    assert {"ann", "bob"} <= set(task_of(again).exclude)


LOOP = {"id": "again", "type": "loop", "params": {"count": 40, "input": 1, "body": {"type": "noop"}}}
JOB = {"id": "job", "type": "job", "queue": "q", "retry": "none"}


def through(way: str, workflow: Workflow, config) -> str:
    """The run that stands for one that Ann filed for Bob, once this has happened to it; it asks last."""
    first = {"continued": LOOP, "resumed": JOB}.get(way, {"id": "begin", "type": "noop"})
    start = make.graph([first, ASK, PAY, NO], [{"from": first["id"], "to": "ask"}, *EDGES])
    start |= {"request": {"result": {"Paid": "{{ input.amount }}", "For": "{{ run.created_by }}"}}}
    flow = make.a_version(start).workflow
    flow.folder = workflow.folder
    flow.save()
    if way == "continued":
        config.HANDOFF_CONTINUE_AFTER_EVENTS = 15
    run_id = filed(flow)
    if way == "continued":
        last = str(Run.unsafe_all_tenants.filter(root_id=run_id).latest("id").pk)
        assert last != run_id
        return last
    if way == "resumed":
        make.fail(*make.claimed("q"), code="Down")
        make.resume(run_id)
        make.complete(*make.claimed("q"), output={})
    if way == "migrated":
        make.migrate(run_id, make.newer(run_id, start | {"sla_seconds": 86_400}))
    make.work()
    return run_id


@pytest.mark.parametrize("way", ["plain", "continued", "resumed", "migrated"])
def test_it_stays_their_request_whatever_happens_to_its_run(asks, settings, way):
    run_id = through(way, asks, settings)
    bob, ann = logged_in("bob"), logged_in("ann")
    path = f"/api/v1/requests/{run_id}"
    row = bob.get(path).json()
    assert (row["filed_by"], row["filed_for"], row["may_remind"]) == ("ann", "bob", True)
    assert {"ann", "bob"} <= set(task_of(run_id).exclude)
    assert (row["milestones"][0]["by"], row["milestones"][0]["words"]) == ("ann", "filed it for bob")
    assert ann.post(f"{path}/remind", content_type="application/json").status_code == 404
    assert bob.post(f"{path}/remind", content_type="application/json").status_code == 200
    decide(member("ben", "approver"), task_of(run_id), "approved")
    make.work()
    assert [(one["label"], one["value"]) for one in bob.get(path).json()["result"]] == [
        ("For", "bob"),
        ("Paid", 1),
    ]
    assert ann.get(path).json()["result"] == []
    assert [one["id"] for one in ann.get("/api/v1/requests?show=filed").json()["results"]] == [run_id]


@pytest.mark.parametrize("kind", ["map", "loop"])
def test_who_is_asked_inside_a_container_is_neither_of_both(asks, kind):
    params = {"items": "{{ [1] }}"} if kind == "map" else {"count": 1, "input": 1}
    body = {"steps": [ASK, PAY, NO], "edges": EDGES}
    flow = make.a_version(
        make.graph([{"id": "c", "type": kind, "params": params | {"body": body}}], [])
    ).workflow
    flow.folder = asks.folder
    flow.save()
    run_id = filed(flow)
    task = ManualTask.unsafe_all_tenants.get()
    assert {"ann", "bob"} <= set(task.exclude)
    assert logged_in("bob").get(f"/api/v1/requests/{run_id}").json()["may_remind"]


def test_each_body_that_starts_runs_files_for_others_or_refuses_to(asks):
    """A new door has to say which of both it does."""
    doors = {
        "/api/v1/runs": {"workflow": asks.name, "input": {}},
        "/api/v1/runs/batch": {"workflow": asks.name, "items": [{"input": {}}]},
        "/api/v1/schedules": {"name": "s", "workflow": asks.name, "cron": "0 0 * * *", "input": {}},
        "/api/v1/webhooks": {"name": "h", "workflow": asks.name, "action": "start"},
    }
    boss, files = logged_in("boss"), []
    for path, body in doors.items():
        answer = boss.post(path, body | {"on_behalf_of": "bob"}, content_type="application/json")
        if answer.status_code == 201:
            files.append(path)
        else:
            assert (answer.status_code, answer.json()["error"]["field"]) == (400, "on_behalf_of"), answer.text
    assert files == ["/api/v1/runs"]


def test_each_place_that_starts_runs_by_name_is_known():
    """Whoever adds one decides whether it takes `on_behalf_of`, and tests that here or above."""
    root = Path(settings.BASE_DIR)
    packages = ("runs", "triggers", "integrations", "operations", "workflows", "tasks_inbox", "steps")
    calls = re.compile(r"\bstart_workflow\b(?!\w)")
    places = {
        str(path.relative_to(root))
        for package in packages
        for path in (root / package).rglob("*.py")
        if calls.search(path.read_text()) and path.name != "named_starts.py"
    }
    assert places == {
        "runs/api/starts.py",
        "runs/commands/child_runs.py",
        "runs/management/commands/run_workflow.py",
        "triggers/schedules/firing.py",
        "triggers/schedules/service.py",
        "triggers/webhooks/actions.py",
        "integrations/rochallor/instances.py",
    }


def test_the_evidence_names_who_filed_it_beside_the_requester(asks):
    run_id = filed(asks)
    ben = member("ben", "approver")
    decide(ben, task_of(run_id), "approved")
    make.work()
    text = exports.export(ben, UUID(run_id), "json").content.decode()
    assert list(verify.faults(text, Path("nowhere"))) == []
    run = json.loads(text)["run"]
    assert (run["requester"], run["filed_by"]) == ("bob", "ann")
    assert "by bob, filed by ann" in exports.export(ben, UUID(run_id), "html").content.decode()
