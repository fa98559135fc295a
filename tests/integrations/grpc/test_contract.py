"""The `.proto` files: read here as `protoc` reads them, numbered as the public engine's clients expect."""

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from integrations.grpc import jobs, runs
from integrations.grpc.contract import (
    FILES,
    FOLDER,
    JOBS,
    RUNS,
    message_class,
    methods,
    pool,
)
from lib.proto_source import BadProto, read_proto
from tests.integrations.grpc.speaking import compiled

THEIRS = {
    "WorkflowStep": "id=1 name=2 type=3 description=4 next_step=10 parallel_next_steps=11 join_step=12"
    " conditional_next_steps=20 transformations=30 job_type=40 delegate_class=41 retry_count=42 boundary_events=50",
    "Job": "id=1 job_type=2 instance_id=3 step_id=4 step_execution_id=5 retries_remaining=6 variables=7"
    " lock_expires_at=8",
    "WorkflowInstance": "id=1 definition_id=2 definition_version=3 status=4 current_step_ids=5 variables=6"
    " started_at=7 completed_at=8 failure_reason=9 business_key=10",
    "CompleteUserTaskRequest": "completed_by=2 result=3 instance_id=4 user_task_step_id=5",
    "JobDispatchEvent": "schema_version=1 dedup_id=2 job_id=10 instance_id=11 step_execution_id=12 job_type=13"
    " retries_remaining=20 job_payload=30 created_at=40",
}


def nameless(message):
    """Without what `protoc` adds for JSON."""
    for field in message.field:
        field.ClearField("json_name")
    for inner in message.nested_type:
        nameless(inner)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_as_protoc_reads_it(name):
    [theirs] = [file for file in compiled().file if file.name == name]
    for message in theirs.message_type:
        nameless(message)
    ours = FileDescriptorProto()
    pool().FindFileByName(name).CopyToProto(ours)
    for message in ours.message_type:
        nameless(message)
    assert ours == theirs


@pytest.mark.parametrize("name", THEIRS)
def test_numbers_are_those_of_the_public_engine(name):
    fields = message_class(f"workflow.v1.{name}").DESCRIPTOR.fields
    assert " ".join(f"{field.name}={field.number}" for field in fields) == THEIRS[name]


def test_each_method_is_served():
    assert methods(JOBS).keys() == jobs.CALLS.keys() | {"StreamJobs"}
    assert methods(RUNS).keys() == runs.CALLS.keys() | {"WatchRun"}


@pytest.mark.parametrize(
    "text",
    [
        'syntax = "proto2";',
        "message A { oneof x { string y = 1; } }",
        "message A { string x = 1 [deprecated = true]; }",
        "message A { Missing x = 1; }",
        "message A { string x = ",
        "message A { string x = one; }",
        'import "nowhere.proto";',
        "service S { option x = 1; }",
        "extend A { }",
    ],
)
def test_what_is_not_read_here_is_never_misread(tmp_path, text):
    file = tmp_path / "a.proto"
    file.write_text(text)
    with pytest.raises(BadProto):
        read_proto(file, "a.proto", {})


def test_the_files_are_where_a_wheel_has_them():
    assert all((FOLDER / name).is_file() for name in FILES)
