"""Skipping a container, or a failed step, decides for all whom it asks, or would ask: who may, and what is recorded."""

import json
from functools import partial

import pytest

from lib.refusals import NotAllowed
from runs.commands import bulk
from runs.commands.operators import skip_step
from runs.kernel.refused import RunRefused
from runs.models import Run
from tasks_inbox.evidence import exports
from tasks_inbox.evidence.verifying import verify_chain
from tasks_inbox.models import ManualTask, TaskDecision
from tests import factories as make
from tests.inbox.asking import approval, member
from tests.inbox.persons import Person
from tests.inbox.test_evidence_export import faults
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

REASON = "The customer has withdrawn."


def ask(**params):
    return {"type": "human.approval", "params": {"title": "Pay?", "due_seconds": 60, **params}}


OTHERS = ask(exclude_requester=True)


def each(steps, items="{{ input.items }}", **more):
    return make.graph(
        [{"id": "m", "type": "map", "params": {"items": items, "body": {"steps": steps}}, **more}], []
    )


def started(definition, given=None, by="olga", **more):
    (run,) = make.start(definition, given or {}, by=by)
    Run.unsafe_all_tenants.filter(pk=run).update(**more)
    make.work()
    return run


def skips(person, run, node="m", output=None, reason=REASON, **more):
    body = {"output": output, **({"reason": reason} if reason else {}), **more}
    answer = person.post(f"runs/{run}/steps/{node}/skip", body)
    make.work()
    return answer


def refusal(answer):
    return answer.status_code, answer.json()["error"]["code"]


def records(run):
    rows = TaskDecision.objects.for_tenant(make.a_tenant().pk).filter(run_id=run).order_by("seq")
    return [json.loads(row.record) for row in rows]


def is_proven(run):
    text = exports.export(member("auditor", "admin"), run, "json").content.decode()
    return (faults(text), [*verify_chain(make.a_tenant().pk)]) == ([], [])


def test_one_of_many_items_that_bars_is_enough_and_no_more_statements_are_needed_for_many():
    olga = Person("olga", "admin").principal
    steps = [{"id": "ask", **ask(exclude=["{{ item }}"], candidates={"users": ["ann"]})}]

    def trips(*items):
        run = started(each(steps), {"items": items})
        with watching() as seen, pytest.raises(NotAllowed) as refused:
            skip_step(olga.tenant_id, run, "m", None, by="olga", reason=REASON, who=olga)
        assert refused.value.code == "excluded"
        return seen.trips

    assert trips("olga") == trips(*[f"p{at}" for at in range(12)], "olga")


def test_a_container_with_open_questions_is_skipped_by_others_with_a_reason_and_one_record():
    for name in ("olga", "bert"):
        Person(name, "operator")
    bert, reader = Person("carl", "operator"), Person("rita", "viewer")
    steps = [{"id": "ask", **ask(exclude_requester=True, candidates={"users": ["ann"]})}]
    run = started(each(steps), {"items": [1, 2, 3]})

    assert skips(reader, run).status_code == 403
    unreasoned = skips(bert, run, reason="")
    assert (unreasoned.status_code, unreasoned.json()["error"]["field"]) == (400, "reason")
    assert records(run) == []
    assert skips(bert, run, output={"n": 0}).status_code == 200

    (record,) = records(run)
    assert (record["by"]["username"], record["outcome"], record["settled_by"]) == ("carl", "skipped", "skip")
    assert (record["comment"], record["node"]) == (REASON, "m")
    (task,) = ManualTask.objects.for_tenant(make.a_tenant().pk).filter(status="COMPLETED")
    facts = {fact["label"]: fact["value"] for fact in task.facts}
    assert facts["Open tasks in it"] == 3
    assert len(facts["The first of them"]) == 3
    assert {*ManualTask.unsafe_all_tenants.exclude(pk=task.pk).values_list("status", flat=True)} == {
        "CANCELLED"
    }
    assert make.statuses(run)["m"] == "SKIPPED"
    assert is_proven(run)


