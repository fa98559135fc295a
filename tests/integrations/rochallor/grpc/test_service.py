"""`workflow.v1.WorkflowEngine` against a real process, and field by field beside `/v1/` (R-154)."""

import re
from datetime import datetime

import grpc
import pytest
from google.protobuf.json_format import MessageToDict

from accounts.models import AuditRecord
from accounts.services import ensure_default_tenant
from integrations.grpc.contract import methods
from integrations.rochallor import grpc_service
from tests import factories as make
from tests import rochallor
from tests.integrations.grpc.speaking import WORKFLOW_ENGINE, Client, answering, message, told

PREFIXES = ("INSTANCE_STATUS_", "STEP_EXECUTION_STATUS_", "STEP_TYPE_", "BOUNDARY_EVENT_TYPE_")


def test_each_method_is_served():
    assert methods(WORKFLOW_ENGINE).keys() == grpc_service.CALLS.keys()
    assert len(methods(WORKFLOW_ENGINE)) == 13


class Rest:
    """The same by `/v1/`."""

    def __init__(self, client):
        self.client = client

    def get(self, path):
        answer = self.client.get(f"/v1/{path}")
        assert answer.status_code == 200, answer.content
        return answer.json()

    def post(self, path, body, status=201):
        answer = self.client.post(f"/v1/{path}", body)
        assert answer.status_code == status, answer.content
        return answer.json() if answer.content else None


@pytest.fixture
def rest(people):
    return Rest(people.client("admin"))


@pytest.fixture
def theirs(speak):
    """A client of the tenant's admin, over gRPC."""
    return speak("admin")


def refused(ask, **fields):
    with pytest.raises(grpc.RpcError) as caught:
        ask(**fields)
    return told(caught.value)


def camel(name):
    return re.sub(r"_(.)", lambda found: found[1].upper(), name)


def plain(one, name=camel):
    """A message as the JSON that REST has of the same: nothing of what is empty."""
    made = {}
    for field, value in one.ListFields():
        kind = field.message_type and field.message_type.full_name
        if kind and field.message_type.GetOptions().map_entry:
            value = {key: _value(inner) for key, inner in value.items()}
        elif field.is_repeated and kind:
            value = [plain(inner, name) for inner in value]
        elif kind == "google.protobuf.Struct":
            value = MessageToDict(value)
        elif kind == "google.protobuf.Timestamp":
            value = value.ToDatetime().isoformat()
        elif kind:
            value = plain(value, name)
        elif field.enum_type is not None:
            text = field.enum_type.values_by_number[value].name
            value = next(text.removeprefix(prefix) for prefix in PREFIXES if text.startswith(prefix))
        elif field.is_repeated:
            value = list(value)
        made[name(field.name)] = value
    return made


def _value(inner):
    return inner if isinstance(inner, str) else MessageToDict(inner)


def solid(row):
    """A row of REST's without what is empty, its times without a zone."""
    if isinstance(row, dict):
        return {key: solid(value) for key, value in row.items() if value not in (None, "", False, 0, [], {})}
    if isinstance(row, list):
        return [solid(one) for one in row]
    if isinstance(row, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)", row):
        return datetime.fromisoformat(row).replace(tzinfo=None).isoformat()
    return row


def definition_of(document):
    """A document as a client of gRPC sends it."""
    made = message("workflow.v1.WorkflowDefinition")(id=document["id"], name=document["name"])
    made.auto_start_next_workflow = document.get("autoStartNextWorkflow", False)
    made.next_workflow_id = document.get("nextWorkflowId", "")
    if "metadata" in document:
        made.metadata.update(document["metadata"])
    for step in document["steps"]:
        one = made.steps.add(id=step["id"], name=step["name"], type=f"STEP_TYPE_{step['type']}")
        for field in ("next_step", "join_step", "job_type"):
            setattr(one, field, step.get(camel(field), ""))
        one.retry_count = step.get("retryCount", 0)
        one.parallel_next_steps.extend(step.get("parallelNextSteps", ()))
        one.conditional_next_steps.update(step.get("conditionalNextSteps", {}))
        for name, value in step.get("transformations", {}).items():
            kind = "string_value" if isinstance(value, str) else "number_value"
            setattr(one.transformations[name], kind, value)
        for timer in step.get("boundaryEvents", ()):
            one.boundary_events.add(
                type="BOUNDARY_EVENT_TYPE_TIMER",
                duration=timer["duration"],
                interrupting=timer["interrupting"],
                target_step_id=timer["targetStepId"],
            )
    return made


OUT_OF_ORDER = ("transformation", "loan")
"""Of these REST alone can say what they mean."""


