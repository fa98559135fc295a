"""Blobs as objects of a bucket that speaks S3; where it is and who we are is said as to all its clients (`AWS_…`)."""

import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import S3Store

from lib.blobs.errors import CHANGED, MISSING, BlobAway, BlobChanged, BlobMissing

# Whoever waits may hold locks, and a session that is idle in a transaction is ended after 5 seconds.
_SECONDS, _CONNECT_SECONDS = 3.0, 1.0
_TOGETHER = 500
_RECENT_BYTES = 32 * 1024 * 1024


class _Recent:
    """What was got lately: the steps of a run read the same values, and what a key means never changes."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: str) -> bytes | None:
        """The bytes of a key, if they are known."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
            return self._known.get(key)

    def put(self, key: str, raw: bytes) -> None:
        """Remember them, and forget what was not asked for the longest."""
        with self._lock:
            self._bytes += len(raw) - len(self._known.pop(key, b""))
            self._known[key] = raw
            while self._bytes > _RECENT_BYTES:
                self._bytes -= len(self._known.popitem(last=False)[1])


class S3Blobs:
    """`s3://bucket/prefix/key`: an object for each key, which is whole or not there."""

    def __init__(self, bucket: str, prefix: str) -> None:
        endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
        self._bucket = bucket
        self._read = _Recent()
        self._store = S3Store(
            bucket,
            prefix=prefix or None,
            client_options={
                "timeout": timedelta(seconds=_SECONDS),
                "connect_timeout": timedelta(seconds=_CONNECT_SECONDS),
                "allow_http": endpoint.startswith("http://"),
            },
            retry_config={"max_retries": 1, "retry_timeout": timedelta(seconds=_SECONDS)},
        )

    def put(self, key: str, raw: bytes) -> None:
        """Put an object. Raises BlobAway."""
        with self._told():
            obstore.put(self._store, key, raw, use_multipart=False)

    def get(self, key: str, most: int) -> bytes:
        """Get an object. Raises BlobMissing, BlobChanged and BlobAway."""
        if (raw := self._read.get(key)) is not None:
            return raw
        with self._told(key):
            response = obstore.get(self._store, key)
            if response.meta["size"] <= most:
                raw = bytes(response.bytes())
                self._read.put(key, raw)
                return raw
        raise BlobChanged(CHANGED.format(key=key))

    def keys(self, prefix: str) -> Iterator[str]:
        """All objects below a first part. Raises BlobAway."""
        with self._told():
            for page in obstore.list(self._store, f"{prefix}/", chunk_size=_TOGETHER):
                yield from (one["path"] for one in page)

    def prefixes(self) -> list[str]:
        """What the keys begin with. Raises BlobAway."""
        with self._told():
            return sorted(obstore.list_with_delimiter(self._store)["common_prefixes"])

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects. Raises BlobAway."""
        with self._told():
            obstore.delete(self._store, list(keys))

    @contextmanager
    def _told(self, key: str = "") -> Iterator[None]:
        try:
            yield
        except (NotFoundError, FileNotFoundError) as error:
            raise BlobMissing(MISSING.format(key=key)) from error
        except (BaseError, OSError, ValueError) as error:
            # What the library says goes on for pages: the first line names the cause.
            why = str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
            raise BlobAway(f"The bucket of payloads {self._bucket} can't be used: {why}") from error
