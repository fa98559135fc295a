"""Tasks and groups over REST: who is asked, what is shown, what is refused and how (R-143, R-146, I11)."""

from datetime import UTC, datetime, timedelta

import pytest

from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

FORM = {"type": "object", "required": ["account"], "properties": {"account": {"type": "string"}}}


@pytest.fixture
def ask(api):
    """Starts a run that asks; gives its task."""

    def started(**params):
        name = f"ask{len(api.get('/api/v1/workflows').json()['results'])}"
        node = {"id": "ask", "type": "human.approval", "params": {"title": "Refund?", **params}}
        definition = {"name": name, "nodes": [node], "edges": []}
        assert api.post("/api/v1/workflows", {"name": name, "definition": definition}).status_code == 201
        assert api.post(f"/api/v1/workflows/{name}/publish", {}).status_code == 201
        run = api.post("/api/v1/runs", {"workflow": name, "input": {"amount": 40}})
        make.work("engine")
        (task,) = api.get(f"/api/v1/tasks?run={run.json()['id']}").json()["results"]
        return task

    return started


def test_a_task_is_found_shown_and_decided_and_its_run_completes(api, ask):
    task = ask(facts={"Amount": "{{ input.amount }}"}, form=FORM)
    assert task["may_decide"]
    assert "form" not in task
    shown = api.get(f"/api/v1/tasks/{task['id']}").json()
    assert (shown["facts"], shown["form"]) == ([{"label": "Amount", "value": 40}], FORM)
    body = {"outcome": "approved", "data": {"account": "DE12"}, "comment": "Fine.", "reason": "asked by mail"}
    done = api.post(f"/api/v1/tasks/{task['id']}/complete", body)
    assert done.status_code == 200
    assert (done.json()["status"], done.json()["decided_by"], done.json()["may_decide"]) == (
        "COMPLETED",
        "admin-of-ours",
        False,
    )
    run = api.get(f"/api/v1/runs/{task['run_id']}").json()
    assert (run["status"], run["output"]["data"]) == ("COMPLETED", {"account": "DE12"})


