"""The SDKs that speak gRPC know each field of what the server sends, by its number and name."""

import re

import pytest

from integrations.grpc.contract import message_class
from tests.conformance.playing import SDKS

FILES = {
    "typescript": "typescript/src/protobuf.ts",
    "go": "go/protobuf.go",
    "java": "java/src/main/java/handoff/Protobuf.java",
}
MESSAGES = ("Job", "JobAnswer", "JobApproval", "JobFile")


@pytest.mark.parametrize("sdk", FILES)
def test_an_sdk_reads_each_field_of_a_job_and_of_an_answer(sdk):
    source = (SDKS / FILES[sdk]).read_text()
    known = {(int(number), name) for number, name in re.findall(r'(\d+)(?:, |: \w+\()"(\w+)"', source)}
    sent = {(field.number, field.name) for name in MESSAGES for field in fields_of(name)}
    assert sent - known == set()


def fields_of(name):
    return message_class(f"handoff.v1.{name}").DESCRIPTOR.fields
