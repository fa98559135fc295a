"""Folders say who may do what with which workflow: whoever is not let in finds nothing, by whatever door."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from accounts import folders, guards
from accounts.folders import Grant
from accounts.roles import ADMIN, RUNS_START, SCOPES_OF_ROLE, VERB_OF_SCOPE, VERBS, WORKER
from tasks_inbox.models import AwayRule, ManualTask
from tests.api.authorisation_matrix import MATRIX, address
from tests.api.test_authorisation import DOORS, ROUTES, SAYS_NULL, assert_envelope, call
from workflows.models import Workflow

GUARDED = (
    "name",
    "run_id",
    "other_id",
    "letter_id",
    "webhook_id",
    "outgoing_id",
    "schedule",
    "schedule_id",
)
ROLES = [role for role in SCOPES_OF_ROLE if role not in (ADMIN, WORKER)]


def parts_of(name):
    return set(ROUTES[name].pattern.converters)


def role_with(scope):
    """A role that may do this at all; admins are kept out of nothing."""
    return next((role for role in ROLES if scope in SCOPES_OF_ROLE[role]), None)


REACHED = [
    (name, method, scope)
    for name, method, scope in DOORS
    if parts_of(name) & {*GUARDED} and role_with(scope) and scope in VERB_OF_SCOPE
]
TASK_DOORS = [
    (name, method) for name, method, scope in DOORS if "task_id" in parts_of(name) and scope == "tasks:read"
]


@pytest.fixture
def locked(furnished, ours):
    """A tenant that has everything, in a folder that lets nobody in; gives what grants there."""
    admin = furnished.principal("admin")
    folder = folders.create_folder(admin, "Locked", [])
    Workflow.objects.for_tenant(admin.tenant_id).update(folder=folder)

    def grant(*verbs):
        wishes = [Grant(verbs, role) for role in ROLES] if verbs else []
        folders.change_folder(admin, folder.pk, grants=wishes)

    return grant


def visitor(people, name, role):
    """Who knocks: with a token, or at a page with a session."""
    if not MATRIX[name].page:
        return people.client(role)
    client = Client()
    client.force_login(people.member(role))
    return client


def test_every_part_of_an_address_is_guarded_or_said_to_need_no_guard():
    parts = set().union(*map(parts_of, ROUTES))
    assert {part for part in parts if not guards.is_guarded(part)} - guards.UNGUARDED == set()
    assert {part for part in guards.UNGUARDED if guards.is_guarded(part) or part not in parts} == set()


def test_every_scope_about_workflows_and_runs_has_its_verb():
    assert set(VERB_OF_SCOPE.values()) == set(VERBS)
    about = {scope for scopes in SCOPES_OF_ROLE.values() for scope in scopes}
    about = {
        scope for scope in about if scope.split(":")[0] in ("workflows", "runs", "dead_letters", "webhooks")
    }
    # What else is done with tasks goes by whom they ask.
    assert about | {"tasks:assign", "tasks:decide"} == set(VERB_OF_SCOPE)


@pytest.mark.parametrize(("name", "method", "scope"), REACHED)
def test_what_lies_in_a_folder_that_grants_nothing_is_not_there(locked, furnished, ours, name, method, scope):
    answer = call(visitor(furnished, name, role_with(scope)), name, method, **ours.ids)
    if name == SAYS_NULL:
        assert answer.json() == {"items": None}
    else:
        assert answer.status_code == 404


@pytest.mark.parametrize(("name", "method", "scope"), REACHED)
def test_who_may_only_read_reads_and_is_told_what_the_rest_needs(
    locked, furnished, ours, name, method, scope
):
    locked("read")
    answer = call(visitor(furnished, name, role_with(scope)), name, method, **ours.ids)
    if VERB_OF_SCOPE[scope] == "decide":
        # Whoever may read is asked by what asks everybody.
        assert answer.status_code != 403
    elif VERB_OF_SCOPE[scope] == "read":
        # A value that the address doesn't name is not there for anybody.
        assert (answer.status_code == 404) == (name == "run-value")
    else:
        assert answer.status_code == 403
        assert VERB_OF_SCOPE[scope] in answer.content.decode()


@pytest.mark.parametrize(("name", "method"), TASK_DOORS)
def test_a_task_of_a_locked_workflow_is_for_those_whom_it_asks(locked, furnished, ours, name, method):
    # An author decides no tasks: it doesn't ask them.
    assert call(visitor(furnished, name, "author"), name, method, **ours.ids).status_code == 404
    # It asks everybody who decides, where the folder lets them; a draft is there for who wrote it.
    assert call(visitor(furnished, name, "approver"), name, method, **ours.ids).status_code == 404
    locked("decide")
    answer = call(visitor(furnished, name, "approver"), name, method, **ours.ids)
    assert (answer.status_code == 404) == (name == "api-task-draft" and method == "GET")


def test_lists_show_what_one_may_read(locked, furnished, ours):
    client = furnished.client("author")
    lists = ("workflows", "runs", "dead-letters", "webhooks", "tasks", "schedules", "bulk-jobs")
    assert [client.get(f"/api/v1/{one}").json()["results"] for one in lists] == [[]] * len(lists)
    page = Client()
    page.force_login(furnished.member("author"))
    paths = ("/", "/workflows/", "/runs/", "/bulk-jobs", "/runs/search-offers?q=workflow:o", "/find?q=ours")
    for path in (*paths, f"/find?q={ours.ids['run']}"):
        shown = page.get(path).content.decode()
        assert "/workflows/ours" not in shown
        assert ours.ids["run"] not in shown
    locked("read")
    # The address of a webhook is for who may edit it.
    assert [len(client.get(f"/api/v1/{one}").json()["results"]) for one in lists] == [2, 2, 1, 0, 1, 1, 1]
    assert "/workflows/ours" in page.get("/find?q=ours").content.decode()


@pytest.mark.parametrize(
    ("path", "sent", "role"),
    [
        ("runs", {"workflow": "ours", "input": {}}, "author"),
        ("runs/batch", {"workflow": "ours", "items": [{"input": {}}]}, "author"),
        ("signals", {"workflow": "ours", "business_key": "k", "name": "n", "signal_id": "1"}, "author"),
        ("webhooks", {"name": "two", "workflow": "ours", "action": "start"}, "author"),
        ("schedules", {"name": "two", "workflow": "ours", "every_seconds": 60}, "author"),
        ("workflows/import", {"document": {"name": "ours", "nodes": [], "edges": []}}, "author"),
        ("workflows/import", {"document": "name: ours\nnodes: []\nedges: []"}, "author"),
    ],
)
def test_a_workflow_that_a_body_names_is_guarded_too(locked, furnished, ours, path, sent, role):
    client = furnished.client(role)
    assert_envelope(client.post(f"/api/v1/{path}", sent), 404, "not_found")
    locked("read")
    assert_envelope(client.post(f"/api/v1/{path}", sent), 403, "forbidden")
    locked(*VERBS)
    assert client.post(f"/api/v1/{path}", sent).status_code not in (403,)


def test_letters_of_runs_that_one_may_not_operate_stay(locked, furnished, ours):
    client = furnished.client("operator")
    by_id = client.post("/api/v1/dead-letters/redrive", {"ids": [ours.ids["letter"]]}).json()
    assert (by_id["redriven"], [one["code"] for one in by_id["refused"]]) == ([], ["not_found"])
    locked("read")
    assert client.post("/api/v1/dead-letters/redrive", {"filter": {}}).json()["redriven"] == []
    locked("operate")
    assert len(client.post("/api/v1/dead-letters/redrive", {"filter": {}}).json()["redriven"]) == 1


def test_a_bulk_touches_no_task_that_one_may_not_see(locked, furnished, ours):
    until = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    sent = {"action": "snooze", "ids": [ours.ids["task"]], "until": until}

    def result():
        return furnished.client("operator").post("/api/v1/tasks/bulk", sent).json()["results"][0]

    assert result()["code"] == "not_found"
    locked("decide")
    assert result()["result"] == "done"  # It asks everybody who decides there.
    ManualTask.unsafe_all_tenants.update(audience=["user:ann"])
    assert result() == {**result(), "result": "refused", "code": "not_found", "title": ""}


def test_who_watches_or_snoozes_a_task_sees_it_no_longer_than_they_may(locked, furnished, ours):
    ManualTask.unsafe_all_tenants.update(audience=["user:ann"])
    client, task = furnished.client("operator"), f"/api/v1/tasks/{ours.ids['task']}"
    locked("read")
    assert client.post(f"{task}/watch", {}).status_code == 200
    until = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    assert client.post(f"{task}/snooze", {"until": until}).status_code == 200
    views = [f"/api/v1/tasks?view={one}" for one in ("watching", "snoozed")] + ["/api/v1/tasks"]
    assert [len(client.get(view).json()["results"]) for view in views] == [1, 1, 1]
    locked()
    assert client.get(task).status_code == 404
    assert [client.get(view).json()["results"] for view in views] == [[], [], []]


def test_a_group_is_let_in_where_its_role_is_not(locked, furnished, ours, people):
    admin = furnished.principal("admin")
    folder = folders.folders_of(admin.tenant_id).get(key="locked")
    folders.change_folder(admin, folder.pk, grants=[Grant(("start",), group="Finance")])
    client = furnished.client("author")
    sent = {"workflow": "ours", "input": {}}
    assert client.post("/api/v1/runs", sent).status_code == 404
    furnished.client("admin").patch(f"/api/v1/groups/{ours.ids['group']}", {"members": ["author-of-ours"]})
    assert client.post("/api/v1/runs", sent).status_code == 201
    # To start it is not to read it.
    assert client.get("/api/v1/workflows/ours").status_code == 404
    assert RUNS_START in furnished.principal("author").scopes


def test_who_may_only_start_is_told_which_run_it_is_and_sends_no_signal_to_it(locked, furnished, ours):
    furnished.client("admin").post(
        "/api/v1/runs", {"workflow": "ours", "input": {"secret": 1}, "business_key": "k"}
    )
    locked("start")
    client, sent = furnished.client("operator"), {"workflow": "ours", "input": {}, "business_key": "k"}
    again = client.post("/api/v1/runs", sent)
    assert again.status_code == 200
    assert again.json().keys() == {"id", "workflow", "version", "business_key", "input_mismatch"}
    signal = {"signal": {"name": "approved", "signal_id": "x"}}
    assert_envelope(client.post("/api/v1/runs", sent | signal), 404)
    assert client.post("/api/v1/runs", sent | signal | {"business_key": "new"}).status_code == 201
    locked("start", "operate")
    assert client.post("/api/v1/runs", sent | signal).status_code == 200


def test_who_may_only_operate_reruns_nothing(locked, furnished, ours):
    client, rerun = furnished.client("operator"), f"/api/v1/runs/{ours.ids['run']}/rerun"
    page = Client()
    page.force_login(furnished.member("operator"))
    form = f"/runs/{ours.ids['run']}/steps/a/rerun"
    locked("operate")
    assert_envelope(client.post(rerun, {"from_node": "a"}), 403, "forbidden")
    assert page.get(form).status_code == 403
    locked("operate", "start")
    assert client.post(rerun, {"from_node": "a"}).status_code != 403
    assert page.get(form).status_code != 403
    lesser = furnished.client("operator", scopes=frozenset({"runs:operate", "runs:read"}))
    assert_envelope(lesser.post(rerun, {"from_node": "a"}), 403, "forbidden")


def test_who_a_task_asks_is_said_by_those_who_may_operate_there(locked, furnished, ours):
    furnished.member("approver")
    client, task = furnished.client("operator"), f"/api/v1/tasks/{ours.ids['task']}"
    assign = {"assignee": "approver-of-ours"}
    locked("read", "start", "edit", "publish")
    refused = client.post(f"{task}/assign", assign)
    assert_envelope(refused, 403, "forbidden")
    assert refused.json()["error"]["details"] == {"verb": "operate"}
    many = client.post("/api/v1/tasks/bulk", {"action": "assign", "ids": [ours.ids["task"]], **assign})
    assert [one["code"] for one in many.json()["results"]] == ["forbidden"]
    locked("operate")
    assert client.post(f"{task}/assign", assign).status_code == 200
    locked("read")
    assert_envelope(client.post(f"{task}/unclaim", {}), 403, "forbidden")


def test_what_asks_operators_is_for_those_who_may_operate_there(locked, furnished, ours):
    ManualTask.unsafe_all_tenants.update(kind="compensation", audience=["role:operator", "role:admin"])
    client, task = furnished.client("operator"), f"/api/v1/tasks/{ours.ids['task']}"
    assert client.get(task).status_code == 404
    assert client.get("/api/v1/tasks?view=teams").json()["results"] == []
    locked("read")
    assert client.get(task).status_code == 200
    assert client.get(task).json()["may_decide"] is False
    shown = {one["id"]: one["may_decide"] for one in client.get("/api/v1/tasks").json()["results"]}
    assert shown == {ours.ids["task"]: False}
    assert_envelope(client.post(f"{task}/claim", {}), 403, "forbidden")
    assert_envelope(client.post(f"{task}/resolve", {"resolution": "abandon"}), 403, "forbidden")
    assert client.get("/api/v1/tasks?view=teams").json()["results"] == []
    locked("operate")
    assert len(client.get("/api/v1/tasks?view=teams").json()["results"]) == 1
    assert client.get(task).json()["may_decide"] is True


def test_who_stands_in_for_somebody_in_one_workflow_sees_no_other_ones(locked, furnished, ours):
    ManualTask.unsafe_all_tenants.update(audience=["user:admin-of-ours"])
    now = datetime.now(UTC)
    rule = {"substitute": "operator-of-ours", "from": (now - timedelta(days=1)).isoformat()}
    rule["until"] = (now + timedelta(days=1)).isoformat()
    boss, client, task = (
        furnished.client("admin"),
        furnished.client("operator"),
        f"/api/v1/tasks/{ours.ids['task']}",
    )
    AwayRule.unsafe_all_tenants.all().delete()
    assert boss.post("/api/v1/away", rule | {"workflows": ["failing"]}).status_code == 201
    assert client.get(task).status_code == 404
    AwayRule.unsafe_all_tenants.all().delete()
    assert boss.post("/api/v1/away", rule | {"workflows": ["ours"]}).status_code == 201
    assert client.get(task).status_code == 200


def test_a_webhook_that_starts_what_is_missing_needs_the_right_to_start(locked, furnished, ours):
    locked("edit", "operate")
    client = furnished.client("author")
    mapping = {"business_key": "{{ body.id }}", "signal_name": "paid", "start_if_missing": True}
    sent = {"name": "two", "workflow": "ours", "action": "signal", "mapping": mapping}
    assert_envelope(client.post("/api/v1/webhooks", sent), 403)
    made = client.post("/api/v1/webhooks", sent | {"mapping": mapping | {"start_if_missing": False}})
    assert made.status_code == 201
    here = f"/api/v1/webhooks/{made.json()['id']}"
    assert client.patch(here, {"mapping": mapping}).status_code == 403
    locked("edit")
    assert client.patch(here, {"enabled": True}).status_code == 403
    assert client.patch(here, {"enabled": False}).status_code == 200
    assert client.delete(here).status_code == 204


def test_a_token_reaches_as_far_as_its_user(locked, furnished, ours):
    assert furnished.client("worker").get("/api/v1/runs").status_code == 403
    admin = furnished.client("admin", scopes=frozenset({"runs:read"}))
    assert admin.get(address("api-run", **ours.ids)).status_code == 200