@pytest.mark.parametrize("name", ["olga", "bert"])
@pytest.mark.parametrize(
    "inside",
    [
        [{"id": "first", "type": "job", "queue": "slow"}, {"id": "ask", **OTHERS}],
        [
            {"id": "first", "type": "job", "queue": "slow"},
            {
                "id": "n",
                "type": "map",
                "params": {"items": [1], "body": {"steps": [{"id": "ask", **OTHERS}]}},
            },
        ],
    ],
    ids=["later", "deeper"],
)
def test_who_asked_does_not_skip_what_will_ask_people_yet(name, inside):
    person = Person(name, "operator")
    run = started(each(inside), {"items": [1]})

    answer = skips(person, run)

    assert answer.status_code == (403 if name == "olga" else 200), answer.json()
    assert len(records(run)) == (name == "bert")


@pytest.mark.parametrize("workflow", ["asks", "computes", "{{ input.named }}"])
def test_a_workflow_that_a_paused_run_has_not_begun_counts_as_it_would_start_now(workflow):
    olga = Person("olga", "operator")
    for name, definition in (("asks", approval(exclude_requester=True)), ("computes", make.chain("noop"))):
        make.next_version(make.a_workflow(name, definition), definition)
    step = {"id": "sub", "type": "subworkflow", "params": {"workflow": workflow}}
    (run,) = make.start(make.graph([step], []), {"named": "asks"}, by="olga")
    make.pause(run)

    answer = skips(olga, run, "sub")

    assert answer.status_code == (200 if workflow == "computes" else 403), answer.json()


def test_what_people_have_decided_in_an_item_does_not_bar_who_asked_from_skipping_what_failed_behind_it():
    olga, ann = Person("olga", "operator"), Person("ann")
    pay = {"id": "pay", "type": "job", "queue": "pay", "retry": "none"}
    steps = [{"id": "ask", **ask(exclude_requester=True)}, pay]
    run = started(each([*steps]), {"items": [1]})
    (task,) = ManualTask.unsafe_all_tenants.filter(status="OPEN")
    assert ann.post(f"tasks/{task.pk}/complete", {"outcome": "approved"}).status_code == 200
    make.work()
    make.fail(*make.claimed("pay"))
    make.work()

    answer = skips(olga, run, output={"paid": "by hand"}, index=0, reason="")
    assert answer.status_code == 200, answer.json()
    assert records(run) == []


def test_a_step_that_is_over_is_a_conflict_before_anything_is_asked_of_who_skips_it():
    olga, ann = Person("olga", "operator"), Person("ann")
    wait = {"id": "wait", "type": "signal", "params": {"name": "go"}}
    run = started(approval(exclude_requester=True, more=[wait]), {"amount": 5})
    (task,) = ManualTask.unsafe_all_tenants.filter(status="OPEN")
    assert ann.post(f"tasks/{task.pk}/complete", {"outcome": "approved"}).status_code == 200

    answer = skips(olga, run, "ask", reason="")

    assert refusal(answer) == (409, "step_is_completed"), answer.json()


@pytest.mark.parametrize("name", ["olga", "paul", "bert"])
def test_a_step_that_failed_before_it_asked_is_decided_by_others_than_those_for_whom_the_run_was_asked(name):
    person = Person(name, "operator")
    run = started(approval(facts={"Amount": "{{ input.nothing }}"}), acts_for="Paul")

    answer = skips(person, run, "ask", {"branch": "approved"})

    assert answer.status_code == (200 if name == "bert" else 403), answer.json()
    if name == "bert":
        (record,) = records(run)
        assert (record["outcome"], record["settled_by"], record["comment"]) == ("approved", "skip", REASON)
        assert make.statuses(run)["yes"] == "COMPLETED"
        assert is_proven(run)


@pytest.mark.parametrize("name", ["olga", "PAUL", "ann"])
@pytest.mark.parametrize("depth", [0, 1])
def test_whoever_asked_and_for_whom_it_was_asked_may_not_decide(name, depth):
    person = Person(name, "admin")
    definition = approval(exclude_requester=True)
    if depth:
        definition = each([{"id": "ask", **ask(exclude_requester=True)}], items=[1])
    started(definition, {"amount": 5}, acts_for="paul")
    (task,) = ManualTask.unsafe_all_tenants.filter(status="OPEN")

    answer = person.post(f"tasks/{task.pk}/complete", {"outcome": "approved"})

    assert answer.status_code == (200 if name == "ann" else 403), answer.json()
    if name != "ann":
        assert answer.json()["error"]["code"] == "excluded"
        assert "started for you" in answer.json()["error"]["message"]