@pytest.mark.parametrize("name", sorted(rochallor.SCENARIOS.keys() - {*OUT_OF_ORDER}))
def test_a_definition_reads_the_same_whichever_door_it_came_by(rest, theirs, name):
    document = rochallor.SCENARIOS[name]
    uploaded = theirs.engine("UploadDefinition", definition=definition_of(document))
    assert (uploaded.id, uploaded.version) == (document["id"], 1)
    by_rest = rest.get(f"definitions/{document['id']}")
    assert solid(by_rest) == solid({**document, "version": 1})
    by_grpc = theirs.engine("GetDefinition", id=document["id"]).definition
    assert solid(plain(by_grpc)) == solid(by_rest)
    # The same again is the same version, whoever says it, where branches have no order.
    if all(len(step.get("conditionalNextSteps", ())) < 2 for step in document["steps"]):
        assert rest.post("definitions", document)["version"] == 1
    assert theirs.engine("UploadDefinition", definition=definition_of(document)).version == 1


LOAN = {key: value for key, value in rochallor.LOAN.items() if "extWorkflow" not in key}


@pytest.mark.parametrize("document", [rochallor.TRANSFORMATION, LOAN], ids=["transformation", "loan"])
def test_what_needs_an_order_is_read(rest, theirs, document):
    rest.post("definitions", document)
    shown = theirs.engine("GetDefinition", id=document["id"], version=1).definition
    assert solid(plain(shown)) == solid(rest.get(f"definitions/{document['id']}"))


def test_branches_have_an_order_and_a_warning_where_it_may_matter(rest, theirs):
    method = theirs.channel.unary_unary(
        f"/{WORKFLOW_ENGINE}/UploadDefinition",
        request_serializer=lambda one: one.SerializeToString(),
    )
    asked = message("workflow.v1.UploadDefinitionRequest")(definition=definition_of(LOAN))
    _, call = method.with_call(asked, timeout=20, metadata=(("authorization", f"Bearer {theirs.token}"),))
    warning = dict(call.trailing_metadata())["handoff-warning-bin"].decode()
    assert warning.startswith(
        "steps[6].conditional_next_steps: '#creditScore >= 650' and '#highRisk == true'"
    )
    route = rest.get(f"definitions/{LOAN['id']}")["steps"][6]
    assert [*route["conditionalNextSteps"]] == ["#creditScore >= 650", "#highRisk == true", "#review == true"]


def test_transformations_come_behind_what_they_see(rest, theirs):
    theirs.engine("UploadDefinition", definition=definition_of(rochallor.TRANSFORMATION))
    made = [*rest.get("definitions/flow")["steps"][1]["transformations"]]
    assert made == ["at", "fee", "fullName", "greeting", "score", "high"]


def test_transformations_that_see_each_other_are_refused(theirs):
    both = rochallor.step("set", "TRANSFORMATION", nextStep="end", transformations={"a": "${b}", "b": "${a}"})
    problem = refused(
        theirs.engine, method="UploadDefinition", definition=definition_of(rochallor.document(both))
    )
    assert problem == {
        "status": "INVALID_ARGUMENT",
        "code": "bad-request",
        "field": "steps[0].transformations",
    }


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("", {}),
        ("?keyword=LOS", {"keyword": "LOS"}),
        ("?page=1&pageSize=1", {"page": 1, "page_size": 1}),
    ],
)
def test_lists_are_the_same(rest, theirs, query, fields):
    for document in (rochallor.LINEAR, LOAN):
        rest.post("definitions", document)
    by_rest, by_grpc = rest.get(f"definitions{query}"), theirs.engine("ListDefinitions", **fields)
    assert by_grpc.total == by_rest["total"]
    rows = [{key: row[key] for key in ("id", "version", "name")} for row in by_rest["items"]]
    assert [plain(one) for one in by_grpc.definitions] == rows


