"""Secrets at rest: AES-256-GCM, bound to the place that they lie in (docs/security.md, "Secrets at rest").

A sealed value is one byte for the format, the eight bytes of its key's id, a nonce, and the ciphertext with its tag.
What it belongs to is authenticated with it: moved to another row, tenant or field it does not open.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
_FORMAT = b"\x01"
_ID_BYTES = 8
_NONCE_BYTES = 12
_HEAD_BYTES = len(_FORMAT) + _ID_BYTES


class CannotOpen(Exception):
    """This was sealed by a key that is not here, for another place, or it was changed; the message tells no secret."""


class Hidden:
    """A secret in the clear that does not get out by accident: it can't be printed, logged, pickled, copied or put
    into JSON; only who calls `reveal` has it.
    """

    __slots__ = ("__value",)

    def __init__(self, value: bytes) -> None:
        self.__value = value

    def reveal(self) -> bytes:
        """The secret. Keep it no longer than it takes to use it."""
        return self.__value

    def __repr__(self) -> str:
        return "<hidden>"

    __str__ = __repr__

    def __format__(self, how: str) -> str:
        return "<hidden>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a secret can't be pickled or copied")


@dataclass(frozen=True, slots=True)
class Place:
    """What a sealed value belongs to; `version` tells the values apart that a field has one after another."""

    tenant: int
    thing: str
    field: str
    version: int = 1

    def bound(self) -> bytes:
        """What is authenticated with the value: `tenant|object|field|version`. Raises ValueError for a `|` in one."""
        if "|" in self.thing + self.field:
            raise ValueError("a place has no | in its parts")
        return f"{self.tenant}|{self.thing}|{self.field}|{self.version}".encode()


def new_key() -> Hidden:
    """A key of 256 random bits."""
    return Hidden(secrets.token_bytes(KEY_BYTES))


class KeyRing:
    """Keys, of which the first seals; the one that a sealed value names opens it."""

    __slots__ = ("_first", "_keys")

    def __init__(self, keys: Sequence[Hidden]) -> None:
        """Takes the keys in the clear. Raises ValueError for none at all, or one that has not 256 bits."""
        if not keys or any(len(key.reveal()) != KEY_BYTES for key in keys):
            raise ValueError(f"a key ring needs a key, and a key has {KEY_BYTES} bytes")
        ciphers = [(_id_of(key), AESGCM(key.reveal())) for key in keys]
        self._first = ciphers[0]
        # Of two that are equal either will do.
        self._keys = dict(ciphers)

    def seal(self, value: Hidden, place: Place) -> bytes:
        """The value as it may be stored in this place."""
        key_id, cipher = self._first
        head, nonce = _FORMAT + key_id, secrets.token_bytes(_NONCE_BYTES)
        return head + nonce + cipher.encrypt(nonce, value.reveal(), head + place.bound())

    def open(self, sealed: bytes, place: Place) -> Hidden:
        """What was sealed for this place. Raises CannotOpen."""
        head, nonce = sealed[:_HEAD_BYTES], sealed[_HEAD_BYTES : _HEAD_BYTES + _NONCE_BYTES]
        cipher = self._keys.get(head[len(_FORMAT) :])
        if head[: len(_FORMAT)] != _FORMAT or cipher is None:
            raise CannotOpen(f"the key that sealed {place.field} of {place.thing} is missing")
        try:
            return Hidden(cipher.decrypt(nonce, sealed[_HEAD_BYTES + _NONCE_BYTES :], head + place.bound()))
        except (InvalidTag, ValueError):
            raise CannotOpen(
                f"{place.field} of {place.thing} was sealed for another place, or changed"
            ) from None

    def seals_like(self, sealed: bytes) -> bool:
        """Whether the first key sealed this."""
        return sealed[:_HEAD_BYTES] == _FORMAT + self._first[0]


def _id_of(key: Hidden) -> bytes:
    return sha256(b"key id:" + key.reveal()).digest()[:_ID_BYTES]
