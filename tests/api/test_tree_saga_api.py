"""Trees of runs over REST, as an integrator sees them: what child runs did is undone, kept, and never done twice."""

from itertools import pairwise

import pytest

from tests import factories as make

pytestmark = pytest.mark.django_db

V1 = "/api/v1"


def job(id, queue, **more):
    return {"id": id, "type": "job", "queue": queue, "retry": "none", **more}


CHARGE = job("charge", "ch", compensate={"type": "job", "queue": "ref", "retry": "none"})


class Tree:
    """A client, and workers that poll for jobs over REST."""

    def __init__(self, client):
        self.client = client
        self.run = ""

    def publish(self, name, nodes, edges=()):
        pairs = [{"from": edge[0], "to": edge[1]} for edge in edges]
        document = {"name": name, "nodes": nodes, "edges": pairs}
        answer = self.client.post(f"{V1}/workflows", {"name": name, "definition": document})
        assert answer.status_code == 201, answer.json()
        answer = self.client.post(f"{V1}/workflows/{name}/publish")
        assert answer.status_code == 201, answer.json()

    def start(self, nodes, edges, **run_input):
        self.publish("tree", nodes, edges)
        answer = self.client.post(f"{V1}/runs", {"workflow": "tree", "input": run_input})
        assert answer.status_code == 201, answer.json()
        self.run = answer.json()["id"]
        work()

    def poll(self, queue):
        body = {"worker_id": "w1", "queues": [queue], "max_jobs": 100}
        jobs = self.client.post(f"{V1}/jobs/poll", body).json()["jobs"]
        return sorted(jobs, key=lambda one: str(one["input"]))

    def complete(self, one, **output):
        return self._say(one, "complete", output=output)

    def fail(self, one):
        return self._say(one, "fail", error={"code": "Declined", "message": "No."}, retryable=False)

    def _say(self, one, verb, **body):
        answer = self.client.post(f"{V1}/jobs/{one['id']}/{verb}", {"lease_token": one["lease_token"]} | body)
        assert answer.status_code == 200, answer.json()
        work()
        return answer.json()

    @property
    def status(self):
        return self.client.get(f"{V1}/runs/{self.run}").json()["status"]


def work():
    while make.work("engine", "default", "blocking"):
        pass


@pytest.fixture
def tree(people):
    return Tree(people.client("admin"))


def in_a(kind, tree, *steps):
    """A step of this kind whose child run does these steps."""
    if kind == "subworkflow":
        names = [step["id"] for step in steps]
        tree.publish("child", list(steps), [*pairwise(names)])
        return {"id": "m", "type": kind, "params": {"workflow": "child"}}
    params = {"items": "{{ input.l }}"} if kind == "map" else {"count": 1}
    return {"id": "m", "type": kind, "params": {**params, "body": {"steps": list(steps)}}}


@pytest.mark.parametrize("kind", ["map", "loop", "subworkflow"])
@pytest.mark.parametrize("own", [{"compensate": {"type": "noop"}}, {}], ids=["own", "none"])
def test_what_a_child_did_is_undone_before_the_run_says_so(tree, kind, own):
    """The run that said COMPENSATED had requested no refund."""
    first = {"id": "a", "type": "noop", **own}
    node = in_a(kind, tree, CHARGE, {"id": "n", "type": "noop"})
    tree.start([first, node, job("o", "o")], ["am", "mo"], l=[1])
    (charge,) = tree.poll("ch")
    tree.complete(charge, receipt=7)
    tree.fail(*tree.poll("o"))
    shown = tree.client.get(f"{V1}/runs/{tree.run}").json()
    assert shown["status"] == "COMPENSATING"
    assert shown["waiting_for"].startswith("It undoes what was done: ")
    assert "Undo External job (charge)" in shown["waiting_for"]
    assert "a worker of yours that polls the queue ref" in shown["waiting_for"]
    (refund,) = tree.poll("ref")
    assert refund["input"]["output"] == {"receipt": 7}
    assert refund["input"]["idempotency_key"] == charge["idempotency_key"]
    tree.complete(refund)
    assert tree.status == "COMPENSATED"
    assert tree.poll("ref") == []


def test_the_release_waits_for_the_refund_of_the_child(tree):
    """Parent reserve, child charge: the release was handed out while the refund was open."""
    reserve = job("a", "re", compensate={"type": "job", "queue": "release", "retry": "none"})
    tree.start([reserve, in_a("subworkflow", tree, CHARGE), job("o", "o")], ["am", "mo"])
    tree.complete(*tree.poll("re"))
    tree.complete(*tree.poll("ch"))
    tree.fail(*tree.poll("o"))
    assert tree.poll("release") == []
    (refund,) = tree.poll("ref")
    tree.fail(refund)
    assert (tree.status, tree.poll("release")) == ("WAITING_FOR_MANUAL_ACTION", [])
    shown = tree.client.get(f"{V1}/runs/{tree.run}").json()
    assert shown["waiting_for"] == "somebody to see to what could not be undone: Undo External job (charge)"
    (wait,) = shown["waits"]
    assert (wait["run"], wait["node"]) == (refund["run_id"], "charge:compensate")
    (task,) = tree.client.get(f"{V1}/tasks").json()["results"]
    answer = tree.client.post(
        f"{V1}/tasks/{task['id']}/resolve", {"resolution": "done", "reason": "Paid back."}
    )
    assert answer.status_code == 200, answer.json()
    work()
    tree.complete(*tree.poll("release"))
    assert tree.status == "COMPENSATED"


@pytest.mark.parametrize("kind", ["map", "subworkflow"])
def test_a_resume_charges_no_card_twice(tree, kind):
    """What a child had acknowledged was repeated under another idempotency key."""
    charge = job("charge", "ch")
    body = [{"id": "n", "type": "noop"}, charge, {"id": "z", "type": "noop"}]
    if kind == "map":
        tree.start([in_a(kind, tree, *body)], [], l=["A", "B"])
        first, second = tree.poll("ch")
    else:
        tree.start([in_a(kind, tree, *body), charge], [])
        second, first = sorted(tree.poll("ch"), key=lambda one: one["run_id"] == tree.run)
    tree.fail(first)
    assert tree.complete(second) == {"applied": True}
    assert tree.status == "FAILED"
    assert tree.client.post(f"{V1}/runs/{tree.run}/resume").status_code == 200
    work()
    (again,) = tree.poll("ch")
    assert again["idempotency_key"] == first["idempotency_key"]
    tree.complete(again)
    assert (tree.status, tree.poll("ch")) == ("COMPLETED", [])
