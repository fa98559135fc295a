"""The table of `doors.py`, played: what each person gets at each door in each state; and that no door is missing."""

from itertools import pairwise

import pytest
from django.db import transaction
from django.test import Client

from accounts.models import User
from runs.models import Run, StepExecution
from tasks_inbox.models import ManualTask, TaskDecision
from tests import factories as make
from tests import of_features
from tests.api.authorisation_matrix import MATRIX
from tests.inbox import doors
from tests.inbox.asking import decide
from tests.inbox.persons import Person

pytestmark = pytest.mark.django_db

SCOPES = {
    "runs:operate",
    "runs:signal",
    "runs:start",
    "jobs:work",
    "tasks:decide",
    "tasks:read",
    "tasks:assign",
}
REASON = "The customer waits."
APPROVED = {"branch": "approved"}
SLOW = {"id": "slow", "type": "job", "queue": "slow"}
PAY = {"id": "pay", "type": "job", "queue": "pay", "retry": "none"}
WITH_ITEMS = (
    "skip only step",
    "skip item",
    "skip items page",
    "skip container",
    "cancel item",
    "cancel child",
)
WITH_ITEMS += ("cancel children",)


def led(steps):
    """Edges from each of these steps to the next; people lead on by approving."""
    return [
        {"from": one["id"], "to": other["id"]}
        | ({"branch": "approved"} if one["type"] == "human.approval" else {})
        for one, other in pairwise(steps)
    ]


class World:
    """A run whose human step is in a state, by itself or in an item; who decided above it; and the people."""

    def __init__(self, door, state):
        self.people = {name: Person(name, role) for name, (role, _) in doors.PEOPLE.items()}
        first = {"id": "above", "type": "human.approval", "params": {"title": "?", "due_seconds": 60}}
        ask = self._ask("{{ input.nothing }}" if state == "failed" else "1")
        inner = [SLOW] if state == "not asked yet" else []
        step = (
            [self._container([*inner, ask], door == "skip only step")]
            if door in WITH_ITEMS
            else [*inner, ask]
        )
        chain = [first, *step, PAY]
        self.node = chain[-2]["id"]
        (self.run,) = make.start(make.graph(chain, led(chain)), {}, by="olga")
        Run.unsafe_all_tenants.update(acts_for="paul")
        make.work()
        decide(self.people["dora"].principal, self.task, "approved")
        make.work()
        if state == "decided":
            decide(self.people["ann"].principal, self.task, "approved")
            make.work()
        self.child = Run.unsafe_all_tenants.filter(parent_id=self.run).values_list("pk", flat=True).first()
        without = [one for one in chain if one["id"] != self.node]
        if door in ("migrate", "resume"):
            make.newer(self.run, make.graph(without, led(without)))

    @staticmethod
    def _ask(fact):
        params = {"title": "Pay?", "due_seconds": 60, "facts": {"Amount": fact}, "exclude": ["eve"]}
        params |= {"exclude_requester": True, "exclude_deciders": True}
        params["candidates"] = {"users": ["ann", "anna", *list(doors.PEOPLE)[:4]]}
        return {"id": "ask", "type": "human.approval", "params": params}

    @staticmethod
    def _container(steps, is_only):
        steps = [*steps, PAY]
        only = {key: value for key, value in steps[0].items() if key != "id"}
        body = only if is_only else {"steps": steps, "edges": led(steps)}
        return {"id": "m", "type": "map", "params": {"items": [1], "body": body, "tolerate_failures": 1}}

    @property
    def task(self):
        return ManualTask.unsafe_all_tenants.latest("id")

    def state(self):
        """What there is of runs, steps and tasks, and how many decisions."""
        steps = StepExecution.unsafe_all_tenants.order_by("pk").values_list("pk", "status")
        runs = Run.unsafe_all_tenants.order_by("pk").values_list("pk", "status", "version_id")
        return [*steps], [*runs], TaskDecision.unsafe_all_tenants.count()


def browser(name):
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


def rest(path, **body):
    def act(world, name):
        filled = path.format(run=world.run, task=world.task.pk, node=world.node, child=world.child)
        return world.people[name].post(filled, body)

    return act


def site(path, **form):
    def act(world, name):
        filled = path.format(run=world.run, task=world.task.pk, node=world.node, child=world.child)
        return browser(name).post(f"/{filled}", form, follow=True)

    return act


def together(world, name):
    return world.people[name].post(
        "tasks/bulk", {"action": "decide", "ids": [str(world.task.pk)], "outcome": "approved"}
    )


