"""The contracts: what `protoc` made of their `.proto` files (`make contracts`), read when the process starts.

Here everything is in a pool of its own, whatever else in the process has messages of these names.
"""

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from google.protobuf import struct_pb2, timestamp_pb2
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

FOLDER: Final = Path(__file__).parent / "proto"
DESCRIPTORS: Final = FOLDER / "contracts.binpb"
FILES: Final = ("handoff/v1/handoff.proto", "workflow/v1/engine.proto")
JOBS, RUNS, WORKFLOW_ENGINE = "handoff.v1.Jobs", "handoff.v1.Runs", "workflow.v1.WorkflowEngine"
# The last two are what reflection tells of beside ours.
_KNOWN: Final[tuple[ModuleType, ...]] = (struct_pb2, timestamp_pb2, health_pb2, reflection_pb2)


@cache
def pool() -> DescriptorPool:
    """All that is spoken here."""
    descriptors = DescriptorPool()
    for module in _KNOWN:
        descriptors.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    for file in FileDescriptorSet.FromString(DESCRIPTORS.read_bytes()).file:
        descriptors.AddSerializedFile(file.SerializeToString())
    return descriptors


@cache
def message_class(full_name: str) -> type[Message]:
    """The class of a message of this name."""
    cls: type[Message] = GetMessageClass(pool().FindMessageTypeByName(full_name))
    return cls


def methods(service: str) -> dict[str, MethodDescriptor]:
    """The methods of a service, by name."""
    return dict(pool().FindServiceByName(service).methods_by_name)
