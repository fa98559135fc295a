"""The body of an answer, decompressed piece by piece, so that a bomb never unfolds."""

import zlib
from collections.abc import Callable, Iterable

from lib.egress.errors import EgressFailed, EgressTooLarge

ENCODINGS = "gzip, deflate"
_MOST_OVERHEAD = 64 * 1024
"""What a compressed body may have beyond `max_bytes`: frames without content don't go on for ever."""


def whole(parts: Iterable[bytes], encoding: str, max_bytes: int) -> bytes:
    """All of a body with this Content-Encoding.

    Raises EgressTooLarge above `max_bytes`, EgressFailed where it is broken.
    """
    decoder = _decoder(encoding.strip().lower())
    body = bytearray()
    bytes_read = 0
    for part in parts:
        bytes_read += len(part)
        if bytes_read > max_bytes + _MOST_OVERHEAD:
            raise _too_large(max_bytes)
        body += decoder.feed(part, max_bytes + 1 - len(body)) if decoder else part
        if len(body) > max_bytes:
            raise _too_large(max_bytes)
    if decoder and bytes_read and not decoder.ended:
        raise EgressFailed("The compressed answer ends too early.")
    return bytes(body)


def _too_large(max_bytes: int) -> EgressTooLarge:
    return EgressTooLarge(f"The answer is larger than the {max_bytes:,} bytes that are allowed.")


class _Inflating:
    """Feeds zlib; gzip may come in several members."""

    def __init__(self, start: Callable[[bytes], "zlib._Decompress"], members: bool) -> None:
        self._start = start
        self._members = members
        self._inflate: zlib._Decompress | None = None

    @property
    def ended(self) -> bool:
        return self._inflate is not None and self._inflate.eof

    def feed(self, data: bytes, room: int) -> bytes:
        """What `data` unfolds to, at most about `room` bytes of it."""
        unfolded = bytearray()
        while data and len(unfolded) < room:
            if self._inflate is None or (self.ended and self._members):
                self._inflate = self._start(data)
            try:
                unfolded += self._inflate.decompress(data, room - len(unfolded))
            except zlib.error:
                raise EgressFailed("The answer is not compressed the way its header says.") from None
            data = (
                self._inflate.unused_data if self.ended and self._members else self._inflate.unconsumed_tail
            )
        return bytes(unfolded)


def _deflated(first: bytes) -> "zlib._Decompress":
    # The name stands for zlib's format, but many servers send the bare stream.
    bare = first[0] & 0x0F != 8
    return zlib.decompressobj(-zlib.MAX_WBITS if bare else zlib.MAX_WBITS)


def _decoder(encoding: str) -> _Inflating | None:
    if encoding in ("", "identity"):
        return None
    if encoding in ("gzip", "x-gzip"):
        return _Inflating(lambda first: zlib.decompressobj(zlib.MAX_WBITS | 16), members=True)
    if encoding == "deflate":
        return _Inflating(_deflated, members=False)
    raise EgressFailed(f"The answer is encoded as `{encoding[:50]}`, which was not asked for.")
