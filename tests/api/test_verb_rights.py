"""Verbs on items and on child runs by people who may operate the folder of the child, or that of the parent, only."""

import pytest

from accounts import folders
from accounts.folders import Grant
from tests import factories as make
from tests.api.hooks import publish
from tests.integrations.rochallor.conftest import Engine
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

URL = "/api/v1/runs"
JOB = {"id": "a", "type": "job", "queue": "ch", "retry": "none"}
MAP = {
    "id": "m",
    "type": "map",
    "retry": "none",
    "params": {"items": [1, 2, 3], "tolerate_failures": 3, "body": {"workflow": "child"}},
}
VERBS = ("retry", "skip", "cancel", "pause", "unpause", "resume")
BODY = {"skip": {"output": 1}}


def grant(people, name, *verbs):
    """Move a workflow to a folder of its own in which operators may do this."""
    grants = [Grant(verbs, "operator")] if verbs else []
    folder = folders.create_folder(people.principal("admin"), f"For {name}", grants)
    Workflow.unsafe_all_tenants.filter(name=name).update(folder=folder)


@pytest.fixture
def tree(api):
    """A run, and those of the three items of its map: one that goes on, one that is paused, one that has failed."""
    publish(api, {"name": "child", "nodes": [JOB]})
    publish(api, {"name": "parent", "nodes": [MAP]})
    root = api.post(URL, {"workflow": "parent", "input": None}).json()["id"]
    make.work()
    children = [str(one.pk) for one in make.children_of(root)]
    make.fail(*(step for step in make.claimed("ch") if step.run_id == children[2]))
    assert api.post(f"{URL}/{children[1]}/pause").status_code == 200
    return root, children


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("may", "status"), [(("read",), 403), ((), 404)])
def test_who_operates_only_the_child_does_nothing_through_the_parent(api, people, tree, verb, may, status):
    root, children = tree
    grant(people, "child", "read", "operate")
    grant(people, "parent", *may)
    client = people.client("operator")
    for index in range(3):
        answer = client.post(f"{URL}/{root}/steps/m/{verb}", {"index": index, **BODY.get(verb, {})})
        assert answer.status_code == status, answer.json()
    assert [make.run(child).status for child in children] == ["RUNNING", "PAUSED", "FAILED"]
    if verb in ("cancel", "pause", "unpause", "resume"):
        assert client.post(f"{URL}/{root}/{verb}").status_code == status


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("may", "status"), [(("read",), 403), ((), 404)])
def test_who_operates_only_the_parent_does_nothing_to_the_items(api, people, tree, verb, may, status):
    root, children = tree
    grant(people, "parent", "read", "operate")
    grant(people, "child", *may)
    client = people.client("operator")
    for index, child in enumerate(children):
        answer = client.post(f"{URL}/{root}/steps/m/{verb}", {"index": index, **BODY.get(verb, {})})
        assert answer.status_code == status, answer.json()
        if verb in ("cancel", "pause", "unpause", "resume"):
            assert client.post(f"{URL}/{child}/{verb}").status_code == status
        else:
            answer = client.post(f"{URL}/{child}/steps/a/{verb}", BODY.get(verb, {}))
            assert answer.status_code == status
    assert [make.run(child).status for child in children] == ["RUNNING", "PAUSED", "FAILED"]


def test_who_operates_only_the_child_operates_it_by_its_id(api, people, tree):
    root, children = tree
    grant(people, "child", "read", "operate")
    grant(people, "parent")
    client = people.client("operator")
    for child, verb in ((children[0], "pause"), (children[1], "unpause"), (children[2], "resume")):
        assert client.post(f"{URL}/{child}/{verb}").status_code == 200
    assert api.post(f"{URL}/{root}/pause").status_code == 200
    refused = client.post(f"{URL}/{children[0]}/unpause")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "parent_paused")
    assert client.post(f"{URL}/{children[0]}/cancel").status_code == 200


@pytest.mark.parametrize("mine", ["child", "parent"])
def test_by_the_engine_routes_each_cancels_what_is_theirs(api, people, tree, mine):
    root, children = tree
    grant(people, "child", *(("read", "operate") if mine == "child" else ()))
    grant(people, "parent", *(("read", "operate") if mine == "parent" else ()))
    engine = Engine(people.token("operator"))
    own, other = (children[0], root) if mine == "child" else (root, children[0])
    engine.post(f"instances/{other}/cancel", {"reason": "x"}, 404)
    assert make.run(other).status == "RUNNING"
    engine.post(f"instances/{own}/cancel", {"reason": "x"})
    assert make.run(own).status in ("CANCELLED", "CANCELLING")
