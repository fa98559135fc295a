"""Instances by the rochallor API: how a run reads in rochallor's words, from its start to its end."""

import pytest

from runs.models import Run, RunKey, StartedFrom
from tests import factories as make
from tests import rochallor
from tests.integrations.rochallor.conftest import WHO
from tests.store.watching import watching

pytestmark = pytest.mark.django_db
STRANGE = "019a0000-0000-7000-8000-000000000001"
"""An id that nobody has."""


def test_a_run_from_its_start_to_its_end(linear):
    begun = linear.post("instances", {"definitionId": "flow", "variables": {"amount": 5}}, 201)
    assert begun["status"] == "ACTIVE"
    assert (begun["definitionId"], begun["definitionVersion"]) == ("flow", 1)
    assert begun["currentStepIds"] == ["a"]
    assert begun["variables"] == {"amount": 5}
    assert begun["startedAt"].endswith("Z")
    assert begun.keys().isdisjoint({"completedAt", "failureReason", "businessKey"})
    assert Run.unsafe_all_tenants.get().started_from == StartedFrom.ROCHALLOR
    linear.done("a", "b", "c", variables={"done": True})
    ended = linear.instance(begun["id"])
    assert ended["status"] == "COMPLETED"
    assert ended["currentStepIds"] == []
    assert ended["variables"] == {"amount": 5, "done": True}
    assert "completedAt" in ended
    assert linear.history(begun["id"]) == [(name, "COMPLETED") for name in ("a", "b", "c", "end")]


def test_history_is_in_pascal_case(linear):
    instance = linear.start()
    [row] = linear.get(f"instances/{instance}/history")["items"]
    assert set(row) == {
        *("ID", "InstanceID", "StepID", "StepType", "AttemptNumber", "Status", "StartedAt", "EndedAt"),
        *("InputSnapshot", "OutputSnapshot", "FailureReason"),
    }
    assert (row["InstanceID"], row["StepType"], row["Status"]) == (instance, "SERVICE_TASK", "RUNNING")
    assert (row["AttemptNumber"], row["EndedAt"], row["FailureReason"]) == (1, None, None)


@pytest.mark.parametrize("given", ["nonexistent-instance-id-000", STRANGE, "0", "%00", "x" * 150])
def test_an_instance_that_there_is_not(linear, given):
    assert linear.get(f"instances/{given}", 404)["error"] == "not-found"
    assert linear.get(f"instances/{given}/history") == {"items": None}
    assert linear.post(f"instances/{given}/cancel", {"reason": "no"}, 404)["error"] == "not-found"
    linear.post(f"instances/{given}/signals/a", None, 404)
    linear.post(f"instances/{given}/user-tasks/a/complete", None, 404)


def test_a_business_key_may_be_there_many_times(linear):
    one, two = (linear.start(businessKey="BK-e2e-001") for _ in range(2))
    linear.start(businessKey="other")
    assert one != two
    page = linear.get("instances?businessKey=BK-e2e-001")
    assert [row["id"] for row in page["items"]] == [two, one]
    assert page["total"] == 2
    assert linear.instance(one)["businessKey"] == "BK-e2e-001"
    # It stands for none of them where a key stands for one.
    assert not RunKey.unsafe_all_tenants.exists()


def test_a_version_may_be_named(linear):
    linear.upload(rochallor.DECISION)
    assert linear.instance(linear.start(definitionVersion=1))["definitionVersion"] == 1
    assert linear.instance(linear.start(definitionVersion=0))["definitionVersion"] == 2
    assert linear.instance(linear.start(definitionVersion=None))["definitionVersion"] == 2


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({}, 400),
        ({"definitionId": None}, 400),
        ({"definitionId": 5}, 400),
        ({"definitionId": "flow", "variables": [1]}, 400),
        ({"definitionId": "flow", "definitionVersion": "1"}, 400),
        ({"definitionId": "flow", "definitionVersion": True}, 400),
        ({"definitionId": "flow", "businessKey": "k" * 300}, 400),
        ({"definitionId": "flow", "definitionVersion": 7}, 404),
        ({"definitionId": "none"}, 404),
        ({"definitionId": "fl\u00f6w"}, 404),
    ],
)
def test_a_start_that_is_refused(linear, sent, status):
    assert linear.post("instances", sent, status)["error"] == (
        "not-found" if status == 404 else "bad-request"
    )


def test_the_list_is_of_what_is_asked_for_newest_first(linear):
    linear.upload(rochallor.USER_TASK | {"id": "asks"})
    runs = [linear.start() for _ in range(3)]
    asks = linear.start("asks")
    linear.done("before")
    linear.post(f"instances/{runs[0]}/cancel", {"reason": "so"})

    def listed(query=""):
        return [row["id"] for row in linear.get(f"instances?{query}")["items"] or []]

    assert listed() == [asks, *reversed(runs)]
    assert listed("definitionId=flow") == [*reversed(runs)]
    assert listed("status=WAITING") == [asks]
    assert listed("status=ACTIVE") == [runs[2], runs[1]]
    assert listed("status=CANCELLED") == [runs[0]]
    assert listed("status=COMPLETED") == listed("status=NONE") == listed("definitionId=none") == []
    assert listed("page=1&pageSize=3") == [runs[0]]
    assert linear.get("instances?pageSize=1")["total"] == 4
    assert linear.get("instances?page=99999999&pageSize=1000")["items"] is None


def test_a_list_asks_the_same_for_one_as_for_many(linear):
    linear.start()
    linear.get("instances")
    with watching() as few:
        linear.get("instances")
    for _ in range(4):
        linear.start()
    with watching() as many:
        linear.get("instances")
    assert many.trips == few.trips == WHO + 4


def test_a_cancel_is_over_at_once(linear):
    instance = linear.start()
    [job] = linear.poll("a")
    cancelled = linear.post(f"instances/{instance}/cancel", {"reason": "no longer needed"})
    # Its job runs, so the run is CANCELLING: nobody is told of that.
    assert make.run(instance).status == "CANCELLING"
    assert (cancelled["status"], cancelled["failureReason"]) == ("CANCELLED", "no longer needed")
    assert linear.instance(instance)["failureReason"] == "no longer needed"
    assert linear.post(f"instances/{instance}/cancel", {"reason": "again"}, 409)["error"] == "conflict"
    linear.complete(job)
    assert linear.instance(instance)["status"] == "CANCELLED"


def test_a_cancel_needs_no_body(linear):
    assert "failureReason" not in linear.post(f"instances/{linear.start()}/cancel")


def test_a_failure_is_told_in_the_words_of_the_worker(linear):
    instance = linear.start()
    [job] = linear.poll("a")
    linear.fail(job, message="the bank said no")
    ended = linear.instance(instance)
    assert (ended["status"], ended["failureReason"]) == ("FAILED", "the bank said no")
    [row] = linear.get(f"instances/{instance}/history")["items"]
    assert (row["Status"], row["FailureReason"]) == ("FAILED", "the bank said no")


def test_a_decision_without_a_branch_is_told_in_their_word(engine):
    engine.upload(rochallor.NO_MATCH)
    instance = engine.start()
    engine.done("prepare", variables={"result": "odd"})
    assert "DecisionNoBranchMatched" in engine.instance(instance)["failureReason"]


def test_parallel_paths_are_all_current(engine):
    engine.upload(rochallor.PARALLEL)
    instance = engine.start()
    make.work("engine")
    assert engine.instance(instance)["currentStepIds"] == ["left", "right"]