def test_no_person_no_skip_of_what_asks_people():
    run = started(each([{"id": "ask", **ask()}]), {"items": [1]})

    skip = partial(skip_step, make.a_tenant().pk, run, "m", None, by="system")

    with pytest.raises(NotAllowed, match="Only a person"):
        skip()
    with pytest.raises(RunRefused):
        skip_step(make.a_tenant().pk, run, "nothing", None, by="system")


CANCELS = {
    "item": ("steps/m/cancel", {"index": 0}),
    "its run": ("cancel", {}),
    "later item": ("steps/m/cancel", {"index": 1}),
}


@pytest.mark.parametrize("door", CANCELS)
@pytest.mark.parametrize("name", ["olga", "bert"])
def test_who_is_barred_does_not_cancel_what_the_run_above_can_do_without(door, name):
    person = Person(name, "operator")
    steps = [{"id": "ask", **ask(exclude_requester=True)}]
    params = {"items": [1, 2], "tolerate_failures": 2, "body": {"steps": steps}}
    if door == "later item":
        params["body"]["steps"] = [{"id": "first", "type": "job", "queue": "slow"}, *steps]
    after = {"id": "pay", "type": "noop"}
    run = started(make.graph([{"id": "m", "type": "map", "params": params}, after], ["m>pay"]))
    path, body = CANCELS[door]
    target = Run.unsafe_all_tenants.filter(parent_id=run).earliest("id").pk if door == "its run" else run

    answer = person.post(f"runs/{target}/{path}", {**body, "reason": REASON})

    assert answer.status_code == (403 if name == "olga" else 200), answer.json()
    if name == "olga":
        assert refusal(answer) == (403, "excluded")
        assert person.post(f"runs/{run}/cancel", {"reason": REASON}).status_code == 200
    make.work()


@pytest.mark.parametrize("name", ["olga", "bert"])
@pytest.mark.parametrize("door", ["migrate", "resume"])
def test_who_asked_has_the_run_not_go_on_with_a_version_that_asks_nobody(name, door):
    person = Person(name, "admin")
    first = {"id": "first", "type": "job", "queue": "slow", "retry": "none"}
    asks = {"id": "ask", **ask(facts={"Amount": "{{ input.nothing }}"}, exclude_requester=True)}
    edge = {"from": "ask", "to": "pay", "branch": "approved"}
    run = started(make.graph([first, asks, "pay"], ["first>ask", edge]))
    if door == "resume":
        make.complete(*make.claimed("slow"), output={})
        make.work()
        assert make.statuses(run)["ask"] == "FAILED"
    make.newer(run, make.graph([first, "pay"], ["first>pay"]))

    answer = person.post(f"runs/{run}/{door}", {"version": 2, "reason": REASON})

    assert answer.status_code == (403 if name == "olga" else 200), answer.json()
    if name == "olga":
        assert refusal(answer) == (403, "excluded")


@pytest.mark.parametrize("name", ["olga", "bert"])
def test_a_version_that_asks_less_in_an_item_is_one_that_lacks_a_step(name):
    person = Person(name, "admin")
    slow = {"id": "first", "type": "job", "queue": "slow", "retry": "none"}
    body = [{"id": "one", **ask()}, {"id": "two", **OTHERS}]
    chain = {
        "body": {"steps": body, "edges": [{"from": "one", "to": "two", "branch": "approved"}]},
        "items": [1],
    }
    each = {"id": "m", "type": "map", "params": chain}
    run = started(make.graph([slow, each], ["first>m"]))
    less = {"id": "m", "type": "map", "params": {"items": [1], "body": {"steps": body[:1]}}}
    make.newer(run, make.graph([slow, less], ["first>m"]))

    answer = person.post(f"runs/{run}/migrate", {"version": 2, "reason": REASON})

    assert answer.status_code == (403 if name == "olga" else 200), answer.json()


def test_one_child_run_that_may_not_be_cancelled_keeps_no_other_from_it():
    olga = Person("olga", "operator")
    definition = approval(exclude_requester=True)
    make.next_version(make.a_workflow("asks", definition), definition)
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": "asks"}}
    barred = started(make.graph([sub], []), {"amount": 1})
    other = started(approval(), {"amount": 1})
    child = Run.unsafe_all_tenants.get(parent_id=barred).pk

    done = bulk.act(olga.principal, [child, other], "cancel", reason=REASON)

    assert (done.done, {run: why.code for run, why in done.refused.items()}) == (
        [other],
        {str(child): "excluded"},
    )
