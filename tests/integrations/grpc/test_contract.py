"""The contracts: made of the `.proto` files by `protoc`, numbered as the public engine's clients expect."""

import subprocess
import sys

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from integrations.grpc import jobs, runs
from integrations.grpc.contract import (
    DESCRIPTORS,
    FILES,
    FOLDER,
    JOBS,
    RUNS,
    message_class,
    methods,
)

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


def test_the_descriptors_are_what_protoc_makes_of_the_files(tmp_path):
    """After a change of a `.proto` file: make contracts"""
    made = tmp_path / "made"
    command = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        f"-I{FOLDER}",
        f"--descriptor_set_out={made}",
        *FILES,
    ]
    subprocess.run(command, check=True)
    ours, theirs = (FileDescriptorSet.FromString(path.read_bytes()) for path in (DESCRIPTORS, made))
    assert ours == theirs, "write them anew: make contracts"
    assert {file.name for file in ours.file} == {
        str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.proto")
    }


@pytest.mark.parametrize("name", THEIRS)
def test_numbers_are_those_of_the_public_engine(name):
    fields = message_class(f"workflow.v1.{name}").DESCRIPTOR.fields
    assert " ".join(f"{field.name}={field.number}" for field in fields) == THEIRS[name]


def test_each_method_is_served():
    assert methods(JOBS).keys() == jobs.CALLS.keys() | {"StreamJobs"}
    assert methods(RUNS).keys() == runs.CALLS.keys() | {"WatchRun"}
