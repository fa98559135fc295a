"""Large values beside the database, each by a key that says what its bytes are: in a folder, or in an S3 bucket."""

from lib.blobs.errors import CHANGED, BlobAway, BlobChanged, BlobError, BlobMissing
from lib.blobs.opening import BadBlobStore, opened
from lib.blobs.store import Blobs

__all__ = [
    "CHANGED",
    "BadBlobStore",
    "BlobAway",
    "BlobChanged",
    "BlobError",
    "BlobMissing",
    "Blobs",
    "opened",
]
