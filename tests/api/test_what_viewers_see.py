"""Addresses are for who manages members, and names of queues for who may read a workflow that uses them."""

import pytest

from accounts.models import User
from lib.mail import MailError
from operations.alerts.models import Alert, AlertRule
from runs.models import WorkerContact
from tests import factories as make
from tests.api.test_job_reach import client as worker_with
from tests.operations.alerts.factories import AlertFactory

pytestmark = pytest.mark.django_db
ADDRESS = "ann@secret.example"
READERS = ("viewer", "author", "operator", "approver")


@pytest.fixture
def ann(people):
    user = make.MembershipFactory(tenant=people.tenant(), user__username="ann", role="viewer").user
    User.objects.filter(pk=user.pk).update(email=ADDRESS, name="Ann")
    return user


# Addresses.


@pytest.mark.parametrize("role", READERS)
def test_no_answer_has_a_members_address(people, ann, role):
    one = people.client(role)
    for path in (
        "/api/v1/members",
        "/api/v1/members/ann",
        "/api/v1/members?q=ann",
        "/api/v1/members?active=true",
    ):
        answer = one.get(path)
        assert answer.status_code == 200
        assert ADDRESS not in answer.content.decode()
    assert one.get("/api/v1/members/ann").json()["email"] is None
    assert one.get("/api/v1/members?q=secret.example").json()["results"] == []


def test_who_manages_members_has_it(people, ann):
    admin = people.client("admin")
    assert admin.get("/api/v1/members/ann").json()["email"] == ADDRESS
    assert [one["username"] for one in admin.get("/api/v1/members?q=secret.ex").json()["results"]] == ["ann"]


def test_a_token_of_an_admin_without_that_scope_has_not(people, ann):
    one = people.client("admin", scopes=frozenset({"members:read"}))
    assert one.get("/api/v1/members/ann").json()["email"] is None


@pytest.mark.parametrize(("role", "sees"), [("viewer", False), ("operator", False), ("admin", True)])
def test_nor_has_a_page(people, ann, client, role, sees):
    client.force_login(people.member(role))
    for path in ("/settings/members", "/settings/members?q=ann", "/settings/groups"):
        page = client.get(path).content.decode()
        assert (ADDRESS in page) is (sees and "members" in path), path
    found = client.get("/settings/members?q=secret.example").content.decode()
    assert ("ann</small>" in found or "ann ·" in found) is sees


def test_what_a_mail_server_says_is_told_without_the_address():
    error = MailError(f"The mail server refused {ADDRESS}: 550 <ANN@secret.example>: no", transient=False)
    assert error.without(ADDRESS) == "The mail server refused their address: 550 <their address>: no"
    assert error.without("") == error.message


# Queues.


@pytest.fixture
def used(people):
    """Two workflows, each with a job on a queue of its own and one on a queue that it names by its id."""
    admin, other = people.client("admin"), make.FolderFactory(tenant=people.tenant(), name="Finance")
    for name, folder in (("ours", "General"), ("theirs", other.name)):
        nodes = [
            {"id": f"{name}-step", "type": "job"},
            {"id": "b", "type": "job", "queue": f"{name}-queue"},
        ]
        document = {"name": name, "nodes": nodes, "edges": []}
        body = {"name": name, "definition": document, "folder": folder}
        assert admin.post("/api/v1/workflows", body).status_code == 201
        assert admin.post(f"/api/v1/workflows/{name}/publish").status_code == 201
        admin.post("/api/v1/runs", {"workflow": name, "input": {}})
    make.work("engine")
    return admin


def queues(one):
    return {row["queue"] for row in one.get("/api/v1/queues").json()["results"]}


OURS, THEIRS = {"ours-step", "ours-queue"}, {"theirs-step", "theirs-queue"}


