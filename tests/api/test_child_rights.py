"""Steps whose workflow comes out of an expression start what the person may start for whom the run acts (R-162)."""

import pytest
from django.db.models.functions import Now
from django.test import Client
from rest_framework.test import APIClient

from accounts import folders, tokens
from accounts.folders import Grant
from accounts.models import Membership, User
from runs.models import Run
from tests import factories as make
from tests.api.hooks import publish
from tests.timing import clock
from tests.webhooks import Sender
from triggers.schedules import firing
from triggers.webhooks.models import InboundWebhook
from workflows.models import Workflow

__all__ = ["clock"]
pytestmark = pytest.mark.django_db

NAME = "{{ input.w }}"
SUB = {"id": "a", "type": "subworkflow", "params": {"workflow": NAME}}
PLAIN = {"nodes": [{"id": "x", "type": "noop"}]}


def container(kind, body):
    how = {"items": "{{ [input] }}"} if kind == "map" else {"count": 1}
    return {"id": "a", "type": kind, "params": {**how, "body": body}}


BEGINNERS = {
    "subworkflow": SUB,
    "map of a workflow": container("map", {"workflow": NAME}),
    "map of a step": container("map", {"type": "subworkflow", "params": {"workflow": NAME}}),
    "map of steps": container("map", {"steps": [SUB | {"id": "b"}]}),
    "loop of a workflow": container("loop", {"workflow": NAME}),
    "loop that names one": {"id": "a", "type": "loop", "params": {"workflow": NAME, "count": 1}},
    "loop of steps": container("loop", {"steps": [SUB | {"id": "b"}, {"id": "c", "type": "noop"}]}),
}


def move(people, name, *verbs):
    """Move a workflow to a folder of its own, which grants this to authors."""
    grants = [Grant(verbs, "author")] if verbs else []
    folder = folders.create_folder(people.principal("admin"), f"For {name}", grants)
    Workflow.unsafe_all_tenants.filter(name=name).update(folder=folder)


@pytest.fixture
def parent(people, api):
    """A published workflow that starts the one that its input names; `secret` is in a folder closed to authors."""
    publish(api, PLAIN | {"name": "secret", "output": {"told": "a secret"}})
    publish(api, PLAIN | {"name": "open"})
    move(people, "secret")
    publish(people.client("author"), {"name": "parent", "nodes": [SUB]})


def done(run_id):
    make.work("engine", "default")
    make.work("engine", "default")
    return make.run(run_id)


def started(client, workflow, name="parent"):
    answer = client.post("/api/v1/runs", {"workflow": name, "input": {"w": workflow}})
    assert answer.status_code == 201, answer.content
    return done(answer.json()["id"])


def refused(run):
    """The answer that a run failed with whose only step may not start its workflow."""
    assert run.status == "FAILED"
    assert not Run.unsafe_all_tenants.filter(version__workflow__name="secret").exists()
    return run.error["code"], run.error["details"], run.error["message"]


def answer_for(name):
    return (
        "ChildNotStarted",
        {"reason": "not_allowed"},
        f"There is no workflow {name} that this run may start.",
    )


def step_errors(run):
    """The errors of steps of a run's tree, with the name that was asked for left out."""
    runs = Run.unsafe_all_tenants.filter(tree_id=run.pk) | Run.unsafe_all_tenants.filter(pk=run.pk)
    return sorted(
        str(step.error)
        for one in runs
        for step in make.steps(str(one.pk)).values()
        if step.error and "ChildNotStarted" in str(step.error)
    )


@pytest.mark.parametrize("step", BEGINNERS.values(), ids=BEGINNERS)
def test_a_computed_name_starts_only_what_the_starter_may_start(people, api, parent, step):
    """Fault 7: the answer for a workflow that they may not start is that for one that isn't there."""
    publish(people.client("author"), {"name": "deep", "nodes": [step]})
    author = people.client("author")
    secret, missing = started(author, "secret", "deep"), started(author, "nobody", "deep")
    assert (secret.status, missing.status) == ("FAILED", "FAILED")
    assert not Run.unsafe_all_tenants.filter(version__workflow__name="secret").exists()
    assert "not_allowed" in str(step_errors(secret) or secret.error)

    def without_ids(run):
        text = str([step_errors(run), run.error])
        for one in Run.unsafe_all_tenants.values_list("pk", flat=True):
            text = text.replace(str(one), "ID")
        return text

    assert without_ids(secret).replace("secret", "NAME") == without_ids(missing).replace("nobody", "NAME")
    assert started(author, "open", "deep").status == "COMPLETED"
    assert started(api, "secret", "deep").status == "COMPLETED"


