"""Whether all variables of the environment can be understood."""

from config import (
    dispatch_environment,
    environment,
    grpc_environment,
    kafka_environment,
    request_environment,
    start_environment,
)


def problems() -> list[str]:
    """A line for each variable that cannot be understood; empty when all is well."""
    modules = (
        environment,
        dispatch_environment,
        grpc_environment,
        kafka_environment,
        request_environment,
        start_environment,
    )
    return [line for module in modules for line in module.problems()]
