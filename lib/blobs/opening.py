"""Which store an address means."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.utils.module_loading import import_string

from lib.blobs.folder import FolderBlobs
from lib.blobs.store import Blobs


class BadBlobStore(ValueError):
    """This is the address of no store; the message says which there are."""


def opened(url: str) -> Blobs:
    """The store at `file:///folder` or `s3://bucket/prefix`. Nothing is asked of it yet. Raises BadBlobStore."""
    parts = urlsplit(url)
    path = unquote(parts.path)
    if parts.scheme == "file" and not parts.netloc and len(path) > 1:
        return FolderBlobs(Path(path))
    if parts.scheme == "s3" and parts.hostname:
        # Only who has a bucket needs the client.
        blobs: Blobs = import_string("lib.blobs.s3.S3Blobs")(parts.hostname, path.strip("/"))
        return blobs
    raise BadBlobStore(f"It must be file:///a/folder or s3://a-bucket/prefix, not {url[:60]!r}.")
