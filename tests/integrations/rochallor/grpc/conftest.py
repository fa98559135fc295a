"""A process that answers gRPC, and people who call it."""

from tests.integrations.grpc.conftest import (
    grpc_site,
    pay,
    people,
    pytest_collection_modifyitems,
    speak,
    start,
)

__all__ = ["grpc_site", "pay", "people", "pytest_collection_modifyitems", "speak", "start"]
