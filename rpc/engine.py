"""`workflow.v1.WorkflowEngine`."""

from typing import Any

import grpc

from rpc.unary import Unary


def handlers(unary: Unary) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
    """For now none."""
    return {}
