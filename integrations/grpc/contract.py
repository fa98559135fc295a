"""The contracts, read from their `.proto` files when the process starts: nothing is generated, so nothing can be stale.

Here everything is in a pool of its own, whatever else in the process has messages of these names.
"""

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from google.protobuf import struct_pb2, timestamp_pb2
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from lib.proto_source import read_proto

FOLDER: Final = Path(__file__).parent / "proto"
FILES: Final = ("handoff/v1/handoff.proto", "workflow/v1/engine.proto")
JOBS, RUNS, WORKFLOW_ENGINE = "handoff.v1.Jobs", "handoff.v1.Runs", "workflow.v1.WorkflowEngine"
# The last two are what reflection tells of beside ours.
_KNOWN: Final[tuple[ModuleType, ...]] = (struct_pb2, timestamp_pb2, health_pb2, reflection_pb2)


@cache
def pool() -> DescriptorPool:
    """All that is spoken here."""
    files = {}
    for module in _KNOWN:
        file = FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(file)
        files[file.name] = file
    descriptors = DescriptorPool()
    for file in (*files.values(), *(read_proto(FOLDER / name, name, files) for name in FILES)):
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