def test_a_grant_to_start_there_is_enough(people, parent):
    move(people, "open", "start")
    assert started(people.client("author"), "open").status == "COMPLETED"


@pytest.mark.parametrize("state", ["archived", "draft", "no such version"])
def test_nothing_else_is_told_of_what_may_not_be_started(people, api, parent, state):
    if state == "draft":
        api.post("/api/v1/workflows", {"name": "draft", "definition": PLAIN | {"name": "draft"}})
        move(people, "draft")
    elif state == "archived":
        Workflow.unsafe_all_tenants.filter(name="secret").update(archived_at=Now())
    else:
        nodes = [SUB | {"params": {"workflow": NAME, "version": 7}}]
        publish(people.client("author"), {"name": "seventh", "nodes": nodes})
    name = "draft" if state == "draft" else "secret"
    workflow = "seventh" if state == "no such version" else "parent"
    run = started(people.client("author"), name, workflow)
    assert refused(run) == answer_for(name)


def test_another_tenants_workflow_is_not_there(people, parent):
    publish(people.client("admin", tenant="theirs"), PLAIN | {"name": "theirs"})
    assert refused(started(people.client("admin"), "theirs")) == answer_for("theirs")


def test_a_member_who_has_left_is_nobody(people, api, parent):
    """Nobody's run starts workflows of its own folder and no others."""
    publish(api, PLAIN | {"name": "elsewhere"})
    move(people, "elsewhere", "start")
    runs = [
        people.client("author").post("/api/v1/runs", {"workflow": "parent", "input": {"w": name}}).json()
        for name in ("elsewhere", "open")
    ]
    User.objects.filter(username=people.member("author").username).update(is_active=False)
    assert refused(done(runs[0]["id"])) == answer_for("elsewhere")
    assert make.run(runs[1]["id"]).status == "COMPLETED"


def test_the_role_counts_that_they_have_when_the_child_begins(people, parent):
    answer = people.client("author").post("/api/v1/runs", {"workflow": "parent", "input": {"w": "open"}})
    Membership.unsafe_all_tenants.filter(user__username=people.member("author").username).update(
        role="viewer"
    )
    assert refused(done(answer.json()["id"])) == answer_for("open")


def test_a_service_starts_what_is_in_the_runs_own_folder(people, parent):
    _, text = tokens.make(people.principal("admin"), name="nightly", role="admin", service=True, queues=["*"])
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    assert refused(started(client, "secret")) == answer_for("secret")
    assert started(client, "open").status == "COMPLETED"


def test_a_child_acts_for_whom_its_root_acts(people, api, parent):
    """Also where its workflow was written in the definition."""
    publish(people.client("author"), {"name": "outer", "nodes": [SUB | {"params": {"workflow": "parent"}}]})
    run = started(people.client("author"), "secret", "outer")
    assert run.status == "FAILED"
    assert answer_for("secret")[2] in run.error["message"]
    assert not Run.unsafe_all_tenants.filter(version__workflow__name="secret").exists()
    assert started(api, "secret", "outer").status == "COMPLETED"


def test_a_name_that_is_written_was_checked_when_it_was_published(people, api, parent):
    nodes = [SUB | {"params": {"workflow": "secret"}}]
    publish(api, {"name": "written", "nodes": nodes})
    assert started(people.client("author"), "", "written").status == "COMPLETED"
    move(people, "open")
    publish(api, {"name": "moved", "nodes": [SUB | {"params": {"workflow": "open"}}]})
    assert started(people.client("author"), "", "moved").status == "COMPLETED"


def test_a_rerun_acts_for_whoever_reruns(people, api, parent):
    run = started(people.client("author"), "secret")
    assert run.status == "FAILED"
    answer = api.post(f"/api/v1/runs/{run.pk}/rerun", {"from_node": "a", "reason": "it may"})
    assert answer.status_code == 201, answer.content
    assert done(answer.json()["id"]).status == "COMPLETED"


def test_a_run_that_is_resumed_acts_for_whom_it_acted(people, api, parent):
    run = started(people.client("author"), "secret")
    assert api.post(f"/api/v1/runs/{run.pk}/resume", {"reason": "once more"}).status_code == 200
    assert refused(done(str(run.pk))) == answer_for("secret")