def test_an_instance_is_the_same_at_each_of_its_steps(rest, theirs):
    rest.post("definitions", rochallor.USER_TASK)
    given = {"amount": 5, "part": 0.5, "deep": {"list": [1, None, "x", True]}}
    begun = theirs.engine("StartInstance", definition_id="flow", variables=given, business_key="BK")
    instance = begun.instance.id

    def both():
        make.work("engine")
        by_rest, by_grpc = (
            rest.get(f"instances/{instance}"),
            theirs.engine("GetInstance", id=instance).instance,
        )
        assert solid(plain(by_grpc)) == solid(by_rest)
        rows = rest.get(f"instances/{instance}/history")["items"]
        executions = theirs.engine("GetInstanceHistory", id=instance).executions
        for one, row in zip(executions, rows, strict=True):
            told_there = {key: row[key] for key in row if not key.endswith("Snapshot")}
            assert solid(plain(one, _pascal)) == solid(told_there)
        listed = theirs.engine(
            "ListInstances", business_key="BK", status=f"INSTANCE_STATUS_{by_rest['status']}"
        )
        page = rest.get(f"instances?businessKey=BK&status={by_rest['status']}")
        assert [solid(plain(one)) for one in listed.instances] == solid(page["items"])
        assert listed.total == page["total"] == 1
        return by_rest

    assert both()["currentStepIds"] == ["before"]
    assert both()["variables"] == given
    [job] = theirs.engine("PollJobs", worker_id="w", job_types=["before"]).jobs
    assert (job.step_id, job.instance_id, MessageToDict(job.variables)) == ("before", instance, given)
    theirs.engine("CompleteJob", job_id=job.id, worker_id="w", variables_to_set={"checked": True})
    assert both()["status"] == "WAITING"
    task = {"instance_id": instance, "user_task_step_id": "review"}
    theirs.engine("CompleteUserTask", **task, result={"fine": 1}, completed_by="alice")
    assert refused(theirs.engine, method="CompleteUserTask", **task)["status"] == "NOT_FOUND"
    both()
    [job] = theirs.engine("PollJobs", worker_id="w", job_types=["after"]).jobs
    theirs.engine("FailJob", job_id=job.id, worker_id="w", retryable=False, error_message="it broke")
    ended = both()
    assert (ended["status"], "it broke" in ended["failureReason"]) == ("FAILED", True)
    assert ended["variables"] == given | {"checked": True, "fine": 1}


def _pascal(name):
    return "".join("ID" if part == "id" else part.capitalize() for part in name.split("_"))


def test_jobs_are_the_same(rest, theirs):
    rest.post("definitions", rochallor.RETRY)
    rest.post("instances", {"definitionId": "flow", "variables": {"a": 1}})
    rest.post("instances", {"definitionId": "flow", "variables": {"a": 1}})
    [by_grpc] = theirs.engine("PollJobs", worker_id="w", job_types=["flaky"]).jobs
    [by_rest] = rest.post("jobs/poll", {"workerId": "w", "jobTypes": ["flaky"]}, 200)["jobs"]
    ours, there = solid(plain(by_grpc)), solid(by_rest)
    assert ours.keys() - there.keys() == {"stepId"}
    for name in ("jobType", "retriesRemaining", "variables"):
        assert ours[name] == there[name]
    # Each door hears of what the other one has handed out, and nobody is refused for saying it twice.
    rest.post(f"jobs/{by_grpc.id}/complete", {"workerId": "w", "variables": None}, 204)
    theirs.engine("CompleteJob", job_id=by_rest["id"], worker_id="w")
    theirs.engine("CompleteJob", job_id=by_grpc.id, worker_id="other")
    theirs.engine("FailJob", job_id=by_grpc.id, worker_id="other", retryable=True)


def test_one_job_is_given_where_nobody_says_how_many(rest, theirs):
    rest.post("definitions", rochallor.RETRY)
    for _ in range(3):
        rest.post("instances", {"definitionId": "flow"})
    assert len(theirs.engine("PollJobs", worker_id="w", job_types=["flaky"]).jobs) == 1
    assert len(theirs.engine("PollJobs", worker_id="w", job_types=["flaky"], max_jobs=64).jobs) == 2
    assert not theirs.engine("PollJobs", worker_id="w", job_types=["flaky"], max_jobs=64).jobs


def test_a_wait_is_signalled_and_an_instance_cancelled(rest, theirs):
    rest.post("definitions", rochallor.WAIT_SIGNAL)
    waiting = theirs.engine("StartInstance", definition_id="flow").instance.id
    [job] = theirs.engine("PollJobs", worker_id="w", job_types=["before"]).jobs
    signal = {"instance_id": waiting, "wait_step_id": "wait"}
    assert refused(theirs.engine, method="SignalWait", **signal)["status"] == "FAILED_PRECONDITION"
    theirs.engine("CompleteJob", job_id=job.id, worker_id="w")
    make.work("engine")
    theirs.engine("SignalWait", **signal, variables={"answer": 42})
    make.work("engine")
    ended = theirs.engine("GetInstance", id=waiting).instance
    assert plain(ended)["status"] == "COMPLETED"
    assert MessageToDict(ended.variables) == {"answer": 42}
    other = theirs.engine("StartInstance", definition_id="flow").instance.id
    cancelled = theirs.engine("CancelInstance", id=other, reason="enough").instance
    assert (plain(cancelled)["status"], cancelled.failure_reason) == ("CANCELLED", "enough")
    again = refused(theirs.engine, method="CancelInstance", id=other, reason="enough")
    assert again == {"status": "FAILED_PRECONDITION", "code": "conflict", "field": None}


