"""Where gRPC is answered, as the environment says it (docs/grpc.md)."""

import os
from ipaddress import ip_address

from config import environment


def port() -> int | None:
    """The port on which gRPC is answered (`HANDOFF_GRPC_PORT`); None where it is not, as by default.

    Raises BadEnvironment.
    """
    value = os.environ.get("HANDOFF_GRPC_PORT", "").strip().lower()
    return None if not value or value in environment.OFF else _number(value)


def host() -> str:
    """The address on which gRPC is answered (`HANDOFF_GRPC_HOST`, default 127.0.0.1). Raises BadEnvironment."""
    value = os.environ.get("HANDOFF_GRPC_HOST", "").strip() or "127.0.0.1"
    try:
        return str(ip_address(value))
    except ValueError:
        raise environment.BadEnvironment(
            f"HANDOFF_GRPC_HOST must be an address such as 127.0.0.1 or 0.0.0.0, not {value[:40]!r}."
        ) from None


def files() -> tuple[str, str]:
    """The files with certificate and key of gRPC (`HANDOFF_GRPC_CERT`, `HANDOFF_GRPC_KEY`); empty: without TLS.

    Raises BadEnvironment where there is one of them only, or one can't be read.
    """
    names = ("HANDOFF_GRPC_CERT", "HANDOFF_GRPC_KEY")
    cert, key = (os.environ.get(name, "").strip() for name in names)
    if bool(cert) != bool(key):
        raise environment.BadEnvironment(f"{names[0]} and {names[1]} must both be set, or neither.")
    for name, value in zip(names, (cert, key), strict=True):
        if value and not os.access(value, os.R_OK):
            raise environment.BadEnvironment(f"{name} must be a file that can be read, not {value[:80]!r}.")
    return cert, key


def reflection() -> bool:
    """Whether gRPC tells strangers what there is (`HANDOFF_GRPC_REFLECTION`, off by default). Raises BadEnvironment."""
    return environment.switch("HANDOFF_GRPC_REFLECTION", default=False)


def problems() -> list[str]:
    """A line for each variable that cannot be understood; empty when all is well."""
    messages = []
    for read in (port, host, files, reflection):
        try:
            read()
        except environment.BadEnvironment as problem:
            messages.append(str(problem))
    return messages


def is_open() -> bool:
    """Whether others than this machine's programs reach it, and nothing on the way is encrypted."""
    return port() is not None and not files()[0] and not ip_address(host()).is_loopback


def _number(value: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) < 6 and 0 < int(value) < 65_536):
        raise environment.BadEnvironment(
            f"HANDOFF_GRPC_PORT must be a number from 1 to 65535, not {value[:20]!r}."
        )
    return int(value)