def test_who_comes_second_gets_a_409_with_who_and_when(api, people, ask):
    path = f"/api/v1/tasks/{ask()['id']}/complete"
    first = people.client("approver").post(path, {"outcome": "approved"})
    second = api.post(path, {"outcome": "rejected", "comment": "No."})
    assert (first.status_code, second.status_code) == (200, 409)
    error = second.json()["error"]
    assert error["code"] == "decided_already"
    assert error["details"]["decided_by"] == first.json()["decided_by"] == "approver-of-ours"
    assert error["details"]["outcome"] == "approved"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "outcome"),
        ({"outcome": 1}, "outcome"),
        ({"outcome": "perhaps", "data": {"account": "x"}}, "outcome"),
        ({"outcome": "rejected", "data": {"account": "x"}}, "comment"),
        ({"outcome": "approved", "data": {}}, "data.account"),
        ({"outcome": "approved", "data": {"account": 1}}, "data.account"),
        ({"outcome": "approved", "data": None}, "data"),
        ({"outcome": "approved", "data": {"account": "x"}, "by": "me"}, "by"),
    ],
)
def test_a_decision_that_does_not_fit_names_its_field(api, ask, body, field):
    task = ask(form=FORM)
    answer = api.post(f"/api/v1/tasks/{task['id']}/complete", body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    assert api.get(f"/api/v1/tasks/{task['id']}").json()["status"] == "OPEN"


def test_whom_it_does_not_ask_may_look_and_not_decide(api, people, ask):
    people.member("approver")
    task = ask(candidates={"users": ["approver-of-ours"]})
    path = f"/api/v1/tasks/{task['id']}"
    assert api.get(path).json()["may_decide"] is False
    for verb in ("claim", "complete"):
        body = {"outcome": "approved"} if verb == "complete" else {}
        answer = api.post(f"{path}/{verb}", body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_a_candidate")
    assert people.client("approver").post(f"{path}/complete", {"outcome": "approved"}).status_code == 200


def test_claim_unclaim_and_assign(api, people, ask):
    task = ask()
    path, approver = f"/api/v1/tasks/{task['id']}", people.client("approver")
    assert approver.post(f"{path}/claim").json()["assignee"] == "approver-of-ours"
    refused = api.post(f"{path}/complete", {"outcome": "approved"})
    assert (refused.status_code, refused.json()["error"]["details"]) == (
        409,
        {"assignee": "approver-of-ours"},
    )
    assert approver.get("/api/v1/tasks?view=mine").json()["results"][0]["id"] == task["id"]
    assert api.post(f"{path}/unclaim", {"reason": "she is away"}).json()["assignee"] is None
    assert api.post(f"{path}/assign", {"assignee": "nobody"}).json()["error"]["field"] == "assignee"
    assert api.post(f"{path}/assign", {"assignee": "admin-of-ours"}).json()["assignee"] == "admin-of-ours"


def test_lists_page_and_filter(api, ask):
    ids = [ask(due_seconds=60, title=f"Number {n}?")["id"] for n in range(3)]
    first = api.get("/api/v1/tasks?limit=2&view=open").json()
    assert [task["id"] for task in first["results"]] == ids[:0:-1]
    assert [task["id"] for task in api.get(first["next"]).json()["results"]] == ids[:1]
    assert [task["id"] for task in api.get("/api/v1/tasks?q=number 1").json()["results"]] == [ids[1]]
    assert len(api.get("/api/v1/tasks?workflow=ask0").json()["results"]) == 1
    assert len(api.get("/api/v1/tasks?due_before=2100-01-01T00:00:00Z").json()["results"]) == 3
    assert api.get("/api/v1/tasks?due_before=2020-01-01T00:00:00Z").json()["results"] == []
    assert api.get("/api/v1/tasks?assignee=ann").json()["results"] == []
    assert api.get("/api/v1/tasks?view=all").status_code == 400


def test_a_group_is_made_changed_and_deleted(api, people):
    people.member("approver")
    made = api.post("/api/v1/groups", {"name": "Finance", "members": ["Approver-of-ours"]})
    assert (made.status_code, made.json()["members"]) == (201, ["approver-of-ours"])
    path = f"/api/v1/groups/{made.json()['id']}"
    assert made.headers["Location"] == path
    # What folders grant it is for who manages members.
    assert people.client("viewer").get(path).json() | {"granted": []} == made.json()
    assert api.post("/api/v1/groups", {"name": "FINANCE"}).json()["error"]["code"] == "name_taken"
    changed = api.patch(path, {"name": "Money", "members": ["admin-of-ours"], "reason": "new team"})
    assert (changed.json()["name"], changed.json()["members"]) == ("Money", ["admin-of-ours"])
    assert [group["name"] for group in api.get("/api/v1/groups").json()["results"]] == ["Money"]
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 151}, "name"),
        ({"name": "x", "members": ["admin-of-ours", "nobody"]}, "members[1]"),
        ({"name": "x", "members": "admin-of-ours"}, "members"),
        ({"name": "x", "else": 1}, "else"),
    ],
)
def test_what_is_no_group_is_refused_by_name(api, people, body, field):
    people.member("approver", tenant="theirs")
    answer = api.post("/api/v1/groups", body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    stranger = api.post("/api/v1/groups", {"name": "x", "members": ["approver-of-theirs"]})
    assert stranger.json()["error"]["field"] == "members[0]"


def test_a_group_of_a_task_counts_as_it_is_when_somebody_decides(api, people, ask):
    finance = api.post("/api/v1/groups", {"name": "Finance", "members": ["admin-of-ours"]}).json()["id"]
    task = ask(candidates={"groups": ["finance"]})
    path, approver = f"/api/v1/tasks/{task['id']}/complete", people.client("approver")
    assert approver.post(path, {"outcome": "approved"}).status_code == 403
    api.patch(f"/api/v1/groups/{finance}", {"members": ["approver-of-ours"]})
    assert approver.post(path, {"outcome": "approved"}).status_code == 200


def test_a_task_is_handed_over_and_decided_on_behalf_of_who_was_asked(api, people, ask):
    people.member("approver")
    task = ask(candidates={"users": ["admin-of-ours"]})
    path, approver = f"/api/v1/tasks/{task['id']}", people.client("approver")
    assert approver.post(f"{path}/complete", {"outcome": "approved"}).status_code == 403
    handed = api.post(f"{path}/delegate", {"to": "Approver-of-ours", "reason": "away"})
    assert (handed.status_code, handed.json()["may_decide"]) == (200, False)
    shown = {key: handed.json()[key] for key in ("assignee", "delegated_by")}
    assert shown == {"assignee": "approver-of-ours", "delegated_by": "admin-of-ours"}
    assert approver.get("/api/v1/tasks?view=mine").json()["results"][0]["delegated_by"] == "admin-of-ours"
    refused = api.post(f"{path}/delegate", {"to": "approver-of-ours"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "claimed")
    assert approver.post(f"{path}/complete", {"outcome": "approved"}).status_code == 200
    output = api.get(f"/api/v1/runs/{task['run_id']}").json()["output"]
    assert (output["by"], output["on_behalf_of"]) == ("approver-of-ours", "admin-of-ours")


def test_a_delegate_puts_it_back_to_who_delegated_it(api, people, ask):
    people.member("approver")
    path = f"/api/v1/tasks/{ask()['id']}"
    api.post(f"{path}/delegate", {"to": "approver-of-ours"})
    back = people.client("approver").post(f"{path}/unclaim", {}).json()
    assert (back["assignee"], back["delegated_by"]) == ("admin-of-ours", None)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "to"),
        ({"to": ""}, "to"),
        ({"to": 5}, "to"),
        ({"to": "x" * 151}, "to"),
        ({"to": "nobody"}, "to"),
        ({"to": "admin-of-ours"}, "to"),
        ({"to": "viewer-of-ours"}, "to"),
        ({"to": "operator-of-theirs"}, "to"),
        ({"to": "operator-of-ours", "assignee": "x"}, "assignee"),
        ({"to": "operator-of-ours", "reason": "x" * 2001}, "reason"),
    ],
)
def test_to_whom_it_cannot_be_handed_is_refused_by_name(api, people, ask, body, field):
    for role, tenant in (("viewer", "ours"), ("operator", "ours"), ("operator", "theirs")):
        people.member(role, tenant)
    path = f"/api/v1/tasks/{ask()['id']}"
    answer = api.post(f"{path}/delegate", body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    assert api.get(path).json()["assignee"] is None


def test_comments_are_written_listed_oldest_first_and_counted(api, people, ask):
    path = f"/api/v1/tasks/{ask()['id']}"
    assert api.get(f"{path}/comments").json() == {"results": [], "next": None, "previous": None}
    made = people.client("approver").post(f"{path}/comments", {"text": " One\n<b>line</b> "})
    assert made.status_code == 201
    assert set(made.json()) == {"id", "kind", "text", "by", "at"}
    assert (made.json()["text"], made.json()["by"]) == ("One\n<b>line</b>", "approver-of-ours")
    for text in ("two", "three"):
        api.post(f"{path}/comments", {"text": text, "reason": "asked by mail"})
    viewer = people.client("viewer")
    first = viewer.get(f"{path}/comments?limit=2").json()
    assert [one["text"] for one in first["results"]] == ["One\n<b>line</b>", "two"]
    second = viewer.get(first["next"]).json()
    assert [one["text"] for one in second["results"]] == ["three"]
    assert viewer.get(second["previous"]).json()["results"] == first["results"]
    assert api.get(path).json()["comments"] == 3
    assert api.get(f"{path}/comments?q=x").json()["error"]["field"] == "q"


def test_a_closed_task_takes_no_comments_and_keeps_those_it_has(api, ask):
    path = f"/api/v1/tasks/{ask()['id']}"
    api.post(f"{path}/comments", {"text": "Hm."})
    api.post(f"{path}/complete", {"outcome": "approved"})
    refused = api.post(f"{path}/comments", {"text": "Too late."})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "task_closed")
    assert [one["text"] for one in api.get(f"{path}/comments").json()["results"]] == ["Hm."]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "text"),
        ({"text": ""}, "text"),
        ({"text": " \n"}, "text"),
        ({"text": 5}, "text"),
        ({"text": "x" * 4001}, "text"),
        ({"text": "x", "by": "me"}, "by"),
    ],
)
def test_what_is_no_comment_names_its_field(api, ask, body, field):
    path = f"/api/v1/tasks/{ask()['id']}/comments"
    answer = api.post(path, body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    assert api.get(path).json()["results"] == []


def test_a_comment_with_a_nul_is_refused(api, ask):
    path = f"/api/v1/tasks/{ask()['id']}/comments"
    assert api.post(path, {"text": "a\x00b"}).status_code == 400


def test_views_counts_and_their_order_over_rest(api, ask):
    old, urgent, due = ask(), ask(priority=3), ask(due_seconds=60)
    ids = [row["id"] for row in api.get("/api/v1/tasks?view=teams&sort=sla").json()["results"]]
    assert ids == [due["id"], urgent["id"], old["id"]]
    page = api.get("/api/v1/tasks?view=teams&sort=sla&limit=1").json()
    pages = [page["results"][0]["id"]]
    while page["next"]:
        page = api.get(page["next"]).json()
        pages.append(page["results"][0]["id"])
    assert pages == ids
    back = api.get(page["previous"]).json()
    assert [row["id"] for row in back["results"]] == [urgent["id"]]
    counts = api.get("/api/v1/tasks/counts").json()
    assert counts.pop("undecidable") == 0
    assert counts == {"mine": 0, "teams": 3, "due": 1, "snoozed": 0, "delegated": 0, "done": 0, "watching": 0}
    found = api.get("/api/v1/tasks?filter=is:urgent refund&view=open").json()["results"]
    assert [row["id"] for row in found] == [urgent["id"]]
    refused = api.get("/api/v1/tasks?filter=colour:red")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_filter")


def test_a_task_is_snoozed_woken_and_watched_over_rest(api, ask, people):
    path = f"/api/v1/tasks/{ask()['id']}"
    snoozed = api.post(f"{path}/snooze", {"until": "2026-01-01T00:00:00Z"})
    assert (snoozed.status_code, snoozed.json()["error"]["field"]) == (400, "until")
    until = (datetime.now(UTC) + timedelta(days=2)).isoformat()
    assert api.post(f"{path}/snooze", {"until": until}).json()["snoozed_until"] is not None
    assert api.post(f"{path}/watch", {"reason": "mine"}).json()["watching"]
    counts = api.get("/api/v1/tasks/counts").json()
    assert (counts["teams"], counts["snoozed"], counts["watching"]) == (0, 1, 1)
    assert people.client("approver").get("/api/v1/tasks/counts").json()["teams"] == 1
    assert api.post(f"{path}/snooze", {}).json()["snoozed_until"] is None
    assert not api.post(f"{path}/unwatch", {}).json()["watching"]
    assert api.get("/api/v1/tasks/counts").json()["teams"] == 1
    assert api.post(f"{path}/complete", {"outcome": "approved"}).status_code == 200
    assert api.post(f"{path}/snooze", {"until": until}).json()["error"]["code"] == "decided_already"
