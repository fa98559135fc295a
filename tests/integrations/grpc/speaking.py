"""A client of gRPC whose messages `protoc` made of our `.proto` files, and a server process to speak to."""

import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import grpc
import orjson
from google.protobuf import struct_pb2, timestamp_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from config.embedded.processes import wait_until
from config.embedded.redis import free_port
from integrations.grpc.contract import DESCRIPTORS
from tests.serving import ROOT, environment_of_a_process

# It ends with the tests, and is not forked: what forks beside the threads of gRPC may hang.
SERVE = """\
import ctypes, django
from lib.loading import loading
ctypes.CDLL(None).prctl(1, 15)
with loading():
    django.setup()
    from integrations.grpc.server import serve
serve()
"""
JOBS, RUNS, WORKFLOW_ENGINE = "handoff.v1.Jobs", "handoff.v1.Runs", "workflow.v1.WorkflowEngine"
SECONDS = 20.0


@cache
def pool() -> DescriptorPool:
    made = DescriptorPool()
    for module in (struct_pb2, timestamp_pb2):
        made.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    for file in FileDescriptorSet.FromString(DESCRIPTORS.read_bytes()).file:
        made.AddSerializedFile(file.SerializeToString())
    return made


def message(name: str) -> Any:
    """The class of a message, as a client has it."""
    return GetMessageClass(pool().FindMessageTypeByName(name))


class Client:
    """Calls as somebody with this token; fields of bytes are given as what they are the JSON of."""

    def __init__(self, channel: grpc.Channel, token: str | None) -> None:
        self.channel, self.token = channel, token

    def call(
        self,
        service: str,
        method: str,
        *,
        seconds: float = SECONDS,
        metadata: Mapping[str, str] = {},
        **fields: Any,
    ) -> Any:
        """The answer to a call; raises grpc.RpcError."""
        kind = pool().FindServiceByName(service).methods_by_name[method]
        gives = GetMessageClass(kind.output_type)
        make = self.channel.unary_stream if kind.server_streaming else self.channel.unary_unary
        ask = make(f"/{service}/{method}", lambda one: one.SerializeToString(), gives.FromString)
        pairs = dict(metadata)
        if self.token is not None:
            pairs.setdefault("authorization", f"Bearer {self.token}")
        return ask(request(kind.input_type, fields), timeout=seconds, metadata=tuple(pairs.items()))

    def jobs(self, method: str, **fields: Any) -> Any:
        return self.call(JOBS, method, **fields)

    def runs(self, method: str, **fields: Any) -> Any:
        return self.call(RUNS, method, **fields)

    def engine(self, method: str, **fields: Any) -> Any:
        return self.call(WORKFLOW_ENGINE, method, **fields)


def request(descriptor: Any, fields: Mapping[str, Any]) -> Any:
    made = GetMessageClass(descriptor)()
    for name, value in fields.items():
        field = descriptor.fields_by_name[name]
        if field.message_type is not None and field.message_type.full_name == "google.protobuf.Struct":
            getattr(made, name).update(value)
        elif field.type == field.TYPE_BYTES and not isinstance(value, bytes):
            setattr(made, name, orjson.dumps(value))
        elif field.message_type is not None and field.message_type.GetOptions().map_entry:
            getattr(made, name).update(value)
        elif field.is_repeated and field.message_type is not None:
            getattr(made, name).extend(request(field.message_type, one) for one in value)
        elif field.is_repeated:
            getattr(made, name).extend(value)
        elif field.message_type is not None and isinstance(value, Mapping):
            getattr(made, name).CopyFrom(request(field.message_type, value))
        elif field.message_type is not None:
            getattr(made, name).CopyFrom(value)
        else:
            setattr(made, name, value)
    return made


def told(error: grpc.RpcError) -> dict[str, Any]:
    """The status of a refusal, with the code and the field that go beside it."""
    beside = dict(error.trailing_metadata())
    return {
        "status": error.code().name,
        "code": beside.get("handoff-code"),
        "field": beside.get("handoff-field"),
    }


@contextmanager
def answering(**environment: str) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """A process that answers gRPC on the tests' database, and its address."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE],
        cwd=ROOT,
        env=environment_of_a_process("grpc") | {"HANDOFF_GRPC_PORT": str(port)} | environment,
    )
    address = f"127.0.0.1:{port}"
    try:
        wait_until(lambda: process.poll() is not None or listens(address), 30, "the gRPC process")
        yield address, process
    finally:
        process.terminate()
        process.wait(20)


def listens(address: str) -> bool:
    """Whether somebody takes connections there; a call that comes too early waits for the rest."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
        return True
    except OSError:
        return False