@pytest.mark.parametrize("role", READERS)
def test_queues_follow_the_folder(people, used, role):
    assert queues(used) >= OURS | THEIRS
    seen = queues(people.client(role))
    assert seen >= OURS
    assert seen.isdisjoint(THEIRS)


def test_a_workflow_that_moves_takes_its_queues_along(people, used):
    used.patch("/api/v1/workflows/theirs", {"folder": "General"})
    assert queues(people.client("viewer")) >= OURS | THEIRS
    used.patch("/api/v1/workflows/ours", {"folder": "Finance"})
    assert queues(people.client("viewer")).isdisjoint(OURS)


def test_workers_are_shown_with_the_queues_that_one_may_know(people, used):
    for worker, asked in (("a", ["theirs-queue"]), ("b", ["ours-queue", "theirs-queue"]), ("c", ["nobodys"])):
        body = {"worker_id": worker, "queues": asked, "max_jobs": 1}
        assert worker_with(people).post("/api/v1/jobs/poll", body).status_code == 200
    assert WorkerContact.unsafe_all_tenants.count() == 3
    rows = {row["id"]: row["queues"] for row in used.get("/api/v1/workers").json()["results"]}
    assert rows == {"a": ["theirs-queue"], "b": ["ours-queue", "theirs-queue"], "c": ["nobodys"]}
    rows = people.client("viewer").get("/api/v1/workers").json()["results"]
    assert {row["id"]: row["queues"] for row in rows} == {"a": [], "b": ["ours-queue"], "c": []}


@pytest.mark.parametrize(("role", "sees"), [("viewer", False), ("operator", False), ("admin", True)])
def test_no_page_names_another_folders_queue(people, used, client, role, sees):
    worker_with(people).post(
        "/api/v1/jobs/poll", {"worker_id": "a", "queues": ["theirs-queue"], "max_jobs": 1}
    )
    client.force_login(people.member(role))
    for path in ("/operations/", "/workers", "/"):
        page = client.get(path)
        assert page.status_code == 200
        if not sees:
            assert "theirs-queue" not in page.content.decode(), path
            assert "theirs-step" not in page.content.decode(), path
    assert ("theirs-queue" in client.get("/operations/").content.decode()) is sees


def test_rules_of_other_folders_queues_and_workflows_are_for_admins(people, used, client):
    made = {
        name: used.post("/api/v1/alert-rules", {"name": name, "kind": kind, "params": params}).json()["id"]
        for name, kind, params in (
            ("one", "queue_depth", {"queue": "theirs-queue"}),
            ("two", "queue_depth", {"queue": "ours-queue"}),
            ("three", "failure_rate", {"workflow": "theirs"}),
        )
    }
    operator = people.client("operator")
    listed = operator.get("/api/v1/alert-rules?limit=100")
    assert listed.status_code == 200, listed.json()
    names = {row["name"] for row in listed.json()["results"]}
    assert "two" in names
    assert names.isdisjoint({"one", "three"})
    assert operator.get(f"/api/v1/alert-rules/{made['one']}").status_code == 404
    assert used.get(f"/api/v1/alert-rules/{made['one']}").status_code == 200
    client.force_login(people.member("operator"))
    assert "theirs-queue" not in client.get("/operations/alerts/rules").content.decode()


def test_alerts_of_other_folders_queues_are_for_admins(people, used):
    used.get("/api/v1/alert-rules")
    rule = AlertRule.objects.for_tenant(people.tenant().pk).filter(kind="queue_depth").first()
    for key in ("ours-queue", "theirs-queue", "default"):
        AlertFactory(rule=rule, key=key, subject=key)
    seen = people.client("operator").get("/api/v1/alerts").json()["results"]
    assert {row["subject"] for row in seen} == {"ours-queue", "default"}
    assert len(used.get("/api/v1/alerts").json()["results"]) == 3
    hidden = Alert.unsafe_all_tenants.get(key="theirs-queue").pk
    assert people.client("operator").get(f"/api/v1/alerts/{hidden}").status_code == 404
