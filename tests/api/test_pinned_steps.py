"""Steps that run a version of another workflow: who may name which one, and what is withdrawn."""

import pytest

from accounts import folders
from accounts.folders import Grant
from runs.models import Run
from tests import factories as make
from tests.api.hooks import publish
from tests.api.test_startable_versions import OLDER, WITHDRAWN, publish_again, versions, withdraw
from workflows.models import Workflow

__all__ = ["versions"]
pytestmark = pytest.mark.django_db


def pinned(number, **more):
    node = {"id": "a", "type": "subworkflow", "params": {"workflow": "flow", "version": number} | more}
    return {"name": "parent", "nodes": [node]}


def test_a_step_pinned_to_a_withdrawn_version_fails_and_validate_says_so(api, versions):
    publish(api, pinned(1))
    withdraw(api, 1)
    run_id = api.post("/api/v1/runs", {"workflow": "parent", "input": {}}).json()["id"]
    make.work()
    error = make.run(run_id).error
    assert (error["code"], error["details"]["reason"]) == ("ChildNotStarted", WITHDRAWN)
    assert "It pays twice." in error["message"]
    found = api.post("/api/v1/workflows/validate", {"definition": pinned(1)}).json()
    assert [(one["code"], one["severity"], one["field"]) for one in found["problems"]] == [
        ("withdrawn_version", "error", "nodes[0].params.version")
    ]
    assert not api.post("/api/v1/workflows/validate", {"definition": pinned(2)}).json()["problems"]
    withdraw(api, 2)
    found = api.post("/api/v1/workflows/validate", {"definition": pinned(None)}).json()
    assert [(one["code"], one["severity"]) for one in found["problems"]] == [
        ("unpublished_workflow", "warning")
    ]


def container(kind, **params):
    how = {"items": "{{ [input] }}"} if kind == "map" else {"count": 1}
    return {"name": "parent", "nodes": [{"id": "a", "type": kind, "params": {**how, **params}}]}


CONTAINERS = {
    "map of a workflow": lambda named: container("map", body=named),
    "map of a step": lambda named: container("map", body={"type": "subworkflow", "params": named}),
    "map of steps": lambda named: container(
        "map", body={"steps": [{"id": "b", "type": "subworkflow", "params": named}]}
    ),
    "loop of a workflow": lambda named: container("loop", body=named),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_a_written_number_is_that_of_the_publisher_in_containers_too(people, api, versions, kind):
    for number, status in ((1, "COMPLETED"), ("{{ input.number }}", "FAILED")):
        document = CONTAINERS[kind]({"workflow": "flow", "version": number})
        publish_again(api, document) if number != 1 else publish(api, document)
        sent = {"workflow": "parent", "input": {"number": 1}}
        run_id = people.client("author").post("/api/v1/runs", sent).json()["id"]
        make.work()
        assert make.run(run_id).status == status
    assert Run.unsafe_all_tenants.filter(version__workflow__name="flow", version__number=1).count() == 1


@pytest.mark.parametrize(("role", "expected"), [("author", OLDER), ("operator", "COMPLETED")])
def test_a_number_that_is_computed_is_that_of_the_starter(people, api, versions, role, expected):
    publish(api, pinned("{{ input.number }}"))
    run_ids = [
        people.client(role)
        .post("/api/v1/runs", {"workflow": "parent", "input": {"number": number}})
        .json()["id"]
        for number in (1, 2)
    ]
    make.work()
    older, newest = map(make.run, run_ids)
    assert (older.error["details"]["reason"] if older.error else older.status) == expected
    assert newest.status == "COMPLETED"


@pytest.mark.parametrize(
    ("verbs", "status"), [(("start",), 403), (("start", "operate"), 403), (("publish", "start"), 201)]
)
def test_who_may_only_start_may_not_publish_a_step_with_an_older_version(
    people, api, versions, verbs, status
):
    """An author holds no `runs:operate`: to publish there is enough, since that makes any content the newest."""
    folder = folders.create_folder(people.principal("admin"), "Elsewhere", [Grant(verbs, "author")])
    Workflow.unsafe_all_tenants.filter(name="flow").update(folder=folder)
    author = people.client("author")
    author.post("/api/v1/workflows", {"name": "parent", "definition": pinned(1)})
    answer = author.post("/api/v1/workflows/parent/publish", {})
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["error"]["code"] == OLDER
        assert answer.json()["error"]["field"] == "nodes[0].params.version"
