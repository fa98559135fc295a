"""Ids of 128 bits in base32: 26 digits that sort as the ids do. Pure."""

import base64
import binascii
from uuid import UUID

DIGITS = 26
PATTERN = rf"[0-9a-v]{{{DIGITS}}}"


def written(value: UUID | str) -> str:
    """The id in base32."""
    raw = (value if isinstance(value, UUID) else UUID(value)).bytes
    return base64.b32hexencode(raw).decode().rstrip("=").lower()


def read(digits: str) -> UUID | None:
    """The id that these digits are; None for anything else."""
    if len(digits) != DIGITS or not digits.isascii() or digits != digits.lower():
        return None
    try:
        raw = base64.b32hexdecode(digits.upper() + "=" * 6)
    except binascii.Error:
        return None
    value = UUID(bytes=raw)
    # The last digit has two bits that mean nothing: an id is written in one way only.
    return value if written(value) == digits else None