@pytest.mark.parametrize(
    ("method", "fields", "path", "body"),
    [
        ("StartInstance", {}, "instances", {}),
        ("StartInstance", {"definition_id": "none"}, "instances", {"definitionId": "none"}),
        ("PollJobs", {"job_types": ["a"]}, "jobs/poll", {"jobTypes": ["a"]}),
        ("PollJobs", {"worker_id": "w"}, "jobs/poll", {"workerId": "w"}),
        ("CompleteJob", {"job_id": "x"}, "jobs/x/complete", {}),
        ("FailJob", {"job_id": "x"}, "jobs/x/fail", {}),
        ("CancelInstance", {"id": "x"}, "instances/x/cancel", {}),
        ("SignalWait", {"instance_id": "x", "wait_step_id": "y"}, "instances/x/signals/y", {}),
        (
            "CompleteUserTask",
            {"instance_id": "x", "user_task_step_id": "y"},
            "instances/x/user-tasks/y/complete",
            {},
        ),
    ],
)
def test_both_doors_refuse_the_same(rest, theirs, method, fields, path, body):
    answer = rest.client.post(f"/v1/{path}", body)
    with pytest.raises(grpc.RpcError) as caught:
        theirs.engine(method, **fields)
    error = answer.json()
    assert told(caught.value)["code"] == error["error"]
    assert caught.value.details() == error["reason"]
    assert told(caught.value)["status"] == {400: "INVALID_ARGUMENT", 404: "NOT_FOUND"}[answer.status_code]


def test_what_is_wrong_with_a_definition_is_told_at_once(theirs):
    bad = definition_of(
        rochallor.document(rochallor.step("a", "WAIT", nextStep="nowhere"), rochallor.step("b", "USER_TASK"))
    )
    with pytest.raises(grpc.RpcError) as caught:
        theirs.engine("UploadDefinition", definition=bad)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "nowhere" in caught.value.details()


def test_an_unknown_instance_has_no_history(theirs):
    assert not theirs.engine("GetInstanceHistory", id="nonexistent").executions
    assert refused(theirs.engine, method="GetInstance", id="nonexistent")["status"] == "NOT_FOUND"
    assert refused(theirs.engine, method="GetDefinition", id="nonexistent")["status"] == "NOT_FOUND"


def test_nobody_is_let_in_without_a_token(speak):
    nobody = speak(None)
    for method in ("PollJobs", "ListInstances", "UploadDefinition"):
        assert refused(nobody.engine, method=method)["status"] == "UNAUTHENTICATED"
    assert (
        refused(speak("viewer").engine, method="PollJobs", worker_id="w", job_types=["a"])["status"]
        == "PERMISSION_DENIED"
    )


def test_who_may_not_upload_is_refused_before_a_definition_is_read(speak):
    step = rochallor.step("a", "TRANSFORMATION", transformations={"a": "${b}", "b": "${a}"})
    sent = {"method": "UploadDefinition", "definition": definition_of(rochallor.document(step))}
    assert refused(speak("admin").engine, **sent)["status"] == "INVALID_ARGUMENT"
    assert refused(speak("worker").engine, **sent)["status"] == "PERMISSION_DENIED"


def test_another_tenants_instance_is_not_there(rest, theirs, speak):
    rest.post("definitions", rochallor.RETRY)
    instance = theirs.engine("StartInstance", definition_id="flow").instance.id
    other = speak("admin", tenant="theirs")
    assert refused(other.engine, method="GetInstance", id=instance)["status"] == "NOT_FOUND"
    assert not other.engine("PollJobs", worker_id="w", job_types=["flaky"]).jobs
    assert not other.engine("GetInstanceHistory", id=instance).executions


def test_an_open_tenant_needs_no_token_here_and_nowhere_else(transactional_db):
    ensure_default_tenant()
    with (
        answering(HANDOFF_V1_OPEN_TENANT="default") as (address, _),
        grpc.insecure_channel(address) as channel,
    ):
        nobody = Client(channel, None)
        nobody.engine("UploadDefinition", definition=definition_of(rochallor.RETRY))
        nobody.engine("StartInstance", definition_id="flow")
        assert nobody.engine("PollJobs", worker_id="w", job_types=["flaky"]).jobs
        poll = {"worker_id": "w", "queues": ["flaky"], "max_jobs": 1}
        assert refused(nobody.jobs, method="PollJobs", **poll)["status"] == "UNAUTHENTICATED"
        assert refused(Client(channel, "wrong").engine, method="ListInstances")["status"] == "UNAUTHENTICATED"


def test_an_upload_over_grpc_is_in_the_audit_log(theirs):
    document = rochallor.document(rochallor.step("end", "END"))
    theirs.engine("UploadDefinition", definition=definition_of(document))
    rows = AuditRecord.unsafe_all_tenants.filter(act="workflow.publish", door="grpc")
    assert [(row.by, row.via, row.address) for row in rows] == [("admin-of-ours", "token", "127.0.0.1")]
