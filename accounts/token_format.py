"""How an API token is written: `ho_<env>_<id>_<32 random bytes in base62><CRC-32>` (docs/security.md, "Tokens")."""

import base64
import binascii
import hashlib
import re
import secrets
import string
import zlib
from dataclasses import dataclass

_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase
_SECRET_LENGTH = 43  # 32 bytes in base 62
_CRC_LENGTH = 6
_ID_LENGTH = 12
_SHAPE = re.compile(rf"ho_([a-z]{{1,12}})_([0-9A-Za-z]{{{_ID_LENGTH}}})_([0-9A-Za-z]{{49}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made: shown once, kept as its hash."""

    text: str
    public_id: str

    @property
    def prefix(self) -> str:
        """What may be shown of it."""
        return self.text[: self.text.rindex("_") + 5]


def new_token(environment: str) -> NewToken:
    """A fresh token of this environment (`local`, `live`...)."""
    public_id = "".join(secrets.choice(_DIGITS) for _ in range(_ID_LENGTH))
    secret = _base62(int.from_bytes(secrets.token_bytes(32)), _SECRET_LENGTH)
    start = f"ho_{environment}_{public_id}_{secret}"
    return NewToken(start + _checksum(start), public_id)


def public_id_of(text: str) -> str | None:
    """The id in a token; None where it is none: a misspelt one never reaches the database."""
    match = _SHAPE.fullmatch(text)
    if match is None or _checksum(text[:-_CRC_LENGTH]) != text[-_CRC_LENGTH:]:
        return None
    return match.group(2)


def digest(text: str) -> bytes:
    """What is stored of a token; 256 random bits need no slow hash."""
    return hashlib.sha256(text.encode()).digest()


def token_in(authorization: str) -> str:
    """The token that an `Authorization` shows, as Bearer or as the password of Basic; empty for none."""
    scheme, _, text = authorization.strip().partition(" ")
    return {"bearer": _plain, "basic": _password}.get(scheme.lower(), _nothing)(text.strip())


def _plain(text: str) -> str:
    return text


def _password(text: str) -> str:
    """The token of `Basic`: the password, or the name where there is no password."""
    try:
        name, _, password = base64.b64decode(text, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return ""
    return password or name


def _nothing(text: str) -> str:
    return ""


def _checksum(start: str) -> str:
    return _base62(zlib.crc32(start.encode()), _CRC_LENGTH)


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(_DIGITS[digit])
    return "".join(reversed(digits))