def cancel_together(world, name):
    return world.people[name].post(
        "runs/bulk", {"action": "cancel", "ids": [str(world.child)], "reason": REASON}
    )


SKIP = "runs/{run}/steps/{node}/skip"
SKIPS = {"output": APPROVED, "reason": REASON}
ACTS = {
    "decide": rest("tasks/{task}/complete", outcome="approved"),
    "decide page": site("inbox/{task}/decide", outcome="approved"),
    "decide together": together,
    "skip": rest(SKIP, **SKIPS),
    "skip page": site(SKIP, value='{"branch": "approved"}', reason=REASON),
    "skip only step": rest(SKIP, index=0, **SKIPS),
    "skip item": rest(SKIP, index=0, **SKIPS),
    "skip items page": site(
        "runs/{run}/items/{node}/act", verb="skip", places="0", output="{}", reason=REASON
    ),
    "skip container": rest(SKIP, **SKIPS),
    "cancel item": rest("runs/{run}/steps/{node}/cancel", index=0, reason=REASON),
    "cancel child": rest("runs/{child}/cancel", reason=REASON),
    "cancel children": cancel_together,
    "cancel": rest("runs/{run}/cancel", reason=REASON),
    "migrate": rest("runs/{run}/migrate", version=2, reason=REASON),
    "resume": rest("runs/{run}/resume", version=2, reason=REASON),
    "retry": rest("runs/{run}/steps/{node}/retry", reason=REASON),
}


def code_of(answer):
    """Why it was refused, of whatever form the answer is."""
    if "json" not in answer.headers.get("Content-Type", ""):
        text = answer.content.decode()
        barred = (
            "four eyes" in text or "somebody else must decide" in text or "excluded from deciding" in text
        )
        return "excluded" if barred or "asks others" in text else answer.status_code
    told = answer.json()
    results = told.get("results") or [told.get("error") or {}]
    return results[0].get("code") or answer.status_code


def got(world, act, name):
    """What somebody gets by an act, in the words of the table; nothing of it stays."""
    with transaction.atomic():
        before = world.state()
        answer = act(world, name)
        after = world.state()
        decisions = TaskDecision.unsafe_all_tenants.order_by("seq")
        word = doors.MAY if answer.status_code < 400 and before != after else None
        if after[2] > before[2]:
            word = doors.OUTSIDE if '"settled_by":"skip"' in decisions.last().record else doors.DECIDES
        transaction.set_rollback(True)
    if word is not None:
        return word
    code = code_of(answer)
    if code in ("excluded", "not_a_candidate"):
        return doors.BARRED
    if answer.status_code in (403, 404):
        return doors.NO_RIGHT
    return doors.NOT_NOW if answer.status_code in (409, 422) else (answer.status_code, code)


ROWS = [(door, state) for door, one in doors.DOORS.items() for state in one.states]


@pytest.mark.parametrize(("door", "state"), ROWS)
def test_each_person_gets_at_each_door_what_the_table_says(door, state):
    world = World(door, state)
    cells = {name: got(world, ACTS[door], name) for name in doors.PEOPLE}

    assert cells == dict(zip(doors.PEOPLE, doors.DOORS[door].states[state], strict=True))


def test_every_route_that_changes_something_is_a_door_or_says_why_it_is_none():
    routes = {
        name
        for name, route in MATRIX.items()
        for method, scope in route.methods.items()
        if method != "GET" and scope in SCOPES
    }
    ways = {name for door in doors.DOORS.values() for name in door.routes}
    reasons = of_features.joined(doors.NO_DOORS, "routes", "NO_DOORS")
    others = [name for names in reasons.values() for name in names.split()]
    assert routes == ways | {*others}, (
        "a new route is a way of one of DOORS, or in NO_DOORS of tests/inbox/doors.py"
    )
    assert len(others) == len({*others})
    assert not ways & {*others}


def test_the_page_shows_the_table():
    text = doors.DOC.read_text()
    assert text == doors.page(text), "python -m tests.inbox.doors"


def test_who_is_barred_cancels_no_child_run_over_the_protocols_either():
    world = World("cancel child", "open")
    client = world.people["olga"]._client
    answer = client.post(f"/v1/instances/{world.child}/cancel", {"reason": REASON}, format="json")
    assert (answer.status_code, Run.unsafe_all_tenants.get(pk=world.child).status) == (403, "RUNNING"), (
        answer.content
    )
