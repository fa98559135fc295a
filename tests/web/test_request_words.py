"""What requesters are told of refusals, failures and waits, from runs as they go."""

import pytest

from runs.commands.lifecycle import cancel_runs, pause_runs
from tests import factories as make
from tests.inbox.asking import decide, member, task_of
from tests.web.test_requests import logged_in, own_request

pytestmark = pytest.mark.django_db

OUTCOMES = [{"name": "approved", "label": "Approve"}, {"name": "rejected", "label": "Reject"}]
ASK = {
    "id": "ask",
    "type": "human.approval",
    "params": {"title": "OK?", "outcomes": OUTCOMES, "candidates": {"users": ["ben"]}},
}
NO = {
    "id": "no",
    "type": "fail",
    "params": {"code": "Refused", "message": "Not in budget: {{ input.amount }}"},
}
PAY = {"id": "pay", "type": "noop"}
EDGES = [
    {"from": "ask", "to": "pay", "branch": "approved"},
    {"from": "ask", "to": "no", "branch": "rejected"},
]


@pytest.fixture(autouse=True)
def rita():
    member("ben", "approver")
    return member("rita", "requester")


def told(run_id: str) -> dict[str, object]:
    answer = logged_in("rita").get(f"/api/v1/requests/{run_id}").json()
    page = logged_in("rita").get(f"/requests/{run_id}")
    assert page.status_code == 200
    return answer


def status(*nodes, edges=()) -> str:
    return told(own_request(make.a_version(make.graph([*nodes], [*edges])), "rita"))["status"]


def test_a_fail_step_behind_a_rejection_is_an_answer():
    run_id = own_request(make.a_version(make.graph([ASK, PAY, NO], EDGES)), "rita")
    assert told(run_id)["status"] == "Waiting for ben"
    decide(member("ben", "approver"), task_of(run_id), "rejected", comment="No.")
    make.work()
    assert make.run(run_id).status == "FAILED"
    row = told(run_id)
    assert (row["status"], row["kind"]) == ("Refused: Not in budget: 1", "bad")
    assert row["milestones"][-1]["text"] == "Not in budget: 1"


def test_a_fail_step_of_a_child_behind_a_rejection_is_an_answer_too():
    child = make.a_version(make.graph([ASK, PAY, NO], EDGES))
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child.workflow.name}}
    run_id = own_request(make.a_version(make.graph([sub], [])), "rita")
    assert told(run_id)["status"] == "Waiting for ben"
    decide(member("ben", "approver"), task_of(make.children_of(run_id)[0].pk), "rejected", comment="No.")
    make.work()
    assert told(run_id)["status"] == "Refused: Not in budget: 1"


def test_a_fail_step_that_nobody_decided_before_tells_nothing_of_its_message():
    row = told(own_request(make.a_version(make.graph([NO], [])), "rita"))
    assert row["status"] == "Not done; operators see why"
    assert "budget" not in str(row)


@pytest.mark.parametrize(
    ("node", "says"),
    [
        ({"id": "a", "type": "job", "queue": "mine"}, "Waiting for a system"),
        (
            {"id": "a", "type": "signal", "params": {"name": "paid"}},
            "Waiting for an external confirmation",
        ),
        ({"id": "a", "type": "wait", "params": {"seconds": 86_400}}, "Waiting until"),
        ({"id": "a", "type": "job", "queue": "mine", "on_error": "ask"}, "Waiting for a system"),
    ],
)
def test_a_run_that_no_person_has_says_what_it_waits_for(node, says):
    assert status(node).startswith(says)


def test_a_wait_in_a_child_is_told_as_if_it_were_its_own():
    child = make.a_version(make.graph([{"id": "a", "type": "signal", "params": {"name": "paid"}}], []))
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child.workflow.name}}
    assert status(sub) == "Waiting for an external confirmation"


def test_a_run_that_is_paused_or_withdrawn_says_so(rita):
    run_id = own_request(make.a_version(make.graph([ASK, PAY, NO], EDGES)), "rita")
    pause_runs(rita.tenant_id, [run_id], by="op", reason="")
    assert told(run_id)["status"] == "Paused by operators"
    cancel_runs(rita.tenant_id, [run_id], by="op", reason="Not you.")
    make.work()
    row = told(run_id)
    assert row["status"] == "Cancelled"
    assert "Not you." not in str(row)
