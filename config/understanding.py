"""Whether all variables of the environment can be understood."""

from config import dispatch_environment, environment, grpc_environment


def problems() -> list[str]:
    """A line for each variable that cannot be understood; empty when all is well."""
    return environment.problems() + dispatch_environment.problems() + grpc_environment.problems()