def test_a_webhook_acts_for_its_maker(people, parent):
    sent = {"name": "shop", "workflow": "parent", "action": "start", "mapping": {}}
    hook = people.client("author").post("/api/v1/webhooks", sent).json()
    sender = Sender(Client(), hook)
    run = done(sender.send({"w": "secret"}).json()["run_id"])
    assert refused(run) == answer_for("secret")
    assert done(sender.send({"w": "open"}).json()["run_id"]).status == "COMPLETED"


def test_an_old_webhook_acts_for_nobody(people, api, parent):
    sent = {"name": "shop", "workflow": "parent", "action": "start", "mapping": {}}
    sender = Sender(Client(), api.post("/api/v1/webhooks", sent).json())
    assert done(sender.send({"w": "open"}).json()["run_id"]).status == "COMPLETED"
    InboundWebhook.unsafe_all_tenants.update(acts_for=None)
    assert refused(done(sender.send({"w": "secret"}).json()["run_id"])) == answer_for("secret")


def test_a_schedule_acts_for_its_maker(people, parent, clock):
    body = {"name": "nightly", "workflow": "parent", "cron": "* * * * *", "input": {"w": "secret"}}
    answer = people.client("author").post("/api/v1/schedules", body)
    assert answer.status_code == 201, answer.content
    clock.advance(60)
    assert firing.fire() == 1
    assert refused(done(str(Run.unsafe_all_tenants.get().pk))) == answer_for("secret")


def test_what_follows_acts_for_whom_the_first_run_acted(people, parent):
    sent = {"name": "shop", "workflow": "first", "action": "start", "mapping": {}}
    publish(people.client("author"), PLAIN | {"name": "first", "next_workflow": "parent"})
    hook = people.client("author").post("/api/v1/webhooks", sent).json()
    first = Sender(Client(), hook).send({"w": "open"}).json()["run_id"]
    done(first)
    done(first)
    following = Run.unsafe_all_tenants.get(follows=first)
    assert (following.acts_for, following.status) == (people.member("author").username, "COMPLETED")


def test_a_test_run_acts_for_whoever_tests(people, parent):
    author, path = people.client("author"), "/api/v1/workflows/parent/trials"
    answer = author.post(path, {"input": {"w": "secret"}, "live": ["a"]})
    assert answer.status_code == 201, answer.content
    assert refused(done(answer.json()["id"])) == answer_for("secret")


def test_what_undoes_a_step_starts_only_what_the_starter_may_start(people, parent):
    undo = {"type": "subworkflow", "params": {"workflow": NAME}}
    nodes = [
        {"id": "a", "type": "noop", "compensate": undo},
        {"id": "b", "type": "transform", "params": {"set": {"x": "{{ input.none }}"}}},
    ]
    publish(people.client("author"), {"name": "undone", "nodes": nodes, "edges": [{"from": "a", "to": "b"}]})
    for name in ("secret", "nobody"):
        run = started(people.client("author"), name, "undone")
        assert run.status == "WAITING_FOR_MANUAL_ACTION"
        error = make.steps(str(run.pk))["a:compensate"].error
        assert (error["code"], error["details"], error["message"]) == answer_for(name)
    assert started(people.client("author"), "open", "undone").status == "COMPENSATED"


def test_nobody_writes_the_steps_of_an_item_into_a_definition(api):
    """It would be a child whose steps nobody has published."""
    definition = {"name": "part", "nodes": [{"id": "a", "type": "part", "params": {"given": {}}}]}
    assert api.post("/api/v1/workflows", {"name": "part", "definition": definition}).status_code == 201
    assert api.post("/api/v1/workflows/part/publish", {}).status_code == 422


@pytest.mark.parametrize("step", [SUB, container("map", {"workflow": NAME})], ids=["step", "map"])
def test_a_draft_that_names_what_the_tester_may_not_start_is_not_tested(people, parent, step):
    """Nobody has checked the names in a draft."""
    author = people.client("author")
    node = {**step, "params": {**step["params"]}}
    if "body" in node["params"]:
        node["params"]["body"] = {"workflow": "secret"}
    else:
        node["params"]["workflow"] = "secret"
    draft = {"name": "tried", "nodes": [node]}
    author.post("/api/v1/workflows", {"name": "tried", "definition": draft})
    answer = author.post("/api/v1/workflows/tried/trials", {"input": {}, "live": ["a"]})
    assert answer.status_code == 403, answer.content
    assert answer.json()["error"]["field"].endswith("workflow")
    assert not Run.unsafe_all_tenants.exists()
    assert author.post("/api/v1/workflows/tried/trials", {"input": {}}).status_code == 201
