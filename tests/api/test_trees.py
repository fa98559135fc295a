"""A run and the runs that its steps started are one tree: what the API says of its parts, and of all of it."""

import pytest

from runs.models import Run
from steps.catalogue import CATALOGUE
from tests import factories as make
from tests.inbox.onboarding import GIVEN, onboarding
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

RUNS = "/api/v1/runs"
JOB = {"id": "charge", "type": "job", "queue": "card"}


def nested():
    """The ids of a run, of the item of its map, and of the run of another workflow that this began."""
    child = make.a_version(make.graph([JOB], [])).workflow.name
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child, "input": {}}}
    body = {"steps": [sub, {"id": "n", "type": "noop"}]}
    root = make.start(make.mapped(body), {"items": ["a"]})[0]
    make.work()
    (item,) = make.children_of(root)
    (sub_run,) = make.children_of(str(item.pk))
    return root, str(item.pk), str(sub_run.pk)


def test_a_run_says_which_tree_it_is_of_and_where_it_stands_in_it(people):
    api = people.client("admin", tenant="default")
    root, item, sub = nested()
    runs = {row["id"]: row for row in api.get(RUNS).json()["results"]}
    each = {"node": "each", "index": 0}
    for row in (runs[root], api.get(f"{RUNS}/{root}").json()):
        assert (row["root_run"], row["place"]) == (root, [])
    part = api.get(f"{RUNS}/{item}").json()
    assert (part["root_run"], part["place"]) == (root, [each])
    below = [each, {"node": "sub", "index": None}]
    assert (runs[sub]["root_run"], runs[sub]["place"]) == (root, below)
    assert Run.unsafe_all_tenants.get(pk=sub).depth == len(below)


@pytest.fixture
def admin(people):
    """A client of an admin whose tenant has the shipped *Employee onboarding*."""
    onboarding()
    return people.client("admin", tenant="default")


def asked(api, **more):
    """What an admin asked for with the onboarding, which waits for the decisions of its two child runs."""
    answer = api.post(RUNS, {"workflow": "employee_onboarding", "input": GIVEN, **more})
    assert answer.status_code == 201, answer.json()
    make.work()
    return answer.json()["id"]


def open_tasks(api):
    return [one for one in api.get("/api/v1/tasks").json()["results"] if one["status"] == "OPEN"]


def decide(api, task, outcome):
    answer = api.post(f"/api/v1/tasks/{task['id']}/complete", {"outcome": outcome, "comment": "So it is."})
    assert answer.status_code == 200, answer.json()
    make.work()


def decided(api, system, outcome):
    """The account in this system is decided by REST."""
    (task,) = [one for one in open_tasks(api) if f"in {system} for" in one["title"]]
    decide(api, task, outcome)


def request_of(api, run):
    row = api.get(f"/api/v1/requests/{run}").json()
    (listed,) = [one for one in api.get("/api/v1/requests").json()["results"] if one["id"] == run]
    assert (listed["status"], listed["holder"]) == (row["status"], row["holder"])
    return row


def test_a_request_waits_for_those_who_decide_in_its_child_runs(admin):
    run = asked(admin)
    row = request_of(admin, run)
    assert row["status"] == "Your answer is needed"
    assert [one["title"] for one in row["questions"]] == [
        "Open an account in Mail for Lea Vogt?",
        "Open an account in Wiki for Lea Vogt?",
    ]
    waits = admin.get(f"{RUNS}/{run}").json()["waits"]
    assert [[one["node"] for one in wait["place"]] for wait in waits] == [["mail", "ask"], ["wiki", "ask"]]
    assert admin.get(f"{RUNS}/{waits[0]['run']}").json()["parent_run"] == run


@pytest.mark.parametrize(
    ("mail", "wiki", "status"),
    [
        ("approved", "approved", "Done"),
        ("rejected", "approved", "1 of 2 refused"),
        ("rejected", "rejected", "Refused"),
    ],
)
def test_a_request_is_refused_by_decisions_in_its_child_runs(admin, mail, wiki, status):
    run = asked(admin)
    decided(admin, "Mail", mail)
    decided(admin, "Wiki", wiki)
    assert admin.get(f"{RUNS}/{run}").json()["status"] == "COMPLETED"
    row = request_of(admin, run)
    assert row["status"] == status
    assert sum("decided “Open an account" in one["words"] for one in row["milestones"]) == 2


def looped(body, **params):
    return make.graph([{"id": "again", "type": "loop", "params": {"body": body, **params}}, "n"], ["again>n"])


ASK = {"id": "ask", "type": "human.approval", "params": {"title": "OK?", "candidates": {"roles": ["admin"]}}}
ASKS = {"steps": [ASK, {"id": "x", "type": "noop"}], "edges": [{"from": "ask", "to": "x", "default": True}]}


@pytest.mark.parametrize(
    ("definition", "outcomes", "status"),
    [
        (looped(ASKS, count=2), ["rejected", "approved"], "Done"),
        (looped(ASKS, count=2), ["approved", "rejected"], "Refused"),
        (make.mapped(ASKS), ["approved", "rejected", "approved"], "1 of 3 refused"),
        (make.mapped(ASKS), ["rejected"] * 3, "Refused"),
        (make.mapped(ASKS), ["approved"] * 3, "Done"),
    ],
)
def test_rounds_and_items_that_refuse_are_told_of_by_the_request(people, definition, outcomes, status):
    api = people.client("admin", tenant="default")
    workflow = make.a_version(definition).workflow.name
    run = api.post(RUNS, {"workflow": workflow, "input": {"items": [1, 2, 3]}}).json()["id"]
    make.work()
    for outcome in outcomes:
        decide(api, open_tasks(api)[0], outcome)
    assert api.get(f"{RUNS}/{run}").json()["status"] == "COMPLETED"
    row = request_of(api, run)
    assert row["status"] == status
    [container, *_] = definition["nodes"]
    title = f"{CATALOGUE[container['type']].title} ({container['id']})"
    words = [one["words"] for one in row["milestones"] if "decided" in one["words"]]
    assert sorted(one.partition(":")[0] for one in words) == [
        f"decided “OK?” ({title}, item {index})" for index in range(len(outcomes))
    ]


def test_requests_and_runs_cost_the_same_however_many_children_wait(people):
    api = people.client("admin", tenant="default")
    workflow = make.a_version(make.mapped(ASKS)).workflow.name

    def cost(items):
        api.post(RUNS, {"workflow": workflow, "input": {"items": [*range(items)]}})
        make.work()
        counts = []
        for path in ("/api/v1/requests", RUNS):
            assert api.get(path).status_code == 200
            with watching() as seen:
                row = api.get(path).json()["results"][0]
            assert row.get("waits", [{"count": items}])[0]["count"] == items
            counts.append(seen.trips)
        return counts

    assert cost(1) == cost(30)
